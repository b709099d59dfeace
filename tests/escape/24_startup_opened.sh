#!/bin/sh
# Line 24: the same where the command line makes all of HOME writable: the built-in list still
# holds, in HOME and in the project.
# world: startup
# flags: --sandbox-allow write=${HOME}
# settle: cd "$HOME"; for f in .bashrc .profile .config/autostart/a.desktop .config/systemd/user/a.service; do grep -qx '# harmless' $f; done
# settle: test ! -e .zshrc && test ! -e .gitconfig && test ! -L .gitconfig && test ! -e .config/fish
# changes: *
# says: refused write ${HOME}/\.bashrc: deny_write
. "$(dirname "$0")/attack.sh"

append() { printf 'planted\n' >>"$1"; }
lock_and_rename() { plant "$1.lock" && mv -f "$1.lock" "$1"; }
link_over() { rm -f ours && plant ours && ln -f ours "$1"; }
away() { mv "$1" "$1.away" && plant "$1.away/$2" && mv "$1.away" "$1"; }
exchange_prepared() { mkdir -p "$2" && mv "$1" "$1.was" && mv "$2" "$1"; }

plant "$HOME/new" || { echo "HOME is not writable"; exit 4; }
for name in .bashrc .profile .config/autostart/a.desktop .config/systemd/user/a.service; do
  try "append:$name" append "$HOME/$name"
  try "lock:$name" lock_and_rename "$HOME/$name"
  try "link:$name" link_over "$HOME/$name"
  try "unlink:$name" rm -f "$HOME/$name"
done
for name in .bash_profile .bash_aliases .zshrc .zshenv .inputrc .gitconfig .pam_environment .xprofile .vimrc .tmux.conf .gdbinit; do
  try "plant:$name" plant "$HOME/$name"
  try "symlink:$name" ln -sf "$PWD/readme" "$HOME/$name"
  try "project:$name" plant "$name"
done
for name in .config/fish .config/environment.d .config/git .config/zsh .local/share/systemd .local/share/applications; do
  mkdir -p "$HOME/${name%/*}"
  try "mkdir:$name" mkdir "$HOME/$name"
done
try away:.config away "$HOME/.config" autostart/b.desktop
try away:.config/systemd away "$HOME/.config/systemd" user/b.service
try prepared:.config exchange_prepared "$HOME/.config" ours-config
try ssh-authorized plant "$HOME/.ssh/authorized_keys"
