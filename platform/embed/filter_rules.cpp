#include "filter_rules.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "platform/calls.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {
namespace {

int number_of(std::string_view name) {
  const auto newer = std::ranges::find(kNewerCalls, name, &NewerCall::name);
  return newer != kNewerCalls.end() ? newer->number
                                    : ::seccomp_syscall_resolve_name(std::string(name).c_str());
}

constexpr std::array<std::uint64_t, 7> kNamespaceFlags{CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
                                                       CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
                                                       CLONE_NEWNET};
static_assert(std::ranges::none_of(kNamespaceFlags,
                                   [](std::uint64_t flag) { return (flag & 0xff) != 0; }),
              "clone keeps its exit signal in the low byte");
constexpr std::uint64_t kCloneNewTime =
    0x80;  // unshare(2) only: clone(2) uses these bits for a signal

// ioctl requests, compared in the low 32 bits: the kernel ignores the rest (ioctl(2) takes an
// unsigned int), so `TIOCSTI | 1 << 32` must not pass either.
constexpr std::array kRefusedIoctls{
    std::uint64_t{TIOCSTI},          // types into the terminal
    std::uint64_t{TIOCLINUX},        // pastes into a console
    std::uint64_t{TIOCSETD},         // loads line disciplines of the kernel, little tested
    std::uint64_t{FS_IOC_SETFLAGS},  // changes a file through a read-only descriptor (chattr)
    std::uint64_t{FS_IOC_FSSETXATTR}, std::uint64_t{FS_IOC_SETVERSION},
    std::uint64_t{0x40806685},  // FS_IOC_ENABLE_VERITY
    std::uint64_t{0x40086604},  // EXT4_IOC_SETVERSION
    std::uint64_t{0x40047211},  // FAT_IOCTL_SET_ATTRIBUTES
    // Subvolumes of btrfs are made, changed and removed through a directory that is only open for
    // reading; a snapshot would also carry denied files to another name.
    std::uint64_t{0x50009401},  // BTRFS_IOC_SNAP_CREATE
    std::uint64_t{0x50009417},  // BTRFS_IOC_SNAP_CREATE_V2
    std::uint64_t{0x5000940e},  // BTRFS_IOC_SUBVOL_CREATE
    std::uint64_t{0x50009418},  // BTRFS_IOC_SUBVOL_CREATE_V2
    std::uint64_t{0x5000940f},  // BTRFS_IOC_SNAP_DESTROY
    std::uint64_t{0x5000943f},  // BTRFS_IOC_SNAP_DESTROY_V2
    std::uint64_t{0x4008941a},  // BTRFS_IOC_SUBVOL_SETFLAGS
    std::uint64_t{0xc0c89425},  // BTRFS_IOC_SET_RECEIVED_SUBVOL
    std::uint64_t{0x40089413},  // BTRFS_IOC_DEFAULT_SUBVOL
    // fscrypt: encrypts an empty directory that is only open for reading, and takes away the key of
    // files that other programs of the user read.
    std::uint64_t{0x800c6613},  // FS_IOC_SET_ENCRYPTION_POLICY
    std::uint64_t{0xc0506617},  // FS_IOC_ADD_ENCRYPTION_KEY
    std::uint64_t{0xc0406618},  // FS_IOC_REMOVE_ENCRYPTION_KEY
    std::uint64_t{0xc0406619},  // FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS
};

// Where Landlock does not look at them: who gets the signal of a descriptor (fcntl(2), socket(7)).
constexpr std::array<std::uint64_t, 2> kSignalOwnerIoctls{0x8901 /* FIOSETOWN */,
                                                          0x8902 /* SIOCSPGRP */};
constexpr std::array<std::uint64_t, 2> kSignalOwnerCommands{F_SETOWN, F_SETOWN_EX};

class Context {
 public:
  Context() : context_(::seccomp_init(SCMP_ACT_ALLOW), &::seccomp_release) {}

  [[nodiscard]] explicit operator bool() const { return context_ != nullptr && error_ == 0; }
  [[nodiscard]] scmp_filter_ctx get() const { return context_.get(); }
  [[nodiscard]] int error() const { return error_; }

