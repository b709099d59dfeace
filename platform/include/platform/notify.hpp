/// seccomp user notification: the calls that the filter sends us (seccomp_unotify(2)).
///
///   auto listener = Listener::adopt(fd);
///   while (auto call = listener->receive(buffer)) { … listener->answer(call->id, 0); }
///
/// Several threads may receive from one listener at once.
#pragma once

#include <array>
#include <cstdint>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {

/// One trapped call. `thread` is a thread id in our pid namespace; arguments are raw registers.
struct Notification {
  std::uint64_t id;
  std::int32_t thread;
  int number;
  std::array<std::uint64_t, 6> arguments;
};

/// What an injected descriptor is like in the caller.
enum class CloseOnExec : std::uint8_t { no, yes };

class Listener {
 public:
  /// Takes over the descriptor and asks for synchronous wake-ups where the kernel has them (6.6).
  [[nodiscard]] static tl::expected<Listener, OsError> adopt(UniqueFd fd);

  /// Blocks for the next call. ENOENT: the caller died meanwhile, or nobody is left
  /// (`is_abandoned`); EINTR: a signal.
  [[nodiscard]] tl::expected<Notification, Errno> receive() const;

  /// True when no process is left under the filter (POLLHUP): no call can come any more.
  [[nodiscard]] bool is_abandoned() const noexcept;

  /// True while the caller still waits. Everything that was read of the caller's state before a
  /// `true` belongs to that caller, not to one that re-used its id (TOCTOU).
  [[nodiscard]] bool is_waiting(std::uint64_t id) const noexcept;

  /// The call returns `value` without having run.
  void answer(std::uint64_t id, std::int64_t value) const noexcept;
  /// The call fails with `error`.
  void refuse(std::uint64_t id, Errno error) const noexcept;
  /// The call ends as one that a signal interrupted: it fails with EINTR or is started again, as
  /// the handler says (SA_RESTART). Only where a signal waits for the caller.
  void restart(std::uint64_t id) const noexcept;
  /// The kernel runs the call and reads its arguments again: whatever was checked may have changed.
  /// Only for calls without pointers and for execve, whose backstop is Landlock.
  void unsafe_continue(std::uint64_t id) const noexcept;

  /// Installs `fd` in the caller and makes it the result of the call, in one step.
  [[nodiscard]] tl::expected<void, Errno> answer_with_fd(std::uint64_t id, const UniqueFd& fd,
                                                         CloseOnExec close_on_exec) const noexcept;
  /// Installs `fd` in the caller, which goes on waiting; the number it got. Answer afterwards.
  [[nodiscard]] tl::expected<int, Errno> inject(std::uint64_t id, const UniqueFd& fd,
                                                CloseOnExec close_on_exec) const noexcept;

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  explicit Listener(UniqueFd fd) noexcept : fd_(std::move(fd)) {}
  [[nodiscard]] tl::expected<int, Errno> add_fd(std::uint64_t id, const UniqueFd& fd,
                                                CloseOnExec close_on_exec,
                                                std::uint32_t flags) const noexcept;
  UniqueFd fd_;
};

/// Asks the kernel whether user notification works here, without installing anything.
[[nodiscard]] tl::expected<void, OsError> probe_notify();

}  // namespace pmg::platform
