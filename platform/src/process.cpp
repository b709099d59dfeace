#include "platform/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/files.hpp"
#include "platform/uapi/pidfd.hpp"

namespace pmg::platform {
namespace {

constexpr std::uint64_t kPageSize = 4096;

std::string proc_path(pid_t pid, std::string_view entry) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(entry);
}

tl::expected<std::size_t, Errno> read_proc_mem(pid_t thread, RemoteAddress from,
                                               std::span<std::byte> out) {
  const UniqueFd memory{::open(proc_path(thread, "mem").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!memory) {
    return tl::unexpected(Errno{errno});
  }
  const ssize_t count =
      ::pread(memory.get(), out.data(), out.size(), static_cast<off_t>(from.value));
  if (count < 0) {
    return tl::unexpected(Errno{errno == EIO ? EFAULT : errno});
  }
  return static_cast<std::size_t>(count);
}

// The number after "<field>:\t" in a status file; `missing` where there is none.
template <class T = int>
T status_field(std::string_view status, std::string_view field, int base,
               T missing = static_cast<T>(-1)) {
  std::string key = "\n" + std::string(field) + ":\t";
  const std::size_t at = status.find(key);
  T value = missing;
  if (at == std::string_view::npos) {
    return value;
  }
  const char* const begin = status.data() + at + key.size();
  (void)std::from_chars(begin, status.data() + status.size(), value, base);
  return value;
}

// Whether number `fd` of a thread is the object that is open as `open`.
bool is_descriptor_of(pid_t thread, int fd, const UniqueFd& open) {
  struct stat theirs {};
  struct stat ours {};
  return ::stat(proc_path(thread, "fd/" + std::to_string(fd)).c_str(), &theirs) == 0 &&
         ::fstat(open.get(), &ours) == 0 && theirs.st_dev == ours.st_dev &&
         theirs.st_ino == ours.st_ino;
}

}  // namespace

tl::expected<std::size_t, Errno> read_memory(pid_t thread, RemoteAddress from,
                                             std::span<std::byte> out) {
  const iovec local{out.data(), out.size()};
  // NOLINTNEXTLINE: an address of another process is not a pointer of ours
  const iovec remote{reinterpret_cast<void*>(from.value), out.size()};
  const ssize_t count = ::process_vm_readv(thread, &local, 1, &remote, 1, 0);
  if (count >= 0) {
    return static_cast<std::size_t>(count);
  }
  if (errno == ENOSYS || errno == EPERM) {
    return read_proc_mem(thread, from, out);
  }
  return tl::unexpected(Errno{errno});
}

tl::expected<void, Errno> read_exactly(pid_t thread, RemoteAddress from, std::span<std::byte> out) {
  const auto count = read_memory(thread, from, out);
  if (!count) {
    return tl::unexpected(count.error());
  }
  if (*count != out.size()) {
    return tl::unexpected(Errno{EFAULT});
  }
  return {};
}

tl::expected<void, Errno> write_exactly(pid_t thread, RemoteAddress to,
                                        std::span<const std::byte> bytes) {
  // NOLINTNEXTLINE: the interface takes a pointer that it only reads
  const iovec local{const_cast<std::byte*>(bytes.data()), bytes.size()};
  const iovec remote{reinterpret_cast<void*>(to.value), bytes.size()};  // NOLINT: as above
  const ssize_t count = ::process_vm_writev(thread, &local, 1, &remote, 1, 0);
  if (count < 0) {
    return tl::unexpected(Errno{errno});
  }
  if (static_cast<std::size_t>(count) != bytes.size()) {
    return tl::unexpected(Errno{EFAULT});
  }
  return {};
}

tl::expected<std::string, Errno> read_string(pid_t thread, RemoteAddress from, std::size_t limit) {
  if (from.is_null()) {
    return tl::unexpected(Errno{EFAULT});
  }
  std::array<char, kPageSize> chunk;  // NOLINT: filled by the kernel, 4 KiB of zeroes cost time
  std::string text;
  std::uint64_t at = from.value;
  std::size_t step = 256;  // most paths are short; later steps take the rest of the page
  while (true) {
    const std::uint64_t to_page_end = kPageSize - at % kPageSize;
    const std::size_t want = std::min<std::size_t>(step, to_page_end);
    const auto count = read_memory(thread, RemoteAddress{at},
                                   std::as_writable_bytes(std::span(chunk.data(), want)));
    if (!count) {
      return tl::unexpected(count.error());
    }
    if (*count == 0) {
      return tl::unexpected(Errno{EFAULT});
    }
    const void* const end = std::memchr(chunk.data(), 0, *count);
    const std::size_t length =
        end == nullptr ? *count
                       : static_cast<std::size_t>(static_cast<const char*>(end) - chunk.data());
    text.append(chunk.data(), length);
    if (text.size() > limit) {
      return tl::unexpected(Errno{ENAMETOOLONG});
    }
    if (end != nullptr) {
      return text;
    }
    at += *count;
    step = kPageSize;
  }
}

tl::expected<ProcessStatus, Errno> read_status(pid_t pid) {
  const auto text = read_whole(proc_path(pid, "status"));
  if (!text) {
    return tl::unexpected(text.error().value == ENOENT ? Errno{ESRCH} : text.error());
  }
  const std::string& status = *text;
  const int process = status_field(status, "Tgid", 10);
  const int parent = status_field(status, "PPid", 10);
  const int umask = status_field(status, "Umask", 8);
  const int filters = status_field(status, "Seccomp_filters", 10);
  if (process < 0 || parent < 0) {
    return tl::unexpected(Errno{ESRCH});
  }
  return ProcessStatus{process, parent, static_cast<mode_t>(umask < 0 ? 022 : umask), filters};
}

bool has_pending_signal(pid_t thread) {
  const auto status = read_whole(proc_path(thread, "status"));
  if (!status) {
    return false;
  }
  constexpr int kHex = 16;
  const auto mask = [&status](std::string_view field) {
    return status_field<std::uint64_t>(*status, field, kHex);
  };
  std::uint64_t pending = mask("SigPnd");
  if (status_field(*status, "Tgid", 10) == thread) {
    pending |= mask("ShdPnd");
  }
  return (pending & ~mask("SigBlk")) != 0;
}

tl::expected<rlim_t, Errno> file_size_limit(pid_t pid) {
  const auto limits = read_whole(proc_path(pid, "limits"));
  if (!limits) {
    return tl::unexpected(limits.error());
  }
  constexpr std::string_view kName = "Max file size";
  const std::size_t name = limits->find(kName);
  const std::size_t value =
      name == std::string::npos ? name : limits->find_first_not_of(' ', name + kName.size());
  if (value == std::string::npos) {
    return tl::unexpected(Errno{ENODATA});
  }
  rlim_t limit = RLIM_INFINITY;
  const bool told =
      std::from_chars(limits->data() + value, limits->data() + limits->size(), limit).ec ==
      std::errc{};
  if (!told && limits->compare(value, 9, "unlimited") != 0) {
    return tl::unexpected(Errno{ENODATA});
  }
  return limit;
}

std::optional<dev_t> controlling_terminal(pid_t pid) {
  const std::string stat = read_whole(proc_path(pid, "stat")).value_or("");
  // pid (comm) state ppid pgrp session tty_nr …; comm may hold anything, so count from its end.
  std::size_t at = stat.rfind(')');
  for (int field = 0; field < 5 && at != std::string::npos; ++field) {
    at = stat.find(' ', at + 1);
  }
  int number = 0;
  if (at == std::string::npos ||
      std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), number).ec != std::errc{} ||
      number == 0) {
    return std::nullopt;
  }
  // tty_nr: minor in bits 31-20 and 7-0, major in bits 15-8 (proc(5)).
  const auto bits = static_cast<unsigned>(number);
  return makedev((bits >> 8U) & 0xfffU, (bits & 0xffU) | ((bits >> 12U) & 0xfff00U));
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = proc_path(pid, "task");
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(tasks.c_str()), &::closedir);
  if (!dir) {
    return children;
  }
  while (const dirent* const entry = ::readdir(dir.get())) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    const std::string text = read_whole(tasks + "/" + entry->d_name + "/children").value_or("");
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (at < end) {
      pid_t child = 0;
      const auto [next, error] = std::from_chars(at, end, child);
      if (error != std::errc{}) {
        break;
      }
      children.push_back(child);
      at = next + 1;  // one space follows each number
    }
  }
  return children;
}

