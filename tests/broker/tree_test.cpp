#include "broker/tree.hpp"

#include <array>

#include <sys/syscall.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/confined.hpp"

using pmg::adapters::broker::ProcessTree;
using pmg::test::Child;
using pmg::test::Confined;
using pmg::test::trap_getppid;
using pmg::test::Trapping;

namespace {

int wait_for_ever() {
  while (true) {
    (void)::pause();
  }
}

}  // namespace

TEST_CASE("B9: neither the broker, nor who started it, nor a child of another origin is inside") {
  const auto tree = ProcessTree::of_this_process();
  CHECK(tree.broker() == ::getpid());
  CHECK_FALSE(tree.is_inside(::getpid()));
  CHECK_FALSE(tree.is_inside(::getppid()));
  CHECK_FALSE(tree.is_inside(1));
  CHECK_FALSE(tree.is_inside(0));
  CHECK_FALSE(tree.is_inside(-1));
  const Child unfiltered(wait_for_ever);
  CHECK_FALSE(tree.is_inside(unfiltered.pid()));
}

TEST_CASE("B9: a child under a filter is inside until it has ended") {
  const auto tree = ProcessTree::of_this_process();
  Trapping child;
  const pid_t pid = child.child().pid();
  CHECK(tree.is_inside(pid));
  child.child().kill();
  CHECK_FALSE(tree.is_inside(pid));
}

TEST_CASE("B9: what a child starts is inside, and its threads are") {
  const auto tree = ProcessTree::of_this_process();
  // The grandchild tells who it is by being the one that calls.
  Confined child(trap_getppid(), [] {
    if (::fork() == 0) {
      (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
      (void)::syscall(SYS_getppid);
      wait_for_ever();
    }
    return wait_for_ever();
  });
  const auto call = child.listener().receive();
  REQUIRE(call.has_value());
  CHECK(call->thread != child.child().pid());
  CHECK(tree.is_inside(call->thread));
  CHECK(tree.is_inside(child.child().pid()));
}

TEST_CASE("B9: a filter alone does not make a process one of ours") {
  // The same child, seen from a process that is not its ancestor.
  Trapping child;
  const pid_t pid = child.child().pid();
  CHECK(ProcessTree::of_this_process().is_inside(pid));
  Child stranger([pid] { return ProcessTree::of_this_process().is_inside(pid) ? 1 : 0; });
  CHECK(stranger.exit_code() == 0);
}

TEST_CASE("B9: a filter of its own does not bring a process in whose parent is outside") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const Child shell([&] {
    Trapping confined;  // below a child of ours that has no filter
    const pid_t pid = confined.child().pid();
    (void)::write(ends[1], &pid, sizeof(pid));
    return wait_for_ever();
  });
  pid_t pid = 0;
  REQUIRE(::read(ends[0], &pid, sizeof(pid)) == sizeof(pid));
  CHECK_FALSE(ProcessTree::of_this_process().is_inside(pid));
  (void)::close(ends[0]);
  (void)::close(ends[1]);
}

TEST_CASE("B9: a broker that is filtered itself counts only what carries one filter more") {
  // Nested: the broker's own filters are not the tree's.
  Confined broker(trap_getppid(), [] {
    const auto tree = ProcessTree::of_this_process();
    const pid_t child = ::fork();
    if (child == 0) {
      wait_for_ever();
    }
    const bool inside = tree.is_inside(child);
    (void)::kill(child, SIGKILL);
    return inside ? 1 : 0;
  });
  CHECK(broker.child().exit_code() == 0);
}
