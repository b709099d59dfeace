"""clang-tidy over the sources of the four layers.

  tidy.py --build build/dev [FILE…]

Of the five seconds that a file takes, four go to the headers of the standard library. So files that compile together are
looked at together, as one source that includes them. Files of a group that is not clean are looked at alone: what is
reported never comes from the grouping.

A file that was clean is not looked at again until it, a header of ours or .clang-tidy changes. The marks lie in the build
directory.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import tree

ROOT = pathlib.Path(__file__).parents[2]
#: files of a group at most: with more, the last groups leave processors idle
GROUP = 12
#: headers of which findings are told, as in .clang-tidy; the sources of a group count as headers too
HEADERS = r"/(domain|adapters|platform)/include/|/app/src/|/tests/.*\.hpp$"


def state_of_headers(root):
    """A digest of everything that may change the findings of any file."""
    digest = hashlib.sha256((root / ".clang-tidy").read_bytes())
    for path, text in tree.sources(root, tree.LAYERS):
        if path.suffix == ".hpp":
            digest.update(f"{path}\0{text}\0".encode())
    return digest.digest()


def flags_of(entry):
    """What decides how a source is read: its command without the names of files."""
    words = shlex.split(entry["command"])[1:]
    return tuple(word for before, word in zip(["", *words], words) if word not in ("-c", "-o") and before not in ("-c", "-o"))


def together(scratch, files):
    """A source that includes all of them."""
    name = hashlib.sha256("\0".join(map(str, files)).encode()).hexdigest()[:16]
    source = scratch / f"{name}.cpp"
    source.write_text("".join(f'#include "{file}"  // NOLINT\n' for file in files))
    return source


def misfits(scratch, files, flags):
    """Those that do not compile behind the others; never the first one."""
    done = subprocess.run(["clang++", "-fsyntax-only", "-ferror-limit=0", "-fno-color-diagnostics", *flags, together(scratch, files)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return set()
    named = set(re.findall(r"^(/[^:\n]+):\d+:\d+: (?:fatal )?error", done.stderr, re.M))
    return {file for file in files[1:] if str(file) in named} or {files[-1]}


def groups(scratch, files, flags):
    """Parts of `files` that compile together; what does not fit into one part comes into a later one."""
    while files:
        group, files = files[:GROUP], files[GROUP:]
        while len(group) > 1 and (out := misfits(scratch, group, flags)):
            files = [file for file in group if file in out] + files
            group = [file for file in group if file not in out]
        yield group


def findings(source, flags, included=()):
    """What clang-tidy says of a source and of the ones it includes; "" if they are clean."""
    told_of = "|".join([HEADERS, *(f"^{re.escape(str(file))}$" for file in included)])
    done = subprocess.run(["clang-tidy", "--quiet", f"--config-file={ROOT / '.clang-tidy'}", f"--header-filter={told_of}", str(source), "--",
                           *flags], capture_output=True, text=True, errors="replace", check=False)
    return "" if done.returncode == 0 else done.stdout or done.stderr or "clang-tidy failed without a word"


def look_at(scratch, group, flags):
    """(file, findings) for each file."""
    if len(group) > 1 and not findings(together(scratch, group), flags, group):
        return [(file, "") for file in group]
    return [(file, findings(file, flags)) for file in group]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    marks = args.build / "tidy"
    marks.mkdir(exist_ok=True)
    state = state_of_headers(ROOT)
    known = {pathlib.Path(entry["file"]): flags_of(entry) for entry in json.loads((args.build / "compile_commands.json").read_text())}
    wanted = [f.resolve() for f in args.files] or [
        ROOT / path for path, _ in tree.sources(ROOT, tree.LAYERS) if ROOT / path in known and path.suffix == ".cpp"]

    def mark(file):
        return marks / hashlib.sha256(state + str((file, known[file])).encode() + file.read_bytes()).hexdigest()

    alike = collections.defaultdict(list)
    for file in wanted:
        if not mark(file).exists():
            alike[known[file]].append(file)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(lambda item: [(group, item[0]) for group in groups(marks, item[1], item[0])], alike.items())
        parts = sorted(itertools.chain.from_iterable(made), key=lambda part: -len(part[0]))
        for told in pool.map(lambda part: look_at(marks, *part), parts):
            for file, text in told:
                if text:
                    failed += 1
                    print(f"== {file.relative_to(ROOT)}\n{text}")
                else:
                    mark(file).touch()
    print(f"{len(wanted) - failed} of {len(wanted)} files are clean; {len(parts)} groups were looked at")
    sys.exit(1 if failed or not wanted else 0)


if __name__ == "__main__":
    main()
