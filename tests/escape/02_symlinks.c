// Line 2: the secret through symlinks, made before the run and inside. The broker follows them
// itself and judges the object they end at (B2, R1).
// setup: ln -s .env direct; ln -s direct chain; ln -s chain chain2; ln -s ../project/.env around
// setup: ln -s "$PWD/.env" absolute; ln -s sub/deep directory; ln -s ../home/.ssh ssh; ln -s . here; ln -s / root
// setup: mkdir other; ln -s ../sub/deep/.env other/up
// says: refused read ${CWD}/\.env \(as .*\): deny_read
#include "attack.h"

int main(void) {
  begin();
  char here[4096];
  if (!getcwd(here, sizeof here)) {
    return 1;
  }
  static const char* const before[] = {
      "direct",         "chain",       "chain2",         "around",   "absolute",
      "directory/.env", "ssh/id_test", "here/here/.env", "other/up", "directory/../../.env"};
  for (size_t i = 0; i < sizeof before / sizeof *before; ++i) {
    TRY(text("before:%s", before[i]), steals(before[i]));
  }
  TRY("before:root", steals(text("root%s/.env", here)));
  TRY("inside:direct", (symlink(".env", "mine"), steals("mine")));
  TRY("inside:chain", (symlink("mine", "mine2"), steals("mine2")));
  TRY("inside:absolute", (symlink(text("%s/.env", here), "mine3"), steals("mine3")));
  TRY("inside:directory", (symlink("sub/deep", "mine4"), steals("mine4/.env")));
  TRY("inside:home", (symlink(getenv("HOME"), "mine5"), steals("mine5/.aws/credentials")));
  TRY("inside:tmp", (symlink(text("%s/.env", here), text("%s/way", getenv("TMPDIR"))),
                     steals(text("%s/way", getenv("TMPDIR")))));
  TRY("inside:proc", (symlink("/proc/self/cwd/.env", "mine6"), steals("mine6")));
  TRY("inside:parent", (symlink("sub/deep/.", "mine7"), steals("mine7/../deep/.env")));
  TRY("relinked",
      (symlink("readme", "turn"), unlink("turn"), symlink(".env", "turn"), steals("turn")));
  return 0;
}
