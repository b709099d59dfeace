"""Things that must not be written, and files that must not grow."""
import re

import tree

#: (pattern, folders, files where it is allowed, reason)
BANNED = [
    (r"(?<!code\(\))(?<!error_code)\.value\(\)", tree.LAYERS, (), "`.value()` throws or hides the test: check, then use `*`"),
    (r"NOTIF_FLAG_CONTINUE", tree.LAYERS, ("platform/src/notify.cpp",),
     "a continued call reads its pointers again; only the exec answer may do that"),
    (r"(?<![\w.>])(?:std::|::)?(?:system|popen)\s*\(", (*tree.LAYERS, "tests", "fuzz"), (), "no shells"),
    (r"\b(?:TODO|FIXME|XXX)\b", (*tree.LAYERS, "tests", "fuzz"), (), "open points belong to an issue"),
    (r"catch\s*\(\s*\.\.\.\s*\)", tree.LAYERS, (), "a catch names what it catches"),
    (r"^\s*default\s*:", ("domain",), (), "-Werror=switch finds a forgotten case only without `default:`"),
]

MAX_LINES = {".hpp": 300, ".cpp": 500}


def banned(path, text):
    code = tree.without_comments(text)
    for pattern, folders, exempt, why in BANNED:
        if path.parts[0] not in folders or str(path) in exempt:
            continue
        # An open point usually stands in a comment, the rest is about code.
        where = text if "TODO" in pattern else code
        for match in re.finditer(pattern, where, re.M):
            line = where.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {match.group().strip()}: {why}"


def check(root):
    for path, text in tree.sources(root):
        yield from banned(path, text)
        lines = text.count("\n")
        if path.parts[0] in tree.LAYERS and "uapi" not in path.parts and lines > MAX_LINES[path.suffix]:
            yield f"{path}: {lines} lines, at most {MAX_LINES[path.suffix]}"


if __name__ == "__main__":
    tree.main(check, __doc__)
