// What renaming, linking and removing may not achieve.
#include <array>
#include <string>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/overrides.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/request.hpp"
#include "gen/world.hpp"
#include "props/judge.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;

namespace {

PathUse use(const AbsolutePath& path) { return PathUse{PathView(path)}; }

}  // namespace

bool rename_is_no_more_than_remove_and_create(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  const AbsolutePath from = gen::path_near(c, policy, around.variables);
  const AbsolutePath to = gen::path_near(c, policy, around.variables);
  const NodeKind kind = c.pick(gen::kKinds);
  note(c, policy, around.variables);
  note(c, "from", from);
  note(c, "to", to);
  const auto judge = compiled(policy, around);
  if (!judge || !allows(*judge, Rename{use(from), use(to), kind})) {
    return true;
  }
  return allows(*judge, Remove{use(from), kind}) && allows(*judge, Create{use(to), kind}) &&
         allows(*judge, use_of(Access::read, from)) && allows(*judge, use_of(Access::write, from));
}

bool link_is_no_more_than_read_write_create(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  const AbsolutePath from = gen::path_near(c, policy, around.variables);
  const AbsolutePath to = gen::path_near(c, policy, around.variables);
  note(c, policy, around.variables);
  note(c, "from", from);
  note(c, "to", to);
  const NodeKind kind = c.pick(gen::kKinds);
  const auto judge = compiled(policy, around);
  if (!judge || !allows(*judge, Link{use(from), use(to), kind})) {
    return true;
  }
  return (kind == NodeKind::directory || allows(*judge, Create{use(to), kind})) &&
         allows(*judge, use_of(Access::read, from)) && allows(*judge, use_of(Access::write, from));
}

/// After an allowed move, nothing in the directory can be read, written or connected to that could
/// not be before.
bool moving_a_directory_gains_nothing(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy policy = gen::policy_of_borders(c);
  const gen::Move move = gen::move_across_borders(c);
  if (c.one_in(2)) {
    const std::array places{&move.moved, &move.to, &move.inside, &move.from};
    policy.unix_sockets.push_back(rule(gen::template_of(c.pick(places)->text())));
  }
  note(c, policy, around.variables);
  note(c, "inside", move.inside);
  note(c, "moved", move.moved);
  const auto judge = compiled(policy, around);
  if (!judge || !allows(*judge, Rename{use(move.from), use(move.to), NodeKind::directory})) {
    return true;
  }
  for (const Access access : {Access::read, Access::write}) {
    if (allows(*judge, use_of(access, move.moved)) &&
        !allows(*judge, use_of(access, move.inside))) {
      return false;
    }
  }
  return !allows(*judge, ConnectUnix{use(move.moved)}) ||
         allows(*judge, ConnectUnix{use(move.inside)});
}

/// A place that a rule keeps from being written gets no content by moving a directory around it.
bool moving_a_directory_plants_nothing(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy_of_borders(c);
  const gen::Move move = gen::move_across_borders(c);
  note(c, policy, around.variables);
  note(c, "inside", move.inside);
  note(c, "moved", move.moved);
  const auto judge = compiled(policy, around);
  if (!judge || !allows(*judge, Rename{use(move.from), use(move.to), NodeKind::directory})) {
    return true;
  }
  return !allows(*judge, use_of(Access::write, move.inside)) ||
         decide(*judge, use_of(Access::write, move.moved)).reason != Reason::denied_by_rule;
}

/// A literal deny names a place: no ancestor of it may be moved away, replaced, or be a symlink
/// that is taken away. (Removing an ancestor directory is harmless: it is empty, or the kernel
/// refuses.)
bool denied_paths_stay_in_place(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy policy = gen::policy(c);
  const PatternTemplate pattern = gen::literal_pattern(c);
  (c.one_in(2) ? policy.filesystem.deny_read : policy.filesystem.deny_write)
      .push_back(rule(pattern));
  AbsolutePath ancestor = pattern.expand(around.variables).literal_prefix().parent();
  while (c.one_in(3)) {
    ancestor = ancestor.parent();
  }
  const AbsolutePath other = gen::path_near(c, policy, around.variables);
  const NodeKind kind = c.one_in(2) ? NodeKind::symlink : NodeKind::directory;
  if (c.one_in(2)) {
    policy.filesystem.allow_write.push_back(rule(gen::template_of("/**")));
  }
  note(c, policy, around.variables);
  note(c, "ancestor", ancestor);
  note(c, "other", other);
  const auto judge = compiled(policy, around);
  if (!judge || ancestor == other || ancestor.is_root()) {  // the kernel keeps the root in place
    return true;
  }
  return !allows(*judge, Rename{use(ancestor), use(other), kind}) &&
         !allows(*judge, Rename{use(other), use(ancestor), kind}) &&
         !allows(*judge, Remove{use(ancestor), NodeKind::symlink});
}

/// Whatever a policy and its overrides say, hooks of both roots are not changed. They
/// may be read and run: git runs them inside too.
bool hooks_cannot_be_lifted(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy policy = gen::policy(c);
  const std::string root = c.one_in(2) ? "${HOME}" : "${CWD}";
  const PatternTemplate lift =
      gen::template_of(root + (c.one_in(2) ? "/.git/hooks/**" : "/.git/hooks"));
  for (const auto& list : gen::kAllowLists) {
    list.of(policy).push_back(rule(lift));
  }
  policy.allow_git_config = Toggle::on;
  policy = with_overrides(policy, {AllowRead{lift}, AllowWrite{lift}, AllowExec{lift}},
                          around.variables);
  const AbsolutePath hooks =
      gen::template_of(root + "/.git/hooks").expand(around.variables).literal_prefix();
  const AbsolutePath path = c.one_in(2) ? gen::child(hooks, gen::literal_text(c, 2)) : hooks;
  const AbsolutePath other = gen::path_near(c, policy, around.variables);
  const NodeKind kind = c.pick(gen::kKinds);
  note(c, policy, around.variables);
  note(c, "path", path);
  note(c, "other", other);
  const auto judge = compiled(policy, around);
  const AbsolutePath git = hooks.parent();
  if (!judge || other == git) {
    return true;
  }
  const Operation operations[] = {Write{use(path)},
                                  Create{use(path), kind},
                                  Remove{use(path), kind},
                                  ChangeMetadata{use(path)},
                                  Rename{use(path), use(other), kind},
                                  Rename{use(other), use(path), kind},
                                  Link{use(path), use(other)},
                                  Link{use(other), use(path)},
                                  Rename{use(git), use(other), NodeKind::directory},
                                  Rename{use(other), use(git), NodeKind::directory},
                                  Rename{use(other), use(git), NodeKind::symlink}};
  for (const Operation& operation : operations) {
    if (allows(*judge, operation)) {
      c.note("allowed", [&] { return std::to_string(&operation - operations); });
      return false;
    }
  }
  return true;
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("R8: a rename is no more than a removal and a creation") {
  CHECK_HOLDS(rename_is_no_more_than_remove_and_create);
}
TEST_CASE("R8: a link is no more than reading, writing and a creation") {
  CHECK_HOLDS(link_is_no_more_than_read_write_create);
}
TEST_CASE("R7: moving a directory gains nothing") { CHECK_HOLDS(moving_a_directory_gains_nothing); }
TEST_CASE("R7: moving a directory plants nothing") {
  CHECK_HOLDS(moving_a_directory_plants_nothing);
}
TEST_CASE("R6: denied paths stay in place") { CHECK_HOLDS(denied_paths_stay_in_place); }
TEST_CASE("H1: .git/hooks cannot be lifted") { CHECK_HOLDS(hooks_cannot_be_lifted); }
