"""Each gate fails on the violation it is there for, and passes on a clean tree."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import tidy  # noqa: E402  (found by the line above)

CLEAN = {
    "domain/include/domain/a.hpp": "#pragma once\n#include <vector>\n#include <tl/expected.hpp>\n",
    "domain/src/a.cpp": '#include "domain/a.hpp"\n#include "local.hpp"\n// a.value() in words\n',
    "domain/src/local.hpp": "#pragma once\n",
    "platform/src/notify.cpp": '#include <sys/ioctl.h>\n#include "domain/a.hpp"\nint f = NOTIF_FLAG_CONTINUE;\n',
    "adapters/src/broker/a.cpp": "#include <unistd.h>\nint e = error.code().value();\n",
    "app/src/read_options.cpp": "#include <CLI/CLI.hpp>\n",
    "tests/domain/a.cpp": '#include <doctest/doctest.h>\n#include "domain/a.hpp"\nTEST_CASE("P1: a") {}\n',
    "docs/INVARIANTS.md": "## What the sandbox promises\n| a |\n|---|\n| it holds | P1 | f | `p` `load` `alone` | `README.md` |\n\n"
                          "## ids\n| id |\n|---|\n| P1 | it holds [here](../README.md) |\n",
    "tests/props/properties.hpp": "bool p(gen::Choices& c);\n",
    "fuzz/f.cpp": "FUZZ_FAMILY(PROPERTY(p))\n",
    "fuzz/g.cpp": 'constexpr T kTable[] = {{"load", load}};\n',
    "fuzz/alone.cpp": "",
    "fuzz/README.md": "`f` `p` `g` `load` `alone`\n",
    "fuzz/corpus/f/seed": "x",
    "fuzz/corpus/g/seed": "x",
    "fuzz/corpus/alone/seed": "x",
    "docs/ENFORCEMENT.md": "| K1 | it differs |\n",
    "tests/model/differences.hpp": '"K1"\n',
    "README.md": "see [docs](docs/INVARIANTS.md#p1), [out](https://example.com)\n",
}

PROMISES = "## What the sandbox promises\n| a |\n|---|\n"

#: (gate, file, content, what the finding must say)
VIOLATIONS = [
    ("includes", "domain/src/b.cpp", "#include <unistd.h>\n", "unistd.h is not on the list of domain"),
    ("includes", "domain/src/b.cpp", "#include <fstream>\n", "fstream is not on the list of domain"),
    ("includes", "domain/src/b.cpp", "#include <cerrno>\n", "cerrno is not on the list of domain"),
    ("includes", "domain/src/b.cpp", "#include <range/v3/all.hpp>\n", "is not on the list of domain"),
    ("includes", "domain/src/b.cpp", '#include "platform/a.hpp"\n', "is not visible from domain"),
    ("includes", "domain/src/b.cpp", '#include "../src/local.hpp"\n', "goes up"),
    ("includes", "platform/src/b.cpp", "#include <yaml-cpp/yaml.h>\n", "is not on the list of platform"),
    ("includes", "platform/src/b.cpp", '#include "adapters/a.hpp"\n', "is not visible from platform"),
    ("includes", "adapters/src/b.cpp", "#include <unistd.h>\n", "is not on the list of adapters"),
    ("includes", "adapters/src/broker/b.cpp", "#include <yaml-cpp/yaml.h>\n", "is not on the list of the broker"),
    ("includes", "adapters/src/b.cpp", "#include <CLI/CLI.hpp>\n", "belongs to app/src/read_options.cpp"),
    ("includes", "app/src/b.cpp", "#include <CLI/CLI.hpp>\n", "belongs to app/src/read_options.cpp"),
    ("includes", "tests/domain/b.cpp", '#include "platform/a.hpp"\n', "is not visible from domain tests"),
    ("patterns", "domain/src/b.cpp", "int x = a.value();\n", ".value()"),
    ("patterns", "domain/src/b.cpp", "switch (x) {\n  default: break; }\n", "default:"),
    ("patterns", "adapters/src/b.cpp", "int x = SECCOMP_USER_NOTIF_FLAG_CONTINUE;\n", "a continued call"),
    ("patterns", "app/src/b.cpp", 'int x = system("ls");\n', "no shells"),
    ("patterns", "app/src/b.cpp", 'auto* x = ::popen("ls", "r");\n', "no shells"),
    ("patterns", "app/src/b.cpp", "// TODO: later\n", "open points"),
    ("patterns", "app/src/b.cpp", "try {} catch (...) {}\n", "a catch names"),
    ("patterns", "app/src/b.cpp", "\n" * 501, "501 lines"),
    ("patterns", "domain/include/domain/b.hpp", "\n" * 301, "301 lines"),
    ("docs", "docs/B.md", "[gone](NOWHERE.md)\n", "dead link NOWHERE.md"),
    ("docs", "tests/domain/b.cpp", 'TEST_CASE("P9: b") {}\n', "P9 is not in"),
    ("docs", "docs/INVARIANTS.md", "| P1 | a |\n| P2 | b |\n", "no test is called P2"),
    ("docs", "docs/INVARIANTS.md", "| P1 | a |\n", "no promises"),
    ("docs", "docs/INVARIANTS.md", PROMISES + "| it | P1 | f | `p` |  |\n\n## ids\n| P1 | a |\n", "not five cells"),
    ("docs", "docs/INVARIANTS.md", PROMISES + "| it | P7 | f | `p` | `README.md` |\n\n## ids\n| P1 | a |\n", "P7 is no id"),
    ("docs", "docs/INVARIANTS.md", PROMISES + "| it | P1 | f | `q` | `README.md` |\n\n## ids\n| P1 | a |\n", "q is in no target"),
    ("docs", "docs/INVARIANTS.md", PROMISES + "| it | P1 | f | `p` | `GONE` |\n\n## ids\n| P1 | a |\n", "there is no GONE"),
    ("docs", "tests/props/properties.hpp", "bool r(gen::Choices& c);\n", "r is in no target"),
    ("docs", "fuzz/f.cpp", "FUZZ_FAMILY(PROPERTY(other))\n", "p is in no target"),
    ("docs", "fuzz/h.cpp", "FUZZ_FAMILY(PROPERTY(p))\n", "nothing about h"),
    ("docs", "fuzz/h.cpp", "FUZZ_FAMILY(PROPERTY(p))\n", "no seeds for h"),
    ("docs", "fuzz/README.md", "`f` `g` `load` `alone`\n", "nothing about p"),
    ("docs", "fuzz/README.md", "`p` `g` `load` `alone`\n", "nothing about f"),
    ("docs", "docs/ENFORCEMENT.md", "| K1 | a |\n| K2 | b |\n", "K2 is no difference"),
    ("docs", "tests/model/differences.hpp", '"K1", "K3"\n', "K3 is not in"),
    ("format", "app/src/b.cpp", "int   x ;\n", "app/src/b.cpp"),
]

#: (file, content): domain_alone.py refuses each
DOMAIN_VIOLATIONS = [
    ("src/b.cpp", "void f() { throw 1; }\n"),
    ("src/b.cpp", "struct A { virtual ~A() = default; };\nstruct B : A {};\n"
                  "B* f(A* a) { return dynamic_cast<B*>(a); }\n"),
    ("include/domain/b.hpp", "#pragma once\nstd::string f();\n"),
]


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(gate, *args):
    command = [sys.executable, str(HERE / f"{gate}.py"), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Gates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def test_clean_tree_passes(self):
        write(self.root, CLEAN)
        for gate in ("includes", "patterns", "docs"):
            self.assertEqual(run(gate, "--root", self.root), (0, "clean\n"), gate)

    def test_each_violation_is_found(self):
        for gate, name, text, message in VIOLATIONS:
            with self.subTest(gate=gate, text=text[:60]), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                write(root, CLEAN | {name: text})
                code, output = run(gate, "--root", root)
                self.assertEqual(code, 1, output)
                self.assertIn(message, output)

    def test_domain_alone(self):
        domain = self.root / "domain"
        write(domain, {"include/domain/a.hpp": "#pragma once\ninline int f() { return 1; }\n"})
        code, output = run("domain_alone", "--domain", domain)
        self.assertEqual(code, 0, output)
        for name, text in DOMAIN_VIOLATIONS:
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                write(pathlib.Path(folder), {name: text})
                code, output = run("domain_alone", "--domain", folder)
                self.assertEqual(code, 1, output)

    @unittest.skipUnless(shutil.which("clang++") and shutil.which("clang-tidy"), "clang++ or clang-tidy is not installed")
    def test_tidy_looks_at_files_together(self):
        texts = {"a.cpp": "static int f() { return 1; }\nint a() { return f(); }\n", "b.cpp": "int b() { return 2; }\n",
                 "same_name.cpp": "static int f() { return 3; }\nint c() { return f(); }\n", "finding.cpp": "int* d() { return 0; }\n"}
        write(self.root, texts)
        files = [self.root / name for name in texts]
        parts = list(tidy.groups(self.root, files, ()))
        self.assertEqual([[file.name for file in part] for part in parts], [["a.cpp", "b.cpp", "finding.cpp"], ["same_name.cpp"]])
        told = {file.name: text for part in parts for file, text in tidy.look_at(self.root, part, ())}
        self.assertIn("modernize-use-nullptr", told.pop("finding.cpp"))
        self.assertEqual(told, dict.fromkeys(("a.cpp", "b.cpp", "same_name.cpp"), ""))


if __name__ == "__main__":
    unittest.main()
