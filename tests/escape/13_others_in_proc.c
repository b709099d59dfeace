// Line 13: what /proc tells about processes outside: the broker, the launching shell, a shell of
// the user. Entries that reveal something are refused by the broker, whose own rights would allow
// them, and links into them are not followed (B4, Q1).
// outsider:
// env: GH_TOKEN=${SECRET}
// says: refused read /proc/\d+/environ: belongs to a process outside the sandbox
// optional: *:mem needs ptrace rights
// optional: *:syscall needs ptrace rights
// optional: *:stack needs CAP_SYS_ADMIN
// optional: *:pagemap needs ptrace rights
// optional: *:map_files needs CAP_CHECKPOINT_RESTORE or ptrace rights
// optional: *:io needs ptrace rights
// optional: *:timerslack needs CAP_SYS_NICE
// optional: *:uid_map a map is written once
// optional: parent:* a launcher that is not dumpable shows nothing
// optional: shell:* a launcher that is not dumpable shows nothing
// optional: init:* the first process belongs to root
#include <dirent.h>

#include "others.h"

static _Noreturn void outside(void) {
  const int fd = open(".env", O_RDONLY);
  READY("%d %d", getpid(), fd);
  wait_for_end();
}

/* The secret in the stack, where the environment is. */
static long steals_memory(int pid) {
  FILE* maps = fopen(text("/proc/%d/maps", pid), "r");
  unsigned long start = 0x7ffc00000000UL;
  unsigned long end = start + 0x1000;
  if (maps) {
    char line[512];
    while (fgets(line, sizeof line, maps)) {
      if (strstr(line, "[stack]")) {
        sscanf(line, "%lx-%lx", &start, &end);
      }
    }
    fclose(maps);
  }
  const int fd = open(text("/proc/%d/mem", pid), O_RDONLY);
  if (fd < 0) {
    return -1;
  }
  char* bytes = malloc(end - start);
  const ssize_t size = pread(fd, bytes, end - start, (off_t)start);
  const long result = size < 0 ? -1 : has_secret(bytes, (size_t)size);
  const int error = errno;
  close(fd);
  free(bytes);
  return with_error(error, result);
}

static long lists(const char* path) {
  DIR* directory = opendir(path);
  if (!directory) {
    return -1;
  }
  const struct dirent* entry = readdir(directory);
  closedir(directory);
  return entry ? 0 : refuse(ENODATA);
}

static void look_at(const char* who, int pid) {
  static const char* const entries[] = {"maps",    "smaps", "auxv", "syscall",   "stack",
                                        "pagemap", "io",    "exe",  "mountinfo", "ns/mnt"};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
    TRY(text("%s:%s", who, entries[i]), opens(text("/proc/%d/%s", pid, entries[i]), O_RDONLY));
  }
  TRY(text("%s:fd", who), lists(text("/proc/%d/fd", pid)));
  TRY(text("%s:fdinfo", who), lists(text("/proc/%d/fdinfo", pid)));
  TRY(text("%s:map_files", who), lists(text("/proc/%d/map_files", pid)));
  TRY(text("%s:fd0", who), opens(text("/proc/%d/fd/0", pid), O_RDONLY));
  TRY(text("%s:root", who), opens(text("/proc/%d/root/etc/hostname", pid), O_RDONLY));
  TRY(text("%s:cwd", who), opens(text("/proc/%d/cwd/.", pid), O_RDONLY | O_DIRECTORY));
  TRY(text("%s:task", who), opens(text("/proc/%d/task/%d/environ", pid, pid), O_RDONLY));
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    outside();
  }
  const int outsider = atoi(words[1]);
  const int fd = atoi(words[2]);
  const int parent = getppid();
  const int shell = parent_of(parent);
  TRY("outsider:environ", steals(text("/proc/%d/environ", outsider)));
  TRY("outsider:mem", steals_memory(outsider));
  TRY("outsider:fd-secret", steals(text("/proc/%d/fd/%d", outsider, fd)));
  TRY("outsider:root-secret", steals(text("/proc/%d/root%s", outsider, home(".ssh/id_test"))));
  TRY("outsider:cwd-secret", steals(text("/proc/%d/cwd/.env", outsider)));
  TRY("outsider:task-cwd", steals(text("/proc/%d/task/%d/cwd/.env", outsider, outsider)));
  TRY("outsider:openat", steals_at(open(text("/proc/%d", outsider), O_PATH), "environ"));
  TRY("outsider:chdir", (chdir(text("/proc/%d/task", outsider)) == 0 ? steals("../environ") : -1));
  TRY("outsider:chdir-cwd", (chdir(text("/proc/%d/cwd", outsider)) == 0 ? steals(".env") : -1));
  TRY("outsider:oom_score_adj", opens(text("/proc/%d/oom_score_adj", outsider), O_WRONLY));
  TRY("outsider:comm", opens(text("/proc/%d/comm", outsider), O_WRONLY));
  TRY("outsider:clear_refs", opens(text("/proc/%d/clear_refs", outsider), O_WRONLY));
  TRY("outsider:uid_map", opens(text("/proc/%d/uid_map", outsider), O_WRONLY));
  TRY("outsider:mem-write", opens(text("/proc/%d/mem", outsider), O_RDWR));
  look_at("outsider", outsider);
  TRY("parent:environ", steals(text("/proc/%d/environ", parent)));
  TRY("parent:mem", steals_memory(parent));
  look_at("parent", parent);
  look_at("shell", shell);
  TRY("shell:environ", opens(text("/proc/%d/environ", shell), O_RDONLY));
  TRY("init:environ", opens("/proc/1/environ", O_RDONLY));
  TRY("init:root", opens("/proc/1/root/etc/hostname", O_RDONLY));
  return 0;
}
