"""What programs see: the same with pmg and without, call by call.

Each probe of tests/same makes system calls and prints what each answered. It runs twice in equal worlds, without pmg and
inside, and both the answers and the trees that are left must be equal. What may differ is in KNOWN, with the reason; a
difference that is listed and no longer occurs fails, too.
"""
import collections
import os
import re
import shutil
import subprocess

import work

PROBE = os.environ["PMG_PROBE"]

#: mounts of a namespace of its own; what runs next sees them
MOUNTS = r"""
mkdir -p m/tmpfs m/bind m/readonly m/overlay source source2 lower upper work
echo content >source/f; echo content >source2/f; echo content >lower/f; echo content >plain
echo lower >lower/lower-only; echo lower >lower/lower-second; mkdir lower/lower-directory lower/existing source/existing
touch m/file
mount -t tmpfs tmpfs m/tmpfs && echo content >m/tmpfs/f && mkdir m/tmpfs/existing &&
mount --bind source m/bind && mount --bind source2 m/readonly && mount -o remount,bind,ro m/readonly &&
mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work m/overlay && mount --bind source/f m/file || exit 77
exec "$@"
"""

class Known:
    """A difference that is meant, or not mended yet: regular expressions for the probe, for the text of the call (with
    what is put before it), and for the two answers. `why` stands in docs/ENFORCEMENT.md, too."""

    def __init__(self, why, probe, call, plain, inside, who="all"):
        self.why, self.patterns, self.who = why, (probe, call, plain, inside), who

    def explains(self, *texts):
        return all(re.fullmatch(pattern, text) for pattern, text in zip(self.patterns, texts))

    def concerns(self, probe):
        applies = self.who == "all" or (self.who == "root") == (os.geteuid() == 0)
        return applies and re.fullmatch(self.patterns[0], probe)


IDENTITY = "files get no set-user-ID or set-group-ID bit"


def without_identity(text):
    """A file's mode without these bits."""
    return re.sub(r"\bfile ([0-7])([0-7]{3})\b", lambda mode: f"file {int(mode[1]) & 1}{mode[2]}", text)


class KnownIdentity(Known):
    """The two answers are equal but for these bits, and ours are never more."""

    def __init__(self):
        super().__init__(IDENTITY, ".*", ".*", ".*", ".*")

    def explains(self, probe, what, plain, inside):
        return plain != inside == without_identity(plain)

    def concerns(self, probe):
        return False  # which probes have such a file is theirs to say


