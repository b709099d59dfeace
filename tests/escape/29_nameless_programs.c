// Line 29: programs without a name in the file system, and programs where nothing may run. A memfd is made by the broker, sealed
// against execution; an object without a name is no program; and TMPDIR is written but not executed, which the broker judges and
// Landlock holds, also for the interpreter of a script and the loader that an ELF file names.
//
// says: refused execute .*has no name in the file system
// says: refused execute ${TOP}/tmp/program: no rule allows
// optional: memfd-exec* the kernel has no MFD_EXEC (6.3)
// optional: shm* /dev/shm is mounted noexec, or missing
// refused: memfd* EACCES,EINVAL,EPERM
// refused: race:* ENODATA the last try was the harmless program
#include "tiny_program.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

// Writes a program into `fd`.
static long fill(int fd) {
  char bytes[4096];
  if (fd < 0 || makes("filling", "ran", NULL) != 0) {
    return -1;
  }
  const int from = open("filling", O_RDONLY);
  const ssize_t size = read(from, bytes, sizeof bytes);
  close(from);
  return size > 0 && write(fd, bytes, (size_t)size) == size ? 0 : -1;
}

static char* const kWords[] = {"x", NULL};

static long becomes(void* path) { return execv(path, kWords); }
static long becomes_fd(void* fd) {
  return syscall(SYS_execveat, *(int*)fd, "", kWords, environ, AT_EMPTY_PATH);
}

static long starts(const char* path) { return ran(becomes, (void*)path); }
static long starts_fd(int fd) { return fd < 0 ? -1 : ran(becomes_fd, &fd); }

static int memory(unsigned flags) {
  const int fd = (int)syscall(SYS_memfd_create, "program", flags);
  if (fill(fd) != 0) {
    return -1;
  }
  const int error = errno;
  (void)!fchmod(fd, 0755);
  (void)!chmod(text("/proc/self/fd/%d", fd), 0755);
  (void)!fchmodat(AT_FDCWD, text("/proc/self/fd/%d", fd), 0777, 0);
  errno = error;
  return fd;
}
// Nobody may hold a program open for writing when it starts.
static int only_reading(int fd) {
  const int again = fd < 0 ? -1 : open(text("/proc/self/fd/%d", fd), O_RDONLY);
  const int error = errno;
  close(fd);
  errno = error;
  return again;
}
static int path_only(int fd) {
  const int again = fd < 0 ? -1 : open(text("/proc/self/fd/%d", fd), O_PATH);
  close(fd);
  return again;
}

// A descriptor of a file that is an executable program and has no name.
static int deleted(const char* path) {
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
  if (fill(fd) != 0) {
    return -1;
  }
  close(fd);
  const int again = open(path, O_RDONLY);
  return again >= 0 && unlink(path) == 0 ? again : -1;
}
static int unnamed(const char* folder) {
  const int fd = open(folder, O_TMPFILE | O_RDWR, 0755);
  return fill(fd) == 0 ? only_reading(fd) : -1;
}

static const char* program_at(const char* path) {
  makes(path, "ran", NULL);
  return path;
}
static const char* script_at(const char* path, const char* first) {
  writes(path, text("#!%s\necho ran\n", first));
  (void)!chmod(path, 0755);
  return path;
}

// A program that names this one as its loader: the kernel starts the loader.
static long named_loader_starts(const char* loader) {
  return makes("crafted", "own", loader) == 0 ? starts("./crafted") : -1;
}

// A thread puts a nameless program under the number of an allowed one while it is judged.
static int number = 100;
static int allowed;
static int nameless;
static void swaps(void) {
  dup2(nameless, number);
  dup2(allowed, number);
}
static long number_starts(void) { return starts_fd(number); }

int main(void) {
  begin();
#ifndef __x86_64__
  SKIP("all", "the programs that are made here are for x86-64");
  return 0;
#endif
  const char* const tmp = getenv("TMPDIR");
  const char* const program = strdup(program_at(text("%s/program", tmp)));
  TRY("memfd", starts_fd(only_reading(memory(0))));
  TRY("memfd-proc", starts(text("/proc/self/fd/%d", only_reading(memory(0)))));
  TRY("memfd-dev", starts(text("/dev/fd/%d", only_reading(memory(0)))));
  TRY("memfd-path-only", starts_fd(path_only(memory(0))));
  TRY("memfd-closed-on-exec", starts_fd(only_reading(memory(MFD_CLOEXEC))));
  TRY("memfd-sealing", starts_fd(only_reading(memory(MFD_ALLOW_SEALING))));
  TRY("memfd-exec", starts_fd(only_reading(memory(MFD_EXEC))));
  TRY("memfd-exec-sealing", starts_fd(only_reading(memory(MFD_EXEC | MFD_ALLOW_SEALING))));
  TRY("memfd-script",
      starts(script_at("script", text("/proc/self/fd/%d", only_reading(memory(0))))));
  TRY("memfd-loader", named_loader_starts(text("/proc/self/fd/%d", only_reading(memory(0)))));
  TRY("deleted", starts_fd(deleted("deleted")));
  TRY("deleted-proc", starts(text("/proc/self/fd/%d", deleted("deleted"))));
  TRY("deleted-tmp", starts_fd(deleted(text("%s/deleted", tmp))));
  TRY("unnamed", starts_fd(unnamed(".")));
  TRY("unnamed-proc", starts(text("/proc/self/fd/%d", unnamed("."))));
  TRY("unnamed-tmp", starts_fd(unnamed(tmp)));
  TRY("tmp", starts(program));
  TRY("tmp-descriptor", starts_fd(open(program, O_RDONLY)));
  TRY("tmp-path-only", starts_fd(open(program, O_PATH)));
  TRY("tmp-symlink", symlink(program, "link") == 0 ? starts("./link") : -1);
  TRY("tmp-script", starts(script_at(text("%s/script", tmp), "/bin/sh")));
  TRY("tmp-interpreter", starts(script_at("script", program)));
  TRY("tmp-interpreter-symlink", starts(script_at("script", "./link")));
  TRY("tmp-loader", (symlink(tmp, "t"), named_loader_starts("t/program")));
  TRY("shm", starts(program_at(text("/dev/shm/escape-%d", (int)getpid()))));
  TRY("shm-descriptor", starts_fd(open(text("/dev/shm/escape-%d", (int)getpid()), O_RDONLY)));
  unlink(text("/dev/shm/escape-%d", (int)getpid()));
  allowed = open("/bin/true", O_RDONLY);
  nameless = unnamed(".");
  TRY("race:unnamed", wins_race(number_starts, swaps, RACER_THREAD, 1000, 1000));
  nameless = open(program, O_RDONLY);
  TRY("race:tmp", wins_race(number_starts, swaps, RACER_THREAD, 1000, 1000));
  return 0;
}
