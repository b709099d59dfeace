"""Attacks, each with a control: the same program succeeds without pmg and gets nothing inside.

    def test_hard_link(self):
        self.attack("attempt('link', lambda: os.link(HOME + '/notes', 'mine'))", begin=self.notes)

`attempt` prints one line for each try. Without pmg each try must succeed, inside each must be refused, so that an attack
which fails for a reason of its own is no test. What the machine itself forbids is `optional` without pmg. Races are
bounded by time, and count as tried only if the racing thread got somewhere.
"""
import os
import re
import shutil
import socket
import subprocess
import threading
import time

import work

PRELUDE = r'''
import ctypes, errno, fcntl, mmap, os, resource, signal, socket, struct, sys, termios, threading, time
libc = ctypes.CDLL(None, use_errno=True)
HOME = os.environ["HOME"]
AT_FDCWD, AT_EMPTY_PATH, AT_SYMLINK_FOLLOW = -100, 0x1000, 0x400
NOREPLACE, EXCHANGE = 1, 2

def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def system_call(number, *arguments):
    return check(libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]))

def renameat2(old, new, flags):
    return check(libc.renameat2(AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags))

def linkat(directory, old, new, flags):
    return check(libc.linkat(directory, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags))

def content(path, flags=os.O_RDONLY):
    fd = os.open(path, flags)
    try:
        return os.read(fd, 1000)
    finally:
        os.close(fd)

def put(path, text="planted"):
    with open(path, "w") as file:
        file.write(text)

def attempt(what, action):
    try:
        got = action()
    except OSError as error:
        print(what, "REFUSED", errno.errorcode[error.errno], flush=True)
    else:
        print(what, "GOT", repr(got), flush=True)

def in_child(action):
    """What a child that calls `action` prints, usually by becoming another program; its OSError is ours."""
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(into, 1)
        try:
            action()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno)
    os.close(into)
    text = b""
    while piece := os.read(out, 4096):
        text += piece
    os.close(out)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status != 0:
        raise OSError(abs(status), "child")
    return text

def await_file(path):
    while not os.path.lexists(path):
        time.sleep(0.005)

def race(action, interfere, seconds=3, alone=True):
    """Runs `action` until it returns something, while somebody else interferes: a process of its own, or a thread where
    they must share descriptors. RuntimeError if that one starved."""
    turns = mmap.mmap(-1, 8)
    def other():
        count = 0
        while turns[4] == 0:
            interfere()
            count += 1
            turns[:4] = struct.pack("I", count)
    if alone:
        pid = os.fork()
        if pid == 0:
            other()
            os._exit(0)
    else:
        thread = threading.Thread(target=other)
        thread.start()
    end, got = time.monotonic() + seconds, None
    while time.monotonic() < end and got is None:
        got = quietly(action)
    turns[4] = 1
    os.waitpid(pid, 0) if alone else thread.join()
    if got is not None:
        return got
    if struct.unpack("I", turns[:4])[0] < 100:
        raise RuntimeError(f"{turns[:4]} turns")
    raise OSError(errno.EACCES, "never")

def quietly(action, *arguments):
    try:
        return action(*arguments)
    except OSError:
        return None
'''
LINE = re.compile(r"^(\S+) (GOT|REFUSED) (.*)$", re.M)


class Escape(work.Work):
    def begin_afresh(self, begin):
        for place in (self.project, self.home):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
        if begin:
            begin()

    def attack(self, program, *arguments, begin=None, optional=(), flags=(), env=None, settle=None, meanwhile=None):
        """Runs the attack without pmg and inside, each from what `begin` made. `optional` names the tries that
        the machine itself may forbid, None all of them. `settle` looks at what is left of the attack inside; `meanwhile`
        runs outside at the same time. Returns the error of each try inside."""
        script = self.top / "attack.py"
        script.write_text(PRELUDE + program)
        command = ["/usr/bin/python3", str(script), *map(str, arguments)]
        self.begin_afresh(begin)
        control = self.tries(self.with_outsider(meanwhile, command, env))
        failed = {what: tried for what, tried in control.items() if tried[0] != "GOT" and optional is not None and what not in optional}
        self.assertEqual(failed, {}, "fails without pmg too")
        self.begin_afresh(begin)
        before = work.fingerprint(self.home)
        done = self.with_outsider(meanwhile, [self.pmg, "sandbox", "exec", *flags, "--", *command], env)
        tried = self.tries(done)
        self.assertEqual(list(tried), list(control), done.stdout)
        self.assertEqual({what: got for what, got in tried.items() if got[0] == "GOT"}, {}, "not refused")
        self.assertNotIn(work.SECRET, done.stdout)
        self.assertEqual(work.fingerprint(self.home), before, "the home directory changed")
        if settle:
            settle()
        return {what: value for what, (_, value) in tried.items()}

    def with_outsider(self, meanwhile, command, env):
        thread = threading.Thread(target=meanwhile) if meanwhile else None
        if thread:
            thread.start()
        try:
            return self.run_command(command, env=env)
        finally:
            if thread:
                thread.join()

    def tries(self, done):
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        tried = {what: (verdict, value) for what, verdict, value in LINE.findall(done.stdout)}
        self.assertTrue(tried, done.stdout[-3000:])
        return tried

    def dot_env(self):
        self.secret(self.project / ".env")

    def notes(self):
        """A file that every program may read and none may write."""
        (self.home / "notes").write_text("notes\n")

    def repository(self):
        self.good(self.plain("git init -q . && git config user.email a@b && git config user.name a"))

    def await_path(self, name):
        end = time.monotonic() + 20
        while not os.path.lexists(self.project / name):
            self.assertLess(time.monotonic(), end, name)
            time.sleep(0.005)

    def listening(self, kind, address):
        """A socket of the machine at `address`; the list gets an entry for each message or connection."""
        server = socket.socket(socket.AF_UNIX, kind)
        self.addCleanup(server.close)
        server.bind(address)
        got = []
        if kind == socket.SOCK_STREAM:
            server.listen(64)

        def serve():
            while True:
                try:
                    got.append(server.accept()[0] if kind == socket.SOCK_STREAM else server.recv(100))
                except OSError:
                    return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        self.addCleanup(server.shutdown, socket.SHUT_RDWR)
        return got


