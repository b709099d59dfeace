// Starting programs; what /proc tells; watching and locking files.
#include <dirent.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>

#include "same.h"

extern char** environ;

static struct {
  int directory;
  const char* path;
  int flags;
} program;

static void start(void) {
  char* const arguments[] = {"name", "argument", NULL};
  SHOW(syscall(SYS_execveat, program.directory, program.path, arguments, environ, program.flags));
  _exit(9);
}

static void run(int directory, const char* path, int flags) {
  program.directory = directory;
  program.path = path;
  program.flags = flags;
  in_child(start);
}

static void* run_from_thread(void* path) {
  execl(path, "name", "from a thread", NULL);
  SHOW(-1);
  _exit(8);
}

static void start_from_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run_from_thread, "./script");
  pthread_join(thread, NULL);
}

static void start_too_long(void) {
  static char big[200000];
  memset(big, 'a', sizeof(big) - 1);
  char* const arguments[] = {"name", big, NULL};
  SHOW(execv("./script", arguments));
}

static void start_without_arguments(void) {
  SHOW(syscall(SYS_execve, "./missing", NULL, NULL));
  SHOW(syscall(SYS_execve, NULL, NULL, NULL));
  SHOW(syscall(SYS_execve, "./script", (char*)8, NULL));
}

static void start_while_written(void) {
  const int fd = open("binary", O_WRONLY);
  SHOW(fd >= 0);
  run(AT_FDCWD, "binary", 0);
  close(fd);
  run(AT_FDCWD, "binary", 0);
}

static void copy(const char* from, const char* to, mode_t mode) {
  static char text[1 << 16];
  const int in = open(from, O_RDONLY);
  const int out = open(to, O_CREAT | O_WRONLY, 0600);
  ssize_t length = 0;
  while ((length = read(in, text, sizeof(text))) > 0) {
    need(write(out, text, (size_t)length) == length, to);
  }
  need(fchmod(out, mode) == 0, to);
  close(in);
  close(out);
}

