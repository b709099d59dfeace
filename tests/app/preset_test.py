"""`pmg sandbox preset` and what presets give to a run."""
import json
import pathlib
import unittest

import world

BUILT_IN = ["asdf", "astro", "claude", "codex", "gemini", "git", "mise", "nextjs", "pi", "vite"]
AGENTS = ["claude", "codex", "gemini", "pi"]
PRESETS = pathlib.Path(__file__).parents[2] / "profiles/presets"

TOOL = """schema_version: 1
kind: preset
name: tool
description: mine
metadata:
  author: me
  labels: [a, b]
filesystem:
  allow_write:
    - ${HOME}/.tool/**
environment:
  allow: [GH_TOKEN]
"""


class Presets(world.World):
    def setUp(self):
        super().setUp()
        self.mine = self.home / ".config/safedep/pmg/sandbox/presets"
        self.mine.mkdir(parents=True)
        (self.mine / "tool.yml").write_text(TOOL)

    def preset(self, *words, **more):
        return self.pmg("sandbox", "preset", *words, **more)

    def profile(self, text):
        (self.project / "p.yml").write_text("name: p\ninherits: exec\npackage_managers: [npm]\n" + text)
        return ("sandbox", "exec", "--sandbox-profile", "./p.yml")

    def test_list(self):
        rows = [row.split() for row in self.preset("list").stdout.splitlines()]
        self.assertEqual(rows[0], ["STATUS", "NAME", "SOURCE", "AUTHOR", "LABELS", "DESCRIPTION"])
        self.assertEqual([row[1] for row in rows[1:]], [*BUILT_IN, "tool"])
        self.assertEqual([row[1] for row in map(str.split, self.preset("list", "--label", "agent").stdout.splitlines()[1:])],
                         AGENTS)
        for filters in (["--label", "a", "--label", "b"], ["--author", "me"], ["--author", "me", "--label", "a"]):
            shown = json.loads(self.preset("list", "--json", *filters).stdout)["presets"]
            self.assertEqual(shown, [{"name": "tool", "source": "user", "path": str(self.mine / "tool.yml"), "author": "me",
                                      "labels": ["a", "b"], "description": "mine"}], filters)
        self.assertEqual(json.loads(self.preset("list", "--json", "--label", "a", "--label", "agent").stdout), {"presets": []})

    def test_first_source_wins(self):
        (self.mine / "vite.yml").write_text(TOOL.replace("name: tool", "name: vite"))
        (self.mine / "zzz.yml").write_text(TOOL)
        rows = json.loads(self.preset("list", "--json").stdout)["presets"]
        self.assertEqual([(row["name"], pathlib.Path(row["path"]).name) for row in rows if row.get("shadowed")],
                         [("vite", "vite.yml"), ("tool", "zzz.yml")])
        self.assertIn("SHADOWED", self.preset("list").stdout)
        self.assertEqual(json.loads(self.preset("show", "vite", "--json").stdout)["source"], "builtin")

    def test_broken_file_is_listed_and_hides_nothing(self):
        (self.mine / "bad.yml").write_text("kind: preset\nname: bad\nfilesystem:\n  deny_read: [/x]\n")
        row = json.loads(self.preset("list", "--json").stdout)["presets"][-2]
        self.assertEqual(row["name"], "bad")
        self.assertIn("bad.yml:4:3: unknown key `deny_read`", row["error"])
        self.says(self.preset("show", "bad"), 1, "bad.yml:4:3")
        self.assertEqual(self.preset("show", "tool").returncode, 0)

    def test_show_is_the_file_under_a_head(self):
        for name in BUILT_IN:
            with self.subTest(name=name):
                shown = self.preset("show", name).stdout
                self.assertTrue(shown.endswith((PRESETS / f"{name}.yaml").read_text(encoding="utf-8")))
                self.assertRegex(shown, f"^# preset {name}, built-in\n")
                (self.top / "copy.yml").write_text(shown)
                self.assertEqual(self.preset("lint", str(self.top / "copy.yml")).returncode, 0)
        for name in AGENTS:
            self.assertIn("# host: ", self.preset("show", name).stdout)
            self.assertIn("# know: ", self.preset("show", name).stdout)

    def test_show_json(self):
        shown = json.loads(self.preset("show", "tool", "--json").stdout)
        self.assertEqual(shown["filesystem"], {"allow_read": [], "allow_write": ["${HOME}/.tool/**"]})
        self.assertEqual(shown["environment"], {"allow": ["GH_TOKEN"]})
        self.assertEqual((shown["network"], shown["process"]), ({"allow_bind": []}, {"allow_exec": []}))
        self.assertIn("api.openai.com:443", json.loads(self.preset("show", "codex", "--json").stdout)["network"]["allow_outbound"])

    def test_built_in_presets_are_narrow(self):
        for name in BUILT_IN:
            shown = json.loads(self.preset("show", name, "--json").stdout)
            self.assertTrue(shown["threats"], name)
            self.assertEqual("allow_outbound" in shown["network"], name in AGENTS)
            for path in shown["filesystem"]["allow_write"]:
                self.assertRegex(path, r"^\$\{(HOME|CWD)\}/[^*]", name)

    def test_unknown(self):
        self.says(self.preset("show", "claud"), 1, "`claud`", "`claude`")
        self.says(self.pmg("sandbox", "exec", "--sandbox-allow", "preset=claud", "--", "touch", "ran"), 1, "claude")
        self.says(self.pmg(*self.profile("presets: [vite, claud]\n"), "--", "touch", "ran"), 1, "p.yml:4:", "claude")
        self.assertFalse((self.project / "ran").exists())

    def test_init_lint_edit(self):
        done = self.preset("init", "next-tool", "--description", 'a "b": c', "--author", "me", "--label", "x", "--label", "y")
        path = self.mine / "next-tool.yml"
        self.assertEqual((done.returncode, done.stdout), (0, f"{path}\n"), done.stderr)
        shown = json.loads(self.preset("show", "next-tool", "--json").stdout)
        self.assertEqual((shown["description"], shown["author"], shown["labels"]), ('a "b": c', "me", ["x", "y"]))
        self.assertEqual(self.preset("lint", str(path)).stdout, f"✓ {path}\n")
        self.says(self.preset("init", "next-tool"), 1, "there is a preset", "edit")
        self.says(self.preset("init", "vite"), 1, "built-in")
        self.says(self.preset("init", "Vite"), 1, "lowercase")
        self.says(self.preset("init", "../x"), 1, "lowercase")
        before = path.read_text()
        self.script("spoil", "#!/bin/sh\necho 'kind: preset' >\"$1\"\n")
        done = self.preset("edit", "next-tool", env={"EDITOR": "spoil"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(path.read_text(), before)
        self.script("improve", "#!/bin/sh\nsed -i 's/a .\"b.\": c/better/' \"$1\"\n")
        self.assertEqual(self.preset("edit", "next-tool", env={"EDITOR": "improve"}).returncode, 0)
        self.assertEqual(json.loads(self.preset("show", "next-tool", "--json").stdout)["description"], "better")
        self.says(self.preset("edit", "vite"), 1, "built in", "init")
        self.says(self.preset("edit", "nothing"), 1, "no preset")

    def test_lint_tells_what_is_wrong(self):
        for text, part in (
            ("filesystem: {allow_read: [/etc]}", "must be below ${CWD}/"),
            ("filesystem: {allow_read: ['${HOME}']}", "too wide"),
            ("filesystem: {allow_write: ['${HOME}/.ssh/x']}", "credential"),
            ("filesystem: {allow_write: ['${CWD}/.git/hooks']}", "git"),
            ("filesystem: {allow_write: ['${HOME}/.bashrc']}", "runs code later"),
            ("filesystem: {deny_read: [/x]}", "unknown key `deny_read`"),
            ("network: {allow_bind: ['0.0.0.0:80']}", "localhost"),
            ("network: {allow_outbound: ['a.b:443']}", "unknown key `allow_outbound`"),
            ("environment: {allow: ['GH_*']}", "whole name"),
            ("allow_git_config: true", "unknown key"),
            ("description: x", "gives nothing"),
            ("schema_version: 2", "must be `1`"),
        ):
            with self.subTest(text=text):
                (self.top / "x.yml").write_text(f"kind: preset\nname: x\n{text}\n")
                done = self.preset("lint", str(self.mine / "tool.yml"), str(self.top / "x.yml"))
                self.assertEqual(done.returncode, 1)
                good, bad = done.stdout.splitlines()
                self.assertEqual(good, f"✓ {self.mine / 'tool.yml'}")
                self.assertTrue(bad.startswith(f"✗ {self.top / 'x.yml'}:"), bad)
                self.assertIn(part, bad)
        self.assertEqual(self.preset("lint", str(self.top / "none.yml")).returncode, 1)
        self.assertEqual(self.preset("lint").returncode, 2)

    def test_is_applied_to_a_run(self):
        write = ("sh", "-c", "mkdir -p ~/.tool && echo x >~/.tool/x && echo $GH_TOKEN")
        env = {"GH_TOKEN": "mine"}
        self.assertNotEqual(self.exec(*write, env=env).returncode, 0)
        for words in (("sandbox", "exec", "--sandbox-allow", "preset=tool"), self.profile("presets: [tool]\n")):
            done = self.pmg(*words, "--", *write, env=env)
            self.assertEqual((done.returncode, done.stdout), (0, "mine\n"), done.stderr)
        done = self.pmg(*self.profile("presets: [tool]\nenvironment: {deny: [GH_TOKEN]}\n"), "--", *write, env=env)
        self.assertEqual((done.returncode, done.stdout), (0, "\n"))
        self.says(done, 0, "`tool`", "`GH_TOKEN`", "denies")
        shown = self.pmg(*self.profile("presets: [tool]\n"), "--dry-run", "true").stdout
        self.assertIn(f"  preset        tool ({self.mine / 'tool.yml'})\n", shown)

    def test_opens_no_credential_behind_a_symlink(self):
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh/id").write_text("SECRET-42")
        (self.home / ".alias").symlink_to(".ssh")
        (self.mine / "alias.yml").write_text("kind: preset\nname: alias\nfilesystem: {allow_read: ['${HOME}/.alias']}\n")
        done = self.pmg("sandbox", "exec", "--sandbox-allow", "preset=alias", "--", "cat", str(self.home / ".alias/id"))
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("SECRET-42", done.stdout)

    def test_agents_write_their_state_and_not_what_runs_later(self):
        state = {"claude": ([".claude/projects/p/s.jsonl", ".claude/todos/t.json", ".claude/.credentials.json"],
                            [".claude/settings.json", ".claude/hooks/x.sh", ".claude/skills/s/SKILL.md", ".claude/agents/a.md",
                             ".claude/plugins/p.json", ".claude/CLAUDE.md", ".claude/local/claude"]),
                 "codex": ([".codex/sessions/2026/r.jsonl", ".codex/history.jsonl", ".codex/state_5.sqlite-wal", ".codex/auth.json"],
                           [".codex/config.toml", ".codex/hooks.json", ".codex/rules/r", ".codex/skills/s", ".codex/AGENTS.md"]),
                 "gemini": ([".gemini/tmp/proj/chats/c.json", ".gemini/tmp/binary/x", ".gemini/history/p/x", ".gemini/oauth_creds.json"],
                            [".gemini/settings.json", ".gemini/tmp/bin/rg", ".gemini/extensions/e", ".gemini/trustedFolders.json",
                             ".gemini/policies/p.toml", ".gemini/commands/c.toml"]),
                 "pi": ([".pi/agent/sessions/s.jsonl"],
                        [".pi/agent/settings.json", ".pi/agent/models.json", ".pi/agent/auth.json", ".pi/agent/extensions/e.ts",
                         ".pi/agent/tools/t.ts", ".pi/agent/bin/fd"])}
        try_all = ("sh", "-c", 'for f; do mkdir -p "$HOME/${f%/*}"; echo x >"$HOME/$f" && echo "$f"; done 2>/dev/null', "sh")
        for name, (mine, not_mine) in state.items():
            done = self.pmg("sandbox", "exec", "--sandbox-allow", f"preset={name}", "--", *try_all, *mine, *not_mine)
            self.assertEqual(done.stdout.splitlines(), mine, name)
        done = self.pmg("sandbox", "exec", "--sandbox-allow", "preset=claude", "--", "sh", "-c",
                        "ln -s /tmp ~/.claude/skills; mkdir ~/.claude/projects/d; mv ~/.claude/projects/d ~/.claude/skills;"
                        "ls ~/.claude/skills")
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
