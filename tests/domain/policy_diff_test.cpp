#include "domain/policy_diff.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/pattern.hpp"
#include "domain/policy.hpp"
#include "domain/policy_field.hpp"
#include "rules.hpp"

namespace pmg::domain {

namespace {

using tests::rules;

std::string lines(const std::vector<RuleChange>& changes) {
  std::string out;
  for (const RuleChange& change : changes) {
    const std::string_view key = key_of(change.field);
    out += (out.empty() ? "" : "; ") + std::string(change.change == Change::added ? "+" : "-") +
           std::string(key.substr(key.rfind('.') + 1)) +
           (change.rule.empty() ? "" : " " + change.rule);
  }
  return out;
}

void check(const Policy& before, const Policy& after, std::string_view allowed,
           std::string_view denied) {
  const PolicyDiff forth = diff(before, after);
  CHECK(lines(forth.newly_allowed) == allowed);
  CHECK(lines(forth.newly_denied) == denied);
  CHECK(forth.is_empty() == (allowed.empty() && denied.empty()));
  // Backwards, what was allowed is denied.
  const PolicyDiff back = diff(after, before);
  CHECK(back.newly_allowed.size() == forth.newly_denied.size());
  CHECK(back.newly_denied.size() == forth.newly_allowed.size());
  CHECK(diff(before, before).is_empty());
}

}  // namespace

TEST_CASE("DF1: order, spelling and covered rules are no difference") {
  Policy before;
  before.name = "one";
  before.filesystem.allow_read = rules<PatternTemplate>({"/a", "/b/**", "/c/*"});
  before.filesystem.deny_read = rules<PatternTemplate>({"/a/x", "/a/y/**"});
  Policy after;
  after.description = "other";
  after.filesystem.allow_read = rules<PatternTemplate>({"/c/[!x]*", "/c/x*", "/b", "/b/q", "//a/"});
  after.filesystem.deny_read = rules<PatternTemplate>({"/a/y", "/a/x", "/a/x/z"});
  check(before, after, "", "");
}

TEST_CASE("DF1: allows") {
  Policy before;
  Policy after;
  before.filesystem.allow_read = rules<PatternTemplate>({"/a", "/b/**"});
  after.filesystem.allow_read = rules<PatternTemplate>({"/b", "/c"});
  check(before, after, "+allow_read /c", "-allow_read /a");
  after.filesystem.allow_write = rules<PatternTemplate>({"/a/**"});  // implies reading
  check(before, after, "+allow_read /c; +allow_write /a/**", "");
}

TEST_CASE("DF1: an exact opt-out is a difference, although its path was covered") {
  Policy before;
  before.filesystem.allow_read = rules<PatternTemplate>({"/"});
  Policy after = before;
  after.filesystem.allow_read = rules<PatternTemplate>({"/", "${HOME}/.ssh", "${HOME}/x"});
  check(before, after, "+allow_read ${HOME}/.ssh", "");
}

TEST_CASE("DF1: a device is a difference, although everything may be read") {
  Policy before;
  before.filesystem.allow_read = rules<PatternTemplate>({"/"});
  Policy after = before;
  after.filesystem.allow_read = rules<PatternTemplate>({"/", "/dev/null"});
  check(before, after, "+allow_read /dev/null", "");
}

TEST_CASE("DF1: a deny counts where something is allowed") {
  Policy before;
  before.filesystem.allow_read = rules<PatternTemplate>({"/a"});
  Policy after = before;
  after.filesystem.deny_read = rules<PatternTemplate>({"/a/b", "/z"});
  check(before, after, "", "+deny_read /a/b");
  after.filesystem.deny_read = {};
  after.process.deny_exec = rules<PatternTemplate>({"/a/b"});  // keeps it from being read as well
  check(before, after, "", "+deny_exec /a/b");
}

TEST_CASE("DF1: package content lifts denies") {
  Policy before;
  before.filesystem.allow_read = rules<PatternTemplate>({"/"});
  Policy after = before;
  after.filesystem.package_content = rules<PatternTemplate>({"**/node_modules/**"});
  check(before, after, "+package_content **/node_modules/**", "");
}

TEST_CASE("DF1: sockets") {
  Policy before;
  before.unix_sockets = rules<PatternTemplate>({"/run/s/*"});
  Policy after;
  after.unix_sockets = rules<PatternTemplate>({"/run/s/[ab]"});
  check(before, after, "", "-allow /run/s/*");
  after.unix_sockets = rules<PatternTemplate>({"/run/s/*", "/run/s/a"});  // passes denies
  check(before, after, "+allow /run/s/a", "");
}

TEST_CASE("DF1: variables count where something removes them") {
  Policy before;
  before.environment.allow = rules<EnvPattern>({"FOO", "NPM_TOKEN"});
  Policy after;
  after.environment.allow = rules<EnvPattern>({"npm_token", "GH_TOKEN", "BAR"});
  check(before, after, "+allow GH_TOKEN", "");
  after.environment.deny = rules<EnvPattern>({"FOO", "PATH", "AWS_SESSION_TOKEN"});
  const PolicyDiff difference = diff(before, after);
  CHECK(lines(difference.newly_allowed) == "+allow GH_TOKEN");
  CHECK(lines(difference.newly_denied) == "-allow FOO; +deny FOO");
}

TEST_CASE("DF1: switches and package managers") {
  Policy before;
  Policy after;
  before.package_managers = {"npm", "pnpm"};
  after.package_managers = {"npm", "bun"};
  before.allow_pty = Toggle::off;
  after.allow_git_config = Toggle::on;
  after.network_via_proxy_only = Toggle::on;
  check(before, after, "+package_managers bun; +allow_git_config",
        "-package_managers pnpm; +network_via_proxy_only");
}

TEST_CASE("DF1: hosts, by the most specific rule") {
  struct Row {
    std::vector<std::string_view> allow_before;
    std::vector<std::string_view> deny_before;
    std::vector<std::string_view> allow_after;
    std::vector<std::string_view> deny_after;
    std::string_view allowed;
    std::string_view denied;
    const char* why;
  };
  const Row rows[] = {
      {{"*:*"}, {}, {"*:*", "a.x:443"}, {}, "", "", "covered"},
      {{"a.x:443"}, {}, {"A.X:443"}, {}, "", "", "names have no case"},
      {{"a.x:443"}, {}, {"a.x:443"}, {"*:*"}, "", "", "what nothing allows is denied anyway"},
      {{"*:*"},
       {"*.x:*"},
       {"*:*", "a.x:443"},
       {"*.x:*"},
       "+allow_outbound a.x:443",
       "",
       "an exception from a deny"},
      {{"*.x:443"},
       {},
       {"*.x:443"},
       {"a.x:443"},
       "",
       "+deny_outbound a.x:443",
       "an exception from an allow"},
      {{"a.x:443"},
       {"a.x:443"},
       {"a.x:443"},
       {},
       "-deny_outbound a.x:443; +allow_outbound a.x:443",
       "",
       "a tie is a deny"},
      {{"a.x:443"}, {}, {"a.x:*"}, {}, "+allow_outbound a.x:*", "", "more ports"},
      {{"*.x:443"},
       {},
       {"x:443"},
       {},
       "+allow_outbound x:443",
       "-allow_outbound *.x:443",
       "`*.x` is not the apex"},
  };
  const auto list = [](const std::vector<std::string_view>& texts) {
    NetRules made;
    for (const std::string_view text : texts) {
      made.push_back({tests::parsed<HostPortPattern>(text), {}});
    }
    return made;
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    Policy before;
    before.network = {list(row.allow_before), list(row.deny_before), {}};
    Policy after;
    after.network = {list(row.allow_after), list(row.deny_after), {}};
    const PolicyDiff difference = diff(before, after);
    CHECK(lines(difference.newly_allowed).size() == row.allowed.size());
    CHECK(lines(difference.newly_denied) == row.denied);
    CHECK(diff(before, before).is_empty());
  }
  Policy before;
  before.network.allow_bind = rules<HostPortPattern>({"localhost:*"});
  Policy after;
  after.network.allow_bind = rules<HostPortPattern>({"localhost:80", "127.0.0.1:80"});
  check(before, after, "+allow_bind 127.0.0.1:80", "-allow_bind localhost:*");
}

}  // namespace pmg::domain
