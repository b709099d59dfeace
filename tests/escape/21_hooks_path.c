// Line 21: hooks that core.hooksPath puts elsewhere, and a file that the configuration includes.
// Both are found before the run and denied (H1).
// world: repository
// setup: mkdir my-hooks; printf '#!/bin/sh\n' >my-hooks/pre-commit; chmod 755 my-hooks/pre-commit
// setup: git config core.hooksPath my-hooks; git config include.path ../extra.config; echo '[user]' >extra.config
// settle: test ! -e my-hooks/post-commit && test ! -s .git/hooks/post-merge && grep -q '#!/bin/sh' my-hooks/pre-commit
// gap: rebase a made-up rebase may hold `exec` steps, which `git rebase --continue` outside would run
// says: refused write ${CWD}/my-hooks/pre-commit
#include "attack.h"

static long replaces(const char* target) {
  plants("new");
  return rename("new", target);
}

int main(void) {
  begin();
  TRY("change", plants("my-hooks/pre-commit"));
  TRY("add", plants("my-hooks/post-commit"));
  TRY("mode", chmod("my-hooks/pre-commit", 0777));
  TRY("replace", replaces("my-hooks/pre-commit"));
  TRY("link", link("readme", "my-hooks/post-merge"));
  TRY("symlink", symlink("../readme", "my-hooks/post-update"));
  TRY("unlink", unlink("my-hooks/pre-commit"));
  TRY("exchange", (mkdir("mine", 0755), exchanges("mine", "my-hooks")));
  exchanges("mine", "my-hooks");
  TRY("remove", rename("my-hooks", "gone"));
  rename("gone", "my-hooks");
  TRY("config", plants(".git/config"));
  TRY("hooks", plants(".git/hooks/post-merge"));
  TRY("hooks-mode", chmod(".git/hooks/pre-push", 0777));
  TRY("hooks-change", plants(".git/hooks/pre-push"));
  TRY("hooks-unlink", unlink(".git/hooks/pre-push"));
  TRY("rebase", mkdir(".git/rebase-merge", 0755) < 0
                    ? -1
                    : writes(".git/rebase-merge/git-rebase-todo", "exec ./evil\n"));
  TRY("included", plants("extra.config"));
  return 0;
}
