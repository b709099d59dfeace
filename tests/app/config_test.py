"""`pmg config`: values as they hold, changed in place; a broken file stops runs and not repairs."""
import concurrent.futures
import json
import pathlib
import random
import unittest

import world


class Base(world.World):
    def setUp(self):
        super().setUp()
        self.folder = self.home / ".config/safedep/pmg"
        self.file = self.folder / "config.yml"
        if pathlib.Path("/etc/safedep/pmg/config.yml").exists():
            self.skipTest("this machine has a configuration of its administrator")

    def write(self, text):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text)

    def get(self, key, **more):
        done = self.pmg("config", "get", key, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), key)
        return json.loads(done.stdout)

    def set(self, key, value, **more):
        done = self.pmg("config", "set", key, value, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), (key, value))
        return done


class Config(Base):
    def test_path(self):
        self.assertEqual(self.pmg("config", "path").stdout, f"{self.file}\n")
        self.assertEqual(self.pmg("config", "path", env={"PMG_CONFIG_DIR": "/x"}).stdout, "/x/config.yml\n")
        self.assertFalse(self.file.exists())

    def test_defaults(self):
        self.assertIs(self.get("sandbox.enabled"), False)
        self.assertEqual(self.get("sandbox.policies.npm"), {"enabled": True, "profile": "npm"})
        everything = self.get("sandbox")
        self.assertEqual(list(everything), ["enabled", "enforce_always", "policy_templates", "policies"])
        self.assertFalse(self.file.exists())

    def test_set_writes_the_template_first(self):
        before = self.get("sandbox")
        self.set("sandbox.enabled", "true")
        text = self.file.read_text()
        self.assertIn("# Configuration of pmg.", text)
        self.assertIn("  enabled: true\n", text)
        self.assertEqual(self.get("sandbox"), before | {"enabled": True})
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)

    def test_set_changes_one_line(self):
        text = "# mine\nproxy: {anything: [1]}  # kept\nsandbox:   # here\n  enabled: 'no' # why not\n\n# end\n"
        self.write(text)
        self.file.chmod(0o640)
        self.says(self.pmg("config", "get", "sandbox.enabled"), 1, "config.yml:4:12", "pmg config edit")
        self.set("sandbox.enabled", "true")
        self.assertEqual(self.file.read_text(), text.replace("'no'", "true"))
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o640)
        self.set("sandbox.policies.npm.profile", "npm-restrictive")
        self.assertEqual(self.file.read_text(), text.replace("'no' # why not\n", "true # why not\n  policies:\n    npm:\n      profile: npm-restrictive\n"))
        self.assertEqual(self.get("sandbox.policies.npm.profile"), "npm-restrictive")

    def test_set_through_a_symlink(self):
        real = self.top / "dotfiles.yml"
        real.write_text("sandbox: {enabled: false}\n")
        self.folder.mkdir(parents=True)
        self.file.symlink_to(real)
        self.set("sandbox.enabled", "true")
        self.assertTrue(self.file.is_symlink())
        self.assertEqual(real.read_text(), "sandbox: {enabled: true}\n")

    def test_mistakes_change_nothing(self):
        text = "sandbox:\n  enabled: true\n  policies:\n    npm:\n      profile: >-\n        npm\n"
        self.write(text)
        for key, value, parts in [
            ("sandbox.enabeld", "true", ["sandbox.enabeld", "did you mean `sandbox.enabled`"]),
            ("enabled", "true", ["did you mean `sandbox.enabled`"]),
            ("nothing", "true", ["`nothing`", "pmg config get sandbox"]),
            ("proxy.install_only", "true", ["`proxy.install_only`"]),
            ("sandbox.enabled", "yes", ["`sandbox.enabled` must be `true` or `false`, not `yes`"]),
            ("sandbox.enabled", "", ["must be `true` or `false`"]),
            ("sandbox", "true", ["section", "`sandbox.enabled`"]),
            ("sandbox.policies.npm", "npm", ["section", "`sandbox.policies.npm.enabled`"]),
            ("sandbox.policies.npm.profile", "npm", ["config.yml:5:16", "`profile`", "pmg config edit"]),
            ("sandbox.policies.pip.profile", "", ["must be text"]),
            ("sandbox.policies.pip.profile", "nothing", ["nothing"]),
            ("sandbox.policies.pip.profile", "npm", ["not for `pip`"]),
            ("sandbox.policies.pip.profile", "./none.yml", ["none.yml", "no such file"]),
            ("sandbox.policy_templates.x.path", "./none.yml", ["none.yml", "no such file"]),
            ("sandbox.policies.nmp.enabled", "true", ["sandbox.policies.npm.enabled"]),
            ("\x1b[31m", "true", ["`\\x1b[31m`"]),
        ]:
            with self.subTest(key=key, value=value):
                self.says(self.pmg("config", "set", key, value), 1, *parts)
                self.assertEqual(self.file.read_text(), text)

    def test_unknown_keys_of_get(self):
        self.says(self.pmg("config", "get", "sandbox.enabeld"), 1, "did you mean `sandbox.enabled`")
        self.says(self.pmg("config", "get", "sandbox.policy_templates.x"), 1, "nothing is set")
        self.says(self.pmg("config", "get", ""), 1, "no key")
        self.says(self.pmg("config", "get", "sandbox..enabled"), 1, "no key")

    def test_templates(self):
        (self.folder / "own").mkdir(parents=True)
        (self.folder / "own/strict.yml").write_text("name: s\ninherits: npm\npackage_managers: [npm]\n")
        self.set("sandbox.policy_templates.my own.path", "./own/strict.yml")
        self.set("sandbox.policies.npm.profile", "my own")
        self.assertEqual(self.get("sandbox.policy_templates"), {"my own": {"path": str(self.folder / "own/strict.yml")}})
        self.script("npm", world.ECHO)
        self.assertIn("profile    s", self.pmg("--sandbox", "--dry-run", "npm", "install").stdout)

    def test_two_at_once_lose_nothing(self):
        keys = [f"sandbox.policies.{name}.enabled" for name in self.get("sandbox.policies")]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda key: self.set(key, "false"), keys))
        self.assertEqual({policy["enabled"] for policy in self.get("sandbox.policies").values()}, {False})

    def test_any_order_of_changes_loads_again(self):
        choose = random.Random(3)
        profiles = {name: policy["profile"] for name, policy in self.get("sandbox.policies").items()}
        expected = self.get("sandbox")
        self.write(choose.choice(["sandbox: {}\n", "# only\n", "other: 1\n"]))
        for _ in range(40):
            comments = [line for line in self.file.read_text().splitlines() if line.lstrip().startswith("#")]
            name = choose.choice(list(profiles))
            key, value = choose.choice([(("enabled",), choose.random() < .5), (("enforce_always",), choose.random() < .5),
                                        (("policies", name, "enabled"), choose.random() < .5),
                                        (("policies", name, "profile"), profiles[name])])
            self.set(".".join(("sandbox", *key)), json.dumps(value) if isinstance(value, bool) else value)
            part = expected
            for word in key[:-1]:
                part = part[word]
            part[key[-1]] = value
            self.assertEqual(self.get("sandbox"), expected)
            self.assertEqual([line for line in self.file.read_text().splitlines() if line.lstrip().startswith("#")], comments)

    def test_a_variable_over_what_was_set_is_told(self):
        env = {"PMG_SANDBOX_ENABLED": "false"}
        done = self.pmg("config", "set", "sandbox.enabled", "true", env=env)
        self.assertEqual(done.returncode, 0)
        self.assertIn("`PMG_SANDBOX_ENABLED` in the environment goes over it", done.stderr)
        self.assertIs(self.get("sandbox.enabled", env=env), False)
        self.assertIs(self.get("sandbox.enabled"), True)


