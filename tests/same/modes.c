// umask, mode bits, times, extended attributes, sizes, identity.
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#include "same.h"

static void make_all(const char* prefix) {
  char name[64];
  about("%s", prefix);
  snprintf(name, sizeof(name), "%s-file", prefix);
  SHOW(open(name, O_CREAT | O_WRONLY, 06777) >= 0);
  show_node(name);
  snprintf(name, sizeof(name), "%s-directory", prefix);
  SHOW(mkdir(name, 07777));
  show_node(name);
  snprintf(name, sizeof(name), "%s-fifo", prefix);
  SHOW(mkfifo(name, 0666));
  show_node(name);
  snprintf(name, sizeof(name), "%s-node", prefix);
  SHOW(mknod(name, S_IFREG | 0666, 0));
  show_node(name);
  snprintf(name, sizeof(name), "%s-link", prefix);
  SHOW(symlink("x", name));
  show_node(name);
}

static void* change_mask(void* mask) {
  umask((mode_t)(long)mask);
  make_all("thread");
  return NULL;
}

static void child_mask(void) {
  make_all("inherited");
  SHOW(umask(0007));
  make_all("child");
}

static void exec_mask(void) {
  umask(0027);
  execl("/bin/sh", "sh", "-c", "umask; : >by-shell; umask 77; : >by-shell2; mkdir by-shell3", NULL);
}

void masks(void) {
  static const mode_t all[] = {0, 022, 027, 077, 0777, 0111, 07777, 0222};
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    char prefix[20];
    snprintf(prefix, sizeof(prefix), "mask%o", all[i]);
    SHOW(umask(all[i]));
    make_all(prefix);
  }
  SHOW(umask(0037));
  in_child(child_mask);
  make_all("after-child");
  pthread_t thread;
  need(pthread_create(&thread, NULL, change_mask, (void*)0070L) == 0, "a thread");
  pthread_join(thread, NULL);
  make_all("after-thread");
  in_child(exec_mask);
  about("%s", "");
  show_node("by-shell");
  show_node("by-shell2");
  show_node("by-shell3");
  // A thread with a file-system context of its own.
  SHOW(unshare(0x200));
  SHOW(umask(0005));
  make_all("own-context");
  about("default access control list");
  SHOW(mkdir("acl", 0755));
  // user::rwx, group::r-x, group root:rwx, mask::rwx, other::---
  static const unsigned char list[] = {
      2, 0, 0, 0, 1, 0, 7,  0, 255, 255, 255, 255, 4,   0,   5,  0, 255, 255, 255, 255, 8,   0,
      7, 0, 0, 0, 0, 0, 16, 0, 7,   0,   255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
  SHOW(setxattr("acl", "system.posix_acl_default", list, sizeof(list), 0));
  umask(077);
  SHOW(chdir("acl"));
  make_all("in-acl");
  SHOW(chdir(".."));
  SHOW(removexattr("acl", "system.posix_acl_default"));
}

