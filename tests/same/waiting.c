// FIFOs and terminals: what waits, and what belongs to a session.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#include "same.h"

static void read_end(void) {
  const int fd = open("fifo", O_RDONLY);
  show_fd(fd);
  show_read(fd);
  show_read(fd);
}

static void write_end(void) {
  const int fd = open("fifo", O_WRONLY);
  show_fd(fd);
  SHOW(write(fd, "through", 7));
}

static void* open_in_thread(void* flags) { return (void*)(long)open("fifo", *(int*)flags); }

static volatile sig_atomic_t caught;
static void on_signal(int number) { caught = number; }

// A reader that a handled signal reaches while it waits. `restart` is SA_RESTART or 0.
static void interrupted(int restart) {
  const pid_t child = start_child();
  if (child == 0) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = restart};
    sigaction(SIGUSR1, &action, NULL);
    SHOW(open("fifo", O_RDONLY) >= 0);
    say("caught %d", caught == SIGUSR1);
    _exit(0);
  }
  nap(100);
  kill(child, SIGUSR1);
  nap(100);
  const int other = open("fifo", O_WRONLY | O_NONBLOCK);
  say("still waiting: %d", other >= 0);
  show_end(child);
  close(other);
}

void fifos(void) {
  need(mkfifo("fifo", 0640) == 0, "mkfifo");
  static const int flags[] = {O_RDONLY | O_NONBLOCK,
                              O_WRONLY | O_NONBLOCK,
                              O_RDWR,
                              O_RDWR | O_NONBLOCK,
                              O_RDWR | O_CREAT,
                              O_RDWR | O_TRUNC,
                              O_RDWR | O_APPEND,
                              O_RDONLY | O_DIRECTORY,
                              O_CREAT | O_EXCL | O_RDWR,
                              O_RDONLY | O_NONBLOCK | O_CREAT,
                              O_WRONLY | O_NONBLOCK | O_TRUNC,
                              O_RDWR | O_NOFOLLOW,
                              O_RDWR | O_DIRECT};
  for (size_t i = 0; i < COUNT_OF(flags); ++i) {
    about("alone, flags %o", flags[i]);
    const int fd = (int)SHOW(open("fifo", flags[i], 0600));
    show_fd(fd);
    close(fd);
  }
  int alone = 0;
  for (int turn = 0; turn < 500; ++turn) {
    close(open("fifo", O_RDONLY | O_NONBLOCK));
    alone += open("fifo", O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO;
  }
  about("a reader that has gone");
  say("seen as gone %d", alone);
  about("reader first, not waiting");
  const int reader = (int)SHOW(open("fifo", O_RDONLY | O_NONBLOCK));
  show_read(reader);
  const int writer = (int)SHOW(open("fifo", O_WRONLY | O_NONBLOCK));
  const int second = (int)SHOW(open("fifo", O_WRONLY));
  show_read(reader);
  SHOW(write(writer, "one", 3));
  SHOW(write(second, "two", 3));
  show_read(reader);
  close(writer);
  show_read(reader);
  close(second);
  show_read(reader);
  struct pollfd state = {reader, POLLIN, 0};
  SHOW(poll(&state, 1, 0));
  say("events %d", state.revents);
  close(reader);
  about("waiting reader");
  pid_t child = start_child();
  if (child == 0) {
    read_end();
    _exit(0);
  }
  nap(30);
  int fd = (int)SHOW(open("fifo", O_WRONLY));
  SHOW(write(fd, "hello", 5));
  close(fd);
  show_end(child);
  about("waiting writer");
  child = start_child();
  if (child == 0) {
    write_end();
    _exit(0);
  }
  nap(30);
  fd = (int)SHOW(open("fifo", O_RDONLY));
  show_read(fd);
  show_end(child);
  close(fd);
  about("two readers");
  pid_t children[2];
  for (int i = 0; i < 2; ++i) {
    children[i] = start_child();
    if (children[i] == 0) {
      const int end = open("fifo", O_RDONLY);
      char byte = 0;
      _exit(end >= 0 && read(end, &byte, 1) == 1 ? byte : 100);
    }
  }
  nap(50);
  fd = (int)SHOW(open("fifo", O_WRONLY));
  nap(30);
  SHOW(write(fd, "\7\7", 2));
  show_end(children[0]);
  show_end(children[1]);
  close(fd);
  about("threads");
  pthread_t threads[2];
  static int modes[2] = {O_RDONLY, O_WRONLY};
  for (int i = 0; i < 2; ++i) {
    need(pthread_create(&threads[i], NULL, open_in_thread, &modes[i]) == 0, "threads");
  }
  for (int i = 0; i < 2; ++i) {
    void* result = NULL;
    pthread_join(threads[i], &result);
    say("opened %d", (long)result >= 0);
    close((int)(long)result);
  }
  about("killed while waiting");
  for (int mode = O_RDONLY; mode <= O_WRONLY; ++mode) {
    child = start_child();
    if (child == 0) {
      _exit(open("fifo", mode) >= 0);
    }
    nap(50);
    kill(child, SIGKILL);
    show_end(child);
    nap(100);
  }
  SHOW(open("fifo", O_WRONLY | O_NONBLOCK));
  about("ended by a signal while waiting");
  child = start_child();
  if (child == 0) {
    _exit(open("fifo", O_RDONLY) >= 0);
  }
  nap(50);
  kill(child, SIGTERM);
  show_end(child);
  about("stopped and continued while waiting");
  child = start_child();
  if (child == 0) {
    read_end();
    _exit(0);
  }
  nap(30);
  kill(child, SIGSTOP);
  nap(100);
  int status = 0;
  SHOW(waitpid(child, &status, WUNTRACED | WNOHANG) == child);
  kill(child, SIGCONT);
  nap(30);
  fd = (int)SHOW(open("fifo", O_WRONLY));
  SHOW(write(fd, "on", 2));
  close(fd);
  show_end(child);
  about("signal with restart");
  interrupted(SA_RESTART);
  about("signal without restart");
  interrupted(0);
  about("removed while waiting");
  child = start_child();
  if (child == 0) {
    read_end();
    _exit(0);
  }
  nap(50);
  need(link("fifo", "other") == 0, "link");
  SHOW(unlink("fifo"));
  fd = (int)SHOW(open("other", O_WRONLY));
  SHOW(write(fd, "gone", 4));
  close(fd);
  show_end(child);
}

static int open_terminal(char* name, size_t size) {
  const int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  need(fd >= 0, "/dev/ptmx");
  need(grantpt(fd) == 0 && unlockpt(fd) == 0, "grantpt");
  need(ptsname_r(fd, name, size) == 0, "ptsname");
  return fd;
}

static char terminal[64];

static void with_terminal(void) {
  about("session");
  SHOW(open("/dev/tty", O_RDWR));
  SHOW(setsid() == getpid());
  SHOW(open("/dev/tty", O_RDWR));
  SHOW(open("/dev/tty", O_RDWR | O_NONBLOCK));
  const int fd = (int)SHOW(open(terminal, O_RDWR | O_NOCTTY));
  SHOW(open("/dev/tty", O_RDWR));
  SHOW(tcgetsid(fd) == getpid());
  SHOW(ioctl(fd, TIOCSCTTY, 0));
  SHOW(tcgetsid(fd) == getpid());
  const int own = (int)SHOW(open("/dev/tty", O_RDWR));
  SHOW(isatty(own));
  show_fd(own);
  SHOW(tcgetpgrp(own) == getpgrp());
  SHOW(write(own, "typed\n", 6));
  char name[64] = "";
  SHOW(ttyname_r(fd, name, sizeof(name)));
  say("same name %d", strcmp(name, terminal) == 0);
  SHOW(ttyname_r(own, name, sizeof(name)));
  say("name of /dev/tty: %s", name);
  SHOW(open("/dev/tty", O_RDONLY | O_CLOEXEC));
  SHOW(open("/dev/tty", O_WRONLY));
  SHOW(open("/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK) >= 0 ? 0 : 0);
  SHOW(ioctl(fd, TIOCNOTTY));
  SHOW(open("/dev/tty", O_RDWR));
}

static void acquire_by_open(void) {
  about("session without O_NOCTTY");
  SHOW(setsid() == getpid());
  const int fd = (int)SHOW(open(terminal, O_RDWR));
  SHOW(tcgetsid(fd) == getpid());
  SHOW(open("/dev/tty", O_RDWR) >= 0);
}

void terminals(void) {
  const int master = open_terminal(terminal, sizeof(terminal));
  show_fd(master);
  SHOW(isatty(master));
  static const int flags[] = {O_RDWR,
                              O_RDONLY,
                              O_WRONLY,
                              O_RDWR | O_NONBLOCK,
                              O_RDWR | O_CLOEXEC,
                              O_RDWR | O_TRUNC,
                              O_RDWR | O_CREAT,
                              O_RDWR | O_APPEND,
                              O_RDONLY | O_DIRECTORY,
                              O_CREAT | O_EXCL | O_RDWR};
  for (size_t i = 0; i < COUNT_OF(flags); ++i) {
    about("other end, flags %o", flags[i]);
    const int fd = (int)SHOW(open(terminal, flags[i] | O_NOCTTY, 0600));
    show_fd(fd);
    SHOW(isatty(fd));
    close(fd);
  }
  about("other end by TIOCGPTPEER");
  close((int)SHOW(ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY)));
  about("pair");
  const int slave = (int)SHOW(open(terminal, O_RDWR | O_NOCTTY));
  struct termios mode;
  SHOW(tcgetattr(slave, &mode));
  mode.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
  mode.c_oflag &= (tcflag_t)~OPOST;
  SHOW(tcsetattr(slave, TCSANOW, &mode));
  const struct winsize size = {30, 100, 0, 0};
  SHOW(ioctl(master, TIOCSWINSZ, &size));
  SHOW(write(slave, "out", 3));
  show_read(master);
  SHOW(write(master, "in", 2));
  show_read(slave);
  char name[64] = "";
  SHOW(ttyname_r(slave, name, sizeof(name)));
  say("same name %d", strcmp(name, terminal) == 0);
  char by_number[64];
  snprintf(by_number, sizeof(by_number), "/proc/self/fd/%d", slave);
  const int again = (int)SHOW(open(by_number, O_RDWR | O_NOCTTY));
  SHOW(isatty(again));
  const int standard = (int)SHOW(open("/dev/tty", O_RDWR | O_NOCTTY));
  SHOW(isatty(standard));
  SHOW(fchmod(slave, 0600));
  SHOW(chmod(terminal, 0620));
  about("%s", "");
  in_child(with_terminal);
  in_child(acquire_by_open);
  about("hung up");
  close(master);
  show_read(slave);
  SHOW(open(terminal, O_RDWR | O_NOCTTY));
  const int next = (int)SHOW(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  show_fd(next);
  SHOW(open("/dev/pts/ptmx", O_RDWR | O_NOCTTY) >= 0 ? 1 : -1);
}
