// What is put on top of a policy: heirs in any grouping, and overrides.
#include <array>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/overrides.hpp"
#include "domain/policy.hpp"
#include "domain/suggestion.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/print.hpp"
#include "gen/request.hpp"
#include "gen/world.hpp"
#include "props/judge.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;

namespace {

constexpr std::array kToggles{&Policy::allow_git_config, &Policy::allow_pty,
                              &Policy::allow_network_bind, &Policy::network_via_proxy_only,
                              &Policy::allow_direct_dns};

Policy policy_with_toggles(gen::Choices& c) {
  constexpr std::array kValues{Toggle::unset, Toggle::off, Toggle::on};
  Policy policy = gen::policy(c);
  for (const auto toggle : kToggles) {
    policy.*toggle = c.pick(kValues);
  }
  return policy;
}

/// Everything but where an entry came from: a grandparent's is a parent's in one grouping only.
bool same_rules(const Policy& a, const Policy& b) {
  bool same = gen::print(a) == gen::print(b);
  for (const auto toggle : kToggles) {
    same = same && a.*toggle == b.*toggle;
  }
  return same;
}

Override allowing(gen::Choices& c, const Policy& policy) {
  const PatternTemplate pattern =
      c.one_in(2) ? gen::pattern_of(c, policy) : gen::literal_pattern(c);
  switch (c.below(3)) {
    case 0:
      return AllowRead{pattern};
    case 1:
      return AllowWrite{pattern};
    default:
      return AllowExec{pattern};
  }
}

}  // namespace

bool inherit_is_associative(gen::Choices& c) {
  const Policy oldest = policy_with_toggles(c);
  const Policy middle = policy_with_toggles(c);
  const Policy youngest = policy_with_toggles(c);
  c.note("oldest", [&] { return gen::print(oldest); });
  c.note("middle", [&] { return gen::print(middle); });
  c.note("youngest", [&] { return gen::print(youngest); });
  return same_rules(inherit(oldest, inherit(middle, youngest)),
                    inherit(inherit(oldest, middle), youngest));
}

/// Not for renaming: R7 compares the rules beneath both places, and one more may tell them apart.
bool overrides_only_add(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  std::vector<Override> overrides{allowing(c, policy)};
  while (c.one_in(2)) {
    overrides.push_back(allowing(c, policy));
  }
  const Policy wider = with_overrides(policy, overrides, around.variables);
  const gen::Request request = gen::request_near(c, wider, around.variables);
  note(c, policy, around.variables);
  note(c, wider, around.variables);
  c.note("request", [&] { return request.text(); });
  const auto before = compiled(policy, around);
  const auto after = compiled(wider, around);
  return !before || !after || request.verb == gen::Verb::rename ||
         !allows(*before, request.operation()) || allows(*after, request.operation());
}

/// A deny that is literal goes with its subtree, so a path beneath one of the operation's may
/// change.
bool suggestions_allow_what_was_asked(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  const gen::Request request = gen::request_near(c, policy, around.variables);
  const AbsolutePath other = gen::path_near(c, policy, around.variables);
  note(c, policy, around.variables);
  c.note("request", [&] { return request.text(); });
  note(c, "other", other);
  const auto before = compile(policy, around);
  if (!before || decide(*before, request.operation()).allowed()) {
    return true;
  }
  const auto way = suggest(policy, around, request.operation());
  const auto* const suggestion = std::get_if<Suggestion>(&way);
  if (suggestion == nullptr) {
    return true;
  }
  const auto after =
      compile(with_overrides(policy, suggestion->overrides, around.variables), around);
  if (!after || !decide(*after, request.operation()).allowed()) {
    return false;
  }
  const bool is_elsewhere = !other.is_within(request.real) && !other.is_within(request.spelled) &&
                            !other.is_within(request.to);
  const auto same = [&](const Operation& operation) {
    return decide(*before, operation).verdict == decide(*after, operation).verdict;
  };
  const PathUse use{PathView(other)};
  return !is_elsewhere || (same(Read{use}) && same(Write{use}) && same(Execute{use}));
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("SG1, SG2: suggestions allow what was asked, and nothing elsewhere") {
  CHECK_HOLDS(suggestions_allow_what_was_asked);
}
TEST_CASE("I5: heirs are the same in any grouping") { CHECK_HOLDS_OFTEN(inherit_is_associative); }
TEST_CASE("O3: overrides only add") { CHECK_HOLDS(overrides_only_add); }
