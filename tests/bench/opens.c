// Times one kind of system call in a loop, so that the same loop can be run plainly and under a
// policy.
//
//   opens KIND COUNT DIRECTORY [THREADS]
//
// KIND: read     open an existing file for reading, close it
//       missing  open a name that does not exist
//       write    open an existing file for writing, close it
//       create   create a file, close it, remove it
//       rename   rename a file there and back
//       stat     look at a file
//       mkdir    make a directory, remove it
//       umask    set the umask: a round trip to the broker in which it does nothing
// Prints microseconds for each round, all threads together: a lower figure with more threads means
// that they are served at the same time.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char* kind;
static const char* directory;
static long count;

static void need(int good, const char* what) {
  if (!good) {
    perror(what);
    exit(1);
  }
}

static void once(const char* name, const char* other) {
  struct stat info;
  int fd = -1;
  if (strcmp(kind, "read") == 0) {
    need((fd = open(name, O_RDONLY | O_CLOEXEC)) >= 0, "open");
  } else if (strcmp(kind, "missing") == 0) {
    need(open(other, O_RDONLY | O_CLOEXEC) < 0 && errno == ENOENT, "missing");
  } else if (strcmp(kind, "write") == 0) {
    need((fd = open(name, O_WRONLY | O_CLOEXEC)) >= 0, "open");
  } else if (strcmp(kind, "create") == 0) {
    need((fd = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) >= 0, "create");
    need(unlink(other) == 0, "unlink");
  } else if (strcmp(kind, "rename") == 0) {
    need(rename(name, other) == 0 && rename(other, name) == 0, "rename");
  } else if (strcmp(kind, "stat") == 0) {
    need(stat(name, &info) == 0, "stat");
  } else if (strcmp(kind, "umask") == 0) {
    umask(022);
  } else if (strcmp(kind, "mkdir") == 0) {
    need(mkdir(other, 0755) == 0 && rmdir(other) == 0, "mkdir");
  } else {
    fprintf(stderr, "unknown kind: %s\n", kind);
    exit(2);
  }
  if (fd >= 0) {
    close(fd);
  }
}

static void* loop(void* number) {
  char name[4096];
  char other[4096];
  snprintf(name, sizeof name, "%s/file%ld", directory, (long)number);
  snprintf(other, sizeof other, "%s/other%ld", directory, (long)number);
  int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  need(fd >= 0, name);
  close(fd);
  for (long i = 0; i < count; ++i) {
    once(name, other);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: opens KIND COUNT DIRECTORY [THREADS]\n");
    return 2;
  }
  kind = argv[1];
  count = atol(argv[2]);
  directory = argv[3];
  const long threads = argc > 4 ? atol(argv[4]) : 1;
  pthread_t ids[64];
  if (threads < 1 || threads > 64 || count < 1) {
    return 2;
  }
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long i = 1; i < threads; ++i) {
    need(pthread_create(&ids[i], NULL, loop, (void*)i) == 0, "pthread_create");
  }
  loop((void*)0);
  for (long i = 1; i < threads; ++i) {
    pthread_join(ids[i], NULL);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  const double nanoseconds =
      (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
  printf("%.3f\n", nanoseconds / 1e3 / (double)(count * threads));
  return 0;
}
