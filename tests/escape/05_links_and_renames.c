// Line 5: another name for the secret: a hard link, a rename, a rename of its parent. What is
// linked or renamed must be readable and writable (R8), and a directory moves only where the same
// rules hold beneath it (R6, R7).
// says: refused link ${CWD}/\.env
// says: refused rename ${CWD}/\.env
// setup: mkdir -p node_modules empty
#include "attack.h"

static long links(const char* from, const char* to) { return link(from, to) < 0 ? -1 : steals(to); }

static long renames(const char* from, const char* to, const char* then) {
  if (rename(from, to) < 0) {
    return -1;
  }
  const long result = steals(then);
  const int error = errno;
  rename(to, from);
  return result < 0 ? refuse(error) : 0;
}

static long swaps(const char* one, const char* other, const char* then) {
  if (exchanges(one, other) < 0) {
    return -1;
  }
  const long result = steals(then);
  const int error = errno;
  exchanges(one, other);
  return result < 0 ? refuse(error) : 0;
}

int main(void) {
  begin();
  TRY("link", links(".env", "link"));
  TRY("link-deep", links("sub/deep/.env", "link2"));
  TRY("link-home", links(home(".ssh/id_test"), "link3"));
  TRY("link-over-symlink",
      (symlink(".env", "way"),
       linkat(AT_FDCWD, "way", AT_FDCWD, "link4", AT_SYMLINK_FOLLOW) < 0 ? -1 : steals("link4")));
  TRY("link-tmp", links(".env", text("%s/link5", getenv("TMPDIR"))));
  TRY("link-package", links(".env", "node_modules/.env"));
  TRY("rename", renames(".env", "moved", "moved"));
  TRY("rename-deep", renames("sub/deep/.env", "moved", "moved"));
  TRY("rename-package", renames("sub/deep/.env", "node_modules/.env", "node_modules/.env"));
  TRY("rename-home", renames(home(".aws/credentials"), "moved", "moved"));
  TRY("rename-home-directory", renames(home(".ssh"), "moved", "moved/id_test"));
  TRY("rename-parent", renames("sub/deep", "sub/other", "sub/other/.env"));
  TRY("rename-grandparent", renames("sub", "other", "other/deep/.env"));
  TRY("rename-parent-package", renames("sub", "node_modules/x", "node_modules/x/deep/.env"));
  TRY("rename-parent-tmp",
      renames("sub", text("%s/x", getenv("TMPDIR")), text("%s/x/deep/.env", getenv("TMPDIR"))));
  TRY("rename-home-itself", renames(getenv("HOME"), text("%s.old", getenv("HOME")),
                                    text("%s.old/.ssh/id_test", getenv("HOME"))));
  TRY("rename-project", renames("../project", "../other", "../other/.env"));
  TRY("exchange", swaps(".env", "readme", "readme"));
  TRY("exchange-directory", swaps("sub/deep", "empty", "empty/.env"));
  TRY("exchange-package", swaps("sub", "node_modules", "node_modules/deep/.env"));
  return 0;
}
