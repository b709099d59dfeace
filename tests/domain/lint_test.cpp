#include "domain/lint.hpp"

#include <algorithm>
#include <array>
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

/// "deny_read=/x" each; of the lists of paths.
Policy policy_of(const std::vector<std::string_view>& rules) {
  Policy policy;
  std::uint32_t line = 0;
  for (const std::string_view rule : rules) {
    const auto equals = rule.find('=');
    const std::string key(rule.substr(0, equals));
    const Origin origin{Layer::profile, "p.yml", ++line, 5};
    for (const PolicyField field :
         {PolicyField::allow_read, PolicyField::allow_write, PolicyField::deny_read,
          PolicyField::deny_write, PolicyField::allow_exec, PolicyField::deny_exec,
          PolicyField::package_content, PolicyField::unix_sockets}) {
      const std::string_view name = key_of(field);
      if (name == key || name.substr(name.find('.') + 1) == key) {
        const_cast<PathRules&>(path_rules(policy, field))
            .push_back({tests::parsed<PatternTemplate>(rule.substr(equals + 1)), origin});
      }
    }
  }
  return policy;
}

/// "code rule", or "code rule < other", separated by "; ".
std::string found(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    out += (out.empty() ? "" : "; ") + std::string(name_of(finding.code)) + " " + finding.rule +
           (finding.other ? " < " + finding.other->rule : "");
  }
  return out;
}

std::string lint_of(const std::vector<std::string_view>& rules) {
  return found(lint(policy_of(rules), {}));
}

struct Row {
  std::vector<std::string_view> rules;
  std::string_view found;
  const char* why;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    CHECK(lint_of(row.rules) == row.found);
  }
}

}  // namespace

TEST_CASE("LT1: what other rules cover is dead") {
  check({
      {{"allow_read=/a", "allow_read=/a/b"}, "dead.shadowed /a/b < /a", "beneath a literal"},
      {{"allow_read=/a/b", "allow_read=/a/**"},
       "dead.shadowed /a/b < /a/**",
       "the later one covers"},
      {{"allow_read=/a", "allow_read=/a/"}, "dead.shadowed /a/ < /a", "another spelling"},
      {{"allow_read=/a//b", "allow_read=/a/b/**"},
       "dead.shadowed /a/b/** < /a//b",
       "the same paths"},
      {{"allow_read=/a/*", "allow_read=/a/[bc]"},
       "dead.shadowed /a/[bc] < /a/*",
       "a set in a glob"},
      {{"allow_read=/a/*", "allow_read=/a/b"}, "", "a literal covers what lies beneath as well"},
      {{"allow_read=/a/b/*", "allow_read=/a/*/*"}, "dead.shadowed /a/b/* < /a/*/*", "by segments"},
      {{"allow_write=/a", "allow_read=/a/b"}, "dead.shadowed /a/b < /a", "writing implies reading"},
      {{"allow_read=/a", "allow_write=/a/b"}, "", "reading does not imply writing"},
      {{"allow_read=/a", "allow_exec=/a/b"}, "", "nor running"},
      {{"allow_read=/**/x", "allow_read=${CWD}/x"}, "", "a literal reaches further than a glob"},
      {{"allow_read=**/*.c", "allow_read=${CWD}/*.c"},
       "dead.shadowed ${CWD}/*.c < **/*.c",
       "wherever the project is"},
      {{"allow_read=${HOME}/**", "allow_read=${CWD}/*.c", "deny_read=${HOME}/x"},
       "",
       "the project may be elsewhere"},
      {{"allow_read=/home/*/p", "allow_read=${HOME}/p/*"}, "", "HOME may be anywhere"},
      {{"unix_sockets.allow=/s/**", "unix_sockets.allow=/s/a"},
       "",
       "an exact socket passes denies, others do not"},
      {{"unix_sockets.allow=/s/**", "unix_sockets.allow=/s/a*"},
       "dead.shadowed /s/a* < /s/**",
       "a glob does not"},
      {{"allow_write=/a/*/c/**", "allow_write=/a/b/c/**"},
       "",
       "without it, /a/b could not be made (R4)"},
      {{"allow_write=/a/**", "allow_write=/a/b/c/**"},
       "dead.shadowed /a/b/c/** < /a/**",
       "here it could"},
      {{"allow_read=/", "allow_read=/dev/null", "deny_read=/home/x"},
       "",
       "a device needs a rule of its own (R5)"},
      {{"allow_read=/dev", "allow_read=/dev/null"}, "dead.shadowed /dev/null < /dev", "as this is"},
      {{"deny_read=/a", "deny_read=/a/b"}, "", "denies differ in what they keep in place (R6)"},
      {{"deny_read=/a", "deny_read=/a/**"}, "dead.shadowed /a/** < /a", "but for the same pattern"},
  });
}

