#include "broker/resolve.hpp"

#include <cerrno>
#include <string>

#include <linux/openat2.h>

#include <doctest/doctest.h>

#include "broker/world.hpp"

using namespace pmg::adapters::broker;
using pmg::test::SelfCaller;
using pmg::test::World;

namespace {

// "real|spelled", or the errno.
std::string resolved(const std::string& path, Follow follow, std::uint64_t flags = 0) {
  SelfCaller self(path, AT_FDCWD);
  auto request = self.request();
  if (!request) {
    return std::to_string(request.error().value);
  }
  request->resolve = flags;
  const auto object = resolve_object(*request, follow);
  return object ? object->real + "|" + object->spelled : std::to_string(object.error().value);
}

std::string same(const std::string& path) { return path + "|" + path; }

}  // namespace

TEST_CASE("B2: an object is known by its canonical name and by the text used") {
  const World world;
  const std::string& r = world.root();
  struct Row {
    std::string path;
    Follow follow;
    std::string want;
    const char* why;
  };
  const Row rows[] = {
      {r + "/a/file", Follow::yes, same(r + "/a/file"), "no symlink"},
      {r + "//a/./b/../file", Follow::yes, same(r + "/a/file"), "normalised by the kernel"},
      {r + "/a/link", Follow::yes, r + "/a/file|" + r + "/a/link", "a symlink"},
      {r + "/a/chain", Follow::yes, r + "/a/file|" + r + "/a/chain", "a chain"},
      {r + "/dirlink/file", Follow::yes, r + "/a/file|" + r + "/dirlink/file", "a directory link"},
      {r + "/absolute", Follow::yes, r + "/a/file|" + r + "/absolute", "an absolute link"},
      {r + "/a/link", Follow::no, same(r + "/a/link"), "the link itself"},
      {r + "/dirlink/link", Follow::no, r + "/a/link|" + r + "/dirlink/link", "link behind a link"},
      {r + "/dangling", Follow::yes, std::to_string(ENOENT), "nothing there"},
      {r + "/loop1", Follow::yes, std::to_string(ELOOP), "a loop"},
      {r + "/nothing", Follow::yes, std::to_string(ENOENT), "nothing there"},
      {r + "/a/file/x", Follow::yes, std::to_string(ENOTDIR), "a file is no directory"},
      {r + "/a/file/", Follow::yes, std::to_string(ENOTDIR), "a trailing slash means a directory"},
      {"", Follow::yes, std::to_string(ENOENT), "the empty path"},
      {"/", Follow::yes, same("/"), "the root"},
      {"/..", Follow::yes, same("/"), "above the root is the root"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CAPTURE(row.why);
    CHECK(resolved(row.path, row.follow) == row.want);
  }
}

TEST_CASE("B2: the walk in user space agrees with the kernel's") {
  const World world;
  const std::string& r = world.root();
  for (const char* const path :
       {"/a/file", "//a/./b/../file", "/a/link", "/a/chain", "/dirlink/file", "/absolute",
        "/dangling", "/loop1", "/nothing", "/a/file/x", "/a/file/", "/dirlink/b/..", "/a/b/"}) {
    for (const Follow follow : {Follow::no, Follow::yes}) {
      CAPTURE(path);
      SelfCaller self(r + path, AT_FDCWD);
      const auto request = self.request();
      REQUIRE(request.has_value());
      const auto kernel = resolve_object(*request, follow);
      const auto walked = walk_path(*request, request->path, follow);
      REQUIRE(kernel.has_value() == walked.has_value());
      if (kernel) {
        CHECK(kernel->real == walked->real);
      } else {
        CHECK(kernel.error() == walked.error());
      }
    }
  }
}

TEST_CASE("B2: relative paths start at the descriptor or the working directory of the caller") {
  const World world;
  const int dir = ::open((world.root() + "/a").c_str(), O_PATH | O_DIRECTORY);
  SelfCaller self("../a/file", dir);
  const auto request = self.request();
  REQUIRE(request.has_value());
  const auto object = resolve_object(*request, Follow::yes);
  REQUIRE(object.has_value());
  CHECK(object->real == world.root() + "/a/file");
  ::close(dir);
  constexpr int not_open = 9999;
  SelfCaller closed("file", not_open);
  CHECK(closed.request().error().value == EBADF);
}

TEST_CASE("B2: RESOLVE_ flags of openat2 are honoured") {
  const World world;
  const std::string& r = world.root();
  CHECK(resolved(r + "/a/link", Follow::yes, RESOLVE_NO_SYMLINKS) == std::to_string(ELOOP));
  const int dir = ::open(r.c_str(), O_PATH | O_DIRECTORY);
  SelfCaller escaping("a/../../..", dir);
  auto request = escaping.request();
  REQUIRE(request.has_value());
  request->resolve = RESOLVE_BENEATH;
  CHECK(resolve_object(*request, Follow::yes).error().value == EXDEV);
  SelfCaller inside("a/../../../a/file", dir);
  auto in_root = inside.request();
  REQUIRE(in_root.has_value());
  in_root->resolve = RESOLVE_IN_ROOT;
  const auto object = resolve_object(*in_root, Follow::yes);
  REQUIRE(object.has_value());
  CHECK(object->real == r + "/a/file");
  ::close(dir);
}

TEST_CASE("B4: /proc/self means the caller, and processes outside are not followed into") {
  const std::string self = "/proc/" + std::to_string(::getpid());
  CHECK(resolved("/proc/self/status", Follow::yes) == self + "/status|/proc/self/status");
  CHECK(resolved("/proc/thread-self/comm", Follow::yes) ==
        self + "/task/" + std::to_string(::gettid()) + "/comm|/proc/thread-self/comm");
  // This test is outside of any sandbox, so even its own magic links stay closed.
  CHECK(resolved("/proc/self/cwd/x", Follow::yes) == std::to_string(EACCES));
  CHECK(resolved("/proc/1/root/etc", Follow::yes) == std::to_string(EACCES));
  CHECK(resolved("/proc/self/fd/0", Follow::yes) == std::to_string(EACCES));
}

TEST_CASE("B2: a place is a directory and one name") {
  const World world;
  const std::string& r = world.root();
  struct Row {
    std::string path;
    std::string real;
    std::string name;
    const char* why;
  };
  const Row rows[] = {
      {r + "/new", r + "/new", "new", "an absent name"},
      {r + "/dirlink/new", r + "/a/new", "new", "the directory is resolved, the name is not"},
      {r + "/a/link", r + "/a/link", "link", "the link itself is named"},
      {r + "/new//", r + "/new", "new//", "slashes stay for the kernel to judge"},
      {r + "/a/..", r, "..", "dot-dot is left to the kernel"},
      {"/", "/", ".", "the root"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CAPTURE(row.why);
    SelfCaller self(row.path, AT_FDCWD);
    const auto request = self.request();
    REQUIRE(request.has_value());
    const auto place = resolve_place(*request);
    REQUIRE(place.has_value());
    CHECK(place->real == row.real);
    CHECK(place->name == row.name);
  }
}

TEST_CASE("B5: the umask is the caller's and is read again after a change") {
  const SelfCaller self("x", AT_FDCWD);
  const mode_t before = ::umask(0);
  ::umask(031);
  CHECK(self.caller().umask().value_or(0777) == 031);
  ::umask(before);
}
