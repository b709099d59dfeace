"""Real work, done with the real binary and without it, in the same place, and compared.

    class Tar(work.Work):
        def test_round_trip(self):
            self.same("tar -cf a.tar src && tar -xf a.tar -C out", setup="mkdir src out && echo 1 >src/f")

`same` runs the script twice from the same beginning: confined and not. Exit code, output and the tree that is left
(contents, modes, owners, links, hard-link structure) must be equal. PMG is the binary, PMG_TEST_ROOT the place for
projects (outside /tmp, which profiles make writable), PMG_TEST_USER a user to become first.
"""
import hashlib
import os
import pathlib
import pwd
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SECRET = "SECRET-42"
SKIPPED = 77


def root_directory():
    default = "/srv/pmg-test" if os.geteuid() == 0 else os.path.expanduser("~/.cache/pmg-test")
    path = pathlib.Path(os.environ.get("PMG_TEST_ROOT") or default)
    path.mkdir(parents=True, exist_ok=True)
    return path


#: those that files do not get inside
IDENTITY_BITS = stat.S_ISUID | stat.S_ISGID


def describe(path, times, forget):
    """What one file is, as text. Bits of a regular file's mode may be left out."""
    info = path.lstat()
    mode = stat.S_IMODE(info.st_mode) & ~(forget if stat.S_ISREG(info.st_mode) else 0)
    parts = [f"{stat.S_IFMT(info.st_mode):o}", f"{mode:o}", f"{info.st_uid}:{info.st_gid}"]
    if stat.S_ISLNK(info.st_mode):
        parts.append("-> " + os.readlink(path))
    elif stat.S_ISREG(info.st_mode):
        try:
            content = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        except PermissionError:
            content = "unreadable"
        parts += [str(info.st_size), content]
    if times:
        parts.append(f"@{info.st_mtime_ns}")
    return " ".join(parts)


def fingerprint(top, times=False, ignore=None, forget=0):
    """Relative path to description, and the groups of paths that are one file."""
    files, groups = {}, {}
    pending = [pathlib.Path(top)]
    while pending:
        for entry in sorted(os.scandir(pending.pop()), key=lambda entry: entry.name):
            path = pathlib.Path(entry.path)
            name = os.path.relpath(entry.path, top)
            if ignore and re.search(ignore, name):
                continue
            files[name] = describe(path, times, forget)
            if entry.is_dir(follow_symlinks=False):
                if os.access(path, os.R_OK | os.X_OK):
                    pending.append(path)
            elif path.lstat().st_nlink > 1:
                info = path.lstat()
                groups.setdefault((info.st_dev, info.st_ino), []).append(name)
    return files, sorted(sorted(group) for group in groups.values())


