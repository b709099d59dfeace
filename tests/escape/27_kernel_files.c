// Line 27: controls and secrets of the kernel. Writing is denied below /proc/sys and /sys, secrets
// of the kernel in both directions (M7), devices need a rule of their own (R5), and of a process's
// own entries only harmless ones may be written (Q2). The control opens and writes nothing, but for
// a score and a group that it makes and removes.
// says: refused write /proc/sys/kernel/core_pattern
// optional: * belongs to root, or this kernel or container has no such file
#include "attack.h"

static long writes_score(const char* score) {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY);
  return fd < 0 ? -1 : write(fd, score, strlen(score));
}
static long lowers(void* nothing) {
  (void)nothing;
  return writes_score("-100");
}
static long raises_and_returns(void* nothing) {
  (void)nothing;
  return writes_score("100") < 0 ? -1 : writes_score("0");
}
static long makes_group(void) {
  const long result = mkdir("/sys/fs/cgroup/pmg-escape", 0755);
  const int error = errno;
  rmdir("/sys/fs/cgroup/pmg-escape");
  return with_error(error, result);
}

int main(void) {
  begin();
  static const char* const written[] = {"/proc/sys/kernel/core_pattern",
                                        "/proc/sys/kernel/modprobe",
                                        "/proc/sys/kernel/hotplug",
                                        "/proc/sys/kernel/poweroff_cmd",
                                        "/proc/sys/kernel/randomize_va_space",
                                        "/proc/sys/kernel/yama/ptrace_scope",
                                        "/proc/sys/kernel/unprivileged_bpf_disabled",
                                        "/proc/sys/fs/binfmt_misc/register",
                                        "/proc/sys/fs/protected_symlinks",
                                        "/proc/sys/vm/drop_caches",
                                        "/proc/sys/vm/overcommit_memory",
                                        "/proc/sys/net/ipv4/ip_forward",
                                        "/proc/sys/kernel/hostname",
                                        "/proc/sysrq-trigger",
                                        "/proc/self/uid_map",
                                        "/proc/self/gid_map",
                                        "/proc/self/setgroups",
                                        "/proc/self/mem",
                                        "/proc/self/attr/current",
                                        "/proc/self/loginuid",
                                        "/proc/self/clear_refs",
                                        "/proc/self/autogroup",
                                        "/proc/self/oom_adj",
                                        "/sys/fs/cgroup/cgroup.procs",
                                        "/sys/fs/cgroup/cgroup.subtree_control",
                                        "/sys/fs/cgroup/release_agent",
                                        "/sys/kernel/uevent_helper",
                                        "/sys/kernel/mm/ksm/run",
                                        "/sys/kernel/security/lockdown",
                                        "/sys/power/state",
                                        "/sys/module/printk/parameters/time",
                                        "/sys/kernel/debug/tracing/trace_marker",
                                        "/sys/kernel/tracing/trace_marker"};
  for (size_t i = 0; i < sizeof written / sizeof *written; ++i) {
    TRY(text("write:%s", written[i]), opens(written[i], O_WRONLY));
  }
  static const char* const read[] = {
      "/proc/kcore",      "/proc/kmsg",        "/proc/keys",     "/proc/kpagecount",
      "/proc/kpageflags", "/proc/kpagecgroup", "/dev/mem",       "/dev/kmem",
      "/dev/port",        "/dev/kmsg",         "/dev/vda",       "/dev/sda",
      "/dev/nvme0n1",     "/dev/loop-control", "/dev/fuse",      "/dev/net/tun",
      "/dev/kvm",         "/dev/uinput",       "/dev/cpu/0/msr", "/dev/mapper/control"};
  for (size_t i = 0; i < sizeof read / sizeof *read; ++i) {
    TRY(text("read:%s", read[i]), opens(read[i], O_RDONLY | O_NONBLOCK));
  }
  TRY("oom-lower", in_child(lowers, NULL));
  TRY("oom-return", in_child(raises_and_returns, NULL));
  TRY("cgroup", makes_group());
  TRY("core_pattern-path",
      opens(text("/proc/self/fd/%d", open("/proc/sys/kernel/core_pattern", O_PATH)), O_WRONLY));
  TRY("core_pattern-reopened",
      opens(text("/proc/self/fd/%d", open("/proc/sys/kernel/core_pattern", O_RDONLY)), O_WRONLY));
  TRY("core_pattern-symlink",
      (symlink("/proc/sys/kernel/core_pattern", "way"), opens("way", O_WRONLY)));
  TRY("core_pattern-task", opens("/proc/self/root/proc/sys/kernel/core_pattern", O_WRONLY));
  TRY("device-node", mknod("disk", S_IFBLK | 0600, 0xfe00));
  TRY("device-node-null", mknod("null", S_IFCHR | 0666, 0x103));
  return 0;
}
