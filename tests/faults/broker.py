"""A running pmg, watched from outside: its processes, its broker's descriptors, memory and threads."""
import ctypes
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "real"))

import work  # noqa: E402

#: A longer run multiplies the counts (./dev faults SCALE).
SCALE = max(1, int(os.environ.get("PMG_FAULT_SCALE", "1")))
PROGRAMS = pathlib.Path(os.environ["PMG_FAULT_PROGRAMS"]).resolve()
PATIENCE = 30
#: A sanitizer keeps what was freed, so its build says nothing about memory.
SANITIZER = os.environ.get("PMG_FAULT_SANITIZER", "")
MIB = 1 << 20

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
WALL = 0x40000000


def until(holds, what, seconds=PATIENCE):
    """Waits until `holds()` is true and returns it."""
    end = time.monotonic() + seconds
    while not (value := holds()):
        if time.monotonic() > end:
            raise AssertionError(f"not in {seconds} s: {what}")
        time.sleep(0.01)
    return value


def read(path):
    """The bytes of a file of procfs; nothing where the process is gone."""
    try:
        return pathlib.Path(path).read_bytes()
    except (OSError, ValueError):
        return b""


def name_of(task):
    return read(f"{task}/comm").strip()


def is_alive(pid):
    state = re.search(rb"^State:\t(\w)", read(f"/proc/{pid}/status"), re.M)
    return state is not None and state[1] not in b"ZX"


def ptrace(request, thread):
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if libc.ptrace(request, thread, None, None) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")


class Stopped:
    """One thread that does not go on for as long as the block lasts, wherever it is: other than with a signal, its
    process notices nothing. Needs the right to trace a child of ours."""

    def __init__(self, thread):
        self.thread = thread

    def __enter__(self):
        ptrace(PTRACE_SEIZE, self.thread)
        ptrace(PTRACE_INTERRUPT, self.thread)
        os.waitpid(self.thread, WALL)
        return self

    def __exit__(self, *_):
        ptrace(PTRACE_DETACH, self.thread)


class Run:
    """pmg with a program, which is told what to do by lines and tells by lines how far it is."""

    def __init__(self, test, command, flags=(), before=(), **more):
        self.test, self.mark, self.heard = test, f"PMG_FAULT_RUN={uuid.uuid4()}", b""
        name, _, value = self.mark.partition("=")
        more = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        flags = [f"--sandbox-allow={access}={PROGRAMS}" for access in ("exec", "read")] + list(flags)
        self.process = subprocess.Popen([*before, test.pmg, "sandbox", "exec", *flags, "--", *command],
                                        cwd=test.project, env={**test.env, name: value}, start_new_session=True, **more)
        test.addCleanup(self.end)

    def end(self):
        """Whatever the test did: nothing of it is left."""
        for pid in [self.process.pid, *self.members()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass

    # What it is

    @property
    def broker(self):
        return self.process.pid

    def members(self):
        """The processes that live, the broker among them."""
        mark = self.mark.encode()
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        return [pid for pid in pids if mark in read(f"/proc/{pid}/environ").split(b"\0") and is_alive(pid)]

    def threads(self, name="pmg-broker"):
        """The broker's threads of this name: those that serve calls, or those that wait for one (pmg-wait)."""
        try:
            tasks = os.listdir(f"/proc/{self.broker}/task")
        except FileNotFoundError:
            return []
        return sorted(int(task) for task in tasks
                      if name_of(f"/proc/{self.broker}/task/{task}") == name.encode())

    def waits_for_calls(self, thread):
        """In the ioctl that receives (SECCOMP_IOCTL_NOTIF_RECV)."""
        return b" 0xc0502100 " in read(f"/proc/{thread}/syscall")

    def waits_for_reader(self, thread):
        """In write(2) to the standard error."""
        return read(f"/proc/{thread}/syscall").startswith(b"1 0x2 ")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.broker}/fd"))

    def memory(self):
        """Bytes that the broker holds in memory."""
        return int(re.search(rb"^Rss:\s+(\d+) kB", read(f"/proc/{self.broker}/smaps_rollup"), re.M)[1]) * 1024

    # What it does

    def hears(self, word):
        """The next line of the program is `word`."""
        if (line := self.line()) != word:
            self.failed(f"{word!r} expected, got {line!r}")

    def line(self, seconds=PATIENCE):
        """The next line of the program; empty where it ended."""
        end = time.monotonic() + seconds
        while b"\n" not in self.heard:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                self.failed(f"nothing was said for {seconds} s")
            if not (more := os.read(self.process.stdout.fileno(), 65536)):
                break
            self.heard += more
        line, _, self.heard = self.heard.partition(b"\n")
        return line.decode().strip()

    def failed(self, why):
        """Ends the run, and the test with what the program said last."""
        for pid in self.members():  # pmg last: it ends with them
            os.kill(pid, signal.SIGKILL)
        _, err = self.process.communicate()
        raise AssertionError(f"{why}: {(err or b'').decode(errors='replace')[-2000:]}")

    def says(self, word="go"):
        self.process.stdin.write(f"{word}\n".encode())
        self.process.stdin.flush()

    def finish(self, code=0, seconds=PATIENCE):
        """It ends by itself, with `code`, and nothing of it is left; what it printed."""
        out, err = self.process.communicate(timeout=seconds)
        out, err = ((text or b"").decode(errors="replace") for text in (self.heard + (out or b""), err))
        self.test.assertEqual(self.process.returncode, code, (out + err)[-2000:])
        self.all_ended()
        return out

    def all_ended(self):
        self.test.assertEqual(until(lambda: [] == self.members() and "none", "the run's processes end"), "none")


class Faults(work.Work):
    """A test with a secret that stays one, and a file that may be read."""

    def setUp(self):
        super().setUp()
        self.secret_file = self.home / ".ssh" / "id_rsa"
        self.secret(self.secret_file)
        self.write("file", "")

    def program(self, name, *arguments, **more):
        return Run(self, [str(PROGRAMS / name), *map(str, arguments)], **more)

    def python(self, text, *arguments, **more):
        return Run(self, ["python3", "-c", PRELUDE + text, str(self.secret_file), *map(str, arguments)], **more)

    def steady(self, run, seconds=PATIENCE, memory=2 * MIB, descriptors=8):
        """From `warm` to `done` the broker's descriptors and memory do not grow; what was printed in between."""
        run.hears("warm")
        before = run.descriptors(), run.memory()
        run.says()
        printed = []
        while (line := run.line(seconds)) != "done":
            if not line:
                run.failed("not done")
            printed.append(line)
        # A thread that gives a descriptor away closes its own a moment later, also after the last call.
        until(lambda: run.descriptors() <= before[0] + descriptors,
              f"descriptors of the broker: {before[0]}, now {run.descriptors()}", 3)
        after = run.descriptors(), run.memory()
        if not SANITIZER:
            self.assertLess(after[1], before[1] + memory, "memory of the broker")
        print(f"  descriptors {before[0]} -> {after[0]}, memory {before[1] >> 10} -> {after[1] >> 10} KiB", flush=True)
        run.says()
        return printed


#: What the programs in Python share. sys.argv[1] is the secret.
PRELUDE = r'''
import ctypes, errno, os, resource, signal, socket, sys, time
SECRET = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)

def outcome(action):
    """"ok", or the name of the error."""
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "ok"

def opening(path, flags=os.O_RDONLY, mode=0o644):
    return outcome(lambda: os.close(os.open(path, flags, mode)))

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())

def hear():
    line = sys.stdin.readline()
    if not line:
        os._exit(3)
    return line.strip()
'''
