#include "adapters/config/managed_file.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "adapters/caller.hpp"
#include "adapters/config.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/package_manager.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

namespace {

using Environment = std::map<std::string, std::string, std::less<>>;

/// The directory of an administrator, who is whoever runs the test.
struct Etc {
  tests::TempDir dir;

  explicit Etc(std::string_view text) {
    dir.write("etc/pmg/config.yml", text);
    mode("etc", 0755);
    mode("etc/pmg", 0755);
    mode("etc/pmg/config.yml", 0644);
    dir.write("user/config.yml", "sandbox: {enforce_always: true}\n");
  }
  void mode(std::string_view below, mode_t bits) const {
    REQUIRE(::chmod(dir.path(below).c_str(), bits) == 0);
  }
  [[nodiscard]] ManagedFile file() const { return {dir.at("etc/pmg/config.yml"), ::getuid()}; }
  [[nodiscard]] tl::expected<SandboxConfig, LoadError> config(Environment environment = {}) const {
    return read_config(dir.at("user"), {std::move(environment), dir.at("proj"), 0, "/root", {}},
                       file());
  }
};

}  // namespace

TEST_CASE("CM1: the administrator's file replaces the user's") {
  const Etc etc("sandbox: {enabled: true, policy_templates: {own: {path: own.yml}}}\n");
  const auto config = etc.config();
  REQUIRE_MESSAGE(config.has_value(), to_message(config.error()));
  CHECK(config->source == ConfigSource::managed);
  CHECK(config->lockdown == Lockdown::off);
  CHECK(config->enabled == Switch::on);
  CHECK(config->enforce_always == Switch::off);
  CHECK(config->file == etc.dir.path("etc/pmg/config.yml"));
  CHECK(config->templates.at("own") == etc.dir.path("etc/pmg/own.yml"));
}

TEST_CASE("CM1: where there is none the user's counts") {
  const Etc etc("a: 1\n");
  SUBCASE("no file") { std::filesystem::remove(etc.dir.path("etc/pmg/config.yml")); }
  SUBCASE("no directory") { std::filesystem::remove_all(etc.dir.path("etc")); }
  const auto config = etc.config();
  REQUIRE(config.has_value());
  CHECK(config->source == ConfigSource::user);
  CHECK(config->enforce_always == Switch::on);
}

TEST_CASE("CM1: what others could have written is an error, never skipped") {
  const Etc etc("sandbox: {enabled: true}\n");
  const std::string file = etc.dir.path("etc/pmg/config.yml");
  LoadErrc expected = LoadErrc::unsafe_mode;
  SUBCASE("the group may write it") { etc.mode("etc/pmg/config.yml", 0664); }
  SUBCASE("everyone may write it") { etc.mode("etc/pmg/config.yml", 0646); }
  SUBCASE("the directory") { etc.mode("etc/pmg", 0777); }
  SUBCASE("the directory above") { etc.mode("etc", 01777); }
  SUBCASE("a symlink") {
    std::filesystem::remove(file);
    etc.dir.write("elsewhere", "a: 1\n");
    etc.dir.link(etc.dir.path("elsewhere"), "etc/pmg/config.yml");
    expected = LoadErrc::unsafe_kind;
  }
  SUBCASE("a dangling symlink") {
    std::filesystem::remove(file);
    etc.dir.link("/nonexistent", "etc/pmg/config.yml");
    expected = LoadErrc::unsafe_kind;
  }
  SUBCASE("a file for a directory") {
    std::filesystem::remove_all(etc.dir.path("etc/pmg"));
    etc.dir.write("etc/pmg", "");
    expected = LoadErrc::unsafe_kind;
  }
  SUBCASE("a dangling symlink for a directory: what it holds is not mounted") {
    std::filesystem::remove_all(etc.dir.path("etc/pmg"));
    etc.dir.link("/nonexistent", "etc/pmg");
    expected = LoadErrc::unsafe_kind;
  }
  SUBCASE("a symlink for a directory") {
    std::filesystem::rename(etc.dir.path("etc/pmg"), etc.dir.path("moved"));
    etc.dir.link(etc.dir.path("moved"), "etc/pmg");
    expected = LoadErrc::unsafe_kind;
  }
  SUBCASE("a directory") {
    std::filesystem::remove(file);
    etc.dir.make("etc/pmg/config.yml");
    expected = LoadErrc::unsafe_kind;
  }
  SUBCASE("a pipe: nothing waits for its other end") {
    std::filesystem::remove(file);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    expected = LoadErrc::unsafe_kind;
  }
  const auto config = etc.config();
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == expected);
  CHECK_FALSE(to_message(config.error()).empty());
}

