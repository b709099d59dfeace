// What `decide` promises about single operations.
#include <algorithm>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/derivation.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/model.hpp"
#include "gen/request.hpp"
#include "gen/world.hpp"
#include "props/judge.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;

/// A deny rule is added last and a path within it is asked for, in every way that uses content.
bool deny_beats_allow(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy policy = gen::policy(c);
  const auto& list = c.pick(gen::kDenyLists);
  const PatternTemplate pattern = gen::pattern(c);
  list.of(policy).push_back(rule(pattern));
  AbsolutePath path = gen::path_in(c, pattern.expand(around.variables));
  while (c.one_in(3)) {
    path = gen::child(path, c.pick(gen::kNames));
  }
  const AbsolutePath other = gen::path_near(c, policy, around.variables);
  note(c, policy, around.variables);
  note(c, word_of(list.access), path);
  note(c, "other", other);
  const auto judge = compiled(policy, around);
  return !judge || (!allows(*judge, use_of(list.access, path)) &&
                    !allows(*judge, use_of(list.access, PathUse(path, other))) &&
                    !allows(*judge, use_of(list.access, PathUse(other, path))));
}

bool deny_is_monotone(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  Policy stricter = policy;
  const PatternTemplate extra = c.one_in(2) ? gen::pattern_of(c, policy) : gen::pattern(c);
  c.pick(gen::kDenyLists).of(stricter).push_back(rule(extra));
  const gen::Request request = gen::request_near(c, policy, around.variables);
  note(c, policy, around.variables);
  note(c, stricter, around.variables);
  c.note("request", [&] { return request.text(); });
  const auto before = compiled(policy, around);
  const auto after = compiled(stricter, around);
  return !before || !after || !allows(*after, request.operation()) ||
         allows(*before, request.operation());
}

bool nothing_unlisted_is_allowed(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  const AbsolutePath path = gen::path_near(c, policy, around.variables);
  note(c, policy, around.variables);
  note(c, "path", path);
  const auto judge = compiled(policy, around);
  if (!judge) {
    return true;
  }
  const auto listed = [&](const PathRules& rules) {
    return model::any_covers_narrow(rules, around.variables, path);
  };
  const bool writes = listed(policy.filesystem.allow_write);
  const bool reads = writes || listed(policy.filesystem.allow_read);
  const bool executes = listed(policy.process.allow_exec);
  return (reads || !allows(*judge, use_of(Access::read, path))) &&
         (writes || !allows(*judge, use_of(Access::write, path))) &&
         (executes || !allows(*judge, use_of(Access::exec, path)));
}

/// Operations with one path only: a rename may be completed by a rule about its other end. Making a
/// directory is left out, since an allowed write also makes its missing literal parents.
bool allow_stays_within_its_pattern(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  Policy wider = policy;
  const PatternTemplate extra = gen::pattern(c);
  c.pick(gen::kAllowLists).of(wider).push_back(rule(extra));
  gen::Request request = gen::request_near(c, wider, around.variables);
  if (request.verb == gen::Verb::rename || request.verb == gen::Verb::link ||
      (request.verb == gen::Verb::create && request.kind == NodeKind::directory)) {
    request.verb = gen::Verb::read;
  }
  note(c, policy, around.variables);
  c.note("added", [&] { return extra.text(); });
  c.note("request", [&] { return request.text(); });
  const auto before = compiled(policy, around);
  const auto after = compiled(wider, around);
  return !before || !after || allows(*before, request.operation()) ||
         !allows(*after, request.operation()) ||
         model::covers_narrow(extra.expand(around.variables), request.real);
}

/// A rule is taken out of the policy; where the derivation did not consider it, nothing changes.
bool only_what_is_considered_decides(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  const auto& list = c.one_in(2) ? c.pick(gen::kAllowLists) : c.pick(gen::kDenyLists);
  Policy less = policy;
  PathRules& rules = list.of(less);
  if (rules.empty()) {
    return true;
  }
  const auto at = static_cast<std::ptrdiff_t>(c.below(rules.size()));
  const std::string text = rules[static_cast<std::size_t>(at)].value.text();
  rules.erase(rules.begin() + at);
  const AbsolutePath path = gen::path_near(c, policy, around.variables);
  const AbsolutePath spelled = c.one_in(3) ? gen::path_near(c, policy, around.variables) : path;
  const PathUse use(path, spelled);
  const Operation operation = c.one_in(2) ? Operation(Read{use}) : Operation(Execute{use});
  note(c, policy, around.variables);
  c.note("removed", [&] { return text; });
  note(c, "path", path);
  const auto before = compile(policy, around);
  const auto after = compile(less, around);
  if (!before || !after) {
    return true;
  }
  const Derivation derivation = derive(*before, operation);
  const bool considered =
      std::ranges::any_of(derivation.considered, [&](const Consideration& each) {
        const Rule* const rule = before->rule(each.rule);
        return rule == nullptr || rule->text == text;
      });
  const bool decides =
      std::ranges::count(derivation.considered, Weight::decides, &Consideration::weight) ==
      (derivation.decision.rule.is_none() ? 0 : 1);
  return decides && derivation.decision.verdict == decide(*before, operation).verdict &&
         (considered || decide(*after, operation).verdict == derivation.decision.verdict);
}

