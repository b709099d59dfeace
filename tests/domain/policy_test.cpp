#include "domain/policy.hpp"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/rules.hpp"

using namespace pmg::domain;
using pmg::tests::parsed;
using pmg::tests::rules;
using pmg::tests::texts;

namespace {

using Texts = std::vector<std::string>;

template <class T>
struct ListCase {
  std::vector<Sourced<T>>& (*of)(Policy&);
  const char* why;
};

const ListCase<PatternTemplate> kPathLists[] = {
    {[](Policy& p) -> PathRules& { return p.filesystem.allow_read; }, "allow_read"},
    {[](Policy& p) -> PathRules& { return p.filesystem.allow_write; }, "allow_write"},
    {[](Policy& p) -> PathRules& { return p.filesystem.deny_read; }, "deny_read"},
    {[](Policy& p) -> PathRules& { return p.filesystem.deny_write; }, "deny_write"},
    {[](Policy& p) -> PathRules& { return p.filesystem.package_content; }, "package_content"},
    {[](Policy& p) -> PathRules& { return p.process.allow_exec; }, "allow_exec"},
    {[](Policy& p) -> PathRules& { return p.process.deny_exec; }, "deny_exec"},
    {[](Policy& p) -> PathRules& { return p.unix_sockets; }, "unix_sockets"},
};
const ListCase<HostPortPattern> kNetLists[] = {
    {[](Policy& p) -> NetRules& { return p.network.allow_outbound; }, "allow_outbound"},
    {[](Policy& p) -> NetRules& { return p.network.deny_outbound; }, "deny_outbound"},
    {[](Policy& p) -> NetRules& { return p.network.allow_bind; }, "allow_bind"},
};
const ListCase<EnvPattern> kEnvLists[] = {
    {[](Policy& p) -> EnvRules& { return p.environment.allow; }, "environment.allow"},
    {[](Policy& p) -> EnvRules& { return p.environment.deny; }, "environment.deny"},
};

struct ToggleCase {
  Toggle Policy::*member;
  const char* why;
};
const ToggleCase kToggles[] = {
    {&Policy::allow_git_config, "allow_git_config"},
    {&Policy::allow_pty, "allow_pty"},
    {&Policy::allow_network_bind, "allow_network_bind"},
    {&Policy::network_via_proxy_only, "network_via_proxy_only"},
    {&Policy::allow_direct_dns, "allow_direct_dns"},
};

using Written = std::initializer_list<std::string_view>;

/// Inherits each list by itself: it is `united`, those of the parent first and marked as such, and
/// nothing leaks into another list.
template <class T, std::size_t N>
void check_united(const ListCase<T> (&lists)[N], Written of_parent, Written of_child,
                  const Texts& united) {
  for (const ListCase<T>& row : lists) {
    CAPTURE(row.why);
    Policy parent;
    Policy child;
    row.of(parent) = rules<T>(of_parent, Layer::profile);
    row.of(child) = rules<T>(of_child, Layer::overlay);
    Policy both = inherit(parent, child);
    std::vector<Sourced<T>>& list = row.of(both);
    CHECK(texts(list) == united);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool inherited = i < of_parent.size();
      CHECK(list[i].origin.layer == (inherited ? Layer::parent_profile : Layer::overlay));
      CHECK((!inherited || list[i].origin.line == i + 1));
    }
    list.clear();
    CHECK(both == Policy{});
  }
}

}  // namespace

TEST_CASE("I1: every list is the union, parent first, equal text once") {
  check_united(kPathLists, {"/a", "${CWD}/b"}, {"/c", "/a", "/c"}, {"/a", "${CWD}/b", "/c"});
  check_united(kNetLists, {"a.example:443", "*:*"}, {"b.example:80", "*:*"},
               {"a.example:443", "*:*", "b.example:80"});
  // By text, not by meaning: "a" and "A" match the same names and both stay.
  check_united(kEnvLists, {"NPM_*", "A"}, {"a", "A"}, {"NPM_*", "A", "a"});
}

