#include "broker/blocking.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

#include <unistd.h>

#include <doctest/doctest.h>

#include "broker/confined.hpp"
#include "platform/unique_fd.hpp"

using namespace std::chrono_literals;
using pmg::adapters::broker::accept_interrupts;
using pmg::adapters::broker::BlockingCalls;
using pmg::adapters::broker::Interruptible;
using pmg::test::Trapping;

namespace {

using Started = BlockingCalls::Started;

constexpr int kAnswer = 7;

bool soon(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!holds() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(1ms);
  }
  return holds();
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
  BlockingCalls calls;
  REQUIRE(calls.start(caller.listener(), call->id, [&] {
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
  BlockingCalls calls;
  const auto wait = [&](std::atomic<int>& result) {
    return [&] {
      const Interruptible now;
      result = pipe.wait();
    };
  };
  REQUIRE(calls.start(gone.listener(), first->id, wait(outcome)) == Started::yes);
  REQUIRE(calls.start(stays.listener(), second->id, wait(other)) == Started::yes);
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
  BlockingCalls calls;
  REQUIRE(calls.start(gone.listener(), call->id, [&] { answering = pipe.wait(); }) == Started::yes);
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
  BlockingCalls calls;
  while (count < kMore && calls.start(caller.listener(), call->id, [&] {
    const Interruptible now;
    interrupted += pipe.wait() == EINTR ? 1 : 0;
  }) == Started::yes) {
    ++count;
  }
  CHECK(count > 0);
  CHECK(count < kMore);
  calls.stop();
  CHECK(interrupted == count);
  CHECK(calls.start(caller.listener(), call->id, [] {}) == Started::too_many);
}

TEST_CASE("B8: what has ended makes room") {
  accept_interrupts();
  Trapping caller;
  const auto call = caller.listener().receive();
  REQUIRE(call.has_value());
  constexpr std::size_t kMany = 300;  // more than at once
  std::atomic<std::size_t> ended{0};
  BlockingCalls calls;
  for (std::size_t i = 0; i < kMany; ++i) {
    REQUIRE(calls.start(caller.listener(), call->id, [&] { ++ended; }) == Started::yes);
    REQUIRE(soon([&] { return ended == i + 1; }));
  }
}