RULE = "a rule refuses before the kernel finds another error"
CAPABILITY = "the capability is gone inside, for root, too"
KNOWN = [
    KnownIdentity(),
    # What the policy or the design refuses.
    Known(RULE, "opening", r"(\.\.|/|/proc/self/root), temporary: .*", r"\d+", "EACCES", "root"),
    Known(RULE, "opening", r"/proc/self/fd, temporary: .*", "EOPNOTSUPP", "EACCES"),
    Known(RULE, "directories", r'foreign directories: (mkdir\("/proc/x".*|rmdir.*)', "ENOENT|ENOTDIR", "EACCES"),
    Known(RULE, "removing", r'others: (rmdir|unlink)\("/"\)', "EBUSY|EISDIR", "EACCES"),
    Known(RULE, "descriptors", r"closed, \S*/fd/400, flags \d+: open.*", "ENOENT", "EACCES"),
    Known(RULE, "descriptors", r"changes through names: (unlink|rename|link|linkat)\(.*", "EPERM|EXDEV", "EACCES"),
    Known(RULE, "links", r'by descriptor: linkat\(AT_FDCWD, "/dev/null".*', "EXDEV", "EACCES", "root"),
    Known(RULE, "processes", r'open\("/proc/new".*', "ENOENT", "EACCES"),
    Known("only harmless entries of /proc/<pid> are written", "processes", r".*: open\(path, O_WRONLY.*",
          "1|EPERM|ENOENT", "EACCES"),
    Known("only harmless entries of /proc/<pid> are written", "opening", r"/proc/self/status, .*: syscall.*", r"\d+",
          "EACCES", "root"),
    Known("only harmless entries of /proc/<pid> are written", "processes", r'open\("/proc/self/oom_score_adj".*', "1", "0"),
    Known("namespaces are not opened", "processes", r"ns/(pid|user): .*", ".*", "EACCES"),
    Known(CAPABILITY, "processes", r"stack: .*", "1", "EACCES", "root"),
    Known(CAPABILITY, "identity", r"another: set\w+\(.*", "0", "EPERM", "root"),
    Known(CAPABILITY, "identity", r"another: (open|node).*", "EACCES|ENOENT", "3|file.*", "root"),
    Known(CAPABILITY, "attributes", r"\w+, (security|trusted)\.x: .*", "0|1|10|11|EEXIST|ENODATA", "EPERM|ENODATA|0", "root"),
    Known(CAPABILITY, "attributes", r"\w+, security\.capability: l?removexattr.*", "0|ENODATA", "EPERM", "root"),
    # An empty one may be set by anybody, and stays.
    Known(CAPABILITY, "attributes", r"[\w.]+, [\w.]*: listxattr.*", r"\d+", r"\d+", "root"),
    Known("attributes of symlinks are not changed", "attributes", r"link, .*: l(set|remove)xattr.*", ".*", "EPERM"),
    Known("no device nodes", "directories", r"devices: mknod.*", "0", "EPERM", "root"),
    Known("no device nodes", "renaming", r'flags (4|6): (move|node).*', ".*", "EINVAL|ENOENT|file.*"),
    Known("leases would stop other programs", "locks", r".*F_SETLEASE.*", "EAGAIN", "EPERM"),
    Known("a memfd is no program", "memory_files", r"seals and modes: (allowed, )?seals", r"0x.*", r"0x2.*"),
    Known("a memfd is no program", "memory_files", r'arguments: memfd_create\("exec".*', "100", "EACCES"),
    Known("a memfd is no program", "memory_files", r".*descriptor \d+", r".* 07(77|55) .*", r".* 06(66|44) .*"),
    Known("a memfd is no program", "sharing", r"descriptor \d+", r".* 0777 .*", r".* 0666 .*"),
    Known("a memfd is no program", "executing", r"memfd: syscall.*", "ENOEXEC", "EACCES"),
    Known("no datagram unix sockets", "sockets", r"wrong calls: socket\(AF_UNIX, SOCK_DGRAM.*", "1", "0"),
    Known("socket types are looked at by the filter", "sockets", r"wrong calls: socket\(AF_UNIX, 99.*", "EINVAL", "EPERM"),
    Known("a descriptor is opened again for what it gives, never for more", "descriptors",
          r"pipe to (read|write), .*: open.*", r"\d+", "EACCES"),
    Known("a descriptor is opened again for what it gives, never for more", "descriptors",
          r"standard streams.*|/(dev|proc)/\S+, mode \d: open.*", r"\d+", "EACCES"),
    Known("a descriptor that only reads changes no metadata of a pipe", "descriptors",
          r"changes through names: f?ch(mod|own)\(.*", "0", "EACCES"),
    Known("metadata of terminals is not changed", "terminals", r"pair: f?chmod.*", "0", "EACCES"),
    # Gaps.
    Known("TIOCGPTPEER", "terminals", r"other end by TIOCGPTPEER: ioctl.*", r"\d+", "EACCES"),
    Known("/dev/tty is opened as the terminal that it means", "terminals", "session: name of /dev/tty", "/dev/tty",
          r"/dev/pts/\d+"),
    Known("/dev/tty is opened as the terminal that it means", "terminals", r"session: descriptor \d+", ".* 0666 .*",
          ".* 06.0 .*"),
    Known("opening acquires no controlling terminal", "terminals", r"session without O_NOCTTY: .*", "1", "0"),
    Known("F_GETFL does not tell O_NOFOLLOW", "opening|fifos", r".*: F_GETFL tells O_NOFOLLOW", "1", "nothing"),
    Known("paths that the kernel cannot tell", "long_paths", r"depth 20: next >= 0", "1", "0"),
    Known("paths that the kernel cannot tell", "long_paths", r"(depth 2[1-4]|depth 20): .*", ".*", "nothing"),
    Known("paths that the kernel cannot tell", "long_paths", r"up again: .*", "0|1", "nothing"),
    Known("openat2 with O_PATH", "openat2_flags", r".*, flags 01\d{7,}, .*: open2.*", ".*", "ENOSYS"),
    Known("openat2 with RESOLVE_CACHED", "openat2_flags", r".*, resolve 0x20: open2.*", ".*", "EAGAIN"),
    Known("the order of two errors", "openat2_flags", r", flags 0, mode 0, resolve 0x18: .*", "EINVAL", "ENOENT"),
    Known("openat2 creates nothing through a symlink in a root of its own", "openat2_paths",
          r"(dangling|magic).*, flags 101, resolve (8|10|a|11|12|14): open2.*", r"\d+|ENOENT", "ELOOP"),
    Known("RESOLVE_NO_MAGICLINKS holds for /proc/self, too", "openat2_paths", r"root/proc/self/status.*, resolve 2: .*", ".*",
          "ELOOP"),
    Known("the order of two errors", "renaming", r"missing/?(/x)? to .*", "EBUSY|EEXIST|ENOTDIR", "ENOENT"),
    Known("the order of two errors", "renaming", r".* to .*: move.*", "EBUSY|EEXIST", "ENOENT|ENOTDIR"),
    Known("the order of two errors", "mounts", r"m/.*", "EXDEV|EROFS", "ENOENT", "root"),
    Known("AT_EMPTY_PATH with a name", "executing", r"descriptor and name with AT_EMPTY_PATH: child", "exit 0", "exit 9"),
    Known("programs that may be executed and not read", "executing", "unreadable: child", "exit 0", "exit 9", "user"),
    Known("AT_EMPTY_PATH with a name", "executing", r"inner", "printed", "nothing"),
    Known("the name of the other end", "sockets", r"type \d, \S+/\S+: (client's peer|accepted)", ".*<.*/s>", ".*<s>"),
    Known("SO_PEERCRED", "sockets", r"type \d+, \S+: client is this process: 1, this user|.*client is this process.*",
          ".*", ".*"),
    Known("the broker reads the first line of a program", "watching", r"start: event .*|start", ".*", ".*"),
]