TEST_CASE("I1: names of presets are united too; identity is the child's") {
  Policy parent;
  parent.name = "npm-restrictive";
  parent.description = "base";
  parent.inherits = "x";
  parent.package_managers = {"npm"};
  parent.presets = {{"git", Origin{Layer::profile, "npm.yml", 3}}};
  Policy child;
  child.name = "mine";
  child.description = "leaf";
  child.inherits = "npm-restrictive";
  child.package_managers = {"yarn"};
  child.presets = {{"vite", Origin{Layer::profile, "mine.yml", 4}},
                   {"git", Origin{Layer::profile, "mine.yml", 5}}};
  const Policy both = inherit(parent, child);
  CHECK(both.name == "mine");
  CHECK(both.description == "leaf");
  CHECK(both.inherits == "npm-restrictive");
  CHECK(both.package_managers == Texts{"yarn"});
  REQUIRE(both.presets.size() == 2);
  CHECK(both.presets[0].value == "git");
  CHECK(both.presets[0].origin.layer == Layer::parent_profile);
  CHECK(both.presets[1].value == "vite");
}

TEST_CASE("I2: an allow of the child does not remove a deny of the parent") {
  Policy parent;
  parent.filesystem.deny_write = rules<PatternTemplate>({"/etc/**"});
  Policy child;
  child.filesystem.allow_write = rules<PatternTemplate>({"/etc/**"});
  const Policy both = inherit(parent, child);
  CHECK(texts(both.filesystem.deny_write) == Texts{"/etc/**"});
  CHECK(texts(both.filesystem.allow_write) == Texts{"/etc/**"});
}

TEST_CASE("I3: a toggle that the child leaves unset is the parent's") {
  constexpr Toggle kAll[] = {Toggle::unset, Toggle::off, Toggle::on};
  for (const auto& row : kToggles) {
    for (const Toggle of_parent : kAll) {
      for (const Toggle of_child : kAll) {
        CAPTURE(row.why);
        CAPTURE(static_cast<int>(of_parent));
        CAPTURE(static_cast<int>(of_child));
        Policy parent;
        Policy child;
        parent.*row.member = of_parent;
        child.*row.member = of_child;
        Policy both = inherit(parent, child);
        CHECK(both.*row.member == (of_child == Toggle::unset ? of_parent : of_child));
        both.*row.member = Toggle::unset;
        CHECK(both == Policy{});
      }
    }
  }
}

TEST_CASE("I4: only lists that grant something make a policy grant") {
  struct {
    const char* list;
    Policy policy;
    bool nothing;
    const char* why;
  } table[] = {
      {"none", {}, true, "empty"},
      {"allow_read", {}, false, "grants"},
      {"allow_write", {}, false, "grants"},
      {"allow_exec", {}, false, "grants"},
      {"allow_outbound", {}, false, "grants"},
      {"env", {}, false, "grants"},
      {"unix", {}, false, "grants"},
      {"allow_bind", {}, true, "a program that cannot start cannot listen"},
      {"deny", {}, true, "a deny grants nothing"},
      {"content", {}, true, "package_content only narrows a deny"},
  };
  table[1].policy.filesystem.allow_read = rules<PatternTemplate>({"/a"});
  table[2].policy.filesystem.allow_write = rules<PatternTemplate>({"/a"});
  table[3].policy.process.allow_exec = rules<PatternTemplate>({"/a"});
  table[4].policy.network.allow_outbound = rules<HostPortPattern>({"a:1"});
  table[5].policy.environment.allow = rules<EnvPattern>({"A"});
  table[6].policy.unix_sockets = rules<PatternTemplate>({"/a"});
  table[7].policy.network.allow_bind = rules<HostPortPattern>({"a:1"});
  table[8].policy.filesystem.deny_read = rules<PatternTemplate>({"/a"});
  table[8].policy.filesystem.deny_write = rules<PatternTemplate>({"/a"});
  table[8].policy.process.deny_exec = rules<PatternTemplate>({"/a"});
  table[8].policy.network.deny_outbound = rules<HostPortPattern>({"a:1"});
  table[8].policy.environment.deny = rules<EnvPattern>({"A"});
  table[9].policy.filesystem.package_content = rules<PatternTemplate>({"/a"});
  for (const auto& row : table) {
    CAPTURE(row.list);
    CAPTURE(row.why);
    CHECK(grants_nothing(row.policy) == row.nothing);
  }
}
