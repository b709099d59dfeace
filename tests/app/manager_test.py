"""`pmg npm …`: when the sandbox applies, and the plain manager otherwise."""
import unittest

import world

#: tells whether it is confined, then its arguments
NPM = "#!/bin/sh\ngrep -q 'Seccomp:.2' /proc/self/status && echo confined || echo plain\necho \"$PMG_SANDBOX:$GITHUB_TOKEN:$*\"\n"


class Managers(world.World):
    def setUp(self):
        super().setUp()
        for name in ("npm", "pip", "go"):
            self.script(name, NPM)
        self.env["GITHUB_TOKEN"] = "t"
        with open("/proc/self/status", encoding="utf-8") as status:
            if "Seccomp:\t2" in status.read():
                self.skipTest("this environment has a seccomp filter of its own, so the probe cannot tell")

    def configure(self, text):
        folder = self.home / ".config/safedep/pmg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yml").write_text(text)

    def check(self, args, confined):
        done = self.pmg(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        words = args[[i for i, a in enumerate(args) if not a.startswith("-")][0] + 1:]
        state = ("confined", f"1::{' '.join(words)}") if confined else ("plain", f":t:{' '.join(words)}")
        self.assertEqual(tuple(done.stdout.splitlines()), state, args)

    def test_off_by_default(self):
        self.check(["npm", "install", "x"], confined=False)

    def test_flag(self):
        self.check(["--sandbox", "npm", "install", "x"], confined=True)
        self.check(["--sandbox", "npm", "ci"], confined=True)
        self.check(["--sandbox", "npm", "ls"], confined=False)
        self.check(["--sandbox", "--sandbox-enforce", "npm", "ls"], confined=True)
        self.check(["--sandbox", "pip", "install", "x"], confined=True)
        self.check(["--sandbox", "go", "version"], confined=False)

    def test_configuration(self):
        policies = "  policies:\n    npm: {enabled: true, profile: npm}\n    pip: {enabled: false, profile: pip}\n"
        self.configure("sandbox:\n  enabled: true\n" + policies)
        self.check(["npm", "install", "x"], confined=True)
        self.check(["npm", "ls"], confined=False)
        self.check(["pip", "install", "x"], confined=False)
        self.configure("sandbox:\n  enabled: true\n  enforce_always: true\n" + policies)
        self.check(["npm", "ls"], confined=True)

    def test_profile_for_another_manager(self):
        self.says(self.pmg("--sandbox", "--sandbox-profile", "pip", "npm", "install", "x"), 1, "npm", "pip")

    def test_broken_configuration_runs_nothing(self):
        self.configure("sandbox:\n  enabeld: true\n")
        done = self.pmg("npm", "install", "x")
        self.says(done, 1, "config.yml:2:3", "enabeld", "enabled")
        self.assertEqual(done.stdout, "")

    def test_script_without_interpreter_line(self):
        self.script("npm", "exit 8\n")
        self.assertEqual(self.pmg("npm", "ls").returncode, 8)

    def test_missing_manager(self):
        (self.bin / "npm").unlink()
        self.says(self.pmg("npm", "ls", env={"PATH": str(self.bin)}), 127, "`npm` not found in PATH")

    def test_shims_are_passed_over(self):
        shims = self.home / ".pmg/bin"
        shims.mkdir(parents=True)
        (shims / "npm").write_text("#!/bin/sh\necho SHIM\n")
        (shims / "npm").chmod(0o755)
        self.env["PATH"] = f"{shims}:{self.env['PATH']}"
        self.check(["npm", "ls"], confined=False)
        self.check(["--sandbox", "npm", "install"], confined=True)

    def test_dry_run(self):
        done = self.pmg("--sandbox", "--dry-run", "npm", "install", "x")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("npm", done.stdout)
        self.assertNotIn("plain", done.stdout)
        done = self.pmg("--dry-run", "npm", "install", "x")
        self.assertIn("not confined", done.stdout)
        self.assertNotIn("plain", done.stdout)


if __name__ == "__main__":
    unittest.main()
