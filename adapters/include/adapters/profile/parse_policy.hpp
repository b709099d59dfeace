/// A profile's YAML as a domain::Policy, and back.
///
///   auto policy = parse_policy(text, {"p.yml", Layer::profile});   // expected<Policy, LoadError>
///   parse_policy(to_yaml(*policy), …) == *policy                   // but for the origins (S2)
///
/// S1: strict: every key is known, every pattern parses; the first mistake is the result.
/// Only the profile's own rules: inheritance is for ProfileRegistry, presets for their own reader.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "adapters/yaml/load_error.hpp"
#include "adapters/yaml/yaml_node.hpp"
#include "domain/origin.hpp"
#include "domain/policy.hpp"

namespace pmg::adapters {

/// What the origins of the rules say.
struct PolicySource {
  std::string file;
  domain::Layer layer = domain::Layer::profile;
};

/// `name` and at least one of `package_managers` are required. A key without a value (`deny_read:`)
/// is an empty list, as for the existing tool.
[[nodiscard]] tl::expected<domain::Policy, LoadError> parse_policy(std::string_view text,
                                                                   const PolicySource& source);

/// The same for the tree that `parse_document` gives.
[[nodiscard]] tl::expected<domain::Policy, LoadError> read_policy(const YamlNode& document,
                                                                  const PolicySource& source);

/// S2: the document that parses to the same policy. Every list is printed, also the empty ones.
[[nodiscard]] std::string to_yaml(const domain::Policy& policy);

}  // namespace pmg::adapters
