#include "adapters/surroundings.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "adapters/caller.hpp"
#include "adapters/canonical.hpp"
#include "domain/compiled.hpp"
#include "domain/path.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

namespace {

constexpr std::uint32_t kNobody = 65534;

Caller caller_of(const tests::TempDir& dir,
                 std::map<std::string, std::string, std::less<>> environment) {
  environment.emplace("HOME", dir.path("home"));
  return {std::move(environment), dir.at("proj"), kNobody, "", std::nullopt};
}

std::vector<std::string> texts(const std::vector<domain::AbsolutePath>& paths) {
  std::vector<std::string> all;
  for (const auto& path : paths) {
    all.push_back(path.text());
  }
  return all;
}

}  // namespace

TEST_CASE("HOME: the variable, else the account; never relative, never the root (ENV-11)") {
  const tests::TempDir dir;
  dir.link("/", "slash");
  struct Row {
    std::string variable;
    std::string account;
    std::string home;  ///< empty: the error
    CallerErrc error;
    const char* why;
  };
  const Row rows[] = {
      {"/home/u", "/x", "/home/u", {}, "the variable"},
      {"/home//u/", "/x", "/home/u", {}, "with careless slashes"},
      {"/nonexistent", "/x", "/nonexistent", {}, "it need not exist"},
      {"", "/x", "/x", {}, "empty"},
      {"", "", "", CallerErrc::no_home, "nothing at all"},
      {"relative", "/x", "", CallerErrc::relative_home, "relative"},
      {"/", "/x", "", CallerErrc::root_home, "the root"},
      {"//", "/x", "", CallerErrc::root_home, "the root, twice"},
      {"/a/..", "/x", "", CallerErrc::root_home, "the root, by dots"},
      {dir.path("slash"), "/x", "", CallerErrc::root_home, "a symlink to the root"},
      {"", "/", "", CallerErrc::root_home, "an account of a daemon"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    const Caller caller{{{"HOME", row.variable}}, dir.at("proj"), kNobody, row.account, {}};
    const auto home = home_of(caller);
    REQUIRE(home.has_value() == !row.home.empty());
    if (home) {
      CHECK(home->text() == row.home);
    } else {
      CHECK(home.error().code == row.error);
    }
  }
  const Caller unset{{}, dir.at("proj"), kNobody, "/x", {}};
  CHECK(home_of(unset)->text() == "/x");
}

TEST_CASE("the directories of pmg follow PMG_*, then XDG_*, then HOME") {
  const tests::TempDir dir;
  const auto config = [&dir](std::map<std::string, std::string, std::less<>> environment) {
    const auto directories = state_directories(caller_of(dir, std::move(environment)));
    return directories ? directories->config.text() : to_message(directories.error());
  };
  CHECK(config({}) == dir.path("home/.config/safedep/pmg"));
  CHECK(config({{"XDG_CONFIG_HOME", "/x"}}) == "/x/safedep/pmg");
  CHECK(config({{"XDG_CONFIG_HOME", "x"}}) == dir.path("home/.config/safedep/pmg"));
  CHECK(config({{"PMG_CONFIG_DIR", "/p"}, {"XDG_CONFIG_HOME", "/x"}}) == "/p");
  CHECK(config({{"PMG_CONFIG_DIR", "p"}}).find("not an absolute path") != std::string::npos);
  const Caller sudo{{{"HOME", "/home/u"}, {"XDG_CONFIG_HOME", "/x"}, {"SUDO_USER", "u"}},
                    dir.at("proj"),
                    0,
                    "/root",
                    {}};
  CHECK(state_directories(sudo)->config.text() == "/root/.config/safedep/pmg");
}

TEST_CASE("TMPDIR is taken unless it would open the root or the home directory (ENV-10)") {
  const tests::TempDir dir;
  dir.make("home");
  dir.link("home", "alias");
  const auto tmpdir = [&dir](const std::string& value) {
    return read_surroundings(caller_of(dir, {{"TMPDIR", value}}))->variables.tmpdir.text();
  };
  CHECK(tmpdir("/x/y") == "/x/y");
  CHECK(tmpdir(dir.path("home/tmp")) == dir.path("home/tmp"));
  CHECK(tmpdir("") == "/tmp");
  CHECK(tmpdir("relative") == "/tmp");
  CHECK(tmpdir("/") == "/tmp");
  CHECK(tmpdir(dir.path("home")) == "/tmp");
  CHECK(tmpdir(dir.root()) == "/tmp");
  CHECK(tmpdir(dir.path("alias")) == "/tmp");
}

TEST_CASE("PATH: existing absolute directories that no policy makes writable") {
  const tests::TempDir dir;
  for (const char* name : {"home/bin", "proj/bin", "tmpd/bin", "other"}) {
    dir.make(name);
  }
  dir.link("proj/bin", "sneaky");
  // TempDir lies below /tmp, which is left out: use directories that every machine has.
  const Caller caller = caller_of(
      dir, {{"PATH", "/usr/bin::.:bin:/usr/bin/:/:/nonexistent:/tmp:" + dir.path("proj/bin") + ":" +
                         dir.path("sneaky") + ":" + dir.path("home") + ":/usr/sbin:/etc/passwd"}});
  const auto facts = read_surroundings(caller);
  REQUIRE(facts.has_value());
  CHECK((texts(facts->search_path) == std::vector<std::string>{"/usr/bin", "/usr/sbin"}));
}

TEST_CASE("pmg's own directories and binary are named") {
  const tests::TempDir dir;
  Caller caller = caller_of(dir, {});
  caller.own_binary = dir.at("pmg");
  const auto facts = read_surroundings(caller);
  REQUIRE(facts.has_value());
  CHECK((texts(facts->own_state) ==
         std::vector<std::string>{
             dir.path("home/.config/safedep/pmg"), dir.path("home/.cache/safedep/pmg"),
             dir.path("home/.local/share/safedep/pmg"), "/etc/safedep/pmg", dir.path("pmg")}));
}

TEST_CASE("GIT_* variables change nothing (ENV-08)") {
  const tests::TempDir dir;
  dir.make("home/.ssh/objects");
  dir.make("home/.ssh/refs");
  dir.write("home/.ssh/HEAD", "ref: x\n");
  const std::string target = dir.path("home/.ssh");
  const auto facts = read_surroundings(caller_of(
      dir, {{"GIT_DIR", target}, {"GIT_COMMON_DIR", target}, {"GIT_WORK_TREE", dir.path("home")}}));
  REQUIRE(facts.has_value());
  CHECK(facts->git_directories.empty());
}

TEST_CASE("the working directory is not the home directory, above it, or the root") {
  const tests::TempDir dir;
  dir.make("base/home/proj");
  dir.link("base/home", "alias");
  const auto check = [&dir](const domain::AbsolutePath& cwd) {
    return check_working_directory({dir.at("base/home"), cwd, dir.at("tmp")});
  };
  CHECK(check(dir.at("base/home/proj")).has_value());
  CHECK(check(dir.at("elsewhere")).has_value());
  CHECK(check(dir.at("base/home")).error() == WorkingDirectoryErrc::home);
  CHECK(check(dir.at("alias")).error() == WorkingDirectoryErrc::home);
  CHECK(check(dir.at("base")).error() == WorkingDirectoryErrc::above_home);
  CHECK(check(domain::AbsolutePath::root()).error() == WorkingDirectoryErrc::root);
}

TEST_CASE("canonical: a symlink leads to every place on its way, also to one that is missing") {
  const tests::TempDir dir;
  dir.write("real/end", "");
  dir.link("real", "folder");
  dir.link(dir.path("folder/step"), "chain");
  dir.link("end", "real/step");
  dir.link("folder/missing/file", "dangling");
  dir.link("loop/below", "loop");
  Canonicaliser canonicaliser;
  const auto links = [&](std::string_view name) {
    return texts(canonicaliser.links(dir.at(name)));
  };
  CHECK(links("chain") == std::vector{dir.path("real/step"), dir.path("real/end")});
  CHECK(links("folder") == std::vector{dir.path("real")});
  CHECK(links("dangling") == std::vector{dir.path("real/missing/file")});
  CHECK(links("real").empty());
  CHECK(links("real/end").empty());
  CHECK(links("new").empty());
  CHECK_FALSE(links("loop").empty());
}

TEST_CASE("canonical: the existing part is resolved, the rest kept") {
  const tests::TempDir dir;
  dir.make("real/sub");
  dir.link("real", "link");
  dir.link("/nonexistent", "dangling");
  dir.link("loop", "loop");
  CHECK(canonical(dir.at("link/sub")) == dir.at("real/sub"));
  CHECK(canonical(dir.at("link/new/file")) == dir.at("real/new/file"));
  CHECK(canonical(dir.at("dangling/x")) == dir.at("dangling/x"));
  CHECK(canonical(dir.at("loop")) == dir.at("loop"));
  CHECK(canonical(domain::AbsolutePath::root()).is_root());
}

TEST_CASE("read_caller takes PWD only where it names the working directory") {
  const tests::TempDir dir;
  const auto here = std::filesystem::current_path().string();
  dir.link(here, "alias");
  const auto cwd_for = [](const std::string& pwd) {
    const std::string entry = "PWD=" + pwd;
    const char* const environment[] = {"A=1", "A=2", "broken", entry.c_str(), nullptr};
    const auto caller = read_caller(kNobody, environment);
    REQUIRE(caller.has_value());
    CHECK(caller->variable("A") == "1");
    return caller->working_directory.text();
  };
  CHECK(cwd_for(dir.path("alias")) == dir.path("alias"));
  CHECK(cwd_for(dir.root()) == here);
  CHECK(cwd_for("relative") == here);
  CHECK(cwd_for("") == here);
}

}  // namespace pmg::adapters
