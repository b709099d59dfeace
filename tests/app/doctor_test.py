"""`pmg sandbox doctor`: on this machine, on machines that are crippled by a filter, and with --attack."""
import errno
import json
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import world

CRIPPLED = pathlib.Path(__file__).with_name("crippled.py")
KINDS = ["read", "write", "create, remove, rename", "metadata", "exec", "env", "unix sockets", "abstract sockets", "signals",
         "network outbound", "network bind"]
#: system calls by number, x86-64 and arm64
NUMBERS = {"seccomp": (317, 277), "landlock_create_ruleset": (444, 444), "pidfd_getfd": (438, 438), "unshare": (272, 97),
           "process_vm_readv": (310, 270), "openat2": (437, 437)}


def number(call):
    return NUMBERS[call][0 if platform.machine() == "x86_64" else 1]


class Doctor(world.World):
    def setUp(self):
        super().setUp()
        self.cache = self.home / ".cache/safedep/pmg"
        self.config = self.home / ".config/safedep/pmg"

    def doctor(self, *args, prefix=(), **more):
        """Runs the doctor, after `prefix`; returns (exit code, results by name, the whole JSON)."""
        done = subprocess.run([*prefix, world.PMG, "sandbox", "doctor", "--json", *args], cwd=self.project, env=self.env | more,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(self.left_behind(), [], done.stderr)
        try:
            told = json.loads(done.stdout)
        except ValueError:
            self.fail(f"{done.returncode}: {done.stdout}{done.stderr}")
        return done.returncode, {result["name"]: result for result in told.get("results", [])}, told

    def left_behind(self):
        """Scratch directories."""
        return [str(path) for path in self.cache.glob("pmg-doctor-*")]

    def crippled(self, error, *calls):
        """Words that start a program for which these calls fail."""
        return [sys.executable, str(CRIPPLED), str(error), *(str(number(call)) for call in calls), "--"]

    def nothing_failed(self, results):
        self.assertEqual([result for result in results.values() if result["status"] == "fail"], [])

    def fails(self, result, *parts):
        """The probe failed, says all `parts`, and has a command."""
        self.assertEqual(result["status"], "fail", result)
        for part in parts:
            self.assertIn(part, result["summary"] + "\n" + result.get("detail", ""))
        self.assertTrue(any(fix.get("command") for fix in result["fixes"]), result)

    def no_canary_passes(self, results, but=()):
        """None counts as blocked, and none found that anything ran."""
        for name, result in results.items():
            if name.startswith("canary.") and name not in but:
                self.assertIn(result["status"], ("fail", "skipped"), result)
                self.assertNotIn("was not blocked", result["summary"])
        self.assertIn("no trace was found that anything ran", results["canary.control"]["detail"])

    def test_this_machine(self):
        code, results, told = self.doctor()
        self.nothing_failed(results)
        self.assertEqual(code, 0)
        canaries = {name: result["status"] for name, result in results.items() if name.startswith("canary.")}
        self.assertEqual(canaries, dict.fromkeys(
            ["canary.control", "canary.read-project", "canary.read-home", "canary.write-outside", "canary.rename",
             "canary.git-hook", "canary.metadata", "canary.exec", "canary.environment", "canary.launcher-environment",
             "canary.signal", "canary.unix-socket", "canary.abstract-socket"], "ok"))
        self.assertEqual([rule["kind"] for rule in told["rules"]], KINDS)
        self.assertEqual([rule["kind"] for rule in told["rules"] if not rule["enforced"]], ["network outbound", "network bind"])
        self.assertEqual(results["linux.apparmor.userns"]["status"], "skipped")
        # Nothing of it is in the project or in home.
        self.assertEqual(list(self.project.iterdir()), [])
        self.assertEqual([path for path in self.home.rglob("*") if not path.is_dir()], [])

    def test_text(self):
        done = self.pmg("sandbox", "doctor")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["STATUS", "CHECK", "SUMMARY", "FIX"])
        self.assertIn(["RULES", "ENFORCED", "BY"], [line.split() for line in lines])
        self.assertIn("network outbound        NO", done.stdout)
        self.assertIn("\nskipped  linux.apparmor.userns\n", done.stdout)

    def test_secrets_of_the_caller_are_not_needed(self):
        self.assertEqual(self.doctor(GITHUB_TOKEN="mine", TMPDIR="/nonexistent", PATH="/nonexistent")[0], 0)

    def test_broken_configuration(self):
        self.config.mkdir(parents=True)
        (self.config / "config.yml").write_text("sandbox:\n  enabeld: true\n")
        code, results, _ = self.doctor()
        self.assertEqual(code, 2)
        self.fails(results["config.file"], "config.yml:2", "enabeld")
        self.assertEqual(results["config.file"]["fixes"][0]["command"], "pmg config edit")
        self.assertEqual(results["canary.read-project"]["status"], "ok")

    def test_broken_profile(self):
        profiles = self.config / "sandbox/profiles"
        profiles.mkdir(parents=True)
        (profiles / "good.yml").write_text("name: good\ninherits: npm\npackage_managers: [npm]\n")
        (profiles / "bad.yml").write_text("name: bad\npackage_managers: [npm]\nfilesystem:\n  deny_wirte: [/x]\n")
        (profiles / "orphan.yml").write_text("name: orphan\ninherits: nobody\npackage_managers: [npm]\n")
        code, results, _ = self.doctor()
        self.assertEqual(code, 2)
        self.fails(results["config.profiles"], "2 of 3", "bad.yml:4:3", "deny_wirte", "orphan.yml")
        self.assertEqual(len(results["config.profiles"]["fixes"]), 2)

    def test_no_home(self):
        code, results, _ = self.doctor(HOME="relative")
        self.assertEqual(code, 2)
        self.fails(results["config.directories"], "HOME")
        self.assertEqual(results["canary.read-project"]["status"], "ok")

    def test_no_place(self):
        done = self.pmg("sandbox", "doctor", env={"PMG_CACHE_DIR": "/proc/nothing"})
        self.assertEqual(done.returncode, 0)  # in a temporary directory then

    def test_home_in_a_temporary_directory(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as place:
            self.assertEqual(self.doctor(PMG_CACHE_DIR=place)[0], 0)
            done = self.pmg("sandbox", "doctor", "--attack", env={"PMG_CACHE_DIR": place})
            self.says(done, 2, "temporary", "PMG_CACHE_DIR")
            link = self.top / "link"
            link.symlink_to(place)
            done = self.pmg("sandbox", "doctor", "--attack", env={"PMG_CACHE_DIR": str(link)})
            self.says(done, 2, "temporary", "PMG_CACHE_DIR")
            self.assertEqual(list(pathlib.Path(place).iterdir()), [])

    def test_inside(self):
        inside = [world.PMG, "sandbox", "exec", f"--sandbox-allow=exec={world.PMG}", "--"]
        code, results, told = self.doctor(prefix=inside)
        self.nothing_failed(results)
        self.assertEqual(code, 0)
        self.assertIn("inside a sandbox of pmg", results["nesting"]["summary"])
        self.assertFalse(any(name.startswith("canary.") for name in results))
        self.assertEqual([rule["enforced"] for rule in told["rules"]], [True] * 9 + [False] * 2)
        done = self.exec(world.PMG, "sandbox", "doctor", "--attack")
        self.assertEqual(done.returncode, 126)  # no rule lets it run
        done = self.pmg(*inside[1:], world.PMG, "sandbox", "doctor", "--attack")
        self.says(done, 2, "inside a sandbox of pmg")

    def test_marker_alone_is_not_believed(self):
        code, results, _ = self.doctor(PMG_SANDBOX="1")
        self.assertEqual((code, results["canary.read-project"]["status"]), (0, "ok"))

    def test_another_supervisor(self):
        code, results, told = self.doctor(prefix=[sys.executable, str(CRIPPLED), "supervised", "--"])
        self.assertEqual(code, 2)
        self.fails(results["nesting"], "another seccomp supervisor")
        self.no_canary_passes(results)
        self.assertFalse(any(rule["enforced"] for rule in told["rules"]))

    def test_without_seccomp(self):
        code, results, told = self.doctor(prefix=self.crippled(errno.ENOSYS, "seccomp"))
        self.assertEqual(code, 2)
        self.fails(results["kernel.notify"], "Function not implemented")
        self.assertIn("seccomp", results["kernel.notify"]["fixes"][0]["command"])
        self.fails(results["canary.control"], "could not be tried", "nothing was run")
        self.no_canary_passes(results)
        self.assertFalse(any(rule["enforced"] for rule in told["rules"]))

    def test_without_landlock(self):
        code, results, told = self.doctor(prefix=self.crippled(errno.ENOSYS, "landlock_create_ruleset"))
        self.assertEqual(code, 2)
        self.fails(results["kernel.landlock"], "Function not implemented")
        self.fails(results["canary.control"], "could not be tried", "Landlock", "nothing was run")
        self.no_canary_passes(results)
        self.assertFalse(any(rule["enforced"] for rule in told["rules"]))

    def test_landlock_switched_off(self):
        code, results, _ = self.doctor(prefix=self.crippled(errno.EOPNOTSUPP, "landlock_create_ruleset"))
        self.assertEqual(code, 2)
        self.fails(results["kernel.landlock"], "switched off")
        self.assertIn("lsm=landlock,", results["kernel.landlock"]["fixes"][0]["command"])
        self.no_canary_passes(results)

    def test_attack_where_nothing_can_be_confined(self):
        done = self.pmg_crippled(errno.ENOSYS, ["landlock_create_ruleset"], "sandbox", "doctor", "--attack", "--json")
        self.assertEqual(done.returncode, 2)
        attacks = json.loads(done.stdout)["attacks"]
        self.assertEqual({attack["verdict"] for attack in attacks}, {"failed"})
        self.assertIn("nothing was run", attacks[0]["failures"][0])
        self.assertEqual(self.left_behind(), [])

    def pmg_crippled(self, error, calls, *args):
        return subprocess.run([*self.crippled(error, *calls), world.PMG, *args], cwd=self.project, env=self.env, timeout=120,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def test_container_without_pidfd_getfd(self):
        code, results, told = self.doctor(prefix=self.crippled(errno.EPERM, "pidfd_getfd"))
        self.assertEqual(code, 2)
        self.fails(results["kernel.sockets"], "neither connect nor bind", "pidfd_getfd")
        self.assertEqual(results["canary.read-project"]["status"], "ok")
        self.assertIn("refused altogether", {rule["kind"]: rule["mechanism"] for rule in told["rules"]}["unix sockets"])

    def test_container_with_less(self):
        code, results, _ = self.doctor(prefix=self.crippled(errno.EPERM, "unshare", "process_vm_readv"))
        self.assertEqual(code, 0)
        self.assertEqual((results["kernel.threads"]["status"], results["kernel.memory"]["status"]), ("warn", "warn"))
        self.assertEqual(results["canary.read-project"]["status"], "ok")

    def test_without_openat2(self):
        code, results, _ = self.doctor(prefix=self.crippled(errno.ENOSYS, "openat2"))
        self.assertEqual(code, 2)
        self.fails(results["kernel.openat2"], "openat2")

    def interrupted(self, number, *args):
        """Ends the doctor by a signal once it has a scratch directory."""
        with subprocess.Popen([world.PMG, "sandbox", "doctor", *args], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            until = time.monotonic() + 20
            while not list(self.cache.glob("pmg-doctor-*/out")) and time.monotonic() < until:
                time.sleep(0.005)
            self.assertEqual([oct(path.stat().st_mode & 0o777) for path in self.cache.glob("pmg-doctor-*")], ["0o700"])
            process.send_signal(number)
            out = process.communicate(timeout=20)[0]
        self.assertEqual((process.returncode, out), (-number, b""))
        self.assertEqual(self.left_behind(), [])

    def test_interrupted(self):
        self.interrupted(signal.SIGINT)
        self.interrupted(signal.SIGTERM)
        self.interrupted(signal.SIGINT, "--attack")

    def test_attack(self):
        done = self.pmg("sandbox", "doctor", "--attack", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        attacks = json.loads(done.stdout)["attacks"]
        self.assertGreaterEqual(len({attack["line"] for attack in attacks if attack["verdict"] == "blocked"}), 20)
        self.assertEqual([attack for attack in attacks if attack["verdict"] not in ("blocked", "skipped")], [])
        for attack in attacks:
            for one in attack["tries"]:
                if one["verdict"] == "blocked":
                    self.assertEqual(one["alone"], "got", one)
                    self.assertTrue(one["under_pmg"].startswith("refused "), one)
                else:
                    self.assertTrue(one["note"], one)
        self.assertEqual(self.left_behind(), [])

    def test_attack_programs_are_found_beside_the_binary_alone(self):
        there = self.top / "prefix"
        (there / "bin").mkdir(parents=True)
        shutil.copy(world.PMG, there / "bin/pmg")

        def attack():
            return subprocess.run([there / "bin/pmg", "sandbox", "doctor", "--attack"], cwd=self.project, env=self.env,
                                  capture_output=True, text=True, timeout=120, check=False)
        self.says(attack(), 2, "not installed", str(there / "bin/attacks"), str(there / "lib/pmg/attacks"))
        # Others could write there: not run.
        (there / "lib/pmg").mkdir(parents=True)
        shutil.copytree(pathlib.Path(world.PMG).parent / "attacks", there / "lib/pmg/attacks")
        (there / "lib/pmg/attacks").chmod(0o777)
        self.says(attack(), 2, "could be changed by other users")
        (there / "lib/pmg/attacks").chmod(0o755)
        (there / "lib/pmg").chmod(0o775)
        self.says(attack(), 2, "could be changed by other users")
        (there / "lib/pmg").chmod(0o755)
        done = attack()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.split()[:6], ["LINE", "ATTACK", "ALONE", "UNDER", "PMG", "VERDICT"])
        self.assertIn(" 0 failed", done.stdout)

    def test_probe_says_what_it_is_for(self):
        self.says(self.pmg("__probe", "nonsense"), 2, "pmg sandbox doctor")
        (self.project / "a").write_text("text")
        done = self.pmg("__probe", "--", "copy", "a", "b", "then", "copy", "missing", "c", "then", "variable", "HOME")
        self.assertEqual((done.returncode, done.stdout), (0, "got\nrefused ENOENT\ngot\n"))
        self.assertEqual((self.project / "b").read_text(), "text")


if __name__ == "__main__":
    unittest.main()
