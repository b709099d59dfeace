#!/bin/sh
# Line 22: `.git/config` in all the ways programs change it: git writes `config.lock` and renames
# it. The lock may be made, the rename onto a denied name may not.
# world: repository
# says: refused rename ${CWD}/\.git/config.lock
# says: refused write ${CWD}/\.git/config: deny_write
# needs: git sed dd
. "$(dirname "$0")/attack.sh"

lock_and_rename() { plant .git/config.lock && mv -f .git/config.lock .git/config; }
lock_and_link() { rm -f .git/config.lock && plant .git/config.lock && ln -f .git/config.lock .git/config; }
project_and_rename() { plant ours && mv -f ours .git/config; }
tmp_and_rename() { plant "$TMPDIR/ours" && mv -f "$TMPDIR/ours" .git/config; }
append() { printf '[core]\n' >>.git/config; }
remove_and_write() { rm -f .git/config && plant .git/config; }
symlink() { plant ours && ln -sf ../ours .git/config; }
copy() { plant ours && cp "$@" ours .git/config; }
overwrite() { printf x | dd of=.git/config conv=notrunc status=none; }
directory_away() { mv .git g && plant g/config && mv g .git; }

linked() { ln .git/config config && plant config; }

# What earlier tries left. Without the sandbox that is a changed configuration, which the next try needs whole.
mend() {
  rm -f .git/config.lock ours
  { rm -f .git/config && printf '[core]\n\trepositoryformatversion = 0\n' >.git/config; } 2>/dev/null
}

try lock lock_and_rename
mend
try lock-link lock_and_link
mend
try rename project_and_rename
mend
try rename-tmp tmp_and_rename
mend
try write plant .git/config
mend
try append append
mend
try remove remove_and_write
mend
try symlink symlink
mend
try copy copy
mend
try copy-replace copy --remove-destination
mend
try overwrite overwrite
mend
try sed sed -i s/core/evil/ .git/config
mend
try truncate truncate -s 0 .git/config
mend
try git git config core.fsmonitor ./evil
mend
try git-add git config --file .git/config --add core.sshCommand ./evil
mend
try git-hooks-path git config core.hooksPath ./evil
mend
try git-worktree git config --file .git/config.worktree core.fsmonitor ./evil
mend
try worktree plant .git/config.worktree
mend
try commondir plant .git/commondir
mend
try directory directory_away
mend
try linked linked
