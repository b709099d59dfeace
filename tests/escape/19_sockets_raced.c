// Line 19: races with a program outside for the name of a socket. A host's socket that appears where the tree binds its own must not come to
// count as the tree's; one that is bound while the tree removes the old one of that name must stay. What the tree binds is bound aside and
// moved into place; what it removes is moved aside and looked at.
//
// outsider:
// changes: swapped
// changes: lost
// changes: restarted
// changes: .pmg-aside-*
// refused: connected EADDRINUSE,ENOENT what was there when the last try ended
#include <poll.h>

#include "unix.h"

enum { MILLISECONDS = 2500 };

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Moves a socket of the host to and fro, and tells if somebody comes. Without pmg the tree may remove it under its second name, so it is made
// again.
static _Noreturn void swaps(void) {
  struct pollfd service = {listening("swap", SOCK_STREAM), POLLIN, 0};
  for (;;) {
    rename("swap", "swapped");
    if (rename("swapped", "swap") != 0 && !exists("swap")) {
      close(service.fd);
      service.fd = listening("swap", SOCK_STREAM);
    }
    if (poll(&service, 1, 0) > 0) {
      close(accept(service.fd, NULL, NULL));
      printf("BREACH a socket of the host was reached\n");
      fflush(stdout);
    }
  }
}

// A service that is started again and again, as they do: removes the old socket and binds a new one.
static _Noreturn void restarts(void) {
  for (;;) {
    unlink("restarted");
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address;
    const socklen_t size = fill_address(&address, "restarted");
    const int is_bound = bind(fd, (struct sockaddr*)&address, size) == 0;
    int is_there = 0;
    for (int look = 0; is_bound && look < 20 && !is_there;
         ++look) {  // it may be looked at just now
      is_there = exists("restarted");
      if (!is_there) {
        pause_ms(1);
      }
    }
    if (is_bound && !is_there) {
      printf("BREACH the socket of a service is gone\n");
      fflush(stdout);
      plants("lost");
    }
    close(fd);
  }
}

static int outside(void) {
  const pid_t other = fork();
  if (other == 0) {
    restarts();
  }
  READY("");
  swaps();
}

static long binds(const char* name) {
  struct sockaddr_un address;
  const socklen_t size = fill_address(&address, name);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return with(fd, bind(fd, (struct sockaddr*)&address, size));
}

// What once counts as the tree's goes on doing so, so it binds more often than it connects.
static long connects_to_what_it_bound(void) {
  long refused = 0;
  long bound = 0;
  for (const long end = now_ms() + MILLISECONDS; now_ms() < end;) {
    for (int i = 0; i < 50; ++i) {  // it is under one name or the other
      if (connects("swap") == 0 || connects("swapped") == 0) {
        return 0;
      }
      refused += errno == EACCES;
    }
    for (int i = 0; i < 50; ++i) {
      if (binds("swapped") == 0) {
        unlink("swapped");
        ++bound;
      }
    }
  }
  printf("# %ld sockets were bound\n", bound);
  return refused > 0 ? refuse(EACCES) : -1;
}

static long removes_a_service(void) {
  long refused = 0;
  for (const long end = now_ms() + MILLISECONDS; now_ms() < end;) {
    refused += unlink("restarted") != 0 && errno == EACCES;
    if (exists("lost")) {
      return 0;
    }
  }
  return refused > 0 ? refuse(EACCES) : -1;
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    return outside();
  }
  TRY("connected", connects_to_what_it_bound());
  TRY("removed", removes_a_service());
  return 0;
}
