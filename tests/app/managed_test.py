"""The administrator's configuration, in a mount namespace with an /etc of its own."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import world

NPM = "#!/bin/sh\ngrep -q 'Seccomp:.2' /proc/self/status && echo confined || echo plain\n"
#: what programs need of /etc
NEEDED = ("passwd", "group", "nsswitch.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
INSIDE = 'mount --make-rprivate / && mount --bind "$1" /etc && shift && exec "$@"'


def obstacle():
    if os.geteuid() != 0:
        return "only root has an /etc to replace"
    if pathlib.Path("/etc/safedep").exists():
        return "this machine has a configuration of its administrator"
    probe = subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True)
    return f"unshare -m: {probe.stderr.decode().strip()}" if probe.returncode else None


class Managed(world.World):
    def setUp(self):
        super().setUp()
        if reason := obstacle():
            print(f"skipped: {reason}")
            self.skipTest(reason)
        self.etc = self.top / "etc"
        self.managed = self.etc / "safedep/pmg"
        self.managed.mkdir(parents=True)
        for name in NEEDED:
            source = pathlib.Path("/etc") / name
            if source.is_dir():
                shutil.copytree(source, self.etc / name, symlinks=True)
            elif source.exists():
                shutil.copy(source, self.etc / name)
        for folder in (self.etc, self.etc / "safedep", self.managed):
            folder.chmod(0o755)
        self.mine = self.home / ".config/safedep/pmg"
        self.mine.mkdir(parents=True)
        self.script("npm", NPM)

    def manage(self, text, mode=0o644):
        file = self.managed / "config.yml"
        file.write_text(text)
        file.chmod(mode)

    def pmg(self, *args, env=None, **more):
        command = ["unshare", "-m", "sh", "-c", INSIDE, "sh", str(self.etc), world.PMG, *args]
        return subprocess.run(command, cwd=self.project, env=self.env | (env or {}), timeout=60, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", **more)

    def state(self, *args, **more):
        done = self.pmg(*args, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout.strip()

    def test_it_replaces_the_users(self):
        (self.mine / "config.yml").write_text("sandbox: {enforce_always: true, enabeld: this is not even read}\n")
        self.manage("sandbox: {enabled: true}\n")
        self.assertEqual(self.state("npm", "install"), "confined")
        self.assertEqual(self.state("npm", "ls"), "plain")
        self.assertEqual(self.state("config", "path"), "/etc/safedep/pmg/config.yml")
        self.assertEqual(json.loads(self.state("setup", "info", "--json"))["config"],
                         {"path": "/etc/safedep/pmg/config.yml", "source": "global"})
        # Without lockdown, variables and flags count as ever.
        self.assertEqual(self.state("npm", "install", env={"PMG_SANDBOX_ENABLED": "false"}), "plain")
        self.assertEqual(self.state("--sandbox-enforce", "npm", "ls"), "confined")

    def test_doctor(self):
        # Under lockdown no flag chooses a profile; the doctor does without.
        self.manage("global_lockdown: true\nsandbox: {enabled: true}\n")
        told = json.loads(self.state("sandbox", "doctor", "--json"))
        self.assertEqual({result["status"] for result in told["results"] if result["name"].startswith("canary.")}, {"ok"})
        self.manage("sandbox: {enabeld: true}\n")
        done = self.pmg("sandbox", "doctor", "--json")
        self.assertEqual(done.returncode, 2)
        results = {result["name"]: result for result in json.loads(done.stdout)["results"]}
        self.assertEqual(results["config.file"]["fixes"][0]["command"], "sudo vi /etc/safedep/pmg/config.yml")
        self.assertIn("enabeld", results["canary.control"]["summary"])

    def test_nobody_but_its_administrator_changes_it(self):
        self.manage("sandbox: {enabled: true}\n")
        for args in (["config", "set", "sandbox.enabled", "false"], ["config", "edit"]):
            with self.subTest(args=args):
                self.says(self.pmg(*args), 1, "/etc/safedep/pmg/config.yml", "administrator")
        self.assertFalse((self.mine / "config.yml").exists())
        self.assertIn("of the administrator", self.state("setup", "install"))
        self.assertFalse((self.mine / "config.yml").exists())

    def test_lockdown(self):
        self.manage("global_lockdown: true\nsandbox: {enabled: true}\n")
        for env in ({"PMG_SANDBOX_ENABLED": "false"}, {"PMG_SANDBOX_POLICIES_NPM_ENABLED": "false"},
                    {"PMG_SANDBOX_POLICIES_NPM_PROFILE": "mine"}, {"PMG_CONFIG_DIR": str(self.mine)}):
            with self.subTest(env=env):
                self.assertEqual(self.state("npm", "install", env=env), "confined")
        self.assertEqual(self.state("npm", "ls", env={"PMG_SANDBOX_ENFORCE_ALWAYS": "true"}), "plain")
        for flags in (["--sandbox"], ["--sandbox-enforce"], ["--sandbox-profile", "npm"], ["--sandbox-allow", "read=/x"],
                      ["--unsafe-cwd"]):
            for command in (["npm", "install"], ["sandbox", "exec", "--", "npm"]):
                with self.subTest(flags=flags, command=command):
                    self.says(self.pmg(*flags, *command), 1, f"`{flags[0]}` is not available", "/etc/safedep/pmg/config.yml")
        self.assertIn("profile    npm", self.state("--dry-run", "npm", "install"))
        self.assertEqual(self.state("sandbox", "exec", "--", "npm"), "confined")
        self.assertEqual(json.loads(self.state("setup", "info", "--json"))["config"]["source"], "global_locked")

    def test_under_lockdown_profiles_are_the_administrators(self):
        self.manage("global_lockdown: true\nsandbox: {enabled: true, policies: {npm: {profile: ours}}}\n")
        profile = "name: ours\ninherits: npm\npackage_managers: [npm]\n"
        (self.mine / "sandbox/profiles").mkdir(parents=True)
        (self.mine / "sandbox/profiles/ours.yml").write_text(profile)
        self.says(self.pmg("npm", "install"), 1, "no profile is called `ours`")
        (self.managed / "sandbox/profiles").mkdir(parents=True)
        (self.managed / "sandbox/profiles/ours.yml").write_text(profile)
        self.assertEqual(self.state("npm", "install"), "confined")

    def test_lockdown_ignores_what_is_kept_for_a_project(self):
        other = self.top / "other"
        other.mkdir()
        self.assertEqual(self.pmg("sandbox", "allow", f"write={other}").returncode, 0)
        write = ("sandbox", "exec", "--", "sh", "-c", f"echo x >{other}/x")
        self.assertEqual(self.pmg(*write).returncode, 0)
        self.manage("global_lockdown: true\nsandbox: {enabled: true}\n")
        done = self.pmg(*write)
        self.assertNotEqual(done.returncode, 0)
        told, denied = [line for line in done.stderr.splitlines() if line.startswith("pmg: ")]
        self.assertRegex(told, "locked.*ignored")
        self.assertTrue(denied.endswith("; allow: none (the administrator has locked the sandbox)"), denied)
        self.says(self.pmg("sandbox", "allow", "write=./x"), 1, "locked")

    def test_what_is_wrong_with_it_stops_everything(self):
        for text, mode, part in [("sandbox: [\n", 0o644, "config.yml:2:1"), ("", 0o644, "empty"),
                                 ("global_lockdown: yes please\n", 0o644, "`global_lockdown` must be `true` or `false`"),
                                 ("sandbox: {enabled: false}\n", 0o666, "written by others"),
                                 ("sandbox: {enabled: false}\n", 0o664, "written by others")]:
            with self.subTest(text=text, mode=mode):
                self.manage(text, mode)
                for args in (["npm", "install"], ["sandbox", "exec", "--", "npm"], ["config", "get", "sandbox"]):
                    self.says(self.pmg(*args), 1, "/etc/safedep/pmg/config.yml", part, "administrator")
                self.says(self.pmg("config", "set", "sandbox.enabled", "true"), 1, "administrator")
                report = json.loads(self.pmg("setup", "info", "--json").stdout)
                self.assertEqual((report["health"], report["config"]["source"]), ("unprotected", "global_locked"))

    def test_of_somebody_else(self):
        self.manage("sandbox: {enabled: false}\n")
        os.chown(self.managed / "config.yml", 1000, 1000)
        self.says(self.pmg("npm", "install"), 1, "does not belong to root")
        os.chown(self.managed / "config.yml", 0, 0)
        os.chown(self.managed, 1000, 1000)
        self.says(self.pmg("npm", "install"), 1, "/etc/safedep/pmg", "does not belong to root")

    def test_a_symlink(self):
        (self.managed / "other.yml").write_text("sandbox: {enabled: true}\n")
        (self.managed / "config.yml").symlink_to("other.yml")
        self.says(self.pmg("npm", "install"), 1, "no symlink")


if __name__ == "__main__":
    unittest.main()
