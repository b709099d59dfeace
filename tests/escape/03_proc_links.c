// Line 3: the secret through the magic links of /proc and /dev. These paths the broker walks
// itself, so that /proc/self is the caller, and what a link leads to is judged by its own name
// (B4).
// says: refused read ${CWD}/\.env: deny_read
#include "attack.h"

static long child_cwd(void* argument) {
  // The working directory of the parent, which is another process of the tree.
  return steals(text("/proc/%d/cwd/%s", getppid(), (const char*)argument));
}

int main(void) {
  begin();
  char here[4096];
  if (!getcwd(here, sizeof here)) {
    return 1;
  }
  const int pid = getpid();
  const int directory = open("sub/deep", O_RDONLY | O_DIRECTORY);
  const int path = open("sub", O_PATH | O_DIRECTORY);
  TRY("self-root", steals(text("/proc/self/root%s/.env", here)));
  TRY("self-cwd", steals("/proc/self/cwd/.env"));
  TRY("self-cwd-deep", steals("/proc/self/cwd/sub/deep/.env"));
  TRY("thread-self-root", steals(text("/proc/thread-self/root%s/.env", here)));
  TRY("thread-self-cwd", steals("/proc/thread-self/cwd/.env"));
  TRY("pid-cwd", steals(text("/proc/%d/cwd/.env", pid)));
  TRY("pid-cwd-up", steals(text("/proc/%d/cwd/../project/.env", pid)));
  TRY("pid-root", steals(text("/proc/%d/root%s/.env", pid, here)));
  TRY("task-cwd", steals(text("/proc/%d/task/%d/cwd/.env", pid, pid)));
  TRY("task-root", steals(text("/proc/self/task/%d/root%s/.env", pid, here)));
  TRY("roots", steals(text("/proc/self/root/proc/self/root%s/.env", here)));
  TRY("dev-fd", steals(text("/dev/fd/%d/.env", directory)));
  TRY("dev-fd-up", steals(text("/dev/fd/%d/../../.env", directory)));
  TRY("proc-fd", steals(text("/proc/self/fd/%d/.env", directory)));
  TRY("proc-fd-up", steals(text("/proc/self/fd/%d/../deep/.env", directory)));
  TRY("proc-fd-path", steals(text("/proc/self/fd/%d/deep/.env", path)));
  TRY("openat-root", steals_at(open("/proc/self/root", O_PATH), text("%s/.env", here + 1)));
  TRY("openat-proc", steals_at(open("/proc", O_PATH), "self/cwd/.env"));
  TRY("openat-self", steals_at(open("/proc/self", O_PATH), "cwd/.env"));
  TRY("openat-fd", steals_at(open("/proc/self/fd", O_PATH), text("%d/.env", directory)));
  TRY("chdir-proc", (chdir("/proc/self/cwd/sub") == 0 ? steals("deep/.env") : -1));
  TRY("chdir-fd", (fchdir(directory) == 0 ? steals(".env") : -1));
  TRY("child", in_child(child_cwd, ".env"));
  return 0;
}
