// Names of any bytes and any length.
#include <dirent.h>

#include "same.h"

void names(void) {
  for (int byte = 1; byte < 256; ++byte) {
    if (byte == '/' || byte == '.') {
      continue;
    }
    const char name[2] = {(char)byte, 0};
    about("byte %d", byte);
    const int fd = (int)SHOW(open(name, O_CREAT | O_EXCL | O_WRONLY, 0644));
    close(fd);
    char other[4] = {'x', (char)byte, 'y', 0};
    SHOW(rename(name, other));
    SHOW(link(other, name));
    SHOW(unlink(other));
    SHOW(mkdir(other, 0700));
    SHOW(open(name, O_RDONLY) >= 0);
    SHOW(chmod(name, 0640));
    if (byte % 3 == 0) {
      SHOW(unlink(name));
    }
  }
  static const char* const odd[] = {"new\nline", "a (deleted)", " (deleted)", "\xff\xfe",
                                    "\xc3\x28",  "pipe:[1]",    "...",        "..a",
                                    "*",         "[a]",         "**",         "${HOME}",
                                    "~",         "-",           "a\\b",       "socket:[123]",
                                    "memfd:x",   "\x7f\x1b[0m", "a\t"};
  for (size_t i = 0; i < COUNT_OF(odd); ++i) {
    about("odd %zu", i);
    put(odd[i], "1", 0644);
    SHOW(open(odd[i], O_RDONLY) >= 0);
    SHOW(chmod(odd[i], 0600));
    SHOW(truncate(odd[i], 0));
    SHOW(rename(odd[i], "moved"));
    SHOW(mkdir(odd[i], 0755));
    SHOW(chdir(odd[i]));
    SHOW(rename("../moved", "here"));
    SHOW(symlink(odd[i], "s"));
    SHOW(link("here", odd[i]));
    SHOW(chdir(".."));
  }
}

static void fill(char* text, size_t length) {
  memset(text, 'n', length);
  text[length] = 0;
}

void long_paths(void) {
  char name[300];
  for (size_t length = 253; length <= 257; ++length) {
    fill(name, length);
    about("name of %zu", length);
    SHOW(open(name, O_CREAT | O_WRONLY, 0644) >= 0);
    SHOW(mkdir(name, 0755));
    SHOW(symlink("t", name));
    SHOW(unlink(name));
    SHOW(rmdir(name));
    SHOW(mkfifo(name, 0600));
    SHOW(chmod(name, 0640));
    SHOW(rename(name, "short"));
    SHOW(rename("short", name));
    SHOW(link(name, "linked"));
    SHOW(unlink("linked"));
    SHOW(truncate(name, 0));
  }
  put("target", "t", 0644);
  for (size_t length = 4093; length <= 4098; ++length) {
    static char path[5000];
    for (size_t i = 0; i < length; i += 2) {
      memcpy(path + i, "./", 2);
    }
    memcpy(path + length - 6, "target", 7);
    if (length % 2 != 0) {
      path[length - 7] = '/';
    }
    about("path of %zu", length);
    SHOW(open(path, O_RDONLY) >= 0);
    SHOW(open(path, O_WRONLY | O_CREAT, 0600) >= 0);
    SHOW(chmod(path, 0644));
    SHOW(rename(path, "t2"));
    SHOW(rename("t2", path));
    SHOW(link(path, "t2"));
    SHOW(unlink("t2"));
    SHOW(symlink(path, "to-long"));
    SHOW(open("to-long", O_RDONLY) >= 0);
    unlink("to-long");
    SHOW(truncate(path, 1));
  }
  static char text[5000];
  for (size_t length = 4094; length <= 4097; ++length) {
    about("symlink text of %zu", length);
    fill(text, length);
    SHOW(symlink(text, "long-text"));
    SHOW(open("long-text", O_RDONLY));
    SHOW(unlink("long-text"));
  }
  // Deeper than any path can say.
  fill(name, 200);
  int directory = open(".", O_RDONLY | O_DIRECTORY);
  int reached = 0;
  for (int depth = 0; depth < 25; ++depth) {
    about("depth %d", depth);
    SHOW(mkdirat(directory, name, 0755));
    const int next = openat(directory, name, O_RDONLY | O_DIRECTORY);
    SHOW(next >= 0);
    if (next < 0) {
      need(unlinkat(directory, name, AT_REMOVEDIR) == 0, "unlinkat");
      break;
    }
    ++reached;
    close(directory);
    directory = next;
    const int fd = openat(directory, "file", O_CREAT | O_WRONLY, 0640);
    SHOW(fd >= 0);
    SHOW(write(fd, "deep", 4));
    SHOW(fchmod(fd, 0600));
    close(fd);
    SHOW(linkat(directory, "file", directory, "second", 0));
    SHOW(renameat(directory, "second", directory, "third"));
    SHOW(symlinkat("file", directory, "link"));
    const int again = openat(directory, "link", O_RDONLY);
    show_read(again);
    close(again);
    SHOW(utimensat(directory, "file", NULL, 0));
    SHOW(unlinkat(directory, "third", 0));
  }
  about("up again");
  for (; reached > 0; --reached) {
    SHOW(unlinkat(directory, "link", 0));
    SHOW(unlinkat(directory, "file", 0));
    const int up = openat(directory, "..", O_RDONLY | O_DIRECTORY);
    SHOW(up >= 0);
    if (up < 0) {
      break;
    }
    close(directory);
    directory = up;
    SHOW(unlinkat(directory, name, AT_REMOVEDIR));
  }
}
