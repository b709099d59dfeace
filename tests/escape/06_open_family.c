// Line 6: every call that opens, and every way to say from where. All of them are trapped, and the
// broker carries them out (F1, B1). openat2 may answer EAGAIN to RESOLVE_CACHED and ENOSYS to
// O_PATH, so that the program asks in another way.
// says: refused read ${CWD}/\.env: deny_read
// refused: openat2-cached EAGAIN the documented answer for "not without waiting"
// optional: openat2-no-xdev the project may lie on several file systems
// optional: openat2-cached the kernel may have to wait
#include <linux/openat2.h>

#include "attack.h"

static long how(int directory, const char* path, uint64_t flags, uint64_t resolve) {
  struct open_how request = {.flags = flags, .resolve = resolve};
  // EAGAIN: something on the machine was renamed during a walk that must not leave a directory (openat2(2)).
  for (int i = 0; i < 1000; ++i) {
    const long fd = syscall(SYS_openat2, directory, path, &request, sizeof request);
    if (fd >= 0 || errno != EAGAIN || (resolve & RESOLVE_CACHED)) {
      return fd;
    }
  }
  return -1;
}

static long takes(int directory, const char* path, uint64_t resolve) {
  return steals_from((int)how(directory, path, O_RDONLY, resolve));
}

static long takes_named(int fd) { return fd < 0 ? -1 : steals(text("/proc/self/fd/%d", fd)); }

int main(void) {
  begin();
  char here[4096];
  if (!getcwd(here, sizeof here)) {
    return 1;
  }
  const int sub = open("sub", O_RDONLY | O_DIRECTORY);
  const int above = open("..", O_PATH | O_DIRECTORY);
  const int deep = open("sub/deep", O_PATH | O_DIRECTORY);
  TRY("open", steals_from((int)syscall(SYS_open, ".env", O_RDONLY, 0)));
  TRY("openat", steals_from((int)syscall(SYS_openat, AT_FDCWD, ".env", O_RDONLY, 0)));
  TRY("openat-no-directory",
      steals_from((int)syscall(SYS_openat, -1, text("%s/.env", here), O_RDONLY, 0)));
  TRY("openat-deep", steals_at(sub, "deep/.env"));
  TRY("openat-up", steals_at(sub, "../.env"));
  TRY("openat-above", steals_at(above, "project/.env"));
  TRY("openat-home", steals_at(above, "home/.ssh/id_test"));
  TRY("openat-here", steals_at(deep, ".env"));
  static const struct {
    const char* name;
    int flags;
  } kinds[] = {{"nonblock", O_NONBLOCK}, {"nofollow", O_NOFOLLOW}, {"noctty", O_NOCTTY},
               {"largefile", 0100000},   {"cloexec", O_CLOEXEC},   {"sync", O_SYNC},
               {"async", O_ASYNC},       {"append", O_APPEND}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    TRY(text("flag-%s", kinds[i].name), steals_from(open(".env", O_RDONLY | kinds[i].flags)));
  }
  TRY("flag-high-bits",
      steals_from((int)syscall(SYS_open, ".env", (long)(1ULL << 40 | O_RDONLY), 0)));
  TRY("flag-create", steals_from(open(".env", O_RDONLY | O_CREAT, 0644)));
  TRY("flag-both", steals_from(open(".env", O_RDWR)));
  TRY("flag-three", opens(".env", 3));
  TRY("openat2", takes(AT_FDCWD, ".env", 0));
  TRY("openat2-no-xdev", takes(AT_FDCWD, ".env", RESOLVE_NO_XDEV));
  TRY("openat2-no-magiclinks", takes(AT_FDCWD, ".env", RESOLVE_NO_MAGICLINKS));
  TRY("openat2-no-symlinks", takes(AT_FDCWD, ".env", RESOLVE_NO_SYMLINKS));
  TRY("openat2-beneath", takes(AT_FDCWD, ".env", RESOLVE_BENEATH));
  TRY("openat2-in-root", takes(AT_FDCWD, "/.env", RESOLVE_IN_ROOT));
  TRY("openat2-in-root-up", takes(deep, "/../../.env", RESOLVE_IN_ROOT));
  TRY("openat2-cached", takes(AT_FDCWD, ".env", RESOLVE_CACHED));
  TRY("openat2-all", takes(AT_FDCWD, "sub/deep/.env",
                           RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH));
  TRY("openat2-deep", takes(sub, "deep/.env", RESOLVE_BENEATH));
  TRY("openat2-directory", takes(above, "home/.aws/credentials", RESOLVE_BENEATH));
  TRY("openat2-path", takes_named((int)how(AT_FDCWD, ".env", O_PATH, 0)));
  TRY("creat", creat(".env", 0644));
  TRY("creat-system-call", syscall(SYS_creat, ".env", 0644));
  TRY("creat-home", creat(home("notes"), 0644));
  return 0;
}
