// Line 32: a broker with few descriptors, which calls that wait use up. What it cannot open it cannot judge, and refuses.
//
// launch: ulimit -n 80
// limit: 30
// refused: program ECHILD,EMFILE,ENFILE,EAGAIN cat cannot be started, or reads nothing
// refused: * EMFILE,ENFILE,EAGAIN,ESRCH the broker has nothing left to judge with, or to look at its caller
#include "attack.h"

static long makes_and_reads(void) { return writes("made", "x") < 0 ? -1 : steals(".env"); }

int main(void) {
  begin();
  mkfifo("fifo", 0600);
  pid_t waiting[48];
  for (int i = 0; i < 48; ++i) {
    waiting[i] = fork();
    if (waiting[i] == 0) {
      alarm(10);
      (void)!open("fifo", O_RDONLY);
      _exit(0);
    }
  }
  pause_ms(200);
  TRY("open", steals(".env"));
  TRY("open-home", steals(home(".ssh/id_test")));
  TRY("after-making", makes_and_reads());
  TRY("chmod", chmod(home("notes"), 0777));
  TRY("truncate", truncate(home("notes"), 0));
  TRY("unlink", unlink(home("notes")));
  char* const words[] = {"cat", ".env", NULL};
  TRY("program", runs(words));
  for (int i = 0; i < 48; ++i) {
    kill(waiting[i], SIGKILL);
    waitpid(waiting[i], NULL, 0);
  }
  pause_ms(100);
  TRY("afterwards", steals(".env"));
  return 0;
}
