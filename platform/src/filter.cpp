#include "platform/filter.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "platform/uapi/seccomp.hpp"
#include "platform/unique_fd.hpp"

namespace pmg::platform {
namespace {

// The newest call that this file has an opinion on (mseal, Linux 6.10). Numbers above 423 are the
// same on every architecture. A call that is newer answers ENOSYS, so programs fall back.
constexpr unsigned int kNewestKnownCall = 462;

constexpr std::array<std::uint64_t, 7> kNamespaceFlags{CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
                                                       CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
                                                       CLONE_NEWNET};
static_assert(std::ranges::none_of(kNamespaceFlags,
                                   [](std::uint64_t flag) { return (flag & 0xff) != 0; }),
              "clone keeps its exit signal in the low byte");
constexpr std::uint64_t kCloneNewTime =
    0x80;  // unshare(2) only: clone(2) uses these bits for a signal

struct Refusal {
  const char* name;
  int error;
};

// Refused whatever the arguments. ENOSYS where programs probe and fall back, EPERM elsewhere.
constexpr std::array kRefused{
    // Would run file and network operations outside the filter.
    Refusal{"io_uring_setup", ENOSYS},
    Refusal{"io_uring_enter", ENOSYS},
    Refusal{"io_uring_register", ENOSYS},
    // clone's flags are in registers and can be checked; clone3's are in memory.
    Refusal{"clone3", ENOSYS},
    // Other processes' memory and descriptors.
    Refusal{"ptrace", EPERM},
    Refusal{"process_vm_readv", EPERM},
    Refusal{"process_vm_writev", EPERM},
    Refusal{"pidfd_getfd", EPERM},
    Refusal{"kcmp", EPERM},
    Refusal{"process_madvise", EPERM},
    // Kernel attack surface and keyrings.
    Refusal{"keyctl", EPERM},
    Refusal{"add_key", EPERM},
    Refusal{"request_key", EPERM},
    Refusal{"bpf", EPERM},
    Refusal{"perf_event_open", EPERM},
    Refusal{"userfaultfd", EPERM},
    Refusal{"init_module", EPERM},
    Refusal{"finit_module", EPERM},
    Refusal{"delete_module", EPERM},
    Refusal{"kexec_load", EPERM},
    Refusal{"kexec_file_load", EPERM},
    Refusal{"modify_ldt", EPERM},
    Refusal{"iopl", EPERM},
    Refusal{"ioperm", EPERM},
    Refusal{"memfd_secret", ENOSYS},
    Refusal{"fanotify_init", EPERM},
    Refusal{"lookup_dcookie", EPERM},
    // The mount table, roots and namespaces: every path would mean something else.
    Refusal{"mount", EPERM},
    Refusal{"umount2", EPERM},
    Refusal{"pivot_root", EPERM},
    Refusal{"chroot", EPERM},
    Refusal{"open_tree", EPERM},
    Refusal{"move_mount", EPERM},
    Refusal{"fsopen", EPERM},
    Refusal{"fsconfig", EPERM},
    Refusal{"fsmount", EPERM},
    Refusal{"fspick", EPERM},
    Refusal{"mount_setattr", EPERM},
    Refusal{"setns", EPERM},
    // Files by handle, without a path.
    Refusal{"open_by_handle_at", EPERM},
    Refusal{"name_to_handle_at", EOPNOTSUPP},
    // Objects of System V and POSIX queues belong to the user and not to the tree: their numbers
    // and
    // names reach what other programs keep there.
    Refusal{"shmget", ENOSYS},
    Refusal{"shmat", ENOSYS},
    Refusal{"shmctl", ENOSYS},
    Refusal{"msgget", ENOSYS},
    Refusal{"msgsnd", ENOSYS},
    Refusal{"msgrcv", ENOSYS},
    Refusal{"msgctl", ENOSYS},
    Refusal{"semget", ENOSYS},
    Refusal{"semop", ENOSYS},
    Refusal{"semtimedop", ENOSYS},
    Refusal{"semctl", ENOSYS},
    Refusal{"mq_open", ENOSYS},
    Refusal{"mq_unlink", ENOSYS},
    // The machine as a whole.
    Refusal{"reboot", EPERM},
    Refusal{"swapon", EPERM},
    Refusal{"swapoff", EPERM},
    Refusal{"acct", EPERM},
    Refusal{"quotactl", EPERM},
    Refusal{"quotactl_fd", EPERM},
    Refusal{"settimeofday", EPERM},
    Refusal{"clock_settime", EPERM},
    Refusal{"sethostname", EPERM},
    Refusal{"setdomainname", EPERM},
    Refusal{"vhangup", EPERM},
    Refusal{"uselib", ENOSYS},
    Refusal{"nfsservctl", ENOSYS},
    Refusal{"syslog", EPERM},
};

// ioctl requests, compared in the low 32 bits: the kernel ignores the rest (ioctl(2) takes an
// unsigned int), so `TIOCSTI | 1 << 32` must not pass either.
constexpr std::array<std::uint64_t, 16> kRefusedIoctls{
    TIOCSTI,          // types into the terminal
    TIOCLINUX,        // pastes into a console
    FS_IOC_SETFLAGS,  // changes a file through a read-only descriptor (chattr)
    FS_IOC_FSSETXATTR, FS_IOC_SETVERSION,
    0x40806685,  // FS_IOC_ENABLE_VERITY
    0x40086604,  // EXT4_IOC_SETVERSION
    // Subvolumes of btrfs are made, changed and removed through a directory that is only open for
    // reading; a snapshot would also carry denied files to another name.
    0x50009401,  // BTRFS_IOC_SNAP_CREATE
    0x50009417,  // BTRFS_IOC_SNAP_CREATE_V2
    0x5000940e,  // BTRFS_IOC_SUBVOL_CREATE
    0x50009418,  // BTRFS_IOC_SUBVOL_CREATE_V2
    0x5000940f,  // BTRFS_IOC_SNAP_DESTROY
    0x5000943f,  // BTRFS_IOC_SNAP_DESTROY_V2
    0x4008941a,  // BTRFS_IOC_SUBVOL_SETFLAGS
    0xc0c89425,  // BTRFS_IOC_SET_RECEIVED_SUBVOL
    0x40089413,  // BTRFS_IOC_DEFAULT_SUBVOL
};

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

