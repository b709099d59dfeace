#!/bin/sh
# Line 21: hooks of a linked worktree, where `.git` is a file and the repository lies outside the
# project. The linked directory is writable, less its hooks and configuration (S1).
# setup: rm -rf "$TOP/main" "$TOP/work"; git init -q "$TOP/main"; cd "$TOP/main"
# setup: git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a; git worktree add -q "$TOP/work"
# setup: mv "$TOP/work/.git" "$TOP/project/.git"; cd "$TOP/project"; git worktree repair >/dev/null 2>&1
# setup: printf '#!/bin/sh\n' >"$TOP/main/.git/hooks/pre-push"; cp "$TOP/main/.git/config" "$TOP/config.was"; cp .git "$TOP/git.was"
# settle: cmp .git "$TOP/git.was" && cmp "$TOP/main/.git/config" "$TOP/config.was" && test "$(ls -A "$TOP/main/.git/hooks" | grep -vc sample)" = 1
# needs: git
. "$(dirname "$0")/attack.sh"
main=$(cd .. && pwd)/main/.git
tree=$main/worktrees/work

rename_onto() { plant "$TMPDIR/ours" && mv -f "$TMPDIR/ours" "$1"; }
rename_project() { plant ours && mv -f ours "$1"; }
away() { mv "$1" "$1.away" && plant "$1.away/post-commit"; mv "$1.away" "$1"; }

git status --short >/dev/null || { echo "git does not work in the worktree"; exit 4; }
try hook plant "$main/hooks/post-commit"
try hook-change plant "$main/hooks/pre-push"
try hook-rename rename_onto "$main/hooks/post-merge"
try hook-mode chmod 777 "$main/hooks/pre-push"
try hooks-away away "$main/hooks"
try hooks-link ln -s /tmp "$main/hooks/more"
try config plant "$main/config"
try config-git git config --file "$main/config" core.fsmonitor ./evil
try config-lock rename_onto "$main/config"
try config-worktree plant "$main/config.worktree"
try worktree-config plant "$tree/config.worktree"
try commondir plant "$tree/commondir"
try gitdir plant "$tree/gitdir"
try pointer plant .git
try pointer-rename rename_project .git
try pointer-unlink rm .git
try info-attributes plant "$main/info/attributes"
try main-hooks-elsewhere plant "$main/../hook"
