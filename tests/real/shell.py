#!/usr/bin/env python3
"""What shells and the small tools do all day, under the exec profile."""
import os
import pty
import select
import signal
import subprocess
import time

import work


class Shell(work.Work):
    def test_pipelines(self):
        self.same("seq 1 20000 | grep 7 | sort -rn | head -n 100 | tee out | wc -l; seq 3 | (exit 4) | cat; echo ${PIPESTATUS[*]:1}; "
                  "set -o pipefail; seq 9 | false | cat; echo $?; cat <(seq 3) | paste -sd+ | bc 2>/dev/null || true")

    def test_here_documents(self):
        # Long enough that the shell uses a temporary file instead of a pipe.
        self.same("x=$(seq 1 60000); cat <<E | sha256sum\n$x\nE\nread -r a <<<'one two'; echo $a; cat <<'E' >f\n$x\nE\ncat f")

    def test_process_substitution(self):
        self.same("diff <(seq 9) <(seq 9) && paste <(seq 3) <(seq 4 6); seq 5 | tee >(sort -rn >down) >(wc -l >count) >up; "
                  "for i in $(seq 50); do [ -s down ] && [ -s count ] && break; sleep 0.1; done; cat up down count")

    def test_redirections(self):
        self.same("exec 3>three 4<>four; echo a >&3; echo b >&4; exec 3>&- 4>&-; cat three four; echo c >/dev/stdout; "
                  "echo d 2>/dev/null >/dev/fd/1; { echo e >/dev/stderr; } 2>err; cat err; echo f | cat /dev/stdin; "
                  "set -C; echo g >three 2>/dev/null || echo kept; cat /dev/fd/5 5<<<h")

    def test_background_jobs_and_traps(self):
        self.same("for i in 1 2 3; do (sleep 0.0$i; echo $i >job$i) & done; wait; cat job?; bash -c \"trap 'echo bye' EXIT; exit 3\"; echo $?; "
                  "sleep 5 & p=$!; sleep 0.1; kill $p; wait $p 2>/dev/null; echo $?; coproc cat; echo hi >&${COPROC[1]}; "
                  "read -r line <&${COPROC[0]}; echo $line")

    def test_umask(self):
        self.same("for m in 000 022 027 077; do umask $m; : >f$m; mkdir d$m; mkfifo p$m; (umask 002; : >g$m); done; "
                  "umask 077; python3 -c \"import os; open('py','w'); os.umask(0); open('py0','w'); os.mkdir('pyd', 0o1777)\"; "
                  "cp --no-preserve=mode f000 copied; install -m 640 f000 installed; stat -c '%a %n' *")

    def test_umask_of_threads_and_children(self):
        self.write("u.py", "import os, threading\n"
                           "def work(n):\n  for i in range(200): open(f't{n}.{i}', 'w').close()\n"
                           "os.umask(0o027); threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]\n"
                           "[t.start() for t in threads]; [t.join() for t in threads]\n"
                           "if os.fork() == 0: os.umask(0o002); open('child', 'w').close(); os._exit(0)\n"
                           "os.wait(); open('parent', 'w').close()\n")
        text = (self.project / "u.py").read_text()
        self.same("python3 u.py; stat -c '%a' t* child parent | sort | uniq -c", setup=f"cat >u.py <<'E'\n{text}E")

    def test_times(self):
        self.same("touch -d '2001-02-03 04:05:06.789' f; touch -r f g; touch -h -d @1 link; touch -a -d @5 g; "
                  "stat -c '%n %X %Y' f g; find . -newer f -name h; cp -p f h; mkdir d; touch -d @99 d; stat -c '%Y' d link",
                  setup="echo 1 >f; ln -s f link; touch -d @7 .", times=False)

    def test_modes_and_links(self):
        self.same("chmod 640 a; chmod u+s,g+s b; chmod 1777 d; ln a a2; ln -s a rel; ln -s \"$PWD/b\" abs; ln -s gone dangling; "
                  "ln -P rel rel2; readlink rel abs dangling rel2; realpath rel abs; stat -Lc %h rel; mv a2 d/; rm b; "
                  "ls -1 d; chmod -R go-w .; rename_ok=1; mv -T d e; mv -n e/a2 a; cat a",
                  setup="echo 1 >a; echo 2 >b; mkdir d")

    def test_tar_and_copy(self):
        setup = ("mkdir -p src/deep/er src/empty; echo 1 >src/f; ln src/f src/hard; ln src/f src/deep/hard; ln -s ../f src/deep/sym; "
                 "ln -s nowhere src/broken; mkfifo src/pipe; head -c 300000 /dev/zero >src/zeros; truncate -s 1M src/sparse; "
                 "touch -d @1000000000 src/f src/deep/er; chmod 751 src/deep; chmod 400 src/zeros; printf x >$'src/odd \\n \\xff name'")
        self.same("tar -cf a.tar src && mkdir out && tar -xpf a.tar -C out && cp -a src copy && cp -al src links && "
                  "tar -tf a.tar | wc -l; find out copy links | wc -l; rm -r out/src/deep; cp -r --reflink=auto copy again; "
                  "mv copy moved; rm a.tar; diff -r --no-dereference src moved && rm -rf again; "
                  "stat -c '%Y' moved/f moved/deep/er links/f", setup=setup)

    def test_fifo(self):
        self.same("mkfifo p; (for i in 1 2 3; do echo $i; sleep 0.05; done >p) & cat p; wait; "
                  "(sleep 0.3; cat p >got) & echo late >p; wait; cat got; exec 5<>p; echo both >&5; read -r x <&5; echo $x")

    def test_many_waiting_fifos(self):
        # More readers than the broker has threads; none may keep the others from working.
        self.same("for i in $(seq 40); do mkfifo p$i; cat p$i >o$i & done; sleep 0.3; ls | wc -l; echo ok >f; cat f; "
                  "for i in $(seq 40); do echo $i >p$i; done; wait; cat o* | sort -n | paste -sd,")

    def test_fifo_a_thousand_times(self):
        # An answer that gets lost on its way shows as descriptor 0, once in a few hundred.
        self.same("python3 -c \"\nimport os\nfor i in range(1000):\n  os.mkfifo('p'); pid = os.fork()\n"
                  "  if pid == 0: f = os.open('p', os.O_WRONLY); os._exit(os.write(f, b'late') != 4)\n"
                  "  f = os.open('p', os.O_RDONLY); assert f > 2 and os.read(f, 9) == b'late', (i, f); os.close(f)\n"
                  "  assert os.waitpid(pid, 0)[1] == 0, i; os.unlink('p')\nprint('all')\"")

    def test_fifo_of_nobody_is_interruptible(self):
        done = self.inside("mkfifo p; timeout 1 cat p; echo $?; sleep 0.2; timeout 1 bash -c 'echo x >p'; echo $?; echo y >f; cat f")
        self.assertEqual(self.good(done), "124\n124\ny\n")

    def test_find_sed_sort_xargs(self):
        self.same("find . -name '*.txt' | sort | xargs -P4 -n5 wc -c | sort | tail -3; sed -i 's/1/one/' d1/*.txt; "
                  "find . -name '1*.txt' -delete; find . -type f -exec sha256sum {} + | sort | sha256sum; "
                  "seq 200000 | sort -R -S 1M --random-source=/dev/zero | sort -n -S 1M | tail -1; grep -rl one . | sort | head",
                  setup="for d in 1 2 3; do mkdir d$d; for i in $(seq 40); do echo $i >d$d/$i.txt; done; done")

    def test_odd_names(self):
        self.same("mkdir -p \"$(printf 'n%.0s' $(seq 250))\" 'a*b' '[slug]' 'sp ace' $'new\\nline' $'\\xff\\xfe'; "
                  "for d in */; do (cd \"$d\" && echo 1 >'?' && echo 2 >-x && cat ./-x && mv -- -x \\*); done; "
                  "p=.; for i in $(seq 100); do p=$p/dddddddddddddddddddd; done; mkdir -p $p && echo deep >$p/f && cat $p/f; "
                  "for i in $(seq 60); do cd dddddddddddddddddddd 2>/dev/null; done; pwd | wc -c; echo x >here; ls")

    def test_temporary_files(self):
        self.same("f=$(mktemp) && echo 1 >$f && cat $f && rm $f; d=$(mktemp -d) && mkdir $d/x && rmdir $d/x $d; "
                  "python3 -c \"import tempfile,os; f=tempfile.TemporaryFile(); f.write(b'1'); "
                  "g=tempfile.NamedTemporaryFile(dir='.'); print(os.path.exists(g.name)); "
                  "fd=os.open('.', os.O_TMPFILE|os.O_RDWR, 0o600); os.write(fd, b'late'); "
                  "os.link(f'/proc/self/fd/{fd}', 'linked', src_dir_fd=fd); print(open('linked').read())\"")

    def test_removed_working_directory(self):
        self.same("mkdir d; cd d; rmdir ../d; pwd -P 2>&1 | wc -l; : >f 2>/dev/null || echo gone; cd ..; ls")

    def test_locks(self):
        self.need("flock")
        self.same("(flock 9; sleep 0.3; echo first >>log) 9>lock & sleep 0.1; flock lock -c 'echo second >>log'; wait; cat log")

    def test_sizes(self):
        self.same("truncate -s 5000 f; truncate -s 10 f; fallocate -l 4096 g 2>/dev/null || truncate -s 4096 g; dd if=/dev/zero of=h bs=1k "
                  "count=4 seek=4 conv=notrunc status=none; dd if=h of=i bs=512 oflag=append conv=notrunc status=none; stat -c '%n %s' *")

    def test_extended_attributes(self):
        self.same("python3 -c \"import os\nopen('f','w')\ntry: os.setxattr('f','user.k',b'v')\n"
                  "except OSError as e: print(e.errno)\nelse: print(os.listxattr('f'), os.getxattr('f','user.k')); os.removexattr('f','user.k')\"")

    def test_devices(self):
        self.same("echo x >/dev/null; head -c 10 /dev/zero | wc -c; head -c 10 /dev/urandom | wc -c; "
                  "echo full >/dev/full 2>/dev/null || echo full; ls /dev/fd >/dev/null && echo fds")

    def test_owner(self):
        if os.geteuid() != 0:
            self.skipTest("only root gives files away")
        self.same("echo 1 >f; ln -s f l; chown 1234:2345 f; chown -h 1:1 l; mkdir d; chown -R 5:6 d; stat -c '%u:%g' f l d")

    def test_proc_of_its_own(self):
        self.same("sleep 30 & sleep 0.3; cat /proc/$!/comm; ls -l /proc/$!/cwd | grep -c proj; readlink /proc/self/exe; ps -o comm= -p $!; kill $!; "
                  "cat /proc/self/comm; ls /proc/self/fd | wc -l; (cd /proc/self/cwd && echo 1 >f); cat f; pgrep -c . >/dev/null && echo ok")


