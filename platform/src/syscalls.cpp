#include "platform/syscalls.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <seccomp.h>

namespace pmg::platform {
namespace {

struct Entry {
  Trapped call;
  std::string_view name;
  int newer_number;  // for calls that libseccomp 2.5.4 does not know; they have one number
                     // everywhere
};

constexpr int kAsk = -1;

constexpr std::array kEntries{
    Entry{Trapped::open, "open", kAsk},
    Entry{Trapped::openat, "openat", kAsk},
    Entry{Trapped::openat2, "openat2", 437},
    Entry{Trapped::creat, "creat", kAsk},
    Entry{Trapped::mkdir, "mkdir", kAsk},
    Entry{Trapped::mkdirat, "mkdirat", kAsk},
    Entry{Trapped::mknod, "mknod", kAsk},
    Entry{Trapped::mknodat, "mknodat", kAsk},
    Entry{Trapped::symlink, "symlink", kAsk},
    Entry{Trapped::symlinkat, "symlinkat", kAsk},
    Entry{Trapped::unlink, "unlink", kAsk},
    Entry{Trapped::unlinkat, "unlinkat", kAsk},
    Entry{Trapped::rmdir, "rmdir", kAsk},
    Entry{Trapped::rename, "rename", kAsk},
    Entry{Trapped::renameat, "renameat", kAsk},
    Entry{Trapped::renameat2, "renameat2", kAsk},
    Entry{Trapped::link, "link", kAsk},
    Entry{Trapped::linkat, "linkat", kAsk},
    Entry{Trapped::truncate, "truncate", kAsk},
    Entry{Trapped::chmod, "chmod", kAsk},
    Entry{Trapped::fchmod, "fchmod", kAsk},
    Entry{Trapped::fchmodat, "fchmodat", kAsk},
    Entry{Trapped::fchmodat2, "fchmodat2", 452},
    Entry{Trapped::chown, "chown", kAsk},
    Entry{Trapped::lchown, "lchown", kAsk},
    Entry{Trapped::fchown, "fchown", kAsk},
    Entry{Trapped::fchownat, "fchownat", kAsk},
    Entry{Trapped::utime, "utime", kAsk},
    Entry{Trapped::utimes, "utimes", kAsk},
    Entry{Trapped::futimesat, "futimesat", kAsk},
    Entry{Trapped::utimensat, "utimensat", kAsk},
    Entry{Trapped::setxattr, "setxattr", kAsk},
    Entry{Trapped::lsetxattr, "lsetxattr", kAsk},
    Entry{Trapped::fsetxattr, "fsetxattr", kAsk},
    Entry{Trapped::removexattr, "removexattr", kAsk},
    Entry{Trapped::lremovexattr, "lremovexattr", kAsk},
    Entry{Trapped::fremovexattr, "fremovexattr", kAsk},
    Entry{Trapped::execve, "execve", kAsk},
    Entry{Trapped::execveat, "execveat", kAsk},
    Entry{Trapped::memfd_create, "memfd_create", kAsk},
    Entry{Trapped::bind, "bind", kAsk},
    Entry{Trapped::connect, "connect", kAsk},
    Entry{Trapped::getsockname, "getsockname", kAsk},
    Entry{Trapped::sched_setaffinity, "sched_setaffinity", kAsk},
    Entry{Trapped::sched_setscheduler, "sched_setscheduler", kAsk},
    Entry{Trapped::sched_setparam, "sched_setparam", kAsk},
    Entry{Trapped::sched_setattr, "sched_setattr", kAsk},
    Entry{Trapped::setpriority, "setpriority", kAsk},
    Entry{Trapped::ioprio_set, "ioprio_set", kAsk},
    Entry{Trapped::prlimit64, "prlimit64", kAsk},
    Entry{Trapped::umask, "umask", kAsk},
};

}  // namespace

std::string_view name_of(Trapped call) noexcept {
  const auto* const found = std::find_if(kEntries.begin(), kEntries.end(),
                                         [&](const Entry& e) { return e.call == call; });
  return found == kEntries.end() ? "?" : found->name;
}

SyscallTable SyscallTable::native() {
  SyscallTable table;
  for (const Entry& entry : kEntries) {
    const int number = entry.newer_number != kAsk
                           ? entry.newer_number
                           : ::seccomp_syscall_resolve_name(std::string(entry.name).c_str());
    if (number < 0) {
      continue;  // __NR_SCMP_ERROR or a pseudo number: this architecture has no such call
    }
    table.entries_.emplace_back(number, entry.call);
    const auto index = static_cast<std::size_t>(number);
    if (table.by_number_.size() <= index) {
      table.by_number_.resize(index + 1, 0);
    }
    table.by_number_[index] = static_cast<std::uint8_t>(1 + static_cast<std::uint8_t>(entry.call));
  }
  return table;
}

std::optional<Trapped> SyscallTable::find(int number) const noexcept {
  const auto index = static_cast<std::size_t>(number);
  if (number < 0 || index >= by_number_.size() || by_number_[index] == 0) {
    return std::nullopt;
  }
  return static_cast<Trapped>(by_number_[index] - 1);
}

}  // namespace pmg::platform
