"""`pmg sandbox exec`: finding the program, exit codes, environment, refusals."""
import os
import signal
import socket
import threading
import unittest

import world


class Lookup(world.World):
    def test_not_found(self):
        self.says(self.exec("no-such-program"), 127, "`no-such-program` not found in PATH")
        self.says(self.exec("./no-such-program"), 127, "`./no-such-program` does not exist")
        self.says(self.exec(""), 127, "not found")

    def test_not_executable(self):
        path = self.script("plain", "echo LEAK\n", 0o644)
        self.says(self.exec("plain"), 126, f"`{path}` is not executable")
        self.says(self.exec(str(self.bin)), 126, "is a directory")

    def test_later_element_wins_over_a_file_without_permission(self):
        self.script("true", "echo LEAK\n", 0o644)
        self.assertEqual(self.exec("true").returncode, 0)

    def test_empty_element_is_the_working_directory(self):
        (self.project / "here").write_text("#!/bin/sh\nexit 9\n")
        (self.project / "here").chmod(0o755)
        for path in (":/usr/bin:/bin", "/usr/bin::/bin", "/usr/bin:/bin:"):
            with self.subTest(path=path):
                self.assertEqual(self.exec("here", env={"PATH": path}).returncode, 9)
        self.assertEqual(self.exec("here", env={"PATH": "/usr/bin:/bin"}).returncode, 127)

    def test_interpreter_missing(self):
        self.script("lost", "#!/no/such/interpreter\n")
        self.says(self.exec("lost"), 127, "interpreter")

    def test_script_without_interpreter_line(self):
        self.script("bare", "exit 8\n")
        self.assertEqual(self.exec("bare").returncode, 8)

    def test_policy_refuses(self):
        other = self.top / "elsewhere"
        other.mkdir()
        tool = other / "tool"
        tool.write_text("#!/bin/sh\necho LEAK\n")
        tool.chmod(0o755)
        done = self.exec(str(tool))
        self.says(done, 126, f"`{tool}` may not run", "no rule allows it", f"--sandbox-allow exec={tool}")
        self.assertNotIn("LEAK", done.stdout)


class UnixSockets(world.World):
    CLIENT = """import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
print(client.recv(9).decode())
"""

    def setUp(self):
        super().setUp()
        self.address = self.top / "agent.sock"
        self.server = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.server.close)
        self.server.bind(str(self.address))
        self.server.listen(8)
        self.server.settimeout(20)

    def connect(self, *flags, to=None):
        return self.pmg("--debug", "sandbox", "exec", *flags, "--", "python3", "-c", self.CLIENT, str(to or self.address))

    def serve_one(self):
        thread = threading.Thread(target=lambda: self.server.accept()[0].sendall(b"hello"))
        thread.start()
        self.addCleanup(thread.join)

    def test_socket_of_the_host_is_refused(self):
        done = self.connect()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("PermissionError", done.stderr)
        self.assertRegex(done.stderr, f"refused.*connect to.*{self.address}")
        self.assertRegex(self.connect(f"--sandbox-allow=unix={self.address}x").stderr, "PermissionError")

    def test_allowed_by_its_path(self):
        self.serve_one()
        done = self.connect(f"--sandbox-allow=unix={self.address}")
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)

    def test_allowed_by_a_profile_and_through_a_symlink(self):
        (self.project / "profile.yml").write_text(
            f"name: own\ndescription: one socket\npackage_managers: [npm]\ninherits: exec\nunix_sockets:\n  allow:\n    - {self.top}/*.sock\n")
        (self.project / "link").symlink_to(self.address)
        self.serve_one()
        done = self.connect("--sandbox-profile=profile.yml", to="link")
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)

    def test_one_socket_is_no_pattern(self):
        self.says(self.pmg("sandbox", "exec", "--sandbox-allow", "unix=/run/*.sock", "true"), 1, "one socket")


class ExitCodes(world.World):
    def test_codes_are_passed_on(self):
        for code in (0, 1, 2, 77, 125, 126, 127, 255):
            done = self.exec("sh", "-c", f"exit {code}")
            self.assertEqual((done.returncode, done.stderr), (code, ""))

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
            self.assertEqual(self.exec("sh", "-c", f"kill -{int(number)} $$").returncode, 128 + number)


class Environments(world.World):
    SECRETS = {"GITHUB_TOKEN": "SECRET-42", "npm_token": "SECRET-42", "KEEP_ME": "yes"}

    def test_is_scrubbed_and_marked(self):
        done = self.exec("env", env=self.SECRETS)
        self.assertNotIn("SECRET-42", done.stdout + done.stderr)
        for line in ("KEEP_ME=yes", "PMG_SANDBOX=1", "GIT_TEMPLATE_DIR=", f"PATH={self.env['PATH']}", f"HOME={self.home}"):
            self.assertIn(line, done.stdout.splitlines())

    def test_allowed_by_exact_name(self):
        done = self.pmg("sandbox", "exec", "--sandbox-allow", "env=GITHUB_TOKEN", "--", "env", env=self.SECRETS)
        self.assertIn("GITHUB_TOKEN=SECRET-42", done.stdout.splitlines())
        self.assertNotIn("npm_token", done.stdout)

    def test_own_template_directory_is_kept(self):
        done = self.exec("sh", "-c", "echo $GIT_TEMPLATE_DIR", env={"GIT_TEMPLATE_DIR": "/some/where"})
        self.assertEqual(done.stdout, "/some/where\n")

    def test_debug_names_but_never_values(self):
        done = self.pmg("--debug", "sandbox", "exec", "true", env=self.SECRETS)
        self.assertEqual(done.returncode, 0)
        self.assertIn("GITHUB_TOKEN", done.stderr)
        self.assertNotIn("SECRET-42", done.stderr + done.stdout)


