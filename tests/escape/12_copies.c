// Line 12: copying without read(2): the kernel moves the bytes. All of it needs a descriptor that
// may read, and there is none.
// launch: exec 7<.env
// setup: echo >sink
// optional: clone* the file system shares no extents
// refused: inherited* EBADF it was closed
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "attack.h"

static int sink(void) { return open("sink", O_RDWR | O_CREAT | O_TRUNC, 0644); }

static long from_sink(long result) { return result < 0 ? -1 : steals("sink"); }

static long maps(int fd, int kind) {
  const char* bytes = fd < 0 ? MAP_FAILED : mmap(NULL, 64, PROT_READ, kind, fd, 0);
  return bytes == MAP_FAILED ? -1 : has_secret(bytes, 64);
}
static long maps_later(int fd) {
  char* bytes = fd < 0 ? MAP_FAILED : mmap(NULL, 64, PROT_NONE, MAP_SHARED, fd, 0);
  return bytes == MAP_FAILED || mprotect(bytes, 64, PROT_READ) != 0 ? -1 : has_secret(bytes, 64);
}
static long sends(int fd) { return fd < 0 ? -1 : from_sink(sendfile(sink(), fd, NULL, 64)); }
static long copies(int fd) {
  return fd < 0 ? -1 : from_sink(copy_file_range(fd, NULL, sink(), NULL, 64, 0));
}
static long splices(int fd) {
  int ends[2];
  if (fd < 0 || pipe(ends) != 0 || splice(fd, NULL, ends[1], NULL, 64, 0) < 0) {
    return -1;
  }
  close(ends[1]);
  return steals_from(ends[0]);
}
static long tees(int fd) {
  int one[2];
  int other[2];
  if (fd < 0 || pipe(one) != 0 || pipe(other) != 0 || splice(fd, NULL, one[1], NULL, 64, 0) < 0 ||
      tee(one[0], other[1], 64, 0) < 0) {
    return -1;
  }
  close(other[1]);
  return steals_from(other[0]);
}
static long clones(int fd) { return fd < 0 ? -1 : from_sink(ioctl(sink(), FICLONE, fd)); }
static long reads_vector(int fd) {
  char bytes[64];
  struct iovec piece = {bytes, sizeof bytes};
  const ssize_t size = fd < 0 ? -1 : preadv2(fd, &piece, 1, 0, 0);
  return size < 0 ? -1 : has_secret(bytes, (size_t)size);
}

static int secret(void) { return open(".env", O_RDONLY); }

int main(void) {
  begin();
  TRY("mmap-private", maps(secret(), MAP_PRIVATE));
  TRY("mmap-shared", maps(secret(), MAP_SHARED));
  TRY("mmap-mprotect", maps_later(secret()));
  TRY("sendfile", sends(secret()));
  TRY("copy_file_range", copies(secret()));
  TRY("splice", splices(secret()));
  TRY("tee", tees(secret()));
  TRY("clone", clones(secret()));
  TRY("preadv2", reads_vector(secret()));
  TRY("inherited-mmap", maps(dup(7), MAP_SHARED));
  TRY("inherited-preadv2", reads_vector(dup(7)));
  TRY("inherited-copy", copies(dup(7)));
  (void)lseek(7, 0, SEEK_SET);
  TRY("inherited-sendfile", sends(dup(7)));
  (void)lseek(7, 0, SEEK_SET);
  TRY("inherited-splice", splices(dup(7)));
  return 0;
}