void executing(void) {
  put("script", "#!/bin/sh\necho \"$0 $@\"\n", 0755);
  put("spaced", "#!  /bin/sh   -e x\necho hello\n", 0755);
  put("env", "#!/usr/bin/env sh\necho by env\n", 0755);
  put("unexecutable", "#!/bin/sh\n", 0644);
  put("group-only", "#!/bin/sh\n", 0010);
  put("plain", "echo no interpreter\n", 0755);
  put("empty", "", 0755);
  put("only-mark", "#!", 0755);
  put("only-mark-line", "#!\n", 0755);
  put("missing-interpreter", "#!/no/such/interpreter\n", 0755);
  put("directory-interpreter", "#!/bin\n", 0755);
  put("unexecutable-interpreter", "#!./unexecutable\n", 0755);
  put("relative", "#!./script\n", 0755);
  put("plain-interpreter", "#!./plain\n", 0755);
  put("itself", "#!./itself\n", 0755);
  char name[30];
  char text[400];
  for (int i = 1; i <= 7; ++i) {
    snprintf(name, sizeof(name), "nested%d", i);
    snprintf(text, sizeof(text), i == 1 ? "#!/bin/echo\n" : "#!./nested%d\n", i - 1);
    put(name, text, 0755);
  }
  for (int length = 250; length <= 260; length += 2) {
    snprintf(name, sizeof(name), "line%d", length);
    memset(text, '/', sizeof(text));
    memcpy(text, "#!", 2);
    memcpy(text + length - 8, "/bin/sh\n", 9);
    put(name, text, 0755);
    snprintf(name, sizeof(name), "option%d", length);
    memset(text, 'o', sizeof(text));
    memcpy(text, "#!/bin/echo ", 12);
    text[length - 1] = '\n';
    text[length] = 0;
    put(name, text, 0755);
  }
  put("truncated-elf", "\177ELF\2\1\1", 0755);
  copy("/bin/true", "binary", 0755);
  copy("/bin/true", "unreadable", 0311);
  copy("/bin/true", "set-user", 06755);
  need(mkdir("directory", 0755) == 0 && symlink("script", "link") == 0 &&
           symlink("none", "dangling") == 0 && symlink("loop", "loop") == 0 &&
           mkfifo("fifo", 0755) == 0,
       "links");
  put("directory/inner", "#!/bin/sh\necho inner\n", 0755);
  static const char* const names[] = {"script",
                                      "./script",
                                      "spaced",
                                      "env",
                                      "unexecutable",
                                      "group-only",
                                      "plain",
                                      "empty",
                                      "only-mark",
                                      "only-mark-line",
                                      "missing-interpreter",
                                      "directory-interpreter",
                                      "unexecutable-interpreter",
                                      "relative",
                                      "plain-interpreter",
                                      "itself",
                                      "nested1",
                                      "nested2",
                                      "nested3",
                                      "nested4",
                                      "nested5",
                                      "nested6",
                                      "nested7",
                                      "line250",
                                      "line252",
                                      "line254",
                                      "line256",
                                      "line258",
                                      "line260",
                                      "option250",
                                      "option252",
                                      "option254",
                                      "option256",
                                      "option258",
                                      "option260",
                                      "truncated-elf",
                                      "binary",
                                      "unreadable",
                                      "set-user",
                                      "directory",
                                      "link",
                                      "dangling",
                                      "loop",
                                      "fifo",
                                      "script/",
                                      "script/x",
                                      "missing",
                                      "",
                                      "/dev/null",
                                      "directory/inner",
                                      "/",
                                      "/bin/true",
                                      "/proc/self/exe/",
                                      "/proc/self/cwd/script"};
  for (size_t i = 0; i < COUNT_OF(names); ++i) {
    about("%s", names[i]);
    run(AT_FDCWD, names[i], 0);
  }
  about("flags");
  run(AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW);
  run(AT_FDCWD, "script", AT_SYMLINK_NOFOLLOW);
  run(AT_FDCWD, "script", 0x40);
  const int directory = open("directory", O_RDONLY);
  const int script = open("script", O_RDONLY);
  const int closing = open("script", O_RDONLY | O_CLOEXEC);
  const int binary = open("binary", O_PATH);
  const int closing_binary = open("binary", O_RDONLY | O_CLOEXEC);
  run(directory, "inner", 0);
  run(directory, "missing", 0);
  run(script, "inner", 0);
  run(300, "inner", 0);
  run(300, "/bin/true", 0);
  run(script, "", AT_EMPTY_PATH);
  run(script, "", 0);
  run(closing, "", AT_EMPTY_PATH);
  run(binary, "", AT_EMPTY_PATH);
  run(closing_binary, "", AT_EMPTY_PATH);
  run(directory, "", AT_EMPTY_PATH);
  run(300, "", AT_EMPTY_PATH);
  close(script);
  close(closing);
  about("descriptor and name with AT_EMPTY_PATH");
  run(directory, "inner", AT_EMPTY_PATH);
  about("others");
  in_child(start_from_thread);
  in_child(start_too_long);
  in_child(start_without_arguments);
  in_child(start_while_written);
  about("memfd");
  const int memory = memfd_create("program", 0);
  run(memory, "", AT_EMPTY_PATH);
}

static void list(const char* path) {
  DIR* directory = opendir(path);
  if (directory == NULL) {
    say("list %s: no", path);
    return;
  }
  int count = 0;
  while (readdir(directory) != NULL) {
    ++count;
  }
  say("list %s: %d", path, count);
  closedir(directory);
}

static int readable(const char* path) {
  char text[100];
  const int fd = open(path, O_RDONLY);
  if (fd < 0) {
    return -1;
  }
  const ssize_t length = read(fd, text, sizeof(text));
  close(fd);
  return length < 0 ? -1 : length > 0;
}

