"""Completion, the manual page, and what is installed and packaged."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import world

BUILD = pathlib.Path(world.PMG).parent

BASH = r"""
source <(pmg completion bash)
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_pmg
printf '%s\n' "${COMPREPLY[@]}"
"""


class Completion(world.World):
    def setUp(self):
        super().setUp()
        (self.bin / "pmg").symlink_to(world.PMG)

    def bash(self, *words):
        """What bash offers for the last of the words."""
        done = subprocess.run(["bash", "-c", BASH, "bash", "pmg", *words], cwd=self.project, env=self.env, capture_output=True,
                              text=True, timeout=60, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_offers_what_comes_next(self):
        (self.project / "some-file").touch()
        profiles = self.home / ".config" / "safedep" / "pmg" / "sandbox" / "profiles"
        profiles.mkdir(parents=True)
        (profiles / "mine.yml").write_text("name: mine\n")
        for words, offered in [
            (["sand"], ["sandbox"]),
            (["sandbox", "ex"], ["exec", "explain"]),
            (["sandbox", "profile", "l"], ["lint", "list"]),
            (["sandbox", "profile", "show", "npm-"], ["npm-restrictive"]),
            (["sandbox", "profile", "show", "min"], ["mine"]),
            (["sandbox", "profile", "show", "npm", "--re"], ["--resolved"]),
            (["--sandbox-profile", "npm-"], ["npm-restrictive"]),
            (["--sandbox-profile", "npm", "sandbox", "e"], ["exec", "explain"]),
            (["--sandbox-allow", "wr"], ["write="]),
            (["sandbox", "exec", "--dr"], ["--dry-run"]),
            (["sandbox", "exec", "--", "some"], ["some-file"]),
            (["sandbox", "exec", "cat", "some"], ["some-file"]),
            (["sandbox", "exec", "cat", "--dr"], []),
            (["npm", "some"], ["some-file"]),
            (["npm", "sandb"], []),
            (["help", "sandbox", "ex"], ["exec", "explain"]),
            (["nonsense", "x"], []),
            (["uv"], ["uv", "uvx"]),
        ]:
            with self.subTest(words=words):
                self.assertEqual(sorted(self.bash(*words)), offered)

    def test_what_is_hidden_is_not_offered(self):
        self.assertEqual(self.bash("__"), [])
        self.assertNotIn("__", self.pmg("--help").stdout)

    def test_names_with_control_characters_are_made_visible(self):
        profiles = self.home / ".config" / "safedep" / "pmg" / "sandbox" / "profiles"
        profiles.mkdir(parents=True)
        (profiles / "a\x1b[2Jb.yml").write_text("name: mine\n")
        done = self.pmg("__complete", "--", "sandbox", "profile", "show")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("\x1b", done.stdout)

    def test_every_script_is_read_by_its_shell(self):
        for shell, check in [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])]:
            with self.subTest(shell=shell):
                done = self.pmg("completion", shell)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("__complete", done.stdout)
                if not shutil.which(shell):
                    print(f"{shell} is not installed: its script was not read", flush=True)
                    continue
                script = self.project / f"script.{shell}"
                script.write_text(done.stdout)
                read = subprocess.run([*check, str(script)], capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual((read.returncode, read.stderr), (0, ""))

    def test_another_shell_is_a_mistake(self):
        self.says(self.pmg("completion", "tcsh"), 2, "`tcsh`", "bash, zsh and fish")
        self.says(self.pmg("completion"), 2, "needs bash|zsh|fish")


class Manual(world.World):
    def test_is_a_manual_page_without_warnings(self):
        page = self.project / "pmg.1"
        page.write_text(self.pmg("__manual").stdout)
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-P", "cat", str(page)], capture_output=True, text=True, check=False,
                              timeout=60, env={**os.environ, "MANWIDTH": "120", "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("EXIT STATUS", "--sandbox-allow", "pmg sandbox profile show NAME", "example:"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("__complete", done.stdout)


class Shipped(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="pmg-package-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)

    def run_tool(self, *command, **more):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    FILES = ["usr/bin/pmg", "usr/share/man/man1/pmg.1", "usr/share/bash-completion/completions/pmg",
             "usr/share/zsh/vendor-completions/_pmg", "usr/share/fish/vendor_completions.d/pmg.fish", "usr/share/doc/pmg/copyright"]

    def check(self, root):
        for name in self.FILES:
            self.assertGreater((root / name).stat().st_size, 100, name)
        self.assertTrue(self.run_tool(str(root / "usr/bin/pmg"), "--version").startswith("pmg "))

    def test_install(self):
        self.run_tool("cmake", "--install", str(BUILD), "--prefix", str(self.top / "usr"))
        self.check(self.top)

    def test_package(self):
        if not shutil.which("dpkg-shlibdeps"):
            self.skipTest("dpkg-dev is not installed")
        self.run_tool("cpack", "-G", "DEB", "--config", str(BUILD / "CPackConfig.cmake"), "-B", str(self.top), cwd=self.top)
        [package] = self.top.glob("pmg_*.deb")
        needs = self.run_tool("dpkg-deb", "-f", str(package), "Depends")
        # What every Debian has; all else is linked in.
        self.assertEqual({word.split()[0] for word in needs.split(",")} - {"libc6", "libgcc-s1", "libstdc++6"}, set())
        self.run_tool("dpkg-deb", "-x", str(package), str(self.top / "root"))
        self.check(self.top / "root")


if __name__ == "__main__":
    unittest.main()
