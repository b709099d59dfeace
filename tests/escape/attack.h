/* What attack programs share: tries, the planted secret, children and races.

     #include "attack.h"

     int main(void) {
       begin();
       TRY("direct", steals(".env"));
       TRY("renamed", (rename(".env", "mine"), steals("mine")));
       return 0;
     }

   TRY prints `NAME GOT detail` or `NAME REFUSED ERRNO`. Its expression is below 0 when the attack
   was refused, with the reason in errno. A function named by a verb in the third person (`steals`,
   `plants`, `runs`) is such an expression. An attack that was carried out and gained nothing is
   ENODATA, which the runner takes for a defect of the attack. */
#ifndef PMG_TESTS_ESCAPE_ATTACK_H
#define PMG_TESTS_ESCAPE_ATTACK_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

/* What TRY prints after GOT; set by `detail`. */
static char attack_detail[80];

/* To be called first. */
static UNUSED void begin(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  umask(022);
}

static UNUSED void detail(const char* text, size_t size) {
  size_t length = 0;
  for (; length < size && length + 1 < sizeof attack_detail; ++length) {
    const char byte = text[length];
    attack_detail[length] = (char)(byte > ' ' && byte < 0x7f ? byte : '_');
  }
  attack_detail[length] = 0;
}

static UNUSED void attack_report(const char* name, long result, int error) {
  if (result >= 0) {
    printf("%s GOT %s\n", name, attack_detail[0] ? attack_detail : "-");
  } else if (error > 0 && strerrorname_np(error)) {
    printf("%s REFUSED %s\n", name, strerrorname_np(error));
  } else {
    printf("%s REFUSED %d\n", name, error);
  }
  fflush(stdout);
}

#define TRY(name, expression)                      \
  do {                                             \
    attack_detail[0] = 0;                          \
    errno = 0;                                     \
    const long attack_result = (long)(expression); \
    attack_report((name), attack_result, errno);   \
  } while (0)

/* A try that cannot be made here, with the reason. */
#define SKIP(name, reason) (printf("%s SKIPPED %s\n", (name), (reason)), fflush(stdout))

static UNUSED long refuse(int error) {
  errno = error;
  return -1;
}

/* `result`, with the errno of before, for what is tidied up in between:
   `const int error = errno; …; return with_error(error, result)`. */
static UNUSED long with_error(int error, long result) {
  errno = error;
  return result;
}

/* Printf into memory of its own, which is never freed: these programs are short. */
static UNUSED __attribute__((format(printf, 1, 2))) const char* text(const char* format, ...) {
  char* made = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int size = vasprintf(&made, format, arguments);
  va_end(arguments);
  if (size < 0) {
    exit(5);
  }
  return made;
}

static UNUSED const char* home(const char* name) { return text("%s/%s", getenv("HOME"), name); }

/* --- the planted secret: `SECRET-` and 16 digits; this program does not contain that text itself
 * --- */

static UNUSED const char* find_secret(const char* bytes, size_t size) {
  char key[8] = "-TERCES";
  for (int i = 0; i < 3; ++i) {
    const char swapped = key[i];
    key[i] = key[6 - i];
    key[6 - i] = swapped;
  }
  const char* found = memmem(bytes, size, key, 7);
  memset(key, 0, sizeof key);
  return found;
}

/* 0 if `bytes` hold the secret, which becomes the detail. */
static UNUSED long has_secret(const char* bytes, size_t size) {
  const char* found = find_secret(bytes, size);
  if (!found) {
    return refuse(ENODATA);
  }
  const size_t left = size - (size_t)(found - bytes);
  detail(found, left < 23 ? left : 23);
  return 0;
}

