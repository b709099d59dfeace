/* What the small programs of the fault tests have in common. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Ends the program unless `good`. */
#define NEED(good, what)                                                             \
  do {                                                                               \
    if (!(good)) {                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, what, strerror(errno)); \
      _exit(1);                                                                      \
    }                                                                                \
  } while (0)

static inline long number(const char* text) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  NEED(*text != 0 && *end == 0 && value > 0, text);
  return value;
}

/* Says `word` and waits until the runner answers with a line: it measures the broker meanwhile. */
static inline void checkpoint(const char* word) {
  char line[16];
  printf("%s\n", word);
  fflush(stdout);
  NEED(fgets(line, sizeof line, stdin) != NULL, "the runner went away");
}

static inline double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Memory that children share with their parent. */
static inline void* shared(size_t size) {
  void* const memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  NEED(memory != MAP_FAILED, "mmap");
  return memory;
}

/* The exit code of a child; -1 if a signal ended it. */
static inline int await(pid_t pid) {
  int status = 0;
  NEED(waitpid(pid, &status, 0) == pid, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline struct sockaddr_un unix_address(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  NEED(strlen(path) < sizeof address.sun_path, path);
  strcpy(address.sun_path, path);
  return address;
}
