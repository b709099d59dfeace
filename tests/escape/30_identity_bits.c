// Line 30: a program leaves a file behind with which others get its user's rights. The bits that would say so are left out, without an
// error, so what counts is the mode afterwards.
//
// setup: printf x >old; chmod 755 old; printf x >older; chmod 4755 older
// optional: capability only root can give one
// refused: * EPERM the file has the mode without these bits
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sys/xattr.h>

#include "attack.h"

enum { BITS = S_ISUID | S_ISGID };

// Whether the call succeeded and the file has one of the bits now.
static long has_bits(const char* name, long result) {
  struct stat info;
  if (result < 0 || stat(name, &info) != 0) {
    return -1;
  }
  return (info.st_mode & BITS) != 0 ? 0 : refuse(EPERM);
}

static long creates(const char* name) {
  const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 06755);
  close(fd);
  return has_bits(name, fd);
}
static long creates_by_openat2(const char* name) {
  struct open_how how = {.flags = O_WRONLY | O_CREAT, .mode = 04755};
  const int fd = (int)syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof how);
  close(fd);
  return has_bits(name, fd);
}
static long creates_unnamed(const char* name) {
  const int fd = open(".", O_WRONLY | O_TMPFILE, 04755);
  const long result =
      fd < 0 ? -1
             : linkat(AT_FDCWD, text("/proc/self/fd/%d", fd), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  close(fd);
  return has_bits(name, result);
}
static long changes_open(const char* name, mode_t mode) {
  const int fd = open(name, O_RDONLY);
  const long result = fchmod(fd, mode);
  close(fd);
  return has_bits(name, result);
}
static long gives_capability(const char* name) {
  const struct vfs_cap_data data = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
                                    .data = {{.permitted = 1U << CAP_SETUID, .inheritable = 0}}};
  return setxattr(name, "security.capability", &data, sizeof data, 0);
}

int main(void) {
  umask(0);
  begin();
  TRY("chmod", has_bits("old", chmod("old", 04755)));
  TRY("chmod-group", has_bits("old", chmod("old", 02755)));
  TRY("fchmodat", has_bits("old", fchmodat(AT_FDCWD, "old", 06711, 0)));
  TRY("fchmod", changes_open("old", 04711));
  TRY("by-descriptor-path",
      has_bits("old", chmod(text("/proc/self/fd/%d", open("old", O_RDONLY)), 04755)));
  TRY("creat", creates("new"));
  TRY("openat2", creates_by_openat2("new2"));
  TRY("unnamed", creates_unnamed("new3"));
  TRY("mknod", has_bits("new4", mknod("new4", S_IFREG | 04755, 0)));
  TRY("capability", gives_capability("old"));
  require(chmod("older", 04750), "changing other bits of a file that has the bit");
  struct stat info;
  require(stat("older", &info) == 0 && (info.st_mode & 07777) == 04750 ? 0 : -1, "it is kept");
  require(mkdir("shared", 02775) == 0 ? chmod("shared", 02770) : -1, "a directory of a group");
  return 0;
}
