/// A policy from its layers: profile (with its presets), overlay of the project, command line.
///
///   auto layered = with_layers(context, profile, overrides, surroundings);
///
/// LA1: in this order, and each only adds to what is there. LA2: what cannot be read, an unknown
/// preset, a broken overlay: nothing runs.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "domain/compiled.hpp"
#include "domain/overrides.hpp"
#include "domain/policy.hpp"
#include "session.hpp"

namespace pmg::app {

struct LayeredPolicy {
  domain::Policy policy;
  std::vector<Layered> layers;
  std::vector<std::string> notices;  ///< a line each, for standard error
};

/// `profile` has the presets that it names already. The error is a sentence for the user.
[[nodiscard]] tl::expected<LayeredPolicy, std::string> with_layers(
    const Context& context, domain::Policy profile, const std::vector<domain::Override>& overrides,
    const domain::Surroundings& surroundings);

}  // namespace pmg::app
