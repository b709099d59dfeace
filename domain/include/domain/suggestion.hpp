/// What would allow an operation that is refused: the narrowest overrides that do.
///
///   auto way = suggest(policy, surroundings, Read{PathView(path)});
///   if (const auto* allow = std::get_if<Suggestion>(&way)) …   // --sandbox-allow, each of them
///
/// SG1: a suggestion, applied, allows the operation: it was tried. SG2: it names the paths of the
/// operation and nothing above them. Not for: whether one should; what lifts a protection says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/overrides.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {

enum class Protection : std::uint8_t {
  kept,
  lifted,  ///< a credential, or a file that runs code later, is no longer guarded
};

struct Suggestion {
  std::vector<Override> overrides;  ///< all are needed
  Protection protection;
};

/// Why no override helps.
enum class Hopeless : std::uint8_t {
  protected_always,  ///< hooks, pmg's own state, the kernel's memory: nothing lifts these
  denied_by_policy,  ///< a deny of the profile, which no override of the same text removes
  moves_too_much,    ///< a directory with denied or differently ruled paths beneath
  is_a_device,
  not_writable_as_rule,  ///< the path cannot be written as a rule, or is no path
};

/// `operation` is refused by the policy as it is.
[[nodiscard]] std::variant<Suggestion, Hopeless> suggest(const Policy& policy,
                                                         const Surroundings& surroundings,
                                                         const Operation& operation);

/// The pattern that covers exactly this path and, where it can be a literal, what is beneath it.
/// Empty for text that is no canonical path.
[[nodiscard]] std::optional<PatternTemplate> pattern_for(std::string_view path);

}  // namespace pmg::domain
