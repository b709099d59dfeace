/// When a remembered umask is no longer what the caller has.
#pragma once

#include <atomic>
#include <cstdint>

#include <sys/types.h>

#include "broker/shared_set.hpp"

namespace pmg::adapters::broker {

class UmaskChanges {
 public:
  /// Some process of the tree calls umask(2): masks of an older generation are stale.
  void note() noexcept { generation_.fetch_add(1, std::memory_order_acq_rel); }
  [[nodiscard]] std::uint64_t generation() const noexcept {
    return generation_.load(std::memory_order_acquire);
  }

  /// Number `thread` is about to be somebody else's, with another umask, while its owner still
  /// makes calls: a thread other than the leader executes a program.
  void never_remember(pid_t thread) {
    changing_.insert(thread);
    any_ = true;
  }
  [[nodiscard]] bool may_remember(pid_t thread) const {
    return !any_ || (!changing_.is_full() && !changing_.contains(thread));
  }

 private:
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<bool> any_{false};
  SharedSet<pid_t> changing_;
};

}  // namespace pmg::adapters::broker
