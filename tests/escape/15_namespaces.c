// Line 15: another root, another namespace, another mount. Every path would mean something else;
// the filter refuses these calls (F2), also where the kernel lets an ordinary user have them.
// outsider:
// optional: * needs a privilege that this user or this container does not have
#include <linux/mount.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mount.h>

#include "attack.h"

static const struct {
  const char* name;
  long flag;
} kinds[] = {{"mount", CLONE_NEWNS}, {"cgroup", CLONE_NEWCGROUP}, {"uts", CLONE_NEWUTS},
             {"ipc", CLONE_NEWIPC},  {"user", CLONE_NEWUSER},     {"pid", CLONE_NEWPID},
             {"net", CLONE_NEWNET}};

static _Noreturn void outside(void) {
  // Namespaces of its own can be entered; where there are none, those of the machine serve.
  (void)unshare(CLONE_NEWUSER);
  READY("%d", getpid());
  wait_for_end();
}

static long unshares(void* flag) { return unshare((int)*(const long*)flag); }

static long clones(long flag) {
  const long pid = syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    _exit(0);
  }
  if (pid > 0) {
    waitpid((pid_t)pid, NULL, 0);
  }
  return pid;
}

static long clones3(long flag) {
  struct clone_args arguments = {.flags = (uint64_t)flag, .exit_signal = SIGCHLD};
  const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) {
    _exit(0);
  }
  if (pid > 0) {
    waitpid((pid_t)pid, NULL, 0);
  }
  return pid;
}

static long enters(void* name) { return setns(open(name, O_RDONLY), 0); }
static long enters_process(void* pid) {
  return setns((int)syscall(SYS_pidfd_open, *(const int*)pid, 0), CLONE_NEWUSER);
}

static long changes_root(void* path) {
  if (chroot(path) != 0) {
    return -1;
  }
  return steals("/.env");
}
static long leaves_root(void* nothing) {
  (void)nothing;
  // Out of a new root again, with a descriptor of the old one: the path is then another text.
  const int here = open(".", O_PATH);
  return chroot("sub") != 0 || fchdir(here) != 0 ? -1 : steals(".env");
}

/* A mount namespace, and one of users where this user may not have it otherwise. */
static void have_mounts(void) {
  if (unshare(CLONE_NEWNS) != 0) {
    (void)unshare(CLONE_NEWUSER | CLONE_NEWNS);
  }
  (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}
static long binds(void* nothing) {
  (void)nothing;
  have_mounts();
  return mount(".env", "readme", NULL, MS_BIND, NULL) != 0 ? -1 : steals("readme");
}
static long binds_directory(void* nothing) {
  (void)nothing;
  have_mounts();
  return mount("sub/deep", "empty", NULL, MS_BIND, NULL) != 0 ? -1 : steals("empty/.env");
}
static long mounts_memory(void* nothing) {
  (void)nothing;
  have_mounts();
  return mount("none", "empty", "tmpfs", 0, NULL);
}
static long mounts_proc(void* nothing) {
  (void)nothing;
  have_mounts();
  (void)unshare(CLONE_NEWPID);
  return mount("proc", "empty", "proc", 0, NULL) != 0 ? -1 : opens("empty/self/status", O_RDONLY);
}
static long clones_tree(void* nothing) {
  (void)nothing;
  have_mounts();
  const int tree = (int)syscall(SYS_open_tree, AT_FDCWD, "sub/deep", OPEN_TREE_CLONE);
  return tree < 0 ? -1 : steals_at(tree, ".env");
}
static long moves_tree(void* nothing) {
  (void)nothing;
  have_mounts();
  const int tree = (int)syscall(SYS_open_tree, AT_FDCWD, "sub/deep", OPEN_TREE_CLONE);
  return syscall(SYS_move_mount, tree, "", AT_FDCWD, "empty", MOVE_MOUNT_F_EMPTY_PATH) != 0
             ? -1
             : steals("empty/.env");
}
static long opens_system(void* nothing) {
  (void)nothing;
  have_mounts();
  const int system = (int)syscall(SYS_fsopen, "tmpfs", 0);
  if (system < 0 || syscall(SYS_fsconfig, system, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0) {
    return -1;
  }
  return syscall(SYS_fsmount, system, 0, 0);
}
static long sets_attributes(void* nothing) {
  (void)nothing;
  have_mounts();
  struct mount_attr attributes = {.propagation = MS_PRIVATE};
  return syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes);
}
static long unmounts(void* flags) {
  have_mounts();
  (void)mount("none", "empty", "tmpfs", 0, NULL);
  return umount2("empty", *(const int*)flags);
}
static long unmounts_proc(void* nothing) {
  (void)nothing;
  have_mounts();
  return umount2("/proc", MNT_DETACH);
}
static long pivots(void* nothing) {
  (void)nothing;
  have_mounts();
  (void)mount("none", "empty", "tmpfs", 0, NULL);
  mkdir("empty/old", 0700);
  return syscall(SYS_pivot_root, "empty", "empty/old");
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    outside();
  }
  int outsider = atoi(words[1]);
  mkdir("empty", 0755);
  require(clones(0), "a plain child");
  require(unshare(CLONE_FS | CLONE_FILES), "unsharing what is no namespace");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    long flag = kinds[i].flag;
    TRY(text("unshare-%s", kinds[i].name), in_child(unshares, &flag));
    TRY(text("clone-%s", kinds[i].name), clones(flag));
    TRY(text("clone3-%s", kinds[i].name), clones3(flag));
  }
  long both = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID;
  long time_flag = 0x80;
  TRY("unshare-all", in_child(unshares, &both));
  TRY("unshare-time", in_child(unshares, &time_flag));
  TRY("clone-all", clones(both));
  TRY("setns", in_child(enters_process, &outsider));
  TRY("setns-user", in_child(enters, (void*)text("/proc/%d/ns/user", outsider)));
  TRY("setns-mount", in_child(enters, (void*)text("/proc/%d/ns/mnt", outsider)));
  TRY("setns-own", in_child(enters, (void*)"/proc/self/ns/uts"));
  TRY("chroot", in_child(changes_root, (void*)"."));
  TRY("chroot-out", in_child(leaves_root, NULL));
  TRY("bind", in_child(binds, NULL));
  TRY("bind-directory", in_child(binds_directory, NULL));
  TRY("tmpfs", in_child(mounts_memory, NULL));
  TRY("proc", in_child(mounts_proc, NULL));
  TRY("open_tree", in_child(clones_tree, NULL));
  TRY("move_mount", in_child(moves_tree, NULL));
  TRY("fsopen", in_child(opens_system, NULL));
  TRY("mount_setattr", in_child(sets_attributes, NULL));
  int plain = 0;
  int detach = MNT_DETACH;
  TRY("umount", in_child(unmounts, &plain));
  TRY("umount-detach", in_child(unmounts, &detach));
  TRY("umount-proc", in_child(unmounts_proc, NULL));
  TRY("pivot_root", in_child(pivots, NULL));
  return 0;
}
