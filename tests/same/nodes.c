// Creating, linking, renaming and removing names.
#include <linux/fs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "same.h"

static long move(const char* from, const char* to, unsigned flags) {
  return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

static void make_tree(void) {
  put("a", "A", 0644);
  put("b", "B", 0600);
  need(link("a", "a2") == 0, "link");
  need(mkdir("empty", 0755) == 0, "mkdir");
  need(mkdir("full", 0755) == 0, "mkdir");
  need(mkdir("full/sub", 0755) == 0, "mkdir");
  put("full/f", "F", 0644);
  need(symlink("a", "link") == 0, "symlink");
  need(symlink("empty", "dirlink") == 0, "symlink");
  need(symlink("nothing", "dangling") == 0, "symlink");
  need(mkfifo("fifo", 0644) == 0, "mkfifo");
}

static const char* const nodes[] = {"a",
                                    "b",
                                    "a2",
                                    "empty",
                                    "full",
                                    "link",
                                    "dirlink",
                                    "dangling",
                                    "fifo",
                                    "missing",
                                    "a/",
                                    "empty/",
                                    "full/",
                                    "link/",
                                    "dirlink/",
                                    "dangling/",
                                    "missing/",
                                    "full/.",
                                    "full/..",
                                    ".",
                                    "full/f",
                                    "full/sub",
                                    "full/sub/../f",
                                    "a/x",
                                    "missing/x",
                                    "",
                                    "full/sub/x",
                                    "./a",
                                    "full/../b",
                                    "fifo/"};

// Fewer of them, where each meets each.
static const char* const targets[] = {"a",        "b",        "a2",        "empty",      "full",
                                      "link",     "dangling", "missing",   "a/",         "empty/",
                                      "link/",    "missing/", "full/.",    ".",          "full/f",
                                      "full/sub", "a/x",      "missing/x", "full/sub/x", ""};

// Every step begins from the same tree.
static void begin(void) {
  need(mkdir("w", 0755) == 0 && chdir("w") == 0, "a directory");
  make_tree();
}

static void end(void) {
  need(chdir("..") == 0, "the directory above");
  remove_tree("w");
}

static void show_tree(void) {
  static const char* const all[] = {"a",      "b",        "a2",      "empty",   "full",
                                    "full/f", "full/sub", "link",    "dirlink", "dangling",
                                    "fifo",   "missing",  "nothing", "full/x",  "full/sub/x"};
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    show_node(all[i]);
  }
}

void renaming(void) {
  static const unsigned flags[] = {0,
                                   RENAME_NOREPLACE,
                                   RENAME_EXCHANGE,
                                   RENAME_NOREPLACE | RENAME_EXCHANGE,
                                   8,
                                   RENAME_WHITEOUT,
                                   RENAME_WHITEOUT | RENAME_EXCHANGE};
  begin();
  for (size_t i = 0; i < COUNT_OF(targets); ++i) {
    for (size_t j = 0; j < COUNT_OF(targets); ++j) {
      for (size_t k = 0; k < 3; ++k) {
        about("%s to %s, %u", targets[i], targets[j], flags[k]);
        if (SHOW(move(targets[i], targets[j], flags[k])) == 0) {
          show_tree();
          end();
          begin();
        }
      }
    }
  }
  for (size_t k = 3; k < COUNT_OF(flags); ++k) {
    about("flags %u", flags[k]);
    SHOW(move("a", "x", flags[k]));
    SHOW(move("missing", "x", flags[k]));
    SHOW(move("a", "b", flags[k]));
    show_node("a");
    show_node("x");
  }
  about("pointers");
  SHOW(syscall(SYS_rename, NULL, "x"));
  SHOW(syscall(SYS_rename, "a", (char*)1));
  SHOW(renameat(99, "a", AT_FDCWD, "y"));
  SHOW(renameat(AT_FDCWD, "a", 99, "y"));
  end();
}

void links(void) {
  static const int flags[] = {0, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, 0x40000};
  begin();
  for (size_t i = 0; i < COUNT_OF(nodes); ++i) {
    for (size_t j = 0; j < COUNT_OF(targets); ++j) {
      about("%s as %s", nodes[i], targets[j]);
      if (SHOW(link(nodes[i], targets[j])) == 0) {
        show_tree();
        end();
        begin();
      }
      about("symlink %s at %s", nodes[i], targets[j]);
      if (SHOW(symlink(nodes[i], targets[j])) == 0) {
        show_tree();
        end();
        begin();
      }
    }
    for (size_t j = 0; j < COUNT_OF(flags); ++j) {
      about("%s, flags %d", nodes[i], flags[j]);
      if (SHOW(linkat(AT_FDCWD, nodes[i], AT_FDCWD, "n", flags[j])) == 0) {
        show_node("n");
        need(unlink("n") == 0, "unlink");
      }
    }
  }
  about("pointers");
  SHOW(symlink(NULL, "x"));
  SHOW(symlink("", "x"));
  SHOW(symlink("a", NULL));
  SHOW(linkat(99, "a", AT_FDCWD, "x", 0));
  SHOW(linkat(AT_FDCWD, NULL, AT_FDCWD, "x", 0));
  about("by descriptor");
  const int file = open("a", O_RDONLY);
  const int named = open("a", O_PATH);
  const int directory = open("full", O_PATH | O_DIRECTORY);
  SHOW(linkat(file, "", AT_FDCWD, "by-file", AT_EMPTY_PATH));
  SHOW(linkat(named, "", AT_FDCWD, "by-path", AT_EMPTY_PATH));
  SHOW(linkat(directory, "", AT_FDCWD, "by-directory", AT_EMPTY_PATH));
  SHOW(linkat(directory, "f", directory, "g", AT_EMPTY_PATH));
  SHOW(linkat(file, "", AT_FDCWD, "without", 0));
  SHOW(linkat(AT_FDCWD, "", AT_FDCWD, "here", AT_EMPTY_PATH));
  SHOW(linkat(AT_FDCWD, "/dev/null", AT_FDCWD, "null", 0));
  show_node("a");
  show_node("full/g");
  end();
}

