#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include <doctest/doctest.h>

#include "adapters/git/config_file.hpp"
#include "adapters/git/layout.hpp"
#include "domain/path.hpp"
#include "temp_dir.hpp"

namespace pmg::adapters {

namespace {

std::uint32_t user_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_uid;
}

tl::expected<GitLayout, GitLimit> read_layout(const tests::TempDir& dir, std::string_view cwd) {
  return read_git_layout(
      {dir.at(cwd), dir.at("home"), dir.at("home/.config"), user_of(dir.root())});
}

GitLayout layout_of(const tests::TempDir& dir, std::string_view cwd) {
  auto layout = read_layout(dir, cwd);
  REQUIRE(layout.has_value());
  return std::move(*layout);
}

std::vector<std::string> texts(const std::vector<domain::AbsolutePath>& paths) {
  std::vector<std::string> all;
  for (const auto& path : paths) {
    all.push_back(path.text());
  }
  return all;
}

bool contains(const std::vector<domain::AbsolutePath>& paths, const std::string& text) {
  const auto all = texts(paths);
  return std::ranges::find(all, text) != all.end();
}

void make_repository(const tests::TempDir& dir, const std::string& git_directory) {
  dir.make(git_directory + "/objects");
  dir.make(git_directory + "/refs");
  dir.write(git_directory + "/HEAD", "ref: refs/heads/main\n");
  dir.write(git_directory + "/config", "[core]\n\tbare = false\n");
}

/// A linked worktree at `proj` of the repository whose git directory is `common`.
void link_worktree(const tests::TempDir& dir, const std::string& common) {
  dir.write(common + "/worktrees/proj/commondir", "../..\n");
  dir.write(common + "/worktrees/proj/gitdir", dir.path("proj/.git") + "\n");
  dir.write(common + "/worktrees/proj/HEAD", "ref: refs/heads/w\n");
  dir.write("proj/.git", "gitdir: " + dir.path(common + "/worktrees/proj") + "\n");
}

}  // namespace

TEST_CASE("L2: a registered worktree gives the common directory") {
  const tests::TempDir dir;
  make_repository(dir, "main/.git");
  link_worktree(dir, "main/.git");
  const std::vector<std::string> expected{dir.path("main/.git")};
  CHECK((texts(layout_of(dir, "proj").directories) == expected));

  SUBCASE("from a directory inside it") {
    dir.make("proj/a/b");
    CHECK((texts(layout_of(dir, "proj/a/b").directories) == expected));
  }
  SUBCASE("with relative pointers both ways, as newer versions of git write") {
    dir.write("proj/.git", "gitdir: ../main/.git/worktrees/proj\n");
    dir.write("main/.git/worktrees/proj/gitdir", "../../../../proj/.git\n");
    CHECK((texts(layout_of(dir, "proj").directories) == expected));
  }
  SUBCASE("from a working directory named through a symlink") {
    dir.link("proj", "alias");
    CHECK((texts(layout_of(dir, "alias").directories) == expected));
  }
}

TEST_CASE("L2: the same for a bare repository (FSA-17)") {
  const tests::TempDir dir;
  make_repository(dir, "bare.git");
  link_worktree(dir, "bare.git");
  dir.write("proj/.git", "gitdir: ../bare.git/worktrees/proj\n");
  CHECK((texts(layout_of(dir, "proj").directories) ==
         std::vector<std::string>{dir.path("bare.git")}));
}

TEST_CASE("L2: a submodule gives its git directory, if that names the directory") {
  const tests::TempDir dir;
  make_repository(dir, "super/.git");
  make_repository(dir, "super/.git/modules/sub");
  dir.write("super/.git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n");
  dir.write("super/sub/.git", "gitdir: ../.git/modules/sub\n");
  CHECK((texts(layout_of(dir, "super/sub").directories) ==
         std::vector<std::string>{dir.path("super/.git/modules/sub")}));
  dir.write("super/.git/modules/sub/config", "[core]\n\tworktree = ../../../other\n");
  CHECK(layout_of(dir, "super/sub").directories.empty());
}

