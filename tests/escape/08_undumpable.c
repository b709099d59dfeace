// Line 8: a process whose memory the broker may not read. What cannot be read is an error of the
// call (B3), and a program that may be executed but not read is not started.
// setup: cp "$(command -v 08_undumpable)" unreadable; chmod 0111 unreadable
// refused: unreadable ECHILD it is started where the broker is root, and cannot open even its libraries
#include <sys/prctl.h>

#include "attack.h"

static long undumpable(void* argument) {
  const char* const what = argument;
  if (prctl(PR_SET_DUMPABLE, 0) != 0) {
    return -1;
  }
  if (strcmp(what, "read") == 0) {
    return steals(".env");
  }
  if (strcmp(what, "readme") == 0) {
    return opens("readme", O_RDONLY);
  }
  if (strcmp(what, "write") == 0) {
    return plants(home("planted"));
  }
  if (strcmp(what, "home") == 0) {
    return unlink(home("notes"));
  }
  if (strcmp(what, "descriptor") == 0) {
    return steals(text("/proc/thread-self/fd/%d", open(".env", O_PATH)));
  }
  return rename("sub/deep/.env", "moved");
}

static long reads_with(void* program) {
  char* const words[] = {program, (char*)"print", NULL};
  return execv(program, words);
}

static long runs_unreadable(void) {
  char output[4096];
  const long size = output_of(reads_with, (void*)"./unreadable", output, sizeof output);
  return size < 0 ? -1 : has_secret(output, (size_t)size);
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "print") == 0) {
    char bytes[4096];
    const ssize_t size = read(open(".env", O_RDONLY), bytes, sizeof bytes);
    return size > 0 && write(1, bytes, (size_t)size) == size ? 0 : 1;
  }
  static const char* const actions[] = {"read", "readme", "write", "home", "rename", "descriptor"};
  for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i) {
    TRY(actions[i], in_child(undumpable, (void*)actions[i]));
  }
  rename("moved", "sub/deep/.env");
  TRY("unreadable", runs_unreadable());
  return 0;
}
