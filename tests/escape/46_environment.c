// Line 46: secrets in variables. Every name of the built-in list is removed before the program starts, in any case and as often as it is
// there (E1, E2), and so no descendant has it.
//
// launch: set -- 46_launch ${SECRET} "$@"
// refused: * ENOENT there is no such variable
#include "attack.h"

static char names[1024][80];
static int name_count;

static void read_names(void) {
  FILE* const file = fopen("names", "r");
  while (file && name_count < 1024 && fgets(names[name_count], sizeof names[0], file)) {
    names[name_count][strcspn(names[name_count], "\n")] = 0;
    ++name_count;
  }
}

// The entries of this environment that have the name; 0 if one holds the secret.
static long holds(const char* bytes, size_t size, const char* name) {
  const size_t length = strlen(name);
  const char* at = bytes;
  const char* const end = bytes + size;
  while (at < end) {
    const size_t entry = strnlen(at, (size_t)(end - at));
    if (entry > length && memcmp(at, name, length) == 0 && at[length] == '=' &&
        has_secret(at, entry) == 0) {
      return 0;
    }
    at += entry + 1;
  }
  return refuse(ENOENT);
}

static char content[1 << 20];
static size_t reads(const char* path) {
  const int fd = open(path, O_RDONLY);
  size_t size = 0;
  ssize_t got = 0;
  while (fd >= 0 && size < sizeof content &&
         (got = read(fd, content + size, sizeof content - size)) > 0) {
    size += (size_t)got;
  }
  close(fd);
  return size;
}

static long anywhere(const char* path) {
  const size_t size = reads(path);
  return size == 0 ? -1 : has_secret(content, size) == 0 ? 0 : refuse(ENOENT);
}

// The top of the stack: arguments, environment and what the kernel put beside them.
static long in_stack(const char* first_argument) {
  unsigned long end_of = 0;
  char line[512];
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    if (strstr(line, "[stack]")) {
      sscanf(line, "%*x-%lx", &end_of);
    }
  }
  return end_of && has_secret(first_argument, end_of - (unsigned long)first_argument) == 0
             ? 0
             : refuse(ENOENT);
}

static long printed(char* const* words) {
  const long size = output_of(attack_become, (void*)words, content, sizeof content);
  return size < 0 ? -1 : has_secret(content, (size_t)size) == 0 ? 0 : refuse(ENOENT);
}
static long deep(void* depth) {
  const long left = (long)depth;
  return left > 0 ? in_child(deep, (void*)(left - 1)) : anywhere("/proc/self/environ");
}
// An orphan, whose parent is the broker by then.
static long orphaned(void) {
  int ends[2];
  if (pipe(ends) != 0) {
    return -1;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    if (fork() == 0) {
      pause_ms(50);
      long answer[2] = {anywhere("/proc/self/environ"), 0};
      answer[1] = errno;
      _exit(write(ends[1], answer, sizeof answer) == sizeof answer ? 0 : 1);
    }
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  long answer[2] = {-1, ECHILD};
  (void)!read(ends[0], answer, sizeof answer);
  errno = (int)answer[1];
  return answer[0];
}

int main(int count, char** words) {
  (void)count;
  begin();
  read_names();
  const size_t size = reads("/proc/self/environ");
  if (name_count < 100 || size == 0) {
    return 1;
  }
  static char own[sizeof content];
  memcpy(own, content, size);
  for (int i = 0; i < name_count; ++i) {
    TRY(names[i], holds(own, size, names[i]));
  }
  TRY("getenv", getenv("GITHUB_TOKEN")
                    ? has_secret(getenv("GITHUB_TOKEN"), strlen(getenv("GITHUB_TOKEN")))
                    : refuse(ENOENT));
  TRY("own-environ", anywhere("/proc/self/environ"));
  TRY("own-environ-by-number", anywhere(text("/proc/%d/environ", (int)getpid())));
  TRY("own-thread-environ", anywhere("/proc/thread-self/environ"));
  TRY("own-stack", in_stack(words[0]));
  TRY("child", in_child(deep, (void*)0));
  TRY("descendant", in_child(deep, (void*)5));
  TRY("orphan", orphaned());
  char* const env[] = {"env", NULL};
  TRY("env", printed(env));
  char* const shells[] = {
      "sh", "-c",
      "sh -c 'set; export; sh -c env; cat /proc/self/environ /proc/$$/environ /proc/$PPID/environ'",
      NULL};
  TRY("shells", printed(shells));
  char* const bash[] = {"bash", "-c", "declare -p; compgen -v; env", NULL};
  TRY("bash", printed(bash));
  return 0;
}