  void refuse(const char* name, int error) {
    const int number = resolve(name);
    if (number >= 0) {
      note(::seccomp_rule_add(get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number, 0));
    }
  }

  void refuse_if(const char* name, int error, scmp_arg_cmp condition) {
    const int number = resolve(name);
    if (number >= 0) {
      note(::seccomp_rule_add_array(get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number, 1,
                                    &condition));
    }
  }

  void refuse_if(const char* name, int error, scmp_arg_cmp first, scmp_arg_cmp second) {
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

  // Negative for a call that this architecture does not have. A name that libseccomp does not know
  // is an error: the rule would be missing.
  int resolve(const char* name) {
    const int number = ::seccomp_syscall_resolve_name(name);
    note(number == __NR_SCMP_ERROR ? -ENOSYS : 0);
    return number;
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

tl::expected<BpfProgram, OsError> export_program(const Context& context) {
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
  BpfProgram program{
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

}  // namespace

tl::expected<BpfProgram, OsError> build_filter(const SyscallTable& table) {
  Context context;
  if (!context) {
    return tl::unexpected(OsError{"seccomp_init", ENOMEM, ""});
  }
  // Foreign calling conventions (int 0x80) do not exist for the program.
  context.note(::seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)));
  context.note(::seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));
  for (const Refusal& refusal : kRefused) {
    context.refuse(refusal.name, refusal.error);
  }
  for (const std::uint64_t request : kRefusedIoctls) {
    context.refuse_if("ioctl", EPERM, masked(1, 0xffffffff, request));
  }
  refuse_namespaces(context);
  refuse_sockets(context);
  refuse_executable_data(context);
  // Leases: one taken on a file that is only open for reading stops its owner for up to 45 s.
  context.refuse_if("fcntl", EPERM, masked(1, 0xffffffff, F_SETLEASE));
  for (const auto& [number, call] : table.entries()) {
    context.trap(number, call);
  }
  if (!context) {
    return tl::unexpected(OsError{"seccomp_rule_add", context.error(), ""});
  }
  return export_program(context);
}

int install_filter(const BpfProgram& program) noexcept {
  const sock_fprog code{static_cast<unsigned short>(program.size()),
                        const_cast<sock_filter*>(program.data())};  // NOLINT: the kernel only reads
  const long fd =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &code);
  return fd >= 0 ? static_cast<int>(fd) : -errno;
}

Supervisor probe_supervisor() noexcept {
  constexpr int kBusy = 1;
  const pid_t child = ::fork();
  if (child == 0) {
    sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog code{1, &allow};
    (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const long fd =
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &code);
    ::_exit(fd < 0 && errno == EBUSY ? kBusy : 0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    return Supervisor::absent;
  }
  return WEXITSTATUS(status) == kBusy ? Supervisor::present : Supervisor::absent;
}

}  // namespace pmg::platform
