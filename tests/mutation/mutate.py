"""The mutation check: changes one condition of domain/ at a time and asks whether the tests notice.

  mutate.py --build build/mutation [--write] [--file automaton.cpp]…

conditions.py says what is changed. All mutants are compiled into one program (schemata.py), and each is then run against
the tests that come across it, quickest first, until one of them fails, crashes or takes far too long. Exit code 1 if
fewer than 95 % are killed, or if equivalent.txt is wrong.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import conditions
import schemata

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
GOAL = 95.0  # percent
FLAGS = ["-std=c++20", "-Idomain/include", "-Idomain/src"]
TARGETS = ["test_domain", "test_props", "replay_families"]
GRACE = 5  # seconds of processor time that a test may take beyond ten times its own
SLOWEST = 300  # seconds of processor time that a test may take without a mutant
MEMORY = 1 << 30  # bytes; a mutant that never stops adding to a list ends here

#: a command, the numbers of the mutants that it comes across, and the seconds of processor time that it takes
Test = collections.namedtuple("Test", "command reached seconds")


# --- building ---------------------------------------------------------------------------------------------------------

def write_if_changed(path, content):
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def copy_of(root, folder, mutants):
    """The checkout in `folder`: links, but for domain/, which is rewritten."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in root.iterdir():
        link = folder / entry.name
        if not entry.name.startswith(".") and entry.name not in ("build", "domain") and not link.is_symlink():
            link.symlink_to(entry)
    for path in sorted((root / "domain").rglob("*")):
        if path.is_file():
            name = path.relative_to(root).as_posix()
            within = [m for m in mutants if m.point.file == name]
            write_if_changed(folder / name, schemata.rewrite(path.read_bytes(), within))
    write_if_changed(folder / "domain" / "include" / "mutant.hpp", (HERE / "mutant.hpp").read_bytes())


def build(source, folder, jobs):
    # With the checks of the library: what would be undefined is then a crash, every time.
    run_or_die(["cmake", "-G", "Ninja", "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=None",
                "-DCMAKE_CXX_FLAGS=-O1 -D_GLIBCXX_ASSERTIONS"])
    run_or_die(["cmake", "--build", folder, "-j", str(jobs), "--target", *TARGETS])


def run_or_die(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}")


def commands(folder, root):
    """The tests, in parts small enough that most mutants need few of them."""
    for name in ("domain", "props"):
        for source in sorted((root / "tests" / name).glob("*.cpp")):
            yield [folder / "tests" / f"test_{name}", f"--source-file=*/{name}/{source.name}", "--abort-after=1"]
    for corpus in sorted((root / "fuzz" / "corpus").iterdir()):
        replay = folder / "tests" / f"replay_{corpus.name}"
        if replay.is_file():  # a loader is not built: it is over another layer
            yield [replay, corpus]


# --- running ----------------------------------------------------------------------------------------------------------

def environment(**more):
    # A property that fails is not made smaller: nobody reads it.
    return {"PATH": os.environ["PATH"], "PMG_PROPERTY_SHRINKS": "0", **more}


def limited(command, seconds):
    """The command with so much processor time, and none of its cores kept."""
    return ["prlimit", f"--cpu={seconds}", f"--as={MEMORY}", "--core=0", "--", *command]


