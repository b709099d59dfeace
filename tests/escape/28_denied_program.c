// Line 28: a program that the policy denies, by every way of starting it. The broker judges the object and every
// interpreter of a script; what may not run may not be read either (R3), so there is no copy and no `ld.so`; and the kernel,
// which reads the path again, is held back by Landlock, where a literal deny is carved out (E3).
//
// setup: mkdir -p tool "$HOME/.config/safedep/pmg/sandbox/profiles"
// setup: 28_denied_program make tool/static ran; 28_denied_program make allowed own
// setup: cp /bin/echo tool/dynamic; ln -s tool/static way
// setup: echo "name: mine\ndescription: mine\npackage_managers: [npm]\ninherits: exec\nprocess:\n  deny_exec:" >profile
// setup: echo '    - $'{CWD}/tool/static'\n    - $'{CWD}/tool/dynamic >>profile
// setup: mv profile "$HOME/.config/safedep/pmg/sandbox/profiles/mine.yml"
// flags: --sandbox-profile mine
// says: refused execute ${CWD}/tool/static: deny_exec
// says: refused read ${CWD}/tool/static: deny_exec
// refused: loader* ECHILD the loader ends with a failure, since it cannot read the program
// refused: env* ECHILD env ends with a failure
// refused: race ENODATA the last try was the harmless program
#include "tiny_program.h"

static long becomes(void* path) {
  char* const words[] = {path, "ran", NULL};
  return execv(path, words);
}
static long starts(const char* path) { return ran(becomes, (void*)path); }

static long becomes_descriptor(void* path) {
  char* const words[] = {path, "ran", NULL};
  const int fd = open(path, O_PATH);
  return fd < 0 ? -1 : syscall(SYS_execveat, fd, "", words, environ, AT_EMPTY_PATH);
}

static long becomes_found(void* name) {
  setenv("PATH", "tool:/usr/bin:/bin", 1);
  char* const words[] = {name, "ran", NULL};
  return execvp(name, words);
}

static long becomes_words(void* words) { return execvp(((char**)words)[0], words); }

static long copies(const char* from, const char* to) {
  char bytes[1 << 17];
  const int in = open(from, O_RDONLY);
  if (in < 0) {
    return -1;
  }
  const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  ssize_t size = 0;
  while ((size = read(in, bytes, sizeof bytes)) > 0 && write(out, bytes, (size_t)size) == size) {
  }
  close(in);
  close(out);
  return 0;
}

static long copy_starts(void) { return copies("tool/static", "copy") == 0 ? starts("./copy") : -1; }
static long link_starts(void) {
  return link("tool/static", "linked") == 0 ? starts("./linked") : -1;
}
static long moved_starts(void) {
  if (rename("tool/static", "moved") != 0) {
    return -1;
  }
  const long result = starts("./moved");
  const int error = errno;
  (void)!rename("moved", "tool/static");
  errno = error;
  return result;
}
static long exchanged_starts(void) {
  if (exchanges("tool/static", "allowed") != 0) {
    return -1;
  }
  const long result = starts("./allowed");
  (void)!exchanges("tool/static", "allowed");
  return result;
}
static long folder_moved_starts(void) {
  if (rename("tool", "box") != 0) {
    return -1;
  }
  const long result = starts("box/static");
  const int error = errno;
  (void)!rename("box", "tool");
  errno = error;
  return result;
}
static long folder_linked_starts(void) {
  return symlink("tool", "shelf") == 0 ? starts("shelf/static") : -1;
}

static long script_starts(const char* name, const char* first) {
  return writes(name, text("#!%s\n", first)) >= 0 && chmod(name, 0755) == 0
             ? starts(text("./%s", name))
             : -1;
}
static long interpreted_starts(const char* loader) {
  return makes("crafted", "own", loader) == 0 ? starts("./crafted") : -1;
}

// The path is rewritten by another process while it is judged and executed.
static char* target;
static void flips(void) {
  static unsigned turn;
  strcpy(target, ++turn % 2 ? "tool/static" : "././allowed");
  __asm__ volatile("" ::: "memory");
}
static long target_starts(void) { return starts(target); }

int main(int count, char** words) {
  if (count > 3 && strcmp(words[1], "make") == 0) {
    return makes(words[2], words[3], NULL) != 0;
  }
  begin();
#ifndef __x86_64__
  SKIP("all", "the programs that are made here are for x86-64");
  return 0;
#endif
  char here[4096];
  if (!getcwd(here, sizeof here)) {
    return 1;
  }
  target = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (target == MAP_FAILED) {
    return 1;
  }
  TRY("direct", starts("tool/static"));
  TRY("absolute", starts(text("%s/tool/static", here)));
  TRY("dynamic", starts("tool/dynamic"));
  TRY("symlink", starts("./way"));
  TRY("symlink-made", symlink("tool/static", "made") == 0 ? starts("./made") : -1);
  TRY("folder-symlink", folder_linked_starts());
  TRY("copy", copy_starts());
  TRY("hard-link", link_starts());
  TRY("moved", moved_starts());
  TRY("exchanged", exchanged_starts());
  TRY("folder-moved", folder_moved_starts());
  TRY("path-lookup", ran(becomes_found, "static"));
  TRY("descriptor", ran(becomes_descriptor, "tool/static"));
  TRY("proc-cwd", starts("/proc/self/cwd/tool/static"));
  TRY("proc-root", starts(text("/proc/self/root%s/tool/static", here)));
  TRY("shebang", script_starts("script", text("%s/tool/static", here)));
  TRY("shebang-relative", script_starts("script", "tool/static"));
  TRY("shebang-symlink", script_starts("script", "./way"));
  TRY("shebang-twice", (script_starts("inner", "tool/static"), script_starts("outer", "./inner")));
  TRY("shebang-env", script_starts("script", text("/usr/bin/env -S %s/tool/static", here)));
  char* by_env[] = {"env", "-S", "tool/static", NULL};
  TRY("env", ran(becomes_words, by_env));
  TRY("loader-named", interpreted_starts("tool/static"));
  TRY("loader-absolute", interpreted_starts(text("%s/tool/static", here)));
  char* by_loader[] = {"/lib64/ld-linux-x86-64.so.2", "tool/dynamic", "ran", NULL};
  TRY("loader", ran(becomes_words, by_loader));
  TRY("race", wins_race(target_starts, flips, RACER_PROCESS, 1000, 1500));
  return 0;
}
