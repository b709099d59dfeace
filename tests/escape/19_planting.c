// Line 19: putting something else where a denied file is or would be. Nothing may be created,
// renamed or linked at a denied name, and only a directory may stand where a denied path goes on
// (R6).
// setup: mkdir -p empty; echo harmless >ours; mkdir ready; echo planted >ready/config; mkdir ready/hooks
// settle: for name in .git .mcp.json sub/.env .aws; do test ! -e $name && test ! -L $name; done
// says: refused rename ${CWD}/ours
// says: refused create ${CWD}/\.git
// refused: *socket EADDRINUSE,EEXIST something is there, which stat tells as well
// refused: * EEXIST something is there, which stat tells as well
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.h"

static long binds(const char* name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  // The name may be longer than an address, the way to it is not.
  const char* const slash = strrchr(name, '/');
  char directory[512] = ".";
  if (slash) {
    snprintf(directory, sizeof directory, "%.*s", (int)(slash - name), name);
  }
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s",
           open(directory, O_PATH), slash ? slash + 1 : name);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return bind(fd, (struct sockaddr*)&address, sizeof address);
}

static long renames(const char* to) {
  plants("ours");
  return rename("ours", to);
}

static long links(const char* to) {
  plants("ours");
  return link("ours", to);
}

static long exchanges_with(const char* to) {
  plants("ours");
  return exchanges("ours", to);
}

/* Where nothing is yet. */
static void plant(const char* what, const char* name) {
  TRY(text("%s:create", what), plants(name));
  unlink(name);
  TRY(text("%s:rename", what), renames(name));
  unlink(name);
  TRY(text("%s:link", what), links(name));
  unlink(name);
  TRY(text("%s:symlink", what), symlink("ours", name));
  unlink(name);
  TRY(text("%s:symlinkat", what), symlinkat("empty", AT_FDCWD, name));
  unlink(name);
  TRY(text("%s:fifo", what), mkfifo(name, 0644));
  unlink(name);
  TRY(text("%s:node", what), mknod(name, S_IFREG | 0644, 0));
  unlink(name);
  TRY(text("%s:socket", what), binds(name));
  unlink(name);
}

/* Where something is. */
static void replace(const char* what, const char* name) {
  TRY(text("%s:rename", what), renames(name));
  TRY(text("%s:exchange", what), exchanges_with(name));
  TRY(text("%s:unlink-link", what), (unlink(name), links(name)));
  TRY(text("%s:unlink-symlink", what), (unlink(name), symlink("ours", name)));
  TRY(text("%s:unlink-fifo", what), (unlink(name), mkfifo(name, 0644)));
  TRY(text("%s:unlink-socket", what), (unlink(name), binds(name)));
  unlink(name);
}

int main(void) {
  begin();
  plant("git", ".git");
  plant("settings", ".mcp.json");
  plant("env", "sub/.env");
  plant("aws", ".aws");
  plant("bashrc", home(".bashrc"));
  plant("config", home(".config"));
  replace("there-env", ".env");
  replace("there-deep", "sub/deep/.env");
  replace("there-key", home(".ssh/id_test"));
  replace("there-home", home("notes"));
  TRY("git:directory", rename("ready", ".git"));
  return 0;
}
