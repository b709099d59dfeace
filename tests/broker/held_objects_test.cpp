#include <cerrno>
#include <cstddef>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/shared.hpp"
#include "broker/world.hpp"
#include "platform/files.hpp"
#include "platform/unique_fd.hpp"

using pmg::adapters::broker::HeldObjects;
using pmg::platform::UniqueFd;
using pmg::test::World;

namespace {

constexpr std::size_t kLimit = 200;

UniqueFd make(const std::string& path) {
  return UniqueFd{::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
}
UniqueFd name_only(const std::string& path) {
  return UniqueFd{::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
}
struct stat status(const std::string& path) {
  const auto info = pmg::platform::status_at(AT_FDCWD, path.c_str());
  REQUIRE(info.has_value());
  return *info;
}

}  // namespace

TEST_CASE("B7: what is held is known under each of its names, and nothing else is") {
  const World world;
  const std::string file = world.root() + "/a/file";
  HeldObjects held(kLimit);
  CHECK_FALSE(held.contains(status(file)));
  REQUIRE(held.hold(name_only(file)).has_value());
  CHECK(held.contains(status(file)));
  CHECK_FALSE(held.contains(status(world.root() + "/a")));
  CHECK_FALSE(held.contains(status(world.root() + "/a/link")));  // the symlink, not its target
  REQUIRE(::link(file.c_str(), (world.root() + "/again").c_str()) == 0);
  CHECK(held.contains(status(world.root() + "/again")));
  REQUIRE(::unlink(file.c_str()) == 0);
  CHECK(held.contains(status(world.root() + "/again")));
}

TEST_CASE("B7: what has lost its last name is known no longer") {
  const World world;
  const std::string file = world.root() + "/a/file";
  HeldObjects held(kLimit);
  const auto before = status(file);
  REQUIRE(held.hold(name_only(file)).has_value());
  REQUIRE(::unlink(file.c_str()) == 0);
  CHECK_FALSE(held.contains(before));
}

TEST_CASE("B7: the number of a held object does not come to mean another one") {
  const World world;
  const std::string file = world.root() + "/a/file";
  HeldObjects held(kLimit);
  REQUIRE(held.hold(name_only(file)).has_value());
  const auto before = status(file);
  REQUIRE(::unlink(file.c_str()) == 0);
  constexpr int kNewFiles = 64;
  for (int i = 0; i < kNewFiles; ++i) {
    const std::string path = world.root() + "/new" + std::to_string(i);
    REQUIRE(make(path));
    CHECK(status(path).st_ino != before.st_ino);
    CHECK_FALSE(held.contains(status(path)));
  }
  // Holding something else lets go of it. Whoever gets the number now is not held.
  REQUIRE(held.hold(name_only(world.root() + "/new0")).has_value());
  for (int i = 0; i < kNewFiles; ++i) {
    const std::string path = world.root() + "/late" + std::to_string(i);
    REQUIRE(make(path));
    CHECK_FALSE(held.contains(status(path)));
  }
  CHECK(held.contains(status(world.root() + "/new0")));
}

TEST_CASE("B7: too many are refused, and what lost its name makes room") {
  const World world;
  HeldObjects held(kLimit);
  const auto path = [&](std::size_t i) { return world.root() + "/f" + std::to_string(i); };
  constexpr std::size_t kMore = 2 * kLimit;
  std::size_t count = 0;
  int error = 0;
  for (; count < kMore && error == 0; ++count) {
    REQUIRE(make(path(count)));
    if (const auto done = held.hold(name_only(path(count))); !done) {
      error = done.error().value;
    }
  }
  REQUIRE(error == ENFILE);
  CHECK(count == kLimit + 1);
  CHECK_FALSE(held.has_room());
  CHECK_FALSE(held.contains(status(path(count - 1))));
  CHECK(held.contains(status(path(0))));
  REQUIRE(::unlink(path(0).c_str()) == 0);
  CHECK(held.has_room());
  CHECK(held.hold(name_only(path(count - 1))).has_value());
  CHECK(held.contains(status(path(count - 1))));
}

TEST_CASE("B7: what is no object is refused") {
  HeldObjects held(kLimit);
  CHECK(held.hold(UniqueFd{}).error().value == EBADF);
}