TEST_CASE("LT1: an exact opt-out is not dead, whatever covers it") {
  check({
      {{"allow_read=/", "allow_read=${HOME}/.ssh", "deny_read=/home/x"}, "", "of credentials"},
      {{"allow_read=/", "allow_read=/srv/.env", "deny_read=/home/x"}, "", "anywhere"},
      {{"allow_write=/w/**", "allow_write=/w/.bashrc"}, "", "/w may be HOME"},
      {{"allow_write=/w/**", "allow_write=/w/x/config"}, "", "/w/x may be a git directory"},
      {{"allow_write=/w/**", "allow_write=/w/x/conf"},
       "dead.shadowed /w/x/conf < /w/**",
       "nothing that is denied"},
      {{"allow_read=/", "allow_read=${HOME}/.ssh", "allow_read=${HOME}//.ssh", "deny_read=/home/x"},
       "dead.shadowed ${HOME}//.ssh < ${HOME}/.ssh",
       "the same opt-out"},
  });
}

TEST_CASE("LT1, LT2: denies that leave nothing of an allow") {
  check({
      {{"allow_read=/a", "deny_read=/a/**"}, "conflict.allow_deny /a < /a/**", "the same paths"},
      {{"allow_read=/a/b", "deny_read=/a"}, "dead.denied /a/b < /a", "more than it allows"},
      {{"allow_read=/a", "deny_read=/a/b"}, "", "a part of it"},
      {{"allow_exec=/a/b", "deny_exec=/a/*"}, "dead.denied /a/b < /a/*", "a deny glob is wide"},
      {{"allow_exec=/a/b", "deny_read=/a"}, "dead.denied /a/b < /a", "what may not be read"},
      {{"allow_write=/a/b", "deny_write=/a"},
       "conflict.allow_deny /a/b < /a",
       "reading stays allowed, so it cannot be removed"},
      {{"allow_write=/a/b", "deny_write=/a", "allow_read=/a", "allow_write=/c"},
       "conflict.allow_deny /a/b < /a",
       "without it, /a could not be made"},
      {{"allow_write=/a/b", "deny_write=/a", "allow_read=/a", "allow_write=/a/c"},
       "conflict.allow_deny /a/b < /a; dead.denied /a/c < /a",
       "nothing hangs on the second one"},
      {{"unix_sockets.allow=/s/*", "deny_read=/s"}, "dead.denied /s/* < /s", "any deny"},
      {{"unix_sockets.allow=/s/x", "deny_read=/s"}, "", "but for an exact one (R11)"},
  });
}

