#!/usr/bin/env python3
"""A day with git under the exec profile: a repository, a linked worktree, and what stays closed."""
import work

#: fixed, so that a confined and a plain run make the same commits
WHO = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
       for what, value in (("NAME", "u"), ("EMAIL", "u@example.test"), ("DATE", "2001-02-03T04:05:06Z"))}

REPOSITORY = ("git init -q -b main . && for i in 1 2 3; do echo $i >f$i && git add . && git commit -qm c$i; done && "
              "git branch old HEAD~2")

#: the index holds times and inode numbers, the reflogs nothing that differs
IGNORE = r"(^|/)(index|ORIG_HEAD\.lock|gitk\.cache)$|(^|/)\.git/hooks/|(^|/)\.git/hooks$"

WORK = ("git status --short; echo 4 >f4; git add f4; git commit -qm c4; git switch -q -c side old; echo s >s; git add s; git commit -qm side; "
        "git rebase -q main; git log --format=%s; git commit -q --amend -m renamed; git switch -q main; git merge -q --no-ff -m merged side; "
        "echo dirty >>f1; git stash -q; git stash list; git stash pop -q; git checkout -q -- f1; git mv f2 g2; git rm -q f3; "
        "git commit -qam moved; git tag -a -m t v1; git cherry-pick --allow-empty old >/dev/null 2>&1 || git cherry-pick --skip; "
        "git reset -q --hard HEAD~1; git revert --no-edit HEAD -m 1 >/dev/null 2>&1 || git revert --abort; git clean -fdq; "
        "git log --oneline --graph --all; git diff --stat old; git status --short; git fsck --strict 2>&1; git reflog | head -5; "
        "git ls-files -s; git blame f1; git archive HEAD | tar -t")


class Repository(work.Work):
    def setUp(self):
        super().setUp()
        self.env |= WHO | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat"}

    def test_a_day(self):
        self.same(WORK, setup=REPOSITORY, ignore=IGNORE)

    def test_init_with_the_one_override(self):
        done = self.inside("git init -q -b main . && echo 1 >f && git add f && git commit -qm c && git log --format=%s && git status --short",
                           "--sandbox-allow", "write=.git/config")
        self.assertEqual(self.good(done), "c\n")
        self.assertEqual(self.good(self.plain("git fsck --strict && git config core.bare && git log --format=%an")), "false\nu\n")

    def test_init_without_it_says_no(self):
        done = self.inside("git init -q -b main . && echo initialised")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("config", done.stdout)

    def test_interactive_rebase_and_bisect(self):
        self.same("GIT_SEQUENCE_EDITOR='sed -i 1s/pick/reword/' GIT_EDITOR='sed -i 1s/.*/again/' git rebase -qi HEAD~2; git log --format=%s; "
                  "git bisect start -q HEAD old >/dev/null; git bisect run sh -c 'test ! -e f3' | tail -1; git bisect reset >/dev/null 2>&1",
                  setup=REPOSITORY, ignore=IGNORE)

    def test_garbage_collection(self):
        done = self.good(self.inside("git gc -q --prune=now && git repack -adq && git fsck && git count-objects -v | grep in-pack", ))if self.prepare(REPOSITORY) is None else ""
        self.assertIn("in-pack", done)

    def test_hooks_and_configuration_stay_closed(self):
        self.prepare(REPOSITORY + "; mkdir -p .git/hooks; printf '#!/bin/sh\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; "
                     "cp -r .git/hooks before")
        for script in ("echo x >>.git/config", "git config core.pager evil", "echo x >.git/hooks/post-commit", "rm -rf .git/hooks",
                       "echo x >>.git/hooks/pre-commit", "mv .git g && echo x >g/hooks/post-commit", "ln .git/config c",
                       "chmod 777 .git/hooks/pre-commit", "ln -s $PWD/evil .git/hooks/post-commit", "mv f1 .git/config"):
            with self.subTest(script=script):
                self.assertNotEqual(self.inside(script).returncode, 0, script)
        self.good(self.plain("diff -r .git/hooks before && git status --short && test -d .git && ! git config core.pager"))

    def test_existing_hook_runs(self):
        self.prepare(REPOSITORY + "; mkdir -p .git/hooks; printf '#!/bin/sh\\necho ran >hooked\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit")
        self.assertEqual(self.good(self.inside("echo 9 >f9; git add f9; git commit -qm c9; cat hooked")), "ran\n")


class Worktree(work.Work):
    SETUP = ("rm -rf ../main; mkdir ../main && cd ../main && " + REPOSITORY + " && git worktree add -q -b w ../proj.new && rmdir ../proj && "
             "git worktree move ../proj.new ../proj")

    def setUp(self):
        super().setUp()
        self.env |= WHO | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat"}
        self.prepare(self.SETUP)

    def test_commit_and_rebase(self):
        done = self.inside("echo n >n && git add n && git commit -qm n && git branch b2 && git rebase -q --onto old HEAD~1 && git stash list && "
                           "git log --format=%s | paste -sd, && git status --short && git switch -q -c b3 && git fetch -q . main:b4")
        self.assertEqual(self.good(done), "n,c1\n")
        self.assertEqual(self.good(self.plain("git -C ../main branch --format='%(refname:short)' | sort | paste -sd,; git -C ../main status --short; "
                                              "git fsck --strict")), "b2,b3,b4,main,old,w\n")

    def test_main_checkout_stays_closed(self):
        main = self.top / "main"
        for script in (f"echo x >{main}/.git/hooks/post-commit", f"echo x >>{main}/.git/config", f"echo x >>{main}/f1", f"rm {main}/f1",
                       f"echo x >{main}/new", f"mkdir -p {main}/.git/info && echo '* filter=x' >{main}/.git/info/attributes",
                       f"mv {main}/.git {main}/g", f"git -C {main} config core.hooksPath /tmp"):
            with self.subTest(script=script):
                self.assertNotEqual(self.inside(script).returncode, 0, script)
        self.assertEqual(self.good(self.plain("git -C ../main status --short; cat ../main/f1")), "1\n")

    def test_git_file_and_pointers_cannot_be_turned(self):
        for script in ("echo 'gitdir: /tmp' >.git", "rm .git", "mv .git g"):
            with self.subTest(script=script):
                self.inside(script)
                # Whatever became of the file, the main repository is as closed as before.
                self.assertNotEqual(self.inside(f"echo x >{self.top}/main/.git/hooks/post-commit").returncode, 0)
        self.assertFalse((self.top / "main/.git/hooks/post-commit").exists())


if __name__ == "__main__":
    work.main()
