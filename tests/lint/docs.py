"""Every relative link of a document resolves; every invariant has a test of its name, and the other way round; every
difference that tests/model may excuse is documented, and the other way round."""
import re

import tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
#: a row of docs/INVARIANTS.md: | P1 | …
ROW = re.compile(r"^\|\s*\**([A-Z]{1,3}\d+)\**\s*\|", re.M)
#: TEST_CASE("P1: …"), also "P1, P2: …"
NAMED = re.compile(r'TEST_CASE(?:_TEMPLATE)?\(\s*"((?:[A-Z]{1,3}\d+(?:, )?)+):')
ID = re.compile(r"[A-Z]{1,3}\d+")
#: PROPERTY(name) of a family, {"name", name} of a table in a target
FUZZED = re.compile(r'\bPROPERTY\((\w+)\)|\{"(\w+)", \2\}')


def documents(root):
    yield from (p for p in [root / "README.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "fuzz").glob("*.md"))]
                if p.is_file())


def links(root):
    for document in documents(root):
        text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.S)
        for target in LINK.findall(text):
            file = target.split("#")[0]
            if file and not re.match(r"[a-z]+:", file) and not (document.parent / file).exists():
                yield f"{document.relative_to(root)}: dead link {target}"


def invariants(root):
    table = root / "docs" / "INVARIANTS.md"
    if not table.is_file():
        return
    stated = set(ROW.findall(table.read_text(encoding="utf-8")))
    tested = set()
    for _, text in tree.sources(root, ("tests",)):
        for names in NAMED.findall(text):
            tested.update(ID.findall(names))
    for name in sorted(stated - tested):
        yield f"docs/INVARIANTS.md: no test is called {name}"
    for name in sorted(tested - stated):
        yield f"tests: {name} is not in docs/INVARIANTS.md"


def promises(root):
    """The first table of docs/INVARIANTS.md: five cells, none empty, and every id, property, target and test exists."""
    document = root / "docs/INVARIANTS.md"
    if not document.is_file():
        return
    text = document.read_text(encoding="utf-8")
    stated = set(ROW.findall(text))
    table = text.partition("## What the sandbox promises")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    if not rows:
        yield "docs/INVARIANTS.md: no promises"
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) != 5 or not all(cells):
            yield f"docs/INVARIANTS.md: not five cells, or an empty one: {row[:60]}"
            continue
        promise, ids, _, properties, tests = cells
        for name in set(ID.findall(ids)) - stated:
            yield f"docs/INVARIANTS.md: {promise} {name} is no id"
        for name in re.findall(r"`([^`]+)`", properties):
            yield from fuzzed(root, name)
        for path in re.findall(r"`([^`]+)`", tests):
            if not (root / path).exists():
                yield f"docs/INVARIANTS.md: {promise} there is no {path}"


def targets_of(root):
    """Each fuzzed property to its target: a family lists its properties, and a target may be its only one."""
    found = {}
    for file in sorted((root / "fuzz").glob("*.cpp")):
        names = FUZZED.findall(file.read_text(encoding="utf-8"))
        found |= {first or second: file.stem for first, second in names} if names else {file.stem: file.stem}
    return found


def fuzzed(root, name):
    """What is missing of a fuzzed property."""
    readme = (root / "fuzz/README.md").read_text(encoding="utf-8")
    target = targets_of(root).get(name)
    if target is None:
        yield f"fuzz: {name} is in no target"
        return
    if f"`{name}`" not in readme:
        yield f"fuzz/README.md: nothing about {name}"
    if f"`{target}`" not in readme:
        yield f"fuzz/README.md: nothing about {target}"
    corpus = root / "fuzz/corpus" / target
    if not corpus.is_dir() or not any(corpus.iterdir()):
        yield f"fuzz/corpus: no seeds for {target}"


def targets(root):
    """Every property is fuzzed."""
    header = root / "tests/props/properties.hpp"
    if header.is_file():
        for name in re.findall(r"^bool (\w+)\(gen::Choices", header.read_text(encoding="utf-8"), re.M):
            yield from fuzzed(root, name)


def differences(root):
    source, document = root / "tests/model/differences.hpp", root / "docs/ENFORCEMENT.md"
    if not source.is_file():
        return
    used = set(re.findall(r'"(K\d+)"', source.read_text(encoding="utf-8")))
    stated = {name for name in ROW.findall(document.read_text(encoding="utf-8")) if name.startswith("K")}
    for name in sorted(used - stated):
        yield f"tests/model/differences.hpp: {name} is not in docs/ENFORCEMENT.md"
    for name in sorted(stated - used):
        yield f"docs/ENFORCEMENT.md: {name} is no difference that tests/model knows"


def check(root):
    yield from links(root)
    yield from invariants(root)
    yield from promises(root)
    yield from targets(root)
    yield from differences(root)


if __name__ == "__main__":
    tree.main(check, __doc__)