static void* look_at_thread(void* nothing) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/task/%ld/comm", syscall(SYS_gettid));
  SHOW(readable(path));
  SHOW(readable("/proc/thread-self/status"));
  SHOW(readable("/proc/thread-self/stat"));
  snprintf(path, sizeof(path), "/proc/%ld/status", syscall(SYS_gettid));
  SHOW(readable(path));
  return nothing;
}

static int walk_processes(void) {
  DIR* all = opendir("/proc");
  struct dirent* entry = NULL;
  int own = 0;
  while ((entry = readdir(all)) != NULL) {
    static const char* const parts[] = {"stat", "status",    "cmdline", "maps",    "fd",
                                        "cwd",  "exe",       "root",    "environ", "fdinfo",
                                        "task", "mountinfo", "limits",  "io"};
    for (size_t i = 0; i < COUNT_OF(parts) && entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
         ++i) {
      char path[300];
      snprintf(path, sizeof(path), "/proc/%s/%s", entry->d_name, parts[i]);
      const int good = readable(path);
      char text[300];
      (void)!readlink(path, text, sizeof(text));
      own += atoi(entry->d_name) == getpid() && good >= 0;
    }
  }
  closedir(all);
  return own;
}

void processes(void) {
  static const char* const entries[] = {"stat",         "status",
                                        "statm",        "maps",
                                        "smaps",        "cmdline",
                                        "environ",      "comm",
                                        "limits",       "mounts",
                                        "mountinfo",    "mountstats",
                                        "io",           "wchan",
                                        "stack",        "syscall",
                                        "auxv",         "cgroup",
                                        "oom_score",    "oom_score_adj",
                                        "loginuid",     "sessionid",
                                        "personality",  "pagemap",
                                        "mem",          "exe",
                                        "cwd",          "root",
                                        "ns/pid",       "ns/user",
                                        "fdinfo/0",     "fd/0",
                                        "net/unix",     "net/tcp",
                                        "attr/current", "sched",
                                        "schedstat",    "coredump_filter",
                                        "setgroups",    "uid_map",
                                        "timers",       "clear_refs",
                                        "numa_maps"};
  for (size_t i = 0; i < COUNT_OF(entries); ++i) {
    char path[64];
    about("%s", entries[i]);
    snprintf(path, sizeof(path), "/proc/self/%s", entries[i]);
    SHOW(open(path, O_RDONLY) >= 0 ? 1 : -1);
    SHOW(open(path, O_WRONLY | (i % 2 == 0 ? O_CLOEXEC : 0)) >= 0 ? 1 : -1);
    if (strcmp(entries[i], "syscall") != 0 && strcmp(entries[i], "fd/0") != 0) {
      SHOW(readable(path));
    }
  }
  about("%s", "");
  list("/proc/self/task");
  list("/proc/self/ns");
  list("/proc/self/net");
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fd", getpid());
  for (int fd = 3; fd < 200; ++fd) {
    close(fd);
  }
  say("numbers under the own process number: %d", readable(path));
  list("/proc/self/fd");
  list("/dev/fd");
  list("/proc/self/fdinfo");
  static char text[5000];
  SHOW(readlink("/proc/self/exe", text, sizeof(text)) > 0);
  say("%s", strrchr(text, '/'));
  SHOW(readlink("/proc/self", text, sizeof(text)) > 0);
  say("own number %d", atoi(text) == getpid());
  SHOW(open("/proc/self/comm", O_WRONLY) >= 0);
  SHOW(open("/proc/self/oom_score_adj", O_RDWR) >= 0);
  SHOW(open("/proc/self/exe", O_RDONLY) >= 0);
  SHOW(open("/proc/self/root/etc/passwd", O_RDONLY) >= 0);
  SHOW(open("/proc/self/fd/999", O_RDONLY));
  SHOW(open("/proc/self/missing", O_RDONLY));
  SHOW(open("/proc/999999/status", O_RDONLY));
  SHOW(open("/proc/self/fd", O_RDONLY | O_DIRECTORY) >= 0);
  SHOW(open("/proc/mounts", O_RDONLY) >= 0);
  SHOW(open("/proc/net/unix", O_RDONLY) >= 0);
  SHOW(open("/proc/self/../self/status", O_RDONLY) >= 0);
  SHOW(open("/proc/self/task/../status", O_RDONLY) >= 0);
  SHOW(open("/proc/sys/kernel/ostype", O_RDONLY) >= 0);
  SHOW(open("/proc/self/cwd/probe", O_RDONLY) >= 0);
  SHOW(open("/proc/version", O_CREAT | O_RDONLY, 0600) >= 0);
  SHOW(open("/proc/new", O_CREAT | O_RDONLY, 0600));
  pthread_t thread;
  pthread_create(&thread, NULL, look_at_thread, NULL);
  pthread_join(thread, NULL);
  const pid_t child = start_child();
  if (child == 0) {
    sleep(5);
    _exit(0);
  }
  about("child");
  static const char* const parts[] = {"status",          "maps", "cwd/probe", "fd/0", "environ",
                                      "root/etc/passwd", "exe"};
  for (size_t i = 0; i < COUNT_OF(parts); ++i) {
    snprintf(path, sizeof(path), "/proc/%d/%s", child, parts[i]);
    SHOW(open(path, O_RDONLY) >= 0);
  }
  SHOW(kill(child, 9));
  siginfo_t ended;
  SHOW(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT));
  about("zombie");
  snprintf(path, sizeof(path), "/proc/%d/status", child);
  SHOW(open(path, O_RDONLY) >= 0);
  snprintf(path, sizeof(path), "/proc/%d/cwd/probe", child);
  SHOW(open(path, O_RDONLY));
  snprintf(path, sizeof(path), "/proc/%d/fd/0", child);
  SHOW(open(path, O_RDONLY));
  SHOW(waitpid(child, NULL, 0) == child);
  SHOW(open(path, O_RDONLY));
  about("walk");
  SHOW(walk_processes());
}