/* Reads up to 64 KiB of `fd`, and closes it. */
static UNUSED long steals_from(int fd) {
  if (fd < 0) {
    return -1;
  }
  char* bytes = malloc(1 << 16);
  size_t size = 0;
  ssize_t got = 0;
  while (size < (1 << 16) && (got = read(fd, bytes + size, (1 << 16) - size)) > 0) {
    size += (size_t)got;
  }
  const int error = errno;
  close(fd);
  long result = -1;
  if (got < 0) {
    errno = error;
  } else {
    result = has_secret(bytes, size);
  }
  const int reason = errno;
  free(bytes);
  errno = reason;
  return result;
}

static UNUSED long steals(const char* path) { return steals_from(open(path, O_RDONLY)); }

static UNUSED long steals_at(int directory, const char* path) {
  return steals_from(openat(directory, path, O_RDONLY));
}

/* --- files --- */

/* Writes `content` to `path`, made or truncated. */
static UNUSED long writes(const char* path, const char* content) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) {
    return -1;
  }
  const ssize_t got = write(fd, content, strlen(content));
  const int error = errno;
  close(fd);
  errno = error;
  return got;
}

static UNUSED long plants(const char* path) { return writes(path, "planted\n"); }

/* 0 if the descriptor could be had, which is closed. */
static UNUSED long opens(const char* path, int flags) {
  const int fd = open(path, flags, 0644);
  return fd < 0 ? -1 : close(fd);
}

static UNUSED long exchanges(const char* one, const char* other) {
  return syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

static UNUSED int exists(const char* path) {
  struct stat info;
  return lstat(path, &info) == 0;
}

/* Ends the program: what follows would be no test. For what must work inside too. */
static UNUSED void require(long result, const char* what) {
  if (result < 0) {
    printf("does not work: %s: %s\n", what, strerror(errno));
    exit(4);
  }
}

static UNUSED void pause_ms(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* Waits up to 20 s until `path` exists; ends the program otherwise. */
static UNUSED void await_path(const char* path) {
  for (int i = 0; i < 4000; ++i) {
    if (exists(path)) {
      return;
    }
    pause_ms(5);
  }
  printf("never appeared: %s\n", path);
  exit(3);
}

/* What an outsider says when it may be attacked, with words for the attack. */
#define READY(...) (printf("ready " __VA_ARGS__), printf("\n"), fflush(stdout))

/* For an outsider that only has to be there. */
static UNUSED _Noreturn void wait_for_end(void) {
  for (;;) {
    pause();
  }
}

/* --- children --- */

/* The result of `action(argument)` in a child; errno crosses over. */
static UNUSED long in_child(long (*action)(void*), void* argument) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return -1;
  }
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    errno = 0;
    long answer[2] = {action(argument), 0};
    answer[1] = errno;
    char note[sizeof attack_detail + sizeof answer];
    memcpy(note, answer, sizeof answer);
    memcpy(note + sizeof answer, attack_detail, sizeof attack_detail);
    _exit(write(ends[1], note, sizeof note) == (ssize_t)sizeof note ? 0 : 1);
  }
  close(ends[1]);
  long answer[2] = {-1, ECHILD};
  char note[sizeof attack_detail + sizeof answer];
  if (pid > 0 && read(ends[0], note, sizeof note) == (ssize_t)sizeof note) {
    memcpy(answer, note, sizeof answer);
    memcpy(attack_detail, note + sizeof answer, sizeof attack_detail);
  }
  close(ends[0]);
  if (pid > 0) {
    waitpid(pid, NULL, 0);
  }
  errno = (int)answer[1];
  return answer[0];
}

/* What a child prints that calls `become(argument)`, which executes a program. The length of the
   output, or the error of `become`. The child's standard error goes nowhere. ECHILD if the program
   ended with a failure. */
