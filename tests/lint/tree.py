"""What the gates of this folder share: the sources of a checkout, and how a gate ends."""
import argparse
import pathlib
import re
import sys

LAYERS = ("domain", "platform", "adapters", "app")


def sources(root, parts=(*LAYERS, "tests", "fuzz")):
    """Every C++ and C file below the given folders, as (path relative to root, text)."""
    for part in parts:
        for path in sorted((root / part).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".h", ".c") and path.is_file():
                yield path.relative_to(root), path.read_text(encoding="utf-8")


def without_comments(text):
    """The text with comments blanked; line numbers stay. String literals are left alone."""
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)

    def blank(match):
        found = match.group()
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return token.sub(blank, text)


def main(check, description):
    """Runs check(root), which yields one line per finding; any finding is a failure."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    findings = list(check(parser.parse_args().root.resolve()))
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings" if findings else "clean")
    sys.exit(1 if findings else 0)