static void show_events(int watcher) {
  char buffer[4096] __attribute__((aligned(8)));
  ssize_t length = 0;
  nap(20);  // inside, the broker closes what it gave away a moment later
  while ((length = read(watcher, buffer, sizeof(buffer))) > 0) {
    for (char* at = buffer; at < buffer + length;) {
      const struct inotify_event* event = (const struct inotify_event*)at;
      say("event %#x on %d%s <%s>", event->mask, event->wd,
          event->cookie != 0 ? " with cookie" : "",
          event->len == 0         ? ""
          : event->name[0] == '#' ? "unnamed"
                                  : event->name);
      at += sizeof(*event) + event->len;
    }
  }
}

void watching(void) {
  put("file", "text", 0644);
  put("script", "#!/bin/sh\n", 0755);
  need(mkdir("directory", 0755) == 0, "mkdir");
  put("directory/old", "old", 0644);
  nap(50);
  const int watcher = inotify_init1(IN_NONBLOCK);
  SHOW(inotify_add_watch(watcher, "directory", IN_ALL_EVENTS));
  SHOW(inotify_add_watch(watcher, "file", IN_ALL_EVENTS));
  SHOW(inotify_add_watch(watcher, "script", IN_ALL_EVENTS));
  about("create");
  int fd = open("directory/new", O_CREAT | O_WRONLY, 0644);
  show_events(watcher);
  SHOW(write(fd, "x", 1));
  SHOW(fchmod(fd, 0600));
  show_events(watcher);
  close(fd);
  show_events(watcher);
  about("read");
  fd = open("file", O_RDONLY);
  show_read(fd);
  close(fd);
  show_events(watcher);
  about("write");
  fd = open("file", O_WRONLY | O_TRUNC);
  SHOW(write(fd, "y", 1));
  close(fd);
  show_events(watcher);
  fd = open("file", O_CREAT | O_RDWR, 0600);
  close(fd);
  show_events(watcher);
  about("names");
  SHOW(rename("directory/new", "directory/newer"));
  show_events(watcher);
  SHOW(rename("file", "directory/moved"));
  show_events(watcher);
  SHOW(rename("directory/moved", "directory/newer"));
  show_events(watcher);
  SHOW(link("directory/newer", "directory/link"));
  show_events(watcher);
  SHOW(symlink("x", "directory/symlink"));
  SHOW(mkfifo("directory/fifo", 0600));
  SHOW(mkdir("directory/d", 0700));
  SHOW(open("directory/d", O_RDONLY) >= 0);
  show_events(watcher);
  about("metadata");
  SHOW(chmod("directory/old", 0600));
  SHOW(truncate("directory/old", 1));
  SHOW(utimensat(AT_FDCWD, "directory/old", NULL, 0));
  SHOW(setxattr("directory/old", "user.x", "1", 1, 0));
  SHOW(chown("directory/old", geteuid(), getegid()));
  SHOW(open("directory/old", O_PATH) >= 0);
  SHOW(open("directory/missing", O_RDONLY));
  SHOW(open("directory/old", O_CREAT | O_EXCL | O_RDONLY, 0600));
  SHOW(open("directory", O_TMPFILE | O_RDWR, 0600) >= 0);
  show_events(watcher);
  about("remove");
  SHOW(unlink("directory/link"));
  SHOW(unlink("directory/newer"));
  SHOW(rmdir("directory/d"));
  SHOW(unlink("directory/missing"));
  show_events(watcher);
  about("start");
  run(AT_FDCWD, "script", 0);
  show_events(watcher);
  about("remove the directory");
  SHOW(unlink("directory/symlink"));
  SHOW(unlink("directory/fifo"));
  SHOW(unlink("directory/old"));
  SHOW(rmdir("directory"));
  show_events(watcher);
}

