#include "run/supervise.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/confined.hpp"
#include "broker/tree.hpp"

using pmg::adapters::end_tree;
using pmg::adapters::SignalState;
using pmg::adapters::supervise;
using pmg::adapters::broker::ProcessTree;
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

TEST_CASE("U2: what is out of the filter and not yet gone is waited for") {
  const SignalState signals;
  Child dying([] {
    constexpr useconds_t kMoment = 100'000;
    (void)::signal(SIGTERM, SIG_IGN);
    ::usleep(kMoment);
    return 0;
  });
  end_tree(ProcessTree::of_this_process(), signals, [] { return true; });
  CHECK(dying.exit_code() == -1);  // it was taken already
}

TEST_CASE("U2: a child that is none of the tree does not hold up the end") {
  const SignalState signals;
  const Child stays([] {
    ::pause();
    return 0;
  });
  const auto begin = std::chrono::steady_clock::now();
  end_tree(ProcessTree::of_this_process(), signals, [] { return true; });
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  CHECK(::kill(stays.pid(), 0) == 0);
}
