// Descriptors that have names, objects that have none.
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "same.h"

static const int all_flags[] = {O_RDONLY,
                                O_WRONLY,
                                O_RDWR,
                                O_RDONLY | O_NONBLOCK,
                                O_WRONLY | O_NONBLOCK,
                                O_WRONLY | O_APPEND,
                                O_WRONLY | O_TRUNC,
                                O_RDONLY | O_TRUNC,
                                O_RDONLY | O_CREAT,
                                O_RDONLY | O_NOFOLLOW,
                                O_RDONLY | O_DIRECTORY,
                                O_RDONLY | O_CREAT | O_EXCL,
                                O_PATH,
                                O_PATH | O_NOFOLLOW,
                                O_RDONLY | O_CLOEXEC};

// Opens `number` again by its names, with every kind of flags.
static void reopen(const char* what, int number) {
  static const char* const names[] = {"/dev/fd/%d", "/proc/self/fd/%d", "/proc/thread-self/fd/%d"};
  for (size_t i = 0; i < COUNT_OF(names); ++i) {
    char name[64];
    snprintf(name, sizeof(name), names[i], number);
    for (size_t j = 0; j < COUNT_OF(all_flags); ++j) {
      about("%s, %s, flags %o", what, name, all_flags[j]);
      const int fd = (int)SHOW(open(name, all_flags[j], 0600));
      show_fd(fd);
      close(fd);
    }
  }
}

void descriptors(void) {
  put("file", "0123456789", 0644);
  put("readonly", "read", 0444);
  need(mkdir("directory", 0755) == 0, "mkdir");
  int ends[2];
  int sockets[2];
  need(pipe2(ends, O_NONBLOCK) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "pipes");
  reopen("pipe to read", ends[0]);
  reopen("pipe to write", ends[1]);
  reopen("socket", sockets[0]);
  reopen("eventfd", eventfd(0, 0));
  int fd = open("file", O_RDONLY);
  lseek(fd, 5, SEEK_SET);
  reopen("file to read", fd);
  fd = open("file", O_WRONLY | O_APPEND);
  reopen("file to write", fd);
  reopen("file for both", open("file", O_RDWR));
  reopen("read-only file", open("readonly", O_RDONLY));
  reopen("directory", open("directory", O_RDONLY));
  reopen("name of a file", open("file", O_PATH));
  reopen("name of a directory", open("directory", O_PATH));
  reopen("null", open("/dev/null", O_RDONLY));
  reopen("closed", 400);
  about("standard streams");
  static const char* const standard[] = {
      "/dev/stdin",      "/dev/stdout",     "/dev/stderr", "/dev/fd/0", "/dev/fd/1",
      "/proc/self/fd/0", "/proc/self/fd/1", "/dev/fd/x",   "/dev/fd/",  "/dev/fd"};
  for (size_t i = 0; i < COUNT_OF(standard); ++i) {
    for (int mode = O_RDONLY; mode <= O_RDWR; ++mode) {
      about("%s, mode %d", standard[i], mode);
      fd = (int)SHOW(open(standard[i], mode));
      if (fd >= 0 && mode == O_WRONLY) {
        SHOW(write(fd, "to the stream\n", 14));
      }
      close(fd);
    }
  }
  about("through a pipe");
  fd = open("/dev/null", O_RDONLY);
  char name[64];
  snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
  const int again = (int)SHOW(open(name, O_WRONLY));
  SHOW(write(again, "again", 5));
  show_read(ends[0]);
  snprintf(name, sizeof(name), "/dev/fd/%d/x", ends[0]);
  SHOW(open(name, O_RDONLY));
  snprintf(name, sizeof(name), "/dev/fd/%d/", ends[0]);
  SHOW(open(name, O_RDONLY));
  snprintf(name, sizeof(name), "/dev/fd/0%d", ends[0]);
  SHOW(open(name, O_RDONLY));
  about("changes through names");
  snprintf(name, sizeof(name), "/proc/self/fd/%d", open("file", O_RDONLY));
  SHOW(chmod(name, 0600));
  show_node("file");
  SHOW(truncate(name, 3));
  show_node("file");
  SHOW(unlink(name));
  SHOW(rename(name, "x"));
  SHOW(link(name, "x"));
  SHOW(symlink("x", name));
  SHOW(mkdir(name, 0755));
  snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[0]);
  SHOW(chmod(name, 0600));
  SHOW(chmod(name, 0644));
  SHOW(truncate(name, 0));
  SHOW(link(name, "x"));
  SHOW(linkat(AT_FDCWD, name, AT_FDCWD, "x", AT_SYMLINK_FOLLOW));
  SHOW(fchmod(ends[0], 0600));
  SHOW(fchown(ends[0], (uid_t)-1, (gid_t)-1));
  SHOW(fchmod(sockets[0], 0600));
  SHOW(fchmod(400, 0600));
  SHOW(fchmod(-1, 0600));
  SHOW(fchown(400, 1, 1));
  SHOW(futimens(400, NULL));
  SHOW(futimens(sockets[0], NULL));
}

