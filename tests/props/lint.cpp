// What lint and diff say about policies, held against what decide does with them.
#include "domain/lint.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/environment.hpp"
#include "domain/path_set.hpp"
#include "domain/policy_diff.hpp"
#include "domain/policy_field.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/model.hpp"
#include "gen/request.hpp"
#include "gen/world.hpp"
#include "props/judge.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;
using std::string_view_literals::operator""sv;

namespace {

/// Patterns that lie over one another more often than those of gen::pattern.
PatternTemplate overlapping_pattern(gen::Choices& c) {
  constexpr std::array kTexts{"/a"sv,
                              "/a/**"sv,
                              "/a//"sv,
                              "/a/*"sv,
                              "/a/b"sv,
                              "/a/[a-b]"sv,
                              "/**"sv,
                              "/"sv,
                              "**"sv,
                              "**/a"sv,
                              "${HOME}"sv,
                              "${HOME}/**"sv,
                              "${HOME}/a"sv,
                              "${CWD}/**"sv,
                              "${CWD}/a/b"sv,
                              "${CWD}/.env"sv,
                              "**/.env"sv,
                              "${HOME}/.ssh/**"sv,
                              "/dev/null"sv,
                              "/dev/**"sv,
                              "/a/*/b/**"sv,
                              "/a/b/b"sv,
                              "/*/a"sv,
                              "/h/**"sv,
                              "/h/u"sv,
                              "${CWD}/.git/**"sv,
                              "/a/**/b"sv,
                              "/a/a/b/ab"sv,
                              "${HOME}/.bashrc"sv,
                              "/*/*"sv,
                              "/a/.env"sv,
                              "/a/[b-a]"sv,
                              "/[!a]*"sv,
                              "/d?v/null"sv,
                              "**/**/a"sv};
  return c.one_in(3) ? gen::pattern(c) : gen::template_of(std::string(c.pick(kTexts)));
}

Policy overlapping_policy(gen::Choices& c) {
  const auto list = [&c] { return gen::list_of(c, 4, overlapping_pattern); };
  Policy made;
  made.filesystem.allow_read = list();
  made.filesystem.allow_write = list();
  made.process.allow_exec = list();
  made.filesystem.deny_read = list();
  made.filesystem.deny_write = list();
  made.process.deny_exec = list();
  made.unix_sockets = list();
  made.filesystem.package_content = gen::list_of(c, 1, overlapping_pattern);
  if (c.one_in(4)) {
    made.allow_git_config = Toggle::on;
  }
  // Each rule has a line of its own, by which a finding names it.
  std::uint32_t line = 0;
  for (auto* rules :
       {&made.filesystem.allow_read, &made.filesystem.allow_write, &made.process.allow_exec,
        &made.filesystem.deny_read, &made.filesystem.deny_write, &made.process.deny_exec,
        &made.unix_sockets, &made.filesystem.package_content}) {
    for (auto& rule : *rules) {
      rule.origin.line = ++line;
    }
  }
  return made;
}

constexpr std::array kVariablePatterns{
    "NPM_*"sv,   "npm_*"sv,     "*"sv,    "A"sv,        "[A-C]*"sv, "PATH"sv, "NPM_TOKEN"sv, "?"sv,
    "*_TOKEN"sv, "npm_token"sv, "GH_*"sv, "GH_TOKEN"sv, "[b-a]"sv,  "LC_*"sv, "lc_all"sv};
constexpr std::array kVariableNames{
    "NPM_TOKEN"sv, "npm_x"sv,  "A"sv,       "b"sv,    "PATH"sv,
    "GH_TOKEN"sv,  "LC_ALL"sv, "X_TOKEN"sv, "GH_x"sv, "AWS_ACCESS_KEY_ID"sv};

bool is_dead(const Finding& finding) {
  return finding.code == LintCode::shadowed || finding.code == LintCode::denied;
}

PathRules& rules_of(Policy& policy, PolicyField field) {
  return const_cast<PathRules&>(path_rules(policy, field));
}

Policy without(Policy policy, const Finding& finding) {
  std::erase_if(rules_of(policy, finding.field),
                [&finding](const auto& rule) { return rule.origin == finding.origin; });
  return policy;
}

gen::Request request_near(gen::Choices& c, const Policy& policy, const Variables& variables,
                          const std::vector<Finding>& findings) {
  gen::Request request = gen::request_near(c, policy, variables);
  if (!findings.empty() && c.one_in(2)) {
    const Finding& finding = findings[c.below(findings.size())];
    request.real = gen::path_near(c, gen::template_of(finding.rule).expand(variables));
    request.spelled = request.real;
  }
  return request;
}

bool moves_directory(const gen::Request& request) {
  return request.verb == gen::Verb::rename && request.kind == NodeKind::directory;
}

/// Some paths, all of them near the pattern.
AbsolutePath path_with(gen::Choices& c, const PatternTemplate& pattern,
                       const Variables& variables) {
  return gen::path_near(c, pattern.expand(variables));
}

bool covers(const PatternTemplate& pattern, Extent extent, const Variables& variables,
            const AbsolutePath& path) {
  const PathPattern expanded = pattern.expand(variables);
  switch (extent) {
    case Extent::exactly:
      return model::matches(expanded.segments(), model::names_of(path));
    case Extent::allowed:
      return model::covers_narrow(expanded, path);
    case Extent::denied:
      return model::covers_wide(expanded, path);
  }
  return false;
}

}  // namespace

