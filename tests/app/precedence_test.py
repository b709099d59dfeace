"""docs/CONFIGURATION.md's order, each pair of it: defaults < file < variables < flags."""
import itertools
import unittest

import world

#: tells whether it is confined
NPM = "#!/bin/sh\ngrep -q 'Seccomp:.2' /proc/self/status && echo confined || echo plain\n"

#: for each question of a run, who can answer it, from the weakest: (level, what sets it, the answer)
QUESTIONS = {
    "is the sandbox on?": (["npm", "install"], [
        ("default", {}, "plain"),
        ("file", {"file": "sandbox: {enabled: true}\n"}, "confined"),
        ("file", {"file": "sandbox: {enabled: false}\n"}, "plain"),
        ("variable", {"env": {"PMG_SANDBOX_ENABLED": "true"}}, "confined"),
        ("variable", {"env": {"PMG_SANDBOX_ENABLED": "0"}}, "plain"),
        ("flag", {"flags": ["--sandbox"]}, "confined"),
    ]),
    "also for a command that does not install?": (["npm", "ls"], [
        ("default", {}, "plain"),
        ("file", {"file": "sandbox: {enabled: true, enforce_always: true}\n"}, "confined"),
        ("file", {"file": "sandbox: {enabled: true, enforce_always: false}\n"}, "plain"),
        ("variable", {"env": {"PMG_SANDBOX_ENABLED": "true", "PMG_SANDBOX_ENFORCE_ALWAYS": "1"}}, "confined"),
        ("variable", {"env": {"PMG_SANDBOX_ENABLED": "true", "PMG_SANDBOX_ENFORCE_ALWAYS": "false"}}, "plain"),
        ("flag", {"flags": ["--sandbox-enforce"]}, "confined"),
    ]),
    "which profile?": (["npm", "install"], [
        ("default", {}, "npm"),
        ("file", {"file": "sandbox: {policies: {npm: {profile: ./f.yml}}}\n"}, "f"),
        ("variable", {"env": {"PMG_SANDBOX_POLICIES_NPM_PROFILE": "./v.yml"}}, "v"),
        ("flag", {"flags": ["--sandbox-profile", "FOLDER/g.yml"]}, "g"),
    ]),
    "is this manager confined at all?": (["npm", "install"], [
        ("default", {}, "confined"),
        ("file", {"file": "sandbox: {policies: {npm: {enabled: false}}}\n"}, "plain"),
        ("file", {"file": "sandbox: {policies: {npm: {enabled: true}}}\n"}, "confined"),
        ("variable", {"env": {"PMG_SANDBOX_POLICIES_NPM_ENABLED": "false"}}, "plain"),
        ("variable", {"env": {"PMG_SANDBOX_POLICIES_NPM_ENABLED": "1"}}, "confined"),
        ("flag", {"flags": ["--sandbox-profile", "npm"]}, "confined"),
    ]),
}


class Precedence(world.World):
    def setUp(self):
        super().setUp()
        self.script("npm", NPM)
        self.folder = self.home / ".config/safedep/pmg"
        self.folder.mkdir(parents=True)
        for name in "fvg":
            (self.folder / f"{name}.yml").write_text(f"name: {name}\ninherits: npm\npackage_managers: [npm]\n")
        with open("/proc/self/status", encoding="utf-8") as status:
            if "Seccomp:\t2" in status.read():
                self.skipTest("this environment has a seccomp filter of its own, so the probe cannot tell")

    def answer(self, question, command, *setters):
        flags, env, text = [], {}, "other: 1\n"
        for setter in setters:
            flags += [flag.replace("FOLDER", str(self.folder)) for flag in setter.get("flags", [])]
            env |= setter.get("env", {})
            text = setter.get("file", text)
        if question in ("which profile?", "is this manager confined at all?"):
            env["PMG_SANDBOX_ENABLED"] = "true"
        (self.folder / "config.yml").write_text(text)
        if question == "which profile?":
            flags.append("--dry-run")
        done = self.pmg(*flags, *command, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line.split() for line in done.stdout.splitlines()]
        return next((line[1] for line in lines if line[0] == "profile"), None) or done.stdout.strip()

    def test_every_pair(self):
        pairs = 0
        for question, (command, setters) in QUESTIONS.items():
            order = ["default", "file", "variable", "flag"]
            for weak, strong in itertools.permutations(setters, 2):
                if order.index(weak[0]) < order.index(strong[0]):
                    with self.subTest(question=question, weak=weak, strong=strong):
                        pairs += 1
                        self.assertEqual(self.answer(question, command, weak[1], strong[1]), strong[2])
        self.assertGreater(pairs, 40)

    def test_alone(self):
        for question, (command, setters) in QUESTIONS.items():
            for _, setter, expected in setters:
                with self.subTest(question=question, setter=setter):
                    self.assertEqual(self.answer(question, command, setter), expected)


if __name__ == "__main__":
    unittest.main()
