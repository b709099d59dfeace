/// Calls that may block for ever (opening a FIFO, connecting) on threads of their own, so that they
/// hold no broker thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "platform/notify.hpp"

namespace pmg::adapters::broker {

/// Each call ends when its work is done, or when its caller died: then the thread is interrupted
/// where it is Interruptible (EINTR) and `work` must return.
class BlockingCalls {
 public:
  BlockingCalls() = default;
  BlockingCalls(const BlockingCalls&) = delete;
  BlockingCalls& operator=(const BlockingCalls&) = delete;
  ~BlockingCalls();

  enum class Started : std::uint8_t { yes, too_many };

  /// Runs `work` on a new thread. At most kLimit at once: a tree cannot exhaust the broker.
  [[nodiscard]] Started start(const platform::Listener& listener, std::uint64_t id,
                              std::function<void()> work);

  /// Interrupts and joins everything.
  void stop();

 private:
  struct Call {
    const platform::Listener* listener;
    std::uint64_t id;
    std::shared_ptr<std::atomic<bool>> done;
    std::thread thread;
  };
  static constexpr std::size_t kLimit = 256;
  void watch();
  void collect();

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
