"""Verdicts on programs that print seeded values without machine noise, the same each time.

The values are MEAN + SD * z with z standard normal, so the result follows from the means alone: a
change far beyond the margin is a regression, one far inside it passes, one at the margin is open
after nine blocks. SD is 1 % of the mean unless a test explains another value.
"""

import re
import unicodedata

from main import main
from replay import Replay
from support import PASS, REGRESSION, UNDECIDED, DaemonTest

# The order of the runs; it makes a session print the same numbers each time.
SEED = ("--seed", "20240501")
GATE = ("--parse", "lines", "--metric", "t:2%:lower")


class VerdictTest(Replay, DaemonTest):
    def matched(self, pattern, text):
        """The part of the text that matches the pattern."""
        found = re.search(pattern, text)
        self.assertIsNotNone(found, text)
        return found.group()

    def compare(self, *words, code):
        done = self.benchctl_json("compare", *SEED, *words)
        self.assert_exit(done, code)
        verdict = done.events[-1]
        self.assertEqual(verdict["event"], "verdict", done)
        return verdict

    def comparison(self, verdict, candidate="candidate", metric="t"):
        found = [
            c for c in verdict["comparisons"]
            if c["candidate"] == candidate and c["metric"] == metric
        ]
        self.assertEqual(len(found), 1, verdict)
        return found[0]

    def test_equal_programs_pass(self):
        verdict = self.compare(
            *GATE, self.values("t:100:1"), self.values("t:100:1"), code=PASS)
        self.assertEqual(verdict["verdict"], "pass")
        comparison = self.comparison(verdict)
        self.assertEqual(comparison["verdict"], "pass")
        self.assertEqual(comparison["role"], "gate")
        self.assertLess(comparison["decided"]["hi"], 0.02)

    def test_ten_percent_more_is_a_regression(self):
        verdict = self.compare(
            *GATE, self.values("t:100:1"), self.values("t:110:1"), code=REGRESSION)
        self.assertEqual(verdict["verdict"], "regression")
        change = self.comparison(verdict)["change"]
        # 110/100 - 1 = 0.1; 0.02 is several standard errors at eight blocks (0.01 * sqrt(2/8)).
        self.assertAlmostEqual(change["estimate"], 0.1, delta=0.02)
        self.assertLess(change["lo"], change["estimate"])
        self.assertGreater(change["hi"], change["estimate"])

    def test_ten_percent_less_passes(self):
        verdict = self.compare(
            *GATE, self.values("t:100:1"), self.values("t:90:1"), code=PASS)
        self.assertAlmostEqual(self.comparison(verdict)["change"]["estimate"], -0.1, delta=0.02)

    def test_ten_percent_less_of_what_should_be_high_is_a_regression(self):
        self.compare(
            "--parse", "lines", "--metric", "t:2%:higher",
            self.values("t:100:1"), self.values("t:90:1"), code=REGRESSION)

    def test_a_change_at_the_margin_is_undecided_after_nine_blocks(self):
        # The true change equals the margin, so neither side can be excluded.
        verdict = self.compare(
            *GATE, "--max-runs", "9", self.values("t:100:3"), self.values("t:102:3"),
            code=UNDECIDED)
        self.assertEqual(verdict["verdict"], "undecided")
        self.assertEqual(verdict["runs"], {"base": 9, "candidate": 9})
        self.assertEqual(verdict["basis"], "interval")

    def test_at_the_limit_the_estimate_decides_when_asked_to(self):
        # Three times the usual spread: nine blocks are too few to exclude the margin.
        verdict = self.compare(
            *GATE, "--max-runs", "9", "--at-limit", "estimate",
            self.values("t:100:3"), self.values("t:106:3"), code=REGRESSION)
        self.assertEqual(verdict["basis"], "estimate")
        self.assertGreater(self.comparison(verdict)["change"]["estimate"], 0.02)

    def test_a_constant_counter_is_decided_at_eight_blocks(self):
        # 1000 against 1100 without spread: the guard only allows for the step of a counter.
        verdict = self.compare(
            "--parse", "lines", "--metric", "n:2%:lower",
            self.values("n:1000:0:0"), self.values("n:1100:0:0"), code=REGRESSION)
        comparison = self.comparison(verdict, metric="n")
        self.assertEqual(comparison["decided"]["blocks"], 8)
        self.assertEqual(comparison["mean_reference"], 1000)
        self.assertEqual(comparison["mean_candidate"], 1100)
        self.assertAlmostEqual(comparison["change"]["estimate"], 0.1, places=12)
        self.assertAlmostEqual(comparison["difference"]["estimate"], 100, places=9)

    def test_an_equal_constant_counter_passes_at_eight_blocks(self):
        verdict = self.compare(
            "--parse", "lines", "--metric", "n:2%:lower",
            self.values("n:1000:0:0"), self.values("n:1000:0:0"), code=PASS)
        self.assertEqual(self.comparison(verdict, metric="n")["decided"]["blocks"], 8)

    def test_several_candidates_have_a_verdict_each(self):
        verdict = self.compare(
            *GATE, "-n", "old", "-n", "same", "-n", "slow",
            self.values("t:100:1"), self.values("t:100:1"), self.values("t:110:1"),
            code=REGRESSION)
        self.assertEqual(self.comparison(verdict, "same")["verdict"], "pass")
        self.assertEqual(self.comparison(verdict, "slow")["verdict"], "regression")
        for comparison in verdict["comparisons"]:
            self.assertEqual(comparison["reference"], "old")

    def test_a_pass_may_have_a_confidence_of_its_own(self):
        verdict = self.compare(
            *GATE, "--pass-confidence", "95%", self.values("t:100:1"), self.values("t:100:1"),
            code=PASS)
        comparison = self.comparison(verdict)
        self.assertAlmostEqual(comparison["confidence"], 0.99, places=12)
        self.assertAlmostEqual(comparison["pass_confidence"], 0.95, places=12)
        # The same rows at one level: only the end that establishes a pass moves. The distances of
        # both ends from the estimate do not tell, because the guard against skewness widens one.
        self.assert_replayed(verdict)
        symmetric = self.comparison(self.analyzed(verdict["session"],
                                                  without="--pass-confidence").events[-1])
        self.assertNotIn("pass_confidence", symmetric)
        for look, other in ((comparison["change"], symmetric["change"]),
                            (comparison["last"]["change"], symmetric["last"]["change"])):
            self.assertEqual((look["estimate"], look["lo"]), (other["estimate"], other["lo"]))
            self.assertLess(look["hi"], other["hi"])
        shown = self.benchctl("show", verdict["session"])
        self.assert_exit(shown, PASS)
        self.assertIn("with 95 % confidence", shown.stdout)
        self.assertIn("99 % confidence (95 % for a pass)", shown.stdout)
        self.assertIn("--pass-confidence 0.95", shown.stdout, "the lines that repeat it")

    def test_several_gates_share_the_level_and_one_regression_decides(self):
        verdict = self.compare(
            "--parse", "lines", "--metric", "t:2%:lower", "--metric", "rate:5%:higher",
            "--confidence", "99%",
            self.values("t:100:1", "rate:50:0.5"), self.values("t:100:1", "rate:40:0.5"),
            code=REGRESSION)
        self.assertEqual(self.comparison(verdict, metric="t")["verdict"], "pass")
        self.assertEqual(self.comparison(verdict, metric="rate")["verdict"], "regression")
        for metric in ("t", "rate"):
            # alpha/G: 1 % over two gates.
            self.assertAlmostEqual(
                self.comparison(verdict, metric=metric)["confidence"], 0.995, places=12)

    def test_other_metrics_are_reported_without_a_verdict(self):
        verdict = self.compare(
            *GATE, self.values("t:100:1", "size:7:0:0"), self.values("t:100:1", "size:9:0:0"),
            code=PASS)
        info = self.comparison(verdict, metric="size")
        self.assertEqual(info["role"], "info")
        self.assertNotIn("verdict", info)
        self.assertNotIn("margin", info)

    def test_a_printed_direction_makes_a_gate(self):
        prefer = "#! prefer=lower unit=s"
        verdict = self.compare(
            "--parse", "lines",
            self.values(prefer, "t:100:1"), self.values(prefer, "t:110:1"), code=REGRESSION)
        comparison = self.comparison(verdict)
        self.assertEqual(comparison["unit"], "s")
        self.assertEqual(comparison["better"], "lower")

    def test_an_absolute_margin_counts_in_the_metrics_unit(self):
        # An increase of 3 on 100 is a regression by 2 % and far inside 10.
        self.compare(
            "--parse", "lines", "--metric", "t:+10:lower",
            self.values("t:100:1"), self.values("t:103:1"), code=PASS)

    def test_fixed_runs_are_one_look_at_that_many_blocks(self):
        verdict = self.compare(
            *GATE, "--method", "fixed", "--runs", "20",
            self.values("t:100:1"), self.values("t:110:1"), code=REGRESSION)
        self.assertEqual(verdict["runs"], {"base": 20, "candidate": 20})

    def test_the_same_seed_replays_the_same_session(self):
        def numbers():
            (self.folder / "runs-so-far").unlink(missing_ok=True)
            verdict = self.compare(
                *GATE, self.values("t:100:1"), self.values("t:104:1"), code=REGRESSION)
            comparison = self.comparison(verdict)
            return comparison["change"], comparison["difference"], verdict["runs"]

        self.assertEqual(numbers(), numbers())

    def test_several_candidates_are_ordered_where_their_own_pairs_tell(self):
        arms = ("-n", "base", "-n", "a", "-n", "b", "-n", "c", self.values("t:100:1"),
                self.values("t:90:1"), self.values("t:80:1"), self.values("t:90:1"))
        # The six pairs of the order share alpha, so they are decided later than the three gates.
        done = self.benchctl("compare", *SEED, *GATE, "--min-runs", "30", *arms)
        self.assert_exit(done, PASS)
        # a and c are the same program, so no pair separates them.
        factor = r"1\.\d\d \(1\.\d\d … 1\.\d\d\) times"
        order = self.matched(rf"\nlowest t: b, then a {factor} and c {factor} "
                             rf"\(no clear difference\), then base {factor}\n", done.stdout)
        self.assertIn("PASS: all 3 gates passed\n", done.stdout)
        session = done.stdout.split()[-1]
        for again in ("show", "watch"):
            self.assertIn(order, self.benchctl(again, session).stdout)
        exported = self.folder / "runs.csv"
        exported.write_text(self.benchctl("export", session).stdout)
        analyzed = self.benchctl(
            "analyze", "--method", "paired", "--metric", "t:2%:lower", exported).stdout
        # The arms are listed in the order of their first runs.
        self.assertRegex(
            analyzed, rf"\nlowest t: b, then (a {factor} and c|c {factor} and a) {factor} "
                      rf"\(no clear difference\), then base {factor}\n")

    def test_columns_stand_below_their_heads_whatever_the_arms_are_called(self):
        done = self.benchctl(
            "compare", *SEED, *GATE, "-n", "基準", "-n", "候補", self.values("t:100:1"),
            self.values("t:100:1"))
        self.assert_exit(done, PASS)

        def begin_of_last_column(line):
            before = line[: line.rindex("  ") + 2]
            return sum(2 if unicodedata.east_asian_width(c) == "W" else 1 for c in before)

        lines = done.stdout.splitlines()
        head = next(line for line in lines if "候補" in line)
        row = next(line for line in lines if line.startswith("t "))
        self.assertEqual(begin_of_last_column(head), begin_of_last_column(row), done)

    def test_no_verdict_is_foretold_for_the_end_of_the_time(self):
        # At the margin itself, with a large spread: thousands of blocks would not be enough.
        done = self.benchctl(
            "compare", *SEED, *GATE, "--max-time", "5s", self.values("t:100:30"),
            self.values("t:102:30"))
        self.assert_exit(done, UNDECIDED)
        running = [line for line in done.stderr.splitlines() if "running: " in line]
        self.assertTrue(running, done)
        self.assertNotIn("verdict in about", done.stderr)

    def test_warmup_blocks_are_run_and_not_counted(self):
        verdict = self.compare(
            "--parse", "lines", "--metric", "n:2%:lower", "--warmup", "3",
            self.values("n:1000:0:0"), self.values("n:1000:0:0"), code=PASS)
        self.assertEqual(verdict["runs"], {"base": 8, "candidate": 8})
        # The programs count their own starts: three warm-up blocks and eight measured, of two arms.
        count = int.from_bytes((self.folder / "runs-so-far").read_bytes(), "little")
        self.assertEqual(count, 2 * (3 + 8))


if __name__ == "__main__":
    main()
