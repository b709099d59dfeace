// openat2(2): each RESOLVE_* flag alone and combined, sizes and flags; working directories; mount
// points.
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "same.h"

static long open2(int directory, const char* path, struct open_how how) {
  // EAGAIN: something on the machine was renamed during a walk that must not leave a directory
  // (openat2(2)).
  for (int i = 0; i < 1000; ++i) {
    const long fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));
    if (fd >= 0 || errno != EAGAIN || (how.resolve & RESOLVE_CACHED)) {
      return fd;
    }
  }
  return -1;
}

void openat2_flags(void) {
  put("file", "content", 0644);
  need(mkdir("directory", 0755) == 0, "mkdir");
  struct {
    struct open_how how;
    char more[5000];
  } big = {{O_RDONLY, 0, 0}, {0}};
  static const size_t sizes[] = {0, 1, 8, 16, 23, 24, 25, 32, 40, 100, 4096, 4097, 5000};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    about("size %zu", sizes[i]);
    close((int)SHOW(syscall(SYS_openat2, AT_FDCWD, "file", &big, sizes[i])));
    big.more[0] = 1;
    close((int)SHOW(syscall(SYS_openat2, AT_FDCWD, "file", &big, sizes[i])));
    big.more[0] = 0;
  }
  about("%s", "");
  SHOW(syscall(SYS_openat2, AT_FDCWD, "file", NULL, sizeof(struct open_how)));
  SHOW(syscall(SYS_openat2, AT_FDCWD, NULL, &big, sizeof(struct open_how)));
  static const struct open_how hows[] = {
      {O_RDONLY, 0600, 0},
      {O_RDONLY, 0, 1ULL << 40},
      {1ULL << 40, 0, 0},
      {040000000, 0, 0},
      {O_CREAT | O_WRONLY, 0644, 0},
      {O_CREAT | O_WRONLY, 04644, 0},
      {O_CREAT | O_WRONLY, 010644, 0},
      {O_CREAT | O_WRONLY, 1ULL << 32, 0},
      {O_CREAT | O_EXCL | O_WRONLY, 0644, 0},
      {O_CREAT | O_DIRECTORY, 0644, 0},
      {O_TMPFILE | O_RDWR, 0600, 0},
      {O_TMPFILE | O_RDONLY, 0600, 0},
      {O_TMPFILE | O_RDWR | O_CREAT, 0600, 0},
      {(O_TMPFILE & ~O_DIRECTORY) | O_RDWR, 0600, 0},
      {O_DIRECTORY, 0, 0},
      {O_NOFOLLOW, 0, 0},
      {O_CLOEXEC, 0, 0},
      {O_APPEND | O_WRONLY, 0, 0},
      {O_WRONLY | O_TRUNC, 0, 0},
      {3, 0, 0},
      {O_NOATIME, 0, 0},
      {O_RDONLY, 0, RESOLVE_BENEATH | RESOLVE_IN_ROOT},
      {O_RDONLY, 0, RESOLVE_CACHED},
      {O_CREAT | O_RDWR, 0600, RESOLVE_CACHED},
      {O_RDWR | O_TRUNC, 0, RESOLVE_CACHED},
      {O_PATH, 0, 0},
      {O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC, 0, 0},
      {O_PATH | O_WRONLY, 0, 0},
      {O_PATH | O_CREAT, 0, 0},
      {O_RDONLY, 0, 0},
  };
  static const char* const names[] = {"file", "directory", "missing", ""};
  for (size_t i = 0; i < COUNT_OF(hows); ++i) {
    for (size_t j = 0; j < COUNT_OF(names); ++j) {
      about("%s, flags %#llo, mode %llo, resolve %#llx", names[j], hows[i].flags, hows[i].mode,
            hows[i].resolve);
      const int fd = (int)SHOW(open2(AT_FDCWD, names[j], hows[i]));
      show_fd(fd);
      close(fd);
      show_node("missing");
      unlink("missing");
    }
  }
}

