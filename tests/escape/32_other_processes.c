// Line 32: the broker, the program that started it, and other processes of the user: signals in every form, their scheduling, limits
// and memory. Landlock scopes signals to the tree (ABI 6), also those that come by SIGIO; the broker looks whose number a call names;
// ptrace and its relatives are filtered, and Landlock refuses what else needs the same right.
//
// outsider:
// optional: kcmp the kernel has no kcmp
// optional: move-pages the kernel has no NUMA
// optional: migrate-pages the kernel has no NUMA
// optional: core-scheduling the kernel or the processor has no core scheduling
// optional: pidfd-namespace the kernel has no such request (6.11)
// optional: process_mrelease the kernel has none (5.15)
// optional: fifo-scheduling only root may
// optional: process_madvise only root may
// refused: sigio:* ENODATA the signal is not delivered, and nobody is told
#include <linux/kcmp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "others.h"

enum { VICTIMS = 20 };

#ifndef PIDFD_GET_USER_NAMESPACE
#define PIDFD_GET_USER_NAMESPACE _IO(0xFF, 9)
#endif
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

// A process outside with children that must live on, the last three in a group of their own.
static int outside(void) {
  pid_t victims[VICTIMS];
  static const char memory[] = "of the victim";
  for (int i = 0; i < VICTIMS; ++i) {
    victims[i] = fork();
    if (victims[i] == 0) {
      setpgid(0, i < VICTIMS - 3 ? 0 : i == VICTIMS - 3 ? 0 : victims[VICTIMS - 3]);
      signal(SIGTERM, SIG_DFL);
      for (;;) {
        pause();
      }
    }
    if (i >= VICTIMS - 3) {
      setpgid(victims[i], victims[VICTIMS - 3]);
    }
  }
  printf("ready %d %lx", (int)getpid(), (unsigned long)memory);
  for (int i = 0; i < VICTIMS; ++i) {
    printf(" %d", (int)victims[i]);
  }
  printf("\n");
  fflush(stdout);
  // The runner ends us by SIGTERM; until then nobody has a reason to send anything to a victim.
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigprocmask(SIG_BLOCK, &end, NULL);
  const struct timespec round = {0, 20000000};
  int breaches = 0;
  while (sigtimedwait(&end, NULL, &round) < 0) {
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
      printf("BREACH victim %d: status %x\n", (int)pid, (unsigned)status);
      fflush(stdout);
      ++breaches;
    }
  }
  for (int i = 0; i < VICTIMS; ++i) {
    kill(victims[i], SIGKILL);
  }
  return 0;
}

static pid_t victims[VICTIMS];
static int next_victim;

static pid_t victim(void) { return victims[next_victim++]; }

static int gone(pid_t pid) { return !exists(text("/proc/%d", (int)pid)); }
// The outsider buries a victim at once.
static long died(pid_t pid) {
  for (int i = 0; i < 40; ++i) {
    if (gone(pid)) {
      return 0;
    }
    pause_ms(5);
  }
  return refuse(ENODATA);
}

static long queues(pid_t pid, int signal_number) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return syscall(SYS_rt_sigqueueinfo, pid, signal_number, &info);
}
static long queues_thread(pid_t pid, int signal_number) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_code = SI_QUEUE;
  return syscall(SYS_rt_tgsigqueueinfo, pid, pid, signal_number, &info);
}

// Makes `owner` (negative: a group) the one that is told about input, with a deadly signal.
static long input_signal(pid_t owner, pid_t watched, int by_thread) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    return -1;
  }
  struct f_owner_ex thread = {F_OWNER_TID, owner};
  if ((by_thread ? fcntl(ends[0], F_SETOWN_EX, &thread) : fcntl(ends[0], F_SETOWN, owner)) != 0 ||
      fcntl(ends[0], F_SETSIG, SIGKILL) != 0 ||
      fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) != 0) {
    return -1;
  }
  (void)!write(ends[1], "x", 1);
  return died(watched);
}
static long input_signal_by_ioctl(pid_t owner) {
  int ends[2];
  int on = 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || ioctl(ends[0], FIOSETOWN, &owner) != 0 ||
      fcntl(ends[0], F_SETSIG, SIGKILL) != 0 || ioctl(ends[0], FIOASYNC, &on) != 0) {
    return -1;
  }
  (void)!write(ends[1], "x", 1);
  return died(owner);
}
// A child sets the owner and another process, which inherits the descriptor, causes the signal.
static long input_signal_from_child(pid_t owner) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    return -1;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    fcntl(ends[0], F_SETOWN, owner);
    fcntl(ends[0], F_SETSIG, SIGKILL);
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  (void)!write(ends[1], "x", 1);
  return died(owner);
}

static long prompts(pid_t pid) {
  return kill(pid, SIGSTOP) == 0 && kill(pid, SIGCONT) == 0 ? 0 : -1;
}

