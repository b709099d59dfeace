#include "domain/mandatory.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "domain/pattern.hpp"
#include "domain/rules.hpp"

using namespace pmg::domain;

namespace {

template <class Range>
bool has(const Range& range, std::string_view word) {
  return std::ranges::find(range, word) != range.end();
}

template <class Range>
bool is_distinct(const Range& range) {
  return std::set<std::string_view>(range.begin(), range.end()).size() == range.size();
}

}  // namespace

TEST_CASE("M1: the credential names are all there") {
  for (const std::string_view name :
       {".env", ".env.*", ".aws", ".azure", ".gcloud", ".config/gcloud", ".kube", ".ssh", ".gnupg",
        ".docker/config.json", ".netrc", ".git-credentials", ".pgpass", ".config/gh"}) {
    CAPTURE(name);
    CHECK(has(credential_names(), name));
  }
  CHECK(is_distinct(credential_names()));
}

TEST_CASE("M2: FSD-19, PRO-02, PRS-01: what runs later is on the write-only list") {
  for (const std::string_view name : {".bashrc",
                                      ".bash_profile",
                                      ".bash_login",
                                      ".bash_logout",
                                      ".bash_aliases",
                                      ".profile",
                                      ".zshrc",
                                      ".zprofile",
                                      ".zshenv",
                                      ".zlogin",
                                      ".zlogout",
                                      ".gitconfig",
                                      ".config/git",
                                      ".config/fish",
                                      ".config/autostart",
                                      ".config/systemd",
                                      ".local/share/systemd",
                                      ".pam_environment",
                                      ".xprofile",
                                      ".xsessionrc",
                                      ".inputrc",
                                      ".claude/settings.json",
                                      ".claude/settings.local.json",
                                      ".claude/hooks",
                                      ".mcp.json",
                                      ".codex/config.toml",
                                      ".codex/hooks.json",
                                      ".gemini/settings.json",
                                      ".pi/settings.json",
                                      ".cursor/hooks.json",
                                      ".cursor/mcp.json"}) {
    CAPTURE(name);
    CHECK(has(startup_names(), name));
  }
  CHECK(is_distinct(startup_names()));
}

TEST_CASE(
    "M2: nothing readable is on the list of credentials, and no agent's whole state is held") {
  for (const std::string_view name : startup_names()) {
    CAPTURE(name);
    CHECK_FALSE(has(credential_names(), name));
  }
  for (const std::string_view name :
       {".claude", ".claude.json", ".codex", ".gemini", ".pi", ".cursor"}) {
    CAPTURE(name);
    CHECK_FALSE(has(startup_names(), name));  // sessions and logs stay writable
  }
}

TEST_CASE("M3: every name makes a pattern below HOME, below CWD and anywhere") {
  for (const auto names : {credential_names(), startup_names()}) {
    for (const std::string_view name : names) {
      CAPTURE(name);
      for (const char* prefix : {"${HOME}/", "${CWD}/", "**/"}) {
        const auto pattern = PatternTemplate::parse(prefix + std::string(name));
        REQUIRE(pattern.has_value());
        CHECK(pattern->text() == prefix + std::string(name));
      }
    }
  }
}

TEST_CASE("M3: only `.env.*` is a glob, and start-up names hold none") {
  for (const std::string_view name : credential_names()) {
    CAPTURE(name);
    CHECK((name.find_first_of("*?[") != std::string_view::npos) == (name == ".env.*"));
  }
  for (const std::string_view name : startup_names()) {
    CAPTURE(name);
    CHECK(name.find_first_of("*?[") == std::string_view::npos);
  }
}

TEST_CASE("M4: secret names are distinct, upper case, whole, and none is protected") {
  CHECK(is_distinct(secret_variables()));
  for (const std::string_view name : secret_variables()) {
    CAPTURE(name);
    CHECK(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
          std::string_view::npos);
    for (const std::string_view glob : protected_variables()) {
      CHECK_FALSE(glob_matches_ignoring_case(glob, name));
    }
  }
}
