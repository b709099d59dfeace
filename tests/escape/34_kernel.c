// Line 34: interfaces of the kernel that hold secrets, run code in it, or are large and little tested. All are refused in the filter,
// whatever their arguments. `personality` is refused where it would make data executable.
//
// optional: * the kernel has no such call, or keeps it for root
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <sys/ipc.h>
#include <sys/personality.h>
#include <sys/reboot.h>

#include "attack.h"

// The kernel looked at the arguments: anything but "no such call" and "not you".
static long reached(long result) {
  return result < 0 && errno != EPERM && errno != ENOSYS && errno != EACCES && errno != EAFNOSUPPORT
             ? 0
             : result;
}

static long adds_key(void) {
  return syscall(SYS_add_key, "user", "escape", "x", 1UL, KEY_SPEC_PROCESS_KEYRING);
}
static long finds_session_key(void) {
  return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
}
static long reads_user_keyring(void) {
  char bytes[256];
  return syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_USER_KEYRING, bytes, sizeof bytes);
}
static long requests_key(void) {
  return syscall(SYS_request_key, "user", "escape", NULL, KEY_SPEC_PROCESS_KEYRING);
}

static long makes_map(void) {
  union bpf_attr attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.map_type = BPF_MAP_TYPE_ARRAY;
  attribute.key_size = 4;
  attribute.value_size = 4;
  attribute.max_entries = 1;
  return syscall(SYS_bpf, BPF_MAP_CREATE, &attribute, sizeof attribute);
}
static long counts_events(pid_t pid) {
  struct perf_event_attr attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.type = PERF_TYPE_SOFTWARE;
  attribute.size = sizeof attribute;
  attribute.config = PERF_COUNT_SW_TASK_CLOCK;
  attribute.exclude_kernel = 1;
  attribute.exclude_hv = 1;
  return syscall(SYS_perf_event_open, &attribute, pid, -1, -1, 0UL);
}
static long handles_faults(int flags) { return syscall(SYS_userfaultfd, flags | O_CLOEXEC); }
static long sets_personality(unsigned long persona) {
  const int before = personality(0xffffffff);
  const long result = personality(persona);
  const int error = errno;
  personality((unsigned long)before);
  errno = error;
  return result;
}
static long personality_keeps(void* unused) {
  (void)unused;
  return personality(READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE) >= 0 &&
                 (personality(0xffffffff) & READ_IMPLIES_EXEC)
             ? 0
             : -1;
}

static long makes_shared_memory(void) {
  const long id = syscall(SYS_shmget, IPC_PRIVATE, 4096UL, IPC_CREAT | 0600);
  if (id >= 0) {
    syscall(SYS_shmctl, id, IPC_RMID, NULL);
  }
  return id;
}

int main(void) {
  begin();
  TRY("add_key", adds_key());
  TRY("keyctl-session", finds_session_key());
  TRY("keyctl-read", reads_user_keyring());
  TRY("keyctl-join", syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL));
  TRY("request_key", reached(requests_key()));
  TRY("bpf", makes_map());
  TRY("bpf-listing", reached(syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, NULL, 0U)));
  TRY("perf", counts_events(0));
  TRY("perf-of-the-broker", counts_events(getppid()));
  TRY("userfaultfd", handles_faults(0));
  TRY("userfaultfd-user-mode", handles_faults(1));
  TRY("userfaultfd-device", opens("/dev/userfaultfd", O_RDWR));
  TRY("kexec_load", reached(syscall(SYS_kexec_load, 0UL, 17UL, NULL, 0UL)));
  TRY("kexec_file_load", reached(syscall(SYS_kexec_file_load, -1, -1, 0UL, "", 0UL)));
  TRY("init_module", reached(syscall(SYS_init_module, "x", 1UL, "")));
  TRY("finit_module", reached(syscall(SYS_finit_module, -1, "", 0)));
  TRY("delete_module", reached(syscall(SYS_delete_module, "no_such_module_here", O_NONBLOCK)));
  TRY("personality-executable", sets_personality(READ_IMPLIES_EXEC));
  TRY("personality-among-others",
      sets_personality(READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE | PER_LINUX32));
  TRY("personality-in-child", in_child(personality_keeps, NULL));
  TRY("io_uring_setup", syscall(425, 4U, (char[120]){0}));
  TRY("io_uring_enter", reached(syscall(426, -1, 0U, 0U, 0U, NULL, 0UL)));
  TRY("io_uring_register", reached(syscall(427, -1, 0U, NULL, 0U)));
  TRY("clone3", reached(syscall(435, NULL, 0UL)));
  TRY("fanotify", syscall(SYS_fanotify_init, 0x200U, 0U));
  TRY("memfd_secret", syscall(447, 0U));
  TRY("modify_ldt", syscall(SYS_modify_ldt, 0, (char[16]){0}, 16UL));
#ifdef __x86_64__
  TRY("iopl", syscall(SYS_iopl, 0U));
  TRY("ioperm", syscall(SYS_ioperm, 0x80UL, 1UL, 0));
#endif
  TRY("syslog", syscall(SYS_syslog, 10, NULL, 0));
  TRY("syslog-read", syscall(SYS_syslog, 3, (char[256]){0}, 256));
  TRY("shared-memory", makes_shared_memory());
  TRY("message-queue", reached(syscall(SYS_msgget, 0x70736361, 0)));
  TRY("semaphores", reached(syscall(SYS_semget, 0x70736361, 0, 0)));
  TRY("posix-queue", reached(syscall(SYS_mq_open, "no-such-queue", O_RDONLY, 0, NULL)));
  TRY("posix-queue-unlink", reached(syscall(SYS_mq_unlink, "no-such-queue")));
  TRY("reboot", reached(syscall(SYS_reboot, 0, 0, 0, NULL)));
  TRY("swapon", reached(syscall(SYS_swapon, "/nowhere", 0)));
  TRY("swapoff", reached(syscall(SYS_swapoff, "/nowhere")));
  TRY("acct", reached(syscall(SYS_acct, "/nowhere")));
  TRY("quotactl", reached(syscall(SYS_quotactl, 0, "/nowhere", 0, NULL)));
  TRY("sethostname", reached(syscall(SYS_sethostname, NULL, 4096)));
  TRY("setdomainname", reached(syscall(SYS_setdomainname, NULL, 4096)));
  TRY("settimeofday", reached(syscall(SYS_settimeofday, &(struct timeval){.tv_usec = -1}, NULL)));
  TRY("newer-call", reached(syscall(463, -1, NULL, 0, NULL, NULL, 0UL)));
  TRY("newest-call", reached(syscall(467, -1, NULL, 0U, NULL, 0UL)));
  return 0;
}
