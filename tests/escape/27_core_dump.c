// Line 27: the kernel writes a core file where the process stands, by itself and past the filter.
// It does so with the rights of the process, and Landlock grants no writing anywhere.
// refused: * ENOENT no core file was written, and nobody is told why
// optional: * core_pattern names a program, or the limit may not be raised
#include <sys/resource.h>

#include "attack.h"

static long dumps(void* directory) {
  const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit(RLIMIT_CORE, &all) != 0 || chdir(directory) != 0) {
    return -1;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    abort();
  }
  waitpid(pid, NULL, 0);
  return exists("core") || exists(text("core.%d", pid)) ? 0 : refuse(ENOENT);
}

int main(void) {
  begin();
  TRY("home", in_child(dumps, getenv("HOME")));
  TRY("ssh", in_child(dumps, (void*)home(".ssh")));
  TRY("deep", in_child(dumps, (void*)"sub/deep"));
  return 0;
}
