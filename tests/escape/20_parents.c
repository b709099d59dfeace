// Line 20: what is denied is reached by moving a directory above it: away, planted, back; or a
// prepared tree is put in its place. A directory moves only where the same rules hold beneath it
// (R6, R7).
// world: repository
// setup: mkdir -p evil/hooks node_modules/x/.git other; echo '[core]' >evil/config; echo '[core]' >node_modules/x/.git/config
// setup: echo EXAMPLE=1 >node_modules/x/.env
// setup: printf '#!/bin/sh\n' >evil/hooks/post-commit
// settle: test ! -e .git/hooks/post-commit && ! grep -q planted .git/config && test ! -e "$HOME/.config"
// refused: whiteout EINVAL not carried out, since it makes a device node
// says: refused rename ${CWD}/\.git
#include "attack.h"

/* Moves `from` to `to`, plants `name` there, and moves it back. */
static long moves_and_plants(const char* from, const char* to, const char* name) {
  if (rename(from, to) < 0) {
    return -1;
  }
  const long result = plants(name);
  const int error = errno;
  rename(to, from);
  return with_error(error, result);
}

static long swaps_and_plants(const char* from, const char* to, const char* name) {
  if (exchanges(from, to) < 0) {
    return -1;
  }
  const long result = plants(name);
  const int error = errno;
  exchanges(from, to);
  return with_error(error, result);
}

static long moves_by(int from, const char* name, int to, const char* new_name) {
  const long result = renameat(from, name, to, new_name);
  const int error = errno;
  renameat(to, new_name, from, name);
  return with_error(error, result);
}

static long replaces(const char* with, const char* target) {
  const long result = rename(with, target);
  const int error = errno;
  rename(target, with);
  return with_error(error, result);
}

/* Takes the directory apart, and builds another in its place. */
static long rebuilds(void) {
  if (unlink(".git/hooks/pre-push") != 0 && errno != ENOENT) {
    return -1;
  }
  return plants(".git/hooks/post-merge");
}

int main(void) {
  begin();
  const int here = open(".", O_PATH);
  require(opens("node_modules/x/.env", O_RDONLY), "reading an .env of package content, C1");
  TRY("away", moves_and_plants(".git", "g", "g/hooks/post-commit"));
  TRY("away-config", moves_and_plants(".git", "g", "g/config"));
  TRY("away-tmp", moves_and_plants(".git", text("%s/g", getenv("TMPDIR")),
                                   text("%s/g/hooks/post-commit", getenv("TMPDIR"))));
  TRY("away-package", moves_and_plants(".git", "node_modules/g", "node_modules/g/hooks/x"));
  TRY("away-package-git",
      moves_and_plants(".git", "node_modules/.git", "node_modules/.git/hooks/x"));
  TRY("away-slash", moves_and_plants(".git/", "g/", "g/hooks/post-commit"));
  TRY("away-renameat", moves_by(here, ".git", here, "g"));
  TRY("away-renameat2", syscall(SYS_renameat2, here, ".git", here, "g", RENAME_NOREPLACE));
  syscall(SYS_renameat2, here, "g", here, ".git", 0);
  TRY("hooks-away", moves_and_plants(".git/hooks", ".git/h", ".git/h/post-commit"));
  TRY("hooks-up", moves_and_plants(".git/hooks", "h", "h/post-commit"));
  TRY("exchange", swaps_and_plants(".git", "other", "other/hooks/post-commit"));
  TRY("exchange-hooks", swaps_and_plants(".git/hooks", "other", "other/post-commit"));
  TRY("exchange-config", exchanges("evil/config", ".git/config"));
  exchanges("evil/config", ".git/config");
  TRY("prepared", (rename(".git", "g"), replaces("evil", ".git")));
  rename("g", ".git");
  TRY("prepared-exchange", exchanges("evil", ".git"));
  exchanges("evil", ".git");
  TRY("prepared-hooks", (rename(".git/hooks", "h"), replaces("evil/hooks", ".git/hooks")));
  rename("h", ".git/hooks");
  TRY("prepared-package", (rename(".git", "g"), replaces("node_modules/x/.git", ".git")));
  rename("g", ".git");
  TRY("prepared-elsewhere", replaces("evil", "other/.git"));
  TRY("prepared-package-elsewhere", replaces("node_modules/x/.git", "other/.git"));
  TRY("prepared-parent", (mkdir("up", 0755), rename("node_modules/x", "up/x")));
  rename("up/x", "node_modules/x");
  TRY("whiteout",
      syscall(SYS_renameat2, AT_FDCWD, ".git/config", AT_FDCWD, "config", RENAME_WHITEOUT));
  rename("config", ".git/config");
  TRY("rebuilt", rebuilds());
  TRY("grandparent", moves_and_plants("../project", "../p", "../p/.git/hooks/post-commit"));
  TRY("home", moves_and_plants(getenv("HOME"), text("%s.old", getenv("HOME")),
                               text("%s.old/.bashrc", getenv("HOME"))));
  TRY("configuration-symlink", symlink(text("%s/evil", getenv("TMPDIR")), home(".config")));
  unlink(home(".config"));
  TRY("configuration-renamed", rename("evil", home(".config")));
  return 0;
}
