/// Every system call, and what becomes of it. platform/embed generates the filter from these lists;
/// a test compares them with the kernel's headers and with docs/ENFORCEMENT.md.
///
///   for (const Refusal& refusal : kRefused) …         // refusal.names, refusal.error
///
/// A number that is in none of them answers ENOSYS. Not for: numbers at run time (syscalls.hpp).
#pragma once

#include <array>
#include <cerrno>
#include <span>
#include <string_view>

#include "platform/syscalls.hpp"

namespace pmg::platform {

using std::string_view_literals::operator""sv;

/// The newest call on these lists (mseal, Linux 6.10); above 423 all architectures agree.
inline constexpr int kNewestKnownCall = 462;

/// Calls that libseccomp 2.5.4 does not know.
struct NewerCall {
  std::string_view name;
  int number;
};
inline constexpr std::array kNewerCalls{
    NewerCall{"cachestat", 451},  NewerCall{"fchmodat2", 452},  NewerCall{"map_shadow_stack", 453},
    NewerCall{"futex_wake", 454}, NewerCall{"futex_wait", 455}, NewerCall{"futex_requeue", 456},
    NewerCall{"mseal", 462},
};

struct TrappedCall {
  Trapped which;
  std::string_view name;
};

/// Sent to the broker, some of them only with certain arguments.
inline constexpr std::array kTrapped{TrappedCall{Trapped::open, "open"},
                                     TrappedCall{Trapped::openat, "openat"},
                                     TrappedCall{Trapped::openat2, "openat2"},
                                     TrappedCall{Trapped::creat, "creat"},
                                     TrappedCall{Trapped::mkdir, "mkdir"},
                                     TrappedCall{Trapped::mkdirat, "mkdirat"},
                                     TrappedCall{Trapped::mknod, "mknod"},
                                     TrappedCall{Trapped::mknodat, "mknodat"},
                                     TrappedCall{Trapped::symlink, "symlink"},
                                     TrappedCall{Trapped::symlinkat, "symlinkat"},
                                     TrappedCall{Trapped::unlink, "unlink"},
                                     TrappedCall{Trapped::unlinkat, "unlinkat"},
                                     TrappedCall{Trapped::rmdir, "rmdir"},
                                     TrappedCall{Trapped::rename, "rename"},
                                     TrappedCall{Trapped::renameat, "renameat"},
                                     TrappedCall{Trapped::renameat2, "renameat2"},
                                     TrappedCall{Trapped::link, "link"},
                                     TrappedCall{Trapped::linkat, "linkat"},
                                     TrappedCall{Trapped::truncate, "truncate"},
                                     TrappedCall{Trapped::chmod, "chmod"},
                                     TrappedCall{Trapped::fchmod, "fchmod"},
                                     TrappedCall{Trapped::fchmodat, "fchmodat"},
                                     TrappedCall{Trapped::fchmodat2, "fchmodat2"},
                                     TrappedCall{Trapped::chown, "chown"},
                                     TrappedCall{Trapped::lchown, "lchown"},
                                     TrappedCall{Trapped::fchown, "fchown"},
                                     TrappedCall{Trapped::fchownat, "fchownat"},
                                     TrappedCall{Trapped::utime, "utime"},
                                     TrappedCall{Trapped::utimes, "utimes"},
                                     TrappedCall{Trapped::futimesat, "futimesat"},
                                     TrappedCall{Trapped::utimensat, "utimensat"},
                                     TrappedCall{Trapped::setxattr, "setxattr"},
                                     TrappedCall{Trapped::lsetxattr, "lsetxattr"},
                                     TrappedCall{Trapped::fsetxattr, "fsetxattr"},
                                     TrappedCall{Trapped::removexattr, "removexattr"},
                                     TrappedCall{Trapped::lremovexattr, "lremovexattr"},
                                     TrappedCall{Trapped::fremovexattr, "fremovexattr"},
                                     TrappedCall{Trapped::execve, "execve"},
                                     TrappedCall{Trapped::execveat, "execveat"},
                                     TrappedCall{Trapped::memfd_create, "memfd_create"},
                                     TrappedCall{Trapped::bind, "bind"},
                                     TrappedCall{Trapped::connect, "connect"},
                                     TrappedCall{Trapped::getsockname, "getsockname"},
                                     TrappedCall{Trapped::sched_setaffinity, "sched_setaffinity"},
                                     TrappedCall{Trapped::sched_setscheduler, "sched_setscheduler"},
                                     TrappedCall{Trapped::sched_setparam, "sched_setparam"},
                                     TrappedCall{Trapped::sched_setattr, "sched_setattr"},
                                     TrappedCall{Trapped::setpriority, "setpriority"},
                                     TrappedCall{Trapped::ioprio_set, "ioprio_set"},
                                     TrappedCall{Trapped::prlimit64, "prlimit64"},
                                     TrappedCall{Trapped::umask, "umask"},
                                     TrappedCall{Trapped::flock, "flock"},
                                     TrappedCall{Trapped::setpgid, "setpgid"}};

/// Of kChecked, sent to the broker with certain arguments: locks, who has the terminal.
inline constexpr std::array kTrappedCommands{TrappedCall{Trapped::fcntl, "fcntl"},
                                             TrappedCall{Trapped::ioctl, "ioctl"}};

/// Sent to the broker where Landlock does not scope signals (before ABI 6, Linux 6.12).
inline constexpr std::array kSignals{TrappedCall{Trapped::kill, "kill"},
                                     TrappedCall{Trapped::tkill, "tkill"},
                                     TrappedCall{Trapped::tgkill, "tgkill"},
                                     TrappedCall{Trapped::rt_sigqueueinfo, "rt_sigqueueinfo"},
                                     TrappedCall{Trapped::rt_tgsigqueueinfo, "rt_tgsigqueueinfo"},
                                     TrappedCall{Trapped::pidfd_send_signal, "pidfd_send_signal"}};

/// Operations outside the filter; and clone3, whose flags are in memory (clone's are in registers).
inline constexpr std::array kOutsideTheFilter{"io_uring_setup"sv, "io_uring_enter"sv,
                                              "io_uring_register"sv, "clone3"sv};
/// Other processes' memory and descriptors.
inline constexpr std::array kOtherProcesses{
    "ptrace"sv,          "process_vm_readv"sv, "process_vm_writev"sv, "pidfd_getfd"sv, "kcmp"sv,
    "process_madvise"sv, "process_mrelease"sv, "migrate_pages"sv,     "move_pages"sv};
/// Kernel attack surface and keyrings.
inline constexpr std::array kAttackSurface{
    "keyctl"sv,        "add_key"sv,         "request_key"sv,
    "bpf"sv,           "perf_event_open"sv, "userfaultfd"sv,
    "init_module"sv,   "finit_module"sv,    "delete_module"sv,
    "kexec_load"sv,    "kexec_file_load"sv, "modify_ldt"sv,
    "iopl"sv,          "ioperm"sv,          "fanotify_init"sv,
    "fanotify_mark"sv, "lookup_dcookie"sv};
/// Memory that the broker cannot read.
inline constexpr std::array kUnreadableMemory{"memfd_secret"sv};
/// The mount table, roots and namespaces: every path would mean something else.
inline constexpr std::array kMountsAndNamespaces{
    "mount"sv,  "umount2"sv,  "pivot_root"sv, "chroot"sv, "open_tree"sv,     "move_mount"sv,
    "fsopen"sv, "fsconfig"sv, "fsmount"sv,    "fspick"sv, "mount_setattr"sv, "setns"sv};
/// Files by handle, without a path; the second as where the file system has no handles.
inline constexpr std::array kByHandle{"open_by_handle_at"sv};
inline constexpr std::array kToHandle{"name_to_handle_at"sv};
/// System V objects and POSIX queues: numbers and names reach what the user's programs keep there.
inline constexpr std::array kSharedWithTheUser{
    "shmget"sv, "shmat"sv, "shmctl"sv,     "msgget"sv, "msgsnd"sv,  "msgrcv"sv,   "msgctl"sv,
    "semget"sv, "semop"sv, "semtimedop"sv, "semctl"sv, "mq_open"sv, "mq_unlink"sv};
/// The machine as a whole.
inline constexpr std::array kWholeMachine{"reboot"sv,        "swapon"sv,        "swapoff"sv,
                                          "acct"sv,          "quotactl"sv,      "quotactl_fd"sv,
                                          "settimeofday"sv,  "clock_settime"sv, "sethostname"sv,
                                          "setdomainname"sv, "vhangup"sv,       "syslog"sv};

/// Refused whatever the arguments. ENOSYS where programs probe and fall back, EPERM elsewhere.
struct Refusal {
  std::span<const std::string_view> names;
  int error;
};
inline constexpr std::array kRefused{
    Refusal{kOutsideTheFilter, ENOSYS},   Refusal{kOtherProcesses, EPERM},
    Refusal{kAttackSurface, EPERM},       Refusal{kUnreadableMemory, ENOSYS},
    Refusal{kMountsAndNamespaces, EPERM}, Refusal{kByHandle, EPERM},
    Refusal{kToHandle, EOPNOTSUPP},       Refusal{kSharedWithTheUser, ENOSYS},
    Refusal{kWholeMachine, EPERM}};

/// Run by the kernel, unless the filter does not like the arguments.
inline constexpr std::array kChecked{"clone"sv, "unshare"sv, "socket"sv,      "socketpair"sv,
                                     "ioctl"sv, "fcntl"sv,   "personality"sv, "seccomp"sv};

// Run by the kernel: they take no path, or a path of which only metadata is told, and they give
// nothing that was not judged before. docs/ENFORCEMENT.md has the reasons.
/// Descriptors.
inline constexpr std::array kOnDescriptors{
    "read"sv,     "write"sv,  "close"sv,  "lseek"sv,    "pread64"sv,        "pwrite64"sv,
    "readv"sv,    "writev"sv, "preadv"sv, "pwritev"sv,  "preadv2"sv,        "pwritev2"sv,
    "pipe"sv,     "pipe2"sv,  "dup"sv,    "dup2"sv,     "dup3"sv,           "close_range"sv,
    "sendfile"sv, "splice"sv, "tee"sv,    "vmsplice"sv, "copy_file_range"sv};
/// The same, of files.
inline constexpr std::array kOnFiles{
    "fsync"sv,     "fdatasync"sv, "ftruncate"sv,  "fallocate"sv,    "sync_file_range"sv,
    "fadvise64"sv, "readahead"sv, "getdents"sv,   "getdents64"sv,   "syncfs"sv,
    "sync"sv,      "io_setup"sv,  "io_destroy"sv, "io_getevents"sv, "io_pgetevents"sv,
    "io_submit"sv, "io_cancel"sv, "cachestat"sv};
/// Waiting.
inline constexpr std::array kWaiting{
    "poll"sv,           "ppoll"sv,         "select"sv,         "pselect6"sv,
    "epoll_create"sv,   "epoll_create1"sv, "epoll_ctl"sv,      "epoll_wait"sv,
    "epoll_pwait"sv,    "epoll_pwait2"sv,  "eventfd"sv,        "eventfd2"sv,
    "signalfd"sv,       "signalfd4"sv,     "timerfd_create"sv, "timerfd_settime"sv,
    "timerfd_gettime"sv};
/// Metadata by path, and where a path starts.
inline constexpr std::array kMetadata{"stat"sv,
                                      "fstat"sv,
                                      "lstat"sv,
                                      "newfstatat"sv,
                                      "statx"sv,
                                      "access"sv,
                                      "faccessat"sv,
                                      "faccessat2"sv,
                                      "readlink"sv,
                                      "readlinkat"sv,
                                      "statfs"sv,
                                      "fstatfs"sv,
                                      "getxattr"sv,
                                      "lgetxattr"sv,
                                      "fgetxattr"sv,
                                      "listxattr"sv,
                                      "llistxattr"sv,
                                      "flistxattr"sv,
                                      "inotify_init"sv,
                                      "inotify_init1"sv,
                                      "inotify_add_watch"sv,
                                      "inotify_rm_watch"sv,
                                      "chdir"sv,
                                      "fchdir"sv,
                                      "getcwd"sv};
/// Its own memory.
inline constexpr std::array kOwnMemory{
    "mmap"sv,          "mprotect"sv,         "munmap"sv,
    "brk"sv,           "mremap"sv,           "msync"sv,
    "mincore"sv,       "madvise"sv,          "mlock"sv,
    "mlock2"sv,        "munlock"sv,          "mlockall"sv,
    "munlockall"sv,    "remap_file_pages"sv, "mbind"sv,
    "set_mempolicy"sv, "get_mempolicy"sv,    "set_mempolicy_home_node"sv,
    "pkey_mprotect"sv, "pkey_alloc"sv,       "pkey_free"sv,
    "membarrier"sv,    "map_shadow_stack"sv, "mseal"sv,
    "shmdt"sv};
/// Sockets that were made under the filter and connected by the broker.
inline constexpr std::array kOnSockets{"accept"sv,    "accept4"sv,  "listen"sv,      "sendto"sv,
                                       "recvfrom"sv,  "sendmsg"sv,  "recvmsg"sv,     "sendmmsg"sv,
                                       "recvmmsg"sv,  "shutdown"sv, "getpeername"sv, "setsockopt"sv,
                                       "getsockopt"sv};
/// Processes: its own, and what ps(1) shows of others.
inline constexpr std::array kOwnProcesses{"fork"sv,
                                          "vfork"sv,
                                          "exit"sv,
                                          "exit_group"sv,
                                          "wait4"sv,
                                          "waitid"sv,
                                          "pidfd_open"sv,
                                          "getpid"sv,
                                          "getppid"sv,
                                          "gettid"sv,
                                          "getpgid"sv,
                                          "getpgrp"sv,
                                          "getsid"sv,
                                          "setsid"sv,
                                          "set_tid_address"sv,
                                          "set_robust_list"sv,
                                          "get_robust_list"sv,
                                          "rseq"sv,
                                          "futex"sv,
                                          "futex_waitv"sv,
                                          "futex_wake"sv,
                                          "futex_wait"sv,
                                          "futex_requeue"sv};
/// Scheduling and limits, which are told of any process, and set of its own.
inline constexpr std::array kScheduling{"sched_yield"sv,
                                        "sched_getparam"sv,
                                        "sched_getscheduler"sv,
                                        "sched_get_priority_max"sv,
                                        "sched_get_priority_min"sv,
                                        "sched_rr_get_interval"sv,
                                        "sched_getaffinity"sv,
                                        "sched_getattr"sv,
                                        "getpriority"sv,
                                        "ioprio_get"sv,
                                        "getrlimit"sv,
                                        "setrlimit"sv,
                                        "getrusage"sv,
                                        "times"sv,
                                        "prctl"sv,
                                        "arch_prctl"sv,
                                        "restart_syscall"sv};
/// Identity: the ids are the operator's, and the capabilities that would change them are gone.
inline constexpr std::array kIdentity{
    "getuid"sv,    "geteuid"sv,  "getgid"sv,   "getegid"sv,   "getresuid"sv, "getresgid"sv,
    "getgroups"sv, "setuid"sv,   "setgid"sv,   "setreuid"sv,  "setregid"sv,  "setresuid"sv,
    "setresgid"sv, "setfsuid"sv, "setfsgid"sv, "setgroups"sv, "capget"sv,    "capset"sv};
/// Its own signals; see also kSignals.
inline constexpr std::array kOwnSignals{
    "rt_sigaction"sv,    "rt_sigprocmask"sv, "rt_sigreturn"sv, "rt_sigpending"sv,
    "rt_sigtimedwait"sv, "rt_sigsuspend"sv,  "sigaltstack"sv,  "pause"sv};
/// Time.
inline constexpr std::array kTime{"alarm"sv,
                                  "getitimer"sv,
                                  "setitimer"sv,
                                  "nanosleep"sv,
                                  "clock_nanosleep"sv,
                                  "clock_gettime"sv,
                                  "clock_getres"sv,
                                  "gettimeofday"sv,
                                  "time"sv,
                                  "timer_create"sv,
                                  "timer_settime"sv,
                                  "timer_gettime"sv,
                                  "timer_getoverrun"sv,
                                  "timer_delete"sv,
                                  "adjtimex"sv,
                                  "clock_adjtime"sv};
/// The machine, and more restrictions.
inline constexpr std::array kHarmless{"uname"sv,
                                      "sysinfo"sv,
                                      "getcpu"sv,
                                      "getrandom"sv,
                                      "landlock_create_ruleset"sv,
                                      "landlock_add_rule"sv,
                                      "landlock_restrict_self"sv};

inline constexpr std::array<std::span<const std::string_view>, 12> kPassing{
    kOnDescriptors, kOnFiles,    kWaiting,  kMetadata,   kOwnMemory, kOnSockets,
    kOwnProcesses,  kScheduling, kIdentity, kOwnSignals, kTime,      kHarmless};

}  // namespace pmg::platform
