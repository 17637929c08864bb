"""--git and --build on real repositories, with the real daemon."""

import json
import os
import re

from git_repository import GATE, GitRepository
from main import main
from replay import Replay
from support import FAILED, PASS, TIMEOUT_S, REGRESSION, USAGE, DaemonTest


class GitTest(GitRepository, Replay, DaemonTest):
    def setUp(self):
        super().setUp()
        self.base = self.commit("t:100:1", message="base", tag="v1")
        self.slow = self.commit("t:110:1", message="slower")

    def worktrees(self):
        return self.folder / ".cache/benchd/worktrees"

    def test_two_commits_are_built_compared_and_named(self):
        done = self.compare_commits("v1..HEAD")
        self.assert_exit(done, REGRESSION)
        described = {
            "v1": {"id": self.base, "description": "v1"},
            "HEAD": {"id": self.slow, "description": f"v1-1-g{self.slow[:7]}"},
        }
        self.assertEqual(done.events[0]["event"], "commits")
        self.assertEqual(done.events[0]["commits"], described)
        self.assertEqual(done.events[-1]["verdict"], "regression")
        session = done.events[-1]["session"]
        # The output of `show`, as JSON and as text.
        shown = self.session(session)
        arms = shown["spec"]["benchmarks"][0]["arms"]
        self.assertEqual({arm["name"]: arm["commit"] for arm in arms}, described)
        text = self.benchctl("show", session)
        self.assert_exit(text, PASS)
        for arm, commit in described.items():
            line = f"commit  {arm}: {commit['description']} ({commit['id']})"
            self.assertTrue(
                any(" ".join(row.split()) == " ".join(line.split())
                    for row in text.stdout.splitlines()), text)
        # The same for `watch`, for any watcher.
        watched = self.benchctl("watch", session)
        self.assert_exit(watched, REGRESSION)
        self.assertIn(f"v1: v1 ({self.base})", watched.stdout)
        watched = self.benchctl("watch", session, "--json")
        self.assertEqual(json.loads(watched.stdout.splitlines()[0])["commits"], described)
        # Both ran in folders with paths of equal length, and the user's worktree is unchanged.
        self.assertEqual(len(set(arm["cwd"] for arm in arms)), 2)
        self.assertEqual(len(set(len(arm["cwd"]) for arm in arms)), 1)
        self.assertEqual(len(self.build_folders()), 2)
        self.assertEqual(self.git("status", "--porcelain"), "")
        # Recompute its numbers and repeat the session with the commands that `show` prints.
        self.assert_replayed(done.events[-1])
        again = [row for row in text.stdout.splitlines() if row.startswith("again: ")]
        self.assertEqual(len(again), 1, text)
        repeated = self.shell(again[0].removeprefix("again: "))
        self.assert_exit(repeated, REGRESSION)
        self.assertEqual(len(self.build_folders()), 2, "found again, not built again")
        self.assertIn(f"v1: v1 ({self.base})", repeated.stdout)

    def test_the_same_commit_is_built_again_only_by_another_command(self):
        self.assert_exit(self.compare_commits("v1..HEAD"), REGRESSION)
        third = self.commit("t:100:1")
        self.assert_exit(self.compare_commits("v1..HEAD"), PASS)
        self.assertEqual(len(self.build_folders()), 3, "v1 was there")
        self.BUILD = "sh ./build.sh"
        self.assert_exit(self.compare_commits(f"v1..{third}"), PASS)
        self.assertEqual(len(self.build_folders()), 5)
        self.assertEqual(len(set(map(len, self.build_folders()))), 1)

    def test_the_worktree_as_it_is_against_a_commit(self):
        self.write_program("t:121:1")
        self.write("untracked", "x")
        self.write("staged", "x")
        self.git("add", "staged")
        before = self.git("status", "--porcelain")
        done = self.compare_commits("HEAD..WORKTREE")
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.git("status", "--porcelain"), before)
        self.assertEqual(self.git("stash", "list"), "")
        candidate = done.events[0]["commits"]["WORKTREE"]
        self.assertEqual(candidate["description"], f"v1-1-g{self.slow[:7]}-dirty")
        self.assertEqual(
            self.git("ls-tree", "--name-only", candidate["id"]).splitlines(),
            [".gitignore", "build.sh", "program", "staged", "untracked"])
        # 121/110 - 1 = 0.1; 0.02 is several standard errors at eight blocks (0.01 * sqrt(2/8)).
        change = done.events[-1]["comparisons"][0]["change"]["estimate"]
        self.assertAlmostEqual(change, 0.1, delta=0.02)

    def test_a_branch_against_where_it_began(self):
        self.git("checkout", "--quiet", "-b", "topic", "v1")
        topic = self.commit("t:100:1", "u:1:0", message="as fast as v1")
        done = self.compare_commits("main...topic")
        self.assert_exit(done, PASS)
        commits = done.events[0]["commits"]
        self.assertEqual((commits["base"]["id"], commits["topic"]["id"]), (self.base, topic))

    def test_a_failing_build_fails_the_session_with_the_end_of_its_log(self):
        self.write("build.sh", "seq 1000\necho 'bench.c:3: error: no' >&2\nexit 2\n")
        self.commit(message="broken")
        done = self.benchctl(
            "compare", *GATE, "--git", "v1..HEAD", "--build", self.BUILD, "--", "./bench",
            cwd=self.repository)
        self.assert_exit(done, FAILED)
        self.assertIn("build: exited with code 2", done.stderr)
        self.assertIn("  bench.c:3: error: no\n", done.stderr)
        # The hint names a command for the user, not the internal command of benchctl.
        self.assertNotIn("build-worktrees", done.stderr)
        hint = re.search(r"^hint: (benchctl show \w+ --log) prints the whole output$", done.stderr,
                         re.MULTILINE)
        self.assertTrue(hint, done.stderr)
        log = self.benchctl(*hint[1].split()[1:])
        self.assertIn("\n999\n", log.stdout)
        # A failed build is not kept: the next attempt starts anew and fails again.
        done = self.compare_commits("v1..HEAD")
        self.assert_exit(done, FAILED)
        failed = done.events[-1]
        self.assertEqual(failed["event"], "failed")
        self.assertEqual(failed["run"]["exit_code"], 2)
        self.assertIn("bench.c:3: error: no", failed["run"]["stderr_tail"])
        self.assertEqual(len(list(self.worktrees().glob("*/built"))), 1, "v1's")

    def test_a_program_that_the_build_does_not_make_is_named(self):
        done = self.benchctl(
            "compare", *GATE, "--git", "v1..HEAD", "--build", "true", "--", "./bench",
            cwd=self.repository)
        self.assert_exit(done, FAILED)
        self.assertIn("./bench", done.stderr)
        self.assertIn("No such file", done.stderr)
        self.assertIn("hint: a checkout has the commit's files and the output of --build", done.stderr)
        # The same without a build.
        done = self.benchctl("compare", *GATE, "--git", "v1..HEAD", "--", "./bench",
                             cwd=self.repository)
        self.assert_exit(done, FAILED)
        self.assertIn("add --build COMMAND", done.stderr)

    def test_without_a_build_the_files_of_the_commit_run(self):
        done = self.benchctl(
            "compare", "--json", *GATE, "--git", "v1..HEAD", "--", "sh", "{dir}/program",
            cwd=self.repository)
        self.assert_exit(done, REGRESSION)

    def test_an_interrupted_build_is_never_used(self):
        started, gate = self.folder / "started", self.folder / "gate"
        for fifo in (started, gate):
            os.mkfifo(fifo)
        self.write(
            "build.sh",
            "cp program bench && chmod +x bench\n"
            f"if [ -p {gate} ]; then echo 'echo t 1' >bench; echo >{started}; read x <{gate}; fi\n")
        self.commit("t:110:1")
        client = self.start_client(
            "compare", *GATE, "--git", "HEAD~1..HEAD", "--build", self.BUILD, "./bench",
            cwd=self.repository)
        with open(started) as reader:
            reader.read()
        session = client.until("commits")["session"]
        self.assert_exit(self.benchctl("cancel", session), PASS)
        client.finish()
        gate.unlink()
        done = self.compare_commits("HEAD~1..HEAD")
        self.assert_exit(done, PASS)
        means = done.events[-1]["comparisons"][0]
        self.assertAlmostEqual(means["mean_candidate"], 110, delta=2)  # not the 1 of the half-built

    def test_two_sessions_at_once_build_once(self):
        words = ("submit", *GATE, "--git", "v1..HEAD", "--build", self.BUILD, "./bench")
        submitted = [self.benchctl_json(*words, cwd=self.repository) for _ in range(2)]
        for done in submitted:
            self.assert_exit(done, PASS)
            self.assertEqual(done.events[0]["commits"]["v1"]["id"], self.base)
            self.assert_exit(
                self.benchctl("watch", done.events[0]["session"], timeout=TIMEOUT_S), REGRESSION)
        self.assertEqual(len(self.build_folders()), 2)

    def test_a_suite_of_two_commits(self):
        self.write("suite.toml", """
[defaults]
git = "v1..HEAD"
build = "sh build.sh"
parse = "lines"
metric = "t:2%:lower"
[[benchmark]]
name = "direct"
command = "./bench"
[[benchmark]]
name = "by-path"
command = "{dir}/bench"
""")
        done = self.benchctl_json("compare", "-f", "suite.toml", cwd=self.repository)
        self.assert_exit(done, REGRESSION)
        self.assertEqual(
            {c["benchmark"] for c in done.events[-1]["comparisons"]}, {"direct", "by-path"})
        self.assertEqual(len(self.build_folders()), 2)

    def test_what_a_build_did_not_fetch_is_a_warning_of_the_verdict(self):
        self.write(".gitattributes", "*.bin filter=lfs\n")
        self.write("data.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
        self.git("add", "--all")
        self.git("update-index", "--add", "--cacheinfo", f"160000,{self.base},lib")
        self.git("commit", "--quiet", "-m", "as fast as the one before")
        found = {"lfs_pointers": "1 file of", "empty_submodules": "1 submodule of"}
        for _ in range(2):  # the second time the build exists
            done = self.compare_commits("HEAD~1..HEAD")
            self.assert_exit(done, PASS)
            warnings = {w["code"]: w for w in done.events[-1]["warnings"] if w["code"] in found}
            self.assertEqual(set(warnings), set(found), done)
            for code, begin in found.items():
                self.assertTrue(warnings[code]["message"].startswith(begin), warnings)
                self.assertEqual(warnings[code]["severity"], "caution")
                self.assertIn("--build", warnings[code]["hint"])
        shown = self.benchctl("show", done.events[-1]["session"])
        self.assertIn("1 file of ", shown.stdout)
        # If the build fetches them, nothing is missing.
        self.BUILD = "sh build.sh; [ ! -e data.bin ] || { echo content >data.bin; echo x >lib/x; }"
        done = self.compare_commits("HEAD~1..HEAD")
        self.assert_exit(done, PASS)
        self.assertEqual([w for w in done.events[-1]["warnings"] if w["code"] in found], [])

    def test_without_git_a_pointer_that_a_command_names_is_one_as_well(self):
        self.write("data.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
        done = self.benchctl_json("compare", "--runs", "8", "--margin", "900%", "cat data.bin",
                                  "cat data.bin", cwd=self.repository)
        said = [w for w in done.events[-1]["warnings"] if w["code"] == "lfs_pointers"]
        self.assertEqual([(w["message"], w["hint"]) for w in said], [(
            "a file named by a command is an LFS pointer instead of the content: data.bin",
            "git lfs pull")], done)

    def test_inside_a_hook_of_git_the_worktrees_are_meant(self):
        # git sets GIT_DIR and more for an alias or a hook; the build must not see them.
        self.BUILD = "git rev-parse --show-toplevel >>{0}.top; sh build.sh".format(self.builds)
        environment = self.client_environment(
            GIT_DIR=str(self.repository / ".git"), GIT_INDEX_FILE=str(self.repository / ".git/index"),
            GIT_PREFIX="")
        done = self.compare_commits("v1..HEAD", environment=environment)
        self.assert_exit(done, REGRESSION)
        tops = (self.folder / "builds.top").read_text().splitlines()
        self.assertEqual(tops, self.build_folders())

    def test_what_cannot_be_compared_is_one_line(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.git("clone", "--quiet", "--bare", self.repository, self.folder / "bare.git")
        bare = self.folder / "bare.git"
        no_git = self.client_environment(PATH="/nonexistent")
        for cwd, environment, revisions, word in (
                (elsewhere, None, "v1..HEAD", "not a git repository"),
                (self.repository, None, "v9..HEAD", "v9: unknown revision"),
                (self.repository, None, "..", "the range is empty"),
                (self.repository, None, "main..HEAD", "the same commit"),
                (self.repository, None, "HEAD..WORKTREE", "the same commit"),
                (self.repository, None, "main", "write main..HEAD"),
                (bare, None, "v1..WORKTREE", "a bare repository has no worktree"),
                (self.repository, no_git, "v1..HEAD", "install git")):
            with self.subTest(revisions=revisions, word=word):
                done = self.benchctl(
                    "compare", "--git", revisions, "--", "./bench", cwd=cwd,
                    environment=environment)
                self.assert_exit(done, USAGE)
                self.assert_one_error(done, word, f"--git {revisions}")
        self.write_program("t:1:1")
        done = self.benchctl("compare", "--git", "main..HEAD", "--", "./bench", cwd=self.repository)
        self.assert_one_error(done, "main..WORKTREE")


if __name__ == "__main__":
    main()
