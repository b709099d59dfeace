#include "platform/descriptor_room.hpp"

#include <cerrno>
#include <functional>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace pmg::platform;

namespace {

constexpr int kLast = 30;

// In a process of its own, which stops after `prepare`: whether room is as expected, and whether a
// descriptor can really be had. 0 where both say the same.
int disagreement(const std::function<void()>& prepare, DescriptorRoom expected) {
  const pid_t child = ::fork();
  if (child == 0) {
    prepare();
    (void)::raise(SIGSTOP);
    ::_exit((::dup(0) >= 0) == (expected == DescriptorRoom::left) ? 0 : 1);
  }
  int status = 0;
  (void)::waitpid(child, &status, WUNTRACED);
  const auto room = descriptor_room(child);
  (void)::kill(child, SIGCONT);
  (void)::waitpid(child, &status, 0);
  return room && *room == expected && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void limit_to(rlim_t count) {
  const rlimit limit{count, count};
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Takes every number below `end`.
void fill(int end) {
  for (int number = 3; number < end; ++number) {
    (void)::dup2(0, number);
  }
}

}  // namespace

TEST_CASE("M7: a process has room for a descriptor as long as it can open one") {
  struct Row {
    std::function<void()> prepare;
    DescriptorRoom room;
    const char* why;
  };
  for (const Row& row : {
           Row{[] {}, DescriptorRoom::left, "as it was started"},
           Row{[] { fill(kLast), limit_to(kLast); }, DescriptorRoom::none, "all are in use"},
           Row{[] { fill(kLast), limit_to(kLast + 1); }, DescriptorRoom::left, "all but the last"},
           Row{[] { fill(kLast), (void)::close(7), limit_to(kLast); }, DescriptorRoom::left,
               "one in the middle"},
           Row{[] { fill(2 * kLast), (void)::close(7), limit_to(kLast); }, DescriptorRoom::left,
               "many lie beyond a limit that was lowered, and one below is free"},
           Row{[] { fill(2 * kLast), (void)::close(kLast + 1), limit_to(kLast); },
               DescriptorRoom::none, "what is free lies beyond the limit"},
           Row{[] { limit_to(0); }, DescriptorRoom::none, "no number at all"},
       }) {
    CAPTURE(row.why);
    CHECK(disagreement(row.prepare, row.room) == 0);
  }
}

TEST_CASE("M7: of a process that has ended nothing is known") {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(0);
  }
  (void)::waitpid(child, nullptr, 0);
  const auto room = descriptor_room(child);
  REQUIRE_FALSE(room.has_value());
  CHECK(room.error().value == ESRCH);
}