void openat2_paths(void) {
  put("file", "outside", 0644);
  need(mkdir("top", 0755) == 0 && mkdir("top/d", 0755) == 0 && mkdir("top/d/e", 0755) == 0 &&
           mkdir("top/no-such-root", 0755) == 0,
       "mkdir");
  put("top/no-such-root/file", "in the root", 0644);
  put("top/file", "file", 0644);
  put("top/d/file", "d", 0644);
  need(symlink("file", "top/link") == 0 && symlink("d", "top/dirlink") == 0 &&
           symlink("/no-such-root/file", "top/absolute") == 0 &&
           symlink("../file", "top/up") == 0 && symlink("../file", "top/d/up") == 0 &&
           symlink("nothing", "top/dangling") == 0 &&
           symlink("/no-such-root/nothing", "top/dangling-absolute") == 0 &&
           symlink("../nothing", "top/dangling-up") == 0 &&
           symlink("/proc/self/cwd", "top/magic") == 0 && symlink("loop", "top/loop") == 0 &&
           symlink("/", "top/root") == 0 && symlink(".", "top/here") == 0 &&
           symlink("d/nothing", "top/d/../dangling-deep") == 0,
       "symlink");
  char self[64];
  const int top = open("top", O_RDONLY | O_DIRECTORY);
  snprintf(self, sizeof(self), "/proc/self/fd/%d", top);
  const char* const paths[] = {"file",
                               "d/file",
                               "d",
                               "d/",
                               "d/..",
                               "..",
                               "../file",
                               "d/../../file",
                               "link",
                               "dirlink",
                               "dirlink/file",
                               "absolute",
                               "up",
                               "d/up",
                               "dangling",
                               "dangling-absolute",
                               "dangling-up",
                               "dangling-deep",
                               "magic",
                               "magic/file",
                               "loop",
                               "root",
                               "root/file",
                               "here/file",
                               "/file",
                               "/d/file",
                               "/",
                               "/..",
                               "/../file",
                               "missing",
                               "missing/x",
                               "/missing",
                               "",
                               ".",
                               "./file",
                               "d/../file",
                               "/proc/self/cwd",
                               "/dev/null",
                               self,
                               "d/../..",
                               "file/x",
                               "dirlink/..",
                               "dirlink/../file",
                               "here/here/here/link",
                               "d/e/../../../file",
                               "root/proc/self/status"};
  static const unsigned flags[] = {O_RDONLY,
                                   O_RDONLY | O_NOFOLLOW,
                                   O_WRONLY | O_CREAT,
                                   O_RDWR,
                                   O_RDONLY | O_DIRECTORY,
                                   O_WRONLY | O_CREAT | O_EXCL,
                                   O_WRONLY | O_CREAT | O_NOFOLLOW};
  static const unsigned resolves[] = {
      0,
      RESOLVE_NO_XDEV,
      RESOLVE_NO_MAGICLINKS,
      RESOLVE_NO_SYMLINKS,
      RESOLVE_BENEATH,
      RESOLVE_IN_ROOT,
      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
      RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
      RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
      RESOLVE_IN_ROOT | RESOLVE_NO_XDEV,
      RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
      RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH};
  for (size_t i = 0; i < COUNT_OF(paths); ++i) {
    for (size_t j = 0; j < COUNT_OF(resolves); ++j) {
      for (size_t k = 0; k < COUNT_OF(flags); ++k) {
        const int outside = paths[i][0] == '/' || strncmp(paths[i], "root/", 5) == 0;
        if (outside && flags[k] != O_RDONLY &&
            (resolves[j] & (RESOLVE_BENEATH | RESOLVE_IN_ROOT)) == 0) {
          continue;  // nothing is made or changed outside the project
        }
        about("%s, flags %o, resolve %x", strcmp(paths[i], self) == 0 ? "self" : paths[i], flags[k],
              resolves[j]);
        const unsigned mode = (flags[k] & O_CREAT) != 0 ? 0644 : 0;
        const int fd =
            (int)SHOW(open2(top, paths[i], (struct open_how){flags[k], mode, resolves[j]}));
        if (fd >= 0) {
          struct stat info;
          need(fstat(fd, &info) == 0, "fstat");
          say("size %ld", S_ISREG(info.st_mode) ? (long)info.st_size : -1);
          close(fd);
        }
        if (fd >= 0 && (flags[k] & O_CREAT) != 0) {
          SHOW(unlinkat(top, "nothing", 0));
          SHOW(unlinkat(top, "missing", 0));
          SHOW(unlinkat(top, "../nothing", 0));
          SHOW(unlinkat(top, "d/nothing", 0));
          SHOW(unlinkat(top, "no-such-root/nothing", 0));
        }
      }
    }
  }
  about("descriptor of a file");
  const int file = open("file", O_RDONLY);
  SHOW(open2(file, "x", (struct open_how){O_RDONLY, 0, RESOLVE_BENEATH}));
  SHOW(open2(file, "/x", (struct open_how){O_RDONLY, 0, RESOLVE_IN_ROOT}));
  SHOW(open2(77, "x", (struct open_how){O_RDONLY, 0, 0}));
  SHOW(open2(AT_FDCWD, "/top/file", (struct open_how){O_RDONLY, 0, RESOLVE_IN_ROOT}) >= 0 ? 1 : -1);
  SHOW(open2(AT_FDCWD, "top/file", (struct open_how){O_RDONLY, 0, RESOLVE_BENEATH}) >= 0 ? 1 : -1);
  SHOW(open2(AT_FDCWD, "../file", (struct open_how){O_RDONLY, 0, RESOLVE_BENEATH}));
}