void modes(void) {
  put("file", "text", 0644);
  need(mkdir("directory", 0755) == 0 && symlink("file", "link") == 0 && mkfifo("fifo", 0644) == 0,
       "mkdir");
  static const char* const names[] = {"file",  "directory",  "link",        "fifo", "missing",
                                      "file/", "directory/", "./directory", ""};
  static const mode_t all[] = {0, 0644, 0755, 04755, 02755, 01755, 06711, 07777, 0100644, 0170000};
  const int fd = open("file", O_RDONLY);
  for (size_t i = 0; i < COUNT_OF(names); ++i) {
    for (size_t j = 0; j < COUNT_OF(all); ++j) {
      about("%s, mode %o", names[i], all[j]);
      SHOW(chmod(names[i], all[j]));
      show_node(names[i]);
      SHOW(syscall(SYS_fchmodat, AT_FDCWD, names[i], all[j]));
      SHOW(syscall(452, AT_FDCWD, names[i], all[j], AT_SYMLINK_NOFOLLOW));
      SHOW(syscall(452, AT_FDCWD, names[i], all[j], 0x40));
      SHOW(fchmod(fd, all[j]));
      SHOW(open(names[i], O_RDONLY | O_NONBLOCK) >= 0 ? 1 : -1);
      SHOW(open(names[i], O_WRONLY | O_NONBLOCK) >= 0 ? 1 : -1);
    }
    chmod(names[i], 0755);
    about("%s, owner", names[i]);
    const uid_t users[] = {(uid_t)-1, geteuid(), 0, 1};
    for (size_t j = 0; j < COUNT_OF(users); ++j) {
      SHOW(chown(names[i], users[j], (gid_t)-1));
      SHOW(chown(names[i], (uid_t)-1, users[j]));
      SHOW(lchown(names[i], users[j], users[j]));
      SHOW(fchownat(AT_FDCWD, names[i], users[j], users[j], AT_SYMLINK_NOFOLLOW));
      SHOW(fchownat(AT_FDCWD, names[i], users[j], users[j], 0x40));
      show_node(names[i]);
    }
  }
  about("set bits after chown");
  put("set", "", 06755);
  SHOW(chown("set", geteuid(), getegid()));
  show_node("set");
  SHOW(chmod("set", 06644));
  SHOW(chown("set", (uid_t)-1, (gid_t)-1));
  show_node("set");
  about("somebody else's");
  SHOW(chmod("/etc/passwd", 0644) == 0 ? 0 : 0);
  SHOW(open("/etc/shadow", O_RDONLY) >= 0 ? 0 : 0);
  about("sticky");
  SHOW(mkdir("sticky", 01777));
  SHOW(chmod("sticky", 01777));
  put("sticky/mine", "", 0666);
  SHOW(rename("sticky/mine", "sticky/renamed"));
  SHOW(open("sticky/renamed", O_CREAT | O_WRONLY, 0600) >= 0);
  SHOW(unlink("sticky/renamed"));
  about("no permission to search");
  SHOW(mkdir("closed", 0700));
  put("closed/file", "", 0644);
  SHOW(chmod("closed", 0));
  SHOW(open("closed/file", O_RDONLY) >= 0 ? 1 : -1);
  SHOW(open("closed/missing", O_RDONLY) >= 0 ? 1 : -1);
  SHOW(open("closed/missing", O_RDWR | O_CREAT, 0600) >= 0 ? 1 : -1);
  SHOW(mkdir("closed/d", 0700));
  SHOW(mkdir("closed/file", 0700));
  SHOW(unlink("closed/file"));
  SHOW(unlink("closed/missing"));
  SHOW(rename("closed/file", "x"));
  SHOW(chmod("closed/file", 0600));
  SHOW(truncate("closed/file", 0));
  SHOW(chmod("closed", 0500));
  SHOW(open("closed/missing2", O_RDWR | O_CREAT, 0600) >= 0 ? 1 : -1);
  SHOW(open("closed/file", O_RDWR | O_CREAT, 0600) >= 0 ? 1 : -1);
  SHOW(mkdir("closed/d2", 0700));
  SHOW(link("file", "closed/l"));
  SHOW(symlink("file", "closed/s"));
  SHOW(rename("file", "closed/f"));
  SHOW(unlink("closed/file"));
  SHOW(rmdir("closed/d"));
  SHOW(chmod("closed", 0700));
}

static void both_ways(const char* name, const struct timespec* times, int flags) {
  SHOW(utimensat(AT_FDCWD, name, times, flags));
  show_times(name);
}

