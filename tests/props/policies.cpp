// What inheriting and overriding do to a policy.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/compiled.hpp"
#include "domain/mandatory.hpp"
#include "domain/overrides.hpp"
#include "gen/choices.hpp"
#include "gen/holds.hpp"
#include "gen/model.hpp"
#include "gen/request.hpp"
#include "gen/world.hpp"
#include "props/judge.hpp"
#include "props/properties.hpp"

namespace pmg::props {

using namespace domain;

namespace {

Override opt_out(Access access, const PatternTemplate& pattern) {
  switch (access) {
    case Access::read:
      return AllowRead{pattern};
    case Access::write:
      return AllowWrite{pattern};
    case Access::exec:
      return AllowExec{pattern};
    case Access::connect:
      return AllowUnix{pattern};
  }
  return AllowRead{pattern};
}

std::vector<std::string> texts(const PathRules& rules) {
  std::vector<std::string> all;
  for (const auto& entry : rules) {
    all.push_back(entry.value.text());
  }
  return all;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

/// The union of both, parent first, each text once.
std::vector<std::string> united(const PathRules& parent, const PathRules& child) {
  std::vector<std::string> all;
  for (const auto* side : {&parent, &child}) {
    for (const std::string& text : texts(*side)) {
      if (!has(all, text)) {
        all.push_back(text);
      }
    }
  }
  return all;
}

}  // namespace

/// Outside of what the opt-out names, every answer is the old one.
bool opt_out_lifts_only_what_it_names(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  const Policy policy = gen::policy(c);
  const PatternTemplate named = c.one_in(2) ? gen::literal_pattern(c) : gen::pattern_of(c, policy);
  const PathPattern expanded = named.expand(around.variables);
  const Access access = c.pick(gen::kAllowLists).access;
  const Policy lifted = with_overrides(policy, {opt_out(access, named)}, around.variables);
  gen::Request request = gen::request_near(c, lifted, around.variables);
  if (request.verb == gen::Verb::rename || request.verb == gen::Verb::link ||
      (request.verb == gen::Verb::create && request.kind == NodeKind::directory)) {
    request.verb = gen::Verb::write;
  }
  note(c, policy, around.variables);
  c.note("opt-out", [&] { return word_of(access) + named.text(); });
  c.note("request", [&] { return request.text(); });
  const auto before = compiled(policy, around);
  const auto after = compiled(lifted, around);
  // An opt-out that names the spelling lifts a denial of the spelling.
  if (!before || !after || model::covers_narrow(expanded, request.real) ||
      model::covers_narrow(expanded, request.spelled)) {
    return true;
  }
  return allows(*before, request.operation()) == allows(*after, request.operation());
}

/// A credential file named exactly can be read (written) after the opt-out, and only that way.
bool opt_out_lifts_what_it_names(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy policy;
  policy.filesystem.allow_read.push_back(rule(gen::template_of("/**")));
  policy.filesystem.allow_write.push_back(rule(gen::template_of("/**")));
  const auto names = credential_names();
  const std::string_view name = names[c.below(names.size())];
  const std::string root = c.one_in(2) ? "${HOME}/" : "${CWD}/";
  if (has_glob(name)) {
    return true;
  }
  const PatternTemplate named = gen::template_of(root + std::string(name));
  if (c.one_in(2)) {  // the profile repeats the mandatory deny under another spelling
    const auto spelled = named.expand(around.variables).literal_prefix().text();
    if (!has_glob(spelled) && spelled.find("${") == std::string::npos) {
      policy.filesystem.deny_read.push_back(rule(gen::template_of(spelled)));
    }
  }
  const AbsolutePath path = named.expand(around.variables).literal_prefix();
  const bool reads = c.one_in(2);
  const Policy lifted = with_overrides(
      policy, {opt_out(reads ? Access::read : Access::write, named)}, around.variables);
  note(c, policy, around.variables);
  note(c, reads ? "read" : "write", path);
  const auto before = compiled(policy, around);
  const auto after = compiled(lifted, around);
  if (!before || !after) {
    return true;
  }
  return !allows(*before, use_of(Access::read, path)) &&
         !allows(*before, use_of(Access::write, path)) &&
         allows(*after, use_of(Access::read, path)) == reads &&
         allows(*after, use_of(Access::write, path)) == !reads;
}

bool inherit_unites_lists(gen::Choices& c) {
  const Policy parent = gen::policy(c);
  const Policy child = gen::policy(c);
  const Policy both = inherit(parent, child);
  c.note("parent", [&] { return gen::print(parent); });
  c.note("child", [&] { return gen::print(child); });
  c.note("both", [&] { return gen::print(both); });
  return texts(both.filesystem.allow_read) ==
             united(parent.filesystem.allow_read, child.filesystem.allow_read) &&
         texts(both.filesystem.allow_write) ==
             united(parent.filesystem.allow_write, child.filesystem.allow_write) &&
         texts(both.filesystem.deny_read) ==
             united(parent.filesystem.deny_read, child.filesystem.deny_read) &&
         texts(both.filesystem.deny_write) ==
             united(parent.filesystem.deny_write, child.filesystem.deny_write) &&
         texts(both.filesystem.package_content) ==
             united(parent.filesystem.package_content, child.filesystem.package_content) &&
         texts(both.process.allow_exec) ==
             united(parent.process.allow_exec, child.process.allow_exec) &&
         texts(both.process.deny_exec) ==
             united(parent.process.deny_exec, child.process.deny_exec) &&
         inherit(parent, both) == both;
}

/// A path that a deny of either side names is denied in the heir too.
bool inherit_loses_no_deny(gen::Choices& c) {
  const Surroundings around = gen::surroundings(c);
  Policy parent = gen::policy(c);
  Policy child = gen::policy(c);
  const auto& list = c.pick(gen::kDenyLists);
  const PatternTemplate denied = gen::pattern(c);
  list.of(c.one_in(2) ? child : parent).push_back(rule(denied));
  const Policy heir = inherit(parent, child);
  const AbsolutePath path = gen::path_in(c, denied.expand(around.variables));
  note(c, heir, around.variables);
  note(c, word_of(list.access), path);
  const auto judge = compiled(heir, around);
  return !judge || !allows(*judge, use_of(list.access, path));
}

bool inherit_takes_unset_toggles(gen::Choices& c) {
  constexpr std::array kToggles{Toggle::unset, Toggle::off, Toggle::on};
  Policy parent;
  Policy child;
  for (const auto member :
       {&Policy::allow_git_config, &Policy::allow_pty, &Policy::allow_network_bind,
        &Policy::network_via_proxy_only, &Policy::allow_direct_dns}) {
    parent.*member = c.pick(kToggles);
    child.*member = c.pick(kToggles);
  }
  const Policy both = inherit(parent, child);
  for (const auto member :
       {&Policy::allow_git_config, &Policy::allow_pty, &Policy::allow_network_bind,
        &Policy::network_via_proxy_only, &Policy::allow_direct_dns}) {
    if (both.*member != (child.*member == Toggle::unset ? parent.*member : child.*member)) {
      return false;
    }
  }
  return true;
}

}  // namespace pmg::props

using namespace pmg::props;

TEST_CASE("O2: an opt-out lifts nothing else") { CHECK_HOLDS(opt_out_lifts_only_what_it_names); }
TEST_CASE("O2: an opt-out lifts what it names") { CHECK_HOLDS(opt_out_lifts_what_it_names); }
TEST_CASE("I1: inheriting unites every list") { CHECK_HOLDS_OFTEN(inherit_unites_lists); }
TEST_CASE("I2: inheriting loses no deny") { CHECK_HOLDS(inherit_loses_no_deny); }
TEST_CASE("I3: an unset toggle is the parent's") { CHECK_HOLDS_OFTEN(inherit_takes_unset_toggles); }
