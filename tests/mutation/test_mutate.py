"""The mutation check on a few lines whose mutants are known: which there are, and what becomes of each."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

import conditions
import mutate
import schemata

COMPILERS = {}

HEADER = """
#pragma once
#include <optional>
namespace toy {
struct Limits { bool strict = false; friend bool operator==(const Limits&, const Limits&) = default; };
template <class T> bool below(T a, T b) noexcept { return a < b; }
std::optional<int> half(int n);
bool accepts(int n, Limits limits);
int sum(const int (&numbers)[3]);
int odd_part(int n);
int count_to(int n);
}
"""

# With “text” that is longer in bytes than in letters, since places are bytes.
SOURCE = """
#include "domain/toy.hpp"
namespace toy {
consteval bool is_small(int n) { return n < 8; }
static_assert(is_small(7));
constexpr bool kOn = 1 < 2;
std::optional<int> half(int n) { return n % 2 != 0 ? std::nullopt : std::optional(n / 2); }
bool accepts(int n, Limits limits) {
  if (const auto h = half(n)) {
    return *h != 3 && (!limits.strict || below(n, 10));
  }
  return limits != Limits{};
}
int sum(const int (&numbers)[3]) {
  int all = 0;
  for (const int number : numbers) {
    const auto is_odd = [](int n) { return n % 2 == 1; };
    if (is_odd(number)) { all += number; }
  }
  return all;
}
int odd_part(int n) {
  while (n != 0 && n % 2 == 0) { n /= 2; }
  return n;
}
int count_to(int n) {
  int i = 0;
  while (true) {
    if (i >= n) { return i; }
    ++i;
  }
}
}
"""

TEST = """
#include "domain/toy.hpp"
int main() {
  using namespace toy;
  if (!accepts(2, {}) || accepts(6, {}) || accepts(3, {}) || !accepts(3, {true})) { return 1; }
  if (!accepts(8, {true}) || accepts(12, {true}) || !accepts(12, {})) { return 1; }
  if (sum({1, 2, 3}) != 4) { return 1; }
  if (odd_part(12) != 3 || odd_part(0) != 0) { return 1; }
  return count_to(3) == 3 ? 0 : 1;
}
"""

#: each mutant once: what was written, what it becomes, and whether the test above can tell
EXPECTED = {
    ("below", "a < b", "a <= b", False),  # the test asks for no n = 10
    ("below", "a < b", "!(a < b)", True),
    ("half", "n % 2 != 0", "!(n % 2 != 0)", True),
    ("accepts", "half(n)", "{}", True),
    ("accepts", "*h != 3 && (!limits.strict || below(n, 10))", "!(*h != 3 && (!limits.strict || below(n, 10)))", True),
    ("accepts", "*h != 3", "!(*h != 3)", True),
    ("accepts", "*h != 3", "true", True),
    ("accepts", "(!limits.strict || below(n, 10))", "!((!limits.strict || below(n, 10)))", True),
    ("accepts", "(!limits.strict || below(n, 10))", "true", True),
    ("accepts", "!limits.strict", "!(!limits.strict)", True),
    ("accepts", "!limits.strict", "false", True),
    ("accepts", "below(n, 10)", "!(below(n, 10))", True),
    ("accepts", "below(n, 10)", "false", True),
    ("accepts", "limits != Limits{}", "!(limits != Limits{})", True),
    ("sum", "is_odd(number)", "!(is_odd(number))", True),
    ("sum", "n % 2 == 1", "!(n % 2 == 1)", True),
    ("odd_part", "n != 0 && n % 2 == 0", "!(n != 0 && n % 2 == 0)", True),
    ("odd_part", "n != 0", "!(n != 0)", True),
    ("odd_part", "n != 0", "true", True),  # loops for ever
    ("odd_part", "n % 2 == 0", "!(n % 2 == 0)", True),
    ("odd_part", "n % 2 == 0", "true", True),
    ("count_to", "i >= n", "i > n", True),
    ("count_to", "i >= n", "!(i >= n)", True),
}


class Toy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        root = pathlib.Path(folder.name).resolve()
        for name, text in {"domain/include/domain/toy.hpp": HEADER, "domain/src/toy.cpp": SOURCE, "test.cpp": TEST}.items():
            mutate.write_if_changed(root / name, text.encode())
        flags = ["-std=c++20", f"-I{root / 'domain' / 'include'}"]
        points, cls.compile_time = conditions.find([root / "domain/src/toy.cpp"], flags, "toy", root, COMPILERS["clang"])
        cls.mutants = schemata.number(points, {p.file: (root / p.file).read_bytes() for p in points})
        copy = root / "copy"
        mutate.copy_of(root, copy, cls.mutants)
        program = root / "program"
        subprocess.run([COMPILERS["compiler"], "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{copy / 'domain' / 'include'}",
                        copy / "domain/src/toy.cpp", root / "test.cpp", "-o", program], check=True)
        mutate.GRACE = 1
        cls.tests = [mutate.baseline([program])]
        cls.said = []
        cls.fates = mutate.run_all(cls.mutants, cls.tests, 2, say=lambda text, flush: cls.said.append(text))

    def test_every_condition_has_its_mutants(self):
        found = [(m.point.function, m.source, m.becomes) for m in self.mutants]
        self.assertEqual(sorted(found), sorted(row[:3] for row in EXPECTED))

    def test_what_only_the_compiler_evaluates_is_counted(self):
        # n < 8 and 1 < 2, each with its opposite and its boundary, and the static_assert
        self.assertEqual(self.compile_time, 5)

    def test_the_test_kills_what_it_can_tell(self):
        for mutant, fate in self.fates.items():
            with self.subTest(str(mutant)):
                self.assertEqual(mutate.is_killed(fate), (mutant.point.function, mutant.source, mutant.becomes, True) in EXPECTED)
        self.assertEqual(self.said, ["domain/include/domain/toy.hpp:6: below: `a < b` -> `a <= b`: survived"])

    def test_a_mutant_that_never_ends_is_killed(self):
        endless = next(m for m in self.mutants if (m.source, m.becomes) == ("n != 0", "true"))
        self.assertEqual(self.fates[endless], "timeout")

    def test_equivalent_mutants_are_checked(self):
        survivor, killed = (next(m for m in self.mutants if m.becomes == text) for text in ("a <= b", "i > n"))
        check = lambda entries: list(mutate.wrong_entries(entries, self.fates))
        self.assertEqual(check({survivor.key(): "why"}), [])
        self.assertIn("no reason", check({survivor.key(): ""})[0])
        self.assertIn("not equivalent", check({killed.key(): "why"})[0])
        self.assertIn("no such mutant", check({("domain/src/toy.cpp", "f", "a", "b"): "why"})[0])

    def test_the_report_counts(self):
        rows = mutate.table(self.fates, {})
        self.assertEqual((rows["all"]["killed"], rows["all"]["left"]), (len(EXPECTED) - 1, 1))
        self.assertEqual(rows["domain/src/toy.cpp"]["left"], 0)
        survivor = next(m for m in self.mutants if m.becomes == "a <= b")
        self.assertEqual(mutate.score(mutate.table(self.fates, {survivor.key(): "why"})["all"]), 100.0)


class Entries(unittest.TestCase):
    def read(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            return mutate.read_equivalent(pathlib.Path(file.name))

    def test_an_entry_and_its_reason(self):
        text = "# note\n\ndomain/src/a.cpp: f: `a < b` -> `a <= b`\n    one\n    two\ndomain/src/a.cpp: f: `x` -> `!(x)`\n"
        self.assertEqual(self.read(text), {("domain/src/a.cpp", "f", "a < b", "a <= b"): "one two",
                                           ("domain/src/a.cpp", "f", "x", "!(x)"): ""})

    def test_anything_else_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.read("domain/src/a.cpp:7: f: a < b\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--clang", default="clang++")
    args, rest = parser.parse_known_args()
    COMPILERS.update(vars(args))
    unittest.main(argv=[sys.argv[0], *rest])