class Work(unittest.TestCase):
    maxDiff = 4000
    #: seconds for one command
    limit = 240

    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="real.", dir=root_directory()))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.home, self.project = self.top / "home", self.top / "proj"
        self.home.mkdir()
        self.project.mkdir()
        self.pmg = os.environ["PMG"]
        self.env = {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "LANG": "C.UTF-8",
                    "TERM": "xterm", "SHELL": "/bin/bash", "USER": pwd.getpwuid(os.getuid()).pw_name}
        # How this machine reaches the registry and its headers, wherever it is written.
        for name, value in os.environ.items():
            if name.lower().startswith("npm_config_") or re.search("(?i)_ca(_|certs)|ssl_cert|_proxy$", name):
                self.env[name] = value

    def run_command(self, command, env=None, cwd=None):
        done = subprocess.run(command, cwd=cwd or self.project, env={**self.env, **(env or {})}, timeout=self.limit,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        done.stdout = os.fsdecode(done.stdout)
        return done

    def plain(self, script, **more):
        return self.run_command(["bash", "-c", script], **more)

    def inside(self, script, *flags, **more):
        return self.run_command([self.pmg, "sandbox", "exec", *flags, "--", "bash", "-c", script], **more)

    def good(self, done):
        """The command succeeded; returns what it printed."""
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        return done.stdout

    def prepare(self, script):
        if script:
            self.good(self.plain(script))

    def afresh(self):
        """Moves the project aside and begins again at the same place; returns where the old one is."""
        old = pathlib.Path(tempfile.mkdtemp(prefix="was.", dir=self.top)) / "proj"
        self.project.rename(old)
        self.project.mkdir()
        return old

    def same(self, script, *flags, setup="", times=False, ignore=None, settle=lambda text: text):
        """`script` does the same confined and not; returns what it printed. `settle` removes what may differ."""
        self.prepare(setup)
        plain = self.plain(script)
        self.assertEqual(plain.returncode, 0, f"fails without pmg too:\n{plain.stdout[-3000:]}")
        expected = fingerprint(self.afresh(), times, ignore)
        self.prepare(setup)
        confined = self.inside(script, *flags)
        self.assertEqual((confined.returncode, settle(confined.stdout)), (plain.returncode, settle(plain.stdout)))
        self.assert_tree(expected, ignore, times)
        return confined.stdout

    def assert_tree(self, expected, ignore=None, times=False, forget=0):
        files, links = fingerprint(self.project, times, ignore, forget)
        self.assertEqual(sorted(set(expected[0]) - set(files)), [], "missing in the confined tree")
        self.assertEqual(sorted(set(files) - set(expected[0])), [], "only in the confined tree")
        differing = {name: (expected[0][name], files[name]) for name in files if files[name] != expected[0][name]}
        self.assertEqual(differing, {}, "path: (plain, confined)")
        self.assertEqual(links, expected[1], "hard links")

    def need(self, *programs):
        for program in programs:
            if not shutil.which(program, path=self.env["PATH"]):
                self.skipTest(f"{program} is not installed")

    def write(self, name, text, mode=0o644):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def secret(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"TOKEN={SECRET}\n")


class Report(unittest.TestResult):
    """One line for each test, a failure's text below it, and the closing line that CI reads."""

    def __init__(self):
        super().__init__()
        self.passed = 0

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def say(self, verdict, test, text=""):
        print(f"{verdict} {test.id().removeprefix('__main__.')} ({time.monotonic() - self.began:.1f} s){text}", flush=True)

    def addSuccess(self, test):
        self.passed += 1
        self.say("PASS", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say("FAIL", test, "\n" + self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.say("FAIL", test, "\n" + self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.say("FAIL", subtest, "\n" + "".join(traceback.format_exception(*err)))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("SKIP", test, f": {reason}")


def as_user(name, tests=HERE, arguments=None, variables=("PMG",)):
    """Runs this script again as `name`, from a copy of the folder `tests` and of the files and folders that these variables of
    the environment name, which this user can read. Returns the exit code."""
    if os.geteuid() != 0:
        print("skipped: only root can become another user")
        return SKIPPED
    entry = pwd.getpwnam(name)
    base = pathlib.Path(tempfile.mkdtemp(prefix="user.", dir=root_directory()))
    root_directory().chmod(0o755)
    base.chmod(0o755)
    try:
        shutil.copytree(tests, base / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        (base / "work").mkdir()
        os.chown(base / "work", entry.pw_uid, entry.pw_gid)
        env = {**os.environ, "PMG_TEST_ROOT": str(base / "work"), "HOME": str(base / "work"), "PYTHONDONTWRITEBYTECODE": "1",
               "PMG_TEST_SECOND": "1"}
        env.pop("PMG_TEST_USER", None)
        for variable in variables:
            source = pathlib.Path(os.environ[variable])
            env[variable] = str(base / source.name)
            shutil.copytree(source, env[variable]) if source.is_dir() else shutil.copy(source, env[variable])
        script = base / "tests" / pathlib.Path(sys.argv[0]).resolve().relative_to(pathlib.Path(tests).resolve())
        command = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups",
                   "/usr/bin/python3", str(script), *(sys.argv[1:] if arguments is None else arguments)]
        return subprocess.run(command, env=env, check=False).returncode
    finally:
        shutil.rmtree(base, ignore_errors=True)


def main():
    """Runs the tests of the script, or those named on the command line (Class or Class.test)."""
    if user := os.environ.get("PMG_TEST_USER"):
        sys.exit(as_user(user, variables=[name for name in ("PMG", "PMG_PROBE") if name in os.environ]))
    os.environ["PMG"] = os.path.realpath(os.environ["PMG"])
    os.umask(0o022)
    loader, module = unittest.TestLoader(), sys.modules["__main__"]
    tests = loader.loadTestsFromNames(sys.argv[1:], module) if sys.argv[1:] else loader.loadTestsFromModule(module)
    result = Report()
    tests.run(result)
    bad = len(result.failures) + len(result.errors)
    skipped = f", {len(result.skipped)} skipped" if result.skipped else ""
    print(f"{result.passed} passed, {bad} failed{skipped}")
    sys.exit(1 if bad or not result.passed else 0)
