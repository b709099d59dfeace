/* One kind of call over and over, with the runner measuring the broker after a tenth of it and at
 * the end.
 *
 *   loops opens COUNT SECRET      open FILE in the working directory; SECRET now and then, which
 * must be refused loops names COUNT             create, rename, remove loops programs COUNT fork,
 * and start this program again in the child loops sockets COUNT           bind a path, listen,
 * connect, accept, remove loops abstract COUNT          the same with abstract names, each used
 * once loops exit                    nothing: what `programs` starts
 */
#include "need.h"

static void open_once(long turn, const char* secret) {
  const int fd = open("file", O_RDONLY | O_CLOEXEC);
  NEED(fd >= 0, "open");
  close(fd);
  if (turn % 64 == 0) {
    NEED(open(secret, O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES, "the secret opened");
  }
}

static void name_once(void) {
  const int fd = open("made", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  NEED(fd >= 0, "create");
  close(fd);
  NEED(rename("made", "moved") == 0, "rename");
  NEED(unlink("moved") == 0, "unlink");
}

static void program_once(const char* self) {
  const pid_t pid = vfork();
  if (pid == 0) {
    execl(self, self, "exit", NULL);
    _exit(125);
  }
  NEED(pid > 0 && await(pid) == 0, "exec");
}

static void meet(const struct sockaddr_un* address, socklen_t length) {
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  NEED(server >= 0 && client >= 0, "socket");
  NEED(bind(server, (const struct sockaddr*)address, length) == 0, "bind");
  NEED(listen(server, 1) == 0, "listen");
  NEED(connect(client, (const struct sockaddr*)address, length) == 0, "connect");
  const int met = accept(server, NULL, NULL);
  NEED(met >= 0, "accept");
  close(met);
  close(client);
  close(server);
}

static void path_socket_once(void) {
  const struct sockaddr_un address = unix_address("socket");
  meet(&address, sizeof address);
  NEED(unlink("socket") == 0, "unlink");
}

static void abstract_socket_once(long turn) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "pmg-loop-%d-%ld",
                              getpid(), turn);
  meet(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
}

int main(int argc, char** argv) {
  const char* const kind = argc > 1 ? argv[1] : "";
  if (strcmp(kind, "exit") == 0) {
    return 0;
  }
  NEED(argc > 2, "usage: loops KIND COUNT [SECRET]");
  const long count = number(argv[2]);
  for (long turn = 0; turn < count; ++turn) {
    if (turn == count / 10) {
      checkpoint("warm");
    }
    if (strcmp(kind, "opens") == 0) {
      open_once(turn, argv[3]);
    } else if (strcmp(kind, "names") == 0) {
      name_once();
    } else if (strcmp(kind, "programs") == 0) {
      program_once(argv[0]);
    } else if (strcmp(kind, "sockets") == 0) {
      path_socket_once();
    } else if (strcmp(kind, "abstract") == 0) {
      abstract_socket_once(turn);
    } else {
      NEED(0, kind);
    }
  }
  checkpoint("done");
  return 0;
}
