// Line 14: memory and descriptors of a process outside, by calls. The filter refuses them (F2);
// those that it lets pass are held by Landlock, which forbids to look into a process outside the
// domain.
// outsider:
// optional: * Yama or the container may forbid it
#include <linux/kcmp.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "others.h"

static _Noreturn void outside(void) {
  static char page[8192] __attribute__((aligned(4096)));
  const int fd = open(".env", O_RDONLY);
  snprintf(page, sizeof page, "%s", getenv("SECRET"));
  READY("%d %d %lu", getpid(), fd, (unsigned long)page);
  wait_for_end();
}

static long copies(int pid, unsigned long at) {
  char bytes[64];
  struct iovec ours = {bytes, sizeof bytes};
  struct iovec theirs = {(void*)at, sizeof bytes};
  const ssize_t size = process_vm_readv(pid, &ours, 1, &theirs, 1, 0);
  return size < 0 ? -1 : has_secret(bytes, (size_t)size);
}

static long changes(int pid, unsigned long at) {
  char bytes[1] = {0};
  struct iovec ours = {bytes, 1};
  struct iovec theirs = {(void*)(at + 4096), 1};
  return process_vm_writev(pid, &ours, 1, &theirs, 1, 0);
}

static long seizes(int pid) {
  if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0) {
    return -1;
  }
  ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
  waitpid(pid, NULL, __WALL);
  ptrace(PTRACE_DETACH, pid, NULL, NULL);
  return 0;
}

static long attaches(int pid, unsigned long at) {
  if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0) {
    return -1;
  }
  waitpid(pid, NULL, __WALL);
  long bytes[8] = {0};
  for (size_t i = 0; i < 8; ++i) {
    bytes[i] = ptrace(PTRACE_PEEKDATA, pid, (void*)(at + i * sizeof(long)), NULL);
  }
  const long result = has_secret((const char*)bytes, sizeof bytes);
  const int error = errno;
  ptrace(PTRACE_DETACH, pid, NULL, NULL);
  return with_error(error, result);
}

static long takes(int pid, int fd) {
  return steals_from((int)syscall(SYS_pidfd_getfd, pidfd_of(pid), fd, 0));
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    outside();
  }
  const int outsider = atoi(words[1]);
  const int fd = atoi(words[2]);
  const unsigned long at = strtoul(words[3], NULL, 10);
  const int parent = getppid();
  TRY("process_vm_readv", copies(outsider, at));
  TRY("process_vm_writev", changes(outsider, at));
  TRY("ptrace-attach", attaches(outsider, at));
  TRY("ptrace-seize", seizes(outsider));
  TRY("ptrace-seize-parent", seizes(parent));
  TRY("pidfd_getfd", takes(outsider, fd));
  TRY("pidfd_getfd-parent", syscall(SYS_pidfd_getfd, pidfd_of(parent), 1, 0));
  TRY("kcmp", syscall(SYS_kcmp, outsider, getpid(), KCMP_FILES, 0, 0));
  TRY("kcmp-parent", syscall(SYS_kcmp, parent, getpid(), KCMP_FILES, 0, 0));
  TRY("move_pages", moves_pages(outsider, at));
  TRY("migrate_pages", migrates(outsider));
  TRY("get_robust_list", robust_list(outsider));
  TRY("process_madvise", advises(outsider, at));
  return 0;
}
