// Line 21: a `.git` file that points to somebody else's repository. It counts only if that points
// back (L2), so the project cannot claim a repository outside it.
// setup: rm -rf "$TOP/other"; mkdir -p "$TOP/other"; git init -q "$TOP/other"; mkdir -p "$TOP/other/.git/worktrees/w"
// setup: echo "gitdir: $TOP/other/.git/worktrees/w" >.git
// settle: test ! -e "$TOP/other/.git/worktrees/w/HEAD" && test ! -e "$TOP/other/.git/hooks/post-commit"
// needs: git
#include "attack.h"

int main(void) {
  begin();
  const char* const other = "../other/.git";
  TRY("worktree", plants(text("%s/worktrees/w/HEAD", other)));
  TRY("refs", plants(text("%s/refs/heads/main", other)));
  TRY("hooks", plants(text("%s/hooks/post-commit", other)));
  TRY("config", plants(text("%s/config", other)));
  TRY("commondir", plants(text("%s/worktrees/w/commondir", other)));
  TRY("gitdir", plants(text("%s/worktrees/w/gitdir", other)));
  TRY("description", plants(text("%s/description", other)));
  TRY("pointer", writes(".git", "gitdir: elsewhere\n"));
  return 0;
}
