/* A process is killed in the middle of each kind of trapped call, again and again.
 *
 *   killed ROUNDS
 *
 * Prints "<kind> <kills in the call>" for each kind. A kill counts if the process had begun the
 * call and not ended it.
 */
#include <sys/xattr.h>

#include "need.h"

static long turn;

static void put_back(void) { /* what the others need is there again */
  const int fd = open("target", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd >= 0) {
    close(fd);
  }
}

static int socket_of(int type) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | type, 0); }

static void open_read(void) { close(open("file", O_RDONLY | O_CLOEXEC)); }
static void open_create(void) {
  close(open("made", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  unlink("made");
}
static void open_unnamed(void) { close(open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)); }
static void open2(void) {
  const unsigned long long how[3] = {O_RDONLY | O_CLOEXEC, 0, 0};
  close((int)syscall(SYS_openat2, AT_FDCWD, "file", how, sizeof how));
}
static void make_directory(void) {
  mkdir("directory", 0755);
  rmdir("directory");
}
static void make_node(void) {
  mknod("node", S_IFIFO | 0644, 0);
  unlink("node");
}
static void make_symlink(void) {
  symlink("file", "symlink");
  unlink("symlink");
}
static void make_link(void) {
  link("file", "link");
  unlink("link");
}
static void move(void) {
  put_back();
  rename("target", "moved");
}
static void cut(void) { truncate("file", 0); }
static void change_mode(void) { chmod("file", 0644); }
static void change_owner(void) { chown("file", getuid(), getgid()); }
static void change_times(void) { utimensat(AT_FDCWD, "file", NULL, 0); }
static void change_attribute(void) { setxattr("file", "user.pmg", "1", 1, 0); }
static void start_program(
    void) { /* in place of this process, which says itself that it is in the call */
  execl("/bin/true", "true", NULL);
}
static void make_memfd(void) { close((int)syscall(SYS_memfd_create, "killed", 0)); }
static void bind_path(void) {
  const struct sockaddr_un address = unix_address("bound");
  const int fd = socket_of(0);
  bind(fd, (const struct sockaddr*)&address, sizeof address);
  close(fd);
  unlink("bound");
}
static void bind_abstract(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int fd = socket_of(0);
  const int length = snprintf(address.sun_path + 1, 60, "killed-%d-%ld", getpid(), ++turn);
  bind(fd, (const struct sockaddr*)&address,
       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
  close(fd);
}
static void ask_name(void) {
  struct sockaddr_un name;
  socklen_t length = sizeof name;
  const int fd = socket_of(0);
  getsockname(fd, (struct sockaddr*)&name, &length);
  close(fd);
}
static void connect_at_once(void) {
  const struct sockaddr_un address = unix_address("server");
  const int fd = socket_of(SOCK_NONBLOCK);
  connect(fd, (const struct sockaddr*)&address, sizeof address);
  close(fd);
}
static void connect_and_wait(void) { /* the server never accepts */
  const struct sockaddr_un address = unix_address("server");
  const int fd = socket_of(0);
  connect(fd, (const struct sockaddr*)&address, sizeof address);
}
static void open_fifo(void) { close(open("fifo", O_RDONLY | O_CLOEXEC)); }
static void set_priority(void) { setpriority(PRIO_PROCESS, (id_t)getppid(), 0); }
static void set_mask(void) { umask(022); }

static const struct {
  const char* name;
  void (*call)(void);
} kinds[] = {
    {"open", open_read},
    {"create", open_create},
    {"tmpfile", open_unnamed},
    {"openat2", open2},
    {"mkdir", make_directory},
    {"mknod", make_node},
    {"symlink", make_symlink},
    {"link", make_link},
    {"rename", move},
    {"truncate", cut},
    {"chmod", change_mode},
    {"chown", change_owner},
    {"utimensat", change_times},
    {"setxattr", change_attribute},
    {"execve", start_program},
    {"memfd", make_memfd},
    {"bind", bind_path},
    {"bind-abstract", bind_abstract},
    {"getsockname", ask_name},
    {"connect", connect_at_once},
    {"connect-wait", connect_and_wait},
    {"fifo", open_fifo},
    {"setpriority", set_priority},
    {"umask", set_mask},
};

/* Whether the child was killed inside of a call. */
static int kill_once(size_t kind, volatile int* inside) {
  *inside = 0;
  const pid_t pid = fork();
  NEED(pid >= 0, "fork");
  if (pid == 0) {
    while (1) {
      *inside = 1;
      kinds[kind].call();
      *inside = 0;
    }
  }
  while (*inside == 0) {
    sched_yield();
  }
  usleep((useconds_t)(rand() % 400));
  NEED(kill(pid, SIGKILL) == 0, "kill");
  int status = 0;
  NEED(waitpid(pid, &status, 0) == pid, "waitpid");
  return WIFSIGNALED(status) && *inside != 0;
}

int main(int argc, char** argv) {
  NEED(argc == 2, "usage: killed ROUNDS");
  const long rounds = number(argv[1]);
  volatile int* const inside = shared(sizeof *inside);
  const struct sockaddr_un address = unix_address("server");
  const int server = socket_of(0);
  NEED(
      bind(server, (const struct sockaddr*)&address, sizeof address) == 0 && listen(server, 0) == 0,
      "server");
  NEED(mkfifo("fifo", 0644) == 0, "mkfifo");
  put_back();
  for (long i = 0; i < 400; ++i) { /* what the broker remembers of callers is full from here on */
    kill_once((size_t)i % 4, inside);
  }
  checkpoint("warm");
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
    long killed = 0;
    for (long i = 0; i < rounds; ++i) {
      killed += kill_once(kind, inside);
    }
    printf("%s %ld\n", kinds[kind].name, killed);
  }
  checkpoint("done");
  return 0;
}
