#include "run/supervise.hpp"

#include <cerrno>

#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/confined.hpp"

using pmg::adapters::SignalState;
using pmg::adapters::supervise;
using pmg::test::Child;

TEST_CASE("U1: what is returned is how the program ended") {
  constexpr int kCode = 3;
  const SignalState signals;
  const Child ends([] { return kCode; });
  const auto status = supervise(ends.pid(), signals);
  REQUIRE(status.has_value());
  CHECK(WIFEXITED(*status));
  CHECK(WEXITSTATUS(*status) == kCode);
}

TEST_CASE("U1: an end that is not known is an error, never success") {
  const SignalState signals;
  Child ends([] { return 3; });
  const pid_t pid = ends.pid();
  REQUIRE(ends.exit_code() == 3);  // taken: nobody can learn it again
  const auto status = supervise(pid, signals);
  REQUIRE_FALSE(status.has_value());
  CHECK(status.error().value == ECHILD);
}
