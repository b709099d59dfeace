// Line 11: descriptors that the launching shell left open, and one that comes over a socket. Files
// above 2 that may not be opened are closed before the program starts; what remains gives what it
// gave.
// launch: exec 3<.env 4<"${HOME}/.ssh/id_test" 5<>.env 6>>"${HOME}/notes" 7<sub/deep 8<"${HOME}/.ssh" 9<..
// outsider:
// refused: read-again ENOENT it was closed
// refused: read* EBADF it was closed
// refused: write* EBADF,EINVAL it was closed
// refused: map* EBADF it was closed
// refused: directory-home EBADF it was closed
#include "unix.h"

static long maps(int fd) {
  const char* bytes = mmap(NULL, 64, PROT_READ, MAP_PRIVATE, fd, 0);
  return bytes == MAP_FAILED ? -1 : has_secret(bytes, 64);
}

static long truncates(int fd) { return ftruncate(fd, 0); }

/* A message of one byte, with room for a descriptor. */
struct parcel {
  char byte;
  struct iovec piece;
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
};
static struct msghdr* wrap(struct parcel* parcel) {
  memset(parcel, 0, sizeof *parcel);
  parcel->byte = 'x';
  parcel->piece = (struct iovec){&parcel->byte, 1};
  parcel->message = (struct msghdr){.msg_iov = &parcel->piece,
                                    .msg_iovlen = 1,
                                    .msg_control = &parcel->control,
                                    .msg_controllen = sizeof parcel->control};
  return &parcel->message;
}

static long sends(int socket_fd, int fd) {
  struct parcel parcel;
  const struct msghdr* const message = wrap(&parcel);
  parcel.control.header.cmsg_level = SOL_SOCKET;
  parcel.control.header.cmsg_type = SCM_RIGHTS;
  parcel.control.header.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&parcel.control.header), &fd, sizeof fd);
  return sendmsg(socket_fd, message, 0);
}

static int receives(int socket_fd) {
  struct parcel parcel;
  struct msghdr* const message = wrap(&parcel);
  if (recvmsg(socket_fd, message, 0) < 0 || message->msg_controllen < CMSG_LEN(sizeof(int))) {
    return -1;
  }
  int fd = -1;
  memcpy(&fd, CMSG_DATA(&parcel.control.header), sizeof fd);
  return fd;
}

static int outside(void) {
  const int server = listening("giver.sock", SOCK_STREAM);
  printf("ready\n");
  fflush(stdout);
  for (;;) {
    const int client = accept(server, NULL, NULL);
    const int secret = open(".env", O_RDONLY);
    if (client < 0 || secret < 0 || sends(client, secret) < 0) {
      return 1;
    }
    close(secret);
    close(client);
  }
}

static long asks(const char* name) {
  struct sockaddr_un address;
  const socklen_t size = fill_address(&address, name);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr*)&address, size) != 0) {
    return -1;
  }
  return steals_from(receives(fd));
}

/* A descriptor without rights, passed from a child, where it has another number and another owner. */
static long passes(const char* name) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    return -1;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    _exit(sends(ends[1], open(name, O_PATH)) < 0 ? 1 : 0);
  }
  const int fd = receives(ends[0]);
  waitpid(pid, NULL, 0);
  return fd < 0 ? -1 : steals(text("/proc/self/fd/%d", fd));
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    return outside();
  }
  TRY("map", maps(3));
  TRY("map-both", maps(5));
  TRY("read-again", steals("/proc/self/fd/4"));
  TRY("read", steals_from(dup(3)));
  TRY("read-home", steals_from(dup(4)));
  TRY("read-both", steals_from(dup(5)));
  TRY("write", write(6, "planted\n", 8));
  TRY("directory", steals_at(7, ".env"));
  TRY("directory-home", steals_at(8, "id_test"));
  TRY("directory-above", steals_at(9, "home/.aws/credentials"));
  TRY("directory-write", unlinkat(9, "home/notes", 0));
  TRY("received", asks("giver.sock"));
  TRY("received-path", asks(text("/proc/self/fd/%d", open("giver.sock", O_PATH))));
  TRY("passed", passes("sub/deep/.env"));
  TRY("write-truncate", truncates(5));
  return 0;
}
