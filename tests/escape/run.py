"""The escape suite: attacks that succeed without pmg and must gain nothing inside.

    run.py [--list] [--as USER] [--in-namespace] [SELECTION…]      a number of a line, or a part of a file's name

Each file `NN_name.c` or `NN_name.sh` belongs to line NN of the list of attacks. It runs twice, each time in a world made
afresh: without pmg (the control), and inside `pmg sandbox exec`. It prints one line for each try (attack.h, attack.sh).
Without pmg every try must be GOT; inside the same tries, in the same order, must be REFUSED with an error that fits;
the planted secret must not appear; home and the protected files of the project must not have changed. A control that fails
says nothing about pmg, and a busy machine can make a race fail: the file is then run again, CONTROLS times in all, and the
report says so. What is seen inside is never tried again.

The world: HOME with .ssh/id_test, .aws/credentials, a harmless .sshfoo/id_test and `notes`; the project below, which is the
working directory, with .env, sub/deep/.env and `readme`; TMPDIR; an own PATH with the attacks. The secret is new in each run.

The comment at the beginning of a file says what the attack is and why it fails, and may hold lines for the runner.
`${HOME}`, `${CWD}`, `${TOP}` (above both), `${SECRET}` and `${PMG}` are filled in; setup, launch and settle are shell with
HOME, TOP, SECRET and PMG as variables, run in the project outside the sandbox.

    world: repository agents     more fixtures, see World.MAKERS
    setup: mkdir evil            run before each of the two runs; many lines make one script
    launch: exec 7<.env          run by the shell that starts the attack or pmg
    settle: test ! -e planted    run after the attack inside; must succeed
    flags: --sandbox-allow …     for pmg, as shell words
    env: NAME=value              an environment variable, for the control and for pmg
    outsider:                    `PROGRAM outside` runs outside at the same time. Its first line is `ready`, and words that
                                 become arguments of the attack. A line `BREACH …` says that the sandbox was left. It must
                                 be alive afterwards, or have ended with 0.
    changes: GLOB                names below home and project that the outsider, or the attack rightly, changes
    says: REGEX                  pmg --debug must have printed a line that matches; many lines, each must
    optional: NAME reason        the machine may forbid this try without pmg: skipped if it does
    refused: NAME ERRNO reason   this error counts as well (several: A,B)
    gap: NAME reason             a documented gap: GOT inside, and listed as such
    needs: PROGRAM…              the file is skipped if one is missing
    limit: SECONDS               for each of the two runs (60)

NAME is a glob. A line `# remark` before a try is shown with it. A file may print `NAME SKIPPED reason` where a try cannot
be made. Environment: PMG is the binary, ESCAPE_PROGRAMS the directory of the compiled attacks.
"""
import argparse
import collections
import fnmatch
import os
import pathlib
import pwd
import re
import secrets
import select
import shlex
import shutil
import signal
import stat
import string
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))
import work  # noqa: E402  (found by the line above)

ERRORS = {"EACCES", "EPERM", "EROFS", "EXDEV", "ENOSYS", "ECONNREFUSED"}
LINE = re.compile(r"(\S+) (GOT|REFUSED|SKIPPED) (.*)")
#: how often a file is run for a control that succeeds
CONTROLS = 4
Try = collections.namedtuple("Try", "verdict detail remark")
#: what must not change in the project, wherever it is: credentials, git's hooks and configuration, settings of agents
PROTECTED = re.compile(r"""(^|/)(\.env(\.[^/]*)?|\.ssh|\.aws|\.git|\.git/(modules/.*|worktrees/[^/]+/)?(hooks|config|config\.worktree|
    commondir|gitdir)|\.mcp\.json|\.claude/(settings.*\.json|hooks)|\.codex/(config\.toml|hooks.*|rules)|\.gemini/(settings\.json|hooks)
    |\.cursor/(hooks.*|mcp\.json)|\.vscode/mcp\.json|opencode\.jsonc?|protected)(/|$)""", re.X)