TEST_CASE("LT2: what every policy denies is allowed in vain") {
  check({
      {{"allow_read=${HOME}/.ssh/**"},
       "mandatory.denied ${HOME}/.ssh/** < ${HOME}/.ssh",
       "a wildcard lifts nothing"},
      {{"allow_read=${HOME}/.ssh"}, "", "the exact path does"},
      {{"allow_read=${HOME}/.ssh/id"},
       "mandatory.denied ${HOME}/.ssh/id < ${HOME}/.ssh",
       "beneath a denied directory"},
      {{"allow_read=/srv/.env/*"}, "mandatory.denied /srv/.env/* < **/.env", "anywhere"},
      {{"allow_read=/srv/.env.local"}, "", "exactly, of a name with a wildcard"},
      {{"allow_write=${CWD}/.git/hooks/**"},
       "mandatory.never ${CWD}/.git/hooks/** < ${CWD}/.git/hooks",
       "hooks"},
      {{"allow_write=${CWD}/.git/hooks"},
       "mandatory.never ${CWD}/.git/hooks < ${CWD}/.git/hooks",
       "not even exactly"},
      {{"allow_read=${CWD}/.git/hooks"}, "", "they may be read"},
      {{"allow_exec=${HOME}/.aws/bin"},
       "mandatory.denied ${HOME}/.aws/bin < ${HOME}/.aws",
       "what may not be read does not run"},
      {{"allow_read=/srv/n/.env/*", "package_content=/srv/n/**"},
       "",
       "package content is not denied (C1)"},
      {{"allow_write=/proc/sys/x"}, "mandatory.never /proc/sys/x < /proc/sys/**", "the kernel"},
      {{"allow_read=${HOME}/.ssh", "allow_read=${HOME}/.ssh/id*"},
       "dead.shadowed ${HOME}/.ssh/id* < ${HOME}/.ssh",
       "lifted by another rule"},
  });
  Policy policy = policy_of({"allow_write=${CWD}/.git/config/**"});
  CHECK(found(lint(policy, {})) == "mandatory.denied ${CWD}/.git/config/** < ${CWD}/.git/config");
  policy.allow_git_config = Toggle::on;
  CHECK(found(lint(policy, {})).empty());
}

TEST_CASE("LT2: what can match nothing") {
  check({
      {{"allow_read=/a/[b-a]"}, "match.nothing /a/[b-a]", "an empty set"},
      {{"deny_read=/a/[b-a]/c"}, "match.nothing /a/[b-a]/c", "in a deny"},
      {{"allow_read=/a/[.]"}, "match.nothing /a/[.]", "no name is a dot"},
      {{"allow_read=/a/.[.]/b"}, "match.nothing /a/.[.]/b", "nor two"},
      {{"allow_write=/dev/null/x"}, "match.nothing /dev/null/x", "beneath a device"},
      {{"allow_write=/[d]ev/null"},
       "match.nothing /[d]ev/null",
       "a device is named literally (R5)"},
      {{"allow_write=/dev/null"}, "", "a device"},
      {{"package_content=/x/[b-a]"}, "match.nothing /x/[b-a]", "package content"},
  });
}

