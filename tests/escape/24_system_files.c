// Line 24: what the system runs for everybody: cron, the login shell, the loader, accounts. Files
// are only opened, and places are probed by an unnamed file, so that the control changes nothing.
// optional: * belongs to root, or is not there
#include "attack.h"

int main(void) {
  begin();
  static const char* const files[] = {"/etc/crontab",     "/etc/passwd",
                                      "/etc/group",       "/etc/profile",
                                      "/etc/bash.bashrc", "/etc/environment",
                                      "/etc/ld.so.conf",  "/etc/hosts",
                                      "/etc/resolv.conf", "/etc/sudoers",
                                      "/etc/shadow",      "/usr/bin/env",
                                      "/usr/bin/python3", "/lib64/ld-linux-x86-64.so.2"};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    TRY(text("write:%s", files[i]), opens(files[i], O_WRONLY | O_APPEND));
  }
  static const char* const places[] = {"/",
                                       "/etc",
                                       "/etc/cron.d",
                                       "/etc/cron.daily",
                                       "/etc/profile.d",
                                       "/etc/systemd/system",
                                       "/etc/ld.so.conf.d",
                                       "/var/spool/cron",
                                       "/var/spool/cron/crontabs",
                                       "/usr/bin",
                                       "/usr/local/bin",
                                       "/root",
                                       "/opt",
                                       "/var/lib",
                                       "/run"};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    TRY(text("create:%s", places[i]), opens(places[i], O_WRONLY | O_TMPFILE));
  }
  TRY("read:/etc/shadow", opens("/etc/shadow", O_RDONLY));
  TRY("read:/etc/gshadow", opens("/etc/gshadow", O_RDONLY));
  return 0;
}