bool read_and_write_agree_with_model(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  const AbsolutePath path = gen::path_near(c, policy, around.variables);
  note(c, policy, around.variables);
  note(c, "path", path);
  const auto judge = compiled(policy, around);
  if (!judge) {
    return true;
  }
  const bool reads = allows(*judge, use_of(Access::read, path));
  const bool writes = allows(*judge, use_of(Access::write, path));
  c.note("decide", [&] { return std::string(reads ? "reads " : "") + (writes ? "writes" : ""); });
  return reads == model::may_read(policy, around, path) &&
         writes == model::may_write(policy, around, path);
}

bool sockets_of_the_host_need_a_rule(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy policy = gen::policy(c);
  PatternTemplate pattern = gen::pattern(c);
  policy.unix_sockets.push_back(rule(pattern));
  while (c.one_in(3)) {
    pattern = gen::literal_pattern(c);
    policy.unix_sockets.push_back(rule(pattern));
  }
  const AbsolutePath path = c.one_in(2) ? gen::path_near(c, policy, around.variables)
                                        : gen::path_in(c, pattern.expand(around.variables));
  note(c, policy, around.variables);
  note(c, "socket", path);
  const auto judge = compiled(policy, around);
  if (!judge) {
    return true;
  }
  const auto names_it = [&](const Sourced<PatternTemplate>& entry) {
    return entry.value.expand(around.variables) == PathPattern::literal(path);
  };
  const bool named = std::ranges::any_of(policy.unix_sockets, names_it);
  const bool covered = model::any_covers_narrow(policy.unix_sockets, around.variables, path);
  const bool denied =
      model::is_read_denied(policy, around, path) || model::is_write_denied(policy, around, path);
  return allows(*judge, ConnectUnix{PathView(path)}) == (named || (covered && !denied));
}

bool spelling_only_narrows(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  const gen::Request request = gen::request_near(c, policy, around.variables);
  gen::Request plain = request;
  plain.spelled = plain.real;
  note(c, policy, around.variables);
  c.note("request", [&] { return request.text(); });
  const auto judge = compiled(policy, around);
  return !judge || !allows(*judge, request.operation()) || allows(*judge, plain.operation());
}

/// /a is a symlink to /b. A rule about something in /a holds for the object in /b.
bool deny_holds_behind_symlink(gen::Choices& c) {
  Surroundings around = gen::surroundings(c);
  const AbsolutePath link = gen::as_path("/a");
  around.canonical = [link](const AbsolutePath& path) {
    return path.is_within(link) ? gen::as_path("/b" + path.text().substr(link.text().size()))
                                : path;
  };
  Policy policy = gen::policy(c);
  const auto& list = c.pick(gen::kDenyLists);
  const PatternTemplate pattern = gen::template_of("/a/" + gen::literal_text(c, 3));
  list.of(policy).push_back(rule(pattern));
  const AbsolutePath path = around.canonical(gen::path_in(c, pattern.expand(around.variables)));
  note(c, policy, around.variables);
  note(c, word_of(list.access), path);
  const auto judge = compiled(policy, around);
  return !judge || !allows(*judge, use_of(list.access, path));
}

/// Any bytes at all as paths: `decide` returns, names a rule that exists, and allows nothing that
/// is not a path.
bool decide_is_total(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const auto judge = compiled(gen::policy(c), around);
  gen::Request request = gen::request_near(c, gen::policy(c), around.variables);
  const NodeKind kind = request.kind;
  const std::string text = c.rest();
  if (!judge) {
    return true;
  }
  const PathUse odd{PathView::unsafe_from(text)};
  const PathUse fine{PathView(request.real)};
  const bool is_path = AbsolutePath::parse(text).has_value();
  const Operation operations[] = {Read{odd},
                                  Write{odd, kind},
                                  Create{odd, kind},
                                  Remove{odd, kind},
                                  ChangeMetadata{odd},
                                  Execute{odd},
                                  Rename{odd, fine, kind},
                                  Rename{fine, odd, kind},
                                  Link{odd, fine},
                                  Link{fine, odd},
                                  Read{PathUse(request.real, PathView::unsafe_from(text))}};
  for (const Operation& operation : operations) {
    const Decision decision = decide(*judge, operation);
    if (decision.allowed() && (!is_path || decision.reason != Reason::allowed_by_rule)) {
      return false;
    }
    if (!decision.rule.is_none() && judge->rule(decision.rule) == nullptr) {
      return false;
    }
  }
  return true;
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("DV1, DV2: only what a derivation considers decides") {
  CHECK_HOLDS(only_what_is_considered_decides);
}
TEST_CASE("R11: sockets of the host need a rule") { CHECK_HOLDS(sockets_of_the_host_need_a_rule); }
TEST_CASE("D1: deny beats allow") { CHECK_HOLDS(deny_beats_allow); }
TEST_CASE("D2: deny is monotone") { CHECK_HOLDS(deny_is_monotone); }
TEST_CASE("D3: nothing unlisted is allowed") { CHECK_HOLDS(nothing_unlisted_is_allowed); }
TEST_CASE("D4: an allow stays within its pattern") { CHECK_HOLDS(allow_stays_within_its_pattern); }
TEST_CASE("D5: reading and writing agree with the model") {
  CHECK_HOLDS(read_and_write_agree_with_model);
}
TEST_CASE("D6: decide is total") { CHECK_HOLDS(decide_is_total); }
TEST_CASE("R1: another spelling only narrows") { CHECK_HOLDS(spelling_only_narrows); }
TEST_CASE("T1: a deny holds behind a symlink") { CHECK_HOLDS(deny_holds_behind_symlink); }
