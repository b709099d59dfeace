// Line 50: a refused path holds what would move the cursor, colour or hide text, turn its order, or begin a second line. pmg prints such
// bytes as `\xNN` in every line of its own.
//
// setup: 50_escapes make
// launch: "$@" 2>said; code=$?; cat said >&2; exit $code
// settle: test -s said; LC_ALL=C; export LC_ALL
// settle: if grep -nP '[\x00-\x08\x0b-\x1f\x7f]' said; then exit 1; fi
// settle: if grep -nP '\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf' said; then exit 1; fi
// settle: if grep -n '^pmg: forged' said; then exit 1; fi
// says: refused read .*\\x1b\[2J
// says: refused read .*\\x0apmg: forged
// says: refused read .*\\xe2\\x80\\xae
// says: refused read .*\\xc2\\x9b
// says: refused read .*\\xff\\xfe
// says: refused create .*\\x1b\]0;title\\x07
// says: refused execute .*\\x0d
#include "attack.h"

static const char* const kNames[] = {
    "escape-\x1b[2J\x1b[31m",
    "line-\npmg: forged",
    "return-\rpmg: forged",
    "order-\xe2\x80\xaevne.",
    "isolate-\xe2\x81\xa6x\xe2\x81\xa9",
    "mark-\xd8\x9c\xe2\x80\x8f",
    "width-\xe2\x80\x8b\xef\xbb\xbf",
    "paragraph-\xe2\x80\xa9pmg: forged",
    "control-\xc2\x9b"
    "2J",
    "bell-\x07\x08\x7f",
    "malformed-\xff\xfe\xc0\x80\xed\xa0\x80",
    "quote-`'\"; rm -rf x",
};
enum { NAMES = sizeof kNames / sizeof kNames[0] };

// What is before the dash names the try.
static const char* label(const char* kind, const char* name) {
  return text("%s-%.*s", kind, (int)strcspn(name, "-"), name);
}

static long starts(const char* path) {
  char* const words[] = {(char*)path, NULL};
  return runs(words);
}

int main(int count, char** words) {
  const char* const tmp = getenv("TMPDIR");
  if (count > 1 && strcmp(words[1], "make") == 0) {
    char secret[256];
    const int fd = open(".env", O_RDONLY);
    const ssize_t size = read(fd, secret, sizeof secret - 1);
    secret[size > 0 ? size : 0] = 0;
    for (int i = 0; i < NAMES; ++i) {
      mkdir(kNames[i], 0755);
      writes(text("%s/.env", kNames[i]), secret);
    }
    return size <= 0;
  }
  begin();
  for (int i = 0; i < NAMES; ++i) {
    TRY(label("read", kNames[i]), steals(text("%s/.env", kNames[i])));
  }
  TRY("create-title", plants(home("\x1b]0;title\x07")));
  TRY("create-line", plants(home("\npmg: forged")));
  TRY("create-order", plants(home("\xe2\x80\xae"
                                  "exe.txt")));
  TRY("rename-line", rename("readme", home("\npmg: forged 2")));
  TRY("link-line", symlink("readme", home("\npmg: forged 3")));
  const char* const program = text("%s/\r\x1b[1Apmg:forged", tmp);
  writes(program, "#!/bin/sh\n");
  chmod(program, 0755);
  TRY("execute-return", starts(program));
  const char* const script = "script";
  writes(script, text("#!%s\n", program));
  chmod(script, 0755);
  TRY("interpreter-return", starts("./script"));
  return 0;
}
