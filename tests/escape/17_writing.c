// Line 17: creating, changing and removing what may not be written: in the home directory (nothing
// allows it) and where credentials are (denied in both directions). All of it is judged and carried
// out by the broker (B1, B2).
// setup: mkdir "$HOME/.ssh/old" "$HOME/old"
// says: refused write ${HOME}/notes: no rule allows it
// says: refused write ${CWD}/\.env: deny_write
// says: refused create ${HOME}/new
// optional: temporary* the file system has no unnamed files
#include "attack.h"

static long appends(const char* path) {
  const int fd = open(path, O_WRONLY | O_APPEND);
  return fd < 0 ? -1 : write(fd, "planted\n", 8);
}

static long overwrites(int fd) {
  char* bytes = fd < 0 ? MAP_FAILED : mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED) {
    return -1;
  }
  bytes[0] = 'x';
  return 0;
}

static long truncates(int fd) { return fd < 0 ? -1 : ftruncate(fd, 1); }

static long allocates(int fd) { return fd < 0 ? -1 : fallocate(fd, 0, 0, 4096); }

static long names_temporary(const char* directory, const char* path) {
  const int fd = open(directory, O_TMPFILE | O_WRONLY, 0644);
  if (fd < 0) {
    return -1;
  }
  if (write(fd, "planted\n", 8) != 8) {
    return -1;
  }
  return linkat(AT_FDCWD, text("/proc/self/fd/%d", fd), AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* A name of its own for the file, where writing is allowed. */
static long links_and_writes(const char* path, int flags) {
  symlink(path, "way");
  const long result =
      linkat(AT_FDCWD, flags ? "way" : path, AT_FDCWD, "ours", flags) < 0 ? -1 : plants("ours");
  const int error = errno;
  unlink("way");
  unlink("ours");
  return with_error(error, result);
}

static void change(const char* what, const char* path) {
  TRY(text("%s:write", what), opens(path, O_WRONLY));
  TRY(text("%s:both", what), opens(path, O_RDWR));
  TRY(text("%s:append", what), appends(path));
  TRY(text("%s:map", what), overwrites(open(path, O_RDWR)));
  TRY(text("%s:ftruncate", what), truncates(open(path, O_RDWR)));
  TRY(text("%s:fallocate", what), allocates(open(path, O_WRONLY)));
  TRY(text("%s:truncate", what), truncate(path, 2));
  TRY(text("%s:truncate-path", what), truncate(text("/proc/self/fd/%d", open(path, O_PATH)), 1));
  TRY(text("%s:open-truncate", what), opens(path, O_RDONLY | O_TRUNC));
  TRY(text("%s:open-truncate-write", what), opens(path, O_WRONLY | O_TRUNC));
  TRY(text("%s:creat", what), opens(path, O_CREAT | O_WRONLY | O_TRUNC));
  TRY(text("%s:linked", what), links_and_writes(path, 0));
  TRY(text("%s:linked-symlink", what), links_and_writes(path, AT_SYMLINK_FOLLOW));
  TRY(text("%s:unlinkat", what), unlinkat(AT_FDCWD, path, 0));
  writes(path, "again\n");
  TRY(text("%s:unlink", what), unlink(path));
}

static void create(const char* what, const char* path, const char* directory) {
  TRY(text("%s:open", what), opens(path, O_WRONLY | O_CREAT));
  unlink(path);
  TRY(text("%s:exclusive", what), opens(path, O_RDONLY | O_CREAT | O_EXCL));
  unlink(path);
  TRY(text("%s:creat", what), syscall(SYS_creat, path, 0644));
  unlink(path);
  TRY(text("%s:mknod", what), mknod(path, S_IFREG | 0644, 0));
  unlink(path);
  TRY(text("%s:mkdir", what), mkdir(path, 0755));
  rmdir(path);
  TRY(text("%s:mkdirat", what), mkdirat(AT_FDCWD, path, 0755));
  rmdir(path);
  symlink(path, "dangling");
  TRY(text("%s:dangling", what), opens("dangling", O_WRONLY | O_CREAT));
  unlink("dangling");
  unlink(path);
  TRY(text("temporary:%s", what), names_temporary(directory, path));
  unlink(path);
}

int main(void) {
  begin();
  change("home", home("notes"));
  change("env", ".env");
  change("key", home(".ssh/id_test"));
  create("in-home", home("new"), getenv("HOME"));
  create("in-ssh", home(".ssh/new"), home(".ssh"));
  create("in-project", "sub/deep/.env.new", "sub/deep");
  TRY("rmdir-home", rmdir(home("old")));
  TRY("rmdir-ssh", rmdir(home(".ssh/old")));
  TRY("rmdir-unlinkat", (mkdir(home("old"), 0755), unlinkat(AT_FDCWD, home("old"), AT_REMOVEDIR)));
  return 0;
}
