"""Faults: whatever breaks, nothing becomes allowed, nothing hangs, nothing grows, and every process ends with the run.

Each test makes sure that its fault really happened. PMG is the binary, PMG_FAULT_PROGRAMS the directory of the programs
beside this file, PMG_FAULT_SCALE multiplies the counts.
"""
import os
import re
import resource
import signal
import subprocess
import time

import broker
import work
from broker import MIB, SCALE, Faults, Stopped, until

OPENS_AND_SECRET = r'''
while True:
    say(opening("file"), opening("made", os.O_CREAT | os.O_WRONLY), opening(SECRET))
    if hear() == "end":
        break
'''


class Died(Faults):
    def test_broker_killed(self):
        # A child in a session of its own survives pmg; it prints on a pipe, which no call opens again.
        run = self.python(r'''
pid = os.fork()
if pid == 0:
    os.setsid()
    say("child", os.getpid())
    while os.stat("go").st_size == 0:
        time.sleep(0.01)
    say(*[opening(*arguments) for arguments in (("file",), ("new", os.O_CREAT | os.O_WRONLY), (SECRET,))],
        outcome(lambda: os.rename("file", "file2")), outcome(lambda: os.unlink("file")),
        outcome(lambda: os.execv("/bin/true", ["true"])),
        outcome(lambda: socket.socket(socket.AF_UNIX).connect("/nowhere")))
    os._exit(0)
while True:
    opening("file")
''')
        self.write("go", "")
        child = int(run.line().split()[1])
        main = next(pid for pid in run.members() if pid not in (run.broker, child))
        run.process.kill()
        run.process.wait()
        until(lambda: not broker.is_alive(main), "the program dies with pmg")
        self.write("go", "now")
        line = run.line().split()
        self.assertEqual(line, ["ENOSYS"] * 7)
        self.assertTrue((self.project / "file").exists() and not (self.project / "new").exists())
        run.all_ended()

    def test_broker_killed_while_calls_wait(self):
        os.mkfifo(self.project / "fifo")
        run = self.python(r'''
out, into = os.pipe()
for turn in range(10):
    if os.fork() == 0:
        os.setsid()
        os.write(into, b"x")
        os.write(1, (opening("fifo") + "\n").encode())
        os._exit(0)
for turn in range(10):
    os.read(out, 1)
say("waiting")
hear()
''')
        run.hears("waiting")
        time.sleep(0.2)
        self.assertEqual(len(run.members()), 12)
        run.process.kill()
        run.process.wait()
        self.assertEqual([run.line() for _ in range(10)], ["ENOSYS"] * 10)
        run.all_ended()

    def test_callers_killed_in_every_call(self):
        run = self.program("killed", 120 * SCALE)
        lines = [line.split() for line in self.steady(run, seconds=60 * SCALE, memory=4 * MIB, descriptors=100)]
        self.assertEqual(len(lines), 24)
        for kind, count in lines:
            self.assertGreater(int(count), 0, f"{kind}: nobody was killed in the middle of it")
        run.finish()


class Stuck(Faults):
    def progress(self, run, word="more"):
        run.says(word)
        self.assertEqual(run.line().split(), ["ok", "ok", "EACCES"])

    def test_broker_threads(self):
        run = self.python(OPENS_AND_SECRET)
        self.assertEqual(run.line().split(), ["ok", "ok", "EACCES"])
        threads = run.threads()
        self.assertEqual(len(threads), 3)
        with Stopped(threads[0]):
            for _ in range(50):
                self.progress(run)
            with Stopped(threads[1]):
                for _ in range(50):
                    self.progress(run)
                stopped = [read for thread in threads if b"t (tracing" in (read := broker.read(f"/proc/{thread}/status"))]
                self.assertEqual(len(stopped), 2, "two of three stood still")
        for _ in range(50):
            self.progress(run)
        run.says("end")
        run.finish()

    def test_broker_thread_in_the_middle_of_a_call(self):
        run = self.program("crowd", "flood", 3, 8, self.secret_file)
        until(lambda: len(run.threads()) == 3 and len(run.members()) == 10, "everybody works")
        for _ in range(2000):
            thread = run.threads()[0]
            with Stopped(thread):
                if run.waits_for_calls(thread) or b"running" in broker.read(f"/proc/{thread}/syscall"):
                    continue
                # Seven callers go on while one waits. A caller sleeps in each of its calls; a broker thread that always finds
                # another call does not.
                def calls():
                    return {pid: int(re.search(rb"^voluntary_ctxt_switches:\s*(\d+)", broker.read(f"/proc/{pid}/status"), re.M)[1])
                            for pid in run.members()}
                before = calls()
                time.sleep(1)
                made = {pid: count - before.get(pid, 0) for pid, count in calls().items()}
                self.assertGreater(sum(made.values()), 1000, made)
                self.assertGreaterEqual(sum(count > 100 for count in made.values()), 7, made)
                break
        else:
            self.fail("the thread was never met in a call")
        run.finish()