class Descriptors(Escape):
    """A descriptor gives what it gave when it was opened, and an O_PATH descriptor gives nothing."""

    def test_program_in_memory(self):
        self.attack("""
def load():
    fd = os.memfd_create("program", 0)
    os.write(fd, open("/bin/echo", "rb").read())
    quietly(os.fchmod, fd, 0o755)
    quietly(os.chmod, f"/proc/self/fd/{fd}", 0o755)
    return fd
attempt("fexecve", lambda: in_child(lambda: os.execve(load(), ["echo", "ran"], {})))
attempt("proc", lambda: in_child(lambda: os.execv(f"/proc/self/fd/{load()}", ["echo", "ran"])))
""")


class Processes(Escape):
    """Other processes, and ways out of the filter."""

    def outsider(self):
        process = subprocess.Popen(["sleep", "60"], env={"TOKEN": work.SECRET}, cwd=self.top)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        time.sleep(0.1)
        return process.pid

    def test_limits_of_the_parent(self):
        self.attack("""
attempt("prlimit", lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0)))
""")

    def terminal(self):
        try:
            return os.openpty()
        except OSError as error:
            return self.skipTest(f"no terminals here: {error}")

    def test_typing_into_the_terminal(self):
        for end in self.terminal():
            os.close(end)
        refused = self.attack("""
ours, theirs = os.openpty()
def type_into(request):
    os.setsid()
    fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
    letter = ctypes.create_string_buffer(b"x")
    system_call(16, theirs, ctypes.c_ulong(request), letter)
attempt("plain", lambda: in_child(lambda: type_into(0x5412)))
attempt("high", lambda: in_child(lambda: type_into(0x5412 | 1 << 32)))
attempt("highest", lambda: in_child(lambda: type_into(0x5412 | 1 << 63)))
""", optional=None)
        self.assertEqual(set(refused.values()), {"EPERM"})

    def test_terminal_of_somebody_else(self):
        ours, theirs = self.terminal()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        self.attack("""
name = sys.argv[1]
for flags in ("O_RDONLY", "O_WRONLY", "O_RDWR"):
    attempt(flags, lambda: os.open(name, getattr(os, flags) | os.O_NOCTTY))
fd = os.open(name, os.O_PATH)
attempt("reopen", lambda: os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_NOCTTY))
""", os.ttyname(theirs))

    def test_scrubbed_variable_is_nowhere(self):
        """Not in the program, in none of its descendants, and not in the memory of one that waits."""
        self.attack(r"""
TOKEN = b"SECRET" + b"-42"
def find(text):
    if TOKEN not in text:
        raise OSError(errno.ENOENT, "clean")
def environment(pid):
    with open(f"/proc/{pid}/environ", "rb") as file:
        find(file.read())
def stack():
    with open("/proc/self/maps") as maps:
        start, end = (int(text, 16) for text in next(line for line in maps if "[stack]" in line).split()[0].split("-"))
    with open("/proc/self/mem", "rb") as memory:
        memory.seek(start)
        find(memory.read(end - start))
def below(depth):
    in_child(lambda: below(depth - 1)) if depth else environment("self")
attempt("self", lambda: environment("self"))
attempt("number", lambda: environment(os.getpid()))
attempt("parent", lambda: environment(os.getppid()))
attempt("stack", stack)
attempt("fork", lambda: below(3))
attempt("shell", lambda: find(in_child(lambda: os.execv("/bin/sh", ["sh", "-c", "sh -c 'env; cat /proc/self/environ /proc/$$/environ'"]))))
""", env={"GH_TOKEN": work.SECRET, "NPM_TOKEN": work.SECRET, "AWS_SECRET_ACCESS_KEY": work.SECRET}, optional={"parent"})


