#!/usr/bin/env python3
"""Python under the exec profile: virtual environments, packages, multiprocessing, sockets of its own."""
import work

SETUP_PY = """\
from setuptools import setup, Extension
setup(name="mine", version="1.0", py_modules=["mine"], ext_modules=[Extension("native", ["native.c"])],
      entry_points={"console_scripts": ["mine=mine:main"]})
"""

NATIVE = """\
#include <Python.h>
static PyObject* seven(PyObject* self, PyObject* none) { return PyLong_FromLong(7); }
static PyMethodDef methods[] = {{"seven", seven, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "native", 0, -1, methods};
PyMODINIT_FUNC PyInit_native(void) { return PyModule_Create(&module); }
"""

MULTI = """\
import multiprocessing as mp, threading, queue, sys
from multiprocessing import shared_memory
from concurrent.futures import ProcessPoolExecutor

def double(n): return 2 * n
def put(q, n): q.put(n)
def add(d, k): d[k] = k * k

if __name__ == "__main__":
    mp.set_start_method(sys.argv[1])
    with mp.Pool(4) as pool: print(sum(pool.map(double, range(200))))
    with mp.Manager() as manager:
        d = manager.dict(); ps = [mp.Process(target=add, args=(d, k)) for k in range(6)]
        [p.start() for p in ps]; [p.join() for p in ps]; print(sorted(d.items()))
    q = mp.Queue(); p = mp.Process(target=put, args=(q, 5)); p.start(); print(q.get(timeout=20)); p.join()
    s = shared_memory.SharedMemory(create=True, size=1 << 16); t = shared_memory.SharedMemory(name=s.name)
    s.buf[0] = 9; print(t.buf[0]); t.close(); s.close(); s.unlink()
    lock = mp.Lock(); value = mp.Value("i", 0); sem = mp.Semaphore(2)
    with lock, sem: value.value += 1
    print(value.value)
    a, b = mp.Pipe(); a.send([1, 2]); print(b.recv())
    with ProcessPoolExecutor(2) as e: print(list(e.map(abs, [-1, 2])))
"""

ASYNC = """\
import asyncio, os
async def echo(r, w):
    w.write(await r.readline()); await w.drain(); w.close()
async def ask(r, w):
    w.write(b"hi\\n"); line = await r.readline(); w.close(); return line
async def main():
    s = await asyncio.start_unix_server(echo, "sock"); print(await ask(*await asyncio.open_unix_connection("sock"))); s.close()
    s = await asyncio.start_server(echo, "127.0.0.1", 0); port = s.sockets[0].getsockname()[1]
    print(await ask(*await asyncio.open_connection("127.0.0.1", port))); s.close(); os.unlink("sock")
    p = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1); print((await p.communicate(b"cat"))[0])
asyncio.run(main())
"""

LIBRARY = """\
import glob, hashlib, json, logging.handlers, mmap, os, pathlib, shutil, sqlite3, tempfile, time, zipfile, tarfile, threading, signal
c = sqlite3.connect("x.db"); c.execute("pragma journal_mode=wal"); c.execute("create table t(a)")
c.executemany("insert into t values (?)", [(i,) for i in range(500)]); c.commit(); print(c.execute("select sum(a) from t").fetchone()); c.close()
pathlib.Path("d/e").mkdir(parents=True); pathlib.Path("d/e/f").write_text("1"); shutil.copytree("d", "c"); shutil.move("c", "m"); print(sorted(glob.glob("**", recursive=True)))
os.utime("d/e/f", ns=(10**18 + 1, 10**18 + 2)); print(os.stat("d/e/f").st_mtime_ns); os.utime("m", (1, 2)); print(os.stat("m").st_mtime)
fd = os.open("d/e/f", os.O_RDONLY); os.utime(fd, (3, 4)); os.fchmod(fd, 0o600); print(oct(os.fstat(fd).st_mode)); os.close(fd)
with open("map", "w+b") as f: f.truncate(8192); m = mmap.mmap(f.fileno(), 0); m[:3] = b"abc"; m.flush(); m.close()
with zipfile.ZipFile("z.zip", "w") as z: z.writestr("a", "1")
with tarfile.open("t.tgz", "w:gz") as t: t.add("d")
shutil.unpack_archive("t.tgz", "u"); print(sorted(os.listdir("u")))
os.symlink("d", "l"); print(os.path.realpath("l") == os.path.abspath("d"), os.access("d", os.W_OK), os.access("/etc/passwd", os.R_OK))
d = os.open("d", os.O_RDONLY | os.O_DIRECTORY); print(os.stat("e", dir_fd=d).st_mode, os.listdir(d)); os.mkdir("g", dir_fd=d); os.rename("g", "h", src_dir_fd=d, dst_dir_fd=d); os.rmdir("h", dir_fd=d); os.close(d)
os.replace("map", "map2"); shutil.rmtree("m"); os.makedirs("a/b/c"); os.removedirs("a/b/c"); print(os.path.exists("a"))
os.mkfifo("p"); threading.Thread(target=lambda: open("p", "w").write("fifo")).start(); print(open("p").read())
h = logging.handlers.RotatingFileHandler("log", maxBytes=20, backupCount=2); l = logging.getLogger("x"); l.addHandler(h); [l.error("0123456789") for _ in range(5)]; print(sorted(glob.glob("log*")))
signal.signal(signal.SIGALRM, lambda *a: None); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for i in range(3000): open("/etc/passwd").close()
signal.setitimer(signal.ITIMER_REAL, 0); print("signals")
"""


