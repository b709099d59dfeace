"""pmg sandbox check: what the policy says about one access, and the flag that allows it."""
import json
import unittest

import world


class Check(world.World):
    def check(self, code, *args, **more):
        done = self.pmg("sandbox", "check", *args, **more)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return done.stdout

    def test_what_is_refused_tells_the_rule(self):
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh" / "id_rsa").write_text("secret")
        out = self.check(1, "read", str(self.home / ".ssh" / "id_rsa"))
        self.assertTrue(out.startswith(f"refused  read {self.home}/.ssh/id_rsa\n"), out)
        self.assertRegex(out, r"decides    deny_read `[^`]*\.ssh` \(built-in list\)")
        self.assertIn("protected in every policy", out)

    def test_the_answer_is_that_of_a_run(self):
        outside = self.top / "outside"
        outside.mkdir()
        (self.project / ".env").write_text("A=1")
        (self.project / "link").symlink_to(outside)
        for access, path, command in [
            ("read", self.project / "x", ["cat", "x"]),
            ("write", self.project / "x", ["sh", "-c", ": > x"]),
            ("write", outside / "y", ["sh", "-c", f": > {outside}/y"]),
            ("write", "link/z", ["sh", "-c", ": > link/z"]),
            ("read", ".env", ["cat", ".env"]),
            ("write", self.home / ".bashrc", ["sh", "-c", ": >> ~/.bashrc"]),
            ("exec", "/usr/bin/true", ["/usr/bin/true"]),
            ("exec", "true", ["true"]),
            ("exec", self.home / "tool", [str(self.home / "tool")]),
        ]:
            with self.subTest(access=access, path=path):
                (self.project / "x").write_text("")
                (self.home / "tool").write_text("#!/bin/sh\n")
                (self.home / "tool").chmod(0o755)
                (outside / "y").touch()
                (outside / "z").touch()
                answer = self.pmg("sandbox", "check", access, str(path)).returncode
                ran = self.exec(*command).returncode
                self.assertEqual(answer == 0, ran == 0, (answer, ran))

    def test_the_flag_that_it_names_allows_it(self):
        outside = self.top / "outside"
        outside.mkdir()
        for access, path in [("write", outside / "new"), ("write", outside / "a b*c"), ("read", self.home / ".netrc"),
                             ("exec", self.home / "tool")]:
            with self.subTest(path=path):
                told = json.loads(self.check(1, access, str(path), "--json"))
                self.assertFalse(told["allowed"])
                self.assertEqual(len(told["allow"]), 1)
                allowed = json.loads(self.check(0, access, str(path), "--json", "--sandbox-allow", told["allow"][0]))
                self.assertTrue(allowed["allowed"])
                self.assertNotIn("allow", allowed)
                # Nothing beside it.
                self.check(1, "write", str(outside / "other"), "--sandbox-allow", told["allow"][0])

    def test_what_lifts_a_protection_says_so(self):
        self.assertIn("lifts a protection", self.check(1, "read", str(self.home / ".netrc")))
        self.assertNotIn("lifts a protection", self.check(1, "write", str(self.top / "x")))

    def test_profile_and_overlay_count(self):
        (self.home / "strict.yml").write_text("name: strict\npackage_managers: [npm]\nfilesystem:\n  allow_read: [/usr]\n")
        self.check(0, "read", str(self.project / "x"))
        out = self.check(1, "read", str(self.project / "x"), "--sandbox-profile", str(self.home / "strict.yml"))
        self.assertIn("no rule covers it", out)
        kept = self.top / "kept"
        self.check(1, "write", str(kept))
        self.assertEqual(self.pmg("sandbox", "allow", f"write={kept}").returncode, 0)
        self.assertIn("decides", self.check(0, "write", str(kept)))

    def test_variables(self):
        self.assertIn("built-in list", self.check(1, "env", "AWS_SECRET_ACCESS_KEY"))
        self.check(0, "env", "AWS_SECRET_ACCESS_KEY", "--sandbox-allow", "env=AWS_SECRET_ACCESS_KEY")
        self.check(0, "env", "HOME")

    def test_sockets(self):
        told = json.loads(self.check(1, "unix", "/run/docker.sock", "--json"))
        self.check(0, "unix", "/run/docker.sock", "--sandbox-allow", told["allow"][0])

    def test_names_are_made_visible(self):
        self.assertNotIn("\x1b", self.check(1, "write", str(self.top / "a\x1b[31mb")))

    def test_mistakes(self):
        self.says(self.pmg("sandbox", "check", "chew", "x"), 2, "`chew`", "read, write, exec, unix, env")
        self.says(self.pmg("sandbox", "check", "read"), 2, "needs WHAT")
        self.says(self.pmg("sandbox", "check", "exec", "no-such-program"), 2, "not found")
        self.says(self.pmg("sandbox", "check", "read", "x", "--sandbox-profile", "nonsense"), 2, "nonsense")
        self.says(self.pmg("sandbox", "check", "read", "x", cwd=self.home), 2, "home directory")


if __name__ == "__main__":
    unittest.main()
