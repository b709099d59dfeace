// Line 16: the secret below names that are hard to handle. Paths are bytes, compared by whole
// segments (P1, P2, G1).
// refused: 4095-bytes* ENAMETOOLONG with the project before it, the name to be judged is longer than a path
// setup: 16_odd_names plant
#include "attack.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct {
  const char* what;
  const char* name;
} odd[] = {{"space", "a b"},
           {"spaces", "  "},
           {"newline", "a\nb"},
           {"tab", "a\tb"},
           {"not-utf-8", "\xff\xfe\x80"},
           {"escape", "\x1b[2J"},
           {"backslash", "a\\b"},
           {"quote", "'\"`$(x)"},
           {"star", "*"},
           {"stars", "**"},
           {"set", "[a-z]"},
           {"unclosed", "[slug"},
           {"braces", "{a,b}"},
           {"dash", "-rf"},
           {"dots", "..."},
           {"colon", "a:b"},
           {"control", "\x01\x7f"},
           {"deleted", "x (deleted)"},
           {"percent", "%2e%2e%n"},
           {"variable", "${HOME}"}};

static const char* longest(void) {
  static char name[256];
  memset(name, 'n', 255);
  return name;
}

/* A path of this many bytes, less its end: 4095 is as long as a path may be. */
static const char* long_path(size_t length) {
  static char paths[2][4096];
  char* const path = paths[length == 4095];
  size_t size = 0;
  while (size + 256 < length - 5) {
    memset(path + size, 'd', 255);
    path[size + 255] = '/';
    size += 256;
  }
  const size_t rest = length - 5 - size;
  memset(path + size, 'e', rest);
  memcpy(path + size + rest, "/.env", 6);
  return path;
}

/* Relative, but 4095 bytes with the working directory before it. */
static const char* long_absolute(void) {
  char here[4096];
  return getcwd(here, sizeof here) ? long_path(4095 - strlen(here) - 1) : "?";
}

static int make_below(int directory, const char* path) {
  char name[256];
  for (const char* slash = strchr(path, '/'); slash; path = slash + 1, slash = strchr(path, '/')) {
    memcpy(name, path, (size_t)(slash - path));
    name[slash - path] = 0;
    mkdirat(directory, name, 0755);
    directory = openat(directory, name, O_PATH | O_DIRECTORY);
  }
  const int fd = openat(directory, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const char* const line = text("TOKEN=%s\n", getenv("SECRET"));
  return fd < 0 || write(fd, line, strlen(line)) < 0 ? 1 : close(fd);
}

static int plant(void) {
  int bad = make_below(AT_FDCWD, long_path(4095)) || make_below(AT_FDCWD, long_absolute()) ||
            make_below(AT_FDCWD, text("%s/.env", longest()));
  for (size_t i = 0; i < COUNT(odd); ++i) {
    bad = bad || make_below(AT_FDCWD, text("%s/.env", odd[i].name)) ||
          make_below(AT_FDCWD, text(".env.%s", odd[i].name));
  }
  return bad;
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "plant") == 0) {
    return plant();
  }
  for (size_t i = 0; i < COUNT(odd); ++i) {
    TRY(text("below-%s", odd[i].what), steals(text("%s/.env", odd[i].name)));
  }
  for (size_t i = 0; i < COUNT(odd); ++i) {
    TRY(text("glob-%s", odd[i].what), steals(text(".env.%s", odd[i].name)));
  }
  TRY("255-bytes", steals(text("%s/.env", longest())));
  TRY("4095-bytes", steals(long_path(4095)));
  TRY("4095-bytes-write", opens(long_path(4095), O_WRONLY));
  TRY("4095-bytes-unlink", unlink(long_path(4095)));
  char here[4096];
  TRY("absolute-4095", steals(text("%s/%s", getcwd(here, sizeof here), long_absolute())));
  TRY("absolute-4095-relative", steals(long_absolute()));
  TRY("absolute-4095-chmod", chmod(long_absolute(), 0777));
  TRY("absolute-4095-unlink", unlink(long_absolute()));
  TRY("ssh", steals(home(".ssh/id_test")));
  require(opens(home(".sshfoo/id_test"), O_RDONLY), "reading .sshfoo, which only begins like .ssh");
  require(plants(".envfoo"), "writing .envfoo, which only begins like .env");
  return 0;
}
