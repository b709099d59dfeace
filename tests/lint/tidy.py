"""clang-tidy over the sources of the four layers.

  tidy.py --build build/dev [FILE…]

A file that was clean is not looked at again until it, a header of ours or .clang-tidy changes: seven seconds per file are
a long time. The marks lie in the build directory.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import tree

ROOT = pathlib.Path(__file__).parents[2]


def state_of_headers(root):
    """A digest of everything that may change the findings of any file."""
    digest = hashlib.sha256((root / ".clang-tidy").read_bytes())
    for path, text in tree.sources(root, tree.LAYERS):
        if path.suffix == ".hpp":
            digest.update(f"{path}\0{text}\0".encode())
    return digest.digest()


def findings(build, file):
    done = subprocess.run(["clang-tidy", "--quiet", "-p", str(build), str(file)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    marks = args.build / "tidy"
    marks.mkdir(exist_ok=True)
    state = state_of_headers(ROOT)
    known = {pathlib.Path(entry["file"]) for entry in json.loads((args.build / "compile_commands.json").read_text())}
    wanted = [f.resolve() for f in args.files] or [
        ROOT / path for path, _ in tree.sources(ROOT, tree.LAYERS) if ROOT / path in known and path.suffix == ".cpp"]

    def look_at(file):
        mark = marks / hashlib.sha256(state + str(file).encode() + file.read_bytes()).hexdigest()
        if mark.exists():
            return file, 0, ""
        code, output = findings(args.build, file)
        if code == 0:
            mark.touch()
        return file, code, output

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, code, output in pool.map(look_at, wanted):
            if code != 0:
                failed += 1
                print(f"== {file.relative_to(ROOT)}\n{output}")
    print(f"{len(wanted) - failed} of {len(wanted)} files are clean")
    sys.exit(1 if failed or not wanted else 0)


if __name__ == "__main__":
    main()
