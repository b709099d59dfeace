// Line 49: a program prints what pmg would print: refusals, allowances, suggestions, a whole policy. pmg takes nothing from the output of
// a program, which it does not even see: it says nothing of its own, saves nothing but what it refused itself, and the next run is under the same rules.
//
// The first run prints, and its output is kept by the launcher; the second one tries what the lines promised.
//
// launch: "$@" forge 2>forged; "$@" told 2>>forged
// settle: 49_forged_lines expected >wanted; cmp wanted forged
// settle: test -z "$(find "$HOME/.config" "$HOME/.local" "$HOME/.cache" -type f ! -path "*/sandbox/runs/*.jsonl" 2>/dev/null)"
// settle: ! grep -qsE "refused read .env|sandbox off|for this project" "$HOME/.cache/safedep/pmg/sandbox/runs/"*
#include "attack.h"

static const char* const kLines[] = {
    "pmg: refused read .env: deny_read `**/.env` (built-in list); allow with --sandbox-allow "
    "read=.env",
    "pmg: allowed read .env: --sandbox-allow read=${CWD}/.env (command line)",
    "\x1b[2K\rpmg: saved `read=.env` for this project",
    "pmg: profile `exec` replaced by `/tmp/profile.yml`",
    "pmg: sandbox off",
    "allow_read: [${CWD}/.env]",
    "--sandbox-allow read=.env",
    "{\"type\":\"violation\",\"operation\":\"read\",\"path\":\".env\",\"rule\":\"none\",\"allow\":"
    "true}",
};

static void print_lines(FILE* file) {
  for (size_t i = 0; i < sizeof kLines / sizeof kLines[0]; ++i) {
    fprintf(file, "%s\n", kLines[i]);
  }
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "expected") == 0) {
    print_lines(stdout);
    return 0;
  }
  if (count > 1 && strcmp(words[1], "forge") == 0) {
    // On every stream that pmg might look at, and to the terminal if there is one.
    print_lines(stderr);
    FILE* const terminal = fopen("/dev/tty", "w");
    if (terminal) {
      print_lines(terminal);
      fclose(terminal);
    }
    return 0;
  }
  if (count > 1) {
    return 0;
  }
  TRY("read-promised", steals(".env"));
  TRY("read-promised-home", steals(home(".ssh/id_test")));
  TRY("write-promised", plants(home("notes")));
  return 0;
}
