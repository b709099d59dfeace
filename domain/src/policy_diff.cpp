#include "domain/policy_diff.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diff_parts.hpp"
#include "domain/mandatory.hpp"
#include "domain/path_set.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"
#include "mandatory_denies.hpp"

namespace pmg::domain {
namespace {

// --- paths

bool concerns_reading(PolicyField deny) noexcept { return deny != PolicyField::deny_write; }

/// Whether denies of one list refuse something that allows of the other one allow.
bool may_refuse(PolicyField deny, PolicyField allow) noexcept {
  if (allow == PolicyField::unix_sockets) {
    return true;
  }
  if (deny == PolicyField::deny_write) {
    return allow == PolicyField::allow_write;
  }
  return concerns_reading(deny);  // what may not be run may not be read, and the other way round
}

struct PathEntry {
  PolicyField field;
  const Sourced<PatternTemplate>* rule;
  PathSet reach;
};

class PathSide {
 public:
  explicit PathSide(const Policy& policy) {
    for (const PolicyField field : kPathAllows) {
      add(policy, field, Extent::allowed, allows_);
    }
    add(policy, PolicyField::package_content, Extent::denied, allows_);
    for (const PolicyField field : kPathDenies) {
      add(policy, field, Extent::denied, denies_);
    }
  }

  [[nodiscard]] const std::vector<PathEntry>& allows() const noexcept { return allows_; }
  [[nodiscard]] const std::vector<PathEntry>& denies() const noexcept { return denies_; }

  /// All that the rule allows, some rules here allow.
  [[nodiscard]] bool grants(const PathEntry& entry, const MandatoryDenies& mandatory) const {
    const bool is_special =
        entry.reach.is_literal() && (entry.field == PolicyField::unix_sockets ||
                                     mandatory.may_be_lifted_by(entry.field, entry.reach));
    if (is_special && entry.field != PolicyField::package_content) {
      return std::ranges::any_of(allows_, [&entry](const PathEntry& other) {
        return other.field == entry.field && other.reach.is_literal() &&
               other.reach.is_same_pattern(entry.reach);
      });
    }
    std::vector<const PathSet*> sets;
    for (const PathEntry& other : allows_) {
      const bool has_field =
          other.field == entry.field ||
          (entry.field == PolicyField::allow_read && other.field == PolicyField::allow_write);
      const bool grants_there = entry.field == PolicyField::package_content ||
                                !entry.reach.is_in_dev() || other.reach.is_in_dev();
      if (has_field && grants_there) {
        sets.push_back(&other.reach);
      }
    }
    return is_within(entry.reach, sets);
  }

  /// All that the rule denies, some rules here deny.
  [[nodiscard]] bool denies(const PathEntry& entry) const {
    std::vector<const PathSet*> sets;
    for (const PathEntry& other : denies_) {
      if (other.field == entry.field) {
        sets.push_back(&other.reach);
      }
    }
    return is_within(entry.reach, sets);
  }

  /// Something that the deny refuses may be allowed here.
  [[nodiscard]] bool may_allow_some_of(const PathEntry& deny) const {
    return std::ranges::any_of(allows_, [&deny](const PathEntry& allow) {
      return allow.field != PolicyField::package_content && may_refuse(deny.field, allow.field) &&
             may_meet(deny.reach, allow.reach);
    });
  }

  /// A deny of its own leaves nothing of the rule.
  [[nodiscard]] bool refuses(const PathEntry& allow) const {
    const bool is_plain =
        allow.field == PolicyField::allow_read || allow.field == PolicyField::allow_exec;
    return is_plain && std::ranges::any_of(denies_, [&allow](const PathEntry& deny) {
             return deny.field != PolicyField::deny_write && is_within(allow.reach, deny.reach);
           });
  }

 private:
  static void add(const Policy& policy, PolicyField field, Extent extent,
                  std::vector<PathEntry>& entries) {
    for (const auto& rule : path_rules(policy, field)) {
      entries.push_back({field, &rule, PathSet(rule.value, extent)});
    }
  }