void deleted(void) {
  put("file", "0123456789", 0644);
  put("second", "abc", 0600);
  need(mkdir("directory", 0755) == 0, "mkdir");
  const int reader = open("file", O_RDONLY);
  const int writer = open("file", O_RDWR);
  const int named = open("file", O_PATH);
  const int directory = open("directory", O_RDONLY | O_DIRECTORY);
  SHOW(unlink("file"));
  SHOW(rmdir("directory"));
  show_fd(reader);
  show_fd(named);
  char name[64];
  const int all[] = {reader, writer, named};
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    snprintf(name, sizeof(name), "/proc/self/fd/%d", all[i]);
    for (size_t j = 0; j < COUNT_OF(all_flags); ++j) {
      about("deleted %zu, flags %o", i, all_flags[j] & ~O_TRUNC);
      const int fd = (int)SHOW(open(name, all_flags[j] & ~O_TRUNC, 0600));
      show_fd(fd);
      close(fd);
    }
    about("deleted %zu", i);
    SHOW(linkat(AT_FDCWD, name, AT_FDCWD, "again", AT_SYMLINK_FOLLOW));
    SHOW(linkat(all[i], "", AT_FDCWD, "again", AT_EMPTY_PATH));
    SHOW(chmod(name, 0600));
    SHOW(truncate(name, 5));
    SHOW(fchmod(all[i], 0640));
    SHOW(fchown(all[i], (uid_t)-1, getegid()));
    SHOW(futimens(all[i], NULL));
    SHOW(fchmodat(all[i], "", 0640, 0));
    SHOW(fchownat(all[i], "", (uid_t)-1, getegid(), AT_EMPTY_PATH));
    show_fd(all[i]);
    char text[200] = "";
    SHOW(readlink(name, text, sizeof(text) - 1) > 0);
    say("ends in %s", strrchr(text, '/'));
  }
  about("deleted directory");
  SHOW(openat(directory, "x", O_CREAT | O_WRONLY, 0600));
  SHOW(openat(directory, ".", O_RDONLY) >= 0);
  SHOW(openat(directory, "..", O_RDONLY) >= 0);
  SHOW(mkdirat(directory, "x", 0700));
  SHOW(symlinkat("a", directory, "x"));
  SHOW(linkat(AT_FDCWD, "second", directory, "x", 0));
  SHOW(renameat(AT_FDCWD, "second", directory, "x"));
  SHOW(fchmod(directory, 0700));
  SHOW(openat(directory, "x", O_RDONLY));
  SHOW(openat(directory, "../second", O_RDONLY) >= 0);
  SHOW(unlinkat(directory, "x", 0));
  about("name in use again");
  put("file", "new", 0644);
  snprintf(name, sizeof(name), "/proc/self/fd/%d", reader);
  const int fd = (int)SHOW(open(name, O_RDONLY));
  show_read(fd);
  show_node("file");
  about("one of two names deleted");
  SHOW(link("second", "third"));
  const int held = open("second", O_RDWR);
  SHOW(unlink("second"));
  snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
  SHOW(open(name, O_RDONLY) >= 0);
  SHOW(open(name, O_RDWR) >= 0);
  SHOW(linkat(AT_FDCWD, name, AT_FDCWD, "fourth", AT_SYMLINK_FOLLOW));
  SHOW(fchmod(held, 0644));
  SHOW(chmod(name, 0604));
  show_node("third");
  show_node("fourth");
}

