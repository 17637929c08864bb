"""Warnings about a session's data: the right one for a planted disturbance, none for clean data.

Seeded programs print their values, so there is no machine noise. A warning never changes a verdict.
Runs are counted over both arms. The first block is discarded, so the 5 blocks after it are the
starts 2 to 11.
"""

import os
import unittest

from main import main
from support import PASS, PROGRAMS, REGRESSION, DaemonTest

# Warnings that the data cause; other codes report activity on the machine.
OF_THE_DATA = {"warmup", "warmup_inside", "drift", "pairs_drift", "pairs_correlated",
               "shapes_differ", "outliers", "not_lognormal", "several_modes", "dissimilar_runs",
               "spikes"}
SPIN = PROGRAMS / "spin"
BLOCKS = 60
REPEATS = 20


class WarningTest(DaemonTest):
    def compare(self, base, candidate, *options, seed=1, blocks=BLOCKS, code=PASS):
        (self.folder / "runs-so-far").unlink(missing_ok=True)
        done = self.benchctl_json(
            "compare", "--seed", str(seed), "--runs", str(blocks), "--parse", "lines",
            "--metric", "t:10%:lower", *options,
            self.values(base, seed=seed), self.values(candidate, seed=seed + 1000))
        self.assert_exit(done, code)
        return done.events[-1]["warnings"]

    def assert_codes(self, warnings, *codes):
        ours = [one for one in warnings if one["code"] in OF_THE_DATA]
        self.assertEqual({one["code"] for one in ours}, set(codes), warnings)
        return {one["code"]: one["message"] for one in ours}

    def test_a_warmup_is_named_with_how_much_to_discard(self):
        slow_start = "t:100:1:6:1.2@0..11"
        messages = self.assert_codes(self.compare(slow_start, slow_start), "warmup")
        self.assertIn("the first 5 values are ", messages["warmup"])
        self.assertIn("--warmup 6", messages["warmup"])
        # If the advice is followed, no warning remains.
        self.assert_codes(self.compare(slow_start, slow_start, "--warmup", "6"))

    def test_a_program_of_two_modes_is_named(self):
        messages = self.assert_codes(
            self.compare("t:100:1", "t:100:1:6:1.08@half"), "several_modes", "shapes_differ")
        self.assertIn("t of candidate has several modes", messages["several_modes"])

    def test_a_load_that_comes_and_goes_is_drift(self):
        loaded = "t:100:1:6:1.1@42..81"
        messages = self.assert_codes(self.compare(loaded, loaded), "drift")
        self.assertIn("pairing compensates", messages["drift"])

    def test_a_run_unlike_the_others_is_named(self):
        # Starts 6 and 7 are the third measured block.
        odd = "t:100:1:6:3@6..7:60"
        messages = self.assert_codes(self.compare(odd, odd, blocks=10), "dissimilar_runs")
        self.assertIn("run 3 stands apart", messages["dissimilar_runs"])

    def test_no_warning_changes_a_verdict(self):
        slow_start = "1.2@0..11"
        messages = self.assert_codes(
            self.compare(f"t:100:1:6:{slow_start}", f"t:130:1:6:{slow_start}", code=REGRESSION),
            "warmup")
        self.assertIn("t of", messages["warmup"])

    def test_a_clean_session_has_none(self):
        warned = 0
        for seed in range(REPEATS):
            warnings = self.compare("t:100:1", "t:100:1", seed=seed)
            warned += any(one["code"] in OF_THE_DATA for one in warnings)
        print(f"{warned} of {REPEATS} clean sessions have a warning")
        # The seeds determine the values. Of sessions with any values, between 1 and 2 % have one.
        self.assertEqual(warned, 0)


class TurnsTest(DaemonTest):
    """Two threads on one benchmark CPU take as long as one thread that does the work of both."""

    def means(self, verdict, arm):
        """The wall time and CPU time of an arm."""
        found = {c["metric"]: c["mean_" + arm] for c in verdict["comparisons"]}
        return found["wall_time"], found["cpu_time"]

    @unittest.skipUnless(os.path.exists("/proc/schedstat"),
                         "the kernel has no /proc/schedstat, which records preemption")
    def test_a_program_with_more_threads_than_cpus_is_named(self):
        one, two = f"{SPIN} 100000 1", f"{SPIN} 50000 2"
        done = self.benchctl_json("compare", "--runs", "8", "--margin", "50%", one, two)
        verdict = done.events[-1]
        for arm in ("reference", "candidate"):
            wall, cpu = self.means(verdict, arm)
            if cpu < 0.99 * wall:
                self.skipTest(f"others had the benchmark CPU: {cpu} s of {wall} s of {arm}")
        told = [w for w in verdict["warnings"] if w["code"] == "threads_took_turns"]
        self.assertEqual(len(told), 1, verdict["warnings"])
        self.assertTrue(told[0]["message"].startswith(f"'{SPIN} 50000 2'"[:61]), told)

    def test_a_program_of_one_thread_is_not_nor_is_a_shell_that_waits_for_it(self):
        for words in ((f"{SPIN} 100000",), ("--shell", f"{SPIN} 50000; {SPIN} 50000")):
            done = self.benchctl_json("compare", "--runs", "8", "--margin", "50%", *words, words[-1])
            codes = {w["code"] for w in done.events[-1]["warnings"]}
            self.assertNotIn("threads_took_turns", codes)


if __name__ == "__main__":
    main()