static long reads_memory(pid_t pid, unsigned long address, int write) {
  char bytes[8] = "of the v";
  struct iovec local = {bytes, sizeof bytes};
  struct iovec remote = {(void*)address, sizeof bytes};
  // The text is constant, so writing needs another address: the kernel refuses it last of all, with EFAULT.
  if (!write) {
    return process_vm_readv(pid, &local, 1, &remote, 1, 0);
  }
  const long result = process_vm_writev(pid, &local, 1, &remote, 1, 0);
  return result < 0 && errno == EFAULT ? 0 : result;
}
static long traces(pid_t pid) {
  const long result = ptrace(PTRACE_SEIZE, pid, NULL, NULL);
  if (result == 0) {
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
  }
  return result;
}
static long attaches(pid_t pid) {
  const long result = ptrace(PTRACE_ATTACH, pid, NULL, NULL);
  if (result == 0) {
    waitpid(pid, NULL, __WALL);
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
  }
  return result;
}
static long affinity(pid_t pid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((unsigned)sched_getcpu(), &set);
  return sched_setaffinity(pid, sizeof set, &set);
}
static long schedules(pid_t pid, int policy) {
  const struct sched_param parameters = {.sched_priority = policy == SCHED_FIFO ? 1 : 0};
  return sched_setscheduler(pid, policy, &parameters);
}
static long schedules_by_attribute(pid_t pid) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attribute = {.size = 48, .policy = SCHED_BATCH};
  return syscall(SYS_sched_setattr, pid, &attribute, 0);
}
static long parameters_of(pid_t pid) {
  const struct sched_param parameters = {.sched_priority = 0};
  return sched_setparam(pid, &parameters);
}
static long limits(pid_t pid, int resource) {
  struct rlimit now;
  return prlimit(pid, (__rlimit_resource_t)resource, NULL, &now) != 0
             ? -1
             : prlimit(pid, (__rlimit_resource_t)resource, &now, NULL);
}
// Succeeds without pmg with EINVAL, for a process that is not dying.
static long releases(pid_t pid) {
  const long result = syscall(448 /* process_mrelease */, pidfd_of(pid), 0);
  return result < 0 && errno == EINVAL ? 0 : result;
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    return outside();
  }
  begin();
  if (count < 3 + VICTIMS) {
    return 2;
  }
  const pid_t other = (pid_t)atoi(words[1]);
  const unsigned long address = strtoul(words[2], NULL, 16);
  for (int i = 0; i < VICTIMS; ++i) {
    victims[i] = (pid_t)atoi(words[3 + i]);
  }
  const pid_t group = victims[VICTIMS - 3];
  const pid_t broker = getppid();
  const pid_t launcher = parent_of(broker);

  TRY("broker:signal-0", kill(broker, 0));
  TRY("broker:stop", prompts(broker));
  TRY("broker:continue", kill(broker, SIGCONT));
  TRY("broker:thread-signal-0", syscall(SYS_tgkill, broker, broker, 0));
  TRY("broker:pidfd-signal-0", syscall(SYS_pidfd_send_signal, pidfd_of(broker), 0, NULL, 0));
  TRY("broker:limits", limits(broker, RLIMIT_NOFILE));
  TRY("broker:limit-of-processor", limits(broker, RLIMIT_CPU));
  TRY("broker:affinity", affinity(broker));
  TRY("broker:nice", setpriority(PRIO_PROCESS, (id_t)broker, 19));
  TRY("broker:robust-list", robust_list(broker));
  TRY("launcher:signal-0", kill(launcher, 0));
  TRY("launcher:continue", kill(launcher, SIGCONT));

  pid_t one = 0;
  TRY("term", kill(victim(), SIGTERM));
  TRY("kill", kill(victim(), SIGKILL));
  TRY("stop", kill(victim(), SIGSTOP));
  TRY("tkill", syscall(SYS_tkill, victim(), SIGKILL));
  TRY("tgkill", (one = victim(), syscall(SYS_tgkill, one, one, SIGKILL)));
  TRY("sigqueue", queues(victim(), SIGKILL));
  TRY("sigqueue-thread", queues_thread(victim(), SIGKILL));
  TRY("pidfd", syscall(SYS_pidfd_send_signal, pidfd_of(victim()), SIGKILL, NULL, 0));
  TRY("sigio:process", (one = victim(), input_signal(one, one, 0)));
  TRY("sigio:thread", (one = victim(), input_signal(one, one, 1)));
  TRY("sigio:ioctl", input_signal_by_ioctl(victim()));
  TRY("sigio:owner-set-by-child", input_signal_from_child(victim()));

  one = victim();
  TRY("ptrace-seize", traces(one));
  TRY("ptrace-attach", attaches(victim()));
  TRY("memory-read", reads_memory(other, address, 0));
  TRY("memory-write", reads_memory(other, address, 1));
  TRY("descriptor", syscall(SYS_pidfd_getfd, pidfd_of(other), 1, 0));
  TRY("kcmp", syscall(SYS_kcmp, getpid(), other, KCMP_FILE, 0, 0) >= 0 ? 0 : -1);
  TRY("move-pages", moves_pages(other, address));
  TRY("migrate-pages", migrates(other));
  TRY("robust-list", robust_list(other));
  TRY("process_madvise", advises(other, address));
  TRY("process_mrelease", releases(other));
  TRY("core-scheduling", prctl(PR_SCHED_CORE, 2 /* share to */, other, 0, 0));
  TRY("pidfd-namespace", ioctl(pidfd_of(other), PIDFD_GET_USER_NAMESPACE, 0));
  TRY("limits", limits(other, RLIMIT_CORE));
  TRY("affinity", affinity(other));
  TRY("scheduler", schedules(other, SCHED_BATCH));
  TRY("fifo-scheduling", schedules(other, SCHED_FIFO));
  TRY("scheduling-parameters", parameters_of(one));
  TRY("scheduling-attribute", schedules_by_attribute(one));
  TRY("nice", setpriority(PRIO_PROCESS, (id_t)other, 19));
  TRY("nice-group", setpriority(PRIO_PGRP, (id_t)group, 19));
  TRY("io-priority", syscall(SYS_ioprio_set, 1, other, 3 << 13));
  TRY("io-priority-group", syscall(SYS_ioprio_set, 2, group, 3 << 13));

  TRY("group", kill(-group, 0));
  TRY("sigio:group", input_signal(-group, victims[VICTIMS - 1], 0));
  return 0;
}
