// Line 42 (and 41 for name services): unix sockets of the host. The broker connects on a duplicate of the caller's socket, and only to
// what the tree itself bound: by object for a path, by name and by the peer's process for an abstract name. Datagram sockets, whose every
// message could name another peer, are refused in the filter.
//
// outsider:
// limit: 30
// says: refused connect to .*/agent\.sock: no rule allows it
// refused: stream-message* EOPNOTSUPP,EISCONN,ENOTCONN,EPIPE,EINVAL a stream socket takes no address
// refused: sequence-message ENOTCONN,EDESTADDRREQ a socket of sequenced packets takes no address
// refused: *long-name* ECONNREFUSED
// refused: race:* EADDRINUSE,ENOENT,ENFILE,EAGAIN what the other process was doing when the last try ended
#include <poll.h>

#include "unix.h"

static const char* abstract;
static const char* const kStreams[] = {"agent.sock", "docker.sock", "bus",  "S.gpg-agent",
                                       "X0",         "tmux",        "nscd", "resolve"};
static const char* const kDatagrams[] = {"journal", "log", "notify"};
enum {
  STREAMS = sizeof kStreams / sizeof kStreams[0],
  DATAGRAMS = sizeof kDatagrams / sizeof kDatagrams[0]
};

// Every service of the host in one: whatever arrives is a breach.
static _Noreturn void outside(void) {
  struct pollfd services[STREAMS + DATAGRAMS + 4];
  int count = 0;
  mkdir("run", 0755);
  for (int i = 0; i < STREAMS; ++i) {
    services[count++].fd = listening(text("run/%s", kStreams[i]), SOCK_STREAM);
  }
  services[count++].fd = listening("host.sock", SOCK_STREAM);
  services[count++].fd = listening("packets", SOCK_SEQPACKET);
  for (int i = 0; i < DATAGRAMS; ++i) {
    services[count++].fd = listening(text("run/%s", kDatagrams[i]), SOCK_DGRAM);
  }
  abstract = strdup(text("@escape-%d", (int)getpid()));
  services[count++].fd = listening(abstract, SOCK_STREAM);
  services[count++].fd = listening(text("%s-datagrams", abstract), SOCK_DGRAM);
  printf("ready %s\n", abstract + 1);
  fflush(stdout);
  for (;;) {
    for (int i = 0; i < count; ++i) {
      services[i].events = POLLIN;
    }
    poll(services, (nfds_t)count, -1);
    for (int i = 0; i < count; ++i) {
      if (services[i].revents == 0) {
        continue;
      }
      char byte = 0;
      const int fd = accept(services[i].fd, NULL, NULL);
      if (fd < 0) {
        (void)!recv(services[i].fd, &byte, 1, MSG_DONTWAIT);
      }
      close(fd);
      printf("BREACH service %d was reached\n", i);
      fflush(stdout);
    }
  }
}

static long connects_without_waiting(const char* name) {
  return connects_as(SOCK_STREAM | SOCK_NONBLOCK, name);
}

