// open(2): flags on each kind of object, by each kind of name.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "same.h"

static void make_objects(void) {
  put("file", "content", 0644);
  put("readonly", "ro", 0444);
  put("none", "-", 0);
  put("program", "#!/bin/sh\n", 0755);
  need(mkdir("directory", 0755) == 0, "mkdir");
  need(mkdir("closed", 0) == 0, "mkdir");
  put("directory/inner", "inner", 0644);
  need(symlink("file", "link") == 0, "symlink");
  need(symlink("directory", "dirlink") == 0, "symlink");
  need(symlink("nothing", "dangling") == 0, "symlink");
  need(symlink("directory/nothing", "dangling2") == 0, "symlink");
  need(symlink("no/such/place", "nowhere") == 0, "symlink");
  need(symlink("nothing/", "dangling-slash") == 0, "symlink");
  need(symlink("loop", "loop") == 0, "symlink");
  need(symlink("link", "link-to-link") == 0, "symlink");
  need(mkfifo("fifo", 0644) == 0, "mkfifo");
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address = {AF_UNIX, "socket"};
  need(bind(fd, (struct sockaddr*)&address, sizeof(address)) == 0, "bind");
  close(fd);
}

static const struct {
  const char* name;
  int flags;
} combinations[] = {
    {"read", O_RDONLY},
    {"write", O_WRONLY},
    {"both", O_RDWR},
    {"mode 3", 3},
    {"directory", O_DIRECTORY},
    {"write directory", O_DIRECTORY | O_WRONLY},
    {"nofollow", O_NOFOLLOW},
    {"nofollow directory", O_NOFOLLOW | O_DIRECTORY},
    {"nofollow write", O_NOFOLLOW | O_WRONLY},
    {"truncate", O_TRUNC},
    {"truncate write", O_TRUNC | O_WRONLY},
    {"append", O_APPEND | O_RDWR},
    {"append truncate", O_APPEND | O_TRUNC | O_RDWR},
    {"noatime", O_NOATIME},
    {"sync", O_SYNC | O_WRONLY},
    {"dsync", O_DSYNC | O_WRONLY},
    {"direct", O_DIRECT},
    {"cloexec", O_CLOEXEC},
    {"async", O_ASYNC},
    {"large", 0100000},
    {"noctty", O_NOCTTY},
    {"exclusive alone", O_EXCL},
    {"unknown bits", 040000000},
    {"path", O_PATH},
    {"path nofollow", O_PATH | O_NOFOLLOW},
    {"path directory", O_PATH | O_DIRECTORY},
    {"path write create", O_PATH | O_WRONLY | O_CREAT},
    {"create", O_CREAT},
    {"create write", O_CREAT | O_WRONLY},
    {"create truncate", O_CREAT | O_TRUNC | O_RDWR},
    {"create exclusive", O_CREAT | O_EXCL | O_WRONLY},
    {"create nofollow", O_CREAT | O_NOFOLLOW | O_WRONLY},
    {"create directory", O_CREAT | O_DIRECTORY},
    {"create exclusive directory", O_CREAT | O_EXCL | O_DIRECTORY},
    {"create cloexec", O_CREAT | O_CLOEXEC | O_RDWR},
    {"temporary", O_TMPFILE | O_RDWR},
    {"temporary read", O_TMPFILE | O_RDONLY},
    {"temporary create", O_TMPFILE | O_CREAT | O_WRONLY},
    {"temporary without directory", (O_TMPFILE & ~O_DIRECTORY) | O_RDWR},
};

void opening(void) {
  static const char* const objects[] = {
      "file",
      "file/",
      "./file",
      "directory/../file",
      "directory//inner",
      "readonly",
      "none",
      "program",
      "directory",
      "directory/",
      "directory/.",
      "directory/..",
      "closed",
      "closed/x",
      "link",
      "link/",
      "dirlink",
      "dirlink/",
      "dirlink/inner",
      "link-to-link",
      "loop",
      "loop/x",
      "nowhere",
      "socket",
      "fifo",
      "fifo/",
      "socket/",
      "missing/x",
      "missing/",
      "file/x",
      "file/..",
      "",
      ".",
      "..",
      "/",
      "/proc/self/fd",
      "/dev/null",
      "dangling/",
      "dangling-slash",
      "/proc/self/cwd",
      "/proc/self/cwd/file",
      "/proc/self/root",
      "/dev/zero",
      "/proc/self/status",
  };
  make_objects();
  for (size_t i = 0; i < COUNT_OF(objects); ++i) {
    for (size_t j = 0; j < COUNT_OF(combinations); ++j) {
      about("%s, %s", objects[i], combinations[j].name);
      // Nothing here may wait, and files above the project are not ours.
      const int flags =
          combinations[j].flags | (strstr(objects[i], "fifo") != NULL ? O_NONBLOCK : 0);
      const int fd = (int)SHOW(syscall(SYS_openat, AT_FDCWD, objects[i], flags, 0640));
      show_fd(fd);
      if (fd >= 0) {
        close(fd);
      }
    }
  }
  about("after");
  show_node("file");
  show_node("readonly");
  show_node("missing");
}

