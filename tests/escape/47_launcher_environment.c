// Line 47: the environment of whoever started the program, where the variables still are. `/proc/<pid>/environ`, `mem` and the like of a
// process outside are refused by the broker, whoever's rights would do; a signal that leaves a core dump does not arrive (Landlock).
//
// outsider:
// env: GITHUB_TOKEN=${SECRET}
// launch: set -- sh -c '"$@"; exit $?' inner "$@"
// needs: ps
// says: refused read .*/environ.*: belongs to a process outside the sandbox
// optional: broker:* the kernel shows nothing of the parent to this user
// optional: launcher:* the kernel shows nothing of the parent to this user
// optional: core the kernel writes no core files here
// refused: core EPERM,ENOENT
// refused: ps* ENODATA,ECHILD ps shows the command only
#include <sys/resource.h>

#include "others.h"

// Everything writable in the memory of a process.
static long steals_memory(pid_t pid) {
  static char bytes[1 << 20];
  FILE* const maps = fopen(text("/proc/%d/maps", (int)pid), "r");
  if (!maps) {
    return -1;
  }
  const int memory = open(text("/proc/%d/mem", (int)pid), O_RDONLY);
  if (memory < 0) {
    fclose(maps);
    return -1;
  }
  long result = refuse(ENODATA);
  char line[512];
  unsigned long from = 0;
  unsigned long to = 0;
  while (result < 0 && fgets(line, sizeof line, maps)) {
    char rights[8] = "";
    if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && rights[1] == 'w') {
      const ssize_t size =
          pread(memory, bytes, to - from < sizeof bytes ? to - from : sizeof bytes, (off_t)from);
      result = size > 0 ? has_secret(bytes, (size_t)size) : result;
    }
  }
  fclose(maps);
  close(memory);
  return result;
}

static long lists(const char* path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY);
  return fd < 0 ? -1 : close(fd);
}

static long printed(char* const* words) {
  static char content[1 << 20];
  const long size = output_of(attack_become, (void*)words, content, sizeof content);
  return size < 0 ? -1 : has_secret(content, (size_t)size);
}

// A core file is larger than what `steals_from` reads.
static long steals_core(const char* path) {
  const int fd = open(path, O_RDONLY);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) {
    return -1;
  }
  char* const bytes = mmap(NULL, (size_t)info.st_size + 1, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  return bytes == MAP_FAILED ? -1 : has_secret(bytes, (size_t)info.st_size);
}

static long dumps(pid_t victim) {
  if (kill(victim, SIGQUIT) != 0) {
    return -1;
  }
  for (int i = 0; i < 100; ++i) {
    if (exists("core") || exists(text("core.%d", (int)victim))) {
      pause_ms(50);
      return steals_core(exists("core") ? "core" : text("core.%d", (int)victim));
    }
    pause_ms(5);
  }
  return refuse(ENOENT);
}

static int outside(void) {
  const pid_t victim = fork();
  if (victim == 0) {
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
    signal(SIGQUIT, SIG_DFL);
    for (;;) {
      pause();
    }
  }
  printf("ready %d %d\n", (int)getpid(), (int)victim);
  fflush(stdout);
  int status = 0;
  waitpid(victim, &status, 0);
  printf("BREACH the victim ended with %x\n", (unsigned)status);
  fflush(stdout);
  for (;;) {
    pause();
  }
  return 0;
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    return outside();
  }
  begin();
  const pid_t broker = getppid();
  const pid_t launcher = parent_of(broker);
  const pid_t other = (pid_t)atoi(count > 1 ? words[1] : "1");
  const pid_t victim = (pid_t)atoi(count > 2 ? words[2] : "1");
  const struct {
    const char* name;
    pid_t pid;
  } targets[] = {{"broker", broker}, {"launcher", launcher}, {"other", other}};
  for (int i = 0; i < 3; ++i) {
    const char* const name = targets[i].name;
    const int pid = (int)targets[i].pid;
    TRY(text("%s:environ", name), steals(text("/proc/%d/environ", pid)));
    TRY(text("%s:environ-of-task", name), steals(text("/proc/%d/task/%d/environ", pid, pid)));
    TRY(text("%s:environ-at", name),
        steals_at(open(text("/proc/%d", pid), O_PATH | O_DIRECTORY), "environ"));
    TRY(text("%s:environ-by-descriptor", name),
        steals(text("/proc/self/fd/%d", open(text("/proc/%d/environ", pid), O_PATH))));
    TRY(text("%s:environ-around", name), steals(text("/proc/self/root/proc/%d/environ", pid)));
    TRY(text("%s:environ-by-parent", name), steals(text("/proc/%d/task/../environ", pid)));
    TRY(text("%s:memory", name), steals_memory(targets[i].pid));
    TRY(text("%s:auxv", name), opens(text("/proc/%d/auxv", pid), O_RDONLY));
    TRY(text("%s:descriptors", name), lists(text("/proc/%d/fd", pid)));
    TRY(text("%s:map-files", name), lists(text("/proc/%d/map_files", pid)));
  }
  TRY("other-cwd", steals(text("/proc/%d/cwd/.env", (int)other)));
  TRY("other-root", opens(text("/proc/%d/root/etc/passwd", (int)other), O_RDONLY));
  char* const ps[] = {"ps", "eww", "-o", "command", "-p", strdup(text("%d", (int)other)), NULL};
  TRY("ps", printed(ps));
  char* const all[] = {"ps", "axeww", NULL};
  TRY("ps-all", printed(all));
  TRY("core", dumps(victim));
  return 0;
}