  void note(int result) {
    if (result < 0 && error_ == 0) {
      error_ = -result;
    }
  }

  // Negative for a call that this architecture does not have. A name that libseccomp does not know
  // is an error: the rule would be missing.
  int resolve(std::string_view name) {
    const int number = number_of(name);
    note(number == __NR_SCMP_ERROR ? -ENOSYS : 0);
    return number;
  }

  void refuse(int number, int error) {
    note(::seccomp_rule_add(get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number, 0));
  }

  void refuse_if(std::string_view name, int error, scmp_arg_cmp condition) {
    const int number = resolve(name);
    if (number >= 0) {
      note(::seccomp_rule_add_array(get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number, 1,
                                    &condition));
    }
  }

  void refuse_if(std::string_view name, int error, scmp_arg_cmp first, scmp_arg_cmp second) {
    const int number = resolve(name);
    const std::array<scmp_arg_cmp, 2> both{first, second};
    if (number >= 0) {
      note(::seccomp_rule_add_array(get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number, 2,
                                    both.data()));
    }
  }

  // O_PATH is let through: the flag is in a register, so nobody can take it back, and what it gives
  // is a name without rights, every use of which comes here again. The broker could not hand one
  // out: the kernel injects no O_PATH descriptor (fget in seccomp_notify_addfd).
  void trap(int number, Trapped call) {
    switch (call) {
      case Trapped::open:
        return trap_if(number, {1, SCMP_CMP_MASKED_EQ, O_PATH, 0});
      case Trapped::openat:
        return trap_if(number, {2, SCMP_CMP_MASKED_EQ, O_PATH, 0});
      // A thread's own settings are its own business: process 0 is the caller.
      case Trapped::sched_setaffinity:
      case Trapped::sched_setscheduler:
      case Trapped::sched_setparam:
      case Trapped::sched_setattr:
      case Trapped::prlimit64:
        return trap_if(number, {0, SCMP_CMP_NE, 0, 0});
      case Trapped::setpriority:
        trap_if(number, {0, SCMP_CMP_NE, PRIO_PROCESS, 0});
        return trap_if(number, {1, SCMP_CMP_NE, 0, 0});
      case Trapped::fcntl:
        trap_if(number, {1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_OFD_SETLK});
        return trap_if(number, {1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_OFD_SETLKW});
      case Trapped::ioctl:
        return trap_if(number, {1, SCMP_CMP_MASKED_EQ, 0xffffffff, TIOCSPGRP});
      // 0 is a group of its own.
      case Trapped::setpgid:
        return trap_if(number, {1, SCMP_CMP_NE, 0, 0});
      case Trapped::ioprio_set:
        trap_if(number, {0, SCMP_CMP_NE, IOPRIO_WHO_PROCESS, 0});
        return trap_if(number, {1, SCMP_CMP_NE, 0, 0});
      default:
        return note(::seccomp_rule_add(get(), SCMP_ACT_NOTIFY, number, 0));
    }
  }

 private:
  void trap_if(int number, scmp_arg_cmp condition) {
    note(::seccomp_rule_add_array(get(), SCMP_ACT_NOTIFY, number, 1, &condition));
  }

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
  int error_ = 0;
};

constexpr scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}
constexpr scmp_arg_cmp compare(unsigned argument, scmp_compare how, std::uint64_t value) {
  return {argument, how, value, 0};
}

void refuse_namespaces(Context& context) {
  for (const std::uint64_t flag : kNamespaceFlags) {
    context.refuse_if("clone", EPERM, masked(0, flag, flag));
    context.refuse_if("unshare", EPERM, masked(0, flag, flag));
  }
  context.refuse_if("unshare", EPERM, masked(0, kCloneNewTime, kCloneNewTime));
}