  std::vector<PathEntry> allows_;
  std::vector<PathEntry> denies_;
};

void diff_paths(const Policy& before, const Policy& after, PolicyDiff& out) {
  const MandatoryDenies mandatory(Toggle::unset);
  const PathSide old_side(before);
  const PathSide new_side(after);
  const auto compare = [&mandatory](const PathSide& has, const PathSide& lacks, Change change,
                                    std::vector<RuleChange>& allowed,
                                    std::vector<RuleChange>& denied) {
    for (const PathEntry& entry : has.allows()) {
      if (!has.refuses(entry) && !lacks.grants(entry, mandatory)) {
        allowed.push_back(change_of(change, entry.field, *entry.rule));
      }
    }
    for (const PathEntry& entry : has.denies()) {
      if (lacks.may_allow_some_of(entry) && !lacks.denies(entry)) {
        denied.push_back(change_of(change, entry.field, *entry.rule));
      }
    }
  };
  compare(new_side, old_side, Change::added, out.newly_allowed, out.newly_denied);
  compare(old_side, new_side, Change::removed, out.newly_denied, out.newly_allowed);
}

// --- variables

std::vector<EnvPattern> parsed(std::span<const std::string_view> names) {
  std::vector<EnvPattern> patterns;
  for (const std::string_view name : names) {
    if (const auto pattern = EnvPattern::parse(name)) {
      patterns.push_back(*pattern);
    }
  }
  return patterns;
}

struct VariableLists {
  std::vector<EnvPattern> secrets = parsed(secret_variables());
  std::vector<EnvPattern> kept = parsed(protected_variables());
};

bool is_within_lists(const EnvPattern& part, std::vector<const EnvPattern*> all,
                     const std::vector<EnvPattern>& more = {}) {
  for (const EnvPattern& pattern : more) {
    all.push_back(&pattern);
  }
  return is_within(part, all);
}

std::vector<const EnvPattern*> pointers(const EnvRules& rules) {
  std::vector<const EnvPattern*> all;
  for (const auto& rule : rules) {
    all.push_back(&rule.value);
  }
  return all;
}

/// Something that the rule passes on may be removed by `other`, were it not passed on.
bool matters_to(const EnvironmentRules& other, const EnvPattern& allow,
                const VariableLists& lists) {
  const auto meets = [&allow](const EnvPattern& pattern) { return may_meet(allow, pattern); };
  return std::ranges::any_of(lists.secrets, meets) ||
         std::ranges::any_of(other.deny, [&](const auto& rule) { return meets(rule.value); });
}

void diff_environment(const Policy& before, const Policy& after, PolicyDiff& out) {
  const VariableLists lists;
  const auto compare = [&lists](const EnvironmentRules& has, const EnvironmentRules& lacks,
                                Change change, std::vector<RuleChange>& allowed,
                                std::vector<RuleChange>& denied) {
    for (const auto& rule : has.allow) {
      if (!is_within_lists(rule.value, pointers(lacks.allow), lists.kept) &&
          matters_to(lacks, rule.value, lists)) {
        allowed.push_back(change_of(change, PolicyField::allow_env, rule));
      }
    }
    for (const auto& rule : has.deny) {
      const bool has_effect = !is_within_lists(rule.value, pointers(has.allow), lists.kept);
      const bool is_removed_there =
          is_within_lists(rule.value, pointers(lacks.deny), lists.secrets);
      if (has_effect && !is_removed_there) {
        denied.push_back(change_of(change, PolicyField::deny_env, rule));
      }
    }
  };
  compare(after.environment, before.environment, Change::added, out.newly_allowed,
          out.newly_denied);
  compare(before.environment, after.environment, Change::removed, out.newly_denied,
          out.newly_allowed);
}

// --- switches and names

void diff_toggles(const Policy& before, const Policy& after, PolicyDiff& out) {
  for (const PolicyField field : kToggleFields) {
    const bool was = toggle_of(before, field) == Toggle::on;
    const bool is = toggle_of(after, field) == Toggle::on;
    if (was != is) {
      const bool allows = is != (field == PolicyField::network_via_proxy_only);
      (allows ? out.newly_allowed : out.newly_denied)
          .push_back({is ? Change::added : Change::removed, field, {}, {}});
    }
  }
}

void diff_names(PolicyField field, const std::vector<std::string>& before,
                const std::vector<std::string>& after, PolicyDiff& out) {
  const auto add_missing = [field](const auto& has, const auto& lacks, Change change,
                                   std::vector<RuleChange>& changes) {
    for (const std::string& name : has) {
      if (std::ranges::find(lacks, name) == lacks.end()) {
        changes.push_back({change, field, name, {}});
      }
    }
  };
  add_missing(after, before, Change::added, out.newly_allowed);
  add_missing(before, after, Change::removed, out.newly_denied);
}

std::vector<std::string> names_of(const std::vector<Sourced<std::string>>& presets) {
  std::vector<std::string> names;
  names.reserve(presets.size());
  for (const auto& preset : presets) {
    names.push_back(preset.value);
  }
  return names;
}

}  // namespace

PolicyDiff diff(const Policy& before, const Policy& after) {
  PolicyDiff out;
  diff_names(PolicyField::package_managers, before.package_managers, after.package_managers, out);
  diff_names(PolicyField::presets, names_of(before.presets), names_of(after.presets), out);
  diff_paths(before, after, out);
  diff_network(before, after, out);
  diff_environment(before, after, out);
  diff_toggles(before, after, out);
  for (auto* changes : {&out.newly_allowed, &out.newly_denied}) {
    std::ranges::stable_sort(*changes, {}, &RuleChange::field);
  }
  return out;
}

}  // namespace pmg::domain
