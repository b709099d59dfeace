/* What threads can do to a broker that thinks in processes.
 *
 *   threads exec COUNT       COUNT processes, in each of which a thread other than the leader
 * starts a program while others open files. Prints how many files were opened. threads tables a
 * thread with a descriptor table of its own binds and connects: what happens, happens to its
 * sockets and not to the leader's of the same numbers threads umask COUNT      a thread with a
 * umask of its own starts a program, which takes over the leader's number; what it makes has its
 * umask threads blocking COUNT   O_NONBLOCK goes while a connect begins, and the queue of the peer
 * is full: COUNT processes that wait then are killed. Prints how many of them waited. threads made
 * MODE        makes `made`, checks that its mode is MODE (octal), removes it
 */
#include <pthread.h>
#include <sys/ioctl.h>

#include "need.h"

static const char* self;
static volatile long* opened;

static void* open_files(void* unused) {
  (void)unused;
  while (1) {
    const int fd = open("file", O_RDONLY | O_CLOEXEC);
    NEED(fd >= 0, "open");
    close(fd);
    __atomic_add_fetch(opened, 1, __ATOMIC_RELAXED);
  }
}

static void start(void* (*what)(void*), void* argument) {
  pthread_t thread;
  NEED(pthread_create(&thread, NULL, what, argument) == 0, "pthread_create");
}

static void* exec_true(void* unused) {
  (void)unused;
  usleep((useconds_t)(rand() % 2000));
  execl("/bin/sh", "sh", "-c", "exit 7", NULL);
  NEED(0, "exec");
  return NULL;
}

static int exec_from_threads(long count) {
  opened = shared(sizeof *opened);
  for (long i = 0; i < count; ++i) {
    const pid_t pid = fork();
    NEED(pid >= 0, "fork");
    if (pid == 0) {
      srand((unsigned)i);
      start(open_files, NULL);
      start(open_files, NULL);
      start(exec_true, NULL);
      open_files(NULL);
    }
    NEED(await(pid) == 7, "the program that the thread started");
  }
  printf("%ld\n", *opened);
  return 0;
}

static int own_number(int socket) {
  struct stat info;
  NEED(fstat(socket, &info) == 0, "fstat");
  return (int)info.st_ino;
}

/* Closes its copy of the leader's socket and puts another one at the same number. */
static void* use_own_table(void* number_of_socket) {
  const int fd = *(int*)number_of_socket;
  const int leaders = own_number(fd);
  NEED(unshare(CLONE_FILES) == 0, "unshare");
  const int fresh = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  NEED(fresh >= 0 && dup2(fresh, fd) == fd && close(fresh) == 0, "dup2");
  NEED(own_number(fd) != leaders, "the same socket");
  const struct sockaddr_un address = unix_address("own");
  NEED(bind(fd, (const struct sockaddr*)&address, sizeof address) == 0, "bind");
  struct sockaddr_un name = {.sun_family = 0};
  socklen_t length = sizeof name;
  NEED(getsockname(fd, (struct sockaddr*)&name, &length) == 0 && strcmp(name.sun_path, "own") == 0,
       "getsockname");
  NEED(listen(fd, 1) == 0, "listen: another socket was bound");
  /* One that only this table has. */
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  NEED(client >= 0 && dup2(client, 200) == 200, "dup2");
  NEED(connect(200, (const struct sockaddr*)&address, sizeof address) == 0, "connect");
  return NULL;
}

static int own_table(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  pthread_t thread;
  NEED(fd >= 0 && pthread_create(&thread, NULL, use_own_table, &fd) == 0 &&
           pthread_join(thread, NULL) == 0,
       "thread");
  struct sockaddr_un name = {.sun_family = 0};
  socklen_t length = sizeof name;
  NEED(getsockname(fd, (struct sockaddr*)&name, &length) == 0, "getsockname");
  NEED(length == sizeof name.sun_family, "the leader's socket was bound");
  puts("own table");
  return 0;
}

static int make(const char* name, mode_t expected) {
  struct stat info;
  const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  NEED(fd >= 0 && fstat(fd, &info) == 0 && close(fd) == 0 && unlink(name) == 0, name);
  NEED((info.st_mode & 0777) == expected, "another mode");
  return 0;
}

static void* exec_with_own_umask(void* unused) {
  (void)unused;
  NEED(unshare(CLONE_FS) == 0, "unshare");
  umask(077);
  for (int i = 0; i < 6; ++i) { /* the leader makes files meanwhile: its umask is remembered */
    usleep(1000);
  }
  execl(self, self, "made", "0600", NULL);
  NEED(0, "exec");
  return NULL;
}

static int own_umask(long count) {
  for (long i = 0; i < count; ++i) {
    const pid_t pid = fork();
    NEED(pid >= 0, "fork");
    if (pid == 0) {
      umask(022);
      start(exec_with_own_umask, NULL);
      while (1) {
        make("leaders", 0644);
      }
    }
    NEED(await(pid) == 0, "the program that the thread started");
    unlink("leaders"); /* the leader may have ended in between */
  }
  puts("own umask");
  return 0;
}

static void* toggle(void* socket) {
  int on = 0;
  while (opened != NULL) {
    ioctl(*(int*)socket, FIONBIO, &on);
    on = !on;
  }
  return NULL;
}

/* Connects until it waits. */
static void connect_and_toggle(const struct sockaddr_un* address) {
  static int client;
  client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  start(toggle, &client);
  while (connect(client, (const struct sockaddr*)address, sizeof *address) != 0) {
    __atomic_add_fetch(opened, 1, __ATOMIC_RELAXED);
  }
  NEED(0, "the queue has room");
}

static int blocking(long count) {
  const struct sockaddr_un address = unix_address("server");
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int first = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  NEED(
      bind(server, (const struct sockaddr*)&address, sizeof address) == 0 && listen(server, 0) == 0,
      "server");
  NEED(connect(first, (const struct sockaddr*)&address, sizeof address) == 0, "connect");
  opened = shared(sizeof *opened); /* tries */
  long waited = 0;
  for (long i = 0; i < count; ++i) {
    const pid_t pid = fork();
    NEED(pid >= 0, "fork");
    if (pid == 0) {
      connect_and_toggle(&address);
    }
    usleep(4000);
    const long before = *opened;
    usleep(1000);
    waited += *opened == before;
    NEED(kill(pid, SIGKILL) == 0 && await(pid) == -1, "kill");
  }
  printf("%ld\n", waited);
  return 0;
}

int main(int argc, char** argv) {
  self = argv[0];
  const char* const kind = argc > 1 ? argv[1] : "";
  if (strcmp(kind, "exec") == 0 && argc > 2) {
    return exec_from_threads(number(argv[2]));
  }
  if (strcmp(kind, "tables") == 0) {
    return own_table();
  }
  if (strcmp(kind, "umask") == 0 && argc > 2) {
    return own_umask(number(argv[2]));
  }
  if (strcmp(kind, "blocking") == 0 && argc > 2) {
    return blocking(number(argv[2]));
  }
  if (strcmp(kind, "made") == 0 && argc > 2) {
    return make("made", (mode_t)strtol(argv[2], NULL, 8));
  }
  NEED(0, "usage: threads KIND [COUNT]");
}
