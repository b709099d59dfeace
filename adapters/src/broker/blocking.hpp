/// Calls that may block for ever (opening a FIFO, connecting) on threads of their own, so that they
/// hold no broker thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "platform/notify.hpp"

namespace pmg::adapters::broker {

/// Each call ends when its work is done, or when its caller died: then the thread is interrupted
/// (EINTR) and `work` must return.
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
  std::list<Call> calls_;
  std::thread watcher_;
  std::atomic<bool> stopping_{false};
};

/// The signal that interrupts a blocking call; its handler does nothing.
[[nodiscard]] int interrupt_signal() noexcept;
/// Installs that handler, without SA_RESTART, and unblocks it in the calling thread.
void accept_interrupts() noexcept;

}  // namespace pmg::adapters::broker