void access_times(void) {
  const struct timespec past[2] = {{1000000000, 0}, {1000000001, 0}};
  put("file", "text", 0644);
  put("script", "#!/bin/sh\n", 0755);
  need(mkdir("directory", 0755) == 0, "mkdir");
  static const int flags[] = {O_RDONLY, O_RDONLY | O_NOATIME, O_RDWR | O_NOATIME, O_RDWR, O_PATH};
  for (size_t i = 0; i < COUNT_OF(flags); ++i) {
    about("flags %o", flags[i]);
    SHOW(utimensat(AT_FDCWD, "file", past, 0));
    const int fd = (int)SHOW(open("file", flags[i]));
    show_times("file");
    if ((flags[i] & O_PATH) == 0) {
      show_read(fd);
    }
    show_times("file");
    close(fd);
  }
  about("others");
  SHOW(open("/etc/passwd", O_RDONLY | O_NOATIME) >= 0 ? 1 : -1);
  SHOW(utimensat(AT_FDCWD, "directory", past, 0));
  list("directory");
  show_times("directory");
  SHOW(utimensat(AT_FDCWD, "script", past, 0));
  run(AT_FDCWD, "script", 0);
  show_times("script");
  SHOW(utimensat(AT_FDCWD, "script", past, 0));
  SHOW(chmod("script", 0700));
  show_times("script");
  SHOW(utimensat(AT_FDCWD, "file", past, 0));
  SHOW(rename("file", "file2"));
  show_times("file2");
  SHOW(link("file2", "file3"));
  show_times("file2");
  SHOW(utimensat(AT_FDCWD, "directory", past, 0));
  SHOW(mkdir("directory/d", 0755));
  show_times("directory");
}