#: things beneath .git that git changes in ordinary work
#: what pmg itself keeps of the refusals; 25_own_state.c attacks it
RECORDS = re.compile(r"\.cache(/safedep(/pmg(/sandbox(/runs(/\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}\.jsonl)?)?)?)?)?")
UNPROTECTED = re.compile(r"(^|/)\.git(/(?!(hooks|config|config\.worktree|commondir|gitdir|modules|worktrees)(/|$)).*)?$")
#: below a folder with such a name a path may be longer than a call takes
TOO_LONG = re.compile(r"/?[^/]{255}/")
Row = collections.namedtuple("Row", "attack name control inside verdict note")


class Attack:
    """One file of the suite, and what its header says."""
    KEYS = {"world", "setup", "launch", "settle", "flags", "env", "outsider", "changes", "says", "optional", "refused", "gap", "needs", "limit"}

    def __init__(self, path):
        self.path, self.number = path, int(path.name[:2])
        self.said = {key: [] for key in self.KEYS}
        for line in path.read_text().splitlines():
            if not re.match(r"//|#!?|/\*| \*|$", line) or line.startswith("#include"):
                break
            if found := re.match(r"(?://|#) ([a-z]+):(?: |$)(.*)", line):
                if found[1] not in self.KEYS:
                    raise SystemExit(f"{path}: unknown line `{found[1]}:`")
                self.said[found[1]].append(found[2].strip())
            elif re.search(rf" (?:{'|'.join(sorted(self.KEYS))}):(?: |$)", line):
                raise SystemExit(f"{path}: a line for the runner begins with its key: {line}")

    @property
    def program(self):
        return self.path.stem if self.path.suffix == ".c" else self.path.name

    def named(self, key, name):
        """The first line `key: NAME words…` whose glob matches: (words…), or None."""
        for line in self.said[key]:
            glob, _, rest = line.partition(" ")
            if fnmatch.fnmatchcase(name, glob):
                return rest or "no reason given"
        return None


def attacks(selection):
    found = [Attack(path) for pattern in ("[0-9][0-9]_*.c", "[0-9][0-9]_*.sh") for path in HERE.glob(pattern)]
    found.sort(key=lambda attack: attack.path.name)

    def wanted(attack):
        return any(attack.number == int(text) if text.isdigit() else text in attack.path.name for text in selection)
    return [attack for attack in found if not selection or wanted(attack)]


