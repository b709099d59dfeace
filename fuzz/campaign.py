#!/usr/bin/env python3
"""Runs the fuzz targets until each has had so many seconds of processor time, and keeps count.

    campaign.py --build BUILD --seconds 1800 --jobs 2 [--write] [TARGET…]

The counts go on where BUILD/campaign.json, or the table in docs/ASSURANCE.md, ended: half an hour for each target is many
hours in all. A finding ends the campaign, and its input stays in BUILD.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "ASSURANCE.md"
BEGIN, END = "<!-- fuzzing: written by fuzz/campaign.py --write -->", "<!-- end of fuzzing -->"
#: seconds of one run; between two of them the counts are stored
SLICE = 120
ROW = re.compile(r"^\| `(\w+)` \| ([\d.]+) \| ([\d,]+) \| ([\d,]+) \|$", re.M)


class Finding(Exception):
    pass


def written():
    """What the document tells of each target."""
    section = DOCUMENT.read_text().partition(BEGIN)[2].partition(END)[0]
    return {name: {"seconds": float(minutes) * 60, "inputs": int(inputs.replace(",", "")), "edges": int(edges.replace(",", ""))}
            for name, minutes, inputs, edges in ROW.findall(section)}


class Campaign:
    def __init__(self, build, seconds):
        self.build, self.seconds, self.file = build, seconds, build / "campaign.json"
        self.counts = written()
        if self.file.exists():
            self.counts |= json.loads(self.file.read_text())
        self.lock, self.stopped = threading.Lock(), threading.Event()

    def targets(self):
        """Those that are built. What an older commit left in BUILD has no source any more."""
        built = (path.name.removeprefix("fuzz_") for path in (self.build / "fuzz").glob("fuzz_*") if os.access(path, os.X_OK) and path.is_file())
        return sorted(name for name in built if (ROOT / "fuzz" / f"{name}.cpp").is_file())

    def count(self, name):
        return self.counts.get(name, {"seconds": 0, "inputs": 0, "edges": 0})

    def run(self, name):
        while self.count(name)["seconds"] < self.seconds and not self.stopped.is_set():
            self.run_once(name)
        print(f"{name}: {self.count(name)['seconds']:.0f} s, {self.count(name)['inputs']:,} inputs", flush=True)

    def run_once(self, name):
        corpus = self.build / "corpus" / name
        corpus.mkdir(parents=True, exist_ok=True)
        kept = ROOT / "fuzz" / "corpus" / name
        left = self.seconds - self.count(name)["seconds"]
        command = [str(self.build / "fuzz" / f"fuzz_{name}"), f"-max_total_time={max(1, min(SLICE, round(left)))}", "-print_final_stats=1",
                   f"-artifact_prefix={self.build}/{name}-", str(corpus), *([str(kept)] if kept.is_dir() else [])]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        text = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            self.stopped.set()
            raise Finding(f"{name}: exit code {process.returncode}\n{text[-4000:]}")
        inputs = re.search(r"^stat::number_of_executed_units:\s*(\d+)", text, re.M)
        edges = re.findall(r"\bcov: (\d+)", text)
        with self.lock:
            before = self.count(name)
            self.counts[name] = {"seconds": before["seconds"] + usage.ru_utime + usage.ru_stime, "inputs": before["inputs"] + int(inputs[1]),
                                 "edges": max(before["edges"], *map(int, edges or [0]))}
            self.file.write_text(json.dumps(self.counts, indent=1))

    def table(self, names):
        rows = "".join(f"| `{name}` | {self.count(name)['seconds'] / 60:.1f} | {self.count(name)['inputs']:,} | {self.count(name)['edges']:,} |\n" for name in names)
        done = sum(self.count(name)["seconds"] >= 1800 for name in names)
        return (f"{done} of {len(names)} targets have had half an hour of processor time each; {sum(self.count(name)['inputs'] for name in names):,} inputs in all.\n\n"
                f"| target | minutes | inputs | edges |\n|---|---:|---:|---:|\n{rows}")

    def write(self, names):
        before, begin, rest = DOCUMENT.read_text().partition(BEGIN)
        if not begin:
            sys.exit(f"no place for the figures in {DOCUMENT}")
        DOCUMENT.write_text(before + BEGIN + "\n" + self.table(names) + END + rest.partition(END)[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="put the counts into docs/ASSURANCE.md")
    parser.add_argument("targets", nargs="*")
    arguments = parser.parse_args()
    campaign = Campaign(arguments.build.resolve(), arguments.seconds)
    names = campaign.targets()
    if unknown := set(arguments.targets) - set(names):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    # Those that had least come first.
    chosen = sorted(arguments.targets or names, key=lambda name: campaign.count(name)["seconds"])
    try:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for _ in pool.map(campaign.run, chosen):
                pass
    except Finding as finding:
        sys.exit(str(finding))
    if arguments.write:
        campaign.write(names)


if __name__ == "__main__":
    main()
