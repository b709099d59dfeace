#include "mandatory_denies.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/compiled.hpp"
#include "domain/operation.hpp"
#include "domain/path.hpp"
#include "domain/path_set.hpp"
#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"

namespace pmg::domain {

Surroundings nowhere() {
  const auto directory = [](std::string_view name) {
    return normalise(AbsolutePath::root(), name);
  };
  return {
      .variables = {directory("\x02home"), directory("\x02home/\x02proj"), directory("\x02tmp")},
      .canonical = [](const AbsolutePath& path) { return path; },
      .own_state = {},
      .git_directories = {},
      .hook_directories = {},
      .search_path = {}};
}

Decision decide_use(const CompiledPolicy& policy, Access access,
                    const AbsolutePath& path) noexcept {
  const PathUse use{PathView(path)};
  switch (access) {
    case Access::read:
      return decide(policy, Read{use});
    case Access::write:
      return decide(policy, Write{use, NodeKind::directory});
    case Access::exec:
      return decide(policy, Execute{use});
    case Access::connect:
      return decide(policy, ConnectUnix{use});
  }
  return {};
}

MandatoryDenies::MandatoryDenies(Toggle allow_git_config) {
  Policy policy;  // with a rule that lifts none
  policy.allow_git_config = allow_git_config;
  if (const auto some = PatternTemplate::parse("/\x02")) {
    policy.process.allow_exec.push_back({*some, {}});
  }
  const auto compiled = compile(policy, nowhere());
  if (!compiled) {
    return;
  }
  for (const Rule& rule : compiled->rules()) {
    auto reach = PathSet::parse(rule.text, Extent::denied);
    if (rule.effect == Effect::deny && reach) {
      all_.push_back({rule.access, rule.text, *std::move(reach)});
    }
  }
}

bool MandatoryDenies::may_be_lifted_by(PolicyField field, const PathSet& literal) const {
  const PathSet path = literal.exactly();
  const bool is_listed = std::ranges::any_of(all_, [&](const MandatoryDeny& deny) {
    return deny.access == access_of(field) && may_meet(path, deny.reach.exactly());
  });
  // Of a git directory that lies somewhere else, as `compile` adds for linked worktrees.
  static const auto elsewhere = {PathSet::parse("**/config", Extent::exactly),
                                 PathSet::parse("**/config.worktree", Extent::exactly)};
  return is_listed || (field == PolicyField::allow_write &&
                       std::ranges::any_of(elsewhere, [&path](const std::optional<PathSet>& set) {
                         return set && may_meet(path, *set);
                       }));
}

bool may_be_lifted(const MandatoryDeny& deny) {
  const AbsolutePath path = deny.reach.example(nowhere().variables);
  const auto literal = PatternTemplate::parse(path.text());
  if (!literal) {
    return false;
  }
  Policy policy;
  policy.filesystem.allow_read.push_back({*literal, {}});
  policy.filesystem.allow_write.push_back({*literal, {}});
  const auto compiled = compile(policy, nowhere());
  return compiled && decide_use(*compiled, deny.access, path).allowed();
}

}  // namespace pmg::domain
