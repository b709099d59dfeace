#include "run/supervise.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <sched.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "broker/tree.hpp"

namespace pmg::adapters {
namespace {

constexpr std::chrono::seconds kGrace{1};
constexpr std::chrono::seconds kPatience{60};
constexpr long kRound = 10'000'000;  // nanoseconds
constexpr int kKillBurst = 50;       // sweeps without a pause

// Signals that mean a fault of this process itself; they are not forwarded.
constexpr std::array kOwnFaults{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};

// Reaps everything that ended except the program, whose end is left to supervise().
void reap_others(pid_t child) {
  siginfo_t info{};
  while (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
         info.si_pid != child) {
    (void)::waitid(P_PID, static_cast<id_t>(info.si_pid), &info, WEXITED | WNOHANG);
    info = {};
  }
}

void forward(pid_t child, const siginfo_t& info) {
  // The terminal sends its signals to the whole foreground group, the program included (SI_KERNEL);
  // hang-ups are passed on in any case, since a session leader gets them alone.
  if (info.si_code == SI_KERNEL && info.si_signo != SIGHUP) {
    return;
  }
  (void)::kill(child, info.si_signo);
}

// The terminal stopped the program: stop as well, so that the shell sees its job stopped, and go on
// with it. A program that was stopped in another way is left to whoever did it: the broker must go
// on serving the rest of the tree.
void stop_with(pid_t child, int signal) {
  if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) {
    (void)::kill(::getpid(), SIGSTOP);
    (void)::kill(child, SIGCONT);
  }
}

void wait_a_round(const SignalState& signals) {
  const timespec round{0, kRound};
  (void)::sigtimedwait(&signals.waited(), nullptr, &round);
}

void reap_all() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/// A process that was killed is out of the filter before its files are closed and its locks are
/// free (do_exit in kernel/exit.c calls seccomp_filter_release before exit_files). It runs no more
/// of its own code, and is a child of ours in a moment. Children that the caller left us may stay.
void reap_the_dying(const SignalState& signals) {
  const auto start = std::chrono::steady_clock::now();
  reap_all();
  while (has_children() && std::chrono::steady_clock::now() - start < kGrace) {
    wait_a_round(signals);
    reap_all();
  }
}

/// Runs the calling thread on one CPU for as long as it lives.
class OneCpu {
 public:
  OneCpu() {
    (void)::sched_getaffinity(0, sizeof(before_), &before_);
    CPU_ZERO(&only_);
    CPU_SET(static_cast<unsigned>(std::max(::sched_getcpu(), 0)), &only_);
    (void)::sched_setaffinity(0, sizeof(only_), &only_);
  }
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;
  ~OneCpu() { (void)::sched_setaffinity(0, sizeof(before_), &before_); }

  /// Puts a process, and whatever it forks from now on, on this CPU as well: it cannot run while we
  /// do, so it cannot fork away from the signal that follows.
  void share_with(pid_t pid) const { (void)::sched_setaffinity(pid, sizeof(only_), &only_); }

 private:
  cpu_set_t before_{};
  cpu_set_t only_{};
};

void ask_to_end(const broker::ProcessTree& tree) {
  for (const pid_t pid : tree.members()) {
    (void)::kill(pid, SIGTERM);
    (void)::kill(pid, SIGCONT);
  }
}

void kill_all(const broker::ProcessTree& tree) {
  const OneCpu cpu;
  for (int round = 0; round < kKillBurst; ++round) {
    for (const pid_t pid : tree.members()) {
      cpu.share_with(pid);
      (void)::kill(pid, SIGKILL);
    }
    reap_all();
  }
}

}  // namespace

SignalState::SignalState() {
  (void)::sigfillset(&waited_);
  for (const int signal : kOwnFaults) {
    (void)::sigdelset(&waited_, signal);
  }
  (void)::sigprocmask(SIG_BLOCK, &waited_, &original_mask_);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;  // NOLINT: the header casts
  (void)::sigaction(SIGCHLD, &action, &original_on_child_);
}

SignalState::~SignalState() {
  (void)::sigaction(SIGCHLD, &original_on_child_, nullptr);
  (void)::sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

TerminalState::TerminalState() {
  for (int fd = 0; fd <= 2; ++fd) {
    termios modes{};
    if (::tcgetattr(fd, &modes) == 0) {
      if (::tcgetpgrp(fd) == ::getpgrp()) {
        modes_ = modes;
        fd_ = fd;
      }
      return;
    }
  }
}

void TerminalState::restore() const {
  if (modes_) {
    // SIGTTOU is blocked here, so both work from the background as well.
    (void)::tcsetpgrp(fd_, ::getpgrp());
    (void)::tcsetattr(fd_, TCSADRAIN, &*modes_);
  }
}

tl::expected<int, platform::Errno> supervise(pid_t child, const SignalState& signals) {
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG | WUNTRACED);
    if (ended == child && WIFSTOPPED(status)) {
      stop_with(child, WSTOPSIG(status));
      continue;
    }
    if (ended == child) {
      return status;
    }
    if (ended < 0 && errno == ECHILD) {
      return tl::unexpected(platform::Errno{ECHILD});
    }
    siginfo_t info{};
    if (::sigwaitinfo(&signals.waited(), &info) < 0) {
      continue;
    }
    if (info.si_signo == SIGCHLD) {
      reap_others(child);
    } else {
      forward(child, info);
    }
  }
}

void end_tree(const broker::ProcessTree& tree, const SignalState& signals,
              const std::function<bool()>& is_drained) {
  // The usual case: orphans come to us (PR_SET_CHILD_SUBREAPER), so no child means no descendant.
  if (!has_children()) {
    return;
  }
  ask_to_end(tree);
  const auto start = std::chrono::steady_clock::now();
  while (!is_drained()) {
    const auto passed = std::chrono::steady_clock::now() - start;
    if (passed > kGrace + kPatience) {
      return;  // something is stuck in the kernel; it dies when it comes out
    }
    if (passed > kGrace) {
      kill_all(tree);
    }
    wait_a_round(signals);
    reap_all();
  }
  reap_the_dying(signals);
}

}  // namespace pmg::adapters
