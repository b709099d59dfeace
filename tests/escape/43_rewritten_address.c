// Line 43: the address is rewritten by a second thread or process while it is judged; and a socket that another process of the tree
// connected, and passed over. The broker copies the address once and connects by the object that it judged; and whoever connects is judged.
//
// outsider:
// limit: 30
// refused: race:* EAGAIN the machine is too busy for a race
#include <poll.h>

#include "unix.h"

static _Noreturn void outside(void) {
  struct pollfd services[2];
  const char* const abstract = text("@escape-%d", (int)getpid());
  services[0].fd = listening("host.sock", SOCK_STREAM);
  services[1].fd = listening(abstract, SOCK_STREAM);
  printf("ready %s\n", abstract + 1);
  fflush(stdout);
  for (;;) {
    services[0].events = services[1].events = POLLIN;
    poll(services, 2, -1);
    for (int i = 0; i < 2; ++i) {
      if (services[i].revents != 0) {
        close(accept(services[i].fd, NULL, NULL));
        printf("BREACH service %d was reached\n", i);
        fflush(stdout);
      }
    }
  }
}

// A socket that another process connected, and passed over.
static long passed(const char* name) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    return -1;
  }
  char control[CMSG_SPACE(sizeof(int))];
  char error_byte = 0;
  struct iovec part = {&error_byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  const pid_t pid = fork();
  if (pid == 0) {
    struct sockaddr_un address;
    const socklen_t size = fill_address(&address, name);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    error_byte = connect(fd, (struct sockaddr*)&address, size) == 0 ? 0 : (char)errno;
    struct cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    _exit(sendmsg(ends[1], &message, 0) == 1 ? 0 : 1);
  }
  const ssize_t got = recvmsg(ends[0], &message, 0);
  waitpid(pid, NULL, 0);
  if (got != 1 || error_byte != 0) {
    return refuse(got == 1 ? error_byte : ENODATA);
  }
  int fd = -1;
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  struct sockaddr_un peer;
  socklen_t size = sizeof peer;
  return with(fd, send(fd, "x", 1, MSG_NOSIGNAL) == 1
                      ? 0
                      : getpeername(fd, (struct sockaddr*)&peer, &size));
}
// The address is rewritten while it is judged: a socket of ours and one of the host.
static struct sockaddr_un* shared;
static void flips(void) {
  static unsigned turn;
  strcpy(shared->sun_path, ++turn % 2 ? "our.sock" : "host.sock");
  __asm__ volatile("" ::: "memory");
}
static int our_server = -1;
static long reaches_host(void) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const long result = connect(fd, (struct sockaddr*)shared, sizeof *shared);
  const int error = errno;
  int is_host = 0;
  if (result == 0) {
    const int ours = accept(our_server, NULL, NULL);
    is_host = ours < 0;
    close(ours);
  }
  close(fd);
  errno = result == 0 ? EACCES : error;
  return is_host ? 0 : -1;
}
static long rewritten(enum racer kind) {
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  memset(shared, 0, sizeof *shared);
  shared->sun_family = AF_UNIX;
  return wins_race(reaches_host, flips, kind, 100000, 1000);
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    outside();
  }
  begin();
  signal(SIGPIPE, SIG_IGN);
  TRY("passed", passed("host.sock"));
  TRY("passed-abstract", passed(text("@%s", count > 1 ? words[1] : "nobody")));
  our_server = listening("our.sock", SOCK_STREAM | SOCK_NONBLOCK);
  TRY("race:by-thread", rewritten(RACER_THREAD));
  TRY("race:by-process", rewritten(RACER_PROCESS));
  return 0;
}
