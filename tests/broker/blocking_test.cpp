#include "broker/blocking.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/confined.hpp"
#include "platform/unique_fd.hpp"

using namespace std::chrono_literals;
using pmg::adapters::broker::accept_interrupts;
using pmg::adapters::broker::BlockingCalls;
using pmg::adapters::broker::Interruptible;
using pmg::test::Confined;
using pmg::test::Trapping;

namespace {

using Started = BlockingCalls::Started;

constexpr int kAnswer = 7;
constexpr std::size_t kLimit = 256;

bool soon(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!holds() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(1ms);
  }
  return holds();
}

BlockingCalls::Waiting waiting_of(const Trapping& caller, const pmg::platform::Notification& call) {
  return {caller.listener(), call.id, call.thread};
}

// Reading from it waits until somebody writes.
class Pipe {
 public:
  Pipe() { REQUIRE(::pipe(ends_.data()) == 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    (void)::close(ends_[0]);
    (void)::close(ends_[1]);
  }
  /// 0, or the errno.
  [[nodiscard]] int wait() const {
    char byte = 0;
    return ::read(ends_[0], &byte, 1) == 1 ? 0 : errno;
  }
  void write() const { REQUIRE(::write(ends_[1], "x", 1) == 1); }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("B8: work is left alone while its caller waits, and then answers") {
  accept_interrupts();
  const Pipe pipe;
  Trapping caller;
  const auto call = caller.listener().receive();
  REQUIRE(call.has_value());
  std::atomic<int> outcome{-1};
  BlockingCalls calls(kLimit);
  REQUIRE(calls.start(waiting_of(caller, *call), [&] {
    const int error = [&] {
      const Interruptible now;
      return pipe.wait();
    }();
    caller.listener().answer(call->id, kAnswer);
    outcome = error;
  }) == Started::yes);
  std::this_thread::sleep_for(100ms);  // some rounds of the watcher
  CHECK(outcome == -1);
  pipe.write();
  CHECK(soon([&] { return outcome == 0; }));
  CHECK(caller.child().exit_code() == kAnswer);
}

TEST_CASE("B8: work is interrupted when its caller is gone") {
  accept_interrupts();
  const Pipe pipe;
  Trapping gone;
  Trapping stays;
  const auto first = gone.listener().receive();
  const auto second = stays.listener().receive();
  REQUIRE(first.has_value());
  REQUIRE(second.has_value());
  std::atomic<int> outcome{-1};
  std::atomic<int> other{-1};
  BlockingCalls calls(kLimit);
  const auto wait = [&](std::atomic<int>& result) {
    return [&] {
      const Interruptible now;
      result = pipe.wait();
    };
  };
  REQUIRE(calls.start(waiting_of(gone, *first), wait(outcome)) == Started::yes);
  REQUIRE(calls.start(waiting_of(stays, *second), wait(other)) == Started::yes);
  std::this_thread::sleep_for(30ms);
  CHECK(outcome == -1);
  gone.child().kill();
  CHECK(soon([&] { return outcome == EINTR; }));
  CHECK(other == -1);  // and nobody else's
  calls.stop();
  CHECK(other == EINTR);
}

TEST_CASE("B8: only the interruptible part is interrupted") {
  accept_interrupts();
  const Pipe pipe;
  Trapping gone;
  const auto call = gone.listener().receive();
  REQUIRE(call.has_value());
  std::atomic<int> answering{-1};
  BlockingCalls calls(kLimit);
  REQUIRE(calls.start(waiting_of(gone, *call), [&] { answering = pipe.wait(); }) == Started::yes);
  gone.child().kill();
  std::this_thread::sleep_for(100ms);
  CHECK(answering == -1);
  pipe.write();
  CHECK(soon([&] { return answering == 0; }));
}

TEST_CASE("B8: a tree cannot start more than so many, and stopping ends them all") {
  accept_interrupts();
  const Pipe pipe;
  Trapping caller;
  const auto call = caller.listener().receive();
  REQUIRE(call.has_value());
  std::atomic<std::size_t> interrupted{0};
  constexpr std::size_t kMore = 300;
  std::size_t count = 0;
  BlockingCalls calls(kLimit);
  while (count < kMore && calls.start(waiting_of(caller, *call), [&] {
    const Interruptible now;
    interrupted += pipe.wait() == EINTR ? 1 : 0;
  }) == Started::yes) {
    ++count;
  }
  CHECK(count == kLimit);
  calls.stop();
  CHECK(interrupted == count);
  CHECK(calls.start(waiting_of(caller, *call), [] {}) == Started::too_many);
}

TEST_CASE("B8: what has ended makes room") {
  accept_interrupts();
  Trapping caller;
  const auto call = caller.listener().receive();
  REQUIRE(call.has_value());
  constexpr std::size_t kMany = 300;  // more than at once
  std::atomic<std::size_t> ended{0};
  BlockingCalls calls(kLimit);
  for (std::size_t i = 0; i < kMany; ++i) {
    REQUIRE(calls.start(waiting_of(caller, *call), [&] { ++ended; }) == Started::yes);
    REQUIRE(soon([&] { return ended == i + 1; }));
  }
}

TEST_CASE("B8: a signal for the caller interrupts work, and the call ends as the handler says") {
  accept_interrupts();
  for (const int flags : {0, SA_RESTART}) {
    CAPTURE(flags);
    Confined caller(pmg::test::trap_getppid(), [flags] {
      struct sigaction action {};
      action.sa_handler = [](int) {};
      action.sa_flags = flags;
      (void)::sigaction(SIGUSR1, &action, nullptr);
      const long result = ::syscall(SYS_getppid);
      return result < 0 ? errno : static_cast<int>(result);
    });
    const auto call = caller.listener().receive();
    REQUIRE(call.has_value());
    const Pipe pipe;
    BlockingCalls calls(kLimit);
    const BlockingCalls::Waiting waiting{caller.listener(), call->id, call->thread};
    REQUIRE(calls.start(waiting, [&] {
      const int error = [&] {
        const Interruptible now;
        return pipe.wait();
      }();
      error == EINTR ? waiting.interrupted() : caller.listener().answer(call->id, kAnswer);
    }) == Started::yes);
    std::this_thread::sleep_for(50ms);
    REQUIRE(caller.listener().is_waiting(call->id));  // it is not interrupted without a signal
    REQUIRE(::kill(caller.child().pid(), SIGUSR1) == 0);
    if (flags == SA_RESTART) {
      const auto again = caller.listener().receive();
      REQUIRE(again.has_value());
      CHECK(again->number == call->number);
      caller.listener().answer(again->id, kAnswer);
      CHECK(caller.child().exit_code() == kAnswer);
    } else {
      CHECK(caller.child().exit_code() == EINTR);
    }
  }
}
