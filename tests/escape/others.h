/* Other processes: who they are, and calls that look into them or change them. */
#ifndef PMG_TESTS_ESCAPE_OTHERS_H
#define PMG_TESTS_ESCAPE_OTHERS_H

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "attack.h"

static UNUSED pid_t parent_of(pid_t pid) {
  char content[512];
  const int fd = open(text("/proc/%d/stat", (int)pid), O_RDONLY);
  const ssize_t size = fd < 0 ? -1 : read(fd, content, sizeof content - 1);
  close(fd);
  content[size > 0 ? size : 0] = 0;
  const char* const end = strrchr(content, ')');
  return end ? (pid_t)atoi(end + 4) : -1;
}

static UNUSED int pidfd_of(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

static UNUSED void* page_of(unsigned long address) { return (void*)(address & ~4095UL); }

static UNUSED long moves_pages(pid_t pid, unsigned long address) {
  void* pages[] = {page_of(address)};
  int status = 0;
  return syscall(SYS_move_pages, pid, 1UL, pages, NULL, &status, 0);
}

static UNUSED long migrates(pid_t pid) {
  unsigned long nodes = 1;
  return syscall(SYS_migrate_pages, pid, 8UL, &nodes, &nodes);
}

static UNUSED long robust_list(pid_t pid) {
  void* head = NULL;
  size_t size = 0;
  return syscall(SYS_get_robust_list, pid, &head, &size);
}

static UNUSED long advises(pid_t pid, unsigned long address) {
  struct iovec range = {page_of(address), 4096};
  return syscall(SYS_process_madvise, pidfd_of(pid), &range, 1UL, 20 /* MADV_COLD */, 0);
}

#endif
