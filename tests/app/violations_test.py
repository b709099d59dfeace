"""What a run was refused: recorded, told at its end, listed, explained, and allowed with one command."""
import json
import os
import stat
import unittest

import world


class Violations(world.World):
    def setUp(self):
        super().setUp()
        self.outside = self.top / "outside"
        self.outside.mkdir()
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh" / "id_rsa").write_text("secret")

    @property
    def runs(self):
        return self.home / ".cache" / "safedep" / "pmg" / "sandbox" / "runs"

    def lines(self, done):
        return [line for line in done.stderr.splitlines() if line.startswith("pmg: ")]

    def listed(self, *args):
        done = self.pmg("sandbox", "violations", "list", "--json", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def write(self, name="x"):
        return self.exec("sh", "-c", f"echo x > {self.outside}/{name}")

    def test_the_last_line_names_the_command_that_allows_it(self):
        done = self.write()
        command = f"pmg sandbox allow write={self.outside}/x"
        self.assertEqual(self.lines(done), [f"pmg: denied create {self.outside}/x (no rule allows it); allow: {command}"])
        allowed = self.pmg(*command.split()[1:])
        self.assertEqual(allowed.returncode, 0, allowed.stderr)
        self.assertEqual(self.write().returncode, 0)
        self.assertEqual((self.outside / "x").read_text(), "x\n")
        self.assertNotEqual(self.write("y").returncode, 0)

    def test_nothing_is_told_or_kept_where_nothing_was_refused(self):
        done = self.exec("sh", "-c", "exit 7")
        self.assertEqual((done.returncode, done.stderr), (7, ""))
        self.assertFalse(self.runs.exists())

    def test_a_program_that_succeeds_is_quiet_unless_asked(self):
        script = f"cat {self.home}/.ssh/id_rsa 2>/dev/null; exit 0"
        done = self.exec("sh", "-c", script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(self.listed()["violations"]), 1)
        done = self.pmg("sandbox", "exec", "--report", "--", "sh", "-c", script)
        self.assertEqual(done.returncode, 0)
        self.assertIn("pmg: denied read", done.stderr)

    def test_a_credential_is_never_suggested(self):
        done = self.exec("cat", str(self.home / ".ssh" / "id_rsa"))
        self.assertEqual(len(self.lines(done)), 1)
        self.assertRegex(self.lines(done)[0], r"^pmg: denied read \S+/\.ssh/id_rsa \(deny_read .*\); allow: none \(.*\)$")
        for flag in ("--last", "--all"):
            refused = self.pmg("sandbox", "allow", flag)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("nothing that was refused is allowed by a command", refused.stderr)
        # What a literal rule could open takes a person's word.
        (self.project / ".env").write_text("KEY=1")
        done = self.exec("cat", ".env")
        self.assertRegex(self.lines(done)[-1], r"allow: none \(.*a person may allow it with --force\)$")
        self.assertEqual(self.pmg("sandbox", "allow", "--last").returncode, 1)

    def test_all_of_a_run_are_allowed_but_for_credentials(self):
        self.exec("sh", "-c", f"echo x > {self.outside}/x; cat ~/.ssh/id_rsa; echo y > {self.outside}/y; exit 1")
        done = self.pmg("sandbox", "allow", "--all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[:2], [f"allowed write={self.outside}/x", f"allowed write={self.outside}/y"])
        self.assertRegex(done.stderr, r"^pmg: not allowed: read \S+id_rsa: nothing allows this")
        self.assertEqual(self.write("x").returncode, 0)
        self.assertEqual(self.write("y").returncode, 0)
        self.assertNotEqual(self.exec("cat", str(self.home / ".ssh" / "id_rsa")).returncode, 0)

    def test_only_a_run_of_this_project_is_allowed(self):
        self.write()
        other = self.top / "other"
        other.mkdir()
        done = self.pmg("sandbox", "allow", "--last", cwd=other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not in this project", done.stderr)
        for args in ([], ["--last", "read=./x"]):
            self.assertEqual(self.pmg("sandbox", "allow", *args).returncode, 1)

    def test_a_record_tells_who_and_why_and_holds_no_secret(self):
        env = {"GITHUB_TOKEN": "hunter2-hunter2"}
        self.exec("sh", "-c", f"echo hunter2-hunter2 --token=other-secret >> {self.home}/.bashrc; exit 1", env=env)
        run = self.listed()
        self.assertEqual(run["exit_code"], 1)
        self.assertEqual(run["directory"], str(self.project))
        self.assertIn("GITHUB_TOKEN", run["removed_variables"])
        entry = run["violations"][0]
        self.assertEqual(entry["path"], f"{self.home}/.bashrc")
        self.assertIn("deny_write", entry["reason"])
        self.assertEqual(entry["process"]["name"], "sh")
        self.assertGreater(entry["process"]["pid"], 1)
        [file] = self.runs.iterdir()
        for secret in ("hunter2", "other-secret"):
            self.assertNotIn(secret, file.read_text())
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.runs.stat().st_mode), 0o700)

    def test_explain_tells_the_rules_and_what_holds_now(self):
        self.write()
        out = self.pmg("sandbox", "explain").stdout
        self.assertIn(f"refused    create {self.outside}/x\nbecause    no rule allows it\n", out)
        self.assertIn(f"--sandbox-allow write={self.outside}/x\nin every run here: pmg sandbox allow write={self.outside}/x\n", out)
        self.assertEqual(self.pmg("sandbox", "explain", "1").stdout, out)
        self.pmg("sandbox", "allow", "--last")
        # From anywhere: what counts is where the run was.
        self.assertIn("by now this is allowed", self.pmg("sandbox", "explain", cwd=self.top).stdout)
        self.exec("cat", str(self.home / ".ssh" / "id_rsa"))
        self.assertIn("not suggested: nothing allows this", self.pmg("sandbox", "explain").stdout)
        for bad in ("0", "2", "x", "-1"):
            done = self.pmg("sandbox", "explain", "--", bad)
            self.assertEqual((done.returncode, done.stdout), (1, ""), bad)

    def test_the_program_inside_cannot_change_its_record(self):
        self.write()
        [file] = self.runs.iterdir()
        before = file.read_bytes()
        for command in (f"echo x >> {file}", f"rm {file}", f"mv {file} {self.project}/f", f"mv {self.runs} {self.runs}2", f": > {file}",
                        f"ln {file} {self.project}/f", f"chmod 666 {file}", f"echo x > {self.runs}/20200101T000000.000000Z-00000000.jsonl"):
            with self.subTest(command=command):
                self.assertNotEqual(self.exec("sh", "-c", command).returncode, 0)
        self.assertEqual(file.read_bytes(), before)
        self.assertNotIn("20200101T000000.000000Z-00000000.jsonl", os.listdir(self.runs))

    def test_what_opens_more_than_a_file_or_runs_later_is_never_suggested(self):
        for folder in (".local/bin", ".config/nvim", "bin", "bare.git/hooks"):
            (self.home / folder).mkdir(parents=True)
        (self.outside / "folder").mkdir()
        for command, why in [("chmod 755 ~/.local", "everything in the directory"), ("chmod 755 ~/.config", "everything in the directory"),
                             (f"touch {self.outside}/folder", "everything in the directory"), (f"mkdir {self.outside}/new", "everything in the directory"),
                             (f"rmdir {self.outside}/folder", "everything in the directory"), ("echo x > ~/bin/ls", "may run code later"),
                             ("echo x > ~/.config/nvim/init.lua", "may run code later"), ("echo x > ~/.local/bin/ls", "may run code later"),
                             ("echo x > ~/bare.git/hooks/post-receive", "may run code later|hook"), ("echo x > ~/bare.git/config", "may run code later"),
                             (f"echo x > {self.bin}/ls", "may run code later")]:
            with self.subTest(command=command):
                done = self.exec("sh", "-c", f"{command}; exit 3")
                self.assertRegex(self.lines(done)[-1], rf"allow: none \(.*({why}).*\)$")
                for flag in ("--last", "--all"):
                    self.assertEqual(self.pmg("sandbox", "allow", flag).returncode, 1)
        self.assertIn("nothing is allowed", self.pmg("sandbox", "project", "show").stdout)

    def test_the_last_run_is_the_last_one(self):
        for i in range(12):
            self.write(f"x{i}")
            self.assertEqual(self.listed()["violations"][0]["path"], f"{self.outside}/x{i}")

    def test_names_that_cannot_be_typed_are_left_out_and_the_others_allowed(self):
        code = f"for n in (b'one', b'bad\\xff', b'tab\\t', b'two'):\n try: open(b'{self.outside}/' + n, 'w')\n except OSError: pass\nraise SystemExit(1)"
        self.exec("python3", "-c", code)
        done = self.pmg("sandbox", "allow", "--all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([l for l in done.stdout.splitlines() if l.startswith("allowed")],
                         [f"allowed write={self.outside}/one", f"allowed write={self.outside}/two"])
        self.assertEqual(done.stderr.count("cannot be shown"), 2)

    def test_a_record_without_a_line_hides_no_other(self):
        self.write()
        (self.runs / "20990101T000000.000000Z-00000000.jsonl").write_text("")
        os.mkfifo(self.runs / "20990101T000000.000000Z-00000001.jsonl")
        self.assertEqual(self.listed()["violations"][0]["path"], f"{self.outside}/x")
        done = self.pmg("sandbox", "violations", "list", "--run", "20990101T000000.000000Z-00000000")
        self.assertEqual(done.returncode, 1)

    def test_names_cannot_forge_lines(self):
        name = "a\npmg: denied nothing\x1b[31m\u202e"
        done = self.exec("python3", "-c", f"open({str(self.outside / name)!r}, 'w')")
        self.assertNotIn("\x1b", done.stderr.rpartition("pmg: denied create")[2])
        self.assertEqual(len(self.lines(done)), 1, done.stderr)
        out = self.pmg("sandbox", "violations", "list").stdout
        self.assertNotIn("\x1b", out)
        self.assertNotIn("\u202e", out)
        self.assertEqual(self.listed()["violations"][0]["path"], str(self.outside / name))

    def test_a_package_is_named(self):
        env = {"npm_package_name": "evil", "npm_package_version": "1.2.3", "npm_lifecycle_event": "postinstall"}
        script = " ".join(f"{k}={v}" for k, v in env.items())
        done = self.exec("sh", "-c", f"env {script} sh -c 'sh -c \"cat ~/.ssh/id_rsa\"; echo > ~/.bashrc'; exit 1")
        self.assertIn("by evil@1.2.3 (postinstall)", done.stderr)
        for entry in self.listed()["violations"]:
            self.assertEqual(entry["packages"], [{"package": "evil", "version": "1.2.3", "script": "postinstall"}])
        self.assertIn("evil@1.2.3 (postinstall)", self.pmg("sandbox", "explain").stdout)

    def test_a_million_refusals_cost_little(self):
        loop = "import os\nfor i in range(%d):\n try: os.open('%s', os.O_RDONLY)\n except OSError: pass\n os.path\nraise SystemExit(1)"
        count = 100_000
        done = self.exec("python3", "-c", loop % (count, self.home / ".ssh" / "id_rsa"))
        self.assertEqual(done.returncode, 1)
        [entry] = [e for e in self.listed()["violations"] if e["path"].endswith("id_rsa")]
        self.assertEqual(entry["count"], count)
        [file] = self.runs.iterdir()
        self.assertLess(file.stat().st_size, 64 * 1024)

    def test_a_record_that_is_damaged_is_an_error_and_one_that_cannot_be_kept_is_none(self):
        self.assertIn("no run is recorded", self.pmg("sandbox", "explain").stderr)
        self.write()
        [file] = self.runs.iterdir()
        file.write_text(file.read_text().replace('"denial"', '"else"'))
        done = self.pmg("sandbox", "violations", "list")
        self.assertEqual(done.returncode, 1)
        self.assertIn(":2: an unknown type of line", done.stderr)
        file.unlink()
        self.runs.rmdir()
        self.runs.write_text("no directory")
        done = self.write()
        self.assertIn("pmg: denied create", done.stderr)
        self.assertEqual(len(self.lines(done)), 1)


if __name__ == "__main__":
    unittest.main()
