"""`pmg sandbox profile init | edit | lint | diff`."""
import json
import os
import pty
import re
import subprocess
import unittest

import world

BUILT_IN = ["bun", "exec", "go", "npm", "npm-restrictive", "npx", "pip", "pipx", "pnpm", "poetry", "pypi-restrictive", "uv",
            "uvx", "yarn"]
HEAD = "name: x\npackage_managers: [npm]\n"


class Profiles(world.World):
    def setUp(self):
        super().setUp()
        self.mine = self.home / ".config/safedep/pmg/sandbox/profiles"

    def profile(self, *args, **more):
        return self.pmg("sandbox", "profile", *args, **more)

    def write(self, name, text):
        self.mine.mkdir(parents=True, exist_ok=True)
        path = self.mine / f"{name}.yml"
        path.write_text(text)
        return path

    def editor(self, text):
        """An editor that replaces its file by `text`."""
        (self.top / "wanted").write_text(text)
        return {"EDITOR": str(self.script("editor", f"#!/bin/sh\ncat {self.top}/wanted > \"$1\"\n"))}


class Init(Profiles):
    def test_every_built_in_profile_loads_and_lints_clean(self):
        for name in BUILT_IN:
            with self.subTest(name=name):
                done = self.profile("init", f"my-{name}", "--from", name, "--description", "mine: \"all\" of it")
                path = self.mine / f"my-{name}.yml"
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.splitlines()[0], str(path))
                self.assertIn(f"inherits {name}", done.stdout)
                lint = self.profile("lint", f"my-{name}", "--strict")
                self.assertEqual((lint.returncode, lint.stdout), (0, f"{path}: nothing found\n"))
                same = self.profile("diff", name, f"my-{name}")
                self.assertEqual((same.returncode, same.stdout), (0, ""))
                shown = [json.loads(self.profile("show", each, "--resolved", "--json").stdout)["policy"]
                         for each in (name, f"my-{name}")]
                self.assertEqual(shown[1]["description"], "mine: \"all\" of it")
                for key in ("name", "description"):
                    shown[0].pop(key), shown[1].pop(key)
                self.assertEqual(*shown)

    def test_without_a_parent(self):
        self.assertEqual(self.profile("init", "alone").returncode, 0)
        shown = json.loads(self.profile("show", "alone", "--resolved", "--json").stdout)["policy"]
        self.assertEqual(shown["filesystem"]["allow_read"], ["${CWD}/**"])
        self.assertEqual(shown["package_managers"], ["npm"])

    def test_managers(self):
        self.assertEqual(self.profile("init", "m", "--from", "npm", "--package-manager", "npm,pnpm", "--package-manager", "bun",
                                      "--package-manager", "npm").returncode, 0)
        shown = json.loads(self.profile("show", "m", "--resolved", "--json").stdout)["policy"]
        self.assertEqual(shown["package_managers"], ["npm", "pnpm", "bun"])
        self.says(self.profile("init", "n", "--package-manager", "nmp"), 1, "`nmp`", "did you mean `npm`?")

    def test_refused(self):
        self.write("taken", HEAD)
        for args, parts in (
                (["npm", "--from", "npm"], ["built-in", "`pmg sandbox profile init my-npm --from npm`"]),
                (["mine", "--from", "npn"], ["`npn` is not a built-in profile", "did you mean `npm`?"]),
                (["mine", "--from", "taken"], ["`taken` is not a built-in profile"]),
                (["taken"], ["taken.yml", "is there already", "`pmg sandbox profile edit taken`"]),
                (["-x"], ["-x"]), (["../x"], ["cannot be the name"]), (["a.b"], ["cannot be the name"]),
                ([""], ["cannot be the name"]), (["a" * 65], ["at most 64"]), (["a\x1b[2J"], ["`a\\x1b[2J`"])):
            with self.subTest(args=args):
                done = self.profile("init", *args)
                self.says(done, 2 if args == ["-x"] else 1, *parts)
        self.assertEqual([path.name for path in self.mine.iterdir()], ["taken.yml"])

    def test_description_that_is_no_text(self):
        done = self.profile("init", "mine", "--description", b"\xff".decode(errors="surrogateescape"))
        self.says(done, 1, "not valid UTF-8")
        self.assertFalse((self.mine / "mine.yml").exists())