void refuse_sockets(Context& context) {
  // Families: unix (1), inet (2), inet6 (10), netlink (16) remain; everything else is refused.
  constexpr std::array<std::uint64_t, 13> kOthers{0, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15};
  for (const char* call : {"socket", "socketpair"}) {
    for (const std::uint64_t family : kOthers) {
      context.refuse_if(call, EAFNOSUPPORT, compare(0, SCMP_CMP_EQ, family));
    }
    context.refuse_if(call, EAFNOSUPPORT, compare(0, SCMP_CMP_GT, AF_NETLINK));
    // A datagram socket could name its peer in every sendto; the type's high bits are flags.
    // SOCK_RAW is another name for it there (unix_create in net/unix/af_unix.c).
    context.refuse_if(call, EPERM, compare(0, SCMP_CMP_EQ, AF_UNIX), masked(1, 0xf, SOCK_DGRAM));
    context.refuse_if(call, EPERM, compare(0, SCMP_CMP_EQ, AF_UNIX), masked(1, 0xf, SOCK_RAW));
    context.refuse_if(call, EPERM, compare(0, SCMP_CMP_EQ, AF_INET), masked(1, 0xf, SOCK_RAW));
    context.refuse_if(call, EPERM, compare(0, SCMP_CMP_EQ, AF_INET6), masked(1, 0xf, SOCK_RAW));
    context.refuse_if(call, EPERM, masked(1, 0xf, SOCK_PACKET));
    // Netlink: only NETLINK_ROUTE (0), which libc uses to list interfaces.
    context.refuse_if(call, EPERM, compare(0, SCMP_CMP_EQ, AF_NETLINK), compare(2, SCMP_CMP_NE, 0));
  }
}

// Of inet, TCP and UDP: a rule names a host and a port, so none could allow another protocol.
// Whether type and protocol fit each other is the kernel's business.
void refuse_other_protocols(Context& context) {
  constexpr std::uint64_t kTypes = 0xf;  // SOCK_TYPE_MASK of the kernel
  for (const std::uint64_t family : {std::uint64_t{AF_INET}, std::uint64_t{AF_INET6}}) {
    const auto of_family = compare(0, SCMP_CMP_EQ, family);
    for (std::uint64_t type = 0; type <= kTypes; ++type) {
      if (type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_RAW && type != SOCK_PACKET) {
        context.refuse_if("socket", ESOCKTNOSUPPORT, of_family, masked(1, kTypes, type));
      }
    }
    for (std::uint64_t protocol = 1; protocol < IPPROTO_UDP; ++protocol) {
      if (protocol != IPPROTO_TCP) {
        context.refuse_if("socket", EPROTONOSUPPORT, of_family, compare(2, SCMP_CMP_EQ, protocol));
      }
    }
    context.refuse_if("socket", EPROTONOSUPPORT, of_family, compare(2, SCMP_CMP_GT, IPPROTO_UDP));
  }
}

// personality(READ_IMPLIES_EXEC), unless every bit is set, which is the query. One argument can be
// compared once a rule, so there is one rule for each other bit that may be clear.
void refuse_executable_data(Context& context) {
  constexpr std::uint64_t kReadImpliesExec = 0x0400000;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const std::uint64_t other = std::uint64_t{1} << bit;
    if (other != kReadImpliesExec) {
      context.refuse_if("personality", EPERM,
                        masked(0, kReadImpliesExec | other, kReadImpliesExec));
    }
  }
}

// Every number up to the newest known call that no list names.
void refuse_unlisted(Context& context) {
  std::set<int> listed;
  const auto add = [&](std::string_view name) { listed.insert(context.resolve(name)); };
  for (const auto& group : kPassing) {
    std::ranges::for_each(group, add);
  }
  std::ranges::for_each(kChecked, add);
  for (const Refusal& refusal : kRefused) {
    std::ranges::for_each(refusal.names, add);
  }
  std::ranges::for_each(kTrapped, add, &TrappedCall::name);
  std::ranges::for_each(kSignals, add, &TrappedCall::name);
  for (int number = 0; number <= kNewestKnownCall; ++number) {
    if (!listed.contains(number)) {
      context.refuse(number, ENOSYS);
    }
  }
}

