"""`pmg setup`: shims that protect, step aside, and go again; the report of what is set up."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import world

SHIMS = ["npm", "pnpm", "yarn", "bun", "npx", "pnpx", "pip", "pip3", "pipx", "poetry", "uv", "uvx"]
#: tells whether it is confined, its arguments, and PATH
NPM = """#!/bin/sh
grep -q 'Seccomp:.2' /proc/self/status && echo confined || echo plain
for a in "$@"; do printf '<%s>\\n' "$a"; done
"""
ODD = ["a b", "", "*", "$HOME", 'q"uote', "it's", "--", "-x", "--help", "--dry-run", "new\nline", "\\", "\x1b[0m", "\udcff\udcfe"]


class Base(world.World):
    def setUp(self):
        super().setUp()
        if pathlib.Path("/etc/safedep/pmg/config.yml").exists():
            self.skipTest("this machine has a configuration of its administrator")
        self.config = self.home / ".config/safedep/pmg/config.yml"
        self.shims = self.home / ".local/share/safedep/pmg/bin"
        self.script("npm", NPM)

    def install(self, *args, **more):
        done = self.pmg("setup", "install", *args, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def remove(self):
        done = self.pmg("setup", "remove")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def tree(self):
        """Every file below HOME but the locks, with its content or target."""
        return {str(p.relative_to(self.home)): os.readlink(p) if p.is_symlink() else p.read_bytes()
                for p in self.home.rglob("*") if p.is_symlink() or p.is_file()}

    def run_in(self, path, *command, env=None, cwd=None):
        """With the shims in PATH as `path` says; `{}` is their directory."""
        path = path.replace("{}", str(self.shims)) + ":" + self.env["PATH"]
        return subprocess.run(command, cwd=cwd or self.project, env=self.env | {"PATH": path} | (env or {}),
                              timeout=60, check=False, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="surrogateescape")


class Install(Base):
    def test_makes_shims_and_a_configuration_and_turns_nothing_on(self):
        out = self.install()
        self.assertEqual(sorted(p.name for p in self.shims.iterdir()), sorted(SHIMS))
        self.assertEqual({os.path.realpath(p) for p in self.shims.iterdir()}, {world.PMG})
        self.assertIn("enabled: false", self.config.read_text())
        self.assertIn("pmg config set sandbox.enabled true", out)
        for part in ("bash", ".bashrc", "zsh", ".zshrc", "fish", "config.fish", "--write-rc"):
            self.assertIn(part, out)
        self.assertFalse((self.home / ".bashrc").exists())

    def test_twice_is_once(self):
        for args in ([], ["--write-rc"]):
            self.install(*args)
            before = self.tree()
            self.install(*args)
            self.assertEqual(self.tree(), before)

    def test_keeps_the_configuration(self):
        self.config.parent.mkdir(parents=True)
        self.config.write_text("sandbox: {enabled: true}\n")
        self.assertIn("The sandbox is on", self.install())
        self.assertEqual(self.config.read_text(), "sandbox: {enabled: true}\n")

    def test_broken_configuration_is_told(self):
        self.config.parent.mkdir(parents=True)
        self.config.write_text("sandbox: {enabeld: true}\n")
        done = self.pmg("setup", "install")
        self.assertIn("config.yml:1:11", done.stderr)
        self.assertTrue((self.shims / "npm").is_symlink())

    def test_leads_to_the_name_in_path(self):
        (self.bin / "pmg").symlink_to(world.PMG)
        self.install()
        self.assertEqual(os.readlink(self.shims / "npm"), str(self.bin / "pmg"))
        self.assertEqual(self.run_in("{}", "npm", "a").stdout, "plain\n<a>\n")

    def test_stale_shims_are_replaced(self):
        self.shims.mkdir(parents=True)
        (self.shims / "npm").write_text('#!/bin/sh\nexport PMG_SHIM_PATH="$0"\nexec pmg npm "$@"\n')
        (self.shims / "pip").symlink_to("/nonexistent/pmg")
        self.install()
        self.assertEqual({os.path.realpath(p) for p in self.shims.iterdir()}, {world.PMG})

    def test_what_is_not_ours_is_never_touched(self):
        self.shims.mkdir(parents=True)
        for name, make in [("uvx", lambda p: p.write_text("#!/bin/sh\nexit 7\n")), ("uvx", lambda p: p.symlink_to("/bin/true")),
                           ("uvx", lambda p: p.mkdir())]:
            path = self.shims / name
            make(path)
            before = self.tree()
            self.says(self.pmg("setup", "install"), 1, str(path), "no shim of pmg")
            self.assertEqual(self.tree(), before)
            done = self.pmg("setup", "remove")
            self.assertEqual(done.returncode, 0)
            self.assertIn("stays", done.stderr)
            self.assertEqual(self.tree(), before)
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()

    def test_remove(self):
        self.assertIn("nothing", self.remove())
        self.install("--write-rc", env={"SHELL": "/bin/bash"})
        out = self.remove()
        self.assertIn(str(self.shims / "npm"), out)
        self.assertFalse(self.shims.exists())
        self.assertTrue(self.config.exists())
        self.assertEqual((self.home / ".bashrc").read_text(), "")
        self.assertIn("nothing", self.remove())


class StartFiles(Base):
    def test_a_block_comes_and_goes_and_leaves_no_trace(self):
        (self.home / "zd").mkdir()
        self.env["ZDOTDIR"] = str(self.home / "zd")
        files = {".bashrc": "alias a=b\n", "zd/.zshrc": "# mine\n\n", ".config/fish/config.fish": "set x 1\n"}
        (self.home / ".config/fish").mkdir(parents=True)
        for name, text in files.items():
            (self.home / name).write_text(text)
            (self.home / name).chmod(0o644)
        self.install("--write-rc")
        for name, text in files.items():
            now = (self.home / name).read_text()
            self.assertTrue(now.startswith(text))
            self.assertEqual(now.count(str(self.shims)), 2, now)
            # What the user writes behind it stays as well.
            (self.home / name).write_text(now + "after\n")
        self.install("--write-rc")
        self.remove()
        for name, text in files.items():
            self.assertEqual((self.home / name).read_text(), text + "after\n")
            self.assertEqual((self.home / name).stat().st_mode & 0o777, 0o644)

    def test_only_of_shells_that_are_used(self):
        self.install("--write-rc", env={"SHELL": "/usr/bin/zsh"})
        self.assertTrue((self.home / ".zshrc").exists())
        self.assertFalse((self.home / ".bashrc").exists())
        self.assertFalse((self.home / ".config/fish").exists())
        (self.home / ".zshrc").unlink()
        self.assertIn("Put this at the end", self.install("--write-rc"))

    def test_a_link_stays_a_link(self):
        (self.home / "dots").mkdir()
        (self.home / "dots/bashrc").write_text("x")
        (self.home / ".bashrc").symlink_to("dots/bashrc")
        self.install("--write-rc")
        self.assertTrue((self.home / ".bashrc").is_symlink())
        self.assertTrue((self.home / "dots/bashrc").read_text().startswith("x\n# >>>"))
        self.remove()
        self.assertEqual((self.home / "dots/bashrc").read_text(), "x\n")

    def test_a_block_without_end_is_left_alone(self):
        self.install("--write-rc", env={"SHELL": "bash"})
        text = (self.home / ".bashrc").read_text().replace("# <<<", "# cut <<<") + "mine\n"
        (self.home / ".bashrc").write_text(text)
        self.says(self.pmg("setup", "remove"), 1, ".bashrc", "no end")
        self.assertEqual((self.home / ".bashrc").read_text(), text)

    def test_the_lines_work(self):
        home = self.home / "it's $HOME \"x\""
        home.mkdir()
        self.env["HOME"] = str(home)
        self.install("--write-rc", env={"SHELL": "bash"})
        shims = f"{home}/.local/share/safedep/pmg/bin"
        for shell in ("bash", "zsh", "dash"):
            if not shutil.which(shell):
                continue
            for before, expected in ((self.env["PATH"], f"{shims}:{self.env['PATH']}"), (f"{shims}:/bin", f"{shims}:/bin"),
                                     (f"/bin:{shims}", f"{shims}:/bin:{shims}")):
                with self.subTest(shell=shell, before=before):
                    done = subprocess.run([shutil.which(shell), "-c", '. "$1"; . "$1"; echo "$PATH"', "x", home / ".bashrc"],
                                          env=self.env | {"PATH": before}, capture_output=True, check=False, encoding="utf-8")
                    self.assertEqual(done.stdout, expected + "\n", done.stderr)


class Shims(Base):
    def setUp(self):
        super().setUp()
        self.install()
        with open("/proc/self/status", encoding="utf-8") as status:
            if "Seccomp:\t2" in status.read():
                self.skipTest("this environment has a seccomp filter of its own, so the probe cannot tell")

    def on(self):
        self.config.write_text("sandbox: {enabled: true}\n")

    def test_arguments_arrive_byte_for_byte(self):
        expected = "".join(f"<{a}>\n" for a in ["install", *ODD])
        done = self.run_in("{}", "npm", "install", *ODD)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "plain\n" + expected, ""))
        self.on()
        done = self.run_in("{}", "npm", "install", *ODD)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "confined\n" + expected, ""))

    def test_exit_codes(self):
        self.script("npm", '#!/bin/sh\nif [ "$1" = kill ]; then kill -9 $$; fi\nexit "$2"\n')
        for configure in (lambda: None, self.on):
            configure()
            for code in (0, 1, 2, 42, 126, 127, 255):
                self.assertEqual(self.run_in("{}", "npm", "install", str(code)).returncode, code)
            self.assertIn(self.run_in("{}", "npm", "kill").returncode, (-9, 137))

    def test_variables_with_odd_names_arrive(self):
        self.script("npm", "#!/usr/bin/env python3\nimport os\nprint(os.environ.get('npm_config_//r/:_x'))\n")
        self.assertEqual(self.run_in("{}", "npm", env={"npm_config_//r/:_x": "t"}).stdout, "t\n")

    def test_never_recursive(self):
        link = self.top / "link"
        link.symlink_to(self.shims)
        other = self.top / "other"
        other.mkdir()
        (other / "npm").symlink_to(world.PMG)
        (other / "up").mkdir()
        (self.bin / "pmg").symlink_to(world.PMG)
        for path in ("{}", "{}:{}", "{}/:{}/./", f"{link}:{{}}", f"{link}", f"{other}", f"{other}:{link}:{{}}", f"{other}/up/..",
                     ":{}", "{}::", os.path.relpath(self.shims, self.project)):
            for configure in (lambda: None, self.on):
                configure()
                with self.subTest(path=path):
                    done = self.run_in(path, "npm", "install")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn("<install>", done.stdout)

    def test_nothing_behind_the_shims(self):
        # An empty PATH would be the working directory. What is left is what a shell has without PATH.
        if os.path.exists("/usr/bin/bun") or os.path.exists("/bin/bun"):
            self.skipTest("bun is installed")
        (self.project / "bun").write_text("#!/bin/sh\necho from the project\n")
        (self.project / "bun").chmod(0o755)
        for path in (str(self.shims), f"{self.shims}:{self.shims}/"):
            done = self.run_in("", "env", f"PATH={path}", str(self.shims / "bun"), "ls")
            self.says(done, 127, "`bun` not found in PATH")

    def test_two_installations_that_take_each_other_for_npm(self):
        other = self.top / "pmg2"
        shutil.copy(world.PMG, other)
        one, two = self.top / "one", self.top / "two"
        for folder, binary in ((one, world.PMG), (two, other)):
            folder.mkdir()
            (folder / "npm").symlink_to(binary)
        (self.bin / "npm").unlink()
        for configure in (lambda: None, self.on):
            configure()
            done = self.run_in("", "env", f"PATH={one}:{two}:/usr/bin:/bin", str(one / "npm"), "ls")
            self.says(done, 127, "another pmg", "pmg setup remove")

    def test_inside_a_sandbox_they_step_aside(self):
        # A shell inside that reads start-up files may put them first again.
        for command in (["sandbox", "exec", "--", "sh", "-c", f"PATH={self.shims}:$PATH; npm install"],
                        ["--sandbox", "npm", "install"]):
            self.script("npm", NPM if command[1] == "exec" else f"#!/bin/sh\nPATH={self.shims}:$PATH; export PATH\n"
                        "[ \"$1\" = x ] && echo inner && exit; npm x\n")
            with self.subTest(command=command):
                done = self.pmg(*command)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("confined" if command[1] == "exec" else "inner", done.stdout)

    def test_a_run_has_no_shims_in_path(self):
        self.script("npm", "#!/bin/sh\necho \"$PATH\"\n")
        self.assertNotIn(str(self.shims), self.run_in("{}", "npm").stdout)
        self.assertNotIn(str(self.shims), self.run_in("{}", world.PMG, "sandbox", "exec", "--", "npm").stdout)

    def test_nothing_inside_replaces_them(self):
        for attempt in (f"ln -sf /bin/true '{self.shims}/npm'", f"rm '{self.shims}/npm'", f"echo x > '{self.shims}/mine'",
                        f"mv '{self.shims}' '{self.shims}2'"):
            with self.subTest(attempt=attempt):
                done = self.pmg("sandbox", "exec", "--sandbox-allow", f"write={self.home}/.local", "--", "sh", "-c", attempt)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(os.path.realpath(self.shims / "npm"), world.PMG)
                self.assertFalse((self.shims / "mine").exists())

    def test_misplaced_flags_are_refused(self):
        done = self.run_in("{}", "npm", "install", "--sandbox")
        self.says(done, 2, "pmg --sandbox npm")
        self.assertEqual(done.stdout, "")


class Info(Base):
    def report(self, path=None):
        done = self.pmg("setup", "info", "--json", env={"PATH": path or self.env["PATH"]})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def check(self, report):
        return {check["name"]: check["status"] for check in report["checks"]}

    def test_from_nothing_to_protected(self):
        report = self.report()
        self.assertEqual(list(report), ["schema_version", "version", "health", "protected", "config", "shell_integration", "layers", "checks"])
        self.assertEqual((report["schema_version"], report["health"], report["protected"]), (1, "unprotected", False))
        self.assertEqual(report["config"], {"path": str(self.config), "source": "user"})
        self.assertEqual(report["shell_integration"], {"shim_directory": str(self.shims), "shims": [], "in_path": False})
        self.assertEqual(list(report["layers"]["sandbox"]), ["enabled", "driver", "ready", "enforce_always", "policies"])
        self.assertEqual(self.check(report), {"config-file": "pass", "sandbox": "warn", "driver": "pass", "shim-directory": "warn"})

        self.pmg("config", "set", "sandbox.enabled", "true")
        self.assertEqual(self.report()["health"], "degraded")
        self.install()
        report = self.report()
        self.assertEqual((report["health"], self.check(report)["shim-in-path"]), ("degraded", "warn"))
        report = self.report(f"{self.bin}:{self.shims}:/usr/bin:/bin")
        self.assertIn("npm", next(c["message"] for c in report["checks"] if c["name"] == "shim-in-path"))
        report = self.report(f"{self.shims}:{self.env['PATH']}")
        self.assertEqual((report["health"], report["protected"]), ("protected", True))
        self.assertEqual(report["shell_integration"]["shims"], SHIMS)
        self.assertEqual(set(self.check(report).values()), {"pass"})

    def test_broken(self):
        self.config.parent.mkdir(parents=True)
        self.config.write_text("sandbox: {enabeld: true}\n")
        report = self.report()
        self.assertEqual((report["health"], self.check(report)["config-file"]), ("unprotected", "fail"))
        self.config.write_text("sandbox: {enabled: true, policies: {npm: {profile: none}}}\n")
        self.assertEqual(self.check(self.report())["policies"], "fail")
        self.assertIn("no profile is called `none`", self.pmg("setup", "info").stdout)

    def test_text(self):
        out = self.pmg("setup", "info").stdout
        for part in ("Configuration", "Shell Integration", "Sandbox", "npm(npm)", "pnpx(npx)", "unprotected", "pmg config set sandbox.enabled true"):
            self.assertIn(part, out)


if __name__ == "__main__":
    unittest.main()
