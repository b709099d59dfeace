/// The system calls that the filter sends to the broker, by meaning instead of by number.
///
///   trapped_call(notification.number)     // optional<Trapped>
///
/// Numbers come from libseccomp while pmg is built, so nothing else depends on the architecture.
/// Calls that an architecture lacks (open on arm64) are simply not in its table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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
  flock,
  fcntl,
  ioctl,
  setpgid,
  kill,
  tkill,
  tgkill,
  rt_sigqueueinfo,
  rt_tgsigqueueinfo,
  pidfd_send_signal,
};

/// The name as in the manual pages.
[[nodiscard]] std::string_view name_of(Trapped call) noexcept;

struct NumberedCall {
  int number;
  Trapped which;
};

/// What a filter may send, the signals included, by number.
[[nodiscard]] std::span<const NumberedCall> trapped_calls() noexcept;

/// Nothing for a number that no filter sends.
[[nodiscard]] std::optional<Trapped> trapped_call(int number) noexcept;

}  // namespace pmg::platform