void creating(void) {
  static const char* const names[] = {
      "new",          "directory/new", "dangling", "dangling2", "link-to-new", "directory/../new2",
      "dirlink/new3", "nowhere",       "new/",     "loop"};
  make_objects();
  need(symlink("dangling", "link-to-new") == 0, "symlink");
  for (size_t i = 0; i < COUNT_OF(names); ++i) {
    for (size_t j = 0; j < COUNT_OF(combinations); ++j) {
      if ((combinations[j].flags & O_CREAT) == 0) {
        continue;
      }
      about("%s, %s", names[i], combinations[j].name);
      const int fd =
          (int)SHOW(syscall(SYS_openat, AT_FDCWD, names[i], combinations[j].flags, 07777));
      show_fd(fd);
      if (fd >= 0) {
        SHOW(write(fd, "x", 1));
        close(fd);
      }
      show_node("new");
      show_node("nothing");
      show_node("directory/nothing");
      show_node("directory/new");
      unlink("new");
      unlink("nothing");
      unlink("directory/nothing");
      unlink("directory/new");
      unlink("new2");
      unlink("directory/new3");
    }
  }
  about("creat");
  SHOW(creat("created", 04755));
  show_node("created");
  SHOW(creat("created", 0600));
  SHOW(creat("directory", 0600));
  SHOW(creat("readonly", 0600));
  about("pointers");
  SHOW(open(NULL, O_RDONLY));
  SHOW(open((char*)1, O_CREAT | O_WRONLY, 0600));
  SHOW(syscall(SYS_open, "file", O_RDONLY, 0));
  SHOW(openat(99, "file", O_RDONLY));
  SHOW(openat(-1, "file", O_RDONLY));
  SHOW(openat(99, "/dev/null", O_RDONLY));
  SHOW(openat(0, "file", O_RDONLY));
  about("chains of symlinks");
  for (int i = 0; i <= 41; ++i) {
    char name[20];
    char next[20];
    snprintf(name, sizeof(name), "chain%d", i + 1);
    snprintf(next, sizeof(next), i == 0 ? "chain-end" : "chain%d", i);
    need(symlink(next, name) == 0, "symlink");
  }
  for (int i = 1; i <= 42; ++i) {
    char name[20];
    snprintf(name, sizeof(name), "chain%d", i);
    about("chain of %d", i);
    SHOW(open(name, O_RDONLY));
    const int fd = (int)SHOW(open(name, O_CREAT | O_WRONLY, 0600));
    if (fd >= 0) {
      close(fd);
    }
    SHOW(open(name, O_CREAT | O_EXCL | O_WRONLY, 0600));
    show_node("chain-end");
    unlink("chain-end");
    put("chain-end", "e", 0644);
    const int again = (int)SHOW(open(name, O_RDONLY));
    if (again >= 0) {
      close(again);
    }
    SHOW(chmod(name, 0640));
    SHOW(truncate(name, 0));
    unlink("chain-end");
  }
  about("%s", "");
  mkdir("chain-directory", 0755);
  SHOW(symlink("chain-directory", "chain-end"));
  SHOW(open("chain39/new", O_CREAT | O_WRONLY, 0600));
  SHOW(open("chain40/new", O_CREAT | O_WRONLY, 0600));
  SHOW(mkdir("chain38/d", 0700));
  SHOW(mkdir("chain40/d", 0700));
  SHOW(mkdir("chain41/d", 0700));
  SHOW(unlink("chain41/d"));
  // The table of open files.
  about("numbers");
  SHOW(close(0));
  SHOW(open("file", O_RDONLY));
  SHOW(dup2(0, 50));
  SHOW(open("file", O_RDONLY));
}
