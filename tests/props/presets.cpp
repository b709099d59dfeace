// What a preset does to a policy.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/environment.hpp"
#include "domain/origin.hpp"
#include "domain/policy.hpp"
#include "domain/preset.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/print.hpp"
#include "gen/request.hpp"
#include "gen/world.hpp"
#include "props/judge.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;
using std::string_view_literals::operator""sv;

namespace {

constexpr std::array kNames{"GH_TOKEN"sv, "PATH"sv, "MINE"sv, "API_KEY"sv};
constexpr std::array kNamePatterns{"GH_TOKEN"sv, "GH_*"sv, "MINE"sv, "API_*"sv};

void add_path(gen::Choices& c, std::vector<Sourced<PresetPath>>& list, PresetAccess access) {
  while (c.one_in(2)) {
    const auto path = PresetPath::parse(gen::pattern(c).text(), access);
    if (path) {
      list.push_back({*path, Origin{Layer::preset, "preset.yml", 1}});
    }
  }
}

Preset preset(gen::Choices& c) {
  Preset made;
  made.name = "tool";
  add_path(c, made.allow_read, PresetAccess::read);
  add_path(c, made.allow_write, PresetAccess::write);
  add_path(c, made.allow_exec, PresetAccess::exec);
  if (c.one_in(2)) {
    made.allow_env.push_back(
        {*VariableName::parse(c.pick(kNames)), Origin{Layer::preset, "preset.yml", 2}});
  }
  return made;
}

Policy policy_with_variables(gen::Choices& c) {
  Policy policy = gen::policy(c);
  if (c.one_in(2)) {
    policy.environment.deny.push_back({*EnvPattern::parse(c.pick(kNamePatterns)), {}});
  }
  if (c.one_in(4)) {
    policy.environment.allow.push_back({*EnvPattern::parse(c.pick(kNamePatterns)), {}});
  }
  return policy;
}

/// The policy itself denies it, not only the built-in list.
bool is_written_deny(const Policy& policy, std::string_view name) {
  return std::ranges::any_of(policy.environment.deny,
                             [name](const auto& rule) { return rule.value.matches(name); });
}

}  // namespace

/// PR1. Not for renaming: R7 compares the rules beneath both places, and one more may tell them
/// apart.
bool presets_only_add(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = policy_with_variables(c);
  const Policy wider = with_preset(policy, preset(c));
  const gen::Request request = gen::request_near(c, wider, around.variables);
  note(c, policy, around.variables);
  note(c, wider, around.variables);
  c.note("request", [&] { return request.text(); });
  for (const std::string_view name : kNames) {
    if (is_scrubbed(wider.environment, name) && !is_scrubbed(policy.environment, name)) {
      return false;
    }
  }
  const auto before = compiled(policy, around);
  const auto after = compiled(wider, around);
  return !before || !after || request.verb == gen::Verb::rename ||
         !allows(*before, request.operation()) || allows(*after, request.operation());
}

/// PR2. What a rule denied stays denied, by a rule.
bool presets_lift_nothing(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = policy_with_variables(c);
  const Policy wider = with_preset(policy, preset(c));
  const gen::Request request = gen::request_near(c, wider, around.variables);
  note(c, policy, around.variables);
  note(c, wider, around.variables);
  c.note("request", [&] { return request.text(); });
  for (const std::string_view name : kNames) {
    if (is_written_deny(policy, name) && is_scrubbed(policy.environment, name) &&
        !is_scrubbed(wider.environment, name)) {
      return false;
    }
  }
  const auto before = compiled(policy, around);
  const auto after = compiled(wider, around);
  if (!before || !after || policy.filesystem.deny_read != wider.filesystem.deny_read ||
      policy.filesystem.deny_write != wider.filesystem.deny_write ||
      policy.process.deny_exec != wider.process.deny_exec) {
    return !before || !after;
  }
  const Decision was = decide(*before, request.operation());
  return was.allowed() || was.reason != Reason::denied_by_rule ||
         !allows(*after, request.operation());
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("PR1: presets only add") { CHECK_HOLDS(presets_only_add); }
TEST_CASE("PR2: presets lift nothing") { CHECK_HOLDS(presets_lift_nothing); }
