#!/bin/sh
# Line 31: files that an interpreter runs before the program that it is asked for. They are named by variables of the launcher
# (BASH_ENV, ENV, PYTHONSTARTUP, NODE_OPTIONS, LD_PRELOAD, …) or have a fixed place in HOME. Nothing allows writing there.
#
# Each try plants one and starts the next program, which says whether it ran. `next:` tries do so with the launcher's variables; what
# has another name is named in the variable inside, and gains nothing there that the program did not have.
# needs: bash python3 node
# env: BASH_ENV=${HOME}/.bash_env
# env: ENV=${HOME}/.shinit
# env: PYTHONSTARTUP=${HOME}/.pythonrc.py
# env: PYTHONPATH=${HOME}/.python
# env: NODE_OPTIONS=--require=${HOME}/.noderc.js
# env: NODE_PATH=${HOME}/.node_libraries
# env: PERL5LIB=${HOME}/.perl5
# env: RUBYOPT=-r${HOME}/.rubyrc.rb
# env: GIT_CONFIG_GLOBAL=${HOME}/.gitconfig
# env: EDITOR=${HOME}/.editor
# setup: echo >"$HOME/.noderc.js"
# setup: mkdir -p "$HOME/.config" "$HOME/.local"
# Folders on the way to what may be written may be made (R4).
# changes: .config
# changes: .config/go
# changes: .local
# changes: .local/share
# changes: .cache
# changes: .cache/ccache
# changes: .ccache
# changes: .cargo
# changes: .gradle
# changes: .m2
# changes: .yarn
# says: refused create ${HOME}/\.bash_env: no rule allows
. "$(dirname "$0")/attack.sh"

# Makes the file, and its folder.
put() { mkdir -p "$(dirname "$1")" && printf '%s\n' "$2" >"$1"; }
# Makes the file and runs the program, whose output must hold "planted".
next_run() {
  put "$1" "$2" || return 1
  shift 2
  said=$("$@" 2>&1)
  case $said in *planted*) echo planted ;; *) printf 'not run: %s\n' "$said" >&2; return 1 ;; esac
}

try next:BASH_ENV next_run "$HOME/.bash_env" 'echo planted' bash -c true
try next:PYTHONPATH next_run "$HOME/.python/sitecustomize.py" 'print("planted")' python3 -c pass
try next:usercustomize next_run "$(python3 -c 'import site; print(site.getusersitepackages())')/usercustomize.py" 'print("planted")' \
  python3 -c pass
try next:NODE_OPTIONS next_run "$HOME/.noderc.js" 'console.log("planted")' node -e 0
try next:bashrc next_run "$HOME/.bashrc" 'echo planted' bash -i -c true
try next:login next_run "$HOME/.bash_profile" 'echo planted' bash -l -c true
try next:profile next_run "$HOME/.profile" 'echo planted' sh -l -c true

for place in .shinit .pythonrc.py .node_libraries/left-pad.js .node_modules/left-pad/index.js .perl5/strict.pm .rubyrc.rb .editor \
  .npmrc .yarnrc .yarnrc.yml .bunfig.toml .condarc .config/pip/pip.conf .pip/pip.conf .config/uv/uv.toml .pypirc .cargo/config.toml \
  .cargo/env .config/go/env .gradle/init.gradle .gradle/gradle.properties .gradle/init.d/a.gradle .m2/settings.xml .mavenrc \
  .config/git/config .config/git/hooks/post-checkout .inputrc .screenrc .tmux.conf .vimrc .config/nvim/init.lua .emacs .gdbinit \
  .config/gdb/gdbinit .lldbinit .pdbrc .ssh/rc .ssh/config .ssh/environment .pam_environment .config/environment.d/a.conf .xsessionrc \
  .config/fish/config.fish .config/fish/conf.d/a.fish .zshenv .zprofile .zlogin .zlogout .bash_logout .kshrc .tcshrc .login \
  .config/direnv/direnvrc .config/mise/config.toml .tool-versions .nvm/nvm.sh .pyenv/shims/python .rbenv/shims/ruby \
  .local/bin/git bin/git .local/lib/libpreload.so .local/share/applications/a.desktop .config/systemd/user/a.service \
  .config/autostart/a.desktop .config/Code/User/settings.json .vscode/argv.json .docker/cli-plugins/docker-a .kube/plugins/a \
  .terraformrc .ansible.cfg .Rprofile .irbrc .pryrc .psqlrc .sqliterc .mongorc.js .node_repl_history .ipython/profile_default/startup/a.py \
  .jupyter/jupyter_notebook_config.py .config/matplotlib/matplotlibrc .hgrc .config/hg/hgrc .subversion/config .lesskey .wgetrc .curlrc \
  .config/containers/registries.conf .rpmmacros .makepkg.conf .yarn/bin/yarn .ccache/ccache.conf .cache/ccache/ccache.conf; do
  try "place:$place" put "$HOME/$place" planted
done

# For all users: what root's programs load. The files are opened for appending and nothing is written.
append_nothing() { : >>"$1"; }
for place in /etc/profile /etc/bash.bashrc /etc/environment /etc/passwd /etc/hosts; do
  if [ -w "$place" ]; then
    try "system:$place" append_nothing "$place"
  else
    skip "system:$place" "this user may not write it anyway"
  fi
done
