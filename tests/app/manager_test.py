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

    def test_policies_by_manager(self):
        folder = self.home / ".config/safedep/pmg"
        (folder / "sandbox/profiles").mkdir(parents=True)
        (folder / "sandbox/profiles/mine.yml").write_text("name: mine\ninherits: pip\npackage_managers: [pip]\n")
        (folder / "own.yml").write_text("name: own\ninherits: npm\npackage_managers: [npm]\n")
        (self.project / "own.yml").write_text("name: theirs\ninherits: npm\npackage_managers: [npm]\n")
        for npm, pip, expected in [
            ("npm-restrictive", "pypi-restrictive", ("npm", "pip")),
            ("template", "mine", ("own", "mine")),
            ("own.yml", "pip", ("own", "pip")),
            ("./own.yml", "pip", ("own", "pip")),
            (str(folder / "own.yml"), "pip", ("own", "pip")),
        ]:
            self.configure("sandbox:\n  enabled: true\n  policy_templates: {template: {path: ./own.yml}}\n"
                           f"  policies: {{npm: {{profile: {npm}}}, pip: {{profile: {pip}}}}}\n")
            for name, profile in zip(("npm", "pip"), expected):
                with self.subTest(npm=npm, pip=pip, name=name):
                    done = self.pmg("--dry-run", name, "install", "x")
                    self.assertIn(f"profile    {profile} ", done.stdout.replace("\n", " \n"), done.stderr)
        self.configure("sandbox: {enabled: true, policy_templates: {npm-restrictive: {path: own.yml}}, "
                       "policies: {npm: {profile: npm-restrictive}}}\n")
        self.assertIn("profile    own", self.pmg("--dry-run", "npm", "install").stdout)


class SubDirectory(world.World):
    """npm walks up to the project; what it may not write there is told with its reason."""

    def setUp(self):
        super().setUp()
        for name in ("npm", "uv", "pip"):
            self.script(name, '#!/bin/sh\nmkdir -p "$ROOT/node_modules/x" "$ROOT/.venv" && touch "$ROOT/node_modules/x/y"\n')
        self.env["ROOT"] = str(self.project)
        self.sub = self.project / "src/deep"
        self.sub.mkdir(parents=True)

    def run_in(self, cwd, name="npm", flags=("--sandbox",)):
        return self.pmg(*flags, name, "install", cwd=cwd)

    def test_the_cause_is_named(self):
        (self.project / "package.json").write_text("{}")
        done = self.run_in(self.sub)
        self.says(done, 1, f"npm takes `{self.project}` for its project", f"`{self.sub}`", f"`cd {self.project}`")

    def test_a_folder_of_packages_is_a_project_of_npm(self):
        (self.project / "src/node_modules").mkdir()
        self.says(self.run_in(self.sub), 1, f"npm takes `{self.project}/src`")

    def test_workspaces(self):
        (self.sub / "package.json").write_text("{}")
        self.assertNotIn("takes", self.run_in(self.sub).stderr)
        (self.project / "package.json").write_text('{"workspaces": ["src/*"]}')
        self.says(self.run_in(self.sub), 1, f"npm takes `{self.project}`")
        (self.project / "package.json").write_text("{")
        (self.project / "pnpm-workspace.yaml").write_text("")
        self.says(self.run_in(self.sub), 1, f"npm takes `{self.project}`")

    def test_other_managers(self):
        (self.project / "pyproject.toml").write_text("[tool.uv.workspace]\n")
        self.says(self.run_in(self.sub, "uv"), 1, f"uv takes `{self.project}`")
        self.assertNotIn("takes", self.run_in(self.sub, "pip").stderr)
        self.assertNotIn("takes", self.run_in(self.sub, "npm").stderr)

    def test_nothing_is_said_where_it_is_not_the_cause(self):
        (self.project / "package.json").write_text("{}")
        self.script("npm", "#!/bin/sh\nexit 0\n")
        self.assertEqual(self.run_in(self.sub).stderr, "")
        self.script("npm", "#!/bin/sh\nexit 9\n")
        self.assertEqual(self.run_in(self.project).stderr, "")
        self.assertEqual(self.run_in(self.sub, flags=()).stderr, "")
        self.assertEqual(self.run_in(self.sub, flags=("--sandbox-allow", f"write={self.project}")).stderr, "")


if __name__ == "__main__":
    unittest.main()
