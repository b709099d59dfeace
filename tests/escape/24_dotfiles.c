// Line 24: start-up files, hooks and settings that are symlinks into the project, as in a checkout
// of dotfiles. A deny holds wherever a symlink in its literal start leads, at every link on the
// way, and where a link leads to nothing yet (T1).
// world: repository
// setup: echo '# harmless' >bashrc; ln -s "$PWD/bashrc" "$HOME/.bashrc"
// setup: echo '# harmless' >end; ln -s end step; ln -s "$PWD/step" "$HOME/.profile"
// setup: mkdir dot; ln -s "$PWD/dot/zshrc" "$HOME/.zshrc"
// setup: mkdir -p config/systemd/user real/autostart; ln -s "$PWD/config" "$HOME/.config"; ln -s ../real/autostart config/autostart
// setup: rm -r .git/hooks; mkdir githooks; ln -s ../githooks .git/hooks
// setup: echo TOKEN=$SECRET >token; ln -s "$PWD/token" "$HOME/.netrc"; ln -s token link; ln -s link .env.local
// settle: grep -qx '# harmless' bashrc && grep -qx '# harmless' end && test "$(readlink step)" = end && test ! -e dot/zshrc
// settle: test -z "$(ls -A githooks)" && test -z "$(find config/ real/ -type f)"
// says: refused write ${CWD}/bashrc: deny_write
#include "attack.h"

/* A link of our own in the place of one on the way. */
static long relinks(const char* name) {
  plants("ours");
  unlink("next");
  return symlink("ours", "next") < 0 ? -1 : rename("next", name);
}

int main(void) {
  begin();
  TRY("target", plants("bashrc"));
  TRY("target-lock", plants("bashrc.lock") < 0 ? -1 : rename("bashrc.lock", "bashrc"));
  TRY("target-unlink", unlink("bashrc"));
  TRY("chain-end", plants("end"));
  TRY("chain-middle", relinks("step"));
  TRY("chain-middle-unlink", unlink("step"));
  TRY("dangling", plants("dot/zshrc"));
  TRY("dangling-symlink", (unlink("dot/zshrc"), symlink("../ours", "dot/zshrc")));
  TRY("dangling-directory",
      rename("dot", "dot.old") < 0 || mkdir("dot", 0755) < 0 ? -1 : plants("dot/zshrc"));
  TRY("directory", plants("config/systemd/user/a.service"));
  TRY("directory-away", rename("config", "config.old") < 0 || mkdir("config", 0755) < 0
                            ? -1
                            : mkdir("config/systemd", 0755));
  TRY("directory-link", plants("real/autostart/a.desktop"));
  TRY("directory-relinked",
      (unlink("next"), symlink("../ours", "next") < 0 ? -1 : rename("next", "config/autostart")));
  TRY("hooks", plants("githooks/post-commit"));
  TRY("hooks-away", rename("githooks", "githooks.old"));
  TRY("read", steals("token"));
  TRY("read-chain", steals("link"));
  return 0;
}
