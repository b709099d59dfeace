/// The parts of diff. Used by policy_diff.cpp alone.
#pragma once

#include "domain/origin.hpp"
#include "domain/policy.hpp"
#include "domain/policy_diff.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {

template <class T>
RuleChange change_of(Change change, PolicyField field, const Sourced<T>& rule) {
  return {change, field, rule.value.text(), rule.origin};
}

void diff_network(const Policy& before, const Policy& after, PolicyDiff& out);

}  // namespace pmg::domain