/// One path of the set that is not in the other one would disprove it.
bool path_sets_agree_with_model(gen::Choices& c) {
  constexpr std::array kExtents{Extent::exactly, Extent::allowed, Extent::denied};
  const Variables variables = gen::variables(c);
  const PatternTemplate part = overlapping_pattern(c);
  const PatternTemplate all = overlapping_pattern(c);
  const Extent part_extent = c.pick(kExtents);
  const Extent all_extent = c.pick(kExtents);
  const AbsolutePath path = path_with(c, c.one_in(2) ? all : part, variables);
  c.note("part", [&] { return part.text(); });
  c.note("all", [&] { return all.text(); });
  c.note("path", [&] { return path.text(); });
  const PathSet one(part, part_extent);
  const PathSet other(all, all_extent);
  const bool is_in_one = covers(part, part_extent, variables, path);
  const bool is_in_other = covers(all, all_extent, variables, path);
  const bool within = domain::is_within(one, other);
  const bool meets = may_meet(one, other);
  return !(within && is_in_one && !is_in_other) && !(!meets && is_in_one && is_in_other) &&
         !(is_empty(one) && is_in_one) && domain::is_within(one, one) &&
         meets == may_meet(other, one) &&
         (!one.is_same_pattern(other) || part_extent != all_extent || within);
}

bool dead_rules_change_nothing(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = overlapping_policy(c);
  std::vector<Finding> dead = lint(policy, {});
  std::erase_if(dead, [](const Finding& finding) { return !is_dead(finding); });
  if (dead.empty()) {
    return true;
  }
  Policy less = policy;
  if (c.one_in(2)) {
    less = without(less, dead[c.below(dead.size())]);
  } else {
    for (const Finding& finding : dead) {
      less = without(std::move(less), finding);
    }
  }
  const gen::Request request = request_near(c, policy, around.variables, dead);
  note(c, policy, around.variables);
  c.note("without", [&] { return gen::print(less); });
  c.note("request", [&] { return request.text(); });
  const auto before = compiled(policy, around);
  const auto after = compiled(less, around);
  if (!before || moves_directory(request)) {
    return true;
  }
  if (!after) {  // all that is left grants nothing: then nothing was granted before
    return !allows(*before, request.operation());
  }
  const bool same_socket = allows(*before, ConnectUnix{PathView(request.real)}) ==
                           allows(*after, ConnectUnix{PathView(request.real)});
  return same_socket && allows(*before, request.operation()) == allows(*after, request.operation());
}

/// Rules that lint calls useless or denied let nothing through, whatever else they do.
bool useless_rules_allow_nothing(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy policy = overlapping_policy(c);
  const std::vector<Finding> findings = lint(policy, {});
  const auto judge = compiled(policy, around);
  for (const Finding& finding : findings) {
    const bool is_useless =
        finding.code == LintCode::mandatory || finding.code == LintCode::mandatory_never ||
        finding.code == LintCode::matches_nothing || finding.code == LintCode::allow_deny ||
        finding.code == LintCode::denied;
    const Access access = access_of(finding.field);
    const bool is_allow = std::ranges::find(kPathAllows, finding.field) != kPathAllows.end();
    if (!is_useless || !is_allow || !judge) {
      continue;
    }
    const PatternTemplate pattern = gen::template_of(finding.rule);
    const AbsolutePath path = gen::path_near(c, pattern.expand(around.variables));
    note(c, policy, around.variables);
    c.note("finding", [&] {
      return std::string(name_of(finding.code)) + " " + key_of(finding.field) + " " + finding.rule;
    });
    note(c, word_of(access), path);
    // Another rule may name exactly this path, and so lift a mandatory deny.
    const Decision decision = decide(*judge, use_of(access, path));
    const Rule* rule = judge->rule(decision.rule);
    if (decision.allowed() && rule != nullptr && rule->text == finding.rule &&
        rule->origin == finding.origin) {
      return false;
    }
  }
  return true;
}

