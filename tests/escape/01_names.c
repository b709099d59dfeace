// Line 1: the secret by every spelling of its name. The broker opens the object and judges the
// kernel's name of it, so the spelling does not count (R1, P3; built-in denies `${CWD}/.env` and
// `**/.env`).
// says: refused read ${CWD}/\.env: deny_read
// says: refused read ${CWD}/sub/deep/\.env: deny_read
// refused: *trailing* ENOTDIR what is no directory has no entry `.`
// optional: *trailing* the kernel opens no file with a trailing slash
#include "attack.h"

int main(void) {
  begin();
  char here[4096];
  if (!getcwd(here, sizeof here)) {
    return 1;
  }
  TRY("relative", steals(".env"));
  TRY("deep", steals("sub/deep/.env"));
  TRY("dot", steals("./.env"));
  TRY("dots", steals("././sub/.././/.env"));
  TRY("around", steals("../project/.env"));
  TRY("absolute", steals(text("%s/.env", here)));
  TRY("absolute-deep", steals(text("%s/sub/deep/.env", here)));
  TRY("slashes", steals(text("//%s///sub//deep//.env", here)));
  TRY("above-root", steals(text("/../../..%s/.env", here)));
  TRY("out-and-in", steals(text("%s/sub/deep/../../../project/sub/deep/.env", here)));
  TRY("trailing-slash", steals(".env/"));
  TRY("trailing-dot", steals(".env/."));
  TRY("ssh", steals(home(".ssh/id_test")));
  TRY("aws", steals(home(".aws/credentials")));
  TRY("around-home", steals(text("../home/.ssh/../.aws/credentials")));
  TRY("from-elsewhere", (chdir("sub/deep") == 0 ? steals(".env") : -1));
  TRY("from-within", (chdir(home(".ssh")) == 0 ? steals("id_test") : -1));
  return 0;
}