class Exhausted(Faults):
    def test_descriptors_of_the_broker(self):
        run = self.python(OPENS_AND_SECRET)
        self.assertEqual(run.line().split(), ["ok", "ok", "EACCES"])
        limits = resource.prlimit(run.broker, resource.RLIMIT_NOFILE)
        for _ in range(3):
            resource.prlimit(run.broker, resource.RLIMIT_NOFILE, (3, limits[1]))
            run.says("more")
            words = run.line().split()
            self.assertEqual(words[:2], ["EMFILE", "EMFILE"], "nothing is left to work with")
            self.assertNotEqual(words[2], "ok", "the secret")
            resource.prlimit(run.broker, resource.RLIMIT_NOFILE, limits)
            for _ in range(10):
                run.says("more")
                self.assertEqual(run.line().split(), ["ok", "ok", "EACCES"])
        run.says("end")
        run.finish()

    def test_few_descriptors_from_the_start(self):
        # As many callers as would fill what a broker remembers of them, under a hard limit that has no room for it.
        run = self.python(r'''
for turn in range(300):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if (opening("file"), opening(SECRET)) == ("ok", "EACCES") else 1)
    if os.waitpid(pid, 0)[1] != 0:
        say("refused in turn", turn)
        break
say("limit", resource.getrlimit(resource.RLIMIT_NOFILE)[0])
''', before=["sh", "-c", 'ulimit -n 96; exec "$@"', "sh"])
        self.assertEqual(run.finish().splitlines(), ["limit 96"])

    def test_too_few_descriptors_to_start(self):
        run = self.python("say('ran')", before=["sh", "-c", 'ulimit -n 24; exec "$@"', "sh"])
        out, err = run.process.communicate(timeout=broker.PATIENCE)
        self.assertNotEqual(run.process.returncode, 0)
        self.assertNotIn(b"ran", out)
        self.assertIn(b"pmg: ", err)

    def test_descriptors_of_the_caller(self):
        self.write("full", "content")
        run = self.python(r'''
ends = socket.socketpair()
held = [os.dup(0) for _ in range(20)]
limits = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (held[-1] + 1, limits[1]))
for _ in range(20):
    say(opening("file"), opening("new", os.O_CREAT | os.O_WRONLY), opening("full", os.O_WRONLY | os.O_TRUNC),
        opening(".", os.O_TMPFILE | os.O_WRONLY), outcome(lambda: os.memfd_create("name")), opening(SECRET))
resource.setrlimit(resource.RLIMIT_NOFILE, limits)
say(opening("file"), opening("new", os.O_CREAT | os.O_WRONLY), os.path.getsize("full"))
''')
        lines = run.finish().splitlines()
        self.assertEqual(lines[:-1], ["EMFILE EMFILE EMFILE EMFILE EMFILE EACCES"] * 20)
        self.assertEqual(lines[-1], "ok ok 7", "an open that reported EMFILE had an effect")
        # `new` was made by the last open only: an earlier one would have left it.
        self.assertEqual((self.project / "full").read_text(), "content")

    def test_created_file_goes_with_its_error(self):
        run = self.python(r'''
held = [os.dup(0) for _ in range(20)]
resource.setrlimit(resource.RLIMIT_NOFILE, (held[-1] + 1, 1000))
say(opening("new", os.O_CREAT | os.O_WRONLY), opening("exclusive", os.O_CREAT | os.O_EXCL | os.O_RDWR),
    opening("readable", os.O_CREAT | os.O_RDONLY))
''')
        self.assertEqual(run.finish().split(), ["EMFILE"] * 3)
        self.assertEqual([name for name in ("new", "exclusive", "readable") if (self.project / name).exists()], [])

    def test_disk_full(self):
        if os.geteuid() != 0 and subprocess.run(["unshare", "-Urm", "true"], check=False).returncode != 0:
            self.skipTest("no mount namespace for this user")
        own = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
        mount = 'mount -t tmpfs -o size=256k,nr_inodes=40 none "$PWD" && cd "$PWD" && : >file && exec "$@"'
        run = self.python(r'''
def fill():
    with open("big", "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
def crowd():
    for turn in range(100):
        os.close(os.open(f"n{turn}", os.O_CREAT | os.O_WRONLY))
say(outcome(fill), outcome(crowd), opening("another", os.O_CREAT | os.O_WRONLY), outcome(lambda: os.mkdir("d")),
    outcome(lambda: os.symlink("x", "s")), outcome(lambda: os.mkfifo("p")),
    outcome(lambda: socket.socket(socket.AF_UNIX).bind("k")), opening(".", os.O_TMPFILE | os.O_WRONLY))
say(os.path.exists("another"), opening("file"), opening(SECRET), outcome(lambda: os.rename("big", "bigger")),
    outcome(lambda: os.unlink("bigger")), opening("another", os.O_CREAT | os.O_WRONLY))
os.unlink("n1")
say(opening("another", os.O_CREAT | os.O_WRONLY), outcome(lambda: open("another", "w").write("x" * 100000)))
''', before=[*own, "sh", "-c", mount, "sh"])
        full, rest, after = run.finish().splitlines()
        self.assertEqual(full.split(), ["ENOSPC"] * 2 + ["ENOSPC"] * 6)
        self.assertEqual(rest.split(), ["False", "ok", "EACCES", "ok", "ok", "ok"])
        self.assertEqual(after.split(), ["ok", "ok"])

    def test_size_of_files(self):
        run = self.python(r'''
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
def grow():
    with open("made", "wb", buffering=0) as file:
        while file.write(b"x" * 600):
            pass
say(outcome(grow), outcome(lambda: os.truncate("made", 5000)), os.path.getsize("made"), opening(SECRET))
''')
        self.assertEqual(run.finish().split(), ["EFBIG", "EFBIG", "1000", "EACCES"])


