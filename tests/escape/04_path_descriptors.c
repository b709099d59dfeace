// Line 4: an O_PATH descriptor of the secret. The filter lets O_PATH pass, since it gives a name
// and no rights; every use of it goes to the broker, which judges the object (F1, B1).
// setup: printf '#!/bin/cat\nTOKEN=%s\n' "$SECRET" >.env; chmod 755 .env
// settle: test ! -e stolen
// optional: link-empty linkat(AT_EMPTY_PATH) needs CAP_DAC_READ_SEARCH or an own descriptor (6.10)
#include "attack.h"

struct call {
  int directory;
  const char* path;
  int flags;
};

static long becomes(void* argument) {
  const struct call* call = argument;
  char* const words[] = {"x", NULL};
  char* const environment[] = {NULL};
  return syscall(SYS_execveat, call->directory, call->path, words, environment, call->flags);
}

static long executes(int directory, const char* path, int flags) {
  struct call call = {directory, path, flags};
  char output[4096];
  const long size = output_of(becomes, &call, output, sizeof output);
  return size < 0 ? -1 : has_secret(output, (size_t)size);
}

static long links(int directory, const char* path, int flags) {
  unlink("stolen");
  return linkat(directory, path, AT_FDCWD, "stolen", flags) < 0 ? -1 : steals("stolen");
}

int main(void) {
  begin();
  const int fd = open(".env", O_PATH);
  const int here = open(".", O_PATH);
  const char* const own = text("/proc/self/fd/%d", fd);
  const char* const names[] = {own, text("/dev/fd/%d", fd), text("/proc/thread-self/fd/%d", fd),
                               text("/proc/%d/fd/%d", getpid(), fd)};
  static const char* const labels[] = {"self", "dev", "thread", "pid"};
  for (size_t i = 0; i < 4; ++i) {
    TRY(text("read-%s", labels[i]), steals(names[i]));
    TRY(text("write-%s", labels[i]), opens(names[i], O_WRONLY));
  }
  TRY("both", opens(own, O_RDWR));
  TRY("append", opens(own, O_WRONLY | O_APPEND));
  TRY("openat", steals_at(here, ".env"));
  TRY("openat-proc", steals_at(open("/proc/self/fd", O_PATH), text("%d", fd)));
  TRY("duplicate", steals(text("/proc/self/fd/%d", dup(fd))));
  TRY("duplicate-fcntl", steals(text("/proc/self/fd/%d", fcntl(fd, F_DUPFD, 200))));
  TRY("execveat", executes(fd, "", AT_EMPTY_PATH));
  TRY("execveat-name", executes(here, ".env", 0));
  TRY("execve-proc", executes(AT_FDCWD, own, 0));
  TRY("execve", executes(AT_FDCWD, "./.env", 0));
  TRY("link-empty", links(fd, "", AT_EMPTY_PATH));
  TRY("link-follow", links(AT_FDCWD, own, AT_SYMLINK_FOLLOW));
  TRY("link-name", links(here, ".env", 0));
  unlink("stolen");
  TRY("chmod", chmod(own, 0777));
  TRY("truncate", truncate(own, 0));
  return 0;
}
