// Line 19: another socket in the place of one that a program outside listens on, so that its
// clients talk to the sandbox: a server of terminals, of keys or of data. The place is writable,
// but a socket to which somebody outside is bound is not removed, replaced or moved, and a
// directory is not moved if by its name such a socket lies beneath.
// says: refused remove ${CWD}/a\.sock: is a socket of the host
// says: refused rename ${CWD}/dir: holds a socket of the host
// outsider:
#include "unix.h"

static int outside(void) {
  char here[92];  // an address is short, so the names are relative where the place is not
  static const char* const names[] = {"a.sock", "b.sock", "c.sock", "e.sock", "f.sock"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (listens(names[i], SOCK_STREAM) < 0) {
      return 1;
    }
  }
  mkdir("dir", 0700);
  mkdir("up", 0700);
  mkdir("up/dir", 0700);
  if (!getcwd(here, sizeof here) || listens(text("%s/dir/d.sock", here), SOCK_STREAM) < 0 ||
      listens(text("%s/up/dir/u.sock", here), SOCK_STREAM) < 0 ||
      close(listens("stale.sock", SOCK_STREAM)) != 0) {
    return 1;
  }
  READY("");
  wait_for_end();
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    return outside();
  }
  TRY("unlink", unlink("a.sock") < 0 ? -1 : listens("a.sock", SOCK_STREAM));
  TRY("rename-onto", listens("mine.sock", SOCK_STREAM) < 0 ? -1 : rename("mine.sock", "b.sock"));
  TRY("exchange", listens("own.sock", SOCK_STREAM) < 0 ? -1 : exchanges("own.sock", "c.sock"));
  TRY("rename-file-onto", plants("file") < 0 ? -1 : rename("file", "e.sock"));
  TRY("away", rename("f.sock", "g.sock"));
  rename("g.sock", "f.sock");
  TRY("directory-away", rename("dir", "gone") < 0 || mkdir("dir", 0700) < 0
                            ? -1
                            : listens("dir/d.sock", SOCK_STREAM));
  TRY("chmod", chmod("f.sock", 0777));
  TRY("chmod-path", chmod(text("/proc/self/fd/%d", open("f.sock", O_PATH)), 0777));
  TRY("chown", chown("f.sock", getuid(), getgid()));
  require(listens("other.sock", SOCK_STREAM) < 0 ? -1 : chmod("other.sock", 0600),
          "changing the mode of a socket of our own");
  TRY("directory-above", rename("up", "gone2"));
  require(unlink("stale.sock"), "removing a socket that nobody is bound to any more");
  require(listens("ours.sock", SOCK_STREAM) < 0 ? -1 : unlink("ours.sock"),
          "removing a socket of our own");
  return 0;
}
