"""Compiles each header and source of `domain` by itself, without exceptions and RTTI.

  domain_alone.py --compiler clang++

Proves that the domain throws nothing, that its headers are self-contained and, with a second compiler, that both agree.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

FLAGS = ["-std=c++20", "-fno-exceptions", "-fno-rtti", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow",
         "-Werror", "-x", "c++"]


def compile_one(compiler, domain, file):
    unit = [file] if file.suffix == ".cpp" else ["-include", file, os.devnull]
    command = [compiler, *FLAGS, f"-I{domain / 'include'}", *unit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return file.relative_to(domain), done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--domain", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "domain")
    args = parser.parse_args()
    domain = args.domain.resolve()
    files = sorted([*domain.rglob("*.hpp"), *domain.rglob("*.cpp")])
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, code, output in pool.map(lambda f: compile_one(args.compiler, domain, f), files):
            if code != 0:
                failed += 1
                print(f"{file}:\n{output}")
    print(f"{len(files) - failed} of {len(files)} files compile with {args.compiler}")
    sys.exit(1 if failed or not files else 0)


if __name__ == "__main__":
    main()
