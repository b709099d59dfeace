// Line 37: more filters, tracers and settings of the process, to get out of the filter that is there. A filter only adds: of two the
// stricter answer counts, and of two that ask a listener the newest would, so a second listener is refused. Each try does something to
// the filter and then reads the secret.
//
// refused: listener* EBUSY there is a listener
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

#include "attack.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#ifndef PTRACE_EVENT_SECCOMP
#define PTRACE_EVENT_SECCOMP 7
#endif

// Answers `answer` to openat and open, and lets everything else be.
static long filters(unsigned answer, unsigned long flags) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, answer),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
             ? -1
             : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static long allows(void* unused) {
  (void)unused;
  return filters(SECCOMP_RET_ALLOW, 0) != 0 ? -1 : steals(".env");
}
static long allows_all_threads(void* unused) {
  (void)unused;
  return filters(SECCOMP_RET_ALLOW, SECCOMP_FILTER_FLAG_TSYNC) != 0 ? -1 : steals(".env");
}
static long allows_speculation(void* unused) {
  (void)unused;
  return filters(SECCOMP_RET_ALLOW, SECCOMP_FILTER_FLAG_SPEC_ALLOW) != 0 ? -1 : steals(".env");
}
static long logs(void* unused) {
  (void)unused;
  return filters(SECCOMP_RET_LOG, SECCOMP_FILTER_FLAG_LOG) != 0 ? -1 : steals(".env");
}
static long by_prctl(void* unused) {
  (void)unused;
  struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {1, &allow};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
                 prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0
             ? -1
             : steals(".env");
}
static long many(void* unused) {
  (void)unused;
  for (int i = 0; i < 50; ++i) {
    if (filters(SECCOMP_RET_ALLOW, 0) != 0) {
      return -1;
    }
  }
  return steals(".env");
}
static long turned_off(void* unused) {
  (void)unused;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_DISABLED, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
  return steals(".env");
}

// With a tracer that lets the call go on.
static long traced(void* answer) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
      _exit(errno);
    }
    raise(SIGSTOP);
    if (filters(*(unsigned*)answer, 0) != 0) {
      _exit(errno);
    }
    _exit(steals(".env") == 0 ? 0 : errno);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) == pid && !WIFEXITED(status) && !WIFSIGNALED(status)) {
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void*)(1L << PTRACE_EVENT_SECCOMP));
    ptrace(PTRACE_CONT, pid, NULL, NULL);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0
             ? 0
             : refuse(WIFEXITED(status) ? WEXITSTATUS(status) : EPERM);
}
static long seized(void* unused) {
  (void)unused;
  const pid_t pid = fork();
  if (pid == 0) {
    pause_ms(200);
    _exit(0);
  }
  const long result = ptrace(PTRACE_SEIZE, pid, NULL, NULL);
  const int error = errno;
  kill(pid, SIGKILL);
  waitpid(pid, NULL, __WALL);
  errno = error;
  return result;
}

static int pipes[2];
static void* serves(void* unused) {
  (void)unused;
  int listener = -1;
  if (read(pipes[0], &listener, sizeof listener) != (ssize_t)sizeof listener || listener < 0) {
    return NULL;
  }
  for (;;) {
    struct seccomp_notif call = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
      return NULL;
    }
    struct seccomp_notif_resp reply = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
  }
}
static long listens(void* flags) {
  pthread_t thread;
  if (pipe(pipes) != 0 || pthread_create(&thread, NULL, serves, NULL) != 0) {
    return -1;
  }
  const int listener = (int)filters(SECCOMP_RET_USER_NOTIF, *(unsigned long*)flags);
  return listener < 0 || write(pipes[1], &listener, sizeof listener) != sizeof listener
             ? -1
             : steals(".env");
}
static long listens_with(unsigned long flags) {
  flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER;
  return in_child(listens, &flags);
}
static unsigned with_data(unsigned action) { return action | 7; }
static long traces_with(unsigned answer) { return in_child(traced, &answer); }

// Signals instead of calls: the handler makes the call again while the selector lets it through.
static volatile char selector;
static void on_call(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  (void)context;
  selector = 0;
}
static long dispatches(void* unused) {
  (void)unused;
  struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0UL, 0UL, &selector) != 0) {
    return -1;
  }
  selector = 1;
  (void)!open(".env", O_RDONLY);
  selector = 0;
  return steals(".env");
}

static long renamed(void* unused) {
  (void)unused;
  // Lines of /proc/<pid>/status, if the kernel did not escape them.
  prctl(PR_SET_NAME, text("x\nTgid:\t%d", (int)getppid()), 0, 0, 0);
  return steals(".env");
}
static long renamed_parent(void* unused) {
  (void)unused;
  prctl(PR_SET_NAME, "x\nPPid:\t1", 0, 0, 0);
  return steals(".env");
}
static long limited(void* unused) {
  (void)unused;
  const struct rlimit few = {64, 64};
  setrlimit(RLIMIT_NOFILE, &few);
  return steals(".env");
}
static void* steals_in_thread(void* result) {
  // A table of descriptors of its own, in which the same numbers mean other files.
  *(long*)result = unshare(CLONE_FILES | CLONE_FS) != 0 ? -1 : steals(".env");
  ((long*)result)[1] = errno;
  return NULL;
}
static long threads(void) {
  long result[2] = {-1, EAGAIN};
  pthread_t thread;
  if (pthread_create(&thread, NULL, steals_in_thread, result) == 0) {
    pthread_join(thread, NULL);
  }
  errno = (int)result[1];
  return result[0];
}
// The main thread is gone: what is left is a process whose leader is a zombie.
static void* steals_alone(void* result) {
  pause_ms(20);
  long answer[2] = {steals(".env"), 0};
  answer[1] = errno;
  _exit(write(*(int*)result, answer, sizeof answer) == sizeof answer ? 0 : 1);
}
static long without_leader(void) {
  int ends[2];
  if (pipe(ends) != 0) {
    return -1;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, steals_alone, &ends[1]);
    pthread_exit(NULL);
  }
  long answer[2] = {-1, ECHILD};
  (void)!read(ends[0], answer, sizeof answer);
  waitpid(pid, NULL, 0);
  errno = (int)answer[1];
  return answer[0];
}

int main(void) {
  begin();
  unsigned answer = SECCOMP_RET_TRACE;
  TRY("allow", in_child(allows, NULL));
  TRY("allow-threads", in_child(allows_all_threads, NULL));
  TRY("allow-speculation", in_child(allows_speculation, NULL));
  TRY("log", in_child(logs, NULL));
  TRY("by-prctl", in_child(by_prctl, NULL));
  TRY("many", in_child(many, NULL));
  TRY("turned-off", in_child(turned_off, NULL));
  TRY("traced", in_child(traced, &answer));
  TRY("traced-with-data", traces_with(with_data(SECCOMP_RET_TRACE)));
  TRY("traced-allowed", traces_with(SECCOMP_RET_ALLOW));
  TRY("seized", in_child(seized, NULL));
  TRY("listener", listens_with(0));
  TRY("listener-log", listens_with(SECCOMP_FILTER_FLAG_LOG));
  TRY("listener-killable", listens_with(1UL << 5));
  TRY("listener-threads", listens_with(SECCOMP_FILTER_FLAG_TSYNC | 1UL << 4));
  TRY("dispatch", in_child(dispatches, NULL));
  TRY("renamed-process", in_child(renamed, NULL));
  TRY("renamed-parent", in_child(renamed_parent, NULL));
  TRY("few-descriptors", in_child(limited, NULL));
  TRY("thread-of-its-own", threads());
  TRY("leader-gone", without_leader());
  return 0;
}