class Edit(Profiles):
    def test_stores_what_loads_and_shows_findings(self):
        path = self.write("x", HEAD + "filesystem: {allow_read: [/a]}\n")
        text = HEAD + "filesystem:\n  allow_read:\n    - /a\n    - /a/b\n"
        done = self.profile("edit", "x", env=self.editor(text))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(path.read_text(), text)
        self.assertIn(f"{path}:6:7: note: allow_read `/a/b` is dead", done.stdout)

    def test_an_error_stores_nothing(self):
        path = self.write("x", HEAD + "filesystem: {allow_read: [/a]}\n")
        old = path.read_text()
        for text, part in ((HEAD + "filesystem: {allow_raed: [/a]}\n", "did you mean `allow_read`?"), (HEAD, "allows nothing"),
                           (HEAD + "inherits: npn\n", "not a built-in profile")):
            done = self.profile("edit", "x", env=self.editor(text))
            self.assertEqual(done.returncode, 1)
            self.assertIn(part, done.stderr)
            self.assertIn("the draft is kept", done.stderr)
            self.assertEqual(path.read_text(), old)

    def test_a_broken_file_can_be_mended(self):
        path = self.write("x", "name: [")
        text = HEAD + "filesystem: {allow_read: [/a]}\n"
        self.assertEqual(self.profile("edit", "x", env=self.editor(text)).returncode, 0)
        self.assertEqual(path.read_text(), text)

    def test_refused(self):
        self.write("npm", HEAD + "filesystem: {allow_read: [/a]}\n")
        self.says(self.profile("edit", "npm", env=self.editor("")), 1, "built-in", "`pmg sandbox profile init my-npm --from npm`")
        self.says(self.profile("edit", "none", env=self.editor("")), 1, "no profile `none`", "`pmg sandbox profile init none`")
        self.says(self.profile("edit", "../x", env=self.editor("")), 1, "`../x`", "init NAME`")