class Terminal(work.Work):
    def test_script(self):
        self.need("script")
        done = self.inside("script -qec 'tty >/dev/null && stty size >/dev/null && echo on a terminal' /dev/null </dev/null; echo $?")
        self.assertRegex(self.good(done), "on a terminal\r?\n(.|\n)*0\n")

    def test_python_pty(self):
        done = self.inside("python3 -c \"import pty,os; print(pty.spawn(['bash','-c','test -t 0 && echo yes; exec 3<>/dev/tty; echo tty >&3']))\"")
        self.assertRegex(self.good(done), "yes\r\ntty\r\n(.|\n)*0\n")

    def on_a_terminal(self, command, turns):
        """Types, once a text was printed, the next: (text, what to type). What was printed in the end, and the exit code."""
        program, terminal = pty.fork()
        if program == 0:
            os.chdir(self.project)
            os.execvpe(command[0], command, {**self.env, "PS1": "ready> ", "TERM": "dumb"})
        said, end = "", time.monotonic() + 30
        for awaited, typed in turns:
            while awaited not in said and time.monotonic() < end:
                if select.select([terminal], [], [], 0.1)[0]:
                    said += os.read(terminal, 4096).decode()
            if awaited not in said:
                os.kill(program, signal.SIGKILL)
                self.fail(f"{awaited!r} was not printed: {said!r}")
            said = said.split(awaited, 1)[1]
            time.sleep(0.3)  # for what was started to be in the foreground
            os.write(terminal, typed.encode())
        while True:
            try:
                said += os.read(terminal, 4096).decode()
            except OSError:
                break
        os.close(terminal)
        return said, os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])

    def test_job_control(self):
        shell = ["bash", "--norc", "--noprofile", "-i"]
        turns = [("ready> ", "sleep 60\n"), ("sleep 60", "\x1a"), ("Stopped", "bg\n"), ("sleep 60 &", "fg\n"), ("sleep 60", "\x03"),
                 ("ready> ", "sleep 0.1 | cat; echo do''ne $?\n"), ("done 0", "cat &\n"), ("ready> ", "jobs\n"), ("Stopped", "fg\n"),
                 ("cat", "typed\n"), ("typed\r\ntyped", "\x04"), ("ready> ", "bash --norc -c 'exit 5'; echo in''ner $?\n"), ("inner 5", "exit 7\n")]
        for command in (shell, [self.pmg, "sandbox", "exec", "--", *shell]):
            with self.subTest(command=command[0]):
                said, code = self.on_a_terminal(command, turns)
                self.assertEqual(code, 7, said)

    def test_terminal_goes_back(self):
        # The shell inside gives the terminal back when it ends, so the one outside can read from it.
        inner = f"PS1='ready> ' {self.pmg} sandbox exec -- bash --norc --noprofile -i"
        said, code = self.on_a_terminal(["bash", "--norc", "--noprofile", "-c", f"{inner}; read -r line; echo got-$line"],
                                        [("ready> ", "exit\n"), ("exit", "text\n")])
        self.assertIn("got-text", said)
        self.assertEqual(code, 0)

    def test_tmux(self):
        self.need("tmux")
        # The server's socket lies in the project: the sockets of the machine stay closed.
        done = self.inside("tmux -S ./sock -f /dev/null new-session -d -x 80 -y 24 'echo in-tmux; sleep 20' && sleep 1 && "
                           "tmux -S ./sock capture-pane -p | head -1; tmux -S ./sock kill-server")
        self.assertEqual(self.good(done), "in-tmux\n")


