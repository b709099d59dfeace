// Line 42: a rule of `unix_sockets` names some sockets of the host, and the tree brings another one under such a name. What is judged is
// where the object is (R11), symlinks give it no other name, and a socket that somebody outside uses is not renamed or linked.
//
// outsider:
// limit: 30
// setup: mkdir -p "$HOME/.config/safedep/pmg/sandbox/profiles" allowed run other
// setup: echo "name: mine\ndescription: mine\npackage_managers: [npm]\ninherits: exec\nunix_sockets:\n  allow:" >profile
// setup: echo '    - $'{CWD}/allowed/**'\n    - $'{CWD}/exact.sock'\n    - $'{CWD}/group/*/agent.sock >>profile
// setup: mv profile "$HOME/.config/safedep/pmg/sandbox/profiles/mine.yml"
// flags: --sandbox-profile mine
// says: refused connect to .*/run/docker\.sock
#include <poll.h>

#include "unix.h"

enum { SERVICES = 4 };
static const char* const kServices[SERVICES] = {"run/docker.sock", "other/agent.sock", "free.sock",
                                                "allowed/yes.sock"};

// All but the last are a breach.
static _Noreturn void outside(void) {
  struct pollfd services[SERVICES];
  for (int i = 0; i < SERVICES; ++i) {
    services[i].fd = listening(kServices[i], SOCK_STREAM);
    services[i].events = POLLIN;
  }
  READY();
  for (;;) {
    poll(services, SERVICES, -1);
    for (int i = 0; i < SERVICES; ++i) {
      if (services[i].revents != 0) {
        close(accept(services[i].fd, NULL, NULL));
        if (i + 1 < SERVICES) {
          printf("BREACH %s was reached\n", kServices[i]);
          fflush(stdout);
        }
      }
    }
  }
}

// Connects by `name` and undoes the way there.
static long reached_by(long made, const char* name, const char* back_from, const char* back_to) {
  if (made != 0) {
    return -1;
  }
  const long result = connects(name);
  const int error = errno;
  if (back_from) {
    (void)!rename(back_from, back_to);
  }
  return with_error(error, result);
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    outside();
  }
  begin();
  // What the rule is for.
  require(connects("allowed/yes.sock"), "the socket that the rule names");
  TRY("direct", connects("run/docker.sock"));
  TRY("around", connects("allowed/../run/docker.sock"));
  TRY("symlink",
      reached_by(symlink("../run/docker.sock", "allowed/link"), "allowed/link", NULL, NULL));
  TRY("symlink-exact",
      reached_by(symlink("run/docker.sock", "exact.sock"), "exact.sock", NULL, NULL));
  unlink("exact.sock");
  TRY("folder-symlink",
      reached_by(symlink("../run", "allowed/run"), "allowed/run/docker.sock", NULL, NULL));
  unlink("allowed/run");
  TRY("hard-link",
      reached_by(link("run/docker.sock", "allowed/linked"), "allowed/linked", NULL, NULL));
  TRY("hard-link-exact", reached_by(link("free.sock", "exact.sock"), "exact.sock", NULL, NULL));
  unlink("exact.sock");
  TRY("renamed", reached_by(rename("free.sock", "allowed/moved"), "allowed/moved", "allowed/moved",
                            "free.sock"));
  TRY("renamed-exact",
      reached_by(rename("free.sock", "exact.sock"), "exact.sock", "exact.sock", "free.sock"));
  writes("mine", "mine");
  TRY("exchanged",
      (exchanges("mine", "free.sock") == 0
           ? reached_by(rename("mine", "exact.sock"), "exact.sock", "exact.sock", "free.sock")
           : -1));
  TRY("folder-renamed",
      reached_by(rename("run", "allowed/run"), "allowed/run/docker.sock", "allowed/run", "run"));
  mkdir("group", 0755);
  TRY("folder-of-a-glob",
      reached_by(rename("other", "group/a"), "group/a/agent.sock", "group/a", "other"));
  TRY("rule-folder-replaced",
      (rename("allowed", "was") == 0
           ? reached_by(rename("run", "allowed"), "allowed/docker.sock", "allowed", "run")
           : -1));
  if (exists("was")) {
    (void)!rename("was", "allowed");
  }
  TRY("folders-exchanged",
      reached_by(exchanges("run", "allowed"), "allowed/docker.sock", NULL, NULL));
  return 0;
}