class Edit(Base):
    def editor(self, text):
        """An editor that replaces the whole text."""
        (self.top / "new").write_text(text)
        self.env["EDITOR"] = str(self.script("ed", f"#!/bin/sh\ncat '{self.top}/new' > \"$1\"\n"))

    def test_begins_with_the_template(self):
        self.env["EDITOR"] = "true"
        done = self.pmg("config", "edit")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("# Configuration of pmg.", self.file.read_text())

    def test_stores_what_is_right(self):
        self.write("sandbox: {enabeld: true}\n")
        self.editor("sandbox: {enabled: true}\n")
        done = self.pmg("config", "edit")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.file.read_text(), "sandbox: {enabled: true}\n")

    def test_keeps_the_file_where_it_is_wrong(self):
        self.write("sandbox: {enabled: true}\n")
        for text, part in [("sandbox: {enabeld: true}\n", "enabeld"), ("sandbox: [", "not valid YAML"), ("", "empty"),
                           ("sandbox: {policies: {npm: {profile: nothing}}}\n", "nothing")]:
            with self.subTest(text=text):
                self.editor(text)
                done = self.pmg("config", "edit")
                self.assertEqual(done.returncode, 1)
                self.assertIn(part, done.stderr)
                self.assertIn("the draft is kept", done.stderr)
                self.assertEqual(self.file.read_text(), "sandbox: {enabled: true}\n")