void refuse_signal_owners(Context& context) {
  for (const std::uint64_t request : kSignalOwnerIoctls) {
    context.refuse_if("ioctl", EPERM, masked(1, 0xffffffff, request));
  }
  for (const std::uint64_t command : kSignalOwnerCommands) {
    context.refuse_if("fcntl", EPERM, masked(1, 0xffffffff, command));
  }
}

tl::expected<std::vector<sock_filter>, OsError> export_program(const Context& context) {
  const UniqueFd file{::memfd_create("filter", MFD_CLOEXEC)};
  if (!file) {
    return tl::unexpected(OsError{"memfd_create", errno, ""});
  }
  if (const int result = ::seccomp_export_bpf(context.get(), file.get()); result < 0) {
    return tl::unexpected(OsError{"seccomp_export_bpf", -result, ""});
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) {
    return tl::unexpected(OsError{"fstat", errno, ""});
  }
  // Prefix: numbers beyond the newest known call answer ENOSYS. x32 numbers are beyond it, too.
  std::vector<sock_filter> program{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kNewestKnownCall, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  const std::size_t prefix = program.size();
  const auto size = static_cast<std::size_t>(info.st_size);
  program.resize(prefix + size / sizeof(sock_filter));
  if (::pread(file.get(), program.data() + prefix, size, 0) != static_cast<ssize_t>(size)) {
    return tl::unexpected(OsError{"pread", errno, ""});
  }
  return program;
}

template <class Calls>
void add_numbers(const Calls& calls, std::vector<NumberedCall>& numbers) {
  for (const TrappedCall& trapped : calls) {
    // Negative: this architecture has no such call.
    if (const int number = number_of(trapped.name); number >= 0) {
      numbers.push_back({number, trapped.which});
    }
  }
}

}  // namespace

tl::expected<std::vector<sock_filter>, OsError> build_filter(Signals signals) {
  Context context;
  if (!context) {
    return tl::unexpected(OsError{"seccomp_init", ENOMEM, ""});
  }
  // Foreign calling conventions (int 0x80) do not exist for the program.
  context.note(::seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)));
  context.note(::seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));
  for (const Refusal& refusal : kRefused) {
    for (const std::string_view name : refusal.names) {
      if (const int number = context.resolve(name); number >= 0) {
        context.refuse(number, refusal.error);
      }
    }
  }
  refuse_unlisted(context);
  for (const std::uint64_t request : kRefusedIoctls) {
    context.refuse_if("ioctl", EPERM, masked(1, 0xffffffff, request));
  }
  refuse_namespaces(context);
  refuse_sockets(context);
  refuse_other_protocols(context);
  refuse_executable_data(context);
  // A listener of the tree's own. The kernel refuses a second one only while the first is open:
  // were the broker killed, the newest filter would answer, and it could let every trapped call
  // run.
  context.refuse_if("seccomp", EBUSY, masked(0, 0xffffffff, SECCOMP_SET_MODE_FILTER),
                    masked(1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER));
  // Leases: one taken on a file that is only open for reading stops its owner for up to 45 s.
  context.refuse_if("fcntl", EPERM, masked(1, 0xffffffff, F_SETLEASE));
  const auto trap_all = [&](const auto& calls) {
    for (const TrappedCall& trapped : calls) {
      if (const int number = context.resolve(trapped.name); number >= 0) {
        context.trap(number, trapped.which);
      }
    }
  };
  trap_all(kTrapped);
  trap_all(kTrappedCommands);
  if (signals == Signals::brokered) {
    refuse_signal_owners(context);
    trap_all(kSignals);
  }
  if (!context) {
    return tl::unexpected(OsError{"seccomp_rule_add", context.error(), ""});
  }
  return export_program(context);
}

tl::expected<std::vector<NumberedCall>, OsError> number_trapped_calls() {
  std::vector<NumberedCall> numbers;
  add_numbers(kTrapped, numbers);
  add_numbers(kTrappedCommands, numbers);
  add_numbers(kSignals, numbers);
  std::ranges::sort(numbers, {}, &NumberedCall::number);
  return numbers;
}

}  // namespace pmg::platform