static UNUSED long output_of(long (*become)(void*), void* argument, char* output, size_t room) {
  int out[2];
  int failure[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0) {
    return -1;
  }
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(out[1], 1);
    become(argument);
    const int error = errno;
    _exit(write(failure[1], &error, sizeof error) == (ssize_t)sizeof error ? 126 : 125);
  }
  close(out[1]);
  close(failure[1]);
  size_t size = 0;
  ssize_t got = 0;
  while (size < room && (got = read(out[0], output + size, room - size)) > 0) {
    size += (size_t)got;
  }
  close(out[0]);
  int error = 0;
  const ssize_t failed = read(failure[0], &error, sizeof error);
  close(failure[0]);
  int status = -1;
  waitpid(pid, &status, 0);
  if (failed == (ssize_t)sizeof error) {
    return refuse(error);
  }
  return status == 0 ? (long)size : refuse(ECHILD);
}

static UNUSED long attack_become(void* argument) {
  char* const* words = argument;
  return execvp(words[0], words);
}

/* 0 if the program of these words (the last is NULL) starts and ends well. */
static UNUSED long runs(char* const* words) {
  char output[4096];
  const long size = output_of(attack_become, (void*)words, output, sizeof output);
  if (size >= 0) {
    detail(output, (size_t)size);
  }
  return size;
}

/* --- races --- */

struct race {
  atomic_uint turns;
  atomic_int stop;
};

enum racer { RACER_PROCESS, RACER_THREAD };

struct attack_racer {
  struct race* race;
  void (*interfere)(void);
};

static UNUSED void* attack_interfere(void* argument) {
  const struct attack_racer* racer = argument;
  while (!atomic_load(&racer->race->stop)) {
    racer->interfere();
    atomic_fetch_add(&racer->race->turns, 1);
  }
  return NULL;
}

/* Whether an error says that somebody refused, and not that nothing was there or that it was harmless. */
static UNUSED int is_refusal(int error) {
  return error == EACCES || error == EPERM || error == EXDEV;
}

/* Repeats `action` until it is not below 0, while another process or thread repeats `interfere`. At least 100 turns of
   either side; then at most `tries` times and `milliseconds`, if some try was refused. Without that nothing raced, so it
   goes on, for 20 s at most. Prints how many turns either side had and how many tries were refused. A lost race is the
   error of a refusal if there was one, else of the last try; EAGAIN if either side starved. */
static UNUSED long wins_race(long (*action)(void), void (*interfere)(void), enum racer kind,
                             unsigned tries, long milliseconds) {
  struct race* race =
      mmap(NULL, sizeof *race, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (race == MAP_FAILED) {
    return -1;
  }
  struct attack_racer racer = {race, interfere};
  pthread_t thread;
  pid_t pid = -1;
  fflush(stdout);
  if (kind == RACER_THREAD) {
    if (pthread_create(&thread, NULL, attack_interfere, &racer) != 0) {
      return refuse(EAGAIN);
    }
  } else if ((pid = fork()) == 0) {
    attack_interfere(&racer);
    _exit(0);
  }
  struct timespec begun;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  long result = -1;
  int error = EAGAIN;
  const unsigned enough = 100;
  const long patience = 20000;
  unsigned made = 0;
  unsigned refused = 0;
  for (long elapsed = 0; result < 0 && elapsed <= patience; ++made) {
    if (refused > 0 && made >= enough && atomic_load(&race->turns) >= enough &&
        (made >= tries || elapsed > milliseconds)) {
      break;
    }
    result = action();
    if (is_refusal(errno) || refused == 0) {
      error = errno;
    }
    refused += result < 0 && is_refusal(errno);
    clock_gettime(CLOCK_MONOTONIC, &now);
    elapsed = (now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000;
  }
  atomic_store(&race->stop, 1);
  kind == RACER_THREAD ? pthread_join(thread, NULL) : waitpid(pid, NULL, 0);
  const unsigned turns = atomic_load(&race->turns);
  munmap(race, sizeof *race);
  printf("# %u tries against %u turns, %u refused\n", made, turns, refused);
  if (result < 0 && (made < enough || turns < enough)) {
    error = EAGAIN;
  }
  errno = error;
  return result;
}

#endif
