/// Which environment variables a sandboxed program gets.
///
///   auto scrubbed = scrub(names, policy.environment);   // names to remove, with the rule
///
/// E1: scrub = (built-in list + policy deny) - policy allow - protected core names.
/// E2: names compare without case. E3: values are never looked at.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/policy.hpp"

namespace pmg::domain {

struct ScrubbedName {
  std::string name;
  Origin origin;  ///< the rule that removed it
};

[[nodiscard]] bool is_scrubbed(const EnvironmentRules& rules, std::string_view name) noexcept;

/// The names among `names` that must not reach the program, in order.
[[nodiscard]] std::vector<ScrubbedName> scrub(const EnvironmentRules& rules,
                                              std::span<const std::string_view> names);

}  // namespace pmg::domain
