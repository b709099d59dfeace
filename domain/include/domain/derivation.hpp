/// How a decision came about: every rule that has something to say about an operation, and the one
/// that decided.
///
///   const Derivation d = derive(*compiled, Read{PathView(path)});
///   for (const Consideration& each : d.considered) … compiled->rule(each.rule)->origin …
///
/// DV1: the decision is that of `decide`. DV2: a rule that is not considered could be taken away
/// and the decision would be the same, unless it is about what lies beneath the path. Takes
/// O(rules), so it is for people who ask, not for calls.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"

namespace pmg::domain {

enum class Weight : std::uint8_t {
  decides,
  applies,    ///< covers the path, and another one decided
  set_aside,  ///< covers the path, but an opt-out names it or package content begins above it
};

struct Consideration {
  RuleId rule;
  Weight weight;
  friend bool operator==(const Consideration&, const Consideration&) = default;
};

struct Derivation {
  Decision decision;
  std::vector<Consideration> considered;  ///< in the order of the rules
};

[[nodiscard]] Derivation derive(const CompiledPolicy& policy, const Operation& operation);

}  // namespace pmg::domain