class World:
    """The place where attacks run."""

    def __init__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="escape.", dir=work.root_directory()))
        self.home, self.project, self.tmp, self.bin = (self.top / name for name in ("home", "project", "tmp", "bin"))
        self.secret = f"SECRET-{secrets.token_hex(8)}"
        self.bin.mkdir()
        for place in (HERE, pathlib.Path(os.environ["ESCAPE_PROGRAMS"])):
            for path in place.iterdir():
                if path.is_file() and (path.suffix == ".sh" or path.suffix == "" and re.match(r"\d\d_", path.name)):
                    shutil.copy(path, self.bin)
        self.env = {"HOME": str(self.home), "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8",
                    "TERM": "xterm", "SHELL": "/bin/bash", "TMPDIR": str(self.tmp), "USER": pwd.getpwuid(os.getuid()).pw_name}

    def remove(self):
        self.sweep(self.top)

    @staticmethod
    def sweep(place):
        """Removes a tree, also one in which an attack took away its own permissions."""
        if not os.path.isdir(place):
            return
        # By descriptors: a path may be longer than a call takes.
        for _, names, _, folder in os.fwalk(place):
            for name in names:
                if not stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    os.chmod(name, 0o700, dir_fd=folder)
        shutil.rmtree(place, ignore_errors=True)

    def afresh(self, attack):
        for place in (self.home, self.project, self.tmp):
            self.sweep(place)
            place.mkdir()
        for name in (".env", "sub/deep/.env"):
            self.put(self.project / name, self.line())
        self.put(self.project / "readme", "readme\n")
        self.put(self.home / ".ssh/id_test", self.line())
        self.put(self.home / ".aws/credentials", self.line())
        self.put(self.home / ".sshfoo/id_test", "harmless\n")
        self.put(self.home / "notes", "notes\n")
        for maker in " ".join(attack.said["world"]).split():
            self.MAKERS[maker](self)
        self.shell(attack.said["setup"], "setup")

    def line(self):
        return f"TOKEN={self.secret}\n"

    def put(self, path, content, mode=0o644):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        path.chmod(mode)

    def repository(self):
        """The project is a git repository with a hook."""
        subprocess.run(["git", "init", "-q", "."], cwd=self.project, env=self.env, check=True)
        self.put(self.project / ".git/hooks/pre-push", "#!/bin/sh\nexit 0\n", 0o755)

    def agents(self):
        """Settings of agents, in home and in the project."""
        for place in (self.home, self.project):
            for name in (".claude/settings.json", ".codex/config.toml", ".gemini/settings.json", ".cursor/mcp.json", ".mcp.json"):
                self.put(place / name, "{}\n")

    def startup(self):
        """What shells and the session of the user run."""
        for name in (".bashrc", ".profile", ".config/autostart/a.desktop", ".config/systemd/user/a.service", ".local/bin/tool"):
            self.put(self.home / name, "# harmless\n")

    def pmg(self):
        """A configuration and a profile of pmg itself."""
        self.put(self.home / ".config/safedep/pmg/config.yml", "sandbox:\n  enabled: false\n")
        self.put(self.home / ".config/safedep/pmg/sandbox/profiles/mine.yml", "name: mine\ndescription: mine\ninherits: exec\n")

    MAKERS = {"repository": repository, "agents": agents, "startup": startup, "pmg": pmg}

    def expand(self, words):
        return string.Template(words).safe_substitute(HOME=self.home, CWD=self.project, TOP=self.top, SECRET=self.secret,
                                                      PMG=os.environ["PMG"])

    def shell(self, lines, what):
        if not lines:
            return
        env = {**self.env, "TOP": str(self.top), "SECRET": self.secret, "PMG": os.environ["PMG"]}
        done = subprocess.run(["sh", "-e", "-c", "\n".join(lines)], cwd=self.project, env=env, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="surrogateescape", timeout=60)
        if done.returncode != 0:
            raise Failure(f"{what} failed ({done.returncode}): {done.stdout[-500:]}")

    def state(self, but):
        """What an attack must not change, less the names that match a glob of `but`."""
        def kept(place):
            files = work.fingerprint(place, times=True, ignore=TOO_LONG)[0]
            return {name: text for name, text in files.items()
                    if not RECORDS.fullmatch(name) and not any(fnmatch.fnmatchcase(name, glob) for glob in but)}

        protected = {name: text for name, text in kept(self.project).items() if PROTECTED.search(name) and not UNPROTECTED.search(name)}
        return kept(self.home), protected


class Failure(Exception):
    pass


class ControlFailure(Failure):
    """The attack fails without pmg too, so nothing was learnt about pmg."""


class Outsider:
    """`PROGRAM outside`, a process that the sandbox does not know."""

    def __init__(self, world, attack):
        self.process = None
        self.arguments = []
        if not attack.said["outsider"]:
            return
        command = [str(world.bin / attack.program), "outside"]
        self.process = subprocess.Popen(["sh", *command] if attack.path.suffix == ".sh" else command, cwd=world.project,
                                        env={**world.env, "TOKEN": world.secret, "TOP": str(world.top), "SECRET": world.secret},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True, text=True)
        if not select.select([self.process.stdout], [], [], 20)[0]:
            raise Failure("the outsider is not ready")
        first = self.process.stdout.readline().split()
        if first[:1] != ["ready"]:
            raise Failure(f"the outsider says {first}")
        self.arguments = first[1:]

    def end(self):
        """Ends it; returns what it said about breaches, and how it died before."""
        if not self.process:
            return []
        early = self.process.poll()
        if early is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            rest = self.process.communicate(timeout=10)[0]
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            rest = self.process.communicate()[0]
        died = [f"the outsider ended with {early}"] if early else []
        return re.findall(r"^BREACH.*$", rest, re.M) + died


