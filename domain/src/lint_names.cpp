// Rules on variables and on hosts.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/lint.hpp"
#include "domain/mandatory.hpp"
#include "domain/path_set.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"
#include "lint_parts.hpp"

namespace pmg::domain {
namespace {

template <class T>
struct Entry {
  const Sourced<T>* rule;
  bool is_own;
  bool is_live;
};

template <class T>
std::vector<Entry<T>> entries_of(const std::vector<Sourced<T>>& parent,
                                 const std::vector<Sourced<T>>& own) {
  std::vector<Entry<T>> entries;
  entries.reserve(parent.size() + own.size());
  for (const auto& rule : parent) {
    entries.push_back({&rule, false, true});
  }
  for (const auto& rule : own) {
    entries.push_back({&rule, true, true});
  }
  return entries;
}

bool is_within(const EnvPattern& part, const EnvPattern& all) {
  const EnvPattern* const one = &all;
  return domain::is_within(part, std::span(&one, 1));
}

bool is_secret(std::string_view name) {
  return std::ranges::any_of(secret_variables(), [name](std::string_view secret) {
    return glob_matches_ignoring_case(secret, name);
  });
}

class EnvironmentLint {
 public:
  EnvironmentLint(const LintInput& input, std::vector<Finding>& findings)
      : findings_(findings),
        allows_(entries_of(input.parent.environment.allow, input.profile.environment.allow)),
        denies_(entries_of(input.parent.environment.deny, input.profile.environment.deny)) {}

  void run() {
    for (std::size_t i = allows_.size(); i-- > 0;) {
      if (allows_[i].is_own) {
        look_at_allow(allows_[i]);
      }
    }
    for (std::size_t i = denies_.size(); i-- > 0;) {
      if (denies_[i].is_own) {
        look_at_deny(denies_[i]);
      }
    }
  }

 private:
  using Variable = Entry<EnvPattern>;

  void look_at_allow(Variable& entry) {
    const Sourced<EnvPattern>& rule = *entry.rule;
    if (is_empty(rule.value)) {
      findings_.push_back(finding_on(LintCode::matches_nothing, PolicyField::allow_env, rule));
      return;
    }
    if (const auto secret = unnamed_secret(rule.value)) {
      findings_.push_back(finding_on(LintCode::secret_by_glob, PolicyField::allow_env, rule,
                                     LintOther{PolicyField::allow_env, std::string(*secret), {}}));
    }
    // A secret is named on purpose, also where a glob lets it in.
    const bool names_secret = !has_glob(rule.value.text()) && is_secret(rule.value.text());
    for (const Variable& other : allows_) {
      const bool is_same = other.rule->value.text() == rule.value.text();
      if (&other != &entry && other.is_live && (!names_secret || is_same) &&
          is_within(rule.value, other.rule->value)) {
        shadow(entry, PolicyField::allow_env, other);
        return;
      }
    }
  }

  void look_at_deny(Variable& entry) {
    const Sourced<EnvPattern>& rule = *entry.rule;
    if (is_empty(rule.value)) {
      findings_.push_back(finding_on(LintCode::matches_nothing, PolicyField::deny_env, rule));
      return;
    }
    if (is_protected(rule.value)) {
      findings_.push_back(finding_on(LintCode::protected_name, PolicyField::deny_env, rule));
      return;
    }
    for (const Variable& allow : allows_) {
      if (is_within(rule.value, allow.rule->value)) {
        findings_.push_back(finding_on(LintCode::allow_deny, PolicyField::deny_env, rule,
                                       other_of(PolicyField::allow_env, *allow.rule)));
        return;
      }
    }
    for (const Variable& other : denies_) {
      if (&other != &entry && other.is_live && is_within(rule.value, other.rule->value)) {
        shadow(entry, PolicyField::deny_env, other);
        return;
      }
    }
  }

  void shadow(Variable& entry, PolicyField field, const Variable& other) {
    entry.is_live = false;
    findings_.push_back(
        finding_on(LintCode::shadowed, field, *entry.rule, other_of(field, *other.rule)));
  }