class Broken(Base):
    """What still works while config.yml does not load."""

    def setUp(self):
        super().setUp()
        self.script("npm", world.ECHO)

    def test_runs_stop_and_name_the_repair(self):
        self.write("sandbox:\n  enabeld: true\n")
        for args in (["npm", "install", "x"], ["npm", "ls"], ["sandbox", "exec", "--", "touch", "ran"], ["config", "get", "sandbox"]):
            with self.subTest(args=args):
                done = self.pmg(*args)
                self.says(done, 1, "config.yml:2:3", "`enabeld`", "did you mean `enabled`", "pmg config edit", "pmg config set")
                self.assertEqual(done.stdout, "")
        self.assertFalse((self.project / "ran").exists())

    def test_other_commands_work(self):
        for text in ("sandbox:\n  enabeld: true\n", "sandbox: [\n", ""):
            self.write(text)
            for args in (["config", "path"], ["sandbox", "profile", "list"], ["sandbox", "profile", "show", "npm"],
                         ["setup", "info"], ["setup", "info", "--json"], ["--help"], ["version"]):
                with self.subTest(text=text, args=args):
                    self.assertEqual(self.pmg(*args).returncode, 0)

    def test_set_repairs_step_by_step(self):
        self.write("sandbox:\n  enabled: maybe  # a\n  enforce_always: 3\n")
        done = self.pmg("config", "set", "sandbox.enabled", "true")
        self.assertEqual(done.returncode, 0)
        self.assertIn("also wrong:", done.stderr)
        self.assertIn("config.yml:3:19", done.stderr)
        self.assertEqual(self.file.read_text(), "sandbox:\n  enabled: true  # a\n  enforce_always: 3\n")
        self.set("sandbox.enforce_always", "false")
        self.assertIs(self.get("sandbox.enabled"), True)

    def test_set_in_a_file_with_an_unknown_key(self):
        self.write("sandbox:\n  enabeld: true  # a\n")
        done = self.pmg("config", "set", "sandbox.enabled", "true")
        self.assertEqual(done.returncode, 0)
        self.assertIn("`enabeld`", done.stderr)
        self.assertEqual(self.file.read_text(), "sandbox:\n  enabeld: true  # a\n  enabled: true\n")

    def test_set_in_what_is_no_yaml(self):
        self.write("sandbox: [\n")
        self.says(self.pmg("config", "set", "sandbox.enabled", "true"), 1, "not valid YAML", "pmg config edit")
        self.assertEqual(self.file.read_text(), "sandbox: [\n")

    def test_a_dangling_link_is_a_lost_configuration(self):
        self.folder.mkdir(parents=True)
        self.file.symlink_to(self.top / "gone")
        for args in (["npm", "install"], ["config", "set", "sandbox.enabled", "true"], ["config", "edit"]):
            with self.subTest(args=args):
                self.says(self.pmg(*args), 1, "config.yml", "no such file")

    def test_a_bad_variable_is_named(self):
        self.says(self.pmg("npm", "ls", env={"PMG_SANDBOX_ENABLED": "maybe"}), 1, "`PMG_SANDBOX_ENABLED` must be `true` or `false`")


if __name__ == "__main__":
    unittest.main()
