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
    yield from differences(root)


if __name__ == "__main__":
    tree.main(check, __doc__)