static void in_directory(const char* what) {
  static char text[5000];
  about("%s", what);
  SHOW(open("file", O_RDONLY) >= 0 ? 1 : -1);
  SHOW(open(".", O_RDONLY) >= 0 ? 1 : -1);
  SHOW(open("..", O_RDONLY) >= 0 ? 1 : -1);
  SHOW(open("new", O_CREAT | O_WRONLY, 0644) >= 0 ? 1 : -1);
  SHOW(mkdir("sub", 0755));
  SHOW(symlink("x", "link"));
  SHOW(mkfifo("fifo", 0600));
  SHOW(rename("new", "newer"));
  SHOW(link("newer", "second"));
  SHOW(chmod(".", 0755));
  SHOW(chmod("newer", 0600));
  SHOW(truncate("newer", 10));
  SHOW(unlink("newer"));
  SHOW(rmdir("sub"));
  SHOW(getcwd(text, sizeof(text)) != NULL);
  SHOW(chdir("."));
  SHOW(open("/proc/self/cwd/file", O_RDONLY) >= 0 ? 1 : -1);
  SHOW(fchownat(AT_FDCWD, "", (uid_t)-1, (gid_t)-1, AT_EMPTY_PATH));
  SHOW(syscall(SYS_utimensat, AT_FDCWD, "", NULL, AT_EMPTY_PATH));
  SHOW(syscall(452, AT_FDCWD, "", 0755, AT_EMPTY_PATH));  // fchmodat2
  SHOW(syscall(SYS_utimensat, AT_FDCWD, "", NULL, 0));
}

void working_directory(void) {
  need(mkdir("one", 0755) == 0 && mkdir("two", 0755) == 0 && mkdir("three", 0755) == 0, "mkdir");
  put("one/file", "1", 0644);
  put("two/file", "2", 0644);
  const int here = open(".", O_RDONLY | O_DIRECTORY);
  const int two = open("two", O_RDONLY | O_DIRECTORY);
  SHOW(chdir("one"));
  in_directory("one");
  SHOW(fchdir(two));
  in_directory("two, by descriptor");
  SHOW(fchdir(here));
  need(rename("one", "moved") == 0, "rename");
  SHOW(chdir("moved"));
  SHOW(rename("../moved", "../moved again"));
  in_directory("moved while inside");
  SHOW(fchdir(here));
  SHOW(chdir("three"));
  SHOW(rmdir("../three"));
  in_directory("removed");
  SHOW(chdir(".."));
  SHOW(fchdir(here));
  SHOW(chdir("/"));
  about("root");
  SHOW(open("proc/self/status", O_RDONLY) >= 0);
  SHOW(open("../../etc/passwd", O_RDONLY) >= 0);
  SHOW(chdir("/proc/self"));
  SHOW(open("status", O_RDONLY) >= 0);
  SHOW(open("fd/0", O_RDONLY) >= 0);
  SHOW(open("cwd/stat", O_RDONLY) >= 0);
  SHOW(chdir("/proc/self/fd"));
  SHOW(open("0", O_RDONLY) >= 0);
  SHOW(fchdir(here));
  char name[64];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", two);
  SHOW(chdir(name));
  in_directory("by /proc");
  SHOW(fchdir(0));
  SHOW(chdir("file"));
  about("threads");
  SHOW(fchdir(here));
}