void temporary(void) {
  need(mkdir("directory", 0755) == 0, "mkdir");
  static const int flags[] = {O_RDWR,   O_WRONLY,         O_RDWR | O_EXCL, O_RDWR | O_CLOEXEC,
                              O_RDONLY, O_RDWR | O_APPEND};
  static const mode_t modes[] = {0644, 0777, 0, 06755};
  static const mode_t masks[] = {022, 0, 077};
  for (size_t i = 0; i < COUNT_OF(flags); ++i) {
    for (size_t j = 0; j < COUNT_OF(modes); ++j) {
      about("flags %o, mode %o", flags[i], modes[j]);
      umask(masks[j % 3]);
      const int fd = (int)SHOW(open("directory", flags[i] | O_TMPFILE, modes[j]));
      show_fd(fd);
      if (fd < 0) {
        continue;
      }
      SHOW(write(fd, "temporary", 9));
      char name[64];
      snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
      SHOW(linkat(AT_FDCWD, name, AT_FDCWD, "directory/linked", AT_SYMLINK_FOLLOW));
      show_node("directory/linked");
      SHOW(linkat(fd, "", AT_FDCWD, "directory/linked2", AT_EMPTY_PATH));
      show_node("directory/linked2");
      show_fd(fd);
      SHOW(linkat(AT_FDCWD, name, AT_FDCWD, "directory/linked", AT_SYMLINK_FOLLOW));
      SHOW(unlink("directory/linked"));
      SHOW(unlink("directory/linked2"));
      SHOW(fchmod(fd, 0600));
      SHOW(ftruncate(fd, 2));
      show_fd(fd);
      close(fd);
    }
  }
  umask(022);
  about("places");
  SHOW(open("missing", O_TMPFILE | O_RDWR, 0600));
  SHOW(open("", O_TMPFILE | O_RDWR, 0600));
  SHOW(open("/proc", O_TMPFILE | O_RDWR, 0600) < 0);
  put("file", "", 0644);
  SHOW(open("file", O_TMPFILE | O_RDWR, 0600));
  SHOW(open("directory/", O_TMPFILE | O_RDWR, 0600) >= 0);
  SHOW(open("/tmp", O_TMPFILE | O_RDWR, 0600) >= 0);
}

