/// The parts of lint; each adds its findings. Used by lint.cpp alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/lint.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {

struct LintInput {
  const Policy& profile;
  const Policy& parent;
};

void lint_paths(const LintInput& input, std::vector<Finding>& findings);
void lint_environment(const LintInput& input, std::vector<Finding>& findings);
void lint_network(const LintInput& input, std::vector<Finding>& findings);

template <class T>
Finding finding_on(LintCode code, PolicyField field, const Sourced<T>& rule,
                   std::optional<LintOther> other = std::nullopt) {
  return {code, level_of(code), field, rule.value.text(), rule.origin, std::move(other)};
}

template <class T>
LintOther other_of(PolicyField field, const Sourced<T>& rule) {
  return {field, rule.value.text(), rule.origin};
}

}  // namespace pmg::domain