class Sockets(Escape):
    """Unix sockets of the machine answer nobody inside."""

    def test_datagrams(self):
        address = str(self.top / "host.sock")
        got = self.listening(socket.SOCK_DGRAM, address)

        def begin():
            got.clear()

        self.attack("""
for name in ("SOCK_RAW", "SOCK_DGRAM"):
    attempt(name, lambda: socket.socket(socket.AF_UNIX, getattr(socket, name)).sendto(b"from inside", sys.argv[1]))
one, two = quietly(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)) or (None, None)
attempt("pair", lambda: one.sendto(b"from inside", sys.argv[1]) if one else os.stat("/nowhere"))
""", address, begin=begin, settle=lambda: self.assertEqual(got, []))

    def test_streams(self):
        path, name = str(self.project / "host.sock"), f"\0pmg-test-{os.getpid()}"
        got = {"abstract": self.listening(socket.SOCK_STREAM, name)}

        def begin():
            got["path"] = self.listening(socket.SOCK_STREAM, path)
            got["abstract"].clear()

        def settle():
            time.sleep(0.1)
            self.assertEqual(got, {"path": [], "abstract": []})

        self.attack("""
def connect(address):
    client = socket.socket(socket.AF_UNIX)
    client.connect(address)
    client.send(b"agent?")
attempt("path", lambda: connect("host.sock"))
attempt("descriptor", lambda: connect(f"/proc/self/fd/{os.open('host.sock', os.O_PATH)}"))
os.symlink("host.sock", "way")
attempt("symlink", lambda: connect("way"))
quietly(os.link, "host.sock", "again")
attempt("link", lambda: connect("again"))
attempt("abstract", lambda: connect("\\0" + sys.argv[1]))
""", name[1:], begin=begin, settle=settle)

    def test_host_socket_renamed_to_a_bound_name(self):
        got = []

        def begin():
            got.append(self.listening(socket.SOCK_STREAM, str(self.project / "host.sock")))

        self.attack("""
def swap():
    quietly(os.rename, "host.sock", "x.sock")
    os.path.exists("host.sock") or quietly(os.rename, "x.sock", "host.sock")
def connect():
    with socket.socket(socket.AF_UNIX) as server:
        quietly(server.bind, "x.sock")
    for name in ("x.sock", "host.sock"):
        with socket.socket(socket.AF_UNIX) as client:
            if quietly(lambda: client.connect(name) or client.send(b"agent?")):
                return name
    if os.path.exists("x.sock") and os.path.exists("host.sock"):
        quietly(os.unlink, "x.sock")
attempt("swap", lambda: race(connect, swap))
""", begin=begin, settle=lambda: self.assertEqual(got[-1], []))

    def test_host_socket_moved_or_exchanged(self):
        def begin():
            self.write("mine", "mine")
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            path = os.path.join(self.project, "host.sock")
            if os.path.exists(path):
                os.unlink(path)
            listener.bind(path)
            listener.close()

        self.attack("""
attempt("exchanged", lambda: renameat2("mine", "host.sock", EXCHANGE))
attempt("exchanged back", lambda: renameat2("host.sock", "mine", EXCHANGE))
attempt("moved", lambda: os.rename("host.sock", "elsewhere.sock"))
""", begin=begin)

    def test_number_of_a_bound_socket_used_again(self):
        """Bound inside and removed; a socket of the machine with the same inode number is another socket."""
        got = []

        def take_number():
            self.await_path("gone")
            number = int((self.project / "gone").read_text())
            for count in range(200):
                address = str(self.project / f"host{count}.sock")
                server = socket.socket(socket.AF_UNIX)
                self.addCleanup(server.close)
                server.bind(address)
                if os.stat(address).st_ino == number or count == 199:
                    break
            server.listen(8)
            server.settimeout(0)
            got.append(server)
            os.rename(address, self.project / "x.sock")
            (self.project / "taken").touch()

        def settle():
            with self.assertRaises(BlockingIOError):
                got[-1].accept()

        self.attack("""
with open("gone.part", "w") as note:  # made before, or it would get the number itself
    server = socket.socket(socket.AF_UNIX)
    server.bind("x.sock")
    note.write(str(os.stat("x.sock").st_ino))
server.close()
os.unlink("x.sock")
os.rename("gone.part", "gone")
await_file("taken")
client = socket.socket(socket.AF_UNIX)
attempt("connect", lambda: client.connect("x.sock"))
""", meanwhile=take_number, settle=settle)


if __name__ == "__main__":
    work.main()