void removing(void) {
  for (size_t i = 0; i < COUNT_OF(nodes); ++i) {
    begin();
    about("%s", nodes[i]);
    SHOW(unlink(nodes[i]));
    SHOW(rmdir(nodes[i]));
    show_tree();
    end();
    begin();
    SHOW(unlinkat(AT_FDCWD, nodes[i], 1));
    SHOW(unlinkat(AT_FDCWD, nodes[i], AT_REMOVEDIR));
    SHOW(unlinkat(AT_FDCWD, nodes[i], 0));
    end();
  }
  begin();
  about("others");
  SHOW(unlinkat(99, "a", 0));
  SHOW(unlink(NULL));
  SHOW(rmdir("/"));
  SHOW(unlink("/"));
  const int file = open("a", O_RDONLY);
  SHOW(unlinkat(file, "x", 0));
  SHOW(unlink("a"));
  show_fd(file);
  SHOW(unlink("a2"));
  show_fd(file);
  show_read(file);
  end();
}

void directories(void) {
  static const mode_t modes[] = {0, 0777, 01777, 02755, 04755, 07777, S_IFDIR | 0755, 0170755};
  for (size_t i = 0; i < COUNT_OF(nodes); ++i) {
    begin();
    about("mkdir %s", nodes[i]);
    SHOW(mkdir(nodes[i], 0755));
    about("fifo %s", nodes[i]);
    SHOW(mkfifo(nodes[i], 0644));
    about("node %s", nodes[i]);
    SHOW(mknod(nodes[i], 0644, 0));
    SHOW(mknod(nodes[i], S_IFDIR | 0644, 0));
    SHOW(mknod(nodes[i], S_IFLNK | 0644, 0));
    SHOW(mknod(nodes[i], S_IFMT | 0644, 0));
    end();
  }
  begin();
  for (size_t i = 0; i < COUNT_OF(modes); ++i) {
    char name[10];
    snprintf(name, sizeof(name), "d%zu", i);
    about("mode %o", modes[i]);
    SHOW(mkdir(name, modes[i]));
    show_node(name);
    snprintf(name, sizeof(name), "f%zu", i);
    SHOW(mkfifo(name, modes[i]));
    show_node(name);
    snprintf(name, sizeof(name), "n%zu", i);
    SHOW(mknod(name, S_IFREG | (modes[i] & 07777), 0));
    show_node(name);
    snprintf(name, sizeof(name), "s%zu", i);
    SHOW(mknod(name, S_IFSOCK | 0200 | (modes[i] & 07777), 0));
    show_node(name);
  }
  about("devices");
  SHOW(mknod("null", S_IFCHR | 0666, makedev(1, 3)));
  SHOW(mknod("disk", S_IFBLK | 0600, makedev(7, 0)));
  SHOW(mknod("white", S_IFCHR, 0));
  about("inherited group and sticky bit");
  SHOW(mkdir("set", 0755));
  SHOW(chown("set", (uid_t)-1, getegid() == 0 ? 12 : getegid()));
  SHOW(chmod("set", 02775));
  SHOW(mkdir("set/sub", 0755));
  put("set/file", "", 0644);
  SHOW(mkfifo("set/fifo", 0644));
  SHOW(symlink("x", "set/link"));
  show_node("set/sub");
  show_node("set/file");
  show_node("set/fifo");
  show_node("set/link");
  SHOW(mkdir("set/sub/sub", 02700));
  show_node("set/sub/sub");
  SHOW(chmod("set/file", 06755));
  show_node("set/file");
  SHOW(chown("set/file", geteuid(), (gid_t)-1));
  show_node("set/file");
  const int fd = open("set/file", O_WRONLY);
  SHOW(fchmod(fd, 06755));
  SHOW(write(fd, "x", 1));
  show_node("set/file");
  about("foreign directories");
  SHOW(mkdir("/proc/x", 0755));
  SHOW(rmdir("/proc/self"));
  SHOW(mkdir("/", 0755));
  SHOW(mkdir("/dev", 0755));
  end();
}
