"""Lines of each layer that the tests ran, from the counters of a build with --coverage.

    coverage.py BUILD_DIRECTORY
"""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import tree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def executed(build):
    """file -> line -> how often it ran, all objects that hold it together."""
    lines = collections.defaultdict(collections.Counter)
    counters = sorted(str(path.resolve()) for path in pathlib.Path(build).rglob("*.gcda"))
    if not counters:
        sys.exit(f"{build}: no counters; was anything run?")
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["gcov", "--json-format", "--preserve-paths", *counters], cwd=scratch, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for report in pathlib.Path(scratch).glob("*.gcov.json.gz"):
            content = json.loads(gzip.decompress(report.read_bytes()))
            for file in content["files"]:
                path = (pathlib.Path(content["current_working_directory"]) / file["file"]).resolve()
                if path.is_relative_to(ROOT):
                    for line in file["lines"]:
                        lines[path.relative_to(ROOT)][line["line_number"]] += line["count"]
    return lines


def main(build):
    layers = {layer: [0, 0] for layer in tree.LAYERS}
    missed = []
    for path, lines in executed(build).items():
        if path.parts[0] in layers:
            ran = sum(count > 0 for count in lines.values())
            layers[path.parts[0]][0] += ran
            layers[path.parts[0]][1] += len(lines)
            missed.append((len(lines) - ran, path))
    for layer, (ran, total) in layers.items():
        if total == 0:
            sys.exit(f"{layer}: no line of it was built")
        print(f"{layer}: {100 * ran / total:.1f} % of {total} lines")
    print("most lines that never ran: " + ", ".join(f"{path} {count}" for count, path in sorted(missed)[:-9:-1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