tl::expected<UniqueFd, Errno> open_process(pid_t process) {
  UniqueFd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
  if (!pidfd) {
    return tl::unexpected(Errno{errno});
  }
  return pidfd;
}

tl::expected<UniqueFd, Errno> duplicate_from(pid_t thread, int fd) {
  tl::expected<UniqueFd, Errno> pidfd =
      UniqueFd{static_cast<int>(::syscall(SYS_pidfd_open, thread, uapi::kPidfdThread))};
  const bool knows_threads = *pidfd || errno != EINVAL;
  if (!*pidfd) {
    pidfd = tl::unexpected(Errno{errno});
  }
  if (!knows_threads) {
    // Before Linux 6.9 a pidfd is a process's, and its table may not be the thread's.
    const auto status = read_status(thread);
    pidfd = status ? open_process(status->process) : tl::unexpected(status.error());
  }
  if (!pidfd) {
    return tl::unexpected(pidfd.error());
  }
  UniqueFd duplicate{static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd->get(), fd, 0))};
  if (!duplicate) {
    return tl::unexpected(Errno{errno});
  }
  if (!knows_threads && !is_descriptor_of(thread, fd, duplicate)) {
    return tl::unexpected(Errno{EBADF});
  }
  return duplicate;
}

tl::expected<pid_t, Errno> process_of(const UniqueFd& pidfd) {
  constexpr int kMissing = -2;
  const auto text = read_whole("/proc/self/fdinfo/" + std::to_string(pidfd.get()));
  if (!text) {
    return tl::unexpected(text.error().value == ENOENT ? Errno{EBADF} : text.error());
  }
  const int pid = status_field(*text, "Pid", 10, kMissing);  // -1 for one that has ended
  if (pid <= 0) {
    return tl::unexpected(Errno{pid == kMissing ? EBADF : ESRCH});
  }
  return pid;
}