TEST_CASE("L2: a pointer that is not confirmed grants nothing (FSD-35)") {
  const tests::TempDir dir;
  dir.make("proj");
  make_repository(dir, "main/.git");
  SUBCASE("into a directory of secrets, with a planted commondir") {
    dir.write("home/.ssh/id", "secret");
    dir.write("home/.ssh/commondir", dir.path("home"));
    dir.write("proj/.git", "gitdir: " + dir.path("home/.ssh") + "\n");
  }
  SUBCASE("to another worktree's registration") {
    link_worktree(dir, "main/.git");
    dir.write("main/.git/worktrees/proj/gitdir", dir.path("elsewhere/.git") + "\n");
    dir.make("elsewhere");
  }
  SUBCASE("a chain inside the project whose commondir leads out") {
    make_repository(dir, "home/target");
    dir.write("proj/fake/worktrees/x/gitdir", dir.path("proj/.git") + "\n");
    dir.write("proj/fake/worktrees/x/commondir", dir.path("home/target") + "\n");
    dir.write("proj/.git", "gitdir: fake/worktrees/x\n");
  }
  SUBCASE("`.git` is a symlink to another worktree's pointer") {
    link_worktree(dir, "main/.git");
    std::filesystem::rename(dir.path("proj/.git"), dir.path("real-git"));
    dir.link(dir.path("real-git"), "proj/.git");
  }
  SUBCASE("`.git` is a symlink to a repository") { dir.link("../main/.git", "proj/.git"); }
  SUBCASE("a separate git directory that does not point back") {
    dir.write("proj/.git", "gitdir: ../main/.git\n");
  }
  SUBCASE("to nothing") { dir.write("proj/.git", "gitdir: /nonexistent\n"); }
  SUBCASE("malformed") { dir.write("proj/.git", "gitdir ../main/.git\n"); }
  SUBCASE("a dangling symlink") { dir.link("/nonexistent", "proj/.git"); }
  CHECK(layout_of(dir, "proj").directories.empty());
}

TEST_CASE("L3: a parent's repository counts, HOME's and a stranger's do not") {
  const tests::TempDir dir;
  make_repository(dir, "home/repo/.git");
  dir.make("home/repo/sub");
  dir.make("home/plain/sub");
  CHECK((texts(layout_of(dir, "home/repo/sub").directories) ==
         std::vector<std::string>{dir.path("home/repo/.git")}));
  CHECK(layout_of(dir, "home/repo").directories.empty());  // inside the working directory
  make_repository(dir, "home/.git");
  CHECK(layout_of(dir, "home/plain/sub").directories.empty());
  const auto stranger = read_git_layout(
      {dir.at("home/repo/sub"), dir.at("home"), dir.at("home/.config"), user_of(dir.root()) + 1});
  REQUIRE(stranger.has_value());
  CHECK(stranger->directories.empty());
}

TEST_CASE("core.hooksPath directories are found, devices are not") {
  const tests::TempDir dir;
  make_repository(dir, "proj/.git");
  dir.make("proj/.husky");
  dir.write("proj/.git/config", "[core]\n\thooksPath = .husky\n");
  dir.write("home/.gitconfig", "[Core]\n HOOKSPATH = ~/hooks # mine\n");
  dir.write("home/.config/git/config", "[core]\nhookspath=\"/dev/null\"\n");
  const GitLayout layout = layout_of(dir, "proj");
  CHECK(contains(layout.hooks, dir.path("proj/.husky")));
  CHECK(contains(layout.hooks, dir.path("home/hooks")));
  CHECK_FALSE(contains(layout.hooks, "/dev/null"));
}

TEST_CASE("L4: files that a configuration includes are found, also what they include") {
  const tests::TempDir dir;
  make_repository(dir, "proj/.git");
  dir.write("proj/.git/config",
            "[include]\n\tpath = ../shared.gitconfig\n[includeIf \"onbranch:x\"]\n\tpath = absent\n"
            "[IncludeIf \"gitdir:/elsewhere/\"] Path = " +
                dir.path("proj/other") + "\n[include \"no\"]\n\tpath = wrong\n");
  dir.write("proj/shared.gitconfig", "[include] path = deeper/config\n[include] path = \n");
  dir.write("proj/deeper/config",
            "[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../shared.gitconfig\n");
  dir.write("home/.gitconfig", "[include]\n\tpath = ~/work.gitconfig\n");
  const auto layout = layout_of(dir, "proj");
  for (const char* file : {"proj/shared.gitconfig", "proj/.git/absent", "proj/other",
                           "proj/deeper/config", "home/work.gitconfig", "proj/tools/hooks"}) {
    CAPTURE(file);
    CHECK(contains(layout.hooks, dir.path(file)));
  }
  CHECK_FALSE(contains(layout.hooks, dir.path("proj/.git/wrong")));
  CHECK_FALSE(contains(layout.hooks, dir.path("proj/.git/config")));
}

TEST_CASE("what runs programs in a submodule's git directory is protected from the outside") {
  const tests::TempDir dir;
  make_repository(dir, "proj/.git");
  make_repository(dir, "proj/.git/modules/a/b");
  const GitLayout layout = layout_of(dir, "proj");
  CHECK(contains(layout.hooks, dir.path("proj/.git/modules/a/b/hooks")));
  CHECK(contains(layout.hooks, dir.path("proj/.git/modules/a/b/config")));
  CHECK_FALSE(contains(layout.hooks, dir.path("proj/.git/hooks")));
}

