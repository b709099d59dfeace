#include "platform/scratch.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace fs = std::filesystem;
using pmg::platform::remove_tree;
using pmg::platform::ScratchDirectory;

namespace {

ScratchDirectory made(const std::string& parent) {
  auto scratch = ScratchDirectory::make(parent, "pmg-scratch-");
  REQUIRE(scratch);
  return std::move(*scratch);
}

std::string temporary() { return fs::temp_directory_path().string(); }

}  // namespace

TEST_CASE("SC1: a scratch directory is private and goes with its value") {
  std::string path;
  {
    const ScratchDirectory outer = made(temporary());
    path = outer.path();
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0700);
    // Missing parents are made.
    const ScratchDirectory inner = made(path + "/a/b");
    CHECK(fs::is_directory(inner.path()));
    CHECK(inner.path() != made(path + "/a/b").path());
  }
  CHECK_FALSE(fs::exists(path));
  CHECK_FALSE(ScratchDirectory::make("/proc/nothing", "x"));
}

TEST_CASE("SC2: a tree is removed whatever is in it, and nothing else") {
  const ScratchDirectory place = made(temporary());
  const fs::path top = fs::path(place.path()) / "tree";
  fs::create_directories(top / "closed/below");
  std::ofstream(top / "closed/below/file") << "x";
  std::ofstream(fs::path(place.path()) / "kept") << "x";
  fs::create_directory_symlink("..", top / "up");
  fs::create_symlink("nowhere", top / "dangling");
  // Deeper than a path may be long.
  const std::string name(200, 'd');
  int at = ::open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < 30; ++i) {
    REQUIRE(::mkdirat(at, name.c_str(), 0700) == 0);
    const int next = ::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    ::close(at);
    at = next;
  }
  ::close(at);
  fs::permissions(top / "closed/below", fs::perms::none);
  fs::permissions(top / "closed", fs::perms::none);
  CHECK(remove_tree(top.string()));
  CHECK_FALSE(fs::exists(top));
  CHECK(fs::exists(fs::path(place.path()) / "kept"));
  CHECK(remove_tree(top.string()));  // what is not there is removed
  CHECK(remove_tree("/proc/self/status").error().error != 0);
}