TEST_CASE("LT2: what is too broad, in every spelling") {
  struct Breadth {
    std::string_view pattern;
    std::string_view code;
  };
  const Breadth rows[] = {{"/", "broad.root_glob"},
                          {"/**", "broad.root_glob"},
                          {"//", "broad.root_glob"},
                          {"/*/**", "broad.root_glob"},
                          {"**", "broad.all_glob"},
                          {"**/*", "broad.all_glob"},
                          {"**/**", "broad.all_glob"},
                          {"${HOME}", "broad.home_glob"},
                          {"${HOME}/**", "broad.home_glob"},
                          {"${HOME}/*/**", "broad.home_glob"},
                          {"/home", "broad.home_glob"},
                          {"/home/**", "broad.home_glob"},
                          {"/home/*/**", "broad.home_glob"},
                          {"/home/alice", "broad.home_glob"},
                          {"/home/a*/**", "broad.home_glob"},
                          {"/root/**", "broad.home_glob"},
                          {"/h*/**", "broad.home_glob"},
                          {"/home/alice/*", ""},
                          {"/home/alice/x/**", ""},
                          {"${HOME}/*", ""},
                          {"${HOME}/.cache/**", ""},
                          {"${CWD}/**", ""},
                          {"/srv/**", ""},
                          {"/*", ""}};
  for (const Breadth& row : rows) {
    CAPTURE(std::string(row.pattern));
    for (const std::string_view field : {"allow_read", "allow_write", "allow_exec"}) {
      CAPTURE(std::string(field));
      const std::string rule = std::string(field) + "=" + std::string(row.pattern);
      const std::string expected =
          row.code.empty() ? "" : std::string(row.code) + " " + std::string(row.pattern);
      CHECK(lint_of({rule}) == expected);
    }
  }
  check({
      {{"allow_write=/etc/**"}, "broad.system_glob /etc/**", "the system"},
      {{"allow_write=/usr/local/bin"}, "broad.system_glob /usr/local/bin", "programs"},
      {{"allow_write=/e*/**"}, "broad.system_glob /e*/**", "by a glob"},
      {{"allow_write=/dev/**"}, "broad.system_glob /dev/**", "all devices"},
      {{"allow_read=/etc/**"}, "", "may be read"},
      {{"allow_write=/etc/mine.conf"}, "", "one file"},
      {{"unix_sockets.allow=/run/**"}, "broad.system_glob /run/**", "all sockets"},
      {{"unix_sockets.allow=/run/user/1000/agent.sock"}, "", "one socket"},
      {{"package_content=**"}, "broad.all_glob **", "no `**/.env` would be denied any more"},
      {{"allow_read=/", "deny_read=${HOME}/.mozilla"}, "", "something at home is kept back"},
      {{"allow_read=/", "deny_read=/etc/shadow"}, "broad.root_glob /", "nothing at home is"},
  });
}

TEST_CASE("LT2: a deny of what nothing allows to run") {
  check({
      {{"deny_exec=/usr/bin/curl"}, "unneeded.deny_exec /usr/bin/curl", "nothing may run"},
      {{"allow_exec=/usr", "deny_exec=/usr/bin/curl"}, "", "it might"},
      {{"allow_exec=/usr/bin/*", "deny_exec=/opt/**"}, "unneeded.deny_exec /opt/**", "not there"},
  });
}

TEST_CASE("LT2: rules of a parent are a reason, never a finding") {
  const Policy parent = policy_of({"allow_read=/", "deny_read=${HOME}/.mozilla",
                                   "deny_write=/etc/**", "allow_read=/x", "allow_exec=/opt"});
  CHECK(found(lint(policy_of({"allow_read=${CWD}/**"}), parent)) == "dead.shadowed ${CWD}/** < /");
  CHECK(found(lint(policy_of({"allow_read=/"}), parent)) == "dead.shadowed / < /");
  CHECK(found(lint(policy_of({"allow_write=/etc/x"}), parent)) ==
        "conflict.allow_deny /etc/x < /etc/**");
  CHECK(found(lint(policy_of({"deny_read=/x"}), parent)).empty());
  CHECK(found(lint(Policy(), parent)).empty());
}

