#include "domain/derivation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "domain/automaton.hpp"
#include "domain/compiled.hpp"
#include "domain/operation.hpp"

namespace pmg::domain {
namespace {

/// The texts of all paths of an operation.
struct PathsOf {
  template <class Op>
  std::vector<PathUse> operator()(const Op& op) const {
    if constexpr (requires { op.path; }) {
      return {op.path};
    } else {
      return {op.from, op.to};
    }
  }
};

constexpr std::array kFileAccesses{Access::read, Access::write, Access::exec};

bool has_any(const PerAccess& rules) {
  return std::ranges::any_of(kFileAccesses, [&](Access access) { return rules.has(access); });
}

/// Whether the only rule of `automaton` covers the path. An allow never counts for a spelling (R1).
bool covers(const Automaton& automaton, const PathUse& use) {
  Walk real;
  automaton.walk(use.real.text(), real);
  Walk spelled;
  automaton.walk(use.spelled.text(), spelled);
  return has_any(real.allow) || has_any(real.dropped_at_dev) || has_any(real.deny) ||
         has_any(spelled.deny);
}

/// A rule on sockets says nothing about files, and one on files allows no socket.
bool is_about(const Rule& rule, const Operation& operation) {
  const bool connects = std::holds_alternative<ConnectUnix>(operation);
  return (rule.access == Access::connect) == connects || (connects && rule.effect == Effect::deny);
}

bool covers_any(const Automaton& automaton, const std::vector<PathUse>& paths) {
  return std::ranges::any_of(paths, [&](const PathUse& use) { return covers(automaton, use); });
}

}  // namespace

Derivation derive(const CompiledPolicy& policy, const Operation& operation) {
  const std::vector<PathUse> paths = std::visit(PathsOf{}, operation);
  Derivation derivation{decide(policy, operation), {}};
  const RuleId decisive = derivation.decision.rule;
  for (std::uint32_t index = 0; index < policy.rules().size(); ++index) {
    const RuleId id{index};
    if (id == decisive) {
      derivation.considered.push_back({id, Weight::decides});
    } else if (is_about(policy.rules()[index], operation) &&
               covers_any(*policy.automaton_of(id, Company::alone), paths)) {
      const bool applies = covers_any(*policy.automaton_of(id, Company::with_exceptions), paths);
      derivation.considered.push_back({id, applies ? Weight::applies : Weight::set_aside});
    }
  }
  return derivation;
}

}  // namespace pmg::domain
