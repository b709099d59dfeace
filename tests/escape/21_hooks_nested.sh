#!/bin/sh
# Line 21: hooks of a repository inside the project, of a submodule and of a repository in package
# content (rules on git hold there too, since somebody may run git in the project, C1).
# world: repository
# setup: git init -q vendor/lib; git init -q node_modules/pkg; mkdir -p .git/modules/sub/hooks; cp .git/config .git/modules/sub/config
# setup: mkdir -p module; printf 'gitdir: ../.git/modules/sub\n' >module/.git
# setup: printf '#!/bin/sh\n' >evil; chmod 755 evil
# setup: mkdir shared; rm -r vendor/lib/.git/hooks; ln -s ../../../shared vendor/lib/.git/hooks
# gap: linked what a symlink leads to that only `**/.git/hooks` names is denied through the link alone (SEMANTICS.md, Known limits)
# says: refused create ${CWD}/node_modules/pkg/\.git/hooks/post-commit
# needs: git
. "$(dirname "$0")/attack.sh"

hooks_away() { mv "$1/hooks" "$1/h" && plant "$1/h/post-commit" && mv "$1/h" "$1/hooks"; }
rename_onto() { cp evil ours && mv -f ours "$1"; }

for repository in node_modules/pkg/.git .git/modules/sub; do
  try "$repository:hook" plant "$repository/hooks/post-commit"
  try "$repository:hook-rename" rename_onto "$repository/hooks/pre-commit"
  try "$repository:hook-link" ln evil "$repository/hooks/post-merge"
  try "$repository:hook-symlink" ln -s ../../evil "$repository/hooks/post-update"
  try "$repository:hooks-away" hooks_away "$repository"
  try "$repository:config" plant "$repository/config"
  try "$repository:config-rename" rename_onto "$repository/config"
  try "$repository:config-unlink" rm -f "$repository/config"
  try "$repository:commondir" plant "$repository/commondir"
done
repository=vendor/lib/.git
try through-link:hook plant "$repository/hooks/post-commit"
try through-link:hook-rename rename_onto "$repository/hooks/pre-commit"
try through-link:hook-link ln evil "$repository/hooks/post-merge"
try through-link:link rm "$repository/hooks"
try linked plant shared/post-commit
try module-pointer rename_onto module/.git
