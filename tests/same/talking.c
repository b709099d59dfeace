// Unix sockets made inside, and what is passed over them.
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "same.h"

static socklen_t fill(struct sockaddr_un* address, const char* path, size_t length) {
  memset(address, 0, sizeof(*address));
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

static long bind_to(int fd, const char* path) {
  struct sockaddr_un address;
  return bind(fd, (struct sockaddr*)&address, fill(&address, path, strlen(path) + 1));
}

static long connect_to(int fd, const char* path) {
  struct sockaddr_un address;
  return connect(fd, (struct sockaddr*)&address, fill(&address, path, strlen(path) + 1));
}

static void show_name(const char* what, int fd, int (*ask)(int, struct sockaddr*, socklen_t*)) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof(address));
  socklen_t length = sizeof(address);
  if (ask(fd, (struct sockaddr*)&address, &length) != 0) {
    say("%s: error %d", what, errno);
    return;
  }
  say("%s: family %d, length %u, %s<%s>", what, address.sun_family, length,
      length > 2 && address.sun_path[0] == 0 ? "abstract " : "",
      length > 2 && address.sun_path[0] == 0 ? "" : address.sun_path);
}

static void pass(int type, const char* path) {
  about("type %d, %s", type, path);
  const int server = (int)SHOW(socket(AF_UNIX, type, 0));
  show_name("unbound", server, getsockname);
  SHOW(bind_to(server, path));
  show_node(path);
  SHOW(bind_to(server, "other-name"));
  show_node("other-name");
  const int client = (int)SHOW(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  SHOW(connect_to(client, path));
  SHOW(listen(server, 5));
  show_name("server", server, getsockname);
  SHOW(connect_to(client, path));
  SHOW(connect_to(client, path));
  show_name("client", client, getsockname);
  show_name("client's peer", client, getpeername);
  fcntl(server, F_SETFL, O_NONBLOCK);
  const int accepted = (int)SHOW(accept4(server, NULL, NULL, SOCK_CLOEXEC));
  show_name("accepted", accepted, getsockname);
  show_name("accepted's peer", accepted, getpeername);
  SHOW(send(client, "hello", 5, 0));
  if (accepted >= 0) {
    show_read(accepted);
  }
  struct ucred peer = {0, 0, 0};
  socklen_t size = sizeof(peer);
  SHOW(getsockopt(accepted, SOL_SOCKET, SO_PEERCRED, &peer, &size));
  say("client is this process: %d, this user: %d", peer.pid == getpid(), peer.uid == geteuid());
  SHOW(getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size));
  say("server is this process: %d, this user: %d", peer.pid == getpid(), peer.uid == geteuid());
  const int second = socket(AF_UNIX, type, 0);
  SHOW(bind_to(second, path));
  close(server);
  SHOW(connect_to(second, path));
  SHOW(unlink(path));
  SHOW(connect_to(second, path));
  unlink("other-name");
  close(client);
  close(accepted);
  close(second);
}

static void pass_descriptor(void) {
  int ends[2];
  need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  put("passed", "passed", 0600);
  const int sent[3] = {open("passed", O_RDONLY), memfd_create("m", 0), open("passed", O_PATH)};
  need(write(sent[1], "memory", 6) == 6, "write");
  char control[CMSG_SPACE(sizeof(sent))];
  memset(control, 0, sizeof(control));
  struct iovec part = {"x", 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(sent));
  memcpy(CMSG_DATA(header), sent, sizeof(sent));
  SHOW(sendmsg(ends[0], &message, 0));
  memset(control, 0, sizeof(control));
  char byte = 0;
  part.iov_base = &byte;
  SHOW(recvmsg(ends[1], &message, MSG_CMSG_CLOEXEC));
  header = CMSG_FIRSTHDR(&message);
  int got[3] = {-1, -1, -1};
  if (header != NULL) {
    memcpy(got, CMSG_DATA(header), sizeof(got));
  }
  for (int i = 0; i < 3; ++i) {
    show_fd(got[i]);
    lseek(got[i], 0, SEEK_SET);
    show_read(got[i]);
  }
  // Credentials.
  const int on = 1;
  SHOW(setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
  SHOW(send(ends[0], "y", 1, 0));
  message.msg_controllen = sizeof(control);
  SHOW(recvmsg(ends[1], &message, 0));
  header = CMSG_FIRSTHDR(&message);
  if (header != NULL) {
    struct ucred from;
    memcpy(&from, CMSG_DATA(header), sizeof(from));
    say("type %d, this process: %d", header->cmsg_type, from.pid == getpid());
  }
}

static void wait_in_queue(void) {
  alarm(1);
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "queue"));
}

