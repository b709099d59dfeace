"""Each layer includes only what it may.

CMake keeps the include roots of our layers apart; this gate is for everything under /usr/include, which the compiler
finds from anywhere. It looks at direct includes: what a standard header pulls in by itself is not our choice.
"""
import re

import tree

#: pure values only: no clock, no file, no thread, no environment, no randomness
DOMAIN_STD = set("""
    algorithm array bit bitset charconv compare concepts cstddef cstdint cstring deque functional initializer_list
    iterator limits map memory new numeric optional queue ranges set span stack string string_view tuple type_traits
    unordered_map unordered_set utility variant vector version
""".split())

STD = DOMAIN_STD | set("""
    atomic cassert cctype cerrno chrono cinttypes climits condition_variable csignal cstdarg cstdio cstdlib ctime
    exception filesystem fstream future iomanip ios iostream istream list locale mutex ostream random ratio regex
    semaphore shared_mutex sstream stdexcept stop_token streambuf system_error thread typeinfo
""".split())

#: constants and structures of system calls; the calls themselves belong to platform
CONSTANTS = r"fcntl\.h|signal\.h|sys/(stat|types|socket|syscall|un|xattr|wait|mman|resource)\.h|linux/[a-z_0-9]+\.h|poll\.h|sched\.h"

#: the calls: for platform, and for the folders of adapters that stand between a program and the kernel
SYSTEM = r"seccomp\.h|[a-z_0-9]+\.h|(sys|linux|asm|net|netinet|arpa)/[a-z_0-9./]+\.h"
KERNEL_SIDE = ("adapters/src/broker/", "adapters/src/run/")

#: Asio takes 2 s to compile; only the proxy pays for it
PROXY_SIDE = "adapters/src/proxy/"
ASIO = r"boost/(asio|system)/\S+\.hpp"

VALUES = r"tl/expected\.hpp|range/v3/(?!all\.hpp)\S+"
TESTS = r"doctest/doctest\.h"

#: layer -> (standard headers, pattern of other system headers, our include roots)
ALLOWED = {
    "domain": (DOMAIN_STD, VALUES, ("domain",)),
    "platform": (STD, VALUES + "|" + SYSTEM + r"|nettle/sha2\.h", ("domain", "platform")),
    "adapters": (STD, VALUES + "|" + CONSTANTS + r"|pwd\.h|yaml-cpp/\S+\.h|nlohmann/json\.hpp",
                 ("domain", "platform", "adapters")),
    "app": (STD, VALUES + r"|unistd\.h|sys/stat\.h|nlohmann/json(_fwd)?\.hpp|CLI/\S+\.hpp", ("domain", "platform", "adapters", "app")),
}

#: CLI11 takes 2.8 s to compile, so exactly one file pays for it
ONLY_IN = {r"CLI/": "app/src/read_options.cpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def rules_of(path):
    """(name for messages, std, pattern, roots) of a file."""
    part = path.parts[0]
    if str(path).startswith(KERNEL_SIDE):
        _, _, roots = ALLOWED[part]
        return ("the broker", STD, VALUES + "|" + SYSTEM, roots)
    if str(path).startswith(PROXY_SIDE):
        _, _, roots = ALLOWED[part]
        return ("the proxy", STD, VALUES + "|" + ASIO, roots)
    if part in ALLOWED:
        return (part, *ALLOWED[part])
    # A test or fuzz target sees its own layer and everything below, doctest, and the helpers in tests/.
    layer = path.parts[1] if len(path.parts) > 2 and path.parts[1] in ALLOWED else None
    if layer == "domain" or path.parts[:2] in (("tests", "props"), ("tests", "gen")):
        return ("domain tests", STD, VALUES + "|" + TESTS, ("domain", "gen", "props"))
    # The broker, and what the doctor computes, are tested through their private headers.
    private = {"broker": ("broker", "run"), "app": ("doctor",)}.get(path.parts[1], ()) if len(path.parts) > 2 else ()
    return ("tests", STD, r"\S+", ("domain", "platform", "adapters", "app", "gen", "props", "model", "generated", *private))


def verdict(root, path, kind, name):
    """Why the include is wrong, or None."""
    layer, std, pattern, roots = rules_of(path)
    if ".." in name.split("/"):
        return "goes up with `..`"
    for what, where in ONLY_IN.items():
        if re.match(what, name) and str(path) != where:
            return f"belongs to {where} alone"
    if kind == "<":
        if name in std or re.fullmatch(pattern, name):
            return None
        return f"is not on the list of {layer}"
    if name.split("/")[0] in roots and "/" in name:
        return None
    if (root / path.parent / name).is_file():
        return None  # a private header beside its source
    if path.parts[0] in ALLOWED and (root / path.parts[0] / "src" / name).is_file():
        return None  # a private header of the same layer
    return f"is not visible from {layer}"


def check(root):
    for path, text in tree.sources(root):
        code = tree.without_comments(text)
        for match in INCLUDE.finditer(code):
            why = verdict(root, path, *match.groups())
            if why:
                line = code.count("\n", 0, match.start(1)) + 1
                yield f"{path}:{line}: {match.group(2)} {why}"


if __name__ == "__main__":
    tree.main(check, __doc__)
