"""`--layouts K` builds every commit K times and compares the builds."""

import json
import re
import shlex

from git_repository import GitRepository
from main import main
from support import FAILED, PASS, REGRESSION, USAGE, DaemonTest

# Replaces a linker: copies a program and appends the seed, so that each build is a different file.
# Its printed value varies by a few per cent with the seed.
BUILD = ('cat program.sh >bench && printf "# %s\\n" "$BENCHD_LAYOUT_SEED" >>bench && '
         'chmod +x bench && echo "seed $BENCHD_LAYOUT_SEED in $(pwd | wc -c)"')
GATE = ("--parse", "lines", "--metric", "t:10%:lower")


class LayoutsTest(GitRepository, DaemonTest):
    def setUp(self):
        super().setUp()
        self.commit_program(100)
        self.git("tag", "-a", "v1", "-m", "v1")
        self.commit_program(100)
        self.git("tag", "-a", "same", "-m", "same")
        self.commit_program(120)
        self.git("tag", "-a", "slower", "-m", "slower")

    def commit_program(self, mean):
        """Commits a program whose time depends on the seed of its build, by up to 3 %."""
        self.write("program.sh", "#!/bin/sh\n"
                   'seed=$(sed -n "s/^# //p" "$0")\n'
                   f'echo "t $(({mean}000 + {mean} * (seed % 61 - 30)))"\n')
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", f"takes {mean}")

    def layouts(self, candidate, *words, build=BUILD, command="./bench", **options):
        return self.benchctl("compare", *GATE, "--git", f"v1..{candidate}", "--build", build,
                             "--seed", "7", *words, "--", command, cwd=self.repository, **options)

    def last(self, done):
        return json.loads(done.stdout.splitlines()[-1])

    def test_the_build_is_the_unit_and_code_and_layout_are_told_apart(self):
        done = self.layouts("same", "--layouts", "6", "--json")
        self.assert_exit(done, PASS)
        verdict = self.last(done)
        gate = next(c for c in verdict["comparisons"] if c["role"] == "gate")
        self.assertEqual((gate["method"], gate["reference"], gate["candidate"]),
                         ("layouts", "v1", "same"))
        self.assertEqual((gate["n_reference"], gate["n_candidate"]), (6, 6))
        self.assertEqual(verdict["runs"], {"v1": 48, "same": 48}, "eight blocks are a pilot")
        slower = self.layouts("slower", "--layouts", "6")
        self.assert_exit(slower, REGRESSION)
        self.assertRegex(slower.stdout, r"effect of the code: \+\S+ ± \S+ %; layouts: sd \S+ %; "
                                        r"±10 % needs about\s+\d+ builds per arm")
        commits = re.findall(r"^(v1|slower)(\S*): \1 \([0-9a-f]{40}\)$", slower.stdout,
                             re.MULTILINE)
        self.assertEqual(commits, [("v1", ""), ("slower", "")], "one line per commit, not build")

    def test_every_build_has_a_seed_of_its_own_and_a_path_as_long(self):
        done = self.layouts("same", "--layouts", "4", "--json")
        self.assertIn(done.code, (PASS, 3), done)
        session = self.last(done)["session"]
        log = self.benchctl("show", "--log", session).stdout
        built = re.findall(r"^\s*seed (\d+) in (\d+)$", log, re.MULTILINE)
        self.assertEqual(len(built), 8, log)
        self.assertEqual(len({seed for seed, _ in built}), 8)
        self.assertEqual(len({length for _, length in built}), 1)
        shown = self.benchctl("show", session).stdout
        again = re.search(r"^again: (.*)$", shown, re.MULTILINE).group(1)
        self.assertIn("--layouts 4", again)
        self.assertNotIn("--method", again)

    def test_the_export_gives_the_same_numbers_again(self):
        first = self.last(self.layouts("slower", "--layouts", "4", "--json"))
        shown = self.benchctl("show", first["session"]).stdout
        replay = re.search(r"^analyze: .*\| benchctl (analyze .*)$", shown, re.MULTILINE).group(1)
        table = self.benchctl("export", first["session"]).stdout
        runs = self.folder / "runs.csv"
        runs.write_text(table)
        words = [str(runs) if word == "-" else word for word in shlex.split(replay)]
        again = self.last(self.benchctl(*words, "--json"))
        one, two = (next(c for c in report["comparisons"] if c["role"] == "gate")
                    for report in (first, again))
        self.assertEqual((one["change"], one["verdict"], one["n_candidate"]),
                         (two["change"], two["verdict"], two["n_candidate"]))

    def test_the_report_shows_each_build_beside_the_others(self):
        session = self.last(self.layouts("slower", "--layouts", "4", "--runs", "8", "--json"))
        done = self.benchctl("report", session["session"], "-o", "-")
        self.assert_exit(done, PASS)
        self.assertIn("Builds: slower vs v1", done.stdout)
        marks = re.findall(r'class="unit (\w+)"[^>]*><title>(\S+): ', done.stdout)
        self.assertEqual(marks, [("reference", f"v1/{i}") for i in (1, 2, 3, 4)] +
                         [("candidate", f"slower/{i}") for i in (1, 2, 3, 4)])
        gate = next(c for c in session["comparisons"] if c["role"] == "gate")
        mean = re.search(r"<title>slower, mean of 4 builds: .*?, (\S+) %, 32 runs", done.stdout)
        self.assertIsNotNone(mean, done.stdout)
        self.assertAlmostEqual(float(mean.group(1)) / 100, gate["change"]["estimate"], delta=0.01)

    def test_a_build_that_ignores_the_seed_is_refused(self):
        done = self.layouts("same", "--layouts", "4", build="cp program.sh bench; chmod +x bench")
        self.assert_exit(done, FAILED)
        self.assertIn("the build ignored BENCHD_LAYOUT_SEED", done.stderr)
        self.assertIn("v1/1 and v1/2", done.stderr)

    def test_what_is_missing_is_said(self):
        done = self.benchctl("compare", "--layouts", "8", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--layouts 8", "no commits to build")
        done = self.benchctl("compare", "--layouts", "8", "--git", "v1..same", "--", "./bench",
                             cwd=self.repository)
        self.assert_one_error(done, "--layouts 8", "nothing is built")
        for wrong in ("1", "2", "3", "33"):
            self.assert_one_error(self.layouts("same", "--layouts", wrong), "from 4 to 32")
        self.assert_one_error(self.layouts("same", "--layouts", "4", "--method", "paired"),
                              "implies --method layouts")


if __name__ == "__main__":
    main()