class Waits(Faults):
    def test_fifos_that_nobody_opens(self):
        # More than may wait at a time: those above are told so, the rest of the tree goes on.
        run = self.python(r'''
os.mkfifo("fifo")
out, into = os.pipe()
children = []
for turn in range(300):
    pid = os.fork()
    if pid == 0:
        os.write(into, b"x" if opening("fifo") == "EAGAIN" else b"o")
        os._exit(0)
    children.append(pid)
refused = 0
while refused < 300 - 256:
    refused += os.read(out, 1) == b"x"
say(refused, opening("file"), opening(SECRET))
for pid in children[:50]:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
say(hear())
os._exit(0)
''')
        self.assertEqual(run.line().split(), ["44", "ok", "EACCES"])
        run.says("end")  # with 206 that still wait
        run.finish()

    def test_waiting_makes_room(self):
        run = self.python(r'''
os.mkfifo("fifo")
for turn in range(3):
    children = []
    for _ in range(256):
        pid = os.fork()
        if pid == 0:
            os._exit(opening("fifo") != "ok")
        children.append(pid)
    time.sleep(0.2)
    end = time.monotonic() + 20
    while opening("fifo", os.O_WRONLY | os.O_NONBLOCK) != "ok":
        time.sleep(0.01)
    done = 0
    while done < 256 and time.monotonic() < end:
        opening("fifo", os.O_WRONLY | os.O_NONBLOCK)
        pid, status = os.waitpid(-1, os.WNOHANG)
        done += pid != 0
        assert status == 0, status
    say(done)
''')
        self.assertEqual(run.finish(seconds=90).split(), ["256"] * 3)

    def test_peer_that_never_accepts(self):
        run = self.python(r'''
server = socket.socket(socket.AF_UNIX)
server.bind("socket")
server.listen(0)
out, into = os.pipe()
children = []
for turn in range(20):
    pid = os.fork()
    if pid == 0:
        client = socket.socket(socket.AF_UNIX)
        os.write(into, b"c" if outcome(lambda: client.connect("socket")) == "ok" else b"e")
        time.sleep(60)
    children.append(pid)
os.read(out, 1)  # the one that fits into the queue
time.sleep(0.3)
os.set_blocking(out, False)
say("more" if outcome(lambda: os.read(out, 1)) == "ok" else "waiting", opening("file"), opening(SECRET))
for pid in children[:10]:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
say(hear())
''')
        self.assertEqual(run.line().split(), ["waiting", "ok", "EACCES"])
        run.says("end")
        run.finish()

    def test_signals_end_a_wait(self):
        # As without pmg: the handler says whether the call fails or is started again, and a stop stops.
        os.mkfifo(self.project / "fifo")
        run = self.python(r'''
libc.open.argtypes = [ctypes.c_char_p, ctypes.c_int]
signals = []
signal.signal(signal.SIGUSR1, lambda *_: signals.append(1))
for restart in (False, True):
    signal.siginterrupt(signal.SIGUSR1, not restart)
    say("opening", os.getpid())
    fd = libc.open(b"fifo", os.O_RDONLY)
    say(fd >= 0, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno()) if fd < 0 else "", len(signals))
''')
        pid = int(run.line().split()[1])
        waits = lambda: re.match(rb"2(57)? ", broker.read(f"/proc/{pid}/syscall"))
        until(waits, "it opens")
        time.sleep(0.1)
        os.kill(pid, signal.SIGUSR1)
        self.assertEqual(run.line().split(), ["False", "EINTR", "1"])
        run.hears(f"opening {pid}")
        time.sleep(0.1)
        os.kill(pid, signal.SIGUSR1)
        time.sleep(0.1)
        os.kill(pid, signal.SIGSTOP)
        until(lambda: b"State:\tT" in broker.read(f"/proc/{pid}/status"), "it stops")
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.1)
        with open(self.project / "fifo", "wb"):
            self.assertEqual(run.line().split(), ["True", "2"])
            run.finish()

    def test_fifo_swapped_in(self):
        # Between looking and opening: who meets it waits for ever, and nobody else.
        os.mkfifo(self.project / "fifo")
        self.write("plain", "")
        swap = ("import ctypes\nlibc = ctypes.CDLL(None)\n"
                "while libc.renameat2(-100, b'plain', -100, b'fifo', 2) == 0: pass")
        swapper = subprocess.Popen(["python3", "-c", swap], cwd=self.project)
        self.addCleanup(swapper.wait)
        self.addCleanup(swapper.kill)
        run = self.python(r'''
for turn in range(200):
    if os.fork() == 0:
        while True:
            opening("plain")
end, opens = time.monotonic() + 3, 0
while time.monotonic() < end:
    assert (opening("file"), opening(SECRET)) == ("ok", "EACCES")
    opens += 1
say("opens", opens)
hear()
''')
        self.assertGreater(int(run.line().split()[1]), 50)
        self.assertIsNone(swapper.poll())
        self.assertGreater(len(run.threads("pmg-wait")), 20, "hardly anybody met the FIFO")
        run.says()
        run.finish()

    def test_socket_that_becomes_blocking(self):
        count = 300 * SCALE
        waited = int(self.program("threads", "blocking", count).finish(seconds=broker.PATIENCE * SCALE))
        self.assertGreater(waited, count // 4, "hardly anybody waited")

    def test_output_that_nobody_reads(self):
        run = self.python(r'''
pid = os.fork()
if pid == 0:
    while True:
        os.write(1, b"x" * 65536)
while True:
    if opening("file") != "ok" or opening(SECRET) != "EACCES":
        os._exit(5)
    os.utime("beat")
''')
        self.write("beat", "")
        first = os.stat(self.project / "beat").st_mtime_ns
        until(lambda: os.stat(self.project / "beat").st_mtime_ns > first + 500_000_000, "the rest of the tree goes on")
        self.assertIn(b"pipe_w", b"".join(broker.read(f"/proc/{pid}/wchan") for pid in run.members()) or b"pipe_w")
        run.process.terminate()
        run.process.wait(timeout=broker.PATIENCE)
        run.all_ended()

    def test_reports_that_nobody_reads(self):
        # --debug writes to a pipe that is full: calls that are refused wait for it, and the run still ends.
        reading, writing = os.pipe()
        run = self.python(r'''
while True:
    if opening(SECRET) == "ok":
        os._exit(5)
''', flags=["--debug"], stderr=writing)
        os.close(writing)
        self.addCleanup(os.close, reading)
        main = until(lambda: [pid for pid in run.members() if pid != run.broker], "the program runs")[0]
        until(lambda: any(run.waits_for_reader(thread) for thread in run.threads()),
              "a broker thread waits for the reader")
        time.sleep(0.5)
        self.assertTrue(any(run.waits_for_reader(thread) for thread in run.threads()), "and still does")
        os.kill(main, signal.SIGKILL)
        until(lambda: run.members() in ([], [run.broker]), "the tree ends")
        until(lambda: len(run.threads()) == 0, "the broker ends")
        run.process.terminate()  # pmg itself has a last word to write
        run.process.wait(timeout=broker.PATIENCE)
        run.all_ended()


class Many(Faults):
    def test_processes(self):
        count = 5000
        limit = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        if limit != resource.RLIM_INFINITY and limit < count + 100:
            self.skipTest(f"this user may have {limit} processes")
        run = self.program("crowd", "alive", count)
        run.hears("alive")
        self.assertGreaterEqual(len(run.members()), count)
        before = run.descriptors(), run.memory()
        run.says()
        run.hears("ended")
        self.assertLess(run.descriptors(), before[0] + 8)
        if not broker.SANITIZER:
            self.assertLess(run.memory(), before[1] + 2 * MIB)
        run.says()
        run.finish()

    def test_processes_end_with_the_run(self):
        count = 5000
        limit = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        if limit != resource.RLIM_INFINITY and limit < count + 100:
            self.skipTest(f"this user may have {limit} processes")
        run = self.program("crowd", "alive", count)
        run.hears("alive")
        main = next(pid for pid in run.members() if os.path.realpath(f"/proc/{pid}/exe").endswith("crowd")
                    and f"PPid:\t{run.broker}\n".encode() in broker.read(f"/proc/{pid}/status"))
        for pid in [pid for pid in run.members() if pid not in (run.broker, main)][::50]:
            os.kill(pid, signal.SIGSTOP)  # some cannot even be asked
        os.kill(main, signal.SIGKILL)
        run.finish(code=128 + signal.SIGKILL)

    def test_opens_per_second(self):
        # The same processes without pmg, to know how many opens they ask for; inside they ask again at once, too.
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        opens = int(subprocess.run([broker.PROGRAMS / "crowd", "flood", "1", "32", "-"], cwd=self.project, check=True,
                                   capture_output=True, timeout=broker.PATIENCE).stdout.split()[0])
        asked = int(opens / (sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before))  # in a second of one CPU
        self.assertGreater(asked, 200_000)
        duration = 3 * SCALE
        run = self.program("crowd", "flood", duration, 32, self.secret_file)
        opens, refused = map(int, run.finish(seconds=duration + broker.PATIENCE).split())
        print(f"  {asked} opens per second and CPU asked for, {opens // duration} carried out; {refused} of the secret refused",
              flush=True)
        self.assertEqual(refused, opens // 64)
        self.assertGreater(opens // duration, 500)


class Long(Faults):
    def loop(self, kind, count, *more, **bounds):
        run = self.program("loops", kind, count * SCALE, *more)
        self.steady(run, 100 * SCALE, **bounds)
        run.finish()

    def test_opens(self):
        self.loop("opens", 300_000, self.secret_file)

    def test_names(self):
        self.loop("names", 10_000)

    def test_programs(self):
        self.loop("programs", 6_000)

    def test_sockets(self):
        self.loop("sockets", 20_000, memory=4 * MIB, descriptors=72)  # up to 64 that have no name any more

    def test_abstract_sockets(self):
        self.loop("abstract", 20_000, memory=4 * MIB)


class Recycled(Faults):
    def test_numbers_of_processes(self):
        """In a pid namespace the next number can be chosen: many callers with one number, each with a directory, a umask
        and a file of its own."""
        if subprocess.run(["unshare", *self.namespaces(), "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no pid namespace for this user")
        turns = 200 * SCALE
        chooser = (f"import os,subprocess,sys\n"
                   f"run = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
                   f"for turn in range({turns}):\n"
                   f"    assert run.stdout.readline() == b'next\\n'\n"
                   f"    open('/proc/sys/kernel/ns_last_pid', 'w').write('999')\n"
                   f"    run.stdin.write(b'go\\n'); run.stdin.flush()\n"
                   f"print(run.stdout.read().decode(), end='')\n"
                   f"sys.exit(run.wait())\n")
        run = self.python(rf'''
same = 0
for turn in range(2):
    os.mkdir(f"dir{{turn}}")
    with open(f"dir{{turn}}/name", "w") as file:
        file.write(str(turn))
for turn in range({turns}):
    say("next")
    hear()
    pid = os.fork()
    if pid == 0:
        os.chdir(f"dir{{turn % 2}}")
        os.umask((0o077, 0o022)[turn % 2])
        good = open("name").read() == str(turn % 2)
        with open("made", "w") as file:
            good = good and os.fstat(file.fileno()).st_mode & 0o777 == (0o600, 0o644)[turn % 2]
        os.unlink("made")
        os._exit(0 if good and opening(SECRET) == "EACCES" else 1)
    same += pid == 1000
    assert os.waitpid(pid, 0)[1] == 0, turn
say(same)
''', before=["unshare", *self.namespaces(), "--kill-child", "python3", "-c", chooser])
        self.assertGreater(int(run.finish(seconds=60 * SCALE)), turns * 9 // 10, "the number was hardly used twice")

    @staticmethod
    def namespaces():
        return ["-pf", "--mount-proc"] if os.geteuid() == 0 else ["-Urpf", "--mount-proc"]

    def test_numbers_of_descriptors(self):
        # One number means file after file while another thread opens relative to it.
        run = self.python(r'''
import threading
for name in "ab":
    os.mkdir(name)
    with open(f"{name}/name", "w") as file:
        file.write(name)
number = 100
stop, swaps = [], [0]
def swap():
    directories = [os.open(name, os.O_RDONLY) for name in "ab"]
    while not stop:
        os.dup2(directories[swaps[0] % 2], number)
        swaps[0] += 1
os.dup2(os.open("a", os.O_RDONLY), number)
thread = threading.Thread(target=swap)
thread.start()
seen, end = set(), time.monotonic() + 2
while time.monotonic() < end:
    fd = os.open("name", os.O_RDONLY, dir_fd=number)
    seen.add(os.read(fd, 10))
    os.close(fd)
stop.append(1)
thread.join()
say(sorted(seen) == [b"a", b"b"], swaps[0] > 100)
''')
        self.assertEqual(run.finish().split(), ["True", "True"])


class Interrupted(Faults):
    def test_signals_a_thousand_times_a_second(self):
        duration, workers = 3 * SCALE, 8
        run = self.program("interrupted", duration, workers, 1000)
        signals, calls, interrupted = map(int, run.finish(seconds=duration + broker.PATIENCE).split())
        print(f"  {signals} signals, {calls} calls, {interrupted} of them interrupted", flush=True)
        self.assertGreater(signals, duration * workers * 200, "the timers hardly fired")
        self.assertGreater(interrupted, 10, "nothing was interrupted")


class Threads(Faults):
    def test_exec_beside_opens(self):
        run = self.program("threads", "exec", 300 * SCALE)
        opened = int(run.finish(seconds=60 * SCALE))
        self.assertGreater(opened, 300 * SCALE, "the siblings opened nothing")

    def test_descriptor_table_of_its_own(self):
        self.assertEqual(self.program("threads", "tables").finish(), "own table\n")

    def test_umask_of_its_own(self):
        self.assertEqual(self.program("threads", "umask", 50).finish(), "own umask\n")


if __name__ == "__main__":
    work.main()
