// Line 36: the broker is killed with SIGKILL while a program of the tree waits. The listener closes, so
// every trapped call answers ENOSYS, and what remains is the Landlock domain. The filter stays, and takes no second listener: a
// listener of the tree's own could answer CONTINUE to every call that the broker was to judge.
//
// launch: "$@" & started=$!
// launch: said() { for i in $(seq 400); do grep -q "^> $1" /proc/self/fd/1 && return; sleep 0.02; done; kill -9 $started; exit 9; }
// launch: said ready; kill -9 $started; said end; exit 0
// outsider:
// refused: relisten:* EBUSY the filter answers as the kernel does while there is a listener
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/xattr.h>
#include <utime.h>

#include "unix.h"

static int path_fd = -1;
static int project_fd = -1;

// Answers every notification of `listener` with CONTINUE.
static void* lets_through(void* listener) {
  const int fd = *(int*)listener;
  for (;;) {
    struct seccomp_notif call = {0};
    if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
      return NULL;
    }
    struct seccomp_notif_resp reply = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &reply);
  }
}

static int ends[2];

static void* receives(void* unused) {
  (void)unused;
  int listener = -1;
  if (read(ends[0], &listener, sizeof listener) == (ssize_t)sizeof listener && listener >= 0) {
    lets_through(&listener);
  }
  return NULL;
}

// Installs a filter with a listener of our own for these calls, served by a thread that has no such filter.
static long installs_listener(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_chmod, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_connect, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  pthread_t thread;
  if (pipe(ends) != 0 || pthread_create(&thread, NULL, receives, NULL) != 0 ||
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return -1;
  }
  const int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  return write(ends[1], &listener, sizeof listener) == sizeof listener && listener >= 0 ? 0 : -1;
}

static long relistens(void* then) {
  if (installs_listener() != 0) {
    return -1;
  }
  return ((long (*)(void))then)();
}

static long reads(void) { return steals(".env"); }
static long changes(void) { return chmod(home("notes"), 0777); }
static long talks(void) { return connects("host.sock"); }
static long runs_memory(void) {
  const int fd = (int)syscall(SYS_memfd_create, "x", 0);
  return fd < 0 ? -1 : fchmod(fd, 0755);
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    listening("host.sock", SOCK_STREAM);
    puts("ready");
    fflush(stdout);
    for (;;) {
      pause();
    }
  }
  begin();
  path_fd = open(".env", O_PATH);
  project_fd = open(".", O_PATH | O_DIRECTORY);
  const pid_t parent = getpid();
  if (fork() != 0) {
    for (;;) {
      pause();
    }
  }
  puts("> ready");
  for (int i = 0; i < 400 && getppid() == parent; ++i) {
    pause_ms(10);
  }
  pause_ms(100);
  TRY("open", steals(".env"));
  TRY("open-home", steals(home(".ssh/id_test")));
  TRY("open-system", opens("/etc/hostname", O_RDONLY));
  TRY("legacy-open", syscall(SYS_open, ".env", O_RDONLY));
  TRY("at", steals_at(project_fd, ".env"));
  TRY("descriptor", steals(text("/proc/self/fd/%d", path_fd)));
  TRY("write", plants("planted"));
  TRY("mkdir", mkdir("made", 0755));
  TRY("rename", rename("readme", "moved"));
  TRY("link", link(".env", "linked"));
  TRY("symlink", symlink(".env", "symlinked"));
  TRY("truncate", truncate(home("notes"), 0));
  TRY("chmod", chmod(home("notes"), 0777));
  TRY("fchmod", fchmod(open(home("notes"), O_RDONLY), 0777));
  TRY("utime", utime(home("notes"), NULL));
  TRY("chown", chown(home("notes"), getuid(), getgid()));
  TRY("unlink", unlink(home("notes")));
  TRY("connect", connects("host.sock"));
  TRY("memfd", syscall(SYS_memfd_create, "x", 0));
  char* echo[] = {"/bin/echo", "ran", NULL};
  TRY("exec", runs(echo));
  TRY("proc", opens(text("/proc/%d/environ", (int)getpid()), O_RDONLY));
  (void)!writes(home("notes"), "notes\n");
  TRY("relisten:open", in_child(relistens, (void*)reads));
  TRY("relisten:chmod", in_child(relistens, (void*)changes));
  TRY("relisten:connect", in_child(relistens, (void*)talks));
  TRY("relisten:memfd", in_child(relistens, (void*)runs_memory));
  puts("> end");
  return 0;
}
