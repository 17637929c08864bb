"""`git bisect run benchctl compare --bisect` finds a planted slowdown in a real repository."""

import re

from git_repository import GATE, GitRepository
from main import main
from support import PASS, DaemonTest

COMMITS = 16


class BisectTest(GitRepository, DaemonTest):
    def setUp(self):
        super().setUp()
        self.commits = []

    def plant(self, slow_from, broken=()):
        """Sixteen commits; from number `slow_from` on (from 0) the program needs 10 % more."""
        working = (self.repository / "build.sh").read_text()
        for k in range(COMMITS):
            self.write("build.sh", "exit 1\n" if k in broken else working)
            mean = 110 if k >= slow_from else 100
            # Each commit differs by a thousandth, so no two programs are the same.
            self.commits.append(self.commit(f"t:{mean + 0.1 * (k % 3)}:1", message=f"change {k}"))

    def bisect(self, run, bad=None, good=None):
        """Runs exactly the commands that a user types and returns git's answer."""
        self.git("bisect", "start", bad or self.commits[-1], good or self.commits[0])
        return self.shell(f"git bisect run {run}")

    def blamed(self, done):
        found = re.search(r"^([0-9a-f]{40}) is the first bad commit", done.stdout, re.MULTILINE)
        self.assertIsNotNone(found, done)
        return self.commits.index(found[1])

    def sessions(self):
        listed = self.benchctl_json("list", "--all")
        self.assert_exit(listed, PASS)
        return listed.events

    def recipe(self, *words):
        return " ".join((
            "benchctl compare --bisect", *GATE, f"--git {self.commits[0]}..WORKTREE",
            f"--build '{self.BUILD}'", *words, "-- ./bench"))

    def test_the_planted_commit_among_sixteen_is_found(self):
        self.plant(slow_from=11)
        done = self.bisect(self.recipe())
        self.assert_exit(done, 0)
        self.assertEqual(self.blamed(done), 11, done)
        # Fourteen commits lie between good and bad: log2(15) = 3.9.
        sessions = self.sessions()
        self.assertLessEqual(len(sessions), 4)
        steps = [line for line in done.stdout.splitlines()
                 if line.startswith(("good: ", "bad: ", "skip: "))]
        self.assertEqual(len(steps), len(sessions), done)
        # The good commit was built only once.
        self.assertEqual(len(self.build_folders()), 1 + len(sessions))

    def test_a_commit_that_does_not_build_is_skipped(self):
        # git first asks for the seventh, the middle one of the 14 commits between.
        self.plant(slow_from=5, broken=(7,))
        done = self.bisect(self.recipe())
        self.assert_exit(done, 0)
        self.assertEqual(self.blamed(done), 5, done)
        self.assertIn("failed", {session["state"] for session in self.sessions()})

    def test_a_base_that_is_broken_stops_the_search_at_once(self):
        self.plant(slow_from=5, broken=(0,))
        no_program = self.recipe().replace(self.BUILD, "true")
        for run, why in ((self.recipe(), "build: exited with code 1"), (no_program, "No such file")):
            done = self.bisect(run)
            self.assertNotEqual(done.code, 0, done)
            self.assertIn("stop: base ", done.stdout)
            self.assertIn(why, done.stdout)
            self.assertNotIn("skip: ", done.stdout)
            self.assertEqual(
                self.git("rev-parse", "refs/bisect/bad"), self.commits[-1], "as it was")
            self.git("bisect", "reset", code=None)
        self.assertEqual(len(self.sessions()), 2)

    def test_plain_commands_and_an_own_build(self):
        self.plant(slow_from=3)
        self.git("checkout", "--quiet", self.commits[0])
        self.shell("sh build.sh && cp bench ../good-bench")
        done = self.bisect(
            "sh -c 'sh build.sh || exit 125; "
            f"benchctl compare --bisect {' '.join(GATE)} ../good-bench ./bench'")
        self.assert_exit(done, 0)
        self.assertEqual(self.blamed(done), 3, done)

    def test_an_open_verdict_skips_and_blames_nobody(self):
        # At the margin itself, with a large spread and one look after two blocks: never decided.
        self.plant(slow_from=COMMITS)
        for _ in range(3):
            self.commits.append(self.commit("t:102:9"))
        done = self.bisect(
            self.recipe("--max-runs 8"), good=self.commits[0], bad=self.commits[-1])
        self.assertNotEqual(done.code, 0, done)
        self.assertNotIn("is the first bad commit", done.stdout)
        self.assertIn("skip", done.stdout)

    def test_a_wrong_word_stops_the_search_and_marks_nothing(self):
        self.plant(slow_from=11)
        for run in (self.recipe("--margin many"), self.recipe("--no-such-option"),
                    self.recipe("--no-autostart --socket /nonexistent")):
            done = self.bisect(run)
            self.assertNotEqual(done.code, 0, done)
            self.assertIn("128", done.stdout + done.stderr)
            self.assertEqual(
                self.git("rev-parse", "refs/bisect/bad"), self.commits[-1], "as it was")
            self.git("bisect", "reset", code=None)


if __name__ == "__main__":
    main()
