"""What a run is confined by is not for the run to write, wherever symlinks or the command line put it."""
import subprocess
import unittest

import world


class OwnFiles(world.World):
    def setUp(self):
        super().setUp()
        self.config = self.home / ".config" / "safedep" / "pmg"
        (self.config / "sandbox").mkdir(parents=True)

    def cannot_write(self, name, *flags):
        """From inside, in the project."""
        before = (self.project / name).read_bytes() if (self.project / name).is_file() else None
        done = self.pmg("sandbox", "exec", *flags, "--", "sh", "-c", f"echo x >> {name}")
        self.assertNotEqual(done.returncode, 0, name)
        after = (self.project / name).read_bytes() if (self.project / name).is_file() else None
        self.assertEqual(after, before)

    def test_files_of_the_configuration_in_a_checkout_of_dotfiles(self):
        (self.project / "config.yml").write_text("sandbox: {enabled: true}\n")
        (self.config / "config.yml").symlink_to(self.project / "config.yml")
        self.cannot_write("config.yml")
        # By way of another link.
        (self.project / "again.yml").write_text("name: again\n")
        (self.home / "middle.yml").symlink_to(self.project / "again.yml")
        (self.config / "sandbox" / "profiles").mkdir()
        (self.config / "sandbox" / "profiles" / "again.yml").symlink_to(self.home / "middle.yml")
        self.cannot_write("again.yml")
        # It can still be read, and other files written.
        self.assertEqual(self.exec("sh", "-c", "cat config.yml && : > free").returncode, 0)

    def test_directories_of_the_configuration(self):
        for name in ("profiles", "presets", "overlays"):
            (self.project / name).mkdir()
            (self.config / "sandbox" / name).symlink_to(self.project / name)
            self.cannot_write(f"{name}/planted.yml")
        # What is linked from there is theirs as well.
        (self.project / "deep.yml").write_text("name: deep\n")
        (self.project / "profiles" / "deep.yml").symlink_to("../deep.yml")
        self.cannot_write("deep.yml")

    def test_the_profile_of_the_run(self):
        (self.project / "p.yml").write_text("name: p\ninherits: exec\npackage_managers: [npm]\n")
        self.cannot_write("p.yml", "--sandbox-profile", "./p.yml")
        self.cannot_write("p.yml", "--sandbox-profile", str(self.project / "p.yml"), "--sandbox-allow", "write=./p.yml")

    def test_the_policies_that_the_configuration_names(self):
        (self.project / "t.yml").write_text("name: t\ninherits: npm\npackage_managers: [npm]\n")
        (self.config / "config.yml").write_text(
            f"sandbox:\n  policy_templates:\n    strict: {{path: {self.project}/t.yml}}\n")
        self.cannot_write("t.yml")


class Unconfined(world.World):
    def test_who_asks_for_a_sandbox_gets_one_or_an_error(self):
        self.script("npm", world.ECHO)
        config = self.home / ".config" / "safedep" / "pmg"
        config.mkdir(parents=True)
        (config / "config.yml").write_text("sandbox: {enabled: true, policies: {npm: {enabled: false}}}\n")
        self.assertEqual(self.pmg("npm", "install").returncode, 0)  # the configuration says so, and nobody else anything
        for flags in (["--sandbox"], ["--sandbox-enforce"], ["--sandbox-allow", "read=/srv"]):
            with self.subTest(flags=flags):
                done = self.pmg(*flags, "npm", "install")
                self.says(done, 1, "enabled: false", "--sandbox-profile npm")
                self.assertEqual(done.stdout, "")


class Allowances(world.World):
    def test_what_the_profile_denies_takes_force(self):
        for name in (".password-store", ".bash_history", ".mozilla"):
            with self.subTest(name=name):
                self.says(self.pmg("sandbox", "allow", f"read={self.home}/{name}"), 1, "the profile `exec` denies", "--force")
        self.assertEqual(self.pmg("sandbox", "allow", f"read={self.home}/.bash_history", "--force").returncode, 0)
        self.assertEqual(self.pmg("sandbox", "allow", f"write={self.top}/free").returncode, 0)


class Printing(world.World):
    def test_a_profile_is_shown_without_terminal_escapes(self):
        (self.project / "raw.yml").write_text("# \x1b]0;pwn\x07\x1b[2K\n\nname: raw\npackage_managers: [npm]\ninherits: exec\n")
        done = self.pmg("sandbox", "profile", "show", "./raw.yml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("\x1b", done.stdout)
        self.assertIn("\n\nname: raw\n", done.stdout)

    def test_output_that_nobody_takes_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([world.PMG, "sandbox", "profile", "list"], cwd=self.project, env=self.env, stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)


if __name__ == "__main__":
    unittest.main()