bool dead_variables_change_nothing(gen::Choices& c) {
  const auto list = [&] {
    return gen::list_of(
        c, 4, [](gen::Choices& d) { return *EnvPattern::parse(d.pick(kVariablePatterns)); });
  };
  Policy policy;
  policy.environment.allow = list();
  policy.environment.deny = list();
  for (auto& rule : policy.environment.deny) {
    rule.origin.line += 100;
  }
  EnvironmentRules less = policy.environment;
  for (const Finding& finding : lint(policy, {})) {
    const bool is_idle = is_dead(finding) || finding.code == LintCode::protected_name ||
                         finding.code == LintCode::matches_nothing ||
                         finding.code == LintCode::allow_deny;
    if (is_idle) {
      auto& rules = finding.field == PolicyField::allow_env ? less.allow : less.deny;
      std::erase_if(rules, [&](const auto& rule) { return rule.origin == finding.origin; });
    }
  }
  const std::string_view name = c.pick(kVariableNames);
  note(c, policy, gen::variables(c));
  c.note("variable", [&] { return std::string(name); });
  return is_scrubbed(policy.environment, name) == is_scrubbed(less, name);
}

/// What diff does not call newly allowed was allowed before, and what it does not call newly denied
/// still is.
bool diff_misses_no_path(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy before = overlapping_policy(c);
  Policy after = c.one_in(2) ? overlapping_policy(c) : before;
  if (c.one_in(2)) {  // a rule more, or a rule less
    auto& rules = rules_of(after, c.one_in(2) ? c.pick(kPathAllows) : c.pick(kPathDenies));
    if (c.one_in(2) && !rules.empty()) {
      rules.erase(rules.begin());
    } else {
      rules.push_back(rule(overlapping_pattern(c)));
    }
  }
  const PolicyDiff difference = diff(before, after);
  const Access access =
      c.pick(std::array{Access::read, Access::write, Access::exec, Access::connect});
  const AbsolutePath path = gen::path_near(c, c.one_in(2) ? before : after, around.variables);
  c.note("before", [&] { return gen::print(before); });
  c.note("after", [&] { return gen::print(after); });
  note(c, word_of(access), path);
  const auto old_judge = compiled(before, around);
  const auto new_judge = compiled(after, around);
  if (!diff(before, before).is_empty()) {
    return false;
  }
  const bool was = old_judge && allows(*old_judge, use_of(access, path));
  const bool is = new_judge && allows(*new_judge, use_of(access, path));
  return !(is && !was && difference.newly_allowed.empty()) &&
         !(was && !is && difference.newly_denied.empty());
}

/// Nor a variable.
bool diff_misses_no_variable(gen::Choices& c) {
  const auto rules = [&c] {
    return gen::list_of(
        c, 3, [](gen::Choices& d) { return *EnvPattern::parse(d.pick(kVariablePatterns)); });
  };
  Policy before;
  before.environment = {rules(), rules()};
  Policy after;
  after.environment = {rules(), rules()};
  const PolicyDiff difference = diff(before, after);
  const std::string_view name = c.pick(kVariableNames);
  c.note("before", [&] { return gen::print(before); });
  c.note("after", [&] { return gen::print(after); });
  c.note("variable", [&] { return std::string(name); });
  const bool was = !is_scrubbed(before.environment, name);
  const bool is = !is_scrubbed(after.environment, name);
  return !(is && !was && difference.newly_allowed.empty()) &&
         !(was && !is && difference.newly_denied.empty());
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("V1: sets of paths agree with the plain reading") {
  CHECK_HOLDS_RUNS(path_sets_agree_with_model, 20 * pmg::gen::property_runs());
}
TEST_CASE("LT1: a dead rule can be removed") { CHECK_HOLDS(dead_rules_change_nothing); }
TEST_CASE("LT1: a dead rule on variables can be removed") {
  CHECK_HOLDS_RUNS(dead_variables_change_nothing, 3 * pmg::gen::property_runs());
}
TEST_CASE("LT2: a useless rule lets nothing through") { CHECK_HOLDS(useless_rules_allow_nothing); }
TEST_CASE("DF1: diff misses nothing") {
  CHECK_HOLDS(diff_misses_no_path);
  CHECK_HOLDS(diff_misses_no_variable);
}
