"""A home, a project and a PATH of their own, and the real binary run in them."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PMG = os.path.realpath(os.environ["PMG"])
#: outside /tmp, which profiles make writable
ROOT = os.environ.get("SBXT_ROOT") or ("/srv/sbxt" if os.geteuid() == 0 else os.path.expanduser("~/.cache/pmg-tests"))

#: prints its arguments, one repr per line
ECHO = "#!/bin/sh\nfor a in \"$@\"; do printf '<%s>\\n' \"$a\"; done\n"


class World(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        os.makedirs(ROOT, exist_ok=True)
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="app.", dir=ROOT))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.home, self.project, self.bin = (self.top / name for name in ("home", "proj", "bin"))
        for folder in (self.home, self.project, self.bin):
            folder.mkdir()
        self.env = {"HOME": str(self.home), "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        self.script("echoargs", ECHO)

    def script(self, name, text, mode=0o755):
        path = self.bin / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def pmg(self, *args, cwd=None, env=None, **more):
        """Runs pmg; returns the CompletedProcess with text output."""
        return subprocess.run([PMG, *args], cwd=cwd or self.project, env=self.env | (env or {}), timeout=60, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="surrogateescape",
                              **more)

    def exec(self, *command, **more):
        return self.pmg("sandbox", "exec", "--", *command, **more)

    def says(self, done, code, *parts):
        """It failed with `code` and exactly one line of ours, which holds all `parts`."""
        self.assertEqual(done.returncode, code, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("pmg: ")]
        self.assertEqual(len(lines), 1, done.stderr)
        for part in parts:
            self.assertIn(part, lines[0])