void times(void) {
  put("file", "text", 0644);
  put("unwritable", "text", 0444);
  need(mkdir("directory", 0755) == 0 && symlink("file", "link") == 0 &&
           symlink("none", "dangling") == 0,
       "mkdir");
  static const struct timespec all[][2] = {{{1000000000, 1}, {1100000000, 999999999}},
                                           {{0, 0}, {0, 0}},
                                           {{0, UTIME_NOW}, {0, UTIME_NOW}},
                                           {{0, UTIME_OMIT}, {0, UTIME_OMIT}},
                                           {{0, UTIME_NOW}, {0, UTIME_OMIT}},
                                           {{0, UTIME_OMIT}, {1200000000, 5}},
                                           {{1, 1000000000}, {1, 0}},
                                           {{1, -1}, {1, 0}},
                                           {{-1, 0}, {-2, 5}},
                                           {{9999999999, 0}, {20000000000, 0}},
                                           {{0, UTIME_OMIT}, {5, 1000000000}}};
  static const char* const names[] = {"file",     "unwritable", "directory", "link",
                                      "dangling", "missing",    "",          "file/"};
  for (size_t i = 0; i < COUNT_OF(names); ++i) {
    for (size_t j = 0; j < COUNT_OF(all); ++j) {
      about("%s, times %zu", names[i], j);
      both_ways(names[i], all[j], 0);
      both_ways(names[i], all[j], AT_SYMLINK_NOFOLLOW);
      SHOW(utimensat(AT_FDCWD, names[i], all[j], 0x40));
    }
    about("%s, other calls", names[i]);
    both_ways(names[i], NULL, 0);
    const struct utimbuf seconds = {1234567890, 1234567891};
    SHOW(syscall(SYS_utime, names[i], &seconds));
    show_times(names[i]);
    SHOW(syscall(SYS_utime, names[i], NULL));
    const struct timeval micro[2] = {{1234567890, 1}, {1234567891, 999999}};
    const struct timeval bad[2] = {{1234567890, 1}, {1234567891, 1000000}};
    SHOW(utimes(names[i], micro));
    show_times(names[i]);
    SHOW(utimes(names[i], bad));
    SHOW(syscall(SYS_futimesat, AT_FDCWD, names[i], micro));
    SHOW(lutimes(names[i], micro));
    show_times(names[i]);
    SHOW(utimes(names[i], NULL));
    SHOW(utimensat(AT_FDCWD, names[i], (struct timespec*)8, 0));
  }
  about("by descriptor");
  const int fd = open("file", O_RDONLY);
  const int directory = open("directory", O_RDONLY);
  for (size_t j = 0; j < COUNT_OF(all); ++j) {
    SHOW(futimens(fd, all[j]));
    show_times("file");
    SHOW(futimens(directory, all[j]));
    SHOW(syscall(SYS_utimensat, fd, NULL, all[j], AT_SYMLINK_NOFOLLOW));
    SHOW(syscall(SYS_utimensat, fd, NULL, all[j], AT_EMPTY_PATH));
    SHOW(syscall(SYS_utimensat, fd, "", all[j], AT_EMPTY_PATH));
    SHOW(syscall(SYS_utimensat, AT_FDCWD, NULL, all[j], 0));
    SHOW(syscall(SYS_utimensat, 300, NULL, all[j], 0));
  }
  const struct timeval micro[2] = {{1234567890, 1}, {1234567891, 999999}};
  SHOW(syscall(SYS_futimesat, fd, NULL, micro));
  SHOW(syscall(SYS_futimesat, AT_FDCWD, NULL, micro));
  SHOW(syscall(SYS_futimesat, directory, "x", micro));
  SHOW(futimens(fd, NULL));
  show_times("file");
}

void attributes(void) {
  put("file", "text", 0644);
  put("unwritable", "text", 0444);
  need(mkdir("directory", 0755) == 0 && symlink("file", "link") == 0 && mkfifo("fifo", 0644) == 0,
       "mkdir");
  static const char* const names[] = {"file", "unwritable", "directory", "link", "fifo", "missing"};
  static const char* const keys[] = {"user.a",
                                     "user.b.c",
                                     "user.",
                                     "user",
                                     "security.x",
                                     "trusted.x",
                                     "system.x",
                                     "x.y",
                                     "",
                                     "security.capability",
                                     "system.posix_acl_access"};
  char value[100];
  for (size_t i = 0; i < COUNT_OF(names); ++i) {
    for (size_t j = 0; j < (i < 5 ? COUNT_OF(keys) : 2); ++j) {
      about("%s, %s", names[i], keys[j]);
      SHOW(setxattr(names[i], keys[j], "one", 3, 0));
      SHOW(setxattr(names[i], keys[j], "two", 3, XATTR_CREATE));
      SHOW(setxattr(names[i], keys[j], "three", 5, XATTR_REPLACE));
      SHOW(setxattr(names[i], keys[j], "", 0, 0));
      SHOW(setxattr(names[i], keys[j], NULL, 0, 0));
      if (i < 5) {  // the order of these errors changed with Linux 6.13
        SHOW(setxattr(names[i], keys[j], "x", 1, 7));
      }
      SHOW(lsetxattr(names[i], keys[j], "l", 1, 0));
      SHOW(getxattr(names[i], keys[j], value, sizeof(value)));
      SHOW(lgetxattr(names[i], keys[j], value, sizeof(value)));
      SHOW(listxattr(names[i], value, sizeof(value)));
      SHOW(lremovexattr(names[i], keys[j]));
      SHOW(removexattr(names[i], keys[j]));
      SHOW(removexattr(names[i], keys[j]));
    }
  }
  about("sizes");
  static char big[70000];
  static const size_t sizes[] = {1, 100, 3000, 4096, 65535, 65536, 65537, 70000};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    SHOW(setxattr("file", "user.size", big, sizes[i], 0));
    SHOW(getxattr("file", "user.size", NULL, 0));
  }
  SHOW(setxattr("file", "user.size", (char*)8, 5, 0));
  SHOW(setxattr("file", (char*)8, "x", 1, 0));
  SHOW(setxattr(NULL, "user.x", "x", 1, 0));
  char key[300];
  for (size_t length = 254; length <= 257; ++length) {
    memset(key, 'k', sizeof(key));
    memcpy(key, "user.", 5);
    key[length] = 0;
    about("name of %zu", length);
    SHOW(setxattr("file", key, "v", 1, 0));
    SHOW(removexattr("file", key));
  }
  about("by descriptor");
  const int fd = open("file", O_RDONLY);
  SHOW(fsetxattr(fd, "user.f", "v", 1, 0));
  SHOW(fgetxattr(fd, "user.f", value, sizeof(value)));
  SHOW(fremovexattr(fd, "user.f"));
  SHOW(fremovexattr(fd, "user.f"));
  SHOW(fsetxattr(200, "user.f", "v", 1, 0));
  SHOW(fsetxattr(-1, "user.f", "v", 1, 0));
}

