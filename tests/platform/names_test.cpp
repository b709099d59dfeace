#include "platform/names.hpp"

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "platform/files.hpp"

using namespace pmg::platform;

namespace {

Names names_of(const char* directory) {
  const auto fd = open_at(AT_FDCWD, directory, O_PATH | O_DIRECTORY, 0);
  REQUIRE(fd.has_value());
  return names_in(*fd);
}

}  // namespace

TEST_CASE("W1: file systems that tell names by their bytes are known") {
  CHECK(names_of("/proc") == Names::by_bytes);
  CHECK(names_of("/sys") == Names::by_bytes);
  CHECK(names_of("/dev/shm") == Names::by_bytes);
  CHECK(names_along("/proc/self/x") == Names::by_bytes);
  CHECK(names_along("/proc") == names_of("/"));
  CHECK(names_along("/") == names_of("/"));
}

TEST_CASE("W1: what cannot be asked may fold") {
  CHECK(names_in(UniqueFd()) == Names::may_fold);
  CHECK(names_along("/sys/no-such-directory/x") == Names::missing);
  CHECK(names_along("/dev/null/x") == Names::missing);
  // A pipe is on no file system that has names.
  int ends[2] = {-1, -1};  // NOLINT(*-avoid-c-arrays): the type of pipe2(2)
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd in(ends[0]);
  const UniqueFd out(ends[1]);
  CHECK(names_in(in) == Names::may_fold);
}

TEST_CASE("W1: symlinks are followed, but not beyond procfs") {
  CHECK(names_along("/proc/self/fd/no-such-number/x") == Names::by_bytes);
  std::string directory = "/dev/shm/pmg-names-XXXXXX";
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  REQUIRE(::symlink("nowhere", (directory + "/dangling").c_str()) == 0);
  REQUIRE(::symlink("/proc", (directory + "/proc").c_str()) == 0);
  const Names above = names_along(directory + "/x");
  CHECK(names_along(directory + "/proc/x") == above);
  CHECK(names_along(directory + "/dangling/x") == Names::missing);
  CHECK(::unlink((directory + "/dangling").c_str()) == 0);
  CHECK(::unlink((directory + "/proc").c_str()) == 0);
  CHECK(::rmdir(directory.c_str()) == 0);
}
