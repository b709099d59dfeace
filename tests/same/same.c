#include "same.h"

#include <ftw.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <time.h>

static char context[200];

void about(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(context, sizeof(context), format, arguments);
  va_end(arguments);
}

static void print_start(void) {
  if (context[0] != 0) {
    printf("%s: ", context);
  }
}

void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_start();
  vprintf(format, arguments);
  putchar('\n');
  va_end(arguments);
}

static const char* error_name(int error) {
  const char* name = strerrorname_np(error);
  return name != NULL ? name : "unknown";
}

long show(const char* text, long result) {
  const int error = errno;
  print_start();
  if (result == -1 && error != 0) {
    printf("%s = %s\n", text, error_name(error));
  } else {
    printf("%s = %ld\n", text, result);
  }
  errno = error;
  return result;
}

static const char* kind_of(mode_t mode) {
  return S_ISREG(mode)    ? "file"
         : S_ISDIR(mode)  ? "directory"
         : S_ISLNK(mode)  ? "symlink"
         : S_ISFIFO(mode) ? "fifo"
         : S_ISSOCK(mode) ? "socket"
         : S_ISCHR(mode)  ? "character device"
         : S_ISBLK(mode)  ? "block device"
                          : "something";
}

static void print_content(const char* path, const struct stat* info) {
  char text[64] = "";
  ssize_t length = -1;
  if (S_ISLNK(info->st_mode)) {
    length = readlink(path, text, sizeof(text) - 1);
  } else if (S_ISREG(info->st_mode)) {
    const int fd = open(path, O_RDONLY);
    length = read(fd, text, sizeof(text) - 1);
    close(fd);
  }
  if (length >= 0) {
    printf(" size %ld <%.*s>", (long)info->st_size, (int)length, text);
  }
}

void show_node(const char* path) {
  struct stat info;
  print_start();
  if (lstat(path, &info) != 0) {
    printf("node %s: %s\n", path, error_name(errno));
    return;
  }
  printf("node %s: %s %04o %u:%u links %lu", path, kind_of(info.st_mode), info.st_mode & 07777,
         info.st_uid, info.st_gid, S_ISDIR(info.st_mode) ? 0UL : (unsigned long)info.st_nlink);
  print_content(path, &info);
  putchar('\n');
}

static void print_time(const char* name, struct timespec value) {
  const time_t past = time(NULL) - value.tv_sec;
  if (past >= -1 && past < 60) {
    printf(" %s now", name);
  } else {
    printf(" %s %ld.%09ld", name, (long)value.tv_sec, value.tv_nsec);
  }
}

void show_times(const char* path) {
  struct stat info;
  print_start();
  if (lstat(path, &info) != 0) {
    printf("times of %s: %s\n", path, error_name(errno));
    return;
  }
  printf("times of %s:", path);
  print_time("read", info.st_atim);
  print_time("written", info.st_mtim);
  print_time("changed", info.st_ctim);
  putchar('\n');
}

void show_fd(int fd) {
  if (fd < 0) {
    return;
  }
  struct stat info;
  const int flags = fcntl(fd, F_GETFL);
  const int own = fcntl(fd, F_GETFD);
  if (flags < 0 || fstat(fd, &info) != 0) {
    say("descriptor %d: %s", fd, error_name(errno));
    return;
  }
  if ((flags & O_NOFOLLOW) != 0) {
    say("F_GETFL tells O_NOFOLLOW: 1");
  }
  say("descriptor %d: flags %#o, close-on-exec %d, %s %04o links %lu, at %ld", fd,
      flags & ~O_NOFOLLOW, own, kind_of(info.st_mode), info.st_mode & 07777,
      S_ISDIR(info.st_mode) ? 0UL : (unsigned long)info.st_nlink, (long)lseek(fd, 0, SEEK_CUR));
}

void show_read(int fd) {
  char text[64];
  const ssize_t length = read(fd, text, sizeof(text));
  if (length < 0) {
    say("read: %s", error_name(errno));
  } else {
    say("read: <%.*s>", (int)length, text);
  }
}

void need(int good, const char* what) {
  if (!good) {
    printf("the probe needs %s: %s\n", what, error_name(errno));
    exit(3);
  }
}

void put(const char* path, const char* text, mode_t mode) {
  const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
  need(fd >= 0, path);
  need(write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
  need(fchmod(fd, mode) == 0, path);
  close(fd);
}

static int remove_one(const char* path, const struct stat* info, int kind, struct FTW* place) {
  (void)info;
  (void)kind;
  (void)place;
  return remove(path);
}

void remove_tree(const char* path) {
  need(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, path);
}

void show_end(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) {
    say("no child: %s", error_name(errno));
  } else if (WIFSIGNALED(status)) {
    say("child: signal %d", WTERMSIG(status));
  } else {
    say("child: exit %d", WEXITSTATUS(status));
  }
}

pid_t start_child(void) {
  const pid_t child = fork();
  need(child >= 0, "fork");
  if (child == 0) {
    alarm(10);
  }
  return child;
}

void in_child(void (*part)(void)) {
  const pid_t child = start_child();
  if (child == 0) {
    part();
    _exit(0);
  }
  show_end(child);
}

void nap(int milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

static const struct {
  const char* name;
  void (*run)(void);
} probes[] = {
#define ROW(name) {#name, name},
    PROBES(ROW)
#undef ROW
};

int main(int count, char** arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  alarm(30);
  umask(022);
  for (size_t i = 0; i < COUNT_OF(probes); ++i) {
    if (count == 2 && strcmp(arguments[1], probes[i].name) == 0) {
      probes[i].run();
      puts("end");
      return 0;
    }
  }
  if (count == 2 && strcmp(arguments[1], "--list") == 0) {
    for (size_t i = 0; i < COUNT_OF(probes); ++i) {
      puts(probes[i].name);
    }
    return 0;
  }
  return 2;
}
