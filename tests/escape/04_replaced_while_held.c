// Line 4: the secret is replaced by somebody outside while the sandbox holds an O_PATH descriptor
// of the old file. A file without a name is judged by the name it had.
// outsider:
// changes: .env
// optional: link* the kernel links no file that has lost its last name
#include "attack.h"

static int outside(void) {
  printf("ready\n");
  fflush(stdout);
  await_path("held");
  if (writes("next", "harmless\n") < 0 || rename("next", ".env") != 0 || plants("replaced") < 0) {
    return 1;
  }
  return 0;
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    return outside();
  }
  const int fd = open(".env", O_PATH);
  plants("held");
  await_path("replaced");
  TRY("reopen", steals(text("/proc/self/fd/%d", fd)));
  TRY("reopen-dev", steals(text("/dev/fd/%d", fd)));
  TRY("link-empty", linkat(fd, "", AT_FDCWD, "stolen", AT_EMPTY_PATH) < 0 ? -1 : steals("stolen"));
  TRY("link-follow",
      linkat(AT_FDCWD, text("/proc/self/fd/%d", fd), AT_FDCWD, "stolen2", AT_SYMLINK_FOLLOW) < 0
          ? -1
          : steals("stolen2"));
  return 0;
}