class Manners(work.Work):
    def test_text_arguments_arrive_unchanged(self):
        """UX-02"""
        words = ["--help", "-v", "--sandbox-allow", "read=x", "--", "y", "a b", "", "*", "$HOME", 'q"uote', "new\nline",
                 "tab\t", "--debug", "-c", "\udcff\udcfe", "'", "\\", "-"]
        expected = "".join(f"<{word}>\n" for word in words)
        for front in (["--"], []):
            with self.subTest(front=front):
                done = self.run_command([self.pmg, "sandbox", "exec", *front, "printf", "<%s>\\n", *words])
                self.assertEqual((done.returncode, done.stdout), (0, expected))
        done = self.run_command([self.pmg, "sandbox", "exec", "--", "sh", "-c", 'echo "$@"', "_", "--help", "-v",
                                 "--sandbox-allow", "read=x", "--", "y"])
        self.assertEqual((done.returncode, done.stdout), (0, "--help -v --sandbox-allow read=x -- y\n"))

    def test_working_directory_that_gives_everything_away(self):
        """FSD-34"""
        for where in (self.home, self.top, "/"):
            done = self.run_command([self.pmg, "sandbox", "exec", "sh", "-c", "echo x >probe"], cwd=where)
            self.assertNotEqual(done.returncode, 0, where)
            self.assertRegex(done.stdout, "^pmg: .*working directory")
            self.assertFalse((self.home / "probe").exists() or (self.top / "probe").exists())

    def test_every_spelling_of_one_override(self):
        """FSA-22"""
        for name in (".env", ".env.local"):
            self.secret(self.project / name)
        self.secret(self.home / ".aws/credentials")
        for spelling in (".env", "./.env", str(self.project / ".env"), "${CWD}/.env"):
            with self.subTest(spelling=spelling):
                flags = ("--sandbox-allow", f"read={spelling}")
                self.assertIn(work.SECRET, self.good(self.inside("cat .env", *flags)))
                for other in (".env.local", "~/.aws/credentials"):
                    denied = self.inside(f"cat {other}", *flags)
                    self.assertNotIn(work.SECRET, denied.stdout)
                    self.assertNotEqual(denied.returncode, 0)
                self.assertNotEqual(self.inside("echo x >>.env", *flags).returncode, 0)
        self.assertNotIn("x", (self.project / ".env").read_text())

    def test_relative_deny_that_climbs_is_an_error(self):
        """FSD-26"""
        profile = self.top / "climbs.yaml"
        for entry in ("..", "../..", "${CWD}/.."):
            profile.write_text(f"name: climbs\ndescription: x\ninherits: exec\npackage_managers: [npm]\n"
                               f"filesystem:\n  deny_read:\n    - \"{entry}\"\n")
            done = self.inside("touch ran", "--sandbox-profile", str(profile))
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stdout, rf"^pmg: {profile}:7:\d+")
            self.assertFalse((self.project / "ran").exists())

    def test_scrubbed_variable_is_named(self):
        """ENV-05, what of it there is: the name in the debug report, the value nowhere."""
        done = self.inside("[ -n \"$GH_TOKEN\" ]", "--debug", env={"GH_TOKEN": work.SECRET})
        self.assertEqual(done.returncode, 1)
        self.assertIn("GH_TOKEN", done.stdout)
        self.assertNotIn(work.SECRET, done.stdout)

    def test_quiet_and_nothing_left(self):
        before = set(os.listdir(self.project))
        done = subprocess.run([self.pmg, "sandbox", "exec", "true"], cwd=self.project, env=self.env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        self.assertEqual(set(os.listdir(self.project)), before)
        self.assertEqual(os.listdir(self.home), [])

    def test_descendants_end_with_the_run(self):
        mark = f"60.{os.getpid()}"
        began = time.monotonic()
        self.good(self.inside(f"setsid sleep {mark} & (trap '' TERM; sleep {mark}) & nohup sleep {mark} >/dev/null 2>&1 & exit 0"))
        self.assertLess(time.monotonic() - began, 5)
        left = subprocess.run(["pgrep", "-xf", f"sleep {mark}"], stdout=subprocess.PIPE, check=False).stdout
        self.assertEqual(left, b"")


if __name__ == "__main__":
    work.main()
