/// The system calls that the filter sends to the broker, by meaning instead of by number.
///
///   auto table = SyscallTable::native();
///   table.find(notification.number())     // optional<Trapped>
///
/// Numbers come from libseccomp, so nothing else depends on the architecture. Calls that an
/// architecture lacks (open on arm64) are simply not in its table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace pmg::platform {

enum class Trapped : std::uint8_t {
  open,
  openat,
  openat2,
  creat,
  mkdir,
  mkdirat,
  mknod,
  mknodat,
  symlink,
  symlinkat,
  unlink,
  unlinkat,
  rmdir,
  rename,
  renameat,
  renameat2,
  link,
  linkat,
  truncate,
  chmod,
  fchmod,
  fchmodat,
  fchmodat2,
  chown,
  lchown,
  fchown,
  fchownat,
  utime,
  utimes,
  futimesat,
  utimensat,
  setxattr,
  lsetxattr,
  fsetxattr,
  removexattr,
  lremovexattr,
  fremovexattr,
  execve,
  execveat,
  memfd_create,
  bind,
  connect,
  getsockname,
  sched_setaffinity,
  sched_setscheduler,
  sched_setparam,
  sched_setattr,
  setpriority,
  ioprio_set,
  prlimit64,
  umask,
};

/// The name as in the manual pages.
[[nodiscard]] std::string_view name_of(Trapped call) noexcept;

class SyscallTable {
 public:
  [[nodiscard]] static SyscallTable native();
  [[nodiscard]] std::optional<Trapped> find(int number) const noexcept;
  /// Pairs of number and meaning, for building the filter.
  [[nodiscard]] const std::vector<std::pair<int, Trapped>>& entries() const noexcept {
    return entries_;
  }

 private:
  SyscallTable() = default;
  std::vector<std::pair<int, Trapped>> entries_;
  std::vector<std::uint8_t> by_number_;  // 0: not trapped, else 1 + Trapped
};

}  // namespace pmg::platform
