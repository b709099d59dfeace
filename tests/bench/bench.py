#!/usr/bin/env python3
"""The speed report: what a program costs under `pmg sandbox exec`, against the same program without it.

  bench.py --pmg build/release/pmg                     everything; prints the report
  bench.py --pmg build/release/pmg start calls         some parts: start calls search npm
  bench.py --pmg build/release/pmg --write             … and puts it into docs/PERFORMANCE.md

The competitors take turns within each round, so a disturbance hits all of them; what counts is the median. The load
of the machine before and after is part of the report: figures from a busy machine are worth little.
"""
import argparse
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
REPORT = HERE.parents[1] / "docs/PERFORMANCE.md"
BEGIN, END = "<!-- figures: written by tests/bench/bench.py --write -->\n", "<!-- end of figures -->\n"
BWRAP = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
MANY = ["express@4", "webpack@5", "webpack-cli@5", "eslint@8", "jest@29", "esbuild@0.25"]
NPM = ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]


class Bench:
    def __init__(self, pmg, top, rounds):
        self.exec = [pmg, "sandbox", "exec", "--"]
        self.top, self.rounds = pathlib.Path(top), rounds
        self.home, self.project = self.top / "home", self.top / "proj"
        self.home.mkdir()
        self.project.mkdir()
        self.env = {**os.environ, "HOME": str(self.home)}
        # What tells npm of this machine's registry and headers, wherever it is written.
        config = pathlib.Path.home() / ".npmrc"
        if config.exists():
            shutil.copy(config, self.home)

    def run(self, command):
        """Seconds, and what was printed."""
        began = time.perf_counter()
        done = subprocess.run(command, cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        took = time.perf_counter() - began
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(map(str, command))} failed ({done.returncode}):\n{done.stderr.decode()[-2000:]}")
        return took, done.stdout.decode()

    def spawn(self, command):
        """Milliseconds from spawning to the end; nothing is read, so that little else is measured."""
        began = time.perf_counter()
        pid = os.posix_spawnp(command[0], command, self.env)
        status = os.waitpid(pid, 0)[1]
        took = time.perf_counter() - began
        if status != 0:
            sys.exit(f"bench: {' '.join(command)} failed")
        return 1e3 * took

    def turns(self, rounds, **competitors):
        """Name to all figures; each round asks every competitor once, and the first round does not count."""
        figures = {name: [] for name in competitors}
        for turn in range(rounds + 1):
            for name, ask in competitors.items():
                figure = ask()
                if turn:
                    figures[name].append(figure)
        return figures


def row(what, unit, figures, goal=""):
    """One line of the table: medians, the spread of ours, and the ratio to plain."""
    plain, ours = statistics.median(figures["plain"]), statistics.median(figures["pmg"])
    other = f"{statistics.median(figures['bwrap']):.2f}" if "bwrap" in figures else ""
    spread = f"{min(figures['pmg']):.2f} – {max(figures['pmg']):.2f}"
    return f"| {what} | {unit} | {plain:.2f} | {ours:.2f} | {spread} | {ours / plain:.2f} | {other} | {goal} |"


