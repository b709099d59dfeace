"""Includes that nothing needs, as include-what-you-use finds them.

    unused_includes.py BUILD_DIRECTORY

Only what it would remove, and of that what is not known to be wrong. What it would add is mostly where the C++ library keeps its own parts (<functional> for
`identity`), and headers that do not stand alone are found by building each of them (headers.standalone).
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import tree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECTION = re.compile(r"^(/\S+) should remove these lines:\n((?:- .*\n)*)", re.M)
LINE = re.compile(r"^- (#include \S+)", re.M)
#: The headers that are judged: ours and the C++ library's. Names of the system's come from inner headers of the C library
#: (bits/…), which it takes for the place to include.
JUDGED = re.compile(r'#include (?:"[^"]+"|<\w+>)$')
#: Used, whatever it says: their parts have inner headers, too, or (a defaulted operator<=>) no name.
USED = {"#include <algorithm>", "#include <chrono>", "#include <compare>", "#include <fstream>", "#include <ios>"}


def command(entry):
    """The compiler's arguments without what makes it write a file."""
    arguments = iter(shlex.split(entry["command"])[1:])
    kept = []
    for argument in arguments:
        if argument.endswith(("ccache", "/clang++", "/c++")) and not kept:
            continue
        if argument in ("-o", "-MF", "-MT"):
            next(arguments)
        elif argument not in ("-c", "-MD"):
            kept.append(argument)
    return ["include-what-you-use", "-Xiwyu", "--no_fwd_decls", *kept]


def unused(entry):
    done = subprocess.run(command(entry), cwd=entry["directory"], capture_output=True, text=True, check=False)
    sections = SECTION.findall(done.stderr)
    if "full include-list" not in done.stderr and "has correct #includes" not in done.stderr:
        return {f"{entry['file']}: not understood: {done.stderr[-300:]}"}
    return {f"{os.path.relpath(file, ROOT)}: {line}" for file, lines in sections for line in LINE.findall(lines)
            if JUDGED.match(line) and line not in USED}


def main(build):
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    ours = [entry for entry in entries
            if any(pathlib.Path(entry["file"]).is_relative_to(ROOT / layer) for layer in tree.LAYERS)]
    if not ours:
        sys.exit(f"{build}: no file of ours in compile_commands.json")
    found = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(unused, ours):
            found |= lines
    print("\n".join(sorted(found)) or f"clean: {len(ours)} files")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
