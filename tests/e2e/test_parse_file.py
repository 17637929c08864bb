"""`--parse-file` from end to end: numbers in files that each run writes."""

import os
import unittest

from main import main
from support import FAILED, PASS, REGRESSION, USAGE
from test_harness_formats import HarnessTest
from test_system_mode import SystemModeTest

LINES = ("--parse", "lines", "--metric", "n:2%:lower")


class ParseFileTest(HarnessTest):
    def setUp(self):
        super().setUp()
        self.place = self.folder / "place"
        self.place.mkdir()

    def compare_files(self, pattern, *words):
        return self.benchctl_json("compare", *LINES, "--cwd", self.place, "--parse-file", pattern,
                                  *words)

    def writing(self, value, name="program"):
        """A script that writes about this value, and prints another one."""
        return self.script(f'echo "n 7"\necho "n $(({value} + $$ % 3))" >out.txt', name)

    def refuses(self, script, *words):
        """A session whose runs write what the script writes fails, with these words."""
        program = self.script(script, "hostile")
        done = self.benchctl("compare", *LINES, "--cwd", self.place, "--parse-file", "out.txt",
                             program, program)
        self.assert_exit(done, FAILED)
        self.assert_named(done, "parse-file: ", *words)

    def test_the_file_is_read_and_stdout_is_not(self):
        base = self.writing(1000, "base")
        done = self.compare_files("out.txt", base, self.writing(1000, "same"))
        self.assert_exit(done, PASS)
        self.assertAlmostEqual(self.by_metric(done)["n"]["mean_reference"], 1001, delta=1)
        slower = self.compare_files("out.txt", base, self.writing(1100, "slower"))
        self.assert_exit(slower, REGRESSION)
        session = slower.events[0]["session"]
        self.assertIn("--parse-file out.txt",
                      self.benchctl("show", session).stdout.replace("\n", " "))

    def test_two_files_in_folders_are_one_run(self):
        program = self.script("mkdir -p a/b c\necho n $((1000 + $$ % 3)) >a/b/run.txt\n"
                              "echo m 5 >c/run.txt\necho n 7 >c/other.txt")
        done = self.compare_files("**/run.txt", program, program)
        self.assert_exit(done, PASS)
        metrics = self.by_metric(done)
        self.assertAlmostEqual(metrics["n"]["mean_reference"], 1001, delta=1)
        self.assertEqual(metrics["m"]["mean_reference"], 5)

    def test_files_of_earlier_runs_are_removed(self):
        (self.place / "run-1.txt").write_text("n 7\n")
        (self.place / "1.csv").write_text("of the user\n")
        program = self.script('echo "n $((1000 + $$ % 3))" >run-$$.txt')
        done = self.compare_files("run-*.txt", program, program)
        self.assert_exit(done, PASS)
        self.assertAlmostEqual(self.by_metric(done)["n"]["mean_reference"], 1001, delta=1)
        self.assertEqual(len(list(self.place.glob("*.txt"))), 1, "that of the last run")
        self.assertEqual((self.place / "1.csv").read_text(), "of the user\n")

    def test_a_file_of_an_earlier_run_does_not_stand_for_this_one(self):
        (self.place / "out.txt").write_text("n 7\n")
        self.refuses("[ -e begun ] || echo n 1000 >out.txt; touch begun",
                     "no file matches 'out.txt'")

    def test_a_program_that_writes_nothing(self):
        self.refuses("echo n 1000", "no file matches 'out.txt'")

    def test_what_is_no_regular_file(self):
        self.refuses("mkfifo out.txt", "out.txt: is not a regular file")
        # The FIFO is left, and is not removed before the next session, either.
        self.refuses("true", "out.txt: is not a regular file")
        (self.place / "out.txt").unlink()
        self.refuses("echo n 1 >old; ln -sf old out.txt", "out.txt: is a symbolic link")

    def test_a_file_of_70_mb(self):
        self.refuses("head -c 70000000 /dev/zero >out.txt", "more than 64 MiB, too large to parse")

    def test_numbers_that_cannot_be_read_name_the_file(self):
        self.refuses("echo n 1 >out.txt; echo n fast >>out.txt",
                     "out.txt: line 2: expected the value of 'n'")

    def test_an_adapter_names_its_files(self):
        adapter = self.folder / "own.toml"
        adapter.write_text("input = 'json'\nfile = 'out/**/result.json'\n[[metric]]\n"
                           "path = '$.ms'\nname = 'time'\nunit = 'ms'\nbetter = 'lower'\n")
        program = self.script('mkdir -p out/a\necho "{\\"ms\\": $((1000 + $$ % 3))}" '
                              ">out/a/result.json")
        done = self.benchctl_json("compare", "--parse", adapter, "--cwd", self.place, program,
                                  program)
        self.assert_exit(done, PASS)
        self.assertEqual(self.gates(done), {"time": "pass"})
        self.assertAlmostEqual(self.by_metric(done)["time"]["mean_reference"], 1.001, delta=1e-3)

    def test_wrong_patterns_are_refused_before_anything_runs(self):
        for pattern, why in (("out/*", "matches every file"), ("out/", "does not name a file"),
                             ("/dev/stdout", "is a descriptor"), ("a**.txt", "has ** beside"),
                             ("[a-z]*", "matches every file"), ("", "empty path"),
                             ("../out.txt", "is not below the working directory"),
                             (self.folder / "out.txt", "is not below the working directory")):
            done = self.benchctl("compare", *LINES, "--parse-file", pattern, "true", "true")
            self.assert_exit(done, USAGE)
            self.assert_named(done, "parse-file", why)
        done = self.benchctl("compare", "--parse-file", "out.txt", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_named(done, "parse-file", "given without parse")


@unittest.skipUnless(os.getuid() == 0, "needs root")
class SystemModeParseFileTest(SystemModeTest):
    def compare_files(self, *words):
        return self.benchctl_json("compare", "--shell", *LINES, "--parse-file", "out.txt", *words,
                                  **self.as_nobody())

    def test_files_are_removed_and_read_as_the_caller(self):
        command = "umask 077; echo n 1000 >out.txt"
        done = self.compare_files(command, command)
        self.assert_exit(done, PASS)
        self.assertEqual((self.home / "out.txt").stat().st_mode & 0o777, 0o600)

    def test_a_file_that_the_caller_may_not_remove_is_left(self):
        place = self.folder / "of-root"
        place.mkdir(mode=0o755)
        (place / "out.txt").write_text("n 1000\n")
        done = self.compare_files("--cwd", place, "true", "exit 0")
        self.assert_exit(done, FAILED)
        self.assertIn("parse-file: out.txt: Permission denied", done.stderr)
        self.assertEqual((place / "out.txt").read_text(), "n 1000\n")


if __name__ == "__main__":
    main()
