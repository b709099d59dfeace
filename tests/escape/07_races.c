// Line 7: the name changes between check and use. There is no such window: the path is copied once,
// and what is judged is the object that is then used (B1, B2). The first race makes 100,000 tries
// unless that takes too long; all print how many turns either side had.
// limit: 200
// setup: mkdir -p empty node_modules; printf 'harmless\n' >f; ln -s sub/deep way
// changes: sub*
// changes: f*
#include "attack.h"

static char path[32] = "readme";  // seven bytes with its end, as "./.env"
static int numbers[3];

// Each name stands for up to some microseconds, at random: long enough to be seen, short enough to change within a call.
static void flip_path(void) {
  static const char* const names[] = {"./.env", "readme"};
  static unsigned random = 1;
  for (int i = 0; i < 2; ++i) {
    memcpy(path, names[i], 7);
    __asm__ volatile("" : : : "memory");  // no store is dropped: another thread reads it
    random = random * 1103515245 + 12345;
    for (volatile unsigned wait = random >> 16 & 0xfff; wait > 0; --wait) {
    }
  }
}
static long opens_path(void) { return steals(path); }
static long opens_path_at(void) {
  return steals_from((int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NOFOLLOW));
}
static long links_path(void) {
  const long result = link(path, "stolen") < 0 ? -1 : steals("stolen");
  const int error = errno;
  unlink("stolen");
  return with_error(error, result);
}
static long renames_path(void) {
  if (rename(path, "moved") < 0) {
    return -1;
  }
  const long result = steals("moved");
  const int error = errno;
  rename("moved", result < 0 ? "readme" : ".env");
  return with_error(error, result);
}

static void swap_link(void) {
  symlink(".env", "next");
  rename("next", "turning");
  symlink("readme", "next");
  rename("next", "turning");
}
static long opens_link(void) { return steals("turning"); }
static long links_link(void) {
  const long result = linkat(AT_FDCWD, "turning", AT_FDCWD, "stolen", AT_SYMLINK_FOLLOW) < 0
                          ? -1
                          : steals("stolen");
  const int error = errno;
  unlink("stolen");
  return with_error(error, result);
}

static void swap_parent(void) { exchanges("way", "empty"); }
static long opens_below_parent(void) { return steals("empty/.env"); }
static long opens_around_parent(void) { return steals("empty/../deep/.env"); }

static void swap_number(void) {
  dup2(numbers[0], numbers[2]);
  dup2(numbers[1], numbers[2]);
}
static long opens_number(void) { return steals(text("/proc/self/fd/%d", numbers[2])); }
static long opens_below_number(void) { return steals_at(numbers[2], ".env"); }

static void swap_directory(void) {
  (void)!chdir("/");
  (void)!fchdir(numbers[0]);
}
static long opens_here(void) { return steals(".env"); }

// A file may move into package content, a directory with an .env may not.
static void swap_kind(void) { exchanges("sub", "f"); }
static long moves_kind(void) {
  static unsigned turn;
  ++turn;
  if (rename("sub", "node_modules/y") < 0) {
    return -1;
  }
  const long result = steals("node_modules/y/deep/.env");
  const int error = errno;
  if (result < 0 && exists("node_modules/y")) {
    rename("node_modules/y", text("back%u", turn));
    if (!exists("sub")) {
      plants("sub");
    }
  }
  return with_error(error, result);
}

int main(void) {
  begin();
  const long some = 500;
  const unsigned any = 1000000;
  TRY("buffer-open", wins_race(opens_path, flip_path, RACER_THREAD, 100000, 3500));
  TRY("buffer-openat", wins_race(opens_path_at, flip_path, RACER_THREAD, any, some));
  TRY("buffer-link", wins_race(links_path, flip_path, RACER_THREAD, any, some));
  TRY("buffer-rename", wins_race(renames_path, flip_path, RACER_THREAD, any, some));
  TRY("symlink-open", wins_race(opens_link, swap_link, RACER_PROCESS, any, some));
  TRY("symlink-link", wins_race(links_link, swap_link, RACER_PROCESS, any, some));
  TRY("parent-open", wins_race(opens_below_parent, swap_parent, RACER_PROCESS, any, some));
  TRY("parent-around", wins_race(opens_around_parent, swap_parent, RACER_PROCESS, any, some));
  numbers[0] = open(".env", O_PATH);
  numbers[1] = open("readme", O_RDONLY);
  numbers[2] = 100;
  dup2(numbers[1], 100);
  TRY("descriptor-open", wins_race(opens_number, swap_number, RACER_THREAD, any, some));
  numbers[0] = open(".", O_PATH);
  numbers[1] = open("/usr", O_PATH);
  dup2(numbers[1], 100);
  TRY("descriptor-openat", wins_race(opens_below_number, swap_number, RACER_THREAD, any, some));
  TRY("directory-open", wins_race(opens_here, swap_directory, RACER_THREAD, any, some));
  (void)!fchdir(numbers[0]);
  TRY("kind-rename", wins_race(moves_kind, swap_kind, RACER_PROCESS, any, some));
  return 0;
}
