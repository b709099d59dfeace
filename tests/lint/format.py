"""Every C++ file is as clang-format leaves it. `./dev format` mends."""
import subprocess

import tree


def check(root):
    files = [path for path, _ in tree.sources(root) if "uapi" not in path.parts]
    if not files:
        return
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *map(str, files)], cwd=root, capture_output=True,
                          text=True, check=False)
    yield from sorted({line.split(":")[0] for line in done.stderr.splitlines() if "clang-format-violations" in line})
    if done.returncode != 0 and "clang-format-violations" not in done.stderr:
        yield done.stderr.strip()


if __name__ == "__main__":
    tree.main(check, __doc__)
