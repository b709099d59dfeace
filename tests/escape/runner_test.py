"""The runner finds what it is there to find: a sandbox that confines nothing, and a mistake in an attack's header."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402  (found by the line above)

#: stands for pmg, and starts the program as it is
OPEN_DOOR = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n"


class Runner(unittest.TestCase):
    def test_a_sandbox_that_confines_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            door = pathlib.Path(folder) / "pmg"
            door.write_text(OPEN_DOOR)
            door.chmod(0o755)
            done = subprocess.run([sys.executable, HERE / "run.py", "01_names", "17_writing"], env={**os.environ, "PMG": str(door)},
                                  stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout[-2000:])
        for sign in ("relative: not refused", "the secret was printed inside", "home changed", "project changed", "pmg does not say", " 0 refused"):
            self.assertIn(sign, done.stdout)

    def test_a_control_that_fails_is_run_again(self):
        class Tries(run.Suite):
            def __init__(self, verdicts):
                super().__init__(mock.Mock())
                self.verdicts = iter(verdicts)

            def tries(self, attack, where, prefix=()):
                verdict = next(self.verdicts)
                if verdict == "dies":
                    raise run.ControlFailure(verdict)
                return {"race": run.Try(verdict, "-", "")}, "", "", []

        attack = run.Attack(HERE / "07_races.c")
        for verdicts, repeated in ((["GOT"], 0), (["REFUSED", "dies", "GOT"], 2), (["REFUSED"] * run.CONTROLS, run.CONTROLS - 1)):
            with self.subTest(verdicts=verdicts):
                suite = Tries(verdicts)
                self.assertEqual(suite.control(attack)["race"].verdict, verdicts[-1])
                self.assertEqual(len(suite.repeated), repeated)
        self.assertRaises(run.Failure, Tries(["dies"] * run.CONTROLS).control, attack)

    def test_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "01_a.c"
            for text, good in (("// What it is.\n// setup: true\n// gap: x* why\n#include <a.h>\n// flag: not read\n", True),
                               ("// What it is.\n// flag: --x\n", False), ("// What it is. setup: true\n", False)):
                with self.subTest(text=text):
                    path.write_text(text)
                    if good:
                        self.assertEqual(run.Attack(path).named("gap", "xy"), "why")
                    else:
                        self.assertRaises(SystemExit, run.Attack, path)


if __name__ == "__main__":
    unittest.main()