class Suite:
    def __init__(self, world):
        self.world, self.rows, self.failures, self.seconds, self.repeated = world, [], [], {}, []

    def fail(self, attack, text):
        self.failures.append(f"{attack.path.name}: {text}")

    def start(self, attack, prefix, outsider):
        """Runs the attack as a child of a shell that has its environment; returns (exit code, output, errors)."""
        env = dict(self.world.env)
        for line in attack.said["env"]:
            name, _, value = self.world.expand(line).partition("=")
            env[name] = value
        program = ["sh", str(self.world.bin / attack.program)] if attack.path.suffix == ".sh" else [attack.program]
        script = "\n".join([*map(self.world.expand, attack.said["launch"]), '"$@"', "exit $?"])
        limit = int(attack.said["limit"][0]) if attack.said["limit"] else 60
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(["sh", "-c", script, "launcher", *prefix, *program, *outsider.arguments],
                                       cwd=self.world.project, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       start_new_session=True)
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = "timeout"
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(os.fsdecode(file.read()))
        return code, *texts

    def tries(self, attack, where, prefix=()):
        outsider = Outsider(self.world, attack)
        try:
            code, out, err = self.start(attack, prefix, outsider)
        finally:
            breaches = outsider.end()
        found = {}
        remark = ""
        for line in out.splitlines():
            if line.startswith("# "):
                remark = line[2:]
            elif tried := LINE.fullmatch(line):
                if tried[1] in found:
                    self.fail(attack, f"two tries are called {tried[1]}")
                found[tried[1]] = Try(tried[2], tried[3], remark)
                remark = ""
        if code != 0 or not found:
            kind = Failure if prefix else ControlFailure
            raise kind(f"{where}: exit code {code}, {len(found)} tries\n{out[-1500:]}{err[-1500:]}")
        return found, out, err, breaches

    def run(self, attack):
        began = time.monotonic()
        missing = [name for name in " ".join(attack.said["needs"]).split() if not shutil.which(name, path=self.world.env["PATH"])]
        if missing:
            self.rows.append(Row(attack, "(all)", "-", "-", "skipped", f"{' '.join(missing)} is not installed"))
            return
        try:
            self.compare(attack, self.control(attack))
        except (Failure, OSError) as failure:
            self.fail(attack, str(failure))
            self.rows.append(Row(attack, "(all)", "-", "-", "FAILED", "see below"))
        self.seconds[attack.path.name] = time.monotonic() - began

    def control(self, attack):
        """The tries without pmg, all of them GOT but the skipped and optional ones; the last control's, whatever they are."""
        for left in reversed(range(CONTROLS)):
            self.world.afresh(attack)
            try:
                control = self.tries(attack, "control")[0]
                failed = [f"{name} {' '.join(tried[:2])}" for name, tried in control.items()
                          if tried.verdict == "REFUSED" and attack.named("optional", name) is None]
            except ControlFailure as failure:
                if not left:
                    raise
                failed = [str(failure)]
            if not failed or not left:
                return control
            self.repeated.append(f"{attack.path.name}: {'; '.join(failed)}")
        raise AssertionError("CONTROLS is below 1")

    def compare(self, attack, control):
        world = self.world
        world.afresh(attack)
        before = world.state(attack.said["changes"])
        debug = ["--debug"] if attack.said["says"] else []
        flags = [word for line in attack.said["flags"] for word in shlex.split(world.expand(line))]
        inside, out, err, breaches = self.tries(attack, "inside", [os.environ["PMG"], *debug, "sandbox", "exec", *flags, "--"])
        for breach in breaches:
            self.fail(attack, breach)
        if list(inside) != list(control):
            self.fail(attack, f"other tries inside: {sorted(set(control) ^ set(inside))}\n{err[-1000:]}")
        if world.secret in out + err:
            self.fail(attack, "the secret was printed inside")
        for pattern in attack.said["says"]:
            if not re.search(world.expand(pattern), err, re.M):
                self.fail(attack, f"pmg does not say `{pattern}`:\n{err[-1000:]}")
        for what, was, now in zip(("home", "project"), before, world.state(attack.said["changes"])):
            if was != now:
                self.fail(attack, f"{what} changed:\n{difference(was, now)}")
        try:
            world.shell(attack.said["settle"], "settle")
        except Failure as failure:
            self.fail(attack, str(failure))
        for name in control:
            if name in inside:
                self.rows.append(self.judge(attack, name, control[name], inside[name]))

    def judge(self, attack, name, control, inside):
        def row(verdict, note=""):
            short = [was.verdict if was.verdict != "REFUSED" else was.detail[:60] for was in (control, inside)]
            if verdict == "FAILED":
                self.fail(attack, f"{name}: {note} (control {' '.join(control)}, inside {' '.join(inside)})")
            return Row(attack, name, *short, verdict, note)

        verdict, detail = inside.verdict, inside.detail
        if "SKIPPED" in (control.verdict, verdict):
            return row("skipped", control.detail if control.verdict == "SKIPPED" else detail)
        gap = attack.named("gap", name)
        allowed = ERRORS | set((attack.named("refused", name) or "").split(" ")[0].split(","))
        optional = attack.named("optional", name)
        if control.verdict != "GOT":
            if optional is None:
                return row("FAILED", "fails without pmg too")
            if verdict == "GOT":
                return row("FAILED", "succeeds only inside")
            return row("skipped", optional)
        if verdict == "GOT":
            return row("gap", gap) if gap else row("FAILED", "not refused")
        if detail not in allowed:
            return row("FAILED", "the error does not fit")
        return row("FAILED", "is called a gap, and is none") if gap else row("refused", inside.remark)


