/// What one policy allows and another one does not.
///
///   PolicyDiff difference = diff(*resolved_a, *resolved_b);
///   for (const RuleChange& change : difference.newly_allowed) …
///
/// DF1: without a line under `newly_allowed`, the second policy lets nothing be read, written, run,
/// connected to or passed on that the first one refuses; and the other way round for
/// `newly_denied`. Rules are compared by the paths they speak about, whatever the variables are
/// (domain/path_set.hpp): order, repetition and spelling make no difference, and a rule that the
/// other policy's rules cover is none.
///
/// Not for: where parent directories may be made (R4), or what may be moved (R6, R7).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/origin.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {

enum class Change : std::uint8_t { added, removed };

struct RuleChange {
  Change change;
  PolicyField field;
  std::string rule;  ///< as written; empty for a switch
  Origin origin;     ///< in the policy that has it
};

struct PolicyDiff {
  std::vector<RuleChange> newly_allowed;
  std::vector<RuleChange> newly_denied;

  [[nodiscard]] bool is_empty() const noexcept {
    return newly_allowed.empty() && newly_denied.empty();
  }
};

/// From `before` to `after`, both resolved. Names and descriptions do not count.
[[nodiscard]] PolicyDiff diff(const Policy& before, const Policy& after);

}  // namespace pmg::domain
