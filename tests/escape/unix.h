/* Unix sockets, by name: a path, or `@name` for an abstract one. */
#ifndef PMG_TESTS_ESCAPE_UNIX_H
#define PMG_TESTS_ESCAPE_UNIX_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.h"

/* Returns the length of the address. */
static UNUSED socklen_t fill_address(struct sockaddr_un* address, const char* name) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (name[0] == '@') {
    memcpy(address->sun_path + 1, name + 1, strlen(name) - 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
  }
  strncpy(address->sun_path, name, sizeof address->sun_path - 1);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) + 1);
}

/* A socket that waits at `name`. */
static UNUSED int listens(const char* name, int type) {
  struct sockaddr_un address;
  const socklen_t size = fill_address(&address, name);
  const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  return bind(fd, (struct sockaddr*)&address, size) != 0 ||
                 (type != SOCK_DGRAM && listen(fd, 64) != 0)
             ? -1
             : fd;
}

/* The same; ends the program if there is none to be had. */
static UNUSED int listening(const char* name, int type) {
  const int fd = listens(name, type);
  if (fd < 0) {
    printf("not ready: %s %s\n", name, strerrorname_np(errno));
    exit(1);
  }
  return fd;
}

/* Closes `fd`, and hands on the result of a call and its error. */
static UNUSED long with(int fd, long result) {
  const int error = errno;
  close(fd);
  errno = error;
  return result < 0 ? -1 : 0;
}

static UNUSED long connects_as(int type, const char* name) {
  struct sockaddr_un address;
  const socklen_t size = fill_address(&address, name);
  const int fd = socket(AF_UNIX, type, 0);
  return fd < 0 ? -1 : with(fd, connect(fd, (struct sockaddr*)&address, size));
}
static UNUSED long connects(const char* name) { return connects_as(SOCK_STREAM, name); }

#endif