namespace {

void check_refused(const tests::TempDir& dir, GitLimitErrc code, const std::string& path) {
  const auto layout = read_layout(dir, "proj");
  REQUIRE_FALSE(layout.has_value());
  CHECK(layout.error().code == code);
  CHECK(layout.error().path.text() == dir.path(path));
}

}  // namespace

TEST_CASE("L5: what is too much to be looked through is an error, and as much as fits is not") {
  const tests::TempDir dir;
  make_repository(dir, "proj/.git");
  constexpr std::size_t kLargest = 1U << 20U;
  const std::string hooks = "[core]\n\thooksPath = tools/hooks\n";

  SUBCASE("a configuration of the largest size") {
    dir.write("proj/.git/config", hooks + std::string(kLargest - hooks.size() - 1, '#') + "\n");
    CHECK(contains(layout_of(dir, "proj").hooks, dir.path("proj/tools/hooks")));
  }
  SUBCASE("one byte more") {
    dir.write("proj/.git/config", hooks + std::string(kLargest - hooks.size(), '#') + "\n");
    check_refused(dir, GitLimitErrc::large_file, "proj/.git/config");
  }
  SUBCASE("a large file that is included") {
    dir.write("proj/.git/config", "[include]\n\tpath = ../more\n");
    dir.write("proj/more", std::string(2 * kLargest, '\n') + hooks);
    check_refused(dir, GitLimitErrc::large_file, "proj/more");
  }
  SUBCASE("many files that are included") {
    constexpr int kOwn = 5;  // the machine's, two of the user, two of the repository
    std::string includes;
    for (int i = 0; i < 256 - kOwn; ++i) {
      includes += "[include]\n\tpath = ../i" + std::to_string(i) + "\n";
    }
    dir.write("proj/.git/config", includes);
    CHECK(contains(layout_of(dir, "proj").hooks, dir.path("proj/i250")));
    dir.write("proj/i250", "[include]\n\tpath = one-more\n");
    const auto layout = read_layout(dir, "proj");
    REQUIRE_FALSE(layout.has_value());
    CHECK(layout.error().code == GitLimitErrc::many_files);
  }
  SUBCASE("many entries of submodules") {
    make_repository(dir, "proj/.git/modules/a");
    CHECK(contains(layout_of(dir, "proj").hooks, dir.path("proj/.git/modules/a/hooks")));
    for (int i = 0; i < 20'000; ++i) {
      dir.write("proj/.git/modules/junk" + std::to_string(i), "");
    }
    check_refused(dir, GitLimitErrc::many_entries, "proj/.git/modules");
  }
  SUBCASE("no submodules, or a file in their place") {
    dir.write("proj/.git/modules", "");
    (void)layout_of(dir, "proj");
  }
}

TEST_CASE("values of git configurations") {
  struct Row {
    const char* text;
    const char* value;  ///< null: none
    const char* why;
  };
  const Row rows[] = {
      {"[core]\nhooksPath=a\n", "a", "plain"},
      {"[CORE]\n\thookspath = a\n", "a", "without case"},
      {"[core] hooksPath = a", "a", "on the line of the section"},
      {"[core]\nhooksPath = a b  \n", "a b", "blanks at the end"},
      {"[core]\nhooksPath = \" a \"\n", " a ", "quoted blanks"},
      {"[core]\nhooksPath = a # b\n", "a", "a comment"},
      {"[core]\nhooksPath = \"a # b\" ; c\n", "a # b", "not a comment"},
      {"[core]\nhooksPath = a\\\n b\n", "a b", "a continued line"},
      {"[core]\nhooksPath = a\\\\b\\\"c\n", "a\\b\"c", "escapes"},
      {"[core]\nhooksPath = a\nhooksPath = b\n", "b", "the last wins"},
      {"[core]\nhooksPath\n", "", "no value"},
      {"[core]\r\nhooksPath = a\r\n", "a", "line ends of DOS"},
      {"; c\n# d\n[x]\nhooksPath = z\n[core]\nhooksPath = a\n", "a", "another section"},
      {"[core \"x\"]\nhooksPath = a\n", nullptr, "a subsection"},
      {"[core]\nhooksPath = \"a\n", nullptr, "an unclosed quote"},
      {"[core]\nhooksPath = a\\q\n", nullptr, "an unknown escape"},
      {"[core\nhooksPath = a\n", nullptr, "an unclosed section"},
      {"[remote \"a]\\\"b\"]\nurl = c\n[core]\nhooksPath = a\n", "a", "behind an odd subsection"},
      {"", nullptr, "nothing"},
      {"hooksPath = a\n", nullptr, "no section"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.why));
    const auto value = git_value(row.text, "core", "hooksPath");
    CHECK(value.has_value() == (row.value != nullptr));
    if (value && row.value != nullptr) {
      CHECK(*value == row.value);
    }
  }
}

}  // namespace pmg::adapters