void sockets(void) {
  need(mkdir("directory", 0755) == 0 && symlink("directory", "dirlink") == 0, "mkdir");
  char here[2000];
  need(getcwd(here, sizeof(here)) != NULL, "getcwd");
  pass(SOCK_STREAM, "s");
  pass(SOCK_SEQPACKET, "s");
  pass(SOCK_STREAM, "directory/s");
  pass(SOCK_STREAM, "./directory/../s");
  pass(SOCK_STREAM, "dirlink/s");
  pass(SOCK_STREAM, "missing/s");
  pass(SOCK_STREAM, "directory");
  pass(SOCK_STREAM, "directory/");
  pass(SOCK_STREAM, "s/");
  pass(SOCK_STREAM | SOCK_NONBLOCK, "n");
  umask(077);
  pass(SOCK_STREAM, "masked");
  umask(022);
  struct sockaddr_un address;
  char path[120];
  for (size_t length = 105; length <= 108; ++length) {
    about("path of %zu", length);
    memset(path, 'p', sizeof(path));
    path[length] = 0;
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    SHOW(bind(fd, (struct sockaddr*)&address, fill(&address, path, length)));
    show_name("bound", fd, getsockname);
    SHOW(listen(fd, 1));
    const int client = socket(AF_UNIX, SOCK_STREAM, 0);
    SHOW(connect(client, (struct sockaddr*)&address, fill(&address, path, length)));
    show_name("peer", client, getpeername);
    SHOW(unlink(path));
    close(fd);
    close(client);
  }
  about("abstract");
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  char name[40] = "";
  snprintf(name + 1, sizeof(name) - 1, "pmg-probe-%ld", (long)getpid());
  const size_t length = 1 + strlen(name + 1);
  SHOW(bind(fd, (struct sockaddr*)&address, fill(&address, name, length)));
  SHOW(listen(fd, 3));
  int client = socket(AF_UNIX, SOCK_STREAM, 0);
  SHOW(connect(client, (struct sockaddr*)&address, fill(&address, name, length)));
  SHOW(getpeername(client, (struct sockaddr*)&address, &(socklen_t){sizeof(address)}));
  say("same name %d", memcmp(address.sun_path, name, length) == 0);
  close(client);
  client = socket(AF_UNIX, SOCK_STREAM, 0);
  name[3] = '!';
  SHOW(connect(client, (struct sockaddr*)&address, fill(&address, name, length)));
  about("chosen by the kernel");
  fd = socket(AF_UNIX, SOCK_STREAM, 0);
  SHOW(bind(fd, (struct sockaddr*)&address, fill(&address, "", 0)));
  show_name("bound", fd, getsockname);
  about("wrong calls");
  put("file", "", 0644);
  put("closed-file", "", 0000);
  SHOW(connect_to(fd, "file"));
  SHOW(connect_to(fd, "directory"));
  SHOW(connect_to(fd, "closed-file"));
  SHOW(connect_to(fd, "missing"));
  SHOW(connect_to(fd, ""));
  SHOW(bind_to(socket(AF_UNIX, SOCK_STREAM, 0), "file"));
  SHOW(bind_to(400, "x"));
  SHOW(bind_to(0, "x"));
  SHOW(connect_to(400, "x"));
  SHOW(connect_to(0, "x"));
  SHOW(bind(fd, NULL, 20));
  SHOW(bind(fd, (struct sockaddr*)&address, 0));
  SHOW(bind(fd, (struct sockaddr*)&address, 1));
  SHOW(bind(fd, (struct sockaddr*)&address, 1000));
  SHOW(bind(fd, (struct sockaddr*)&address, (socklen_t)-1));
  SHOW(connect(fd, (struct sockaddr*)&address, (socklen_t)-1));
  SHOW(connect(fd, NULL, 20));
  struct sockaddr_in inet = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
  const int fresh = socket(AF_UNIX, SOCK_STREAM, 0);
  SHOW(bind(fresh, (struct sockaddr*)&inet, sizeof(inet)));
  SHOW(connect(fresh, (struct sockaddr*)&inet, sizeof(inet)));
  const int internet = socket(AF_INET, SOCK_STREAM, 0);
  SHOW(bind_to(internet, "x"));
  SHOW(connect_to(internet, "x"));
  SHOW(getsockname(0, (struct sockaddr*)&address, &(socklen_t){sizeof(address)}));
  SHOW(getsockname(400, (struct sockaddr*)&address, &(socklen_t){sizeof(address)}));
  SHOW(getsockname(fd, (struct sockaddr*)&address, &(socklen_t){1}));
  SHOW(getsockname(fd, (struct sockaddr*)&address, &(socklen_t){(socklen_t)-1}));
  SHOW(getsockname(fd, NULL, &(socklen_t){10}));
  SHOW(getsockname(fd, (struct sockaddr*)&address, NULL));
  SHOW(socket(AF_UNIX, SOCK_DGRAM, 0) >= 0);
  SHOW(socket(AF_UNIX, 99, 0));
  SHOW(socket(AF_UNIX, SOCK_STREAM, 99));
  about("internet");
  SHOW(bind(internet, (struct sockaddr*)&inet, sizeof(inet)));
  SHOW(bind(internet, (struct sockaddr*)&inet, sizeof(inet)));
  SHOW(bind(internet, (struct sockaddr*)&inet, 8));
  SHOW(listen(internet, 5));
  socklen_t size = sizeof(inet);
  SHOW(getsockname(internet, (struct sockaddr*)&inet, &size));
  say("family %d, size %u, port %d", inet.sin_family, size, inet.sin_port != 0);
  const int caller = socket(AF_INET, SOCK_STREAM, 0);
  SHOW(connect(caller, (struct sockaddr*)&inet, 8));
  SHOW(connect(caller, (struct sockaddr*)&inet, sizeof(inet)));
  SHOW(connect(caller, (struct sockaddr*)&inet, sizeof(inet)));
  const int waiting = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  SHOW(connect(waiting, (struct sockaddr*)&inet, sizeof(inet)) == 0 || errno == EINPROGRESS ? 0
                                                                                            : -1);
  struct pollfd state = {waiting, POLLOUT, 0};
  SHOW(poll(&state, 1, 1000));
  close(internet);
  const int refused = socket(AF_INET, SOCK_STREAM, 0);
  SHOW(connect(refused, (struct sockaddr*)&inet, sizeof(inet)));
  const int datagram = socket(AF_INET, SOCK_DGRAM, 0);
  SHOW(connect(datagram, (struct sockaddr*)&inet, sizeof(inet)));
  inet.sin_family = AF_UNSPEC;
  SHOW(connect(datagram, (struct sockaddr*)&inet, sizeof(inet)));
  about("queue is full");
  fd = socket(AF_UNIX, SOCK_STREAM, 0);
  SHOW(bind_to(fd, "queue"));
  SHOW(listen(fd, 0));
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "queue"));
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), "queue"));
  in_child(wait_in_queue);
  about("renamed");
  fd = socket(AF_UNIX, SOCK_STREAM, 0);
  SHOW(bind_to(fd, "before"));
  SHOW(listen(fd, 5));
  SHOW(rename("before", "after"));
  SHOW(link("after", "linked"));
  SHOW(chmod("after", 0600));
  show_node("after");
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "after"));
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "linked"));
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "before"));
  SHOW(chmod("after", 0));
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "after"));
  SHOW(open("after", O_RDWR));
  SHOW(open("after", O_PATH) >= 0);
  show_name("server", fd, getsockname);
  about("relative to a moved directory");
  SHOW(chdir("directory"));
  fd = socket(AF_UNIX, SOCK_STREAM, 0);
  SHOW(bind_to(fd, "here"));
  SHOW(listen(fd, 5));
  SHOW(rename("../directory", "../moved"));
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "here"));
  SHOW(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "../moved/here"));
  SHOW(chdir(".."));
}

void sharing(void) { pass_descriptor(); }
