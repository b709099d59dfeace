/// What is wrong, or superfluous, in a policy that is valid.
///
///   for (const Finding& finding : lint(profile, parent)) report(finding);
///
/// LT1: a rule that is called dead can be removed without changing any decision, alone or with all
/// other dead ones; except for moves of whole directories, where R7 compares rules. Symlinks of a
/// machine are not looked at: a rule below one may still be of use there.
/// LT2: a rule is called useless, too broad or without effect only where that is so for every value
/// of the variables (domain/path_set.hpp).
///
/// Not for: mistakes that keep a profile from loading; and for wording, which is the app's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/origin.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {

enum class LintLevel : std::uint8_t { error, warning, note };

enum class LintCode : std::uint8_t {
  // contradictions
  allow_deny,  ///< a deny leaves nothing of what the rule allows (variables: the other way round)
  // dead: can be removed
  shadowed,  ///< another rule says the same, and more
  denied,    ///< as allow_deny, and nothing else hangs on the rule
  // without effect
  mandatory,        ///< the built-in denies leave nothing of it; the exact path would lift them
  mandatory_never,  ///< the same, and nothing lifts them
  matches_nothing,
  nothing_to_deny,  ///< deny_exec of what nothing allows to run
  protected_name,   ///< environment.deny of what is never removed
  // too broad
  broad_root,
  broad_all,  ///< `**`
  broad_home,
  broad_system,    ///< a directory of the system is writable
  secret_by_glob,  ///< environment.allow; `other` is a secret that it lets in
  // network
  no_lockdown,      ///< rules on hosts that a program need not heed
  dns_no_lockdown,  ///< allow_direct_dns
};

/// Another rule that a finding is about.
struct LintOther {
  PolicyField field;
  std::string rule;
  Origin origin;
};

struct Finding {
  LintCode code;
  LintLevel level;
  PolicyField field;
  std::string rule;  ///< as written; empty for a switch
  Origin origin;     ///< empty for a switch
  std::optional<LintOther> other;
};

/// "conflict.allow_deny"; stable.
[[nodiscard]] const char* name_of(LintCode code) noexcept;
[[nodiscard]] LintLevel level_of(LintCode code) noexcept;

/// About the rules of `profile` alone; `parent` is what it inherits, resolved (an empty policy
/// where it inherits nothing). By level, then in the order of the file.
[[nodiscard]] std::vector<Finding> lint(const Policy& profile, const Policy& parent);

}  // namespace pmg::domain