  /// A secret that the glob lets in and no rule names.
  [[nodiscard]] std::optional<std::string_view> unnamed_secret(const EnvPattern& pattern) const {
    if (!has_glob(pattern.text())) {
      return std::nullopt;
    }
    for (const std::string_view secret : secret_variables()) {
      const bool is_named = std::ranges::any_of(allows_, [secret](const Variable& other) {
        return !has_glob(other.rule->value.text()) && other.rule->value.matches(secret);
      });
      if (pattern.matches(secret) && !is_named) {
        return secret;
      }
    }
    return std::nullopt;
  }

  static bool is_protected(const EnvPattern& pattern) {
    std::vector<EnvPattern> names;
    for (const std::string_view name : protected_variables()) {
      if (const auto parsed = EnvPattern::parse(name)) {
        names.push_back(*parsed);
      }
    }
    std::vector<const EnvPattern*> all;
    all.reserve(names.size());
    for (const EnvPattern& name : names) {
      all.push_back(&name);
    }
    return domain::is_within(pattern, all);
  }

  std::vector<Finding>& findings_;
  std::vector<Variable> allows_;
  std::vector<Variable> denies_;
};

std::string lowercase(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return text;
}

bool is_same_address(const HostPortPattern& one, const HostPortPattern& other) {
  return lowercase(one.text()) == lowercase(other.text());
}

void find_repeated_addresses(const LintInput& input, PolicyField field,
                             std::vector<Finding>& findings) {
  auto entries =
      entries_of(network_rules(input.parent, field), network_rules(input.profile, field));
  for (std::size_t i = entries.size(); i-- > 0;) {
    const auto same = std::ranges::find_if(entries, [&](const auto& other) {
      return &other != &entries[i] && other.is_live &&
             is_same_address(other.rule->value, entries[i].rule->value);
    });
    if (entries[i].is_own && same != entries.end()) {
      entries[i].is_live = false;
      findings.push_back(
          finding_on(LintCode::shadowed, field, *entries[i].rule, other_of(field, *same->rule)));
    }
  }
}

/// The most specific rule wins, and a tie is a deny.
void find_tied_addresses(const LintInput& input, std::vector<Finding>& findings) {
  const auto denies =
      entries_of(input.parent.network.deny_outbound, input.profile.network.deny_outbound);
  for (const auto& rule : input.profile.network.allow_outbound) {
    const auto same = std::ranges::find_if(denies, [&rule](const auto& deny) {
      return is_same_address(deny.rule->value, rule.value);
    });
    if (same != denies.end()) {
      findings.push_back(finding_on(LintCode::allow_deny, PolicyField::allow_outbound, rule,
                                    other_of(PolicyField::deny_outbound, *same->rule)));
    }
  }
}

/// The first own rule that would keep a program from some host.
std::optional<Finding> unheeded_rule(const Policy& profile) {
  for (const PolicyField field : {PolicyField::deny_outbound, PolicyField::allow_outbound}) {
    for (const auto& rule : network_rules(profile, field)) {
      if (field == PolicyField::deny_outbound || rule.value.text() != "*:*") {
        return finding_on(LintCode::no_lockdown, field, rule);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

void lint_environment(const LintInput& input, std::vector<Finding>& findings) {
  EnvironmentLint(input, findings).run();
}

void lint_network(const LintInput& input, std::vector<Finding>& findings) {
  for (const PolicyField field : kNetworkFields) {
    find_repeated_addresses(input, field, findings);
  }
  find_tied_addresses(input, findings);
  const Toggle own = input.profile.network_via_proxy_only;
  const Toggle lockdown = own == Toggle::unset ? input.parent.network_via_proxy_only : own;
  if (lockdown == Toggle::on) {
    return;
  }
  if (own == Toggle::unset) {  // `false` says that it is meant
    if (auto finding = unheeded_rule(input.profile)) {
      findings.push_back(*std::move(finding));
    }
  }
  if (input.profile.allow_direct_dns == Toggle::on) {
    findings.push_back({LintCode::dns_no_lockdown,
                        level_of(LintCode::dns_no_lockdown),
                        PolicyField::allow_direct_dns,
                        {},
                        {},
                        std::nullopt});
  }
}

}  // namespace pmg::domain
