// Line 33: typing into a terminal, and terminals of somebody else. TIOCSTI, TIOCLINUX and TIOCSETD are refused by the low 32 bits of the request,
// which is all that the kernel looks at; a terminal may be opened only if the tree made it or got it as a standard stream.
//
// outsider:
// optional: type-* the kernel refuses TIOCSTI (dev.tty.legacy_tiocsti), or there are no terminals
// optional: discipline* there are no terminals
// optional: console-* for virtual consoles only
// optional: other-* there are no terminals
#include <sys/ioctl.h>
#include <termios.h>

#include "attack.h"

static int ours = -1;
static int theirs = -1;

// In a child that is a session leader with the terminal: types a letter, and reads it.
static long types(void* request) {
  const char letter = 'x';
  if (setsid() < 0 || ioctl(theirs, TIOCSCTTY, 0) != 0) {
    return refuse(ENODATA);
  }
  if (syscall(SYS_ioctl, theirs, *(unsigned long*)request, &letter) != 0) {
    return -1;
  }
  char got = 0;
  return read(theirs, &got, 1) == 1 && got == letter ? 0 : refuse(ENODATA);
}
static long types_by(unsigned long request) { return in_child(types, &request); }

// The kernel says EINVAL or ENOTTY where it looked at the request.
static long consoles(unsigned long request) {
  const char code[] = {2, 1, 0, 1, 0, 1, 0, 1, 0, 0};
  const long result = syscall(SYS_ioctl, theirs, request, code);
  return result < 0 && (errno == EINVAL || errno == ENOTTY) ? 0 : result;
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);
    const int usable = fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0;
    printf("ready %s\n", usable ? ptsname(fd) : "/nowhere");
    fflush(stdout);
    for (;;) {
      pause();
    }
  }
  begin();
  ours = posix_openpt(O_RDWR | O_NOCTTY);
  if (ours < 0 || grantpt(ours) != 0 || unlockpt(ours) != 0 ||
      (theirs = open(ptsname(ours), O_RDWR | O_NOCTTY)) < 0) {
    ours = theirs = -1;
  } else {
    struct termios modes;
    tcgetattr(theirs, &modes);
    cfmakeraw(&modes);
    tcsetattr(theirs, TCSANOW, &modes);
  }
  TRY("type-plain", types_by(TIOCSTI));
  TRY("type-high-bit", types_by(TIOCSTI | 1UL << 32));
  TRY("type-highest-bit", types_by(TIOCSTI | 1UL << 63));
  TRY("type-all-high-bits", types_by(TIOCSTI | 0xffffffffUL << 32));
  TRY("console-plain", consoles(TIOCLINUX));
  TRY("console-high-bit", consoles(TIOCLINUX | 1UL << 32));
  TRY("console-highest-bit", consoles(TIOCLINUX | 1UL << 63));
  int discipline = 0;  // the one that it has
  TRY("discipline", ioctl(theirs, TIOCSETD, &discipline));
  TRY("discipline-high-bit", syscall(SYS_ioctl, theirs, TIOCSETD | 1UL << 32, &discipline));
  const char* const other = count > 1 ? words[1] : "/nowhere";
  TRY("other-read", opens(other, O_RDONLY | O_NOCTTY));
  TRY("other-write", opens(other, O_WRONLY | O_NOCTTY));
  TRY("other-both", opens(other, O_RDWR | O_NOCTTY | O_NONBLOCK));
  TRY("other-take", opens(other, O_RDWR));
  TRY("other-reopen", opens(text("/proc/self/fd/%d", open(other, O_PATH)), O_RDWR | O_NOCTTY));
  TRY("other-symlink", symlink(other, "terminal") == 0 ? opens("terminal", O_RDWR | O_NOCTTY) : -1);
  TRY("other-around", opens(text("/proc/self/root%s", other), O_RDWR | O_NOCTTY));
  return 0;
}