static void lock_in_child(void) {
  const int fd = open("file", O_RDWR);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 5};
  SHOW(fcntl(fd, F_SETLK, &lock));
  SHOW(fcntl(fd, F_OFD_SETLK, &lock));
  SHOW(fcntl(fd, F_GETLK, &lock));
  say("held by parent %d", lock.l_pid == getppid());
  SHOW(flock(fd, LOCK_EX | LOCK_NB));
  SHOW(flock(fd, LOCK_SH | LOCK_NB));
}

void locks(void) {
  put("file", "0123456789", 0644);
  static const int modes[] = {O_RDONLY, O_WRONLY, O_RDWR};
  for (size_t i = 0; i < COUNT_OF(modes); ++i) {
    for (int type = 0; type < 3; ++type) {
      struct flock lock = {.l_type = (short)type, .l_whence = SEEK_SET, .l_len = 3};
      const int fd = open("file", modes[i]);
      about("mode %d, lock %d", modes[i], type);
      SHOW(fcntl(fd, F_SETLK, &lock));
      SHOW(fcntl(fd, F_OFD_SETLK, &lock));
      SHOW(flock(fd, LOCK_SH | LOCK_NB));
      SHOW(fcntl(fd, F_SETLEASE, F_UNLCK));
      close(fd);
    }
  }
  about("conflicts");
  const int fd = open("file", O_RDWR);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 5};
  SHOW(fcntl(fd, F_SETLK, &lock));
  SHOW(flock(fd, LOCK_EX));
  in_child(lock_in_child);
  // Closing any descriptor of the file gives POSIX locks up.
  close(open("file", O_RDONLY));
  in_child(lock_in_child);
  SHOW(flock(fd, LOCK_UN));
  in_child(lock_in_child);
  SHOW(fcntl(fd, F_OFD_SETLK, &lock) == 0 || errno == EINVAL ? 0 : -1);
  lock.l_pid = 0;
  SHOW(fcntl(fd, F_OFD_SETLK, &lock));
  in_child(lock_in_child);
  close(fd);
  in_child(lock_in_child);
  about("dropped when the holder closes");
  const int again = open("file", O_RDWR);
  SHOW(flock(again, LOCK_EX | LOCK_NB));
  close(again);
  const int third = open("file", O_RDWR);
  SHOW(flock(third, LOCK_EX | LOCK_NB));
  about("taken again and again");
  static const int reopened[] = {O_RDONLY, O_RDWR, O_RDWR | O_CREAT | O_EXCL};
  for (size_t i = 0; i < COUNT_OF(reopened); ++i) {
    int busy = 0;
    for (int turn = 0; turn < 500; ++turn) {
      const char* const name = (reopened[i] & O_EXCL) != 0 ? "fresh" : "turns";
      unlink("fresh");
      close(open("turns", O_CREAT | O_WRONLY, 0644));
      int own = open(name, reopened[i], 0644);
      busy += flock(own, LOCK_EX | LOCK_NB) != 0;
      close(own);
      own = open(name, O_RDONLY);
      struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
      busy += fcntl(own, F_OFD_SETLK, &whole) != 0;
      busy += flock(own, LOCK_EX | LOCK_NB) != 0;
      close(own);
      own = open(name, O_WRONLY);
      whole.l_type = F_WRLCK;
      busy += fcntl(own, F_OFD_SETLK, &whole) != 0;
      close(own);
    }
    say("%zu: found busy %d", i, busy);
  }
  about("leases");
  const int single = open("file", O_RDONLY);
  SHOW(fcntl(single, F_GETLEASE));
  about("flags");
  SHOW(fcntl(single, F_SETFL, O_APPEND | O_NONBLOCK));
  show_fd(single);
  SHOW(fcntl(single, F_SETPIPE_SZ, 4096));
  const int copy_of = (int)SHOW(fcntl(single, F_DUPFD_CLOEXEC, 20));
  show_fd(copy_of);
}