TEST_CASE("CM1: a file of somebody else is an error") {
  const Etc etc("sandbox: {enabled: true}\n");
  const auto text = read_managed({etc.file().path, ::getuid() + 1});
  REQUIRE_FALSE(text.has_value());
  CHECK(text.error().code == LoadErrc::unsafe_owner);
  CHECK(ManagedFile::of_system().owner == 0);
  CHECK(ManagedFile::of_system().path.text() == "/etc/safedep/pmg/config.yml");
}

TEST_CASE("CM1: a mistake in it is an error, and never the user's file") {
  for (const std::string_view text :
       {"", "sandbox: [", "sandbox: {enabeld: true}\n", "global_lockdown: maybe\n",
        "global_lockdown: \"true\"\n", "global_lockdown: 1\n", "global_lockdown:\n",
        "global_lockdwon: true\n", "Global_Lockdown: true\n", "sandbx: {enabled: true}\n"}) {
    CAPTURE(text);
    const Etc etc(text);
    const auto config = etc.config();
    REQUIRE_FALSE(config.has_value());
    CHECK(config.error().file == etc.dir.path("etc/pmg/config.yml"));
  }
}

TEST_CASE("CM2: under lockdown no variable counts") {
  const Environment variables{{"PMG_SANDBOX_ENABLED", "false"},
                              {"PMG_SANDBOX_ENFORCE_ALWAYS", "maybe"},
                              {"PMG_SANDBOX_POLICIES_NPM_ENABLED", "false"},
                              {"PMG_SANDBOX_POLICIES_NPM_PROFILE", "mine"}};
  const Etc locked("global_lockdown: true\nsandbox: {enabled: true}\n");
  const auto config = locked.config(variables);
  REQUIRE_MESSAGE(config.has_value(), to_message(config.error()));
  CHECK(config->lockdown == Lockdown::on);
  CHECK(config->enabled == Switch::on);
  const auto& npm = config->policies.at(domain::PackageManager::npm);
  CHECK(npm.enabled == Switch::on);
  CHECK(npm.profile == "npm");
}

TEST_CASE("CM2: a user cannot lock, and without lockdown variables count") {
  const tests::TempDir dir;
  dir.write("config.yml", "global_lockdown: true\nsandbox: {enabled: true}\n");
  const ManagedFile none{dir.at("none"), 0};
  const auto config = read_config(
      dir.at(""), {{{"PMG_SANDBOX_ENABLED", "false"}}, dir.at("proj"), 0, "/root", {}}, none);
  REQUIRE(config.has_value());
  CHECK(config->lockdown == Lockdown::off);
  CHECK(config->enabled == Switch::off);
}

TEST_CASE("CP1: variables go over the file, key by key") {
  const Etc etc("sandbox: {enabled: true, policies: {npm: {profile: a}, pip: {enabled: false}}}\n");
  using domain::PackageManager;
  const auto config = etc.config({{"PMG_SANDBOX_ENABLED", "0"},
                                  {"PMG_SANDBOX_ENFORCE_ALWAYS", "true"},
                                  {"PMG_SANDBOX_POLICIES_NPM_PROFILE", "b"},
                                  {"PMG_SANDBOX_POLICIES_PIP_ENABLED", "1"},
                                  {"PMG_SANDBOX_POLICIES_PIP3_ENABLED", "false"},
                                  {"PMG_SANDBOX_POLICIES_UV_PROFILE", ""}});
  REQUIRE(config.has_value());
  CHECK(config->enabled == Switch::off);
  CHECK(config->enforce_always == Switch::on);
  CHECK(config->policies.at(PackageManager::npm).profile == "b");
  CHECK(config->policies.at(PackageManager::pip).enabled == Switch::on);
  CHECK(config->policies.at(PackageManager::pip3).enabled == Switch::off);
  CHECK(config->policies.at(PackageManager::uv).profile == "uv");
  for (const std::string_view name :
       {"PMG_SANDBOX_ENABLED", "PMG_SANDBOX_ENFORCE_ALWAYS", "PMG_SANDBOX_POLICIES_GO_ENABLED"}) {
    const auto bad = etc.config({{std::string(name), "maybe"}});
    REQUIRE_FALSE(bad.has_value());
    CHECK(to_message(bad.error()) == "`" + std::string(name) + "` must be `true` or `false`");
  }
}

}  // namespace pmg::adapters
