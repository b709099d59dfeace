// Line 35: programs that want to outlive the run. Orphans become children of the broker (PR_SET_CHILD_SUBREAPER), and what descends
// from it and carries the filter is asked to end, and killed a second later. Each daemon holds a lock that its children inherit: whoever
// looks afterwards, from outside, finds it taken if any of them lives.
//
// launch: "$@" && exec 35_daemons look
// refused: * ESRCH nobody is left
// limit: 40
#include <sched.h>
#include <sys/file.h>
#include <sys/prctl.h>

#include "attack.h"

static const char* const kNames[] = {"background",
                                     "session",
                                     "double-fork",
                                     "ignores-signals",
                                     "blocks-signals",
                                     "stopped",
                                     "subreaper",
                                     "sibling",
                                     "threads-only",
                                     "keeps-forking",
                                     "forks-on-each-processor",
                                     "respawned",
                                     "waits-for-a-fifo",
                                     "own-group",
                                     "child-with-memory",
                                     "undumpable"};
enum { DAEMONS = sizeof kNames / sizeof kNames[0] };

// A daemon ends when it is told, or by itself after a while.
static const time_t kLongest = 30;
static time_t begun;
static int told(void) { return access("stop", F_OK) == 0 || time(NULL) - begun > kLongest; }

static void stay(void) {
  while (!told()) {
    pause_ms(10);
  }
}

static void ignore_all(void) {
  for (int number = 1; number < 32; ++number) {
    signal(number, SIG_IGN);
  }
}

static void block_all(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
}

static void* stays(void* unused) {
  (void)unused;
  stay();
  _exit(0);
}

// Each generation lives for an instant only.
static void keep_forking(void) {
  ignore_all();
  setsid();
  for (unsigned generation = 0; generation % 64 != 0 || !told(); ++generation) {
    if (fork() > 0) {
      _exit(0);
    }
  }
}
// The same on the processors in turn, whatever anybody asks.
static void fork_everywhere(void) {
  ignore_all();
  setsid();
  cpu_set_t all;
  memset(&all, 0xff, sizeof all);
  for (unsigned generation = 0; generation % 64 != 0 || !told(); ++generation) {
    sched_setaffinity(0, sizeof all, &all);
    if (fork() > 0) {
      _exit(0);
    }
  }
}

// Two processes that start each other again.
static void respawn(void) {
  ignore_all();
  setsid();
  while (!told()) {
    const pid_t pid = fork();
    if (pid == 0) {
      const pid_t parent = getppid();
      while (getppid() == parent && !told()) {
        pause_ms(2);
      }
      if (told()) {
        _exit(0);
      }
      continue;
    }
    for (int status = 0; pid > 0 && waitpid(pid, &status, WNOHANG) == 0;) {
      if (told()) {
        _exit(0);
      }
      pause_ms(2);
    }
  }
}

static void run(const char* name) {
  if (strcmp(name, "session") == 0) {
    setsid();
  } else if (strcmp(name, "double-fork") == 0) {
    setsid();
    if (fork() != 0) {
      _exit(0);
    }
  } else if (strcmp(name, "ignores-signals") == 0) {
    ignore_all();
  } else if (strcmp(name, "blocks-signals") == 0) {
    block_all();
    setsid();
  } else if (strcmp(name, "stopped") == 0) {
    setsid();
    ignore_all();
    writes("stopped", text("%d", (int)getpid()));
    raise(SIGSTOP);
  } else if (strcmp(name, "subreaper") == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    ignore_all();
    for (int i = 0; i < 2; ++i) {
      if (fork() == 0 && fork() != 0) {
        _exit(0);
      }
    }
  } else if (strcmp(name, "sibling") == 0) {
    // A child of the broker from its birth.
    const long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0UL);
    if (pid > 0) {
      _exit(0);
    }
    ignore_all();
  } else if (strcmp(name, "threads-only") == 0) {
    pthread_t thread;
    ignore_all();
    pthread_create(&thread, NULL, stays, NULL);
    pthread_exit(NULL);
  } else if (strcmp(name, "keeps-forking") == 0) {
    keep_forking();
  } else if (strcmp(name, "forks-on-each-processor") == 0) {
    fork_everywhere();
  } else if (strcmp(name, "respawned") == 0) {
    respawn();
  } else if (strcmp(name, "waits-for-a-fifo") == 0) {
    ignore_all();
    mkfifo("fifo", 0600);
    (void)!open("fifo", O_RDONLY);
  } else if (strcmp(name, "own-group") == 0) {
    setpgid(0, 0);
    ignore_all();
  } else if (strcmp(name, "child-with-memory") == 0) {
    // A process that shares its memory with its parent, which is another one.
    ignore_all();
    if (vfork() == 0) {
      stay();
      _exit(0);
    }
  } else if (strcmp(name, "undumpable") == 0) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    ignore_all();
  }
  stay();
  _exit(0);
}

static long lives(const char* name) {
  const int fd = open(text("lock.%s", name), O_RDONLY);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const long result = fd >= 0 && errno == EWOULDBLOCK ? 0 : -1;
    close(fd);
    return result;
  }
  close(fd);
  return refuse(ESRCH);
}

static int look(void) {
  long alive[DAEMONS];
  int errors[DAEMONS];
  for (int i = 0; i < DAEMONS; ++i) {
    alive[i] = lives(kNames[i]);
    errors[i] = errno;
  }
  // What is left ends now; the next world is made at the same place.
  writes("stop", "");
  if (exists("fifo")) {
    close(open("fifo", O_RDWR | O_NONBLOCK));
    const int other = open("fifo", O_WRONLY | O_NONBLOCK);
    pause_ms(20);
    close(other);
  }
  char number[16] = "";
  const int fd = open("stopped", O_RDONLY);
  if (fd >= 0 && read(fd, number, sizeof number - 1) > 0 && alive[5] == 0) {
    kill((pid_t)atoi(number), SIGKILL);
  }
  close(fd);
  for (int i = 0; i < DAEMONS; ++i) {
    for (int round = 0; round < 500 && lives(kNames[i]) == 0; ++round) {
      pause_ms(10);
    }
    attack_detail[0] = 0;
    attack_report(kNames[i], alive[i], errors[i]);
  }
  return 0;
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "look") == 0) {
    return look();
  }
  begun = time(NULL);
  for (int i = 0; i < DAEMONS; ++i) {
    if (fork() == 0) {
      const int fd = open(text("lock.%s", kNames[i]), O_RDWR | O_CREAT, 0600);
      if (flock(fd, LOCK_EX) != 0) {
        _exit(1);
      }
      writes(text("ready.%s", kNames[i]), "");
      run(kNames[i]);
    }
  }
  for (int i = 0; i < DAEMONS; ++i) {
    await_path(text("ready.%s", kNames[i]));
  }
  pause_ms(100);
  return 0;
}