void mounts(void) {
  if (geteuid() != 0) {
    say("needs root");
    return;
  }
  // The script mounted: m/tmpfs, m/bind on bind-source, m/readonly likewise, m/overlay, m/file on
  // bind-source/f.
  static const char* const places[] = {"m/tmpfs", "m/bind", "m/readonly", "m/overlay"};
  for (size_t i = 0; i < COUNT_OF(places); ++i) {
    about("%s", places[i]);
    SHOW(chdir(places[i]));
    SHOW(open("f", O_RDONLY) >= 0 ? 1 : -1);
    SHOW(open("f", O_RDWR) >= 0 ? 1 : -1);
    SHOW(open("f", O_RDONLY | O_TRUNC) >= 0 ? 1 : -1);
    SHOW(open("new", O_CREAT | O_WRONLY, 0640) >= 0 ? 1 : -1);
    SHOW(open("f", O_CREAT | O_RDONLY, 0640) >= 0 ? 1 : -1);
    SHOW(open("f", O_CREAT | O_EXCL | O_WRONLY, 0640) >= 0 ? 1 : -1);
    SHOW(open(".", O_TMPFILE | O_RDWR, 0640) >= 0 ? 1 : -1);
    SHOW(mkdir("d", 0755));
    SHOW(mkdir("existing", 0755));
    SHOW(mkfifo("fifo", 0600));
    SHOW(symlink("f", "link"));
    SHOW(link("f", "hard"));
    SHOW(rename("f", "g"));
    SHOW(rename("g", "f"));
    SHOW(chmod("f", 0600));
    SHOW(chown("f", 0, 12));
    SHOW(truncate("f", 3));
    SHOW(utimensat(AT_FDCWD, "f", NULL, 0));
    SHOW(syscall(SYS_setxattr, "f", "user.x", "1", 1, 0));
    SHOW(unlink("hard"));
    SHOW(unlink("missing"));
    SHOW(rmdir("existing"));
    SHOW(rename("f", "../../outside"));
    SHOW(rename("../../outside", "f"));
    SHOW(link("f", "../../outside"));
    SHOW(link("../../plain", "linked"));
    SHOW(rename("../../plain", "f2"));
    SHOW(syscall(SYS_renameat2, AT_FDCWD, "f", AT_FDCWD, "existing", 1));
    SHOW(syscall(SYS_renameat2, AT_FDCWD, "f", AT_FDCWD, "../../plain", 2));
    show_node("f");
    show_node("new");
    const int here = open("../..", O_RDONLY | O_DIRECTORY);
    char inner[64];
    snprintf(inner, sizeof(inner), "%s/f", places[i]);
    const struct open_how how = {O_RDONLY, 0, RESOLVE_NO_XDEV};
    SHOW(syscall(SYS_openat2, here, inner, &how, sizeof(how)));
    SHOW(chdir("../.."));
    close(here);
    SHOW(rmdir(places[i]));
    SHOW(unlink(places[i]));
    SHOW(rename(places[i], "elsewhere"));
    SHOW(rename("plain", places[i]));
    SHOW(mkdir(places[i], 0755));
  }
  about("file that is a mount point");
  SHOW(open("m/file", O_RDWR) >= 0);
  SHOW(unlink("m/file"));
  SHOW(rename("m/file", "m/file2"));
  SHOW(rename("plain", "m/file"));
  SHOW(link("m/file", "m/file3"));
  SHOW(truncate("m/file", 1));
  SHOW(chmod("m/file", 0644));
  SHOW(rename("m", "m2"));
  SHOW(rename("m2", "m"));
  about("overlay");
  show_node("upper/f");
  show_node("lower/f");
  SHOW(unlink("m/overlay/lower-only"));
  SHOW(rename("m/overlay/lower-directory", "m/overlay/moved"));
  SHOW(rmdir("m/overlay/lower-directory"));
  SHOW(chmod("m/overlay/lower-second", 0600));
  const int fd = (int)SHOW(open("m/overlay/lower-second", O_RDWR | O_APPEND));
  SHOW(write(fd, "more", 4));
  SHOW(link("m/overlay/lower-second", "m/overlay/third"));
  show_node("m/overlay/third");
  show_node("upper/lower-second");
  show_node("lower/lower-second");
}
