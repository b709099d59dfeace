#include "domain/lint.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "domain/policy.hpp"
#include "lint_parts.hpp"

namespace pmg::domain {

const char* name_of(LintCode code) noexcept {
  switch (code) {
    case LintCode::allow_deny:
      return "conflict.allow_deny";
    case LintCode::shadowed:
      return "dead.shadowed";
    case LintCode::denied:
      return "dead.denied";
    case LintCode::mandatory:
      return "mandatory.denied";
    case LintCode::mandatory_never:
      return "mandatory.never";
    case LintCode::matches_nothing:
      return "match.nothing";
    case LintCode::nothing_to_deny:
      return "unneeded.deny_exec";
    case LintCode::protected_name:
      return "env.protected";
    case LintCode::broad_root:
      return "broad.root_glob";
    case LintCode::broad_all:
      return "broad.all_glob";
    case LintCode::broad_home:
      return "broad.home_glob";
    case LintCode::broad_system:
      return "broad.system_glob";
    case LintCode::secret_by_glob:
      return "env.secret_glob";
    case LintCode::no_lockdown:
      return "network-rules-without-lockdown";
    case LintCode::dns_no_lockdown:
      return "allow-direct-dns-without-lockdown";
  }
  return "";
}

LintLevel level_of(LintCode code) noexcept {
  // What can go without any effect is worth a look, and does no harm.
  return code == LintCode::shadowed || code == LintCode::nothing_to_deny ? LintLevel::note
                                                                         : LintLevel::warning;
}

std::vector<Finding> lint(const Policy& profile, const Policy& parent) {
  std::vector<Finding> findings;
  const LintInput input{profile, parent};
  lint_paths(input, findings);
  lint_environment(input, findings);
  lint_network(input, findings);
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::tuple(finding.level, finding.origin.line, finding.origin.column);
  });
  return findings;
}

}  // namespace pmg::domain
