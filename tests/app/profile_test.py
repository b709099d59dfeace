"""`pmg sandbox profile`."""
import json
import pathlib
import unittest

import world

BUILT_IN = ["bun", "exec", "go", "npm", "npm-restrictive", "npx", "pip", "pipx", "pnpm", "poetry", "pypi-restrictive", "uv",
            "uvx", "yarn"]
PROFILES = pathlib.Path(__file__).parents[2] / "profiles"


class Profiles(world.World):
    def setUp(self):
        super().setUp()
        self.mine = self.home / ".config/safedep/pmg/sandbox/profiles"
        self.mine.mkdir(parents=True)
        (self.mine / "strict.yml").write_text(
            "name: strict\ndescription: mine\ninherits: npm\npackage_managers: [npm]\n"
            "filesystem:\n  deny_write:\n    - ${CWD}/package-lock.json\n")

    def test_list(self):
        done = self.pmg("sandbox", "profile", "list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = done.stdout.splitlines()
        self.assertEqual(rows[0].split(), ["STATUS", "NAME", "SOURCE", "INHERITS", "PMS", "DESCRIPTION"])
        self.assertEqual([row.split()[1] for row in rows[1:]], [*BUILT_IN, "strict"])

    def test_list_json(self):
        rows = json.loads(self.pmg("sandbox", "profile", "list", "--json").stdout)["profiles"]
        self.assertEqual([row["name"] for row in rows if row["source"] == "builtin"], BUILT_IN)
        self.assertEqual([row for row in rows if row["source"] == "user"],
                         [{"name": "strict", "source": "user", "path": str(self.mine / "strict.yml"), "inherits": "npm",
                           "package_managers": ["npm"], "description": "mine"}])

    def test_show_is_the_file(self):
        for name in BUILT_IN:
            with self.subTest(name=name):
                done = self.pmg("sandbox", "profile", "show", name)
                self.assertEqual(done.stdout, (PROFILES / f"{name}.yaml").read_text(encoding="utf-8"))
        self.assertEqual(self.pmg("sandbox", "profile", "show", "strict").stdout, (self.mine / "strict.yml").read_text())

    def test_show_json(self):
        shown = json.loads(self.pmg("sandbox", "profile", "show", "strict", "--json").stdout)
        self.assertEqual(shown, {"name": "strict", "source": "user", "path": str(self.mine / "strict.yml"),
                                 "yaml": (self.mine / "strict.yml").read_text()})

    def test_resolved_has_the_parent_first(self):
        shown = json.loads(self.pmg("sandbox", "profile", "show", "strict", "--resolved", "--json").stdout)
        parent = json.loads(self.pmg("sandbox", "profile", "show", "npm", "--resolved", "--json").stdout)
        denies, inherited = (x["policy"]["filesystem"]["deny_write"] for x in (shown, parent))
        self.assertEqual(denies[:len(inherited)], inherited)
        self.assertIn("${CWD}/package-lock.json", denies)
        text = self.pmg("sandbox", "profile", "show", "strict", "--resolved").stdout
        (self.mine / "again.yml").write_text(text)
        again = json.loads(self.pmg("sandbox", "profile", "show", "again", "--resolved", "--json").stdout)
        self.assertEqual(again["policy"] | {"name": ""}, shown["policy"] | {"name": ""})

    def test_unknown_name(self):
        self.says(self.pmg("sandbox", "profile", "show", "npn"), 1, "npn", "npm")
        self.says(self.pmg("sandbox", "exec", "--sandbox-profile", "npn", "--", "touch", "ran"), 1, "npn", "npm")
        self.assertFalse((self.project / "ran").exists())

    def test_broken_profile_is_named_with_its_line(self):
        (self.mine / "broken.yml").write_text("name: broken\npackage_managers: [npm]\nfilesystem:\n  deny_wirte: [/x]\n")
        self.says(self.pmg("sandbox", "exec", "--sandbox-profile", "broken", "--", "touch", "ran"), 1, "broken.yml:4:3",
                  "deny_wirte", "deny_write")
        self.assertFalse((self.project / "ran").exists())
        self.assertIn("ERROR", self.pmg("sandbox", "profile", "list").stdout)

    def test_no_package_managers(self):
        for text, part in [("[]", "empty.yml:2:19: `package_managers` must be a list of at least one package manager"),
                           ("", "the key `package_managers` is missing")]:
            (self.mine / "empty.yml").write_text(f"name: empty\npackage_managers: {text}\nfilesystem: {{allow_read: [/]}}\n")
            self.says(self.pmg("sandbox", "exec", "--sandbox-profile", "empty", "--", "touch", "ran"), 1, part)


if __name__ == "__main__":
    unittest.main()