def answers(text):
    """Each call's answers, by its text and how often it was made before."""
    found, counts = {}, collections.Counter()
    for line in text.splitlines():
        at = max((line.rfind(mark) for mark in (" = ", ": ")), default=-1)
        what, answer = (line[:at], line[at:].lstrip(" =:")) if at > 0 else (line, "printed")
        counts[what] += 1
        found[what, counts[what]] = answer
    return found


def compare(probe, plain, inside):
    """What differs and is not known, as lines; and the known differences that were met."""
    wrong, met, excused = [], set(), set()
    differing = [what for what in dict.fromkeys([*plain, *inside]) if plain.get(what) != inside.get(what)]
    # Where a call answered differently, what is asked about its result afterwards is missing.
    for what in sorted(differing, key=lambda what: "nothing" in (plain.get(what, "nothing"), inside.get(what, "nothing"))):
        pair = plain.get(what, "nothing"), inside.get(what, "nothing")
        context = what[0].split(": ")[0] if ": " in what[0] else what[0]
        known = next((known for known in KNOWN if known.explains(probe, what[0], *pair)), None)
        if known:
            met.add(known)
            excused.add(context)
        elif context not in excused or "nothing" not in pair:
            wrong.append(f"{what[0]}: {pair[0]} without pmg, {pair[1]} inside")
    return wrong, met


class Same(work.Work):
    limit = 60

    def run_probe(self, probe, prefix, inside):
        shutil.copy(PROBE, self.project / "probe")
        confined = [self.pmg, "sandbox", "exec", "--"] if inside else []
        done = self.run_command([*prefix, *confined, "./probe", probe])
        if done.returncode == 77:
            self.skipTest("this machine does not let mounts be made")
        self.assertEqual((done.returncode, done.stdout[-5:]), (0, "\nend\n"), done.stdout[-2000:])
        return answers(done.stdout)

    def look(self, probe):
        prefix = []
        if probe == "mounts" and os.geteuid() == 0:
            prefix = ["unshare", "--mount", "--propagation", "private", "bash", "-c", MOUNTS, "bash"]
        plain = self.run_probe(probe, prefix, inside=False)
        (self.project / "probe").unlink()
        ignore = "^work/"  # an overlay's own
        tree = work.fingerprint(self.afresh(), ignore=ignore, forget=work.IDENTITY_BITS)
        inside = self.run_probe(probe, prefix, inside=True)
        wrong, met = compare(probe, plain, inside)
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))
        unmet = [known.patterns for known in KNOWN if known.concerns(probe) and known not in met]
        self.assertEqual(unmet, [], "known, but equal")
        (self.project / "probe").unlink()
        self.assert_tree(tree, ignore, forget=work.IDENTITY_BITS)


def add_tests():
    listed = subprocess.run([PROBE, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for probe in listed:
        setattr(Same, f"test_{probe}", lambda self, probe=probe: self.look(probe))


if __name__ == "__main__":
    add_tests()
    work.main()
