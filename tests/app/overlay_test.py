"""`pmg sandbox allow`, `pmg sandbox project`: allowances of one repository."""
import hashlib
import json
import pathlib
import subprocess
import unittest

import world


def git(*words, cwd):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", *words], cwd=cwd, check=True, capture_output=True,
                   env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "GIT_CONFIG_NOSYSTEM": "1"})


class Overlays(world.World):
    def setUp(self):
        super().setUp()
        self.store = self.home / ".config/safedep/pmg/sandbox/overlays"
        git("init", "-q", ".", cwd=self.project)
        self.other = self.top / "other"
        self.other.mkdir()

    def allow(self, *words, **more):
        return self.pmg("sandbox", "allow", *words, **more)

    def shown(self, **more):
        done = self.pmg("sandbox", "project", "show", "--json", **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def entries(self, **more):
        return [f"{entry['type']}={entry['value']}" for entry in self.shown(**more)["allow"]]

    def file(self, root):
        return self.store / (hashlib.sha256(str(root).encode()).hexdigest()[:16] + ".yml")

    def write(self, path, **more):
        return self.exec("sh", "-c", f"echo x >{path}", **more).returncode == 0

    def test_is_kept_and_applied(self):
        self.assertFalse(self.write(self.other / "x"))
        done = self.allow("write=../other", "env=GH_TOKEN", "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"allowed write={self.other}\n", done.stdout)
        self.assertTrue(self.write(self.other / "x"))
        self.assertEqual(self.exec("sh", "-c", "echo $GH_TOKEN", env={"GH_TOKEN": "t"}).stdout, "t\n")
        shown = self.shown()
        self.assertEqual((shown["repo_root"], shown["path"]), (str(self.project), str(self.file(self.project))))
        self.assertRegex(shown["updated_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        dry = self.pmg("sandbox", "exec", "--dry-run", "--", "true").stdout
        self.assertIn("profile    exec+overlay\n", dry)
        self.assertRegex(dry, rf"allow_write +{self.other} +{self.file(self.project)}:\d+\n")
        self.assertRegex(dry, "overlay .*: 2 allowances")
        again = self.allow("write=../other")
        self.assertEqual((again.returncode, again.stdout.splitlines()[0]), (0, "nothing new: all of it is allowed already"))

    def test_found_from_below_and_from_a_worktree_and_nowhere_else(self):
        below = self.project / "a/b"
        below.mkdir(parents=True)
        git("commit", "-q", "--allow-empty", "-m", "m", cwd=self.project)
        tree = self.top / "tree"
        git("worktree", "add", "-q", str(tree), cwd=self.project)
        self.assertEqual(self.allow("write=./.astro", cwd=below).returncode, 0)
        self.assertEqual(self.allow("read=./x", cwd=tree).returncode, 0)
        expected = [f"write={below}/.astro", f"read={tree}/x"]
        for where in (self.project, below, tree):
            self.assertEqual(self.entries(cwd=where), expected)
        self.assertEqual(self.entries(cwd=self.other), [])
        forged = self.top / "forged"
        forged.mkdir()
        (forged / ".git").write_text(f"gitdir: {self.project}/.git/worktrees/tree\n")
        self.assertEqual(self.entries(cwd=forged), [])
        self.assertEqual(self.shown(cwd=forged)["repo_root"], str(forged))
        link = self.top / "link"
        link.symlink_to(self.project)
        self.assertEqual(self.entries(cwd=link, env={"PWD": str(link)}), expected)

    def test_refused_without_force(self):
        (self.project / "to-ssh").symlink_to(self.home / ".ssh")
        for text, part in (("read=./.env", "credential"), ("read=${CWD}/.env", "credential"), ("read=./to-ssh/id", "credential"),
                           ("env=GH_TOKEN", "secret"), ("env=GH_*", "secret"), ("write=./.mcp.json", "runs code later"),
                           ("write=.git/config", "names programs"), (f"write={self.home}", "home directory"),
                           ("write=/", "home directory"), ("unix=/run/docker.sock", "outside the sandbox"),
                           ("net-bind=0.0.0.0:1", "other machines")):
            with self.subTest(text=text):
                self.says(self.allow(text), 1, part, "--force")
        for text, part in (("write=.git/hooks/pre-commit", "hook"), ("write=~/x", "~"), ("write=${CWD}/.git/hooks/**", "hook"),
                           (f"write={self.home}/.config/safedep/pmg/config.yml", "own files"), ("preset=claud", "claude"),
                           ("nonsense", "TYPE=VALUE"), ("raed=x", "`read`"), ("net=x:1", "net-connect")):
            with self.subTest(text=text):
                self.says(self.allow("--force", text), 1, part)
        self.assertFalse(self.store.exists())
        # All or nothing.
        self.says(self.allow("write=./ok", "read=./.env"), 1, "--force")
        self.assertEqual(self.entries(), [])
        (self.project / ".env").write_text("SECRET\n")
        self.assertNotEqual(self.exec("cat", ".env").returncode, 0)
        self.assertEqual(self.allow("--force", "read=./.env").returncode, 0)
        self.assertEqual(self.exec("cat", ".env").stdout, "SECRET\n")
        self.assertFalse(self.write(".env"))

    def test_a_broken_file_stops_the_run_and_can_be_removed(self):
        self.store.mkdir(parents=True)
        head = f"schema_version: 1\nrepo_root: {self.project}\n"
        for text, part in (("allow: [", "not valid YAML"), ("allwo: []", "`allow`"), ("allow: [{type: raed, value: /x}]", "raed=/x"),
                           ("allow: [{type: read, value: x}]", "absolute"), ("allow: [{type: read}]", "`value` is missing"),
                           (f"allow: [{{type: write, value: {self.project}/.git/hooks}}]", "hooks"),
                           (f"allow: [{{type: write, value: {self.store}}}]", "files of pmg"),
                           ("allow: [{type: preset, value: claud}]", "claude"),
                           ("allow: []\nschema_version: 2", "twice")):
            with self.subTest(text=text):
                self.file(self.project).write_text(head + text + "\n")
                done = self.exec("touch", "ran")
                self.says(done, 1, str(self.file(self.project)), part)
                self.assertFalse((self.project / "ran").exists())
        self.file(self.project).write_text("repo_root: /elsewhere\nallow: []\n")
        self.says(self.exec("touch", "ran"), 1, "`/elsewhere`", "project reset --yes")
        self.assertIn("OK", self.pmg("sandbox", "project", "list").stdout)
        self.file(self.project).write_text("x")
        row = json.loads(self.pmg("sandbox", "project", "list", "--json").stdout)["entries"][0]
        self.assertIn("error", row)
        self.assertEqual(self.pmg("sandbox", "project", "reset", "--yes").returncode, 0)
        self.assertEqual(self.exec("true").returncode, 0)

    def test_a_file_of_the_existing_tool_loads(self):
        self.store.mkdir(parents=True)
        self.file(self.project).write_text(f"""schema_version: 1
repo_root: {self.project}
created_at: 2026-01-02T03:04:05.678Z
updated_at: 2026-01-02T03:04:05.678Z
allow:
    - type: write
      value: {self.other}
    - type: write
      value: {self.other}
    - type: preset
      value: vite
""")
        self.assertTrue(self.write(self.other / "x"))
        self.assertEqual(self.entries(), [f"write={self.other}", "preset=vite"])

    def test_reset_needs_a_yes(self):
        self.allow("write=./x")
        self.says(self.pmg("sandbox", "project", "reset"), 1, "--yes")
        self.assertEqual(self.entries(), [f"write={self.project}/x"])
        self.assertEqual(self.pmg("sandbox", "project", "reset", "--yes").returncode, 0)
        self.assertEqual(self.entries(), [])
        self.assertIn("no allowances", self.pmg("sandbox", "project", "reset", "--yes").stdout)

    def test_list(self):
        self.allow("write=./x", "write=./y")
        self.allow("write=./x", cwd=self.other)
        rows = json.loads(self.pmg("sandbox", "project", "list", "--json").stdout)["entries"]
        self.assertEqual({row["repo_root"]: row["entries"] for row in rows}, {str(self.project): 2, str(self.other): 1})
        self.assertEqual({row["path"] for row in rows}, {str(self.file(self.project)), str(self.file(self.other))})

    def test_home_and_root_are_no_project(self):
        for where, part in ((self.home, "home directory"), ("/", "root"), (self.top, "holds the home directory")):
            self.says(self.allow("write=./x", cwd=where), 1, part, "no project")
            self.says(self.pmg("sandbox", "project", "show", cwd=where), 1, "no project")

    def test_nothing_is_lost_where_many_add_at_once(self):
        running = [subprocess.Popen([world.PMG, "sandbox", "allow", f"write=./f{i}"], cwd=self.project, env=self.env,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for i in range(8)]
        for process in running:
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(sorted(self.entries()), [f"write={self.project}/f{i}" for i in range(8)])

    def test_a_name_that_would_read_as_a_wildcard_is_not_kept(self):
        odd = self.project / "[slug]"
        odd.mkdir()
        self.says(self.allow("write=./x", cwd=odd), 1, "cannot be kept", "--sandbox-allow")

    def test_stays_out_of_reach_of_the_sandbox(self):
        self.allow("write=./x")
        before = self.file(self.project).read_text()
        self.pmg("sandbox", "exec", "--sandbox-allow", f"write={self.home}/**", "--", "sh", "-c",
                 f"echo x >{self.file(self.project)}; rm -f {self.file(self.project)}; mv {self.store} {self.home}/o")
        self.assertEqual(self.file(self.project).read_text(), before)


class Overrides(world.World):
    def test_a_credential_is_named_in_any_spelling(self):
        (self.project / ".env").write_text("SECRET\n")
        (self.project / ".env.local").write_text("OTHER\n")
        link = self.top / "link"
        link.symlink_to(self.project)
        for value in (".env", "./.env", str(self.project / ".env"), "${CWD}/.env", str(link / ".env"), "../proj/.env"):
            with self.subTest(value=value):
                words = ("sandbox", "exec", "--sandbox-allow", f"read={value}", "--")
                self.assertEqual(self.pmg(*words, "cat", ".env").stdout, "SECRET\n")
                self.assertNotEqual(self.pmg(*words, "cat", ".env.local").returncode, 0)
                self.assertNotEqual(self.pmg(*words, "sh", "-c", "echo x >.env").returncode, 0)

    def test_network_rules_are_told_once_and_only_where_used(self):
        done = self.pmg("sandbox", "exec", "--sandbox-allow", "net-connect=a.b:1", "--sandbox-allow", "net-bind=localhost:*", "true")
        self.says(done, 0, "does not confine the network")
        self.assertEqual(self.exec("true").stderr, "")


if __name__ == "__main__":
    unittest.main()
