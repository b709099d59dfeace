#!/bin/sh
# Line 24: what the user's next shell, login or session runs. Writing in HOME is allowed nowhere but
# in caches, and the built-in list denies these names even where a rule would allow them (M6).
# world: startup
# says: refused write ${HOME}/\.bashrc
. "$(dirname "$0")/attack.sh"

append() { printf 'planted\n' >>"$1"; }
lock_and_rename() { plant "$1.lock" && mv "$1.lock" "$1"; }
replace() { plant ours && mv -T ours "$1"; }

for name in .bashrc .profile .bash_profile .zshrc .zshenv .gitconfig .pam_environment .xprofile; do
  try "plant:$name" plant "$HOME/$name"
done
for name in .bashrc .profile .config/autostart/a.desktop .config/systemd/user/a.service .local/bin/tool; do
  try "append:$name" append "$HOME/$name"
  try "replace:$name" replace "$HOME/$name"
  try "lock:$name" lock_and_rename "$HOME/$name"
  try "unlink:$name" rm "$HOME/$name"
done