TEST_CASE("LT2: variables") {
  struct NameRow {
    std::vector<std::string_view> allow;
    std::vector<std::string_view> deny;
    std::string_view found;
    const char* why;
  };
  const NameRow rows[] = {
      {{"FOO", "foo"}, {}, "dead.shadowed foo < FOO", "names have no case"},
      {{"FOO_*", "FOO_BAR"}, {}, "dead.shadowed FOO_BAR < FOO_*", "a glob"},
      {{"*_TOKEN"}, {}, "env.secret_glob *_TOKEN < AWS_SESSION_TOKEN", "a secret by a glob"},
      {{"*"}, {}, "env.secret_glob * < AWS_ACCESS_KEY_ID", "all of them"},
      {{"GH_TOKEN"}, {}, "", "a secret by its name"},
      {{"NPM_TOKE?", "npm_token"}, {}, "", "a secret that is named as well"},
      {{"FOO"}, {"FOO"}, "conflict.allow_deny FOO < FOO", "an allow wins here"},
      {{"FOO_*"}, {"FOO_BAR"}, "conflict.allow_deny FOO_BAR < FOO_*", "all of it"},
      {{"FOO_BAR"}, {"FOO_*"}, "", "an exception"},
      {{}, {"PATH"}, "env.protected PATH", "never removed"},
      {{}, {"LC_X*"}, "env.protected LC_X*", "by a glob"},
      {{}, {"FOO_*", "FOO_BAR"}, "dead.shadowed FOO_BAR < FOO_*", "denied twice"},
      {{"[b-a]"}, {"[b-a]"}, "match.nothing [b-a]; match.nothing [b-a]", "an empty set"},
  };
  for (const NameRow& row : rows) {
    CAPTURE(std::string(row.why));
    Policy policy;
    for (const std::string_view name : row.allow) {
      policy.environment.allow.push_back({tests::parsed<EnvPattern>(name), {}});
    }
    for (const std::string_view name : row.deny) {
      policy.environment.deny.push_back({tests::parsed<EnvPattern>(name), {}});
    }
    CHECK(found(lint(policy, {})) == row.found);
  }
}

TEST_CASE("LT2: rules on hosts that a program need not heed") {
  Policy policy;
  policy.network.allow_outbound = tests::rules<HostPortPattern>({"*:*"});
  CHECK(found(lint(policy, {})).empty());
  policy.network.allow_outbound = tests::rules<HostPortPattern>({"a.example:443"});
  CHECK(found(lint(policy, {})) == "network-rules-without-lockdown a.example:443");
  policy.network.deny_outbound = tests::rules<HostPortPattern>({"*:*"});
  CHECK(found(lint(policy, {})) == "network-rules-without-lockdown *:*");
  Policy parent;
  parent.network_via_proxy_only = Toggle::on;
  CHECK(found(lint(policy, parent)).empty());
  parent.network_via_proxy_only = Toggle::off;
  CHECK_FALSE(found(lint(policy, parent)).empty());
  policy.network_via_proxy_only = Toggle::off;  // said, so it is meant
  CHECK(found(lint(policy, parent)).empty());
  policy.allow_direct_dns = Toggle::on;
  CHECK(found(lint(policy, {})) == "allow-direct-dns-without-lockdown ");
  policy.network_via_proxy_only = Toggle::on;
  CHECK(found(lint(policy, {})).empty());
  policy.network.allow_outbound = tests::rules<HostPortPattern>({"A.example:1", "a.example:1"});
  policy.network.deny_outbound = tests::rules<HostPortPattern>({"A.EXAMPLE:1"});
  CHECK(found(lint(policy, {})) ==
        "conflict.allow_deny A.example:1 < A.EXAMPLE:1; conflict.allow_deny a.example:1 < "
        "A.EXAMPLE:1; dead.shadowed a.example:1 < A.example:1");
}

TEST_CASE("LT2: findings know their place, and come by level and place") {
  const auto findings =
      lint(policy_of({"allow_read=/b/c", "allow_read=/b", "allow_write=/etc", "allow_exec=/"}), {});
  REQUIRE(findings.size() == 3);
  CHECK(found(findings) == "broad.system_glob /etc; broad.root_glob /; dead.shadowed /b/c < /b");
  CHECK(findings[2].origin == Origin{Layer::profile, "p.yml", 1, 5});
  CHECK(findings[2].field == PolicyField::allow_read);
  CHECK(findings[2].level == LintLevel::note);
  CHECK(findings[2].other->origin.line == 2);
}

TEST_CASE("LT2: every code has a name of its own") {
  std::vector<std::string> names;
  for (int code = 0; code <= static_cast<int>(LintCode::dns_no_lockdown); ++code) {
    names.emplace_back(name_of(static_cast<LintCode>(code)));
  }
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  CHECK_FALSE(names.front().empty());
}

}  // namespace pmg::domain