def processor_time():
    """Of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def baseline(command):
    """The test without a mutant, which must pass."""
    with tempfile.NamedTemporaryFile("r") as trace:
        start = processor_time()
        done = subprocess.run(limited(command, SLOWEST), env=environment(PMG_MUTANT_TRACE=trace.name), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        seconds = processor_time() - start
        if done.returncode != 0:
            sys.exit(f"without a mutant: {' '.join(map(str, command))}:\n{done.stdout}")
        reached = frozenset(map(int, trace.read().split()))
        if not reached:
            sys.exit(f"comes across no mutant: {' '.join(map(str, command))}")
        return Test(command, reached, seconds)


def outcome(test, mutant):
    """"passed", "failed", "crashed" or "timeout"."""
    seconds = GRACE + int(10 * test.seconds)  # of processor time, so a busy machine kills nothing
    try:
        code = subprocess.run(limited(test.command, seconds), env=environment(PMG_MUTANT=str(mutant.id)), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False, timeout=20 * seconds).returncode
    except subprocess.TimeoutExpired:
        return "timeout"
    if code in (-9, -24):  # SIGKILL, SIGXCPU
        return "timeout"
    return "passed" if code == 0 else "crashed" if code < 0 else "failed"


def fate(mutant, tests):
    """What the first test that notices says; "survived", or "never reached"."""
    reaching = sorted((t for t in tests if mutant.id in t.reached), key=lambda t: t.seconds)
    for test in reaching:
        result = outcome(test, mutant)
        if result != "passed":
            return result
    return "survived" if reaching else "never reached"


def run_all(mutants, tests, jobs, say=print):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        fates = {}
        for mutant, result in zip(mutants, pool.map(lambda m: fate(m, tests), mutants)):
            fates[mutant] = result
            if not is_killed(result):
                say(f"{mutant}: {result}", flush=True)
        return fates


def is_killed(result):
    return result not in ("survived", "never reached")


# --- equivalent mutants -----------------------------------------------------------------------------------------------

ENTRY = re.compile(r"(?P<file>[^:\s]+): (?P<function>[^:]*): `(?P<source>.*)` -> `(?P<becomes>.*)`")


def read_equivalent(path):
    """{key of a mutant: why it cannot be noticed}. An entry is a line like those of the report, without the number of the
    line; the reason stands below it, indented."""
    entries, key = {}, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = ENTRY.fullmatch(line)
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" ") and key:
            entries[key] = f"{entries[key]} {line.strip()}".strip()
        elif found:
            key = tuple(found.groups())
            entries[key] = ""
        else:
            sys.exit(f"{path}:{number}: neither an entry nor its reason")
    return entries


def wrong_entries(entries, fates):
    by_key = collections.defaultdict(list)
    for mutant, result in fates.items():
        by_key[mutant.key()].append(result)
    for key, why in entries.items():
        name = "{}: {}: `{}` -> `{}`".format(*key)
        if not why:
            yield f"equivalent.txt: no reason: {name}"
        if not by_key[key]:
            yield f"equivalent.txt: no such mutant: {name}"
        for result in filter(is_killed, by_key[key]):
            yield f"equivalent.txt: not equivalent, it {result}: {name}"


# --- the report -------------------------------------------------------------------------------------------------------

def percent(killed, of):
    return 100.0 * killed / of if of else 100.0


def table(fates, equivalent):
    """One row for each file: mutants, equivalent ones, killed, survivors, score."""
    rows = collections.OrderedDict()
    for mutant, result in fates.items():
        for name in (mutant.point.file, "all"):
            row = rows.setdefault(name, collections.Counter())
            row["mutants"] += 1
            row["equivalent" if mutant.key() in equivalent else "killed" if is_killed(result) else "left"] += 1
            row[result] += 1
    rows.move_to_end("all")
    return rows


def markdown(rows):
    yield "| file | mutants | equivalent | killed | left | killed |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, row in rows.items():
        yield (f"| {name} | {row['mutants']} | {row['equivalent']} | {row['killed']} | {row['left']} "
               f"| {score(row):.1f} % |")


def score(row):
    return percent(row["killed"], row["killed"] + row["left"])


def write_figures(document, lines):
    """Between the two marks of the document."""
    text = document.read_text(encoding="utf-8")
    marks = r"(<!-- mutation: [^\n]*-->\n).*?(<!-- end of mutation -->)"
    new, found = re.subn(marks, lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
    if found != 1:
        sys.exit(f"{document}: no place for the figures")
    document.write_text(new, encoding="utf-8")


def summary(rows, compile_time, seconds):
    row = rows["all"]
    how = ", ".join(f"{row[k]} {k}" for k in ("failed", "crashed", "timeout") if row[k])
    return [f"{row['mutants']} mutants, {row['equivalent']} of them equivalent; {row['killed']} killed ({how}), {row['left']} left: "
            f"{score(row):.1f} %. {compile_time} more are seen by the compiler alone. {seconds / 60:.0f} minutes.", "",
            *markdown(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--file", action="append", default=[], help="only mutants of files that end so")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/ASSURANCE.md")
    args = parser.parse_args()
    if args.write and args.file:
        parser.error("--write is for the figures of all files")
    start = time.monotonic()
    os.nice(10)
    os.chdir(ROOT)
    points, compile_time = conditions.find(sorted(pathlib.Path("domain/src").glob("*.cpp")), FLAGS, "pmg::domain", ROOT)
    mutants = schemata.number(points, {p.file: (ROOT / p.file).read_bytes() for p in points})
    folder = args.build.resolve()
    copy_of(ROOT, folder / "source", mutants)
    build(folder / "source", folder / "build", args.jobs)
    tests = [baseline(command) for command in commands(folder / "build", ROOT)]
    print(f"{len(mutants)} mutants, {len(tests)} tests of {sum(t.seconds for t in tests):.1f} s pass without one", flush=True)

    wanted = [m for m in mutants if not args.file or m.point.file.endswith(tuple(args.file))]
    fates = run_all(wanted, tests, args.jobs)
    entries = {k: v for k, v in read_equivalent(HERE / "equivalent.txt").items() if not args.file or k[0].endswith(tuple(args.file))}
    wrong = list(wrong_entries(entries, fates))
    rows = table(fates, entries)
    lines = summary(rows, compile_time, time.monotonic() - start)
    print("\n".join([*wrong, *lines]))
    if args.write:
        write_figures(ROOT / "docs" / "ASSURANCE.md", lines)
    sys.exit(1 if wrong or score(rows["all"]) < GOAL else 0)


if __name__ == "__main__":
    main()
