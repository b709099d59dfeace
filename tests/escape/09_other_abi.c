// Line 9: calls of a foreign calling convention, rings and handles. The filter answers them itself
// (F2, F3).
// refused: name-to-handle* EOPNOTSUPP what a file system without handles answers
// optional: int80* the kernel has no 32-bit calls
// optional: x32* the kernel has no x32 calls
// optional: ring* rings may be disabled (kernel.io_uring_disabled), or need a privilege
// optional: open-by-handle needs CAP_DAC_READ_SEARCH
// optional: name-to-handle the file system may have no handles
#include <linux/io_uring.h>

#include "attack.h"

/* A page below 4 GiB, for pointers of 32 bits. */
static char* low_page(void) {
  char* page =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  return page == MAP_FAILED ? NULL : page;
}

static long int80(long number, long first, long second, long third) {
#ifdef __x86_64__
  long result = number;
  __asm__ volatile("int $0x80"
                   : "+a"(result)
                   : "b"(first), "c"(second), "d"(third)
                   : "memory", "r8", "r9", "r10", "r11");
  return result < 0 && result > -4096 ? refuse((int)-result) : result;
#else
  (void)number, (void)first, (void)second, (void)third;
  return refuse(ENOSYS);
#endif
}

static long int80_opens(void* name) {
  char* page = low_page();
  strcpy(page, name);
  return steals_from((int)int80(5, (long)page, O_RDONLY, 0));  // open
}
static long int80_opens_at(void* name) {
  char* page = low_page();
  strcpy(page, name);
  return steals_from((int)int80(295, AT_FDCWD, (long)page, O_RDONLY));  // openat
}
static long int80_unlinks(void* name) {
  char* page = low_page();
  strcpy(page, name);
  return int80(10, (long)page, 0, 0);  // unlink
}
static long int80_links(void* name) {
  char* page = low_page();
  strcpy(page, name);
  strcpy(page + 2048, "stolen");
  return int80(9, (long)page, (long)page + 2048, 0) < 0 ? -1 : steals("stolen");  // link
}
static long x32_opens(void* name) {
  return steals_from((int)syscall(0x40000000 | SYS_open, name, O_RDONLY, 0));
}
static long x32_opens_at(void* name) {
  return steals_from((int)syscall(0x40000000 | SYS_openat, AT_FDCWD, name, O_RDONLY));
}

/* A file opened by a ring. */
static long ring_opens(void* name) {
  struct io_uring_params parameters = {0};
  const int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
  if (ring < 0) {
    return -1;
  }
  const size_t size = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
  const size_t replies =
      parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
  char* queue = mmap(NULL, size > replies ? size : replies, PROT_READ | PROT_WRITE, MAP_SHARED,
                     ring, IORING_OFF_SQ_RING);
  char* done = mmap(NULL, replies, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
  struct io_uring_sqe* entries =
      mmap(NULL, 4 * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
  if (queue == MAP_FAILED || done == MAP_FAILED || entries == MAP_FAILED) {
    return -1;
  }
  memset(entries, 0, sizeof *entries);
  entries[0].opcode = IORING_OP_OPENAT;
  entries[0].fd = AT_FDCWD;
  entries[0].addr = (uint64_t)(uintptr_t)name;
  entries[0].open_flags = O_RDONLY;
  ((unsigned*)(queue + parameters.sq_off.array))[0] = 0;
  atomic_store((atomic_uint*)(queue + parameters.sq_off.tail), 1);
  if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) {
    return -1;
  }
  const struct io_uring_cqe* reply = (const struct io_uring_cqe*)(done + parameters.cq_off.cqes);
  return reply->res < 0 ? refuse(-reply->res) : steals_from(reply->res);
}

union handle {
  struct file_handle handle;
  char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
};

static long names_handle(union handle* handle, const char* name, int flags) {
  int mount = 0;
  handle->handle.handle_bytes = MAX_HANDLE_SZ;
  return name_to_handle_at(AT_FDCWD, name, &handle->handle, &mount, flags);
}

static long opens_handle(const char* name) {
  union handle handle;
  if (names_handle(&handle, name, 0) < 0) {
    // Inside, the handle is made up: the inode number and generation 0 are what ext4 has in it.
    struct stat info;
    if (stat(name, &info) != 0) {
      return -1;
    }
    handle.handle.handle_bytes = 8;
    handle.handle.handle_type = 1;
    const unsigned words[] = {(unsigned)info.st_ino, 0};
    memcpy(handle.handle.f_handle, words, sizeof words);
  }
  return steals_from(
      open_by_handle_at(open(".", O_RDONLY | O_DIRECTORY), &handle.handle, O_RDONLY));
}

int main(void) {
  begin();
  char name[] = ".env";
  union handle handle;
  TRY("int80-open", in_child(int80_opens, name));
  TRY("int80-openat", in_child(int80_opens_at, name));
  TRY("int80-link", in_child(int80_links, name));
  TRY("int80-unlink", in_child(int80_unlinks, (void*)home("notes")));
  TRY("x32-open", in_child(x32_opens, name));
  TRY("x32-openat", in_child(x32_opens_at, name));
  TRY("ring-open", in_child(ring_opens, name));
  TRY("name-to-handle", names_handle(&handle, ".env", 0));
  TRY("open-by-handle", opens_handle(".env"));
  return 0;
}
