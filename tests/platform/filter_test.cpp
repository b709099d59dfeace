#include "platform/filter.hpp"

#include <cerrno>
#include <span>
#include <string>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

#include <doctest/doctest.h>

#include "platform/bpf.hpp"
#include "platform/syscalls.hpp"

using namespace pmg::platform;
using pmg::test::call;
using pmg::test::evaluate;

namespace {

constexpr std::uint32_t refused(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

std::span<const sock_filter> program() { return filter_program(Signals::scoped); }

bool is_signal(Trapped call) { return call >= Trapped::kill; }

// Trapped with some commands only; F2 has the rows.
bool is_by_command(Trapped call) { return call == Trapped::fcntl || call == Trapped::ioctl; }

}  // namespace

TEST_CASE("F1: every trapped call goes to the broker") {
  for (const auto& [number, which] : trapped_calls()) {
    CAPTURE(name_of(which));
    // 4711: another process than the caller, for those calls that name one.
    for (const std::uint64_t value : {std::uint64_t{4711}, ~std::uint64_t{O_PATH}}) {
      if (is_by_command(which)) {
        continue;
      }
      const auto data = call(number, {value, value, value, value, value, value});
      CHECK(evaluate(filter_program(Signals::brokered), data) == SECCOMP_RET_USER_NOTIF);
      CHECK(evaluate(program(), data) ==
            (is_signal(which) ? SECCOMP_RET_ALLOW : SECCOMP_RET_USER_NOTIF));
    }
    CHECK(trapped_call(number) == which);
  }
}

TEST_CASE("F1: only calls that name a process or a command pass with all arguments zero") {
  for (const auto& [number, which] : trapped_calls()) {
    CAPTURE(name_of(which));
    const bool is_own_setting = which >= Trapped::sched_setaffinity &&
                                which <= Trapped::prlimit64 &&
                                which != Trapped::ioprio_set;  // 0 is no kind of target there
    const bool is_own_group = which == Trapped::setpgid;
    CHECK(evaluate(filter_program(Signals::brokered), call(number, {})) ==
          (is_own_setting || is_own_group || is_by_command(which) ? SECCOMP_RET_ALLOW
                                                                  : SECCOMP_RET_USER_NOTIF));
  }
}

TEST_CASE("F1: O_PATH alone is let through, since it gives a name and no rights") {
  CHECK(evaluate(program(), call(SYS_openat, {0, 0, O_PATH})) == SECCOMP_RET_ALLOW);
  CHECK(evaluate(program(), call(SYS_openat, {0, 0, O_PATH | O_RDWR | O_CREAT | O_TRUNC})) ==
        SECCOMP_RET_ALLOW);
  CHECK(evaluate(program(), call(SYS_open, {0, O_PATH | O_NOFOLLOW})) == SECCOMP_RET_ALLOW);
  // Not where the flags are in memory, and not by the same bit of another argument.
  CHECK(evaluate(program(), call(SYS_openat2, {0, 0, O_PATH})) == SECCOMP_RET_USER_NOTIF);
  CHECK(evaluate(program(), call(SYS_open, {0, 0, O_PATH})) == SECCOMP_RET_USER_NOTIF);
  CHECK(evaluate(program(), call(SYS_openat, {0, O_PATH, 0})) == SECCOMP_RET_USER_NOTIF);
}

TEST_CASE("F1: the table covers the calls that name a path") {
  for (const int number :
       {SYS_open,        SYS_openat,       SYS_openat2,   SYS_creat,    SYS_mkdir,
        SYS_mkdirat,     SYS_mknod,        SYS_mknodat,   SYS_symlink,  SYS_symlinkat,
        SYS_unlink,      SYS_unlinkat,     SYS_rmdir,     SYS_rename,   SYS_renameat,
        SYS_renameat2,   SYS_link,         SYS_linkat,    SYS_truncate, SYS_chmod,
        SYS_fchmodat,    SYS_chown,        SYS_lchown,    SYS_fchownat, SYS_utime,
        SYS_utimes,      SYS_futimesat,    SYS_utimensat, SYS_setxattr, SYS_lsetxattr,
        SYS_removexattr, SYS_lremovexattr, SYS_execve,    SYS_execveat, SYS_bind,
        SYS_connect}) {
    CAPTURE(number);
    CHECK(trapped_call(number).has_value());
  }
  CHECK_FALSE(trapped_call(-1).has_value());
  CHECK_FALSE(trapped_call(SYS_read).has_value());
  CHECK_FALSE(trapped_call(1 << 30).has_value());
}

TEST_CASE("F2: refused without a round trip") {
  struct Row {
    int number;
    std::array<std::uint64_t, 6> arguments;
    std::uint32_t want;
    const char* why;
  };
  constexpr std::uint64_t high = 1ULL << 32U;
  const Row rows[] = {
      {SYS_io_uring_setup, {}, refused(ENOSYS), "file operations outside the filter"},
      {SYS_clone3, {}, refused(ENOSYS), "flags in memory"},
      {SYS_ptrace, {}, refused(EPERM), "other processes' memory"},
      {SYS_process_vm_readv, {}, refused(EPERM), "other processes' memory"},
      {SYS_process_mrelease, {}, refused(EPERM), "other processes' memory"},
      {SYS_mount, {}, refused(EPERM), "paths would change"},
      {SYS_chroot, {}, refused(EPERM), "paths would change"},
      {SYS_open_by_handle_at, {}, refused(EPERM), "no path to judge"},
      {SYS_bpf, {}, refused(EPERM), "attack surface"},
      {SYS_clone, {CLONE_NEWUSER}, refused(EPERM), "namespace"},
      {SYS_clone, {CLONE_NEWNS | CLONE_VM | SIGCHLD}, refused(EPERM), "namespace among flags"},
      {SYS_clone, {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND}, SECCOMP_RET_ALLOW, "a thread"},
      {SYS_clone, {SIGCHLD}, SECCOMP_RET_ALLOW, "fork"},
      {SYS_unshare, {CLONE_NEWNET}, refused(EPERM), "namespace"},
      {SYS_unshare, {CLONE_FS}, SECCOMP_RET_ALLOW, "no namespace"},
      {SYS_ioctl, {0, TIOCSTI}, refused(EPERM), "types into the terminal"},
      {SYS_ioctl, {0, TIOCSTI | high}, refused(EPERM), "the kernel ignores the high bits"},
      {SYS_ioctl, {0, TIOCLINUX}, refused(EPERM), "pastes into a console"},
      {SYS_ioctl, {0, TIOCSETD | high}, refused(EPERM), "loads a line discipline"},
      {SYS_ioctl, {0, FS_IOC_SETFLAGS}, refused(EPERM), "chattr through a read-only descriptor"},
      {SYS_ioctl, {0, 0x40047211}, refused(EPERM), "mode of a file on FAT that is only read"},
      {SYS_ioctl, {0, 0x50009417}, refused(EPERM), "snapshots a btrfs subvolume"},
      {SYS_ioctl, {0, FICLONE}, SECCOMP_RET_ALLOW, "copies between two judged descriptors"},
      {SYS_ioctl, {0, TCGETS}, SECCOMP_RET_ALLOW, "an ordinary terminal request"},
      {SYS_ioctl, {0, TIOCGWINSZ}, SECCOMP_RET_ALLOW, "an ordinary terminal request"},
      {SYS_socket, {AF_UNIX, SOCK_STREAM}, SECCOMP_RET_ALLOW, "node, python"},
      {SYS_socket, {AF_UNIX, SOCK_DGRAM}, refused(EPERM), "sendto could name a host socket"},
      {SYS_socket, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC}, refused(EPERM), "flags do not hide it"},
      {SYS_socket, {AF_UNIX, SOCK_RAW}, refused(EPERM), "the kernel makes a datagram socket of it"},
      {SYS_socketpair, {AF_UNIX, SOCK_RAW}, refused(EPERM), "as above"},
      {SYS_socket, {AF_UNIX, SOCK_SEQPACKET}, SECCOMP_RET_ALLOW, "connects before it sends"},
      {SYS_socketpair, {AF_UNIX, SOCK_STREAM}, SECCOMP_RET_ALLOW, "node's pipes"},
      {SYS_socket, {AF_INET, SOCK_STREAM}, SECCOMP_RET_ALLOW, "TCP"},
      {SYS_socket, {AF_INET6, SOCK_STREAM}, SECCOMP_RET_ALLOW, "TCP"},
      {SYS_socket, {AF_INET, SOCK_RAW}, refused(EPERM), "raw"},
      {SYS_socket, {AF_INET, SOCK_RAW, 6}, refused(EPERM), "raw, whatever the protocol"},
      {SYS_socket, {AF_INET, SOCK_STREAM, 6}, SECCOMP_RET_ALLOW, "TCP by number"},
      {SYS_socket, {AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 17}, SECCOMP_RET_ALLOW, "UDP by number"},
      {SYS_socket, {AF_INET, SOCK_STREAM, 262}, refused(EPROTONOSUPPORT), "multipath TCP"},
      {SYS_socket, {AF_INET, SOCK_STREAM, 6 | high}, refused(EPROTONOSUPPORT), "high bits"},
      {SYS_socket, {AF_INET6, SOCK_DGRAM, 136}, refused(EPROTONOSUPPORT), "UDP-Lite"},
      {SYS_socket, {AF_INET, SOCK_DGRAM, 1}, refused(EPROTONOSUPPORT), "ping"},
      {SYS_socket, {AF_INET, SOCK_SEQPACKET}, refused(ESOCKTNOSUPPORT), "SCTP, without its number"},
      {SYS_socket, {AF_UNIX, SOCK_STREAM, 1}, SECCOMP_RET_ALLOW, "the family's own number"},
      {SYS_socket, {AF_PACKET, SOCK_DGRAM}, refused(EAFNOSUPPORT), "packet"},
      {SYS_socket, {AF_VSOCK, SOCK_STREAM}, refused(EAFNOSUPPORT), "vsock"},
      {SYS_socket, {AF_VSOCK | high, SOCK_STREAM}, refused(EAFNOSUPPORT), "high bits"},
      {SYS_socket, {AF_NETLINK, SOCK_RAW, 0}, SECCOMP_RET_ALLOW, "getifaddrs"},
      {SYS_socket, {AF_NETLINK, SOCK_RAW, 9}, refused(EPERM), "netlink audit"},
      {SYS_personality, {0xffffffff}, SECCOMP_RET_ALLOW, "the query"},
      {SYS_personality, {0}, SECCOMP_RET_ALLOW, "plain Linux"},
      {SYS_personality, {0x0040000}, SECCOMP_RET_ALLOW, "ADDR_NO_RANDOMIZE"},
      {SYS_personality, {0x0400000}, refused(EPERM), "READ_IMPLIES_EXEC"},
      {SYS_personality, {0x80400000}, refused(EPERM), "READ_IMPLIES_EXEC among others"},
      {SYS_prlimit64, {0}, SECCOMP_RET_ALLOW, "its own limits"},
      {SYS_prlimit64, {4711}, SECCOMP_RET_USER_NOTIF, "somebody's limits"},
      {SYS_sched_setaffinity, {0}, SECCOMP_RET_ALLOW, "its own"},
      {SYS_setpriority, {0, 0}, SECCOMP_RET_ALLOW, "its own"},
      {SYS_setpriority, {2, 0}, SECCOMP_RET_USER_NOTIF, "all of a user's processes"},
      {SYS_ioprio_set, {1, 0}, SECCOMP_RET_ALLOW, "its own"},
      {SYS_ioprio_set, {3, 0}, SECCOMP_RET_USER_NOTIF, "all of a user's processes"},
      {SYS_fcntl, {3, F_SETLEASE}, refused(EPERM), "would stop the owner of a file"},
      {SYS_fcntl, {3, F_SETLEASE | high}, refused(EPERM), "the kernel ignores the high bits"},
      {SYS_fcntl, {3, F_SETLK}, SECCOMP_RET_ALLOW, "a lock of the process"},
      {SYS_fcntl, {3, F_OFD_SETLK}, SECCOMP_RET_USER_NOTIF, "a lock of the open file"},
      {SYS_fcntl, {3, F_OFD_SETLKW | high}, SECCOMP_RET_USER_NOTIF, "a lock of the open file"},
      {SYS_fcntl, {3, F_OFD_GETLK}, SECCOMP_RET_ALLOW, "a question"},
      {SYS_ioctl, {0, TIOCSPGRP}, SECCOMP_RET_USER_NOTIF, "who has the terminal"},
      {SYS_ioctl, {0, TIOCSPGRP | high}, SECCOMP_RET_USER_NOTIF, "the same request"},
      {SYS_ioctl, {0, TIOCGPGRP}, SECCOMP_RET_ALLOW, "a question"},
      {SYS_setpgid, {4711, 0}, SECCOMP_RET_ALLOW, "a group of its own"},
      {SYS_setpgid, {0, 4711}, SECCOMP_RET_USER_NOTIF, "a group that may be another's"},
      {SYS_setpgid, {0, high}, SECCOMP_RET_USER_NOTIF, "0 to the kernel, and to the broker"},
      {SYS_flock, {3, 2}, SECCOMP_RET_USER_NOTIF, "a lock of the open file"},
      {SYS_fcntl, {3, F_SETOWN}, SECCOMP_RET_ALLOW, "Landlock looks who is meant"},
      {SYS_ioctl, {0, 0x800c6613}, refused(EPERM), "encrypts a directory that is only read"},
      {SYS_ioctl, {0, 0xc0406618}, refused(EPERM), "takes the key of files away"},
      {SYS_move_pages, {}, refused(EPERM), "other processes' memory"},
      {SYS__sysctl, {}, refused(ENOSYS), "not listed"},
      {335, {}, refused(ENOSYS), "not listed"},
      {423, {}, refused(ENOSYS), "no such call"},
      {SYS_seccomp, {1, 8}, refused(EBUSY), "a listener that could take the broker's place"},
      {SYS_seccomp, {1 | high, 8 | 1 | high}, refused(EBUSY), "flags do not hide it"},
      {SYS_seccomp, {1, 1}, SECCOMP_RET_ALLOW, "a filter that only restricts"},
      {SYS_seccomp, {2, 8}, SECCOMP_RET_ALLOW, "a question"},
      {SYS_shmat, {}, refused(ENOSYS), "segments of other programs"},
      {SYS_msgrcv, {}, refused(ENOSYS), "queues of other programs"},
      {SYS_mq_unlink, {}, refused(ENOSYS), "queues of other programs"},
      {SYS_read, {}, SECCOMP_RET_ALLOW, "a descriptor that was judged"},
      {SYS_stat, {}, SECCOMP_RET_ALLOW, "names are visible, content is not"},
      {467, {}, refused(ENOSYS), "newer than this filter"},
      {100000, {}, refused(ENOSYS), "no such call"},
      {0x40000000 | SYS_read, {}, refused(ENOSYS), "x32"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.number);
    CAPTURE(std::string(row.why));
    CHECK(evaluate(program(), call(row.number, row.arguments)) == row.want);
  }
}

TEST_CASE("F3: no system call of a foreign ABI exists") {
  for (int number = 0; number <= 450; ++number) {
    auto data = call(number, {});
    data.arch = AUDIT_ARCH_I386;
    CAPTURE(number);
    CHECK(evaluate(program(), data) == refused(ENOSYS));
  }
}

TEST_CASE("F4: the program fits the kernel's limit") {
  for (const Signals signals : {Signals::scoped, Signals::brokered}) {
    CHECK(filter_program(signals).size() <= BPF_MAXINSNS);
  }
}