class Python(work.Work):
    def test_venv_and_pip_install(self):
        for name, text in (("setup.py", SETUP_PY), ("native.c", NATIVE), ("mine.py", "import native\ndef main(): print(native.seven())\n")):
            self.write(f"pkg/{name}", text)
        self.prepare("/usr/bin/python3 -c 'import setuptools, venv, ensurepip' && test -e /usr/include/python3*/Python.h")
        done = self.inside("/usr/bin/python3 -m venv --system-site-packages venv && . venv/bin/activate && "
                           "pip -q --disable-pip-version-check install --no-index --no-build-isolation ./pkg && mine && python -c 'import native; print(native.__file__)' && "
                           "pip -q --disable-pip-version-check uninstall -y mine && test ! -e venv/bin/mine && deactivate")
        self.assertEqual(self.good(done), f"7\n{self.project}/venv/lib/python{self.version()}/site-packages/{self.module()}\n")

    def version(self):
        return self.good(self.plain("/usr/bin/python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'")).strip()

    def module(self):
        return self.good(self.plain("/usr/bin/python3 -c 'import sysconfig; print(\"native\" + sysconfig.get_config_var(\"EXT_SUFFIX\"))'")).strip()

    def test_multiprocessing(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method=method):
                self.same(f"python3 multi.py {method}", setup=f"cat >multi.py <<'E'\n{MULTI}E", ignore="__pycache__")
                self.afresh()

    def test_asyncio(self):
        self.same("python3 a.py", setup=f"cat >a.py <<'E'\n{ASYNC}E")

    def test_library(self):
        self.same("python3 l.py", setup=f"cat >l.py <<'E'\n{LIBRARY}E", ignore=r"x\.db|\.zip|\.tgz|^log")

    def test_threads_that_change_directory(self):
        # The working directory belongs to the process, and may differ between threads after unshare(CLONE_FS).
        self.same("python3 -c \"\nimport os, threading\nfor n in range(8): os.makedirs(f'd{n}')\ntop = os.open('.', os.O_RDONLY)\n"
                  "def go(n):\n  d = os.open(f'd{n}', os.O_RDONLY, dir_fd=top)\n  for i in range(150):\n"
                  "    f = os.open(f'f{i}', os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=d); os.close(f); os.rename(f'f{i}', f'g{i}', src_dir_fd=d, dst_dir_fd=d)\n"
                  "ts = [threading.Thread(target=go, args=(n,)) for n in range(8)]\n[t.start() for t in ts]\n"
                  "for i in range(200): os.chdir('d1'); os.chdir('..')\n[t.join() for t in ts]\nprint(sum(len(os.listdir(f'd{n}')) for n in range(8)))\n\"")

    def test_compile_all(self):
        self.same("python3 -m compileall -q -j2 --invalidation-mode unchecked-hash m; find . -name '*.pyc' | wc -l; python3 -m unittest discover -q m 2>&1 | tail -1",
                  setup="mkdir m; for i in $(seq 60); do echo \"x = $i\" >m/m$i.py; done; printf 'import unittest\\nclass T(unittest.TestCase):\\n  def test(self): pass\\n' >m/test_m.py", ignore="__pycache__")


if __name__ == "__main__":
    work.main()
