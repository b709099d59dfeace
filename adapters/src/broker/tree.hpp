/// Which processes are inside the sandbox.
#pragma once

#include <limits>
#include <vector>

#include <sys/types.h>

namespace pmg::adapters::broker {

/// A process is inside when the broker is its ancestor and it carries a seccomp filter more than
/// the broker does. The second half keeps out children that a shell left to us by exec'ing pmg.
class ProcessTree {
 public:
  /// The tree below the calling process. Nothing counts as inside where `is_known` is false: this
  /// process cannot look at itself.
  [[nodiscard]] static ProcessTree of_this_process();

  /// `pid` may be a thread id. A process that cannot be looked at is outside.
  [[nodiscard]] bool is_inside(pid_t pid) const;

  /// Every process inside that can be found now; each one before its descendants. A tree that forks
  /// meanwhile has more.
  [[nodiscard]] std::vector<pid_t> members() const;

  [[nodiscard]] bool is_known() const noexcept { return filters_ != kUnknown; }

  [[nodiscard]] pid_t broker() const noexcept { return broker_; }

 private:
  static constexpr int kUnknown = std::numeric_limits<int>::max();
  ProcessTree(pid_t broker, int filters) noexcept : broker_(broker), filters_(filters) {}
  pid_t broker_;
  int filters_;
};

}  // namespace pmg::adapters::broker
