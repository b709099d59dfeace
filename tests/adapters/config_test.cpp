#include "adapters/config.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <doctest/doctest.h>

#include "adapters/caller.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/package_manager.hpp"
#include "domain/path.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

namespace {

using domain::PackageManager;

tl::expected<SandboxConfig, LoadError> config_of(
    const tests::TempDir& dir, std::map<std::string, std::string, std::less<>> environment = {}) {
  return read_config(dir.at(""), {std::move(environment), dir.at("proj"), 0, "/root", {}},
                     {dir.at("none"), 0});
}

/// The profile's reference; "skipped" or the error's words otherwise.
std::string choice(const tests::TempDir& dir, PackageManager manager) {
  const auto config = config_of(dir);
  if (!config) {
    return to_message(config.error());
  }
  const auto chosen = choose_profile(*config, manager);
  REQUIRE(chosen.has_value());
  const auto* profile = std::get_if<ProfileReference>(&*chosen);
  return profile == nullptr ? "skipped" : profile->text;
}

}  // namespace

TEST_CASE("C1: without a file the sandbox is off and every manager has its own profile") {
  const tests::TempDir dir;
  const auto config = config_of(dir);
  REQUIRE(config.has_value());
  CHECK(config->enabled == Switch::off);
  CHECK(config->enforce_always == Switch::off);
  CHECK(choice(dir, PackageManager::npm) == "npm");
  CHECK(choice(dir, PackageManager::pnpx) == "npx");
  CHECK(choice(dir, PackageManager::pip3) == "pip");
  CHECK(choice(dir, PackageManager::go) == "go");
}

TEST_CASE("C2: the file's entries replace the defaults key by key; other sections are skipped") {
  const tests::TempDir dir;
  dir.write("config.yml",
            "proxy: {enabled: true, anything: [1, 2]}\n"
            "sandbox:\n"
            "  enabled: true\n"
            "  enforce_always: true\n"
            "  policy_templates:\n"
            "    mine: {path: ./mine.yml}\n"
            "    abs: {path: /etc/abs.yml}\n"
            "  policies:\n"
            "    npm: {enabled: true, profile: mine}\n"
            "    pnpm: {enabled: false}\n"
            "    yarn: {profile: abs}\n"
            "    bun: {profile: sub/bun.yml}\n"
            "    go: {profile: other}\n");
  const auto config = config_of(dir);
  REQUIRE_MESSAGE(config.has_value(), to_message(config.error()));
  CHECK(config->enabled == Switch::on);
  CHECK(config->enforce_always == Switch::on);
  CHECK(choice(dir, PackageManager::npm) == dir.path("mine.yml"));
  CHECK(choice(dir, PackageManager::pnpm) == "skipped");
  CHECK(choice(dir, PackageManager::yarn) == "/etc/abs.yml");
  CHECK(choice(dir, PackageManager::bun) == dir.path("sub/bun.yml"));
  CHECK(choice(dir, PackageManager::go) == "other");
  CHECK(choice(dir, PackageManager::uv) == "uv");
}

TEST_CASE("the names of older configurations mean the manager's own profile") {
  const tests::TempDir dir;
  const std::string policies =
      "  policies:\n"
      "    npm: {profile: npm-restrictive}\n"
      "    npx: {profile: npm-restrictive}\n"
      "    pnpm: {profile: pnpm-restrictive}\n"
      "    pip3: {profile: pypi-restrictive}\n"
      "    uv: {profile: pypi-restrictive}\n";
  dir.write("config.yml", "sandbox:\n" + policies);
  CHECK(choice(dir, PackageManager::npm) == "npm");
  CHECK(choice(dir, PackageManager::npx) == "npm-restrictive");
  CHECK(choice(dir, PackageManager::pnpm) == "pnpm");
  CHECK(choice(dir, PackageManager::pip3) == "pip");
  CHECK(choice(dir, PackageManager::uv) == "uv");
  dir.write("config.yml",
            "sandbox:\n  policy_templates: {npm-restrictive: {path: /t.yml}}\n" + policies);
  CHECK(choice(dir, PackageManager::npm) == "/t.yml");
}

TEST_CASE("C2: a mistake is an error, never the defaults") {
  struct Row {
    const char* text;
    const char* message;
    const char* why;
  };
  const Row rows[] = {
      {"", ": the file is empty", "an empty file: lost content"},
      {"sandbox: [", ":1:1: not valid YAML", "malformed"},
      {"sandbox: true\n", ":1:10: `sandbox` must be a mapping of keys", "a wrong type"},
      {"sandbox: {enabeld: true}\n", ":1:11: unknown key `enabeld`; did you mean `enabled`?",
       "a typing mistake"},
      {"sandbox: {enabled: maybe}\n", ":1:20: `enabled` must be `true` or `false`",
       "not a boolean"},
      {"sandbox: {enabled: }\n", ":1:20: `enabled` must be `true` or `false`", "no value"},
      {"sandbox: {policies: {nmp: {enabled: true}}}\n",
       ":1:22: unknown key `nmp`; did you mean `npm`?", "no such package manager"},
      {"sandbox: {policies: {npm: npm}}\n",
       ":1:27: `npm` must be a mapping with the keys `enabled` and `profile`", "text"},
      {"sandbox: {policies: {npm: {profile: }}}\n", ":1:37: `profile` must be text", "no profile"},
      {"sandbox: {policy_templates: {a: {}}}\n", ":1:30: the key `path` is missing", "no path"},
      {"sandbox: {policy_templates: {a: {file: b}}}\n", ":1:34: unknown key `file`", "other key"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    const tests::TempDir dir;
    dir.write("config.yml", row.text);
    const auto config = config_of(dir);
    REQUIRE_FALSE(config.has_value());
    const std::string message = to_message(config.error());
    CAPTURE(message);
    CHECK(message.starts_with(dir.path("config.yml") + row.message));
  }
}

TEST_CASE("C2: a configuration that is there but cannot be read is an error") {
  const tests::TempDir dir;
  SUBCASE("a directory") { dir.make("config.yml"); }
  SUBCASE("a dangling link") { dir.link("/nonexistent", "config.yml"); }
  CHECK_FALSE(config_of(dir).has_value());
}

TEST_CASE("variables go over the file") {
  const tests::TempDir dir;
  dir.write("config.yml", "sandbox: {enabled: true}\n");
  CHECK(config_of(dir, {{"PMG_SANDBOX_ENABLED", "false"}})->enabled == Switch::off);
  CHECK(config_of(dir, {{"PMG_SANDBOX_ENFORCE_ALWAYS", "1"}})->enforce_always == Switch::on);
  CHECK_FALSE(config_of(dir, {{"PMG_SANDBOX_ENABLED", "maybe"}}).has_value());
}

}  // namespace pmg::adapters