// The name fills the address to its last byte, without a NUL.
static long connects_unterminated(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char* const tail = "host.sock";
  memset(address.sun_path, '/', sizeof address.sun_path);
  memcpy(address.sun_path, "./", 2);
  memcpy(address.sun_path + sizeof address.sun_path - strlen(tail), tail, strlen(tail));
  address.sun_path[0] = '.';
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return with(fd, connect(fd, (struct sockaddr*)&address, sizeof address));
}
static long sends_as(int type, const char* name) {
  struct sockaddr_un address;
  const socklen_t size = fill_address(&address, name);
  const int fd = socket(AF_UNIX, type, 0);
  return fd < 0 ? -1 : with(fd, sendto(fd, "x", 1, MSG_NOSIGNAL, (struct sockaddr*)&address, size));
}
static long sends_message_as(int type, const char* name) {
  struct sockaddr_un address;
  struct iovec part = {"x", 1};
  struct mmsghdr message = {.msg_hdr = {.msg_name = &address,
                                        .msg_namelen = fill_address(&address, name),
                                        .msg_iov = &part,
                                        .msg_iovlen = 1}};
  const int fd = socket(AF_UNIX, type, 0);
  return fd < 0 ? -1 : with(fd, sendmmsg(fd, &message, 1, MSG_NOSIGNAL));
}
// One end of a pair that sends elsewhere.
static long pair_sends(int type, const char* name) {
  struct sockaddr_un address;
  const socklen_t size = fill_address(&address, name);
  int ends[2];
  if (socketpair(AF_UNIX, type, 0, ends) != 0) {
    return -1;
  }
  const long result = sendto(ends[0], "x", 1, MSG_NOSIGNAL, (struct sockaddr*)&address, size);
  const int error = errno;
  char byte = 0;
  const int came_back = recv(ends[1], &byte, 1, MSG_DONTWAIT) == 1;
  close(ends[0]);
  close(ends[1]);
  errno = came_back ? ENOTCONN : error;
  return came_back ? -1 : result;
}
// A name of the host's service as a hard link, so that it has another path.
static long connects_linked(void) {
  return link("host.sock", "again") == 0 ? connects("again") : connects("host.sock");
}
static long connects_renamed(void) {
  const long moved = rename("run/tmux", "mine.sock");
  const long result = connects(moved == 0 ? "mine.sock" : "run/tmux");
  return result;
}
static long connects_over_bound(void) {
  // The name of a socket of ours comes to mean one of the host.
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address;
  const socklen_t size = fill_address(&address, "ours");
  if (bind(fd, (struct sockaddr*)&address, size) != 0 || rename("host.sock", "ours") != 0) {
    return with(fd, -1);
  }
  const long result = connects("ours");
  (void)!rename("ours", "host.sock");
  return with(fd, result);
}
static long exchanged(void) {
  writes("mine", "mine");
  const long result = exchanges("mine", "host.sock");
  if (result == 0) {
    exchanges("mine", "host.sock");
  }
  return result;
}
static long exchanged_back(void) {
  writes("mine", "mine");
  const long result = exchanges("host.sock", "mine");
  if (result == 0) {
    exchanges("host.sock", "mine");
  }
  return result;
}
static long moved(void) {
  const long result = rename("host.sock", "elsewhere");
  if (result == 0) {
    (void)!rename("elsewhere", "host.sock");
  }
  return result;
}
// What was connected is disconnected, and connected elsewhere.
static long connects_twice(const char* name) {
  struct sockaddr_un address;
  const int server = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  socklen_t size = fill_address(&address, "twice");
  if (bind(server, (struct sockaddr*)&address, size) != 0 || listen(server, 4) != 0) {
    return with(server, -1);
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  (void)!connect(fd, &nobody, sizeof nobody);
  size = fill_address(&address, name);
  const long result = connect(fd, (struct sockaddr*)&address, size);
  const int error = errno;
  close(server);
  unlink("twice");
  errno = error;
  return with(fd, result);
}
// The number of the host's socket, from before anything was moved.
static ino_t host_number;

// Our own socket goes; the host's goes back, if it is the one that stands there by now.
static void clears(const char* name) {
  struct stat info;
  if (rename(name, "aside.sock") != 0 || stat("aside.sock", &info) != 0) {
    return;
  }
  if (info.st_ino == host_number) {
    (void)!rename("aside.sock", "host.sock");
  } else {
    unlink("aside.sock");
  }
}

// A socket of the host and a name that we bind again and again change places all the time.
static void swaps(void) {
  (void)!rename("host.sock", "x.sock");
  if (!exists("host.sock")) {
    (void)!rename("x.sock", "host.sock");
  }
}
static long reaches_swapped(void) {
  struct sockaddr_un address;
  socklen_t size = fill_address(&address, "x.sock");
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  (void)!bind(server, (struct sockaddr*)&address, size);
  close(server);
  static const char* const kNames[] = {"x.sock", "host.sock"};
  for (int i = 0; i < 2; ++i) {
    if (connects(kNames[i]) == 0) {
      return 0;
    }
  }
  const int error = errno;
  if (exists("x.sock") && exists("host.sock")) {
    clears("x.sock");
  }
  errno = error;
  return -1;
}
static long races_names(void) {
  struct stat info;
  host_number = stat("host.sock", &info) == 0 ? info.st_ino : 0;
  return wins_race(reaches_swapped, swaps, RACER_PROCESS, 100000, 1000);
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    outside();
  }
  begin();
  signal(SIGPIPE, SIG_IGN);
  char here[2048];
  if (!getcwd(here, sizeof here) || count < 2) {
    return 1;
  }
  abstract = strdup(text("@%s", words[1]));
  for (int i = 0; i < STREAMS; ++i) {
    TRY(text("stream:%s", kStreams[i]), connects(text("run/%s", kStreams[i])));
  }
  for (int i = 0; i < DATAGRAMS; ++i) {
    TRY(text("datagram:%s", kDatagrams[i]), sends_as(SOCK_DGRAM, text("run/%s", kDatagrams[i])));
  }
  TRY("datagram-connected", connects_as(SOCK_DGRAM, "run/journal"));
  TRY("datagram-raw", sends_as(SOCK_RAW, "run/journal"));
  TRY("datagram-message", sends_message_as(SOCK_DGRAM, "run/journal"));
  TRY("datagram-pair", pair_sends(SOCK_DGRAM, "run/journal"));
  TRY("datagram-raw-pair", pair_sends(SOCK_RAW, "run/journal"));
  TRY("datagram-abstract", sends_as(SOCK_DGRAM, text("%s-datagrams", abstract)));
  TRY("packets", connects_as(SOCK_SEQPACKET, "packets"));
  TRY("abstract", connects(abstract));
  TRY("abstract-without-waiting", connects_without_waiting(abstract));
  TRY("without-waiting", connects_without_waiting("host.sock"));
  TRY("absolute", strlen(here) > 90 ? connects("host.sock") : connects(text("%s/host.sock", here)));
  TRY("dots", connects("run/../host.sock"));
  TRY("descriptor", connects(text("/proc/self/fd/%d", open("host.sock", O_PATH))));
  TRY("proc-cwd", connects("/proc/self/cwd/host.sock"));
  TRY("folder-descriptor",
      connects(text("/proc/self/fd/%d/host.sock", open(".", O_PATH | O_DIRECTORY))));
  TRY("symlink", symlink("host.sock", "way") == 0 ? connects("way") : -1);
  TRY("folder-symlink", symlink("run", "walk") == 0 ? connects("walk/agent.sock") : -1);
  TRY("unterminated", connects_unterminated());
  TRY("hard-link", connects_linked());
  TRY("twice", connects_twice("host.sock"));
  TRY("moved", moved());
  TRY("exchanged", exchanged());
  TRY("exchanged-back", exchanged_back());
  TRY("over-bound", connects_over_bound());
  TRY("renamed", connects_renamed());
  TRY("race:names", races_names());
  return 0;
}
