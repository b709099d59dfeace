/// Calls that may block for ever (opening a FIFO, connecting) on threads of their own, so that they
/// hold no broker thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include <sys/types.h>

#include "platform/notify.hpp"

namespace pmg::adapters::broker {

/// Each call ends when its work is done, when its caller died, or when a signal waits for its
/// caller: then the thread is interrupted where it is Interruptible (EINTR), and `work` must answer
/// with `interrupted` and return.
class BlockingCalls {
 public:
  /// At most `limit` at once: a tree cannot exhaust the broker.
  explicit BlockingCalls(std::size_t limit) : limit_(limit) {}
  BlockingCalls(const BlockingCalls&) = delete;
  BlockingCalls& operator=(const BlockingCalls&) = delete;
  ~BlockingCalls();

  enum class Started : std::uint8_t { yes, too_many };

  /// What the call of one thread of the tree is.
  struct Waiting {
    const platform::Listener& listener;
    std::uint64_t id;
    pid_t thread;

    /// The answer where `work` was interrupted: the call is started again or fails with EINTR, as
    /// the signal's handler says.
    void interrupted() const;
  };

  /// Runs `work` on a new thread.
  [[nodiscard]] Started start(const Waiting& waiting, std::function<void()> work);

  /// Interrupts and joins everything.
  void stop();

 private:
  struct Call {
    Waiting waiting;
    std::shared_ptr<std::atomic<bool>> done;
    std::thread thread;
  };
  void watch();
  void collect();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Call> calls_;
  std::thread watcher_;
  std::atomic<bool> stopping_{false};
};

/// The signal that interrupts a blocking call; its handler does nothing.
[[nodiscard]] int interrupt_signal() noexcept;
/// Installs that handler, without SA_RESTART, and unblocks it in the calling thread.
void accept_interrupts() noexcept;

/// The only part of a blocking call's work that may be interrupted. Answering may not: an
/// interrupted injection of a descriptor is lost after the caller has got its answer.
class Interruptible {
 public:
  Interruptible() noexcept;
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible();
};

}  // namespace pmg::adapters::broker
