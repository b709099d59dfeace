#include "domain/environment.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "domain/mandatory.hpp"
#include "domain/rules.hpp"

using namespace pmg::domain;
using pmg::tests::rules;

namespace {

EnvironmentRules with(std::initializer_list<std::string_view> allow,
                      std::initializer_list<std::string_view> deny) {
  return {rules<EnvPattern>(allow), rules<EnvPattern>(deny)};
}

std::string swapped_case(std::string_view text) {
  std::string swapped(text);
  for (char& c : swapped) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    } else if (c >= 'a' && c <= 'z') {
      c = static_cast<char>(c - 'a' + 'A');
    }
  }
  return swapped;
}

}  // namespace

TEST_CASE("E1: built-in list and policy deny, less policy allow, less protected names") {
  struct {
    std::initializer_list<std::string_view> allow;
    std::initializer_list<std::string_view> deny;
    std::string_view name;
    bool scrubbed;
    const char* why;
  } const table[] = {
      {{}, {}, "GH_TOKEN", true, "built-in list"},
      {{}, {}, "MY_VAR", false, "nothing names it"},
      {{"GH_TOKEN"}, {}, "GH_TOKEN", false, "allowed by name"},
      {{"GH_*"}, {}, "GH_TOKEN", false, "allowed by glob"},
      {{"GH_TOKEN"}, {}, "GITHUB_TOKEN", true, "another name"},
      {{"GH"}, {}, "GH_TOKEN", true, "an allow is a whole name"},
      {{}, {"MY_VAR"}, "MY_VAR", true, "denied by the policy"},
      {{}, {"MY_*"}, "MY_VAR", true, "denied by a glob"},
      {{"MY_VAR"}, {"MY_VAR"}, "MY_VAR", false, "allow wins over deny, unlike paths"},
      {{}, {"*"}, "COLORTERM", true, "deny of everything takes what is not core"},
      {{}, {"*"}, "PATH", false, "core names stay"},
      {{}, {"PATH", "HOME"}, "HOME", false, "even if named"},
      {{}, {"LC_*"}, "LC_ALL", false, "locale stays"},
      {{}, {"*"}, "LANGUAGE", true, "LANG is a whole name"},
      {{"*"}, {}, "AWS_SECRET_ACCESS_KEY", false, "the operator said everything"},
  };
  for (const auto& row : table) {
    CAPTURE(row.name);
    CAPTURE(row.why);
    CHECK(is_scrubbed(with(row.allow, row.deny), row.name) == row.scrubbed);
  }
}

TEST_CASE("E1: a package manager keeps its own token and no other") {
  const auto npm = with({"NPM_TOKEN", "NPM_AUTH_TOKEN", "NODE_AUTH_TOKEN", "npm_config_*"}, {});
  CHECK_FALSE(is_scrubbed(npm, "NPM_TOKEN"));
  CHECK_FALSE(is_scrubbed(npm, "NPM_CONFIG__AUTH"));
  CHECK(is_scrubbed(npm, "TWINE_PASSWORD"));
  CHECK(is_scrubbed(npm, "GITHUB_TOKEN"));
  CHECK(is_scrubbed(with({"PIP_*"}, {}), "NPM_TOKEN"));
}

TEST_CASE("E2: every built-in name is matched whatever its case") {
  for (const std::string_view name : secret_variables()) {
    CAPTURE(name);
    CHECK(is_scrubbed({}, name));
    CHECK(is_scrubbed({}, swapped_case(name)));
    CHECK_FALSE(is_scrubbed({}, std::string(name) + "S"));
    CHECK_FALSE(is_scrubbed({}, "X" + std::string(name)));
    CHECK_FALSE(is_scrubbed(with({swapped_case(name)}, {}), name));
  }
  CHECK(is_scrubbed({}, "github_token"));
  CHECK_FALSE(is_scrubbed(with({}, {"*"}), "path"));
}

TEST_CASE("E3: a value is never looked at, so a name that only looks like one counts as a name") {
  CHECK_FALSE(is_scrubbed({}, ""));
  CHECK_FALSE(is_scrubbed({}, "GH_TOKEN=x"));
  CHECK_FALSE(is_scrubbed({}, "x=GH_TOKEN"));
}

TEST_CASE("E4: no protected name is ever removed") {
  for (const std::string_view name :
       {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "TERM", "TMPDIR", "TEMP",
        "TMP", "LANG", "LC_ALL", "LC_", "LC_MESSAGES", "TZ", "DISPLAY", "HOSTNAME", "NODE_ENV"}) {
    CAPTURE(name);
    CHECK_FALSE(is_scrubbed(with({}, {"*", "P*", "HOME"}), name));
  }
}

TEST_CASE("E5: ENV-01, ENV-02: well-known credentials are removed") {
  for (const std::string_view name :
       {"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY", "TWINE_PASSWORD", "VAULT_TOKEN", "DB_PASS", "DB_PASSWORD", "SMTP_PASS",
        "SMTP_PASSWORD", "MYSQL_PWD", "REDISCLI_AUTH", "PGPASSWORD", "PGPASSFILE"}) {
    CAPTURE(name);
    CHECK(is_scrubbed({}, name));
  }
}

TEST_CASE("E5: ENV-04, ENV-07: nothing that merely resembles a credential is removed") {
  for (const std::string_view name : {"KEYBOARD_LAYOUT",
                                      "MONKEY",
                                      "TOKENIZERS_PARALLELISM",
                                      "PASSENGER_COUNT",
                                      "AUTHOR",
                                      "KEYMAP",
                                      "npm_config_loglevel",
                                      "SSH_TTY",
                                      "COMPASS",
                                      "PATH",
                                      "HOME",
                                      "LANG",
                                      "LC_ALL",
                                      "TERM",
                                      "COLORTERM",
                                      "TZ",
                                      "XDG_CONFIG_HOME",
                                      "EDITOR",
                                      "MAKEFLAGS",
                                      "CI",
                                      "TMPDIR",
                                      "GIT_AUTHOR_NAME",
                                      "PASSWORD_STORE_DIR",
                                      "TOKEN_COUNT"}) {
    CAPTURE(name);
    CHECK_FALSE(is_scrubbed({}, name));
  }
}

TEST_CASE("E6: scrub keeps the order and says which rule removed a name") {
  const auto env = with({"NPM_TOKEN"}, {"MY_*", "GH_TOKEN"});
  const std::vector<std::string_view> names{"MY_B",     "PATH",  "NPM_TOKEN",
                                            "GH_TOKEN", "OTHER", "my_a"};
  const auto scrubbed = scrub(env, names);
  REQUIRE(scrubbed.size() == 3);
  CHECK(scrubbed[0].name == "MY_B");
  CHECK(scrubbed[0].origin == Origin{Layer::profile, "p.yml", 1});
  CHECK(scrubbed[1].name == "GH_TOKEN");
  // It would still be removed without line 2, so the built-in list is named.
  CHECK(scrubbed[1].origin == Origin{Layer::built_in_list, "", 0});
  CHECK(scrubbed[2].name == "my_a");
  CHECK(scrub(env, {}).empty());
}