def start(bench):
    os.chdir(bench.project)
    competitors = {"plain": lambda: bench.spawn(["true"]), "pmg": lambda: bench.spawn([*bench.exec, "true"])}
    if shutil.which("bwrap") and subprocess.run([*BWRAP, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0:
        competitors["bwrap"] = lambda: bench.spawn([*BWRAP, "true"])
    figures = bench.turns(10 * bench.rounds, **competitors)
    yield row("start and end of `true`", "ms", figures, "≤ 5 ms")


def calls(bench):
    probe = str(bench.project / "opens")
    bench.run(["gcc", "-O2", "-pthread", "-o", probe, str(HERE / "opens.c")])
    for kind, what in (("umask", "a round trip without work (umask)"), ("read", "open for reading, close"), ("missing", "open what does not exist"),
                       ("write", "open for writing, close"), ("create", "create, close, remove"),
                       ("rename", "rename twice"), ("mkdir", "make and remove a directory"), ("stat", "stat")):
        command = [probe, kind, "20000", str(bench.project)]
        yield row(what, "µs", bench.turns(bench.rounds, plain=lambda: float(bench.run(command)[1]),
                                          pmg=lambda: float(bench.run([*bench.exec, *command])[1])))
    command = [probe, "read", "20000", str(bench.project), "4"]
    yield row("open for reading, close, in 4 threads", "µs", bench.turns(
        bench.rounds, plain=lambda: float(bench.run(command)[1]), pmg=lambda: float(bench.run([*bench.exec, *command])[1])))


def search(bench):
    files = bench.project / "files"
    for folder in range(500):
        (files / f"d{folder}").mkdir(parents=True)
        for name in range(100):
            (files / f"d{folder}" / f"f{name}.txt").write_text(f"line {folder}\nneedle{name}\n" + "some more text\n" * 10)
    for what, command in (("`rg` in 50,000 small files", ["rg", "-c", "--sort=none", "needle7$", "files"]),
                          ("`grep -r` in 50,000 small files", ["grep", "-rc", "needle7$", "files"])):
        if shutil.which(command[0]):
            yield row(what, "ms", bench.turns(bench.rounds, plain=lambda: 1e3 * bench.run(command)[0],
                                              pmg=lambda: 1e3 * bench.run([*bench.exec, *command])[0]), "≤ 2 ×" if command[0] == "rg" else "")
    shutil.rmtree(files)


def npm(bench):
    # A project of its own for each installation, and all are removed at the end: for some seconds ext4 passes over the
    # inodes of what was removed, one by one, and that search would be most of what is measured.
    projects = [bench.project]

    def install(front):
        projects.append(bench.top / f"install{len(projects)}")
        bench.project = projects[-1]
        bench.project.mkdir()
        (bench.project / "package.json").write_text('{"name":"q","version":"1.0.0","private":true}\n')
        return bench.run([*front, *NPM, *MANY])[0]
    figures = bench.turns(bench.rounds, plain=lambda: install([]), pmg=lambda: install(bench.exec))
    packages = len(os.listdir(bench.project / "node_modules"))
    bench.project, *installed = projects
    for project in installed:
        shutil.rmtree(project)
    yield row(f"`npm install`, about {packages} packages, warm cache", "s", figures, "≤ 1.03 ×")


PARTS = {"start": start, "calls": calls, "search": search, "npm": npm}


def load():
    return " ".join(f"{value:.2f}" for value in os.getloadavg())


def report(args):
    root = os.environ.get("PMG_TEST_ROOT") or ("/srv/pmg-test" if os.geteuid() == 0 else os.path.expanduser("~/.cache/pmg-test"))
    os.makedirs(root, exist_ok=True)
    before = load()
    rows = []
    with tempfile.TemporaryDirectory(prefix="bench.", dir=root) as top:
        bench = Bench(os.path.realpath(args.pmg), top, args.rounds)
        for name in args.parts or PARTS:
            for line in PARTS[name](bench):
                print(line, flush=True)
                rows.append(line)
    machine = f"{os.cpu_count()} processors, Linux {platform.release()}, {platform.machine()}"
    return "\n".join([
        f"{machine}; {args.rounds} rounds; load of the machine {before} before, {load()} after.",
        "",
        "| what | unit | plain | pmg | pmg, least – most | pmg : plain | bubblewrap | goal |",
        "|---|---|---:|---:|---:|---:|---:|---|", *rows, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pmg", default=os.environ.get("PMG"), help="the binary (also $PMG)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/PERFORMANCE.md")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of: {', '.join(PARTS)}")
    args = parser.parse_args()
    if unknown := set(args.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if not args.pmg:
        parser.error("which binary? pass --pmg")
    text = report(args)
    print("\n" + text)
    if args.write:
        page = REPORT.read_text()
        head, rest = page.split(BEGIN)
        REPORT.write_text(head + BEGIN + text + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
