/// Looking at and changing processes: memory, procfs, capabilities, signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <tl/expected.hpp>

#include "platform/os_error.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {

/// An address in another process.
struct RemoteAddress {
  std::uint64_t value;
  [[nodiscard]] bool is_null() const noexcept { return value == 0; }
};

/// Reads up to `out.size()` bytes; the count may be short at the end of a mapping. Falls back to
/// /proc/<thread>/mem where process_vm_readv(2) is refused by the container. EFAULT, EPERM, ESRCH.
[[nodiscard]] tl::expected<std::size_t, Errno> read_memory(pid_t thread, RemoteAddress from,
                                                           std::span<std::byte> out);

/// Exactly `out.size()` bytes or EFAULT.
[[nodiscard]] tl::expected<void, Errno> read_exactly(pid_t thread, RemoteAddress from,
                                                     std::span<std::byte> out);

/// Writes all bytes or fails with EFAULT; for results that a call returns through a pointer.
[[nodiscard]] tl::expected<void, Errno> write_exactly(pid_t thread, RemoteAddress to,
                                                      std::span<const std::byte> bytes);

/// A NUL-terminated string of at most `limit` bytes (NUL not counted). EFAULT, ENAMETOOLONG.
/// Copied once: the caller's other threads cannot change what is judged.
[[nodiscard]] tl::expected<std::string, Errno> read_string(pid_t thread, RemoteAddress from,
                                                           std::size_t limit);

/// Fields of /proc/<pid>/status that the broker needs.
struct ProcessStatus {
  pid_t process;        ///< Tgid
  pid_t parent;         ///< PPid
  mode_t umask;         ///< Umask
  int seccomp_filters;  ///< Seccomp_filters: how many filters are stacked
};
/// ESRCH where there is no such process or thread; EMFILE and the like.
[[nodiscard]] tl::expected<ProcessStatus, Errno> read_status(pid_t pid);

/// Whether a signal that `thread` does not block waits for it to return from its call. Signals to a
/// whole process count for its leader alone: the kernel may choose another thread for them, and the
/// leader is whom it tries first (kernel/signal.c, complete_signal).
[[nodiscard]] bool has_pending_signal(pid_t thread);

/// How large a process may make a file, in bytes: the soft RLIMIT_FSIZE. Read from procfs, since
/// prlimit(2) asks for the same user ids.
[[nodiscard]] tl::expected<rlim_t, Errno> file_size_limit(pid_t pid);

/// The device number of a process's controlling terminal; empty where it has none.
[[nodiscard]] std::optional<dev_t> controlling_terminal(pid_t pid);

/// Children of a process, from /proc/<pid>/task/*/children.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

/// Duplicates a descriptor of a thread (pidfd_getfd(2)), which may have a table of its own
/// (unshare(CLONE_FILES)). EBADF where the kernel can only be asked for the process's table (before
/// 6.9) and that holds something else.
[[nodiscard]] tl::expected<UniqueFd, Errno> duplicate_from(pid_t thread, int fd);

/// A descriptor of a process (pidfd_open(2)): it never comes to mean another one. ESRCH; EINVAL for
/// a thread that is no leader.
[[nodiscard]] tl::expected<UniqueFd, Errno> open_process(pid_t process);

/// The process that a pidfd means; ESRCH where it has ended, EBADF for any other descriptor.
[[nodiscard]] tl::expected<pid_t, Errno> process_of(const UniqueFd& pidfd);

/// pidfd_send_signal(2). Without `info` the sender is this process.
[[nodiscard]] tl::expected<void, Errno> send_signal(const UniqueFd& pidfd, int signal,
                                                    const siginfo_t* info);

/// Removes from the calling thread the capabilities that would defeat the sandbox; ids are kept.
/// Async-signal-safe. Returns 0 or an errno.
[[nodiscard]] int drop_capabilities() noexcept;

}  // namespace pmg::platform
