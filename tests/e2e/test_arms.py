"""Stored arms: `compare --save NAME` keeps a program, `--against NAME` measures it again."""

import pathlib
import unittest

from git_repository import GitRepository
from main import main
from support import FAILED, PASS, REGRESSION, USAGE, DaemonTest

GATE = ("--parse", "lines", "--metric", "t:2%:lower")


class ArmsTest(DaemonTest):
    def bench(self, value):
        """A program that prints the value, at the same path each time."""
        return self.script(f"echo t {value}", name="bench")

    @property
    def arms(self):
        return self.folder / "state/benchctl/arms"

    def save(self, name="main", *words):
        done = self.benchctl("compare", "--save", name, *(words or ("./bench",)))
        self.assert_exit(done, PASS)
        return done

    def refuse(self, *words, says, code=USAGE):
        done = self.benchctl(*words)
        self.assert_exit(done, code)
        self.assert_one_error(done, says)

    # ---- a command is kept, and later compared with its current version ----

    def test_one_command_is_kept_without_a_daemon(self):
        self.bench(1000)
        done = self.benchctl("compare", "--no-autostart", "--save", "main", "./bench", environment={
            **self.client_environment(), "BENCHD_SOCKET": str(self.folder / "nowhere")})
        self.assert_exit(done, PASS)
        self.assertRegex(done.stdout, r"^saved bench \(SHA-256 [0-9a-f]{12}\.\.\.\) as main; "
                                      r"compare with it: benchctl compare --against main\n$")
        self.assertEqual(done.stderr, "")
        copy = self.arms / "main/bin/bench"
        self.assertEqual(copy.read_bytes(), (self.folder / "bench").read_bytes())

    def test_what_became_of_the_command_is_compared_with_what_was_kept(self):
        self.bench(1000)
        self.save()
        self.bench(1100)
        done = self.benchctl_json("compare", *GATE, "--against", "main")
        self.assert_exit(done, REGRESSION)
        gate = done.events[-1]["comparisons"][0]
        self.assertEqual((gate["reference"], gate["candidate"]), ("main", "candidate"))
        self.assertEqual((gate["mean_reference"], gate["mean_candidate"]), (1000, 1100))
        # Both were run; no old results were used.
        self.assertEqual(done.events[-1]["runs"]["main"], done.events[-1]["runs"]["candidate"])

    def test_another_command_is_the_candidate_and_names_are_its(self):
        self.bench(1000)
        self.save()
        other = self.script("echo t 1000", name="other")
        done = self.benchctl_json("compare", *GATE, "--against", "main", "-n", "now", other)
        self.assert_exit(done, PASS)
        self.assertEqual(set(done.events[-1]["runs"]), {"main", "now"})

    def test_it_runs_where_it_ran_and_elsewhere_by_cwd(self):
        place = self.folder / "place"
        place.mkdir()
        (place / "value").write_text("t 1000\n")
        self.script("cat value", name="bench")
        done = self.benchctl("compare", "--save", "main", "--cwd", "place", "../bench")
        self.assert_exit(done, PASS)
        self.assert_exit(self.benchctl("compare", *GATE, "--against", "main"), PASS)
        place.rename(self.folder / "moved")
        self.refuse("compare", *GATE, "--against", "main",
                    says=f"its directory {place} no longer exists")
        self.assert_exit(
            self.benchctl("compare", *GATE, "--against", "main", "--cwd", "moved"), PASS)

    def test_a_session_keeps_its_candidate_whatever_the_verdict(self):
        old = self.script("echo t 1000", name="old")
        new = self.script("echo t 1100", name="new")
        done = self.benchctl("compare", *GATE, "--save", "next", old, new)
        self.assert_exit(done, REGRESSION)
        self.assertIn("benchctl: saved new (SHA-256", done.stderr)
        self.assertEqual((self.arms / "next/bin/new").read_text(), pathlib.Path(new).read_text())

    def test_a_session_that_failed_keeps_nothing(self):
        old = self.script("echo t 1000", name="old")
        new = self.script("exit 7", name="new")
        done = self.benchctl("compare", *GATE, "--save", "next", old, new)
        self.assert_exit(done, FAILED)
        self.assertIn("nothing saved as next", done.stderr)
        self.assertFalse(self.arms.exists())

    def test_the_last_line_of_json_is_still_the_verdict(self):
        old = self.script("echo t 1000", name="old")
        done = self.benchctl_json("compare", *GATE, "--save", "next", old, old)
        self.assert_exit(done, PASS)
        self.assertEqual(done.events[-1]["event"], "verdict")
        self.assertTrue((self.arms / "next").exists())

    # ---- the list ----

    def test_the_list_has_each_and_remove_takes_one_away(self):
        self.bench(1000)
        self.save("b", "./bench --size 10")
        self.save("a")
        listed = self.benchctl("arm", "list")
        self.assert_exit(listed, PASS)
        lines = listed.stdout.splitlines()
        self.assertRegex(lines[0], "^NAME +SAVED +COMMIT +COMMAND$")
        self.assertRegex(lines[1], r"^a +\d{4}-\d\d-\d\d +\./bench$")
        self.assertRegex(lines[2], r"^b +\d{4}-\d\d-\d\d +\./bench --size 10$")
        arms = self.benchctl_json("arm", "list").events
        self.assertEqual([(arm["event"], arm["name"], arm["command"], arm["cwd"]) for arm in arms],
                         [("arm", "a", "./bench", str(self.folder)),
                          ("arm", "b", "./bench --size 10", str(self.folder))])
        removed = self.benchctl_json("arm", "remove", "b")
        self.assert_exit(removed, PASS)
        self.assertEqual(removed.events[0]["name"], "b")
        self.assertEqual([arm["name"] for arm in self.benchctl_json("arm", "list").events], ["a"])
        self.refuse("arm", "remove", "b", says="no stored arm is called 'b'")

    # ---- errors ----

    def test_a_copy_that_was_changed_is_refused_by_name(self):
        self.bench(1000)
        self.save()
        (self.arms / "main/bin/bench").write_text("#!/bin/sh\necho t 1\n")
        self.refuse("compare", *GATE, "--against", "main",
                    says="stored arm 'main': " + str(self.arms / "main/bin/bench"))

    def test_only_an_interpreter_is_kept_of_a_script_and_that_is_said(self):
        self.bench(1000)
        done = self.save("main", "sh ./bench")
        self.assertEqual(
            done.stderr,
            "warning: --save main: only sh itself is kept, not the files that its arguments name\n")

    def test_what_cannot_be_kept_is_refused_before_anything_is_run(self):
        self.bench(1000)
        (self.folder / "suite.toml").write_text(
            '[[arm]]\nname = "a"\n[[arm]]\nname = "b"\n[[benchmark]]\ncommand = "true"\n')
        for words, says in (
                (("--save", "../x", "./bench"), "not a name for a stored arm"),
                (("--save", "x", "./nothing"), "no such file"),
                (("--save", "x", "no-such-program"), "not found in PATH"),
                (("--save", "x", "./bench", "./bench", "./bench"), "several candidates"),
                (("--save", "x", "--shell", "./bench"), "--save: cannot be combined with --shell"),
                (("--save", "x", "--detach", "./bench", "./bench"), "does not wait"),
                (("--save", "x", "-f", "suite.toml"), "--save"),
                (("--against", "x", "-f", "suite.toml"), "--file suite.toml"),
                (("--against", "x", "--git", "a..b", "./bench"), "cannot be combined with --git"),
                (("--against", "x", "./bench"), "no stored arm is called 'x'")):
            with self.subTest(words=words):
                self.refuse("compare", *words, says=says)
        self.assertEqual(self.benchctl_json("list", "--all").events, [])


class ArmsOfARepositoryTest(GitRepository, DaemonTest):
    def test_the_commit_is_kept_with_it(self):
        commit = self.commit("t:100:1")
        self.git("tag", "v1.0")
        self.shell("sh build.sh")
        done = self.benchctl_json("compare", "--save", "main", "./bench", cwd=self.repository)
        self.assert_exit(done, PASS)
        arm = done.events[0]
        self.assertEqual(arm["commit"], {"id": commit, "description": "v1.0"})
        self.assertFalse(arm["modified"])
        self.write("build.sh", "exit 1\n")
        done = self.benchctl_json("compare", "--save", "main", "./bench", cwd=self.repository)
        self.assertTrue(done.events[0]["modified"])

    def test_a_commit_that_was_built_is_kept(self):
        base, new = self.commit("t:100:1"), self.commit("t:101:1")
        done = self.benchctl(
            "compare", *GATE, "--margin", "50%", "--git", f"{base}..{new}", "--build", self.BUILD,
            "--save", "main", "--", "./bench", cwd=self.repository)
        self.assert_exit(done, PASS)
        self.assertEqual(self.benchctl_json("arm", "list").events[0]["commit"]["id"], new)


if __name__ == "__main__":
    main()
