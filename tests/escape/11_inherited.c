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
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.h"

static long maps(int fd) {
  const char* bytes = mmap(NULL, 64, PROT_READ, MAP_PRIVATE, fd, 0);
  return bytes == MAP_FAILED ? -1 : has_secret(bytes, 64);
}

static long truncates(int fd) { return ftruncate(fd, 0); }

static int listener(const char* name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return fd < 0 || bind(fd, (struct sockaddr*)&address, sizeof address) != 0 || listen(fd, 8) != 0
             ? -1
             : fd;
}

static long sends(int socket_fd, int fd) {
  char byte = 'x';
  struct iovec piece = {&byte, 1};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr message = {.msg_iov = &piece,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
  return sendmsg(socket_fd, &message, 0);
}

static int receives(int socket_fd) {
  char byte = 0;
  struct iovec piece = {&byte, 1};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr message = {.msg_iov = &piece,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  if (recvmsg(socket_fd, &message, 0) < 0 || message.msg_controllen < CMSG_LEN(sizeof(int))) {
    return -1;
  }
  int fd = -1;
  memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
  return fd;
}

static int outside(void) {
  const int server = listener("giver.sock");
  if (server < 0) {
    return 1;
  }
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
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr*)&address, sizeof address) != 0) {
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