class Lint(Profiles):
    RULES = HEAD + """filesystem:
  allow_read:
    - /a
    - /a/b
    - ${HOME}/.ssh/**
  allow_write:
    - "**"
    - /srv/x
  deny_write:
    - /srv/x
allow_direct_dns: true
"""
    FOUND = [("conflict.allow_deny", "warning", 10, 7), ("broad.all_glob", "warning", 9, 7),
             ("mandatory.denied", "warning", 7, 7), ("allow-direct-dns-without-lockdown", "warning", 13, 1),
             ("dead.shadowed", "note", 6, 7)]

    def test_lines(self):
        path = self.write("x", self.RULES)
        done = self.profile("lint", "x")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        form = re.compile(rf"{re.escape(str(path))}:(\d+):(\d+): (error|warning|note): .+ \[([a-z_.-]+)\]")
        found = [form.fullmatch(line) for line in lines]
        self.assertTrue(all(found), done.stdout)
        codes = {(m[4], m[3], int(m[1]), int(m[2])) for m in found}
        self.assertTrue(set(self.FOUND) <= codes, done.stdout)
        levels = [m[3] for m in found]
        self.assertEqual(levels, sorted(levels, key=["error", "warning", "note"].index))

    def test_strict_and_verbose(self):
        self.write("x", self.RULES)
        self.assertEqual(self.profile("lint", "x", "--strict").returncode, 2)
        self.write("y", HEAD + "filesystem: {allow_read: [/a, /a/b]}\n")
        self.assertEqual(self.profile("lint", "y", "--strict").returncode, 0)  # a note alone
        done = self.profile("lint", "y", "--verbose")
        self.assertIn("\n  remove it; no decision changes\n", done.stdout)

    def test_json(self):
        path = self.write("x", self.RULES)
        shown = json.loads(self.profile("lint", "x", "--json").stdout)
        self.assertEqual(list(shown), ["profile", "issues"])
        self.assertEqual(shown["profile"], str(path))
        found = {(issue["code"], issue["level"], issue["line"], issue["column"]) for issue in shown["issues"]}
        self.assertTrue(set(self.FOUND) <= found, shown)
        dead = [issue for issue in shown["issues"] if issue["code"] == "dead.shadowed" and issue["rule"] == "/a/b"][0]
        self.assertEqual(list(dead), ["level", "code", "message", "field", "rule", "line", "column", "advice"])
        self.assertEqual(dead["field"], "filesystem.allow_read")

    def test_what_does_not_load_is_an_error(self):
        for text, code, place in (("name: x\n", "schema.invalid", ":1:1"), (HEAD + "filesystem: {allow_read: [~/x]}\n",
                                                                             "schema.invalid", ":3:27"),
                                  (HEAD + "filesystem: {allow_read: [a/../b]}\n", "schema.invalid", ":3:27"),
                                  (HEAD + "filesystem:\n  deny_read:\n    - ${FOO}/x\n", "vars.unresolved", ":5:7"),
                                  (HEAD + "inherits: mine\n", "schema.invalid", ":3:11"), (HEAD, "schema.invalid", "")):
            with self.subTest(text=text):
                path = self.write("x", text)
                done = self.profile("lint", "x")
                self.assertEqual((done.returncode, done.stderr), (2, ""))
                self.assertRegex(done.stdout, rf"^{re.escape(str(path))}{place}: error: .* \[{code}\]\n$")
                shown = json.loads(self.profile("lint", "x", "--json").stdout)
                self.assertEqual([issue["code"] for issue in shown["issues"]], [code])

    def test_files_and_standard_input(self):
        path = self.top / "any.yml"
        path.write_text(self.RULES)
        self.assertIn(f"{path}:6:7: note", self.profile("lint", str(path)).stdout)
        done = subprocess.run([world.PMG, "sandbox", "profile", "lint", "-"], input=self.RULES, env=self.env, text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("<stdin>:6:7: note", done.stdout)
        self.says(self.profile("lint", "npn"), 1, "did you mean `npm`?")
        self.says(self.profile("lint", str(self.top / "none.yml")), 1, "no such file")

    def test_built_in_profiles_are_clean(self):
        for name in BUILT_IN:
            done = self.profile("lint", name, "--strict")
            self.assertEqual((done.returncode, done.stdout), (0, f"{name}: nothing found\n"))

    def test_text_of_the_file_is_made_visible(self):
        self.write("x", HEAD + "filesystem: {allow_read: [\"/a\", \"/a/\\e[2J\"]}\n")
        self.assertIn("`/a/\\x1b[2J`", self.profile("lint", "x").stdout)

    def test_dead_rules_can_go(self):
        self.write("x", HEAD + "filesystem: {allow_read: [/usr, /usr/share, /usr/lib]}\n")
        self.write("y", HEAD + "filesystem: {allow_read: [/usr]}\n")
        self.assertEqual(self.profile("diff", "x", "y").returncode, 0)


class Diff(Profiles):
    def setUp(self):
        super().setUp()
        self.write("a", HEAD + "filesystem: {allow_read: [/a, /b], deny_read: [/a/x]}\n")
        self.write("b", HEAD + "filesystem:\n  allow_read:\n    - /b\n    - /c\n    - /a/y\n  deny_read:\n    - /b/z\n")

    def test_lines(self):
        done = self.profile("diff", "a", "b")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual([line.split() for line in done.stdout.splitlines()],
                         [["newly", "allowed", "in", "`b`"], ["+", "filesystem.allow_read", "/c", f"{self.mine}/b.yml:6"],
                          ["newly", "denied", "in", "`b`"], ["-", "filesystem.allow_read", "/a", f"{self.mine}/a.yml:3"],
                          ["+", "filesystem.deny_read", "/b/z", f"{self.mine}/b.yml:9"]])

    def test_json(self):
        done = self.profile("diff", "a", "b", "--json")
        self.assertEqual(done.returncode, 1)
        shown = json.loads(done.stdout)
        self.assertEqual(list(shown), ["a", "b", "newly_allowed", "newly_denied"])
        self.assertEqual(shown["newly_allowed"], [{"change": "added", "field": "filesystem.allow_read", "rule": "/c",
                                                   "path": f"{self.mine}/b.yml", "line": 6, "column": 7}])
        same = self.profile("diff", "a", "a", "--json")
        self.assertEqual((same.returncode, json.loads(same.stdout)["newly_allowed"]), (0, []))

    def test_same_and_trouble(self):
        self.write("c", HEAD + "filesystem: {allow_read: [/b/**, //a, /b/q], deny_read: [/a/x/**]}\n")
        done = self.profile("diff", "a", "c")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.says(done, 0, "allow the same")
        self.says(self.profile("diff", "a", "npn"), 2, "did you mean `npm`?")
        self.write("broken", "name: [")
        self.says(self.profile("diff", "broken", "a"), 2, "broken.yml")

    def on_a_terminal(self, **env):
        leader, follower = pty.openpty()
        with subprocess.Popen([world.PMG, "sandbox", "profile", "diff", "a", "b"], env=self.env | env, stdout=follower,
                              stderr=follower, stdin=subprocess.DEVNULL) as child:
            os.close(follower)
            out = b""
            try:
                while chunk := os.read(leader, 4096):
                    out += chunk
            except OSError:
                pass
            os.close(leader)
            self.assertEqual(child.wait(), 1)
        return out

    def test_colours_only_where_somebody_looks(self):
        self.assertIn(b"\x1b[32m  +", self.on_a_terminal(TERM="xterm"))
        self.assertIn(b"\x1b[31m  -", self.on_a_terminal(TERM="xterm", NO_COLOR=""))
        self.assertNotIn(b"\x1b", self.on_a_terminal(TERM="xterm", NO_COLOR="1"))
        self.assertNotIn(b"\x1b", self.on_a_terminal(TERM="dumb"))
        self.assertNotIn("\x1b", self.profile("diff", "a", "b", env={"TERM": "xterm"}).stdout)


if __name__ == "__main__":
    unittest.main()
