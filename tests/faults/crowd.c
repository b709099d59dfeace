/* Many processes at once.
 *
 *   crowd alive COUNT            COUNT processes that each open a file, and live together until the
 * runner has looked crowd flood SECONDS COUNT SECRET COUNT processes that open files as fast as
 * they are answered, and now and then SECRET. Prints "<opens> <refused>". No SECRET where it is
 * "-".
 */
#include "need.h"

static void open_file(void) {
  const int fd = open("file", O_RDONLY | O_CLOEXEC);
  NEED(fd >= 0, "open");
  close(fd);
}

static int alive(long count) {
  int ready[2], go[2];
  NEED(pipe(ready) == 0 && pipe(go) == 0, "pipe");
  for (long i = 0; i < count; ++i) {
    const pid_t pid = fork();
    NEED(pid >= 0, "fork");
    if (pid == 0) {
      char byte = 0;
      close(go[1]);
      open_file();
      NEED(write(ready[1], "x", 1) == 1, "write");
      NEED(read(go[0], &byte, 1) == 0, "read"); /* ends with the parent's end of the pipe */
      open_file();
      _exit(0);
    }
  }
  char bytes[4096];
  for (long come = 0; come < count;) {
    const ssize_t some = read(ready[0], bytes, sizeof bytes);
    NEED(some > 0, "a process is missing");
    come += some;
  }
  checkpoint("alive");
  close(go[1]);
  long failed = 0;
  for (long i = 0; i < count; ++i) {
    int status = 0;
    NEED(wait(&status) > 0, "wait");
    failed += status != 0;
  }
  NEED(failed == 0, "a process failed");
  checkpoint("ended");
  return 0;
}

static int flood(long duration, long count, const char* secret) {
  long* const counts = shared(2 * sizeof *counts);
  const double end = seconds() + (double)duration;
  for (long i = 0; i < count; ++i) {
    const pid_t pid = fork();
    NEED(pid >= 0, "fork");
    if (pid == 0) {
      long opens = 0;
      long refused = 0;
      while (opens % 64 != 0 || seconds() < end) {
        open_file();
        if (++opens % 64 == 0 && *secret != '-') {
          NEED(open(secret, O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES, "the secret opened");
          ++refused;
        }
      }
      __atomic_add_fetch(&counts[0], opens, __ATOMIC_RELAXED);
      __atomic_add_fetch(&counts[1], refused, __ATOMIC_RELAXED);
      _exit(0);
    }
  }
  for (long i = 0; i < count; ++i) {
    int status = 0;
    NEED(wait(&status) > 0 && status == 0, "a process failed");
  }
  printf("%ld %ld\n", counts[0], counts[1]);
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "alive") == 0) {
    return alive(number(argv[2]));
  }
  if (argc == 5 && strcmp(argv[1], "flood") == 0) {
    return flood(number(argv[2]), number(argv[3]), argv[4]);
  }
  NEED(0, "usage: crowd KIND …");
}
