// Line 26: writing through what is only open for reading: a mapping, and the descriptor opened
// again. A descriptor may be opened again for what it gives, and no more.
// says: refused write ${HOME}/notes
// optional: upgrade the kernel refuses to make a mapping of a reading descriptor writable
#include "attack.h"

static const char* name(const char* how, int fd) { return text(how, fd); }

static long maps(int fd) {
  char* bytes = fd < 0 ? MAP_FAILED : mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED) {
    return -1;
  }
  bytes[0] = 'x';
  return msync(bytes, 4, MS_SYNC);
}

static long upgrades(int fd) {
  char* bytes = mmap(NULL, 4, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED || mprotect(bytes, 4, PROT_READ | PROT_WRITE) != 0) {
    return -1;
  }
  bytes[0] = 'x';
  return 0;
}

static long opens_at(int directory, const char* path) {
  const int fd = openat(directory, path, O_WRONLY);
  return fd < 0 ? -1 : close(fd);
}

static int number;

static long in_another(void* how) { return opens(text(how, getppid(), number), O_WRONLY); }

int main(void) {
  begin();
  const int fd = open(home("notes"), O_RDONLY);
  number = fd;
  TRY("map", maps(open(home("notes"), O_RDWR)));
  TRY("map-reopened", maps(open(name("/proc/self/fd/%d", fd), O_RDWR)));
  TRY("upgrade", upgrades(fd));
  static const struct {
    const char* what;
    const char* how;
  } ways[] = {
      {"self", "/proc/self/fd/%d"}, {"thread", "/proc/thread-self/fd/%d"}, {"dev", "/dev/fd/%d"}};
  for (size_t i = 0; i < 3; ++i) {
    TRY(text("%s-write", ways[i].what), opens(name(ways[i].how, fd), O_WRONLY));
    TRY(text("%s-both", ways[i].what), opens(name(ways[i].how, fd), O_RDWR));
    TRY(text("%s-append", ways[i].what), opens(name(ways[i].how, fd), O_WRONLY | O_APPEND));
    TRY(text("%s-three", ways[i].what), opens(name(ways[i].how, fd), 3));
    TRY(text("%s-truncate", ways[i].what), truncate(name(ways[i].how, fd), 3));
    TRY(text("%s-open-truncate", ways[i].what), opens(name(ways[i].how, fd), O_RDONLY | O_TRUNC));
  }
  TRY("pid-write", opens(text("/proc/%d/fd/%d", getpid(), fd), O_WRONLY));
  TRY("openat-write", opens_at(open("/proc/self/fd", O_PATH), name("%d", fd)));
  TRY("stdin", (dup2(fd, 0), opens("/dev/stdin", O_WRONLY)));
  TRY("duplicate-write", opens(name("/proc/self/fd/%d", dup(fd)), O_WRONLY));
  TRY("parent-write", in_child(in_another, (void*)"/proc/%d/fd/%d"));
  TRY("symlink-write", (symlink(name("/proc/self/fd/%d", fd), "way"), opens("way", O_WRONLY)));
  return 0;
}
