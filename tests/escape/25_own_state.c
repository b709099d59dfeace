// Line 25: what pmg obeys next time: its configuration, profiles, caches and stores, and its
// binary. Denied whatever the command line opens (H1). 25_own_state_closed.sh is the same without
// that.
// world: pmg
// flags: --sandbox-allow write=${HOME}/.config --sandbox-allow write=${HOME}/.local
// env: PMG_BINARY=${PMG}
// setup: mkdir -p "$HOME/.cache/safedep/pmg" "$HOME/.local/share/safedep/pmg"; echo kept >"$HOME/.local/share/safedep/pmg/store"
// setup: mkdir -p "$HOME/.cache/safedep/pmg/sandbox/runs"; echo kept >"$HOME/.cache/safedep/pmg/sandbox/runs/record"
// settle: test ! -e "$HOME/.config/safedep/pmg/new" && test ! -e "$HOME/.local/share/safedep/pmg/new" && test ! -e "$HOME/.cache/safedep/pmg/new"
// changes: .config
// changes: .local
// says: refused (write|create) ${HOME}/\.config/safedep/pmg
// optional: binary* the binary belongs to somebody else, or is running
// optional: system* belongs to root
#include "attack.h"

static long moves(const char* from, const char* to) {
  const long result = rename(from, to);
  const int error = errno;
  rename(to, from);
  return with_error(error, result);
}

static long swaps(const char* one, const char* other) {
  const long result = exchanges(one, other);
  const int error = errno;
  exchanges(one, other);
  return with_error(error, result);
}

static long locks_and_renames(const char* path) {
  const char* const lock = text("%s.lock", path);
  return plants(lock) < 0 ? -1 : rename(lock, path);
}

static void place(const char* what, const char* path) {
  mkdir("mine", 0755);
  TRY(text("%s:create", what), plants(text("%s/new", path)));
  TRY(text("%s:mkdir", what), mkdir(text("%s/folder", path), 0755));
  TRY(text("%s:symlink", what), symlink("/tmp", text("%s/way", path)));
  TRY(text("%s:link", what), link("readme", text("%s/linked", path)));
  TRY(text("%s:rename", what), (plants("ours"), rename("ours", text("%s/moved", path))));
  TRY(text("%s:chmod", what), chmod(path, 0755));
  TRY(text("%s:exchange", what), swaps("mine", path));
  TRY(text("%s:away", what), moves(path, text("%s.old", path)));
  const char* const parent = text("%.*s", (int)(strrchr(path, '/') - path), path);
  TRY(text("%s:parent", what), moves(parent, text("%s.old", parent)));
}

int main(void) {
  begin();
  const char* const configuration = home(".config/safedep/pmg");
  place("configuration", configuration);
  place("data", home(".local/share/safedep/pmg"));
  place("cache", home(".cache/safedep/pmg"));
  TRY("configuration:write", plants(text("%s/config.yml", configuration)));
  TRY("configuration:lock", locks_and_renames(text("%s/config.yml", configuration)));
  TRY("configuration:unlink", unlink(text("%s/config.yml", configuration)));
  TRY("profile:write", plants(text("%s/sandbox/profiles/mine.yml", configuration)));
  TRY("profile:new", plants(text("%s/sandbox/profiles/exec.yml", configuration)));
  TRY("store:append", opens(home(".local/share/safedep/pmg/store"), O_WRONLY | O_APPEND));
  TRY("store:unlink", unlink(home(".local/share/safedep/pmg/store")));
  const char* const records = home(".cache/safedep/pmg/sandbox/runs");
  TRY("record:append", opens(text("%s/record", records), O_WRONLY | O_APPEND));
  TRY("record:chmod", chmod(text("%s/record", records), 0666));
  TRY("record:new",
      opens(text("%s/20260101T000000.000000Z-00000000.jsonl", records), O_WRONLY | O_CREAT));
  TRY("record:unlink", unlink(text("%s/record", records)));
  TRY("record:all", moves(records, text("%s.old", records)));
  TRY("system", opens("/etc", O_WRONLY | O_TMPFILE));
  const char* const binary = getenv("PMG_BINARY");
  TRY("binary:write", opens(binary, O_WRONLY | O_APPEND));
  TRY("binary:chmod", chmod(binary, 0755));
  TRY("binary:exe", opens(text("/proc/%d/exe", getppid()), O_WRONLY));
  TRY("binary:place",
      opens(text("%.*s", (int)(strrchr(binary, '/') - binary), binary), O_WRONLY | O_TMPFILE));
  return 0;
}
