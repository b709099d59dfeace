// Line 21: hooks where there is no repository yet. Nothing may be made at `.git/hooks` or
// `.git/config`, and no file or link where `.git` would be (H1, R6). A gap is documented
// (docs/ENFORCEMENT.md, Git).
// settle: test ! -e .git/hooks && test ! -e .git/config && test ! -f .git && test ! -L .git
// says: refused create ${CWD}/\.git/hooks
// refused: plant ENOENT the directory could not be made
// gap: bare-* a directory laid out as a bare repository is not recognised; set safe.bareRepository=explicit
// setup: mkdir -p evil/hooks; printf '[core]\n\tfsmonitor = ./evil\n' >evil/config
#include "attack.h"

/* Tries one thing, and takes away what became of it. */
static long then_remove(long result, const char* path) {
  const int error = errno;
  unlink(path);
  rmdir(path);
  return with_error(error, result);
}

int main(void) {
  begin();
  mkdir(".git", 0755);
  TRY("mkdir", then_remove(mkdir(".git/hooks", 0755), ".git/hooks"));
  TRY("symlink", then_remove(symlink("../evil/hooks", ".git/hooks"), ".git/hooks"));
  TRY("rename", rename("evil/hooks", ".git/hooks"));
  rename(".git/hooks", "evil/hooks");
  mkdir(".git/hooks", 0755);
  TRY("plant", then_remove(plants(".git/hooks/pre-commit"), ".git/hooks/pre-commit"));
  rmdir(".git/hooks");
  TRY("config", then_remove(plants(".git/config"), ".git/config"));
  TRY("config-link", then_remove(link("evil/config", ".git/config"), ".git/config"));
  TRY("config-symlink", then_remove(symlink("../evil/config", ".git/config"), ".git/config"));
  TRY("config-rename", rename("evil/config", ".git/config"));
  rename(".git/config", "evil/config");
  TRY("config-worktree", then_remove(plants(".git/config.worktree"), ".git/config.worktree"));
  TRY("commondir", then_remove(writes(".git/commondir", "../evil\n"), ".git/commondir"));
  mkdir(".git/modules", 0755);
  mkdir(".git/modules/x", 0755);
  TRY("module-hooks", then_remove(mkdir(".git/modules/x/hooks", 0755), ".git/modules/x/hooks"));
  TRY("module-config", then_remove(plants(".git/modules/x/config"), ".git/modules/x/config"));
  mkdir(".git/modules/x/y", 0755);
  TRY("deep-module-config",
      then_remove(plants(".git/modules/x/y/config"), ".git/modules/x/y/config"));
  TRY("module-symlink", then_remove(symlink("../../evil", ".git/modules/z"), ".git/modules/z"));
  mkdir(".git/worktrees", 0755);
  mkdir(".git/worktrees/w", 0755);
  TRY("worktree-commondir",
      then_remove(plants(".git/worktrees/w/commondir"), ".git/worktrees/w/commondir"));
  rmdir(".git/worktrees/w");
  rmdir(".git/worktrees");
  rmdir(".git/modules/x/y");
  rmdir(".git/modules/x");
  rmdir(".git/modules");
  rmdir(".git");
  TRY("file", then_remove(writes(".git", "gitdir: evil\n"), ".git"));
  TRY("file-link",
      (writes("pointer", "gitdir: evil\n"), then_remove(link("pointer", ".git"), ".git")));
  TRY("file-rename", rename("pointer", ".git"));
  unlink(".git");
  TRY("directory-symlink", then_remove(symlink("evil", ".git"), ".git"));
  TRY("below", (mkdir("sub/.git", 0755), mkdir("sub/.git/hooks", 0755)));
  TRY("below-file",
      (rmdir("sub/.git/hooks"), rmdir("sub/.git"), writes("sub/.git", "gitdir: ../evil\n")));
  TRY("home", then_remove(mkdir(home(".git"), 0755), home(".git")));
  TRY("bare-hooks",
      (mkdir("bare", 0755), mkdir("bare/hooks", 0755), plants("bare/hooks/post-update")));
  TRY("bare-config", (plants("bare/HEAD"), mkdir("bare/objects", 0755), mkdir("bare/refs", 0755),
                      plants("bare/config")));
  return 0;
}
