// Line 19: a socket of the host in a directory that is moved away, so that another can be put at its address. Whatever the name by which it was
// bound, and from whichever network namespace, the directory is looked through before it is moved.
// says: refused rename ${CWD}/[a-z]*: holds a socket of the host
// outsider:
// optional: namespace making a network namespace needs a privilege
#include <sched.h>

#include "unix.h"

static int listens_in(const char* directory, const char* name) {
  const int here = open(".", O_RDONLY | O_DIRECTORY);
  const int fd = chdir(directory) == 0 ? listens(name, SOCK_STREAM) : -1;
  return fchdir(here) == 0 ? fd : -1;
}

static int outside(void) {
  mkdir("relative", 0700);
  mkdir("linked", 0700);
  mkdir("moved", 0700);
  mkdir("deep", 0700);
  mkdir("deep/a", 0700);
  mkdir("deep/a/b", 0700);
  mkdir("exchanged", 0700);
  mkdir("namespace", 0700);
  if (listens_in("relative", "s") < 0 || symlink("linked", "link") != 0 ||
      listens("link/s", SOCK_STREAM) < 0 || listens("first", SOCK_STREAM) < 0 ||
      rename("first", "moved/s") != 0 || listens_in("deep/a/b", "./s") < 0 ||
      listens_in("exchanged", "s") < 0) {
    return 1;
  }
  const pid_t other = fork();
  if (other == 0) {
    if (unshare(CLONE_NEWNET) != 0 || listens("namespace/s", SOCK_STREAM) < 0) {
      _exit(1);
    }
    wait_for_end();
  }
  pause_ms(100);
  READY("%s", waitpid(other, NULL, WNOHANG) == 0 ? "namespaces" : "none");
  wait_for_end();
}

static long takes_the_place(const char* directory, const char* away) {
  if (rename(directory, away) != 0 || mkdir(directory, 0700) != 0) {
    return -1;
  }
  return listens(text("%s/s", directory), SOCK_STREAM);
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    return outside();
  }
  TRY("relative", takes_the_place("relative", "away1"));
  TRY("through-a-link", takes_the_place("linked", "away2"));
  TRY("renamed-since", takes_the_place("moved", "away3"));
  TRY("far-below", rename("deep", "away4"));
  TRY("exchanged", (mkdir("other", 0700), exchanges("exchanged", "other")));
  if (count > 1 && strcmp(words[1], "namespaces") == 0) {
    TRY("namespace", takes_the_place("namespace", "away5"));
  } else {
    SKIP("namespace", "making a network namespace needs a privilege");
  }
  require(mkdir("own", 0700) < 0 || listens("own/s", SOCK_STREAM) < 0 ? -1 : rename("own", "own2"),
          "moving a directory with a socket of our own");
  require(mkdir("stale", 0700) < 0 || close(listens("stale/s", SOCK_STREAM)) < 0
              ? -1
              : rename("stale", "stale2"),
          "moving a directory with a socket to which nobody is bound");
  return 0;
}