class Refusals(world.World):
    """`--debug` tells what was refused, also where no rule was asked; the error is caught inside."""
    TRY = "import os, resource, socket, sys\ntry:\n    {}\n    print('got')\nexcept OSError as e:\n    print(e.errno)\n"

    def refused(self, statement, *args):
        done = self.pmg("--debug", "sandbox", "exec", "--", "python3", "-c", self.TRY.format(statement), *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\A\d+\n\Z")
        return [line for line in done.stderr.splitlines() if line.startswith("pmg: refused ")]

    def test_limits_of_processes_outside(self):
        outside = str(os.getpid())
        self.assertEqual(self.refused("resource.prlimit(int(sys.argv[1]), resource.RLIMIT_CORE)", outside),
                         [f"pmg: refused control process {outside}: belongs to a process outside the sandbox"])

    def test_abstract_sockets_of_the_host(self):
        name = f"pmg-test-{os.getpid()}"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("\0" + name)
            server.listen()
            self.assertEqual(self.refused("socket.socket(socket.AF_UNIX).connect('\\0' + sys.argv[1])", name),
                             [f"pmg: refused connect to @{name}: is an abstract socket that was not bound inside"])

    def test_both_names_of_a_move(self):
        (self.project / "here").touch()
        refused = self.refused("os.rename('here', '/usr/pmg-test-moved')")
        self.assertEqual(len(refused), 1)
        self.assertTrue(refused[0].startswith(f"pmg: refused rename {self.project}/here to /usr/pmg-test-moved: "), refused)


class WorkingDirectory(world.World):
    def test_refused_where_it_gives_away_the_home_directory(self):
        for cwd in (self.home, self.top, "/"):
            with self.subTest(cwd=cwd):
                self.says(self.exec("touch", "ran", cwd=cwd), 1, "--unsafe-cwd")
                self.assertFalse((self.home / "ran").exists())

    def test_override(self):
        done = self.pmg("sandbox", "exec", "--unsafe-cwd", "--", "sh", "-c", "exit 5", cwd=self.home)
        self.assertEqual((done.returncode, done.stderr), (5, ""))

    def test_a_symlink_to_the_home_directory_counts(self):
        (self.top / "link").symlink_to(self.home)
        self.says(self.exec("true", cwd=self.top / "link"), 1, "--unsafe-cwd")
        self.says(self.exec("true", cwd=self.home, env={"HOME": str(self.top / "link")}), 1, "--unsafe-cwd")


class GitConfiguration(world.World):
    def test_too_large_to_be_looked_through(self):
        (self.project / ".git").mkdir()
        (self.project / ".git/config").write_text("#" * (1 << 20))
        self.assertEqual(self.exec("true").returncode, 0)
        (self.project / ".git/config").write_text("#" * ((1 << 20) + 1))
        self.says(self.exec("echo", "LEAK"), 1, f"`{self.project}/.git/config`", "larger than 1 MiB")

    def test_too_many_entries(self):
        (self.project / ".git/modules").mkdir(parents=True)
        for i in range(20_001):
            (self.project / f".git/modules/{i}").touch()
        self.says(self.exec("echo", "LEAK"), 1, f"`{self.project}/.git/modules`", "more than 20,000 entries")


class Nested(world.World):
    def inside(self, script):
        folder, name = world.PMG.rsplit("/", 1)
        self.env["PATH"] = f"{self.env['PATH']}:{folder}"
        return self.pmg("sandbox", "exec", "--sandbox-allow", f"exec={world.PMG}", "--sandbox-allow", f"read={world.PMG}",
                        "--", "sh", "-c", script.replace("pmg", name))

    def test_exec_refuses(self):
        self.says(self.inside("pmg sandbox exec -- touch ran"), 1, "already inside a pmg sandbox")
        self.assertFalse((self.project / "ran").exists())

    def test_managers_run_with_a_notice(self):
        self.script("npm", world.ECHO)
        done = self.inside("pmg --sandbox npm install x")
        self.says(done, 0, "already inside")
        self.assertEqual(done.stdout, "<install>\n<x>\n")

    def test_a_stale_marker_does_not_turn_the_sandbox_off(self):
        done = self.exec("sh", "-c", "grep -q 'Seccomp:.2' /proc/self/status", env={"PMG_SANDBOX": "1"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class DryRun(world.World):
    def test_prints_policy_and_plan(self):
        done = self.pmg("sandbox", "exec", "--dry-run", "--sandbox-allow", "read=/etc/hostname", "--", "touch", "ran",
                        env={"GITHUB_TOKEN": "SECRET-42"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse((self.project / "ran").exists())
        self.assertNotIn("SECRET-42", done.stdout)
        for part in ("exec", "touch", "GITHUB_TOKEN", "/etc/hostname", "command line", "allow_write", "deny_read", "**/.env",
                     "built-in list", str(self.project)):
            self.assertIn(part, done.stdout)

    def test_tells_that_the_program_may_not_run(self):
        self.says(self.pmg("sandbox", "exec", "--dry-run", "no-such-program"), 127, "not found")


if __name__ == "__main__":
    unittest.main()
