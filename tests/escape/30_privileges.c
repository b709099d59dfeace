// Line 30: programs that give more rights than their caller has gain nothing. NO_NEW_PRIVS is set before the program starts, and
// capabilities beyond a few are dropped (CAP_SYS_ADMIN, CAP_SETUID, CAP_NET_ADMIN …), so root cannot get them back by execve either.
//
// setup: cp "$(command -v 30_privileges)" other; chmod 755 other
// setup: if [ "$(id -u)" = 0 ]; then chown 65534:65534 other && chmod 6755 other; fi
// setup: cp "$(command -v 30_privileges)" capable; chmod 755 capable; setcap cap_net_raw+ep capable 2>/dev/null || true
// optional: setuid only root can give a program another owner, and a user namespace may have no other
// optional: setgid only root can give a program another owner, and a user namespace may have no other
// optional: setuid-of-the-system the program is missing, has no such mode, or its owner is not in this namespace
// optional: file-capability setcap(8) is missing or refused, or the caller has the capability anyway
// optional: root-* for root only
// optional: become-* for root only
// optional: supplementary-groups for root only
// refused: setuid EPERM the program starts, with the rights of its caller
#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "attack.h"

// A field of /proc/<pid>/status as text; empty if there is none.
static const char* status_of(pid_t pid, const char* field) {
  static char content[8192];
  const int fd = open(text("/proc/%d/status", (int)pid), O_RDONLY);
  const ssize_t size = fd < 0 ? -1 : read(fd, content, sizeof content - 1);
  close(fd);
  content[size > 0 ? size : 0] = 0;
  char* const found = strstr(content, field);
  if (!found) {
    return "";
  }
  char* const begin = found + strlen(field);
  begin[strcspn(begin, "\n")] = 0;
  return begin;
}

static unsigned long long capabilities(void) {
  return strtoull(status_of(getpid(), "CapEff:"), NULL, 16);
}
static int has(int capability) { return (capabilities() >> capability & 1) != 0; }

// Says what it is, when it is started with the word.
static void say(const char* what) {
  if (strcmp(what, "uid") == 0) {
    printf("%d\n", (int)geteuid());
  } else if (strcmp(what, "gid") == 0) {
    printf("%d\n", (int)getegid());
  } else {
    printf("%llx\n", capabilities());
  }
}

static long becomes(void* words) { return execv(((char**)words)[0], words); }

// What the program at `path` says about itself.
static const char* said(const char* path, const char* what) {
  static char output[64];
  char* const words[] = {(char*)path, (char*)what, NULL};
  const long size = output_of(becomes, (void*)words, output, sizeof output - 1);
  output[size > 0 ? size - 1 : 0] = 0;
  return size > 0 ? output : NULL;
}

static long gains_id(const char* path, const char* what, int own) {
  const char* const is = said(path, what);
  if (!is) {
    return -1;
  }
  detail(is, strlen(is));
  return atoi(is) != own ? 0 : refuse(EPERM);
}

// A program of the system that waits for input: its effective user can be read from outside meanwhile.
static long gains_root(void) {
  if (geteuid() == 0) {
    return refuse(ENODATA);
  }
  int input[2];
  if (pipe2(input, O_CLOEXEC) != 0) {
    return -1;
  }
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(input[0], 0);
    dup2(nothing, 1);
    dup2(nothing, 2);
    execl("/usr/bin/su", "su", "-c", "true", NULL);
    _exit(1);
  }
  long result = refuse(EPERM);
  for (int i = 0; i < 40 && result < 0; ++i) {
    unsigned real = 1;
    unsigned effective = 1;
    sscanf(status_of(pid, "Uid:"), "%u %u", &real, &effective);
    result = effective == 0 ? 0 : -1;
    pause_ms(5);
  }
  kill(pid, SIGKILL);
  close(input[0]);
  close(input[1]);
  waitpid(pid, NULL, 0);
  errno = EPERM;
  return result;
}

static long gains_file_capability(void) {
  if (has(CAP_NET_RAW)) {
    // Without it first: root gets it back from the file alone if it is not root there.
    return refuse(ENODATA);
  }
  const char* const is = said("./capable", "capabilities");
  if (!is) {
    return -1;
  }
  detail(is, strlen(is));
  return (strtoull(is, NULL, 16) >> CAP_NET_RAW & 1) != 0 ? 0 : refuse(EPERM);
}

// Gives all capabilities up, and gets them back by starting a program.
static long regains(void* capability) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct nothing[2] = {{0}, {0}};
  if (syscall(SYS_capset, &header, nothing) != 0) {
    return -1;
  }
  const char* const is = said("./capable", "capabilities");
  if (!is) {
    return -1;
  }
  detail(is, strlen(is));
  return (strtoull(is, NULL, 16) >> *(int*)capability & 1) != 0 ? 0 : refuse(EPERM);
}
static long regains_one(int capability) { return in_child(regains, &capability); }

static long becomes_user(void* unused) {
  (void)unused;
  return setresuid(12345, 12345, 12345);
}
static long becomes_group(void* unused) {
  (void)unused;
  return setresgid(12345, 12345, 12345);
}
static long takes_groups(void* unused) {
  (void)unused;
  const gid_t groups[] = {12345};
  return setgroups(1, groups);
}
static long keeps_bits(void* unused) {
  (void)unused;
  return prctl(PR_SET_SECUREBITS, 1, 0, 0, 0);
}
static long raises_ambient(void* unused) {
  (void)unused;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) != 0) {
    return -1;
  }
  data[0].inheritable |= 1U << CAP_NET_ADMIN;
  return syscall(SYS_capset, &header, data) != 0
             ? -1
             : prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0);
}
// Changes nothing: the queue of the loopback interface gets the length that it has.
static long changes_network(void) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct ifreq request = {.ifr_name = "lo"};
  long result = ioctl(fd, SIOCGIFTXQLEN, &request);
  result = result == 0 ? ioctl(fd, SIOCSIFTXQLEN, &request) : result;
  const int error = errno;
  close(fd);
  errno = error;
  return result;
}
static long sets_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return clock_settime(CLOCK_REALTIME, &now);
}
static long drops_new_privileges_guard(void) {
  return prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0
             ? 0
             : refuse(EPERM);
}

int main(int count, char** words) {
  if (count > 1) {
    say(words[1]);
    return 0;
  }
  begin();
  TRY("setuid", gains_id("./other", "uid", (int)geteuid()));
  TRY("setgid", gains_id("./other", "gid", (int)getegid()));
  TRY("setuid-of-the-system", gains_root());
  TRY("file-capability", gains_file_capability());
  TRY("root-regains-admin", regains_one(CAP_SYS_ADMIN));
  TRY("root-regains-ptrace", regains_one(CAP_SYS_PTRACE));
  TRY("root-regains-setuid", regains_one(CAP_SETUID));
  TRY("root-regains-network", regains_one(CAP_NET_ADMIN));
  TRY("become-user", in_child(becomes_user, NULL));
  TRY("become-group", in_child(becomes_group, NULL));
  TRY("supplementary-groups", in_child(takes_groups, NULL));
  TRY("root-ambient", in_child(raises_ambient, NULL));
  TRY("root-secure-bits", in_child(keeps_bits, NULL));
  TRY("root-network", changes_network());
  TRY("root-clock", sets_clock());
  TRY("guard-removed", drops_new_privileges_guard());
  return 0;
}
