// Line 32: what the broker has is used up: threads that wait for a FIFO, sockets and terminals that it remembers, names, calls at the same
// time. Each is bounded (BlockingCalls, HeldObjects, SharedSet), and what the broker cannot judge it refuses. The secret is asked for while
// everything is taken. Everything ends with the processes that hold it.
//
// outsider:
// limit: 40
// refused: * EMFILE,ENFILE,EAGAIN,ENOMEM the broker has nothing left to judge with
#include <sys/resource.h>

#include "unix.h"

enum when { STARTED, DONE };

// Children that do `action(i)` and wait; they end when the descriptor that this returns is closed. Returns when all have started, or done it.
static int crowd(int count, void (*action)(int), enum when when) {
  int hold[2];
  int ready[2];
  if (pipe(hold) != 0 || pipe(ready) != 0) {
    return -1;
  }
  fflush(stdout);
  for (int i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid < 0) {
      break;
    }
    if (pid == 0) {
      close(hold[1]);
      if (when == STARTED) {
        close(ready[1]);
      }
      action(i);
      close(ready[1]);
      char byte = 0;
      (void)!read(hold[0], &byte, 1);
      _exit(0);
    }
  }
  close(hold[0]);
  close(ready[1]);
  char byte = 0;
  while (read(ready[0], &byte, 1) == 1) {
  }
  close(ready[0]);
  return hold[1];
}

// Lets the crowd go, and hands on the result of a call and its error.
static long end_crowd(int hold, long result) {
  const int error = errno;
  close(hold);
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
  return with_error(error, result);
}

// The same, and waits until all have gone.
static long await_crowd(int hold, long result) {
  const int error = errno;
  close(hold);
  while (waitpid(-1, NULL, 0) > 0) {
  }
  return with_error(error, result);
}

static void waits_for_fifo(int number) {
  (void)number;
  signal(SIGALRM, SIG_DFL);
  alarm(3);
  (void)!open("fifo", O_RDONLY);
}
static long with_fifos(void) {
  mkfifo("fifo", 0600);
  const int hold = crowd(300, waits_for_fifo, STARTED);
  pause_ms(100);
  const long result = steals(".env");
  const int error = errno;
  // Writers let the readers go.
  close(open("fifo", O_RDWR | O_NONBLOCK));
  const int writer = open("fifo", O_WRONLY | O_NONBLOCK);
  end_crowd(hold, 0);
  close(writer);
  return with_error(error, result);
}

static void binds(int number) {
  for (int i = 0; i < 100; ++i) {
    struct sockaddr_un address;
    const socklen_t size = fill_address(&address, text("s/%d-%d", number, i));
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr*)&address, size) != 0) {
      return;
    }
  }
}
static long with_sockets(void) {
  mkdir("s", 0755);
  const int hold = crowd(8, binds, DONE);
  return end_crowd(hold, connects("host.sock"));
}

static void binds_abstract(int number) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  close(fd);
  for (int i = 0; i < 2500; ++i) {
    struct sockaddr_un address;
    const socklen_t size =
        fill_address(&address, text("@escape-%d-%d-%d", (int)getppid(), number, i));
    const int one = socket(AF_UNIX, SOCK_STREAM, 0);
    const int failed = bind(one, (struct sockaddr*)&address, size);
    close(one);
    if (failed) {
      return;
    }
  }
}
static long with_abstract_names(const char* name) {
  const int hold = crowd(8, binds_abstract, DONE);
  await_crowd(hold, 0);
  return connects(name);
}

static void opens_terminals(int number) {
  (void)number;
  for (int i = 0; i < 100; ++i) {
    if (posix_openpt(O_RDWR | O_NOCTTY) < 0) {
      return;
    }
  }
}
static long with_terminals(void) {
  const int hold = crowd(6, opens_terminals, DONE);
  return end_crowd(hold, steals(".env"));
}

static void asks_all_the_time(int number) {
  (void)number;
  char path[4096];
  memset(path, '/', sizeof path);
  memcpy(path + sizeof path - 8, "nothing", 8);
  for (int i = 0; i < 200; ++i) {
    close(open(path, O_RDONLY));
    (void)!rename("nothing", path);
  }
}
static long with_long_paths(void) {
  const int hold = crowd(16, asks_all_the_time, STARTED);
  return await_crowd(hold, steals(".env"));
}

static void nothing(int number) { (void)number; }
static long with_processes(void) {
  const int hold = crowd(400, nothing, DONE);
  return await_crowd(hold, steals(".env"));
}

// A value of the largest size that the kernel takes, by many at once.
static void sets_attribute(int number) {
  static char value[65536];
  for (int i = 0; i < 50; ++i) {
    (void)!syscall(SYS_setxattr, ".env", text("user.x%d", number), value, sizeof value, 0);
    (void)!syscall(SYS_setxattr, "readme", "user.x", value, (size_t)1 << 40, 0);
  }
}
static long with_attributes(void) {
  const int hold = crowd(16, sets_attribute, STARTED);
  return await_crowd(hold, steals(".env"));
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    listening("host.sock", SOCK_STREAM);
    const char* const abstract = text("@escape-%d", (int)getpid());
    listening(abstract, SOCK_STREAM);
    printf("ready %s\n", abstract + 1);
    fflush(stdout);
    for (;;) {
      pause();
    }
  }
  begin();
  signal(SIGPIPE, SIG_IGN);
  TRY("waiting-threads", with_fifos());
  TRY("bound-sockets", with_sockets());
  TRY("abstract-names", with_abstract_names(strdup(text("@%s", count > 1 ? words[1] : ""))));
  TRY("terminals", with_terminals());
  TRY("long-paths", with_long_paths());
  TRY("processes", with_processes());
  TRY("attributes", with_attributes());
  while (waitpid(-1, NULL, 0) > 0) {
  }
  TRY("afterwards", steals(".env"));
  return 0;
}