void path_only(void) {
  put("file", "0123456789", 0644);
  need(mkdir("directory", 0755) == 0 && symlink("file", "link") == 0, "mkdir");
  put("directory/inner", "inner", 0600);
  const int file = open("file", O_PATH);
  const int directory = open("directory", O_PATH | O_DIRECTORY);
  const int symlink_itself = open("link", O_PATH | O_NOFOLLOW);
  show_fd(file);
  show_fd(directory);
  show_fd(symlink_itself);
  struct stat info;
  char text[64] = "";
  SHOW(fstat(symlink_itself, &info));
  SHOW(fstatat(file, "", &info, AT_EMPTY_PATH));
  SHOW(readlinkat(symlink_itself, "", text, sizeof(text)));
  say("<%s>", text);
  SHOW(read(file, text, 1));
  SHOW(openat(directory, "inner", O_RDONLY) >= 0);
  SHOW(openat(directory, "new", O_CREAT | O_WRONLY, 0640) >= 0);
  SHOW(openat(file, "inner", O_RDONLY));
  SHOW(openat(symlink_itself, "inner", O_RDONLY));
  SHOW(mkdirat(directory, "sub", 0700));
  SHOW(renameat(directory, "new", directory, "newer"));
  SHOW(unlinkat(directory, "newer", 0));
  const int all[] = {file, directory, symlink_itself};
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    about("path descriptor %zu", i);
    SHOW(fchmod(all[i], 0700));
    SHOW(fchown(all[i], (uid_t)-1, (gid_t)-1));
    SHOW(futimens(all[i], NULL));
    SHOW(syscall(SYS_fsetxattr, all[i], "user.x", "1", 1, 0));
    SHOW(syscall(SYS_fremovexattr, all[i], "user.x"));
    SHOW(fchownat(all[i], "", (uid_t)-1, (gid_t)-1, AT_EMPTY_PATH));
    SHOW(syscall(SYS_utimensat, all[i], "", NULL, AT_EMPTY_PATH));
    SHOW(syscall(452, all[i], "", 0711, AT_EMPTY_PATH));  // fchmodat2
    SHOW(fchownat(all[i], "", (uid_t)-1, (gid_t)-1, 0));
    SHOW(ftruncate(all[i], 3));
    SHOW(fcntl(all[i], F_GETFL));
    SHOW(fcntl(all[i], F_SETFL, O_APPEND));
    SHOW(ioctl(all[i], 0x541B, &info));
    SHOW(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, all[i], 0) == MAP_FAILED);
  }
  about("%s", "");
  show_node("file");
  show_node("directory");
  SHOW(fchdir(directory));
  SHOW(open("inner", O_RDONLY) >= 0);
  SHOW(open("../file", O_RDONLY) >= 0);
  SHOW(fchdir(file));
}

void memory_files(void) {
  const int fd = (int)SHOW(memfd_create("name", MFD_ALLOW_SEALING));
  show_fd(fd);
  SHOW(write(fd, "memory", 6));
  SHOW(ftruncate(fd, 4096));
  char* map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  SHOW(map != MAP_FAILED);
  say("mapped %.6s", map);
  munmap(map, 4096);
  char name[64];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
  for (size_t j = 0; j < COUNT_OF(all_flags); ++j) {
    about("memfd, flags %o", all_flags[j] & ~O_TRUNC);
    const int again = (int)SHOW(open(name, all_flags[j] & ~O_TRUNC, 0600));
    show_fd(again);
    close(again);
  }
  about("%s", "");
  char text[100] = "";
  SHOW(readlink(name, text, sizeof(text)));
  say("%s", text);
  SHOW(linkat(AT_FDCWD, name, AT_FDCWD, "linked", AT_SYMLINK_FOLLOW));
  SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
  SHOW(ftruncate(fd, 10));
  SHOW(ftruncate(fd, 8192));
  SHOW(truncate(name, 10));
  SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
  SHOW(write(fd, "x", 1));
  SHOW(open(name, O_RDWR) >= 0);
  SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL));
  SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
  SHOW(fchmod(fd, 0600));
  about("seals and modes");
  say("allowed, seals: %#x", fcntl(fd, F_GET_SEALS));
  const int plain = (int)SHOW(memfd_create("", 0));
  say("seals: %#x", fcntl(plain, F_GET_SEALS));
  show_fd(plain);
  SHOW(fcntl(plain, F_ADD_SEALS, F_SEAL_WRITE));
  SHOW(fchmod(plain, 0644));
  show_fd(plain);
  SHOW(fchmod(plain, 0755));
  show_fd(plain);
  about("arguments");
  show_fd((int)SHOW(memfd_create("cloexec", MFD_CLOEXEC)));
  SHOW(memfd_create(NULL, 0));
  SHOW(memfd_create("x", 0x100));
  SHOW(memfd_create("noexec", 8));
  SHOW(memfd_create("noexec", 8 | MFD_ALLOW_SEALING));
  SHOW(memfd_create("both", 8 | 16));
  close((int)SHOW(memfd_create("exec", 16) >= 0 ? 100 : -1));
  memset(text, 0, sizeof(text));
  char longest[300];
  for (int length = 248; length <= 251; ++length) {
    memset(longest, 'm', sizeof(longest));
    longest[length] = 0;
    about("name of %d", length);
    SHOW(memfd_create(longest, 0) >= 0 ? 1 : -1);
  }
}
