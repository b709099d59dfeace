"""The command line: what is an option of ours and what belongs to the program."""
import unittest

import world

ODD = ["a b", "", "*", "$HOME", 'q"uote', "it's", "--", "-x", "--help", "--sandbox-allow", "read=x", "new\nline", "\\", "\x1b[0m",
       "\udcff\udcfe"]


class Arguments(world.World):
    def expected(self, args):
        return "".join(f"<{a}>\n" for a in args)

    def test_arrive_byte_for_byte(self):
        for prefix in (["--"], [], ["--debug", "--"], ["--sandbox-allow", "read=/etc/hostname"], ["--sandbox-allow=read=/etc/hostname", "--"]):
            with self.subTest(prefix=prefix):
                done = self.pmg("sandbox", "exec", *prefix, "echoargs", *ODD)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, self.expected(ODD))

    def test_flags_hold_before_and_after_exec(self):
        for args in (["--dry-run", "sandbox", "exec"], ["sandbox", "--dry-run", "exec"], ["sandbox", "exec", "--dry-run"]):
            with self.subTest(args=args):
                done = self.pmg(*args, "touch", "ran")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertFalse((self.project / "ran").exists())

    def test_of_a_manager_are_all_its_own(self):
        self.script("npm", world.ECHO)
        args = ["ls", "--dry-run", "--help", *ODD]
        self.assertLess(args.index("--"), args.index("--sandbox-allow"))  # behind it nothing is looked at
        done = self.pmg("npm", *args)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, self.expected(args), ""))


    def test_of_ours_behind_a_manager_are_refused(self):
        """They would confine nothing, and whoever writes them means to confine."""
        self.script("npm", "#!/bin/sh\ntouch ran\n")
        for args, right in [
            (["install", "--sandbox"], "`pmg --sandbox npm …`"),
            (["--sandbox", "install"], "`pmg --sandbox npm …`"),
            (["ci", "--sandbox-enforce", "x"], "`pmg --sandbox-enforce npm …`"),
            (["ci", "--sandbox-profile", "x"], "`pmg --sandbox-profile NAME|FILE npm …`"),
            (["ci", "--sandbox-profile=x"], "`pmg --sandbox-profile NAME|FILE npm …`"),
            (["ci", "--sandbox-allow=read=/x", "--", "y"], "`pmg --sandbox-allow TYPE=VALUE npm …`"),
        ]:
            for flags in ([], ["--sandbox"]):
                with self.subTest(args=args, flags=flags):
                    self.says(self.pmg(*flags, "npm", *args), 2, "behind `npm`", right, "`--`")
                    self.assertFalse((self.project / "ran").exists())
        self.script("npm", world.ECHO)
        for args in (["run", "x", "--", "--sandbox"], ["--sandboxed"], ["--no-sandbox"], ["x=--sandbox"]):
            with self.subTest(args=args):
                self.assertEqual(self.pmg("npm", *args).stdout, self.expected(args))


