#!/usr/bin/env python3
"""The field cases, through the real binary, each with the policy that it needs.

  run_cases.py --pmg build/dev/pmg                 every family, as the caller
  run_cases.py --pmg build/dev/pmg FSD TTY-01      some families or cases, with what they print
  run_cases.py --pmg build/dev/pmg --user nobody   as an ordinary user (needs root)

A case listed in not_yet.txt must fail, every other one must pass. The catalogue is the folder PMG_CASES_DIR,
by default ../shared/cases beside the checkout; without it nothing is run and the exit code is 77.
"""
import argparse
import json
import os
import pathlib
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CATALOGUE = pathlib.Path(os.environ.get("PMG_CASES_DIR") or HERE.parents[1].parent / "shared/cases")
FAMILIES = ("FSD", "FSA", "GLB", "ENV", "EXE", "TTY", "SIG", "EXC", "PRS", "PRO", "UX", "UNX")
NODE = ("npm", "pnpm", "yarn", "bun")
ALL = ("exec", "npm", "npx", "pnpm", "yarn", "bun", "pip", "pipx", "poetry", "uv", "uvx", "go")
#: cases that must hold under these profiles too
VARIANTS = {"FSA-01": NODE, "FSA-02": NODE, "FSA-11": ALL[1:], "FSA-28": ALL[1:]}
SKIPPED = 77


def not_yet():
    """Case id to the reason why it cannot pass."""
    lines = (HERE / "not_yet.txt").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def chosen(wanted, cases):
    """Ids of the families or cases in `wanted` that run by themselves."""
    runnable = [case["id"] for case in cases if case["unsandboxed"] and case["id"].split("-")[0] in FAMILIES]
    if not wanted:
        return runnable
    unknown = set(wanted) - set(FAMILIES) - {case["id"] for case in cases}
    if unknown:
        sys.exit(f"no such case or family: {', '.join(sorted(unknown))}")
    return [id for id in runnable if id in wanted or id.split("-")[0] in wanted]


class Runner:
    """Runs the catalogue's own script, which knows no policies, on a wrapper that adds them.

    All of it is copied to `root`, as another user may have no way to the checkout.
    """

    def __init__(self, pmg, user, root):
        self.root = pathlib.Path(root)
        self.pmg = shutil.copy(pmg, self.root / "pmg")
        shutil.copytree(CATALOGUE, self.root / "catalogue")
        (self.root / "catalogue").chmod(0o755)
        shutil.copytree(HERE, self.root / "cases", ignore=shutil.ignore_patterns("__pycache__"))
        self.env = {**os.environ, "SBXT_ROOT": root}
        self.command = [sys.executable]
        os.chmod(root, 0o755)
        if user:
            entry = pwd.getpwnam(user)
            os.chown(root, entry.pw_uid, entry.pw_gid)
            (self.root / "home").mkdir()
            self.env["HOME"] = str(self.root / "home")
            self.command = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups",
                            "/usr/bin/python3"]

    def wrapper(self, profile):
        path = self.root / f"pmg-{profile or 'own'}"
        path.write_text(f"#!/bin/sh\nPMG_REAL={shlex.quote(str(self.pmg))} PMG_PROFILE={shlex.quote(profile)} "
                        f"exec {shlex.quote(str(self.root / 'cases/pmg-for-case'))} \"$@\"\n")
        path.chmod(0o755)
        return path

    def run(self, ids, profile=""):
        """Id to (passed, what the case printed)."""
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        command = [*self.command, str(self.root / "catalogue/run.py"), "--pmg", str(self.wrapper(profile)),
                   "--json", str(report), *ids]
        done = subprocess.run(command, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False)
        if not report.exists():
            sys.exit(f"the catalogue's script failed:\n{done.stdout}")
        blocks = re.split(r"^== (\S+) (?:PASS|FAIL) ", done.stdout, flags=re.M)[1:]
        texts = dict(zip(blocks[::2], blocks[1::2]))
        return {id: (good, texts.get(id, "")) for id, good in json.loads(report.read_text()).items()}


def report(results, excused, verbose):
    """Prints what is not as expected; returns how many (passed, failed)."""
    passed = failed = 0
    for name, (good, text) in results.items():
        reason = excused.get(name.split()[0])
        if good != (reason is None):
            failed += 1
            verdict = "FAIL" if not good else "FAIL: now passes, remove it from not_yet.txt"
            print(f"== {name} {verdict}\n   {text.strip()}")
            continue
        passed += 1
        if reason:
            print(f"== {name} not yet: {reason}")
        elif verbose:
            print(f"== {name} PASS\n   {text.strip()}")
        else:
            print(f"== {name} PASS")
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pmg", default=os.environ.get("PMG"), help="the binary (also $PMG)")
    parser.add_argument("--user", default="", help="run as this user")
    parser.add_argument("--verbose", action="store_true", help="print the output of cases that pass too")
    parser.add_argument("wanted", nargs="*", help="families or case ids; all by default")
    args = parser.parse_args()
    if not (CATALOGUE / "run.py").exists():
        print(f"field cases: skipped, no catalogue (looked in {CATALOGUE})")
        return SKIPPED
    if args.user and os.geteuid() != 0:
        print("field cases: skipped, only root can become another user")
        return SKIPPED
    if not args.pmg:
        parser.error("which binary? pass --pmg")
    cases = json.loads((CATALOGUE / "cases.json").read_text())
    ids = chosen(args.wanted, cases)
    base = os.environ.get("SBXT_ROOT") or ("/srv" if os.geteuid() == 0 else os.path.expanduser("~/.cache"))
    os.makedirs(base, exist_ok=True)
    root = tempfile.mkdtemp(prefix="pmg-cases.", dir=base)
    try:
        runner = Runner(os.path.realpath(args.pmg), args.user, root)
        results = runner.run(ids) if ids else {}
        for profile in ALL:
            again = [id for id in ids if profile in VARIANTS.get(id, ())]
            if again:
                more = runner.run(again, profile)
                results.update({f"{id} ({profile})": result for id, result in more.items()})
    finally:
        shutil.rmtree(root, ignore_errors=True)
    passed, failed = report(results, not_yet(), args.verbose)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
