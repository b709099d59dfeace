// Line 18: mode, owner, times, attributes and flags of what may not be written, by path and through
// a descriptor that is only open for reading. The calls are trapped in both forms; ioctls that
// change a file are refused in the filter.
// says: refused change metadata of ${HOME}/notes
// refused: *new* ENOSYS
// optional: *xattr* the file system has no user attributes
// optional: *acl* the file system has no access lists
// optional: *flags* the file system has no flags, or they need a privilege
// optional: *version* the file system has no version, or it needs a privilege
// optional: *new* the kernel is older
// optional: *fchmodat2* the kernel is older
// optional: *project* the file system has no projects
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#include "attack.h"

static const struct timespec kTimes[2] = {{1, 0}, {1, 0}};
static const struct timeval kValues[2] = {{1, 0}, {1, 0}};

static long flags(int fd) {
  long flag = 0;
  if (ioctl(fd, FS_IOC_GETFLAGS, &flag) != 0) {
    return -1;
  }
  flag |= FS_NODUMP_FL;
  return ioctl(fd, FS_IOC_SETFLAGS, &flag);
}
static long flags_high(int fd) {
  long flag = FS_NODUMP_FL;
  return syscall(SYS_ioctl, fd, FS_IOC_SETFLAGS | 1UL << 40, &flag);
}
static long project(int fd) {
  struct fsxattr attributes = {0};
  if (ioctl(fd, FS_IOC_FSGETXATTR, &attributes) != 0) {
    return -1;
  }
  attributes.fsx_xflags |= FS_XFLAG_NODUMP;
  return ioctl(fd, FS_IOC_FSSETXATTR, &attributes);
}
static long version(int fd) {
  long number = 7;
  return ioctl(fd, FS_IOC_SETVERSION, &number);
}
static long attribute_new(int directory, const char* path, unsigned at) {
  struct {
    uint64_t value;
    uint32_t size;
    uint32_t flags;
  } arguments = {(uint64_t)(uintptr_t) "1", 1, 0};
  return syscall(463, directory, path, at, "user.new", &arguments,
                 sizeof arguments);  // setxattrat, Linux 6.13
}
static long file_attribute_new(const char* path) {
  uint64_t attributes[4] = {FS_XFLAG_NODUMP};
  return syscall(469, AT_FDCWD, path, attributes, 24UL, 0);  // file_setattr, Linux 6.17
}

static const unsigned char kAccess[] = {2,   0,   0, 0, 1,   0,   7,   0,   255, 255,
                                        255, 255, 4, 0, 7,   0,   255, 255, 255, 255,
                                        32,  0,   7, 0, 255, 255, 255, 255};

static void by_path(const char* what, const char* path) {
  const uid_t user = getuid();
  const gid_t group = getgid();
  const int object = open(path, O_PATH);
  TRY(text("%s:chmod", what), chmod(path, 0600));
  TRY(text("%s:fchmodat", what), fchmodat(AT_FDCWD, path, 0600, 0));
  TRY(text("%s:fchmodat2", what), syscall(452, AT_FDCWD, path, 0644, 0));
  TRY(text("%s:fchmodat2-empty", what), syscall(452, object, "", 0600, AT_EMPTY_PATH));
  TRY(text("%s:chmod-proc", what), chmod(text("/proc/self/fd/%d", object), 0644));
  TRY(text("%s:chown", what), chown(path, user, group));
  TRY(text("%s:lchown", what), lchown(path, user, group));
  TRY(text("%s:fchownat", what), fchownat(AT_FDCWD, path, user, group, AT_SYMLINK_NOFOLLOW));
  TRY(text("%s:fchownat-empty", what), fchownat(object, "", user, group, AT_EMPTY_PATH));
  TRY(text("%s:utime", what), syscall(SYS_utime, path, NULL));
  TRY(text("%s:utimes", what), syscall(SYS_utimes, path, kValues));
  TRY(text("%s:futimesat", what), syscall(SYS_futimesat, AT_FDCWD, path, kValues));
  TRY(text("%s:utimensat", what), utimensat(AT_FDCWD, path, kTimes, 0));
  TRY(text("%s:utimensat-link", what), utimensat(AT_FDCWD, path, kTimes, AT_SYMLINK_NOFOLLOW));
  TRY(text("%s:utimensat-empty", what), syscall(SYS_utimensat, object, "", kTimes, AT_EMPTY_PATH));
  TRY(text("%s:setxattr", what), setxattr(path, "user.mine", "1", 1, 0));
  TRY(text("%s:lsetxattr", what), lsetxattr(path, "user.mine", "2", 1, 0));
  TRY(text("%s:acl", what), setxattr(path, "system.posix_acl_access", kAccess, sizeof kAccess, 0));
  TRY(text("%s:new-setxattrat", what), attribute_new(AT_FDCWD, path, 0));
  TRY(text("%s:new-file_setattr", what), file_attribute_new(path));
}

static void by_descriptor(const char* what, int fd) {
  TRY(text("%s:fchmod", what), fchmod(fd, 0600));
  TRY(text("%s:fchown", what), fchown(fd, getuid(), getgid()));
  TRY(text("%s:futimens", what), futimens(fd, kTimes));
  TRY(text("%s:futimesat-null", what), syscall(SYS_futimesat, fd, NULL, kValues));
  TRY(text("%s:fsetxattr", what), fsetxattr(fd, "user.mine", "3", 1, 0));
  TRY(text("%s:fsetxattr-acl", what),
      fsetxattr(fd, "system.posix_acl_access", kAccess, sizeof kAccess, 0));
  TRY(text("%s:new-setxattrat", what), attribute_new(fd, "", AT_EMPTY_PATH));
  TRY(text("%s:flags", what), flags(fd));
  TRY(text("%s:flags-high", what), flags_high(fd));
  TRY(text("%s:project", what), project(fd));
  TRY(text("%s:version", what), version(fd));
}

int main(void) {
  begin();
  by_path("home", getenv("HOME"));
  by_path("notes", home("notes"));
  by_path("env", ".env");
  TRY("notes:removexattr",
      (setxattr(home("notes"), "user.there", "1", 1, 0), removexattr(home("notes"), "user.there")));
  TRY("notes:lremovexattr", (setxattr(home("notes"), "user.there", "1", 1, 0),
                             lremovexattr(home("notes"), "user.there")));
  const int fd = open(home("notes"), O_RDONLY);
  by_descriptor("reading", fd);
  TRY("reading:fremovexattr",
      (fsetxattr(fd, "user.there", "1", 1, 0), fremovexattr(fd, "user.there")));
  by_descriptor("directory", open(getenv("HOME"), O_RDONLY | O_DIRECTORY));
  symlink(home("notes"), "way");
  TRY("symlink:chmod", chmod("way", 0600));
  TRY("symlink:chown", chown("way", getuid(), getgid()));
  TRY("symlink:utimensat", utimensat(AT_FDCWD, "way", kTimes, 0));
  TRY("symlink:setxattr", setxattr("way", "user.mine", "4", 1, 0));
  return 0;
}
