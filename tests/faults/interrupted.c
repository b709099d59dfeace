/* Names are made and removed while a timer interrupts without SA_RESTART: a call that reports EINTR
 * had no effect, and one that succeeds had the whole of it.
 *
 *   interrupted SECONDS WORKERS MICROSECONDS
 *
 * Each worker has a directory and a timer of its own; there are more of them than broker threads,
 * so calls wait before they are received, where they can be interrupted. Prints "<signals> <calls>
 * <interrupted calls>".
 */
#include "need.h"

struct Count {
  long signals, calls, interrupted;
};
static struct Count* mine;

static void on_alarm(int signal) {
  (void)signal;
  mine->signals += 1;
}

static int is_there(const char* name) {
  struct stat info;
  return lstat(name, &info) == 0;
}

/* The lowest free descriptor: a call that reports an error has left none behind. */
static int lowest_free(void) {
  const int fd = dup(0);
  NEED(fd >= 0, "dup");
  close(fd);
  return fd;
}

/* 1: the call had its effect; 0: it was interrupted. */
static int happened(int result, const char* what) {
  mine->calls += 1;
  if (result >= 0) {
    return 1;
  }
  NEED(errno == EINTR, what);
  mine->interrupted += 1;
  return 0;
}

static void create(const char* name, int free_descriptor) {
  int fd = -1;
  while (!happened(fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), "create")) {
    NEED(!is_there(name), "an interrupted open made the file");
    NEED(lowest_free() == free_descriptor, "an interrupted open left a descriptor");
  }
  NEED(fd == free_descriptor && is_there(name), "open");
  close(fd);
}

static void read_file(const char* name, int free_descriptor) {
  int fd = -1;
  while (!happened(fd = open(name, O_RDONLY | O_CLOEXEC), "open")) {
    NEED(lowest_free() == free_descriptor, "an interrupted open left a descriptor");
  }
  NEED(fd == free_descriptor, "another descriptor");
  close(fd);
}

static void truncate_file(const char* name, int free_descriptor) {
  struct stat info;
  int fd = -1;
  NEED(lstat(name, &info) == 0 && info.st_size == 0, "not empty");
  while (!happened(fd = open(name, O_WRONLY | O_CLOEXEC), "open")) {
    NEED(lowest_free() == free_descriptor, "an interrupted open left a descriptor");
  }
  NEED(write(fd, "x", 1) == 1 && close(fd) == 0, "write");
  while (!happened(fd = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC), "truncating open")) {
    NEED(lstat(name, &info) == 0 && info.st_size == 1, "an interrupted open truncated");
  }
  NEED(fstat(fd, &info) == 0 && info.st_size == 0, "nothing was truncated");
  close(fd);
}

#define UNTIL_DONE(call, undone, done)                   \
  while (!happened(call, #call)) {                       \
    NEED(undone, "interrupted, with an effect: " #call); \
  }                                                      \
  NEED(done, "succeeded, without an effect: " #call)

static void round_of_calls(int free_descriptor) {
  create("a", free_descriptor);
  read_file("a", free_descriptor);
  truncate_file("a", free_descriptor);
  UNTIL_DONE(rename("a", "b"), is_there("a") && !is_there("b"), !is_there("a") && is_there("b"));
  UNTIL_DONE(link("b", "c"), !is_there("c"), is_there("c"));
  UNTIL_DONE(unlink("c"), is_there("c"), !is_there("c"));
  UNTIL_DONE(symlink("b", "d"), !is_there("d"), is_there("d"));
  UNTIL_DONE(unlink("d"), is_there("d"), !is_there("d"));
  UNTIL_DONE(mkdir("e", 0755), !is_there("e"), is_there("e"));
  UNTIL_DONE(rmdir("e"), is_there("e"), !is_there("e"));
  UNTIL_DONE(unlink("b"), is_there("b"), !is_there("b"));
}

static int work(long number_of_worker, double end, long period) {
  char name[32];
  snprintf(name, sizeof name, "worker%ld", number_of_worker);
  NEED(mkdir(name, 0755) == 0 && chdir(name) == 0, name);
  const struct sigaction action = {.sa_handler = on_alarm};
  const struct itimerval timer = {{0, period}, {0, period}};
  NEED(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &timer, NULL) == 0,
       "timer");
  const int free_descriptor = lowest_free();
  while (seconds() < end) {
    round_of_calls(free_descriptor);
  }
  return 0;
}

int main(int argc, char** argv) {
  NEED(argc == 4, "usage: interrupted SECONDS WORKERS MICROSECONDS");
  const long workers = number(argv[2]);
  const double end = seconds() + (double)number(argv[1]);
  NEED(workers <= 64, argv[2]);
  struct Count* const counts = shared((size_t)workers * sizeof *counts);
  pid_t pids[64];
  for (long i = 0; i < workers; ++i) {
    pids[i] = fork();
    NEED(pids[i] >= 0, "fork");
    if (pids[i] == 0) {
      mine = &counts[i];
      _exit(work(i, end, number(argv[3])));
    }
  }
  struct Count all = {0, 0, 0};
  int failed = 0;
  for (long i = 0; i < workers; ++i) {
    failed |= await(pids[i]);
    all.signals += counts[i].signals;
    all.calls += counts[i].calls;
    all.interrupted += counts[i].interrupted;
  }
  printf("%ld %ld %ld\n", all.signals, all.calls, all.interrupted);
  return failed ? 1 : 0;
}