tl::expected<void, Errno> send_signal(const UniqueFd& pidfd, int signal, const siginfo_t* info) {
  if (::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, info, 0) != 0) {
    return tl::unexpected(Errno{errno});
  }
  return {};
}

int drop_capabilities() noexcept {
  // What remains lets root own, read and signal files and processes as root is used to; all of it
  // is still under Landlock and the broker. Everything else would undo the sandbox (SYS_ADMIN,
  // SYS_PTRACE, SYS_MODULE …), change the identity the broker judges for (SETUID, SETGID), or give
  // a file rights for whoever starts it later (SETFCAP).
  constexpr std::array kKept{CAP_CHOWN, CAP_DAC_OVERRIDE,     CAP_FOWNER,   CAP_FSETID,
                             CAP_KILL,  CAP_NET_BIND_SERVICE, CAP_SYS_NICE, CAP_SYS_RESOURCE};
  std::uint64_t mask = 0;
  for (const int capability : kKept) {
    mask |= std::uint64_t{1} << static_cast<unsigned>(capability);
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) {
    return errno;
  }
  for (std::size_t half = 0; half < data.size(); ++half) {
    const auto bits = static_cast<std::uint32_t>(mask >> (32U * half));
    data[half].effective &= bits;
    data[half].permitted &= bits;
    data[half].inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, data.data()) != 0) {
    return errno;
  }
  return 0;
}

}  // namespace pmg::platform