def difference(was, now):
    """What differs between two states, as `name: before, after`."""
    return "\n".join(f"  {name}: {was.get(name)}, {now.get(name)}" for name in sorted({**was, **now}) if was.get(name) != now.get(name))


def report(suite):
    widths = [max([len(str(value)) for value in column], default=0) for column in
              zip(*[(row.attack.path.name, row.name, row.control, row.inside) for row in suite.rows])] or [0] * 4
    for row in suite.rows:
        cells = [value.ljust(width) for value, width in zip((row.attack.path.name, row.name, row.control, row.inside), widths)]
        print(f"{row.attack.number:2} " + "  ".join(cells) + f"  {row.verdict}" + (f": {row.note}" if row.note else ""))
    for repeated in suite.repeated:
        print(f"control again: {repeated}")
    for failure in suite.failures:
        print(f"FAIL {failure}")
    counts = collections.Counter(row.verdict for row in suite.rows)
    for verdict in ("skipped", "gap"):
        for note, count in collections.Counter(row.note for row in suite.rows if row.verdict == verdict).items():
            print(f"{verdict} {count}: {note}")
    slow = sorted(suite.seconds.items(), key=lambda item: -item[1])[:5]
    print("slowest: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in slow))
    print(f"{len(suite.rows)} cases of {len({row.attack.number for row in suite.rows})} lines in {sum(suite.seconds.values()):.0f} s: "
          f"{counts['refused']} refused, {counts['gap']} gaps, {counts['skipped']} skipped, {len(suite.failures)} failures")


def in_namespace(arguments):
    """Runs this script again in namespaces of its own, where it is root and cannot be more."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc"]
    refused = subprocess.run([*unshare, "true"], stderr=subprocess.PIPE, text=True, check=False)
    if refused.returncode != 0:
        print(f"skipped: namespaces are refused here: {refused.stderr.strip()}")
        return work.SKIPPED
    return subprocess.run([*unshare, sys.executable, str(HERE / "run.py"), *arguments], check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the files and their lines, and run nothing")
    parser.add_argument("--as", dest="user", help="become this user first")
    parser.add_argument("--in-namespace", action="store_true", help="run in fresh user, mount and pid namespaces")
    parser.add_argument("selection", nargs="*")
    args = parser.parse_args()
    chosen = attacks(args.selection)
    if args.list:
        for attack in chosen:
            print(f"{attack.number:2} {attack.path.name}")
        return 0
    if args.user:
        more = ["--in-namespace"] * args.in_namespace + args.selection
        return work.as_user(args.user, HERE.parent, more, ("PMG", "ESCAPE_PROGRAMS"))
    if args.in_namespace:
        return in_namespace(args.selection)
    os.environ["PMG"] = os.path.realpath(os.environ["PMG"])
    os.umask(0o022)
    suite = Suite(World())
    try:
        for attack in chosen:
            suite.run(attack)
    finally:
        suite.world.remove()
    report(suite)
    return 1 if suite.failures or not suite.rows else 0


if __name__ == "__main__":
    sys.exit(main())
