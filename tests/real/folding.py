#!/usr/bin/env python3
"""Rules on a file system that does not tell `.GIT` from `.git`: a FUSE one of our own (folding_fs.py).

Needs root, /dev/fuse and python3-fusepy. The script moves to a mount namespace of its own first, so whatever happens, the
mount ends with it.
"""
import os
import subprocess
import sys
import time

import work
from git import REPOSITORY, WHO

ALONE = "PMG_TEST_OWN_MOUNTS"
#: the one that finds the packages of the system
PYTHON = "/usr/bin/python3"


def why_not():
    """Why the file system cannot be had here; empty where it can."""
    if os.geteuid() != 0:
        return "only root may mount"
    if not os.path.exists("/dev/fuse"):
        return "there is no /dev/fuse"
    probe = subprocess.run([PYTHON, "-c", "import fusepy"], stderr=subprocess.DEVNULL, check=False)
    return "" if probe.returncode == 0 else "python3-fusepy is not installed"


class Folding(work.Work):
    def setUp(self):
        super().setUp()
        self.env |= WHO | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat"}
        disk, mount = self.top / "disk", self.top / "mnt"
        disk.mkdir()
        mount.mkdir()
        server = subprocess.Popen([PYTHON, work.HERE / "folding_fs.py", disk, mount])
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        # Cleanups run last in, first out: unmount, then end the server.
        self.addCleanup(subprocess.run, ["umount", "--lazy", mount], check=False)
        for _ in range(200):
            if os.path.ismount(mount):
                break
            self.assertIsNone(server.poll(), "the file system ended")
            time.sleep(0.05)
        self.assertTrue(os.path.ismount(mount), "mounted")
        self.project = mount / "proj"
        self.project.mkdir()

    def refused(self, script):
        with self.subTest(script=script):
            done = self.inside(script)
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stdout, "(?i)permission denied", script)

    def test_the_file_system_folds(self):
        self.write(".git/config", "one")
        for name in (".GIT/CONFIG", ".g\u200cit/config", ".git/con\ufb01g"):
            self.assertEqual((self.project / name).read_text(), "one", name)

    def test_hooks_cannot_be_made(self):
        self.prepare(REPOSITORY + "; mkdir -p .git/hooks")
        for name in (".git/hooks/x", ".GIT/hooks/x", ".git/HOOKS/x", ".g\u200cit/hooks/x", ".git/hoo\u212as/x",
                     ".GIT/con\ufb01g", ".git/Config"):
            self.refused(f"echo evil >>{name}")
        for script in ("mv .GIT g", "rm .GIT/CONFIG", "ln .Git/config c", "ln -s $PWD/evil .GIT/hooks/x", "mkdir .GIT/HOOKS/x",
                       "chmod 777 .GIT/Hooks"):
            self.refused(script)
        self.assertEqual(os.listdir(self.project / ".git/hooks"), os.listdir(self.project / ".GIT/HOOKS"))
        self.good(self.plain("test ! -e .git/hooks/x && ! grep evil .git/config && test ! -e g"))

    def test_credentials_cannot_be_read(self):
        for name in (".env", ".ssh/id", "sub/.env"):
            self.secret(self.project / name)
        for name in (".env", ".ENV", ".Env", ".e\u00adnv", ".\u017f\u017fh/id", ".\u00dfh/id", "SUB/.ENV"):
            self.refused(f"cat {name}")
            self.assertIn(work.SECRET, self.good(self.plain(f"cat {name}")))
        self.refused("mv .ENV free")
        self.refused("ln .ENV free")

    def test_short_names_are_refused(self):
        self.refused("echo x >ENV~1")
        self.good(self.inside("echo x >notes~ && echo y >a~b1"))

    def test_a_refusal_names_the_rule(self):
        self.secret(self.project / ".env")
        done = self.run_command([self.pmg, "--debug", "sandbox", "exec", "--", "cat", ".ENV"])
        self.assertRegex(done.stdout, r"refused read \S+/\.ENV: this file system may take the name for a denied one: deny_read `\$\{CWD\}/\.env`")

    def test_work_goes_on(self):
        self.prepare(REPOSITORY)
        self.good(self.inside("git status --short && echo 4 >F4 && git add . && git commit -qm \u00e9 && git log --format=%s && git fsck"))
        self.write("Makefile", "all: Prog\nProg: Main.c\n\tcc -o $@ $<\n")
        self.write("Main.c", '#include "Sub/Header.H"\nint main(void) { return VALUE; }\n')
        self.write("Sub/Header.H", "#define VALUE 7\n")
        self.write("\u0416\u00e9.txt", "text")
        done = self.inside("make -s && ./Prog; test $? = 7 && cat \u0416\u00e9.txt && mkdir -p A/B && mv A C && rm -r C")
        self.assertEqual(self.good(done), "text")


class Exact(work.Work):
    def test_elsewhere_bytes_count(self):
        (self.project / ".ENV").write_text("other file")
        self.assertEqual(self.good(self.inside("cat .ENV && mkdir .GIT && echo x >.GIT/hooks")), "other file")


if __name__ == "__main__":
    if reason := why_not():
        print(f"skipped: {reason}")
        sys.exit(work.SKIPPED)
    if ALONE not in os.environ:
        os.environ[ALONE] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])
    work.main()
