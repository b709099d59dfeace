// Line 42: a socket that the tree bound is gone, and one of the host has its inode number by now. What the tree bound is known by the
// object, which the broker holds, and not by its number (B7).
//
// outsider:
// limit: 40
#include "unix.h"

static _Noreturn void outside(void) {
  puts("ready");
  fflush(stdout);
  await_path("gone");
  char content[32] = "";
  const int fd = open("gone", O_RDONLY);
  (void)!read(fd, content, sizeof content - 1);
  close(fd);
  int server = -1;
  int found = 0;
  for (int i = 0; i < 200 && !found; ++i) {
    struct stat info;
    const char* const name = text("host%d.sock", i);
    server = listening(name, SOCK_STREAM);
    found = stat(name, &info) == 0 && info.st_ino == strtoull(content, NULL, 10);
    if (found || i == 199) {
      (void)!rename(name, "x.sock");
    }
  }
  writes("taken", "");
  for (;;) {
    close(accept(server, NULL, NULL));
    puts("BREACH the socket of the host was reached");
    fflush(stdout);
  }
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    outside();
  }
  begin();
  // Made before, or it would get the number itself.
  FILE* const note = fopen("gone.part", "w");
  const int server = listening("x.sock", SOCK_STREAM);
  struct stat info;
  if (!note || stat("x.sock", &info) != 0) {
    return 1;
  }
  fprintf(note, "%llu", (unsigned long long)info.st_ino);
  fclose(note);
  close(server);
  unlink("x.sock");
  (void)!rename("gone.part", "gone");
  await_path("taken");
  TRY("connect", connects("x.sock"));
  return 0;
}
