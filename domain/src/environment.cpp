#include "domain/environment.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/mandatory.hpp"
#include "domain/origin.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"

namespace pmg::domain {
namespace {

const Sourced<EnvPattern>* first_match(const EnvRules& rules, std::string_view name) noexcept {
  const auto found = std::ranges::find_if(
      rules, [name](const Sourced<EnvPattern>& rule) { return rule.value.matches(name); });
  return found == rules.end() ? nullptr : &*found;
}

bool is_on(std::span<const std::string_view> globs, std::string_view name) noexcept {
  return std::ranges::any_of(
      globs, [name](std::string_view glob) { return glob_matches_ignoring_case(glob, name); });
}

/// The rule that removes `name`; the built-in list speaks first, because it would still hold if the
/// policy's own rule were taken away.
std::optional<Origin> removed_by(const EnvironmentRules& rules, std::string_view name) {
  if (is_on(protected_variables(), name) || first_match(rules.allow, name) != nullptr) {
    return std::nullopt;
  }
  if (is_on(secret_variables(), name)) {
    return Origin{Layer::built_in_list, {}, 0};
  }
  if (const auto* denied = first_match(rules.deny, name)) {
    return denied->origin;
  }
  return std::nullopt;
}

}  // namespace

bool is_scrubbed(const EnvironmentRules& rules, std::string_view name) noexcept {
  return removed_by(rules, name).has_value();
}

std::vector<ScrubbedName> scrub(const EnvironmentRules& rules,
                                std::span<const std::string_view> names) {
  std::vector<ScrubbedName> scrubbed;
  for (const std::string_view name : names) {
    if (auto origin = removed_by(rules, name)) {
      scrubbed.push_back({std::string(name), *std::move(origin)});
    }
  }
  return scrubbed;
}

}  // namespace pmg::domain