void truncating(void) {
  put("file", "0123456789", 0644);
  put("unwritable", "0123456789", 0444);
  need(mkdir("directory", 0755) == 0 && symlink("file", "link") == 0 && mkfifo("fifo", 0644) == 0 &&
           symlink("none", "dangling") == 0,
       "mkdir");
  static const char* const names[] = {"file",       "unwritable", "directory", "link",  "fifo",
                                      "dangling",   "missing",    "",          "file/", "/dev/null",
                                      "directory/", "file/x",     "probe"};
  static const long sizes[] = {5, 0, 20, -1, 1L << 62};
  for (size_t i = 0; i < COUNT_OF(names); ++i) {
    for (size_t j = 0; j < COUNT_OF(sizes); ++j) {
      if (strcmp(names[i], "/dev/null") == 0 && geteuid() == 0 && sizes[j] >= 0) {
        continue;
      }
      about("%s to %ld", names[i], sizes[j]);
      SHOW(truncate(names[i], sizes[j]));
      show_node(strcmp(names[i], "probe") == 0 || names[i][0] == '/' ? "." : names[i]);
      (void)!truncate("file", 10);
    }
  }
  about("%s", "");
  SHOW(truncate(NULL, 0));
  SHOW(open("probe", O_WRONLY));
  SHOW(open("probe", O_RDWR));
  SHOW(open("probe", O_RDONLY | O_TRUNC));
  const int fd = open("file", O_RDONLY);
  SHOW(ftruncate(fd, 1));
  SHOW(ftruncate(fd, -1));
  about("limit of file sizes");
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {1000, 1000};
  SHOW(setrlimit(RLIMIT_FSIZE, &limit));
  SHOW(truncate("file", 999));
  SHOW(truncate("file", 1001));
  need(truncate("file", 999) == 0, "truncate");
  const int writer = open("file", O_WRONLY);
  SHOW(ftruncate(writer, 1001));
  SHOW(lseek(writer, 1000, SEEK_SET));
  SHOW(write(writer, "x", 1));
  about("limit of descriptors");
  const struct rlimit few = {8, 8};
  SHOW(setrlimit(RLIMIT_NOFILE, &few));
  for (int i = 0; i < 8; ++i) {
    SHOW(open("file", O_RDONLY));
  }
  SHOW(open("/dev/null", O_WRONLY));
  SHOW(open("made-at-the-limit", O_CREAT | O_WRONLY, 0600));
  show_node("made-at-the-limit");
  SHOW(open("file", O_WRONLY | O_TRUNC));
  struct stat info;
  SHOW(stat("file", &info));
  say("size at the limit: %ld", (long)info.st_size);
  SHOW(unlink("made-at-the-limit") == 0 || errno == ENOENT);
}

void identity(void) {
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  gid_t groups[64];
  SHOW(getresuid(&real, &effective, &saved));
  say("%u %u %u", real, effective, saved);
  SHOW(getresgid(&real, &effective, &saved));
  say("%u %u %u", real, effective, saved);
  SHOW(getgroups(64, groups));
  SHOW(setuid(geteuid()));
  SHOW(setgid(getegid()));
  SHOW(setreuid((uid_t)-1, (uid_t)-1));
  SHOW(setresuid(getuid(), geteuid(), getuid()));
  SHOW(seteuid(geteuid()));
  SHOW(setfsuid(geteuid()));
  about("another");
  SHOW(setegid(65533));
  SHOW(setgid(65533));
  SHOW(setgroups(0, NULL));
  SHOW(setuid(65533));
  SHOW(seteuid(65533));
  SHOW(open("mine", O_CREAT | O_WRONLY, 0644));
  show_node("mine");
  SHOW(unlink("mine") == 0 || errno == ENOENT);
  SHOW(access("/etc/shadow", R_OK) == 0 ? 0 : 0);
}
