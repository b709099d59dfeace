/// Standing in for the program while it runs: signals, stops, its end, and the end of its tree.
#pragma once

#include <functional>
#include <optional>

#include <signal.h>
#include <sys/types.h>
#include <termios.h>

#include <tl/expected.hpp>

#include "broker/tree.hpp"
#include "platform/os_error.hpp"

namespace pmg::adapters {

/// Blocks every signal that can be forwarded, so that none is lost from here on, and gives SIGCHLD
/// its default meaning. What was in force before is for the program.
class SignalState {
 public:
  SignalState();
  SignalState(const SignalState&) = delete;
  SignalState& operator=(const SignalState&) = delete;
  ~SignalState();
  [[nodiscard]] const sigset_t& original_mask() const noexcept { return original_mask_; }
  [[nodiscard]] const struct sigaction& original_on_child() const noexcept {
    return original_on_child_;
  }
  [[nodiscard]] const sigset_t& waited() const noexcept { return waited_; }

 private:
  sigset_t original_mask_{};
  sigset_t waited_{};
  struct sigaction original_on_child_ {};
};

/// The terminal as it was, if we are in its foreground; put back when the program died of a signal
/// and could not do it itself.
class TerminalState {
 public:
  TerminalState();
  void restore() const;

 private:
  std::optional<termios> modes_;
  int fd_ = -1;
};

/// Waits for the program, passing signals on and stopping when it stops. The wait status. ECHILD:
/// somebody else has taken it, so how the program ended is not known.
[[nodiscard]] tl::expected<int, platform::Errno> supervise(pid_t child, const SignalState& signals);

/// Ends what the program left running inside the sandbox: SIGTERM, a grace period of a second,
/// SIGKILL; returns when `is_drained` says that nothing is left and what was killed has let go of
/// its files, or after a minute more. U2: what ended has ended with all that it held.
void end_tree(const broker::ProcessTree& tree, const SignalState& signals,
              const std::function<bool()>& is_drained);

}  // namespace pmg::adapters
