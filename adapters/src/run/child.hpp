/// Starting the program: clone, confine, execve.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/types.h>

#include <tl/expected.hpp>

#include "adapters/run.hpp"
#include "platform/filter.hpp"
#include "platform/notify.hpp"
#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::adapters {

/// Where a child that did not get to its program gave up.
enum class Step : int {
  none,  ///< it did not give up
  drop_capabilities,
  no_new_privs,
  landlock,
  filter,
  execute,
};

/// What parent and child tell each other, in shared memory.
struct Handshake {
  std::atomic<int> failed_step{static_cast<int>(Step::none)};
  std::atomic<int> error{0};
  std::atomic<int> listener{-1};  ///< number in the shared descriptor table
};

/// What the child needs, prepared before clone(2): after it only system calls are made.
struct Launch {
  const Program& program;
  platform::Signals signals;
  int landlock_ruleset;
  sigset_t signal_mask;       ///< the mask the program starts with
  struct sigaction on_child;  ///< its disposition of SIGCHLD
};

class Child {
 public:
  /// Clones the child, which goes on to confine itself. Until its execve it shares the table of
  /// descriptors: open nothing that the program must not have without O_CLOEXEC.
  [[nodiscard]] static tl::expected<Child, RunError> start(const Launch& launch);

  /// Waits until it has confined itself. It is then in its execve, which is trapped like every
  /// other, and waits for the listener's first answer. After an error no child is left.
  [[nodiscard]] tl::expected<platform::Listener, RunError> await_confined();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// The errno of the execve that failed; 0 while none has.
  [[nodiscard]] int execute_error() const noexcept;

 private:
  struct Unmap {
    void operator()(Handshake* shared) const noexcept;
  };
  Child(pid_t pid, std::unique_ptr<Handshake, Unmap> shared, platform::UniqueFd ready) noexcept
      : pid_(pid), shared_(std::move(shared)), ready_(std::move(ready)) {}
  pid_t pid_;
  std::unique_ptr<Handshake, Unmap> shared_;
  platform::UniqueFd ready_;  ///< an eventfd(2): the child is ready, or gave up
};

}  // namespace pmg::adapters