class Usage(world.World):
    def test_mistakes(self):
        for args, part in [
            (["--nonsense", "npm", "ci"], "`--nonsense`"),
            (["nonsense"], "`nonsense`"),
            (["sandbox", "nonsense"], "`sandbox nonsense`"),
            (["sandbox", "exec"], "needs a program"),
            (["sandbox", "exec", "--"], "needs a program"),
            (["sandbox", "exec", "--nonsense", "true"], "`--nonsense`"),
            (["sandbox", "exec", "--sandbox-profile"], "--sandbox-profile"),
            (["sandbox", "profile", "nonsense"], "`sandbox profile nonsense`"),
            (["sandbox", "profile", "show"], "needs NAME"),
            (["sandbox", "profile", "show", "a", "b"], "no further word: `b`"),
            (["sandbox", "profile", "list", "a"], "no further word: `a`"),
            (["help", "nonsense"], "`nonsense`"),
            (["help", "sandbox", "nonsense"], "`sandbox nonsense`"),
            # What is nearly right is named.
            (["sandbox", "porfile"], "did you mean `profile`"),
            (["sandbox", "profile", "lsit"], "did you mean `list`"),
            (["nmp", "ci"], "did you mean `npm`"),
            (["sandbox", "profile", "list", "--jsn"], "did you mean `--json`"),
            (["--debgu", "npm", "ci"], "did you mean `--debug`"),
            # A flag that would do nothing.
            (["--dry-run", "sandbox", "profile", "list"], "`--dry-run` means nothing"),
            (["sandbox", "profile", "list", "--sandbox-allow", "read=/x"], "`--sandbox-allow` means nothing"),
            (["--sandbox-profile", "x", "sandbox", "profile", "list"], "`--sandbox-profile` means nothing"),
            (["--sandbox", "sandbox", "profile", "list"], "`--sandbox` means nothing"),
            (["--sandbox-enforce", "sandbox", "profile", "list"], "`--sandbox-enforce` means nothing"),
            (["--unsafe-cwd", "sandbox", "profile", "list"], "`--unsafe-cwd` means nothing"),
            (["\x1b[31mred"], "`\\x1b[31mred`"),
            (["\u202egpj.exe"], "`\\xe2\\x80\\xaegpj.exe`"),
            (["\u2066a\u200bb\ufeff"], "`\\xe2\\x81\\xa6a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf`"),
            (["a\u009b2J"], "`a\\xc2\\x9b2J`"),
            (["\udcc0\udc80"], "`\\xc0\\x80`"),
            (["\u00e9\u4e2d"], "`\u00e9\u4e2d`"),
        ]:
            with self.subTest(args=args):
                self.says(self.pmg(*args), 2, part)

    def test_help_and_version(self):
        for args in ([], ["--help"], ["-h"], ["help"], ["sandbox"], ["sandbox", "--help"], ["sandbox", "exec", "--help"],
                     ["sandbox", "profile"], ["sandbox", "profile", "--help"], ["sandbox", "profile", "show", "-h"],
                     ["help", "sandbox", "profile"], ["help", "sandbox", "exec"], ["--help", "sandbox", "exec", "true"],
                     ["--version"], ["version"]):
            with self.subTest(args=args):
                done = self.pmg(*args)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("pmg", done.stdout)

    def commands(self):
        """The words of each command, as help lists them."""
        listed = self.pmg("--help").stdout.split("flags, before")[0].splitlines()
        return [line.split("  ")[1].split()[1:] for line in listed if line.startswith("  pmg ") and "[flags]" not in line]

    def test_every_command_has_help_with_an_example(self):
        self.assertGreater(len(self.commands()), 2)
        for words in self.commands():
            with self.subTest(words=words):
                done = self.pmg(*words, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith("pmg " + " ".join(words)))
                self.assertIn("\nexample:\n  pmg ", done.stdout)
                self.assertEqual(self.pmg("help", *words).stdout, done.stdout)

    def test_bad_allowances(self):
        for value, part in [("x", "TYPE=VALUE"), ("=x", "no type"), ("read=", "no value"), ("colour=red", "unknown type"),
                            ("read=~/x", "${HOME}"), ("exec=/usr/bin/*", "wildcard"), ("env=a b", "name of a variable"),
                            ("net-connect=example.com", "HOST:PORT"), ("net-connect=*:443", "full name"), ("net-bind=80", "HOST:PORT"),
                            ("preset=X", "lowercase"), ("preset=claud", "`claude`"), ("env=*", "every secret"), ("unix=/a*", "one socket"),
                            ("net=a:1", "net-connect")]:
            with self.subTest(value=value):
                self.says(self.pmg("sandbox", "exec", "--sandbox-allow", value, "--", "touch", "ran"), 1, part)
                self.assertFalse((self.project / "ran").exists())


if __name__ == "__main__":
    unittest.main()
