"""Verdicts on real programs and harnesses, gated on CPU time so that a busy machine does not decide.

One arm does the same work twice, far beyond its margin, so eight blocks detect it under any load.
tests/bench measures how small a difference is found, and how often wrongly.
"""

import json
import shlex
import shutil
import subprocess

from main import main
from support import PASS, TIMEOUT_S, PROGRAMS, REGRESSION, UNDECIDED
from test_harness_formats import (GOOGLE, JSON, SLOWER, HarnessTest, needs_google_benchmark,
                                  needs_hyperfine)

SPIN = PROGRAMS / "spin"
# About 30 ms on a CPU of 2020; start-up and page faults are a few per cent of it.
WORK = 30_000


class MeasuredTest(HarnessTest):
    def measure(self, *words):
        """Compares; a verdict takes seconds, longer on a busy machine."""
        return self.benchctl_json(
            "compare", "--max-time", "2m", *words, timeout=2 * TIMEOUT_S)

    def compare(self, fmt, *words):
        return self.measure("--parse", fmt, *words)


class RealProgramTest(MeasuredTest):
    def test_twice_the_work_is_a_regression_at_a_margin_of_two_percent(self):
        done = self.measure(
            "--metric", "cpu_time:2%:lower", f"{SPIN} {WORK}", f"{SPIN} {2 * WORK}")
        self.assert_exit(done, REGRESSION)
        gate = done.events[-1]["comparisons"][0]
        self.assertAlmostEqual(gate["change"]["estimate"], 1, delta=0.3)

    def test_a_program_against_its_copy_passes_at_a_margin_of_fifty_percent(self):
        copy = self.folder / "spin-copy"
        shutil.copy(SPIN, copy)
        done = self.measure(
            "--margin", "50%", "--metric", "cpu_time",
            f"{SPIN} {WORK}", f"{shlex.quote(str(copy))} {WORK}")
        self.assert_exit(done, PASS)

    def test_every_run_has_the_metrics_of_the_kernel(self):
        done = self.measure(
            "--method", "fixed", "--runs", "8", "--margin", "50%",
            f"{SPIN} {WORK}", f"{SPIN} {WORK}")
        by_metric = {c["metric"]: c for c in done.events[-1]["comparisons"]}
        for metric in ("wall_time", "user_time", "system_time", "cpu_time", "max_rss",
                       "minor_faults", "major_faults", "voluntary_switches",
                       "involuntary_switches"):
            self.assertIn(metric, by_metric)
        wall = by_metric["wall_time"]
        self.assertEqual((wall["role"], wall["unit"]), ("gate", "s"))
        self.assertGreater(wall["mean_reference"], 0)
        # A memory floor of the spawner would show here: spin itself needs 1 to 4 MB.
        self.assertLess(by_metric["max_rss"]["mean_reference"], 8e6)
        self.assertGreater(by_metric["max_rss"]["mean_reference"], 0.5e6)


@needs_google_benchmark
class GoogleBenchmarkTest(MeasuredTest):
    def test_each_benchmark_has_a_verdict(self):
        metrics = [f"BM_{name}/cpu_time:40%" for name in ("Sum/10000", "Sum/20000", "Fill")]
        done = self.compare(
            "google-benchmark", *(word for metric in metrics for word in ("--metric", metric)),
            f"{GOOGLE} {JSON}", f"{SLOWER} {JSON}")
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.gates(done), {
            "BM_Sum/10000/cpu_time": "regression", "BM_Sum/20000/cpu_time": "regression",
            "BM_Fill/cpu_time": "pass"})
        found = self.by_metric(done)
        # The candidate's loop runs twice.
        self.assertAlmostEqual(found["BM_Sum/20000/cpu_time"]["change"]["estimate"], 1, delta=0.3)
        self.assertEqual(found["BM_Sum/20000/cpu_time"]["unit"], "s")
        # It prints nanoseconds; the value depends on the build.
        printed = json.loads(subprocess.check_output(shlex.split(f"{GOOGLE} {JSON}")))
        sums = [one["cpu_time"] * 1e-9 for one in printed["benchmarks"]
                if one["name"] == "BM_Sum/20000"]
        mean = found["BM_Sum/20000/cpu_time"]["mean_reference"]
        self.assertTrue(sums[0] / 10 < mean < 10 * sums[0], (sums[0], mean))
        rate = found["BM_Sum/10000/items_per_second"]
        self.assertEqual((rate["better"], rate["unit"], rate["role"]), ("higher", "1/s", "info"))
        self.assertLess(rate["change"]["estimate"], -0.3)
        self.assertNotIn("better", found["BM_Sum/10000/elements"])

    def test_without_gates_every_time_gates_and_no_rate_that_says_the_same(self):
        done = self.compare(
            "google-benchmark", "--runs", "8", f"{GOOGLE} {JSON} --benchmark_filter=Sum/10000",
            f"{GOOGLE} {JSON} --benchmark_filter=Sum/10000")
        self.assertIn(done.code, (PASS, REGRESSION, UNDECIDED), done)
        self.assertEqual(set(self.gates(done)), {
            f"BM_Sum/10000/{name}" for name in ("real_time", "cpu_time")})

    def test_samples_inside_a_run_are_for_subselection(self):
        words = f"{JSON} --benchmark_repetitions=5 --benchmark_filter=Sum/10000"
        done = self.compare(
            "google-benchmark", "--estimator", "subselection", "--runs", "8",
            "--metric", "BM_Sum/10000/cpu_time:5%", f"{GOOGLE} {words}", f"{SLOWER} {words}")
        self.assert_exit(done, REGRESSION)
        gate = self.by_metric(done)["BM_Sum/10000/cpu_time"]
        self.assertEqual((gate["estimator"], gate["n_reference"]), ("subselection", 8))


@needs_hyperfine
class HyperfineTest(MeasuredTest):
    def test_two_commands_are_compared_by_the_means_of_their_runs(self):
        words = "hyperfine -N --style none --runs 4 --export-json /dev/stdout"
        done = self.compare(
            "hyperfine", "--metric", "time:50%", f"{words} 'sleep 0.02'", f"{words} 'sleep 0.06'")
        self.assert_exit(done, REGRESSION)
        gate = self.by_metric(done)["time"]
        self.assertEqual(gate["unit"], "s")
        # sleep never returns early.
        self.assertGreaterEqual(gate["mean_reference"], 0.02)
        self.assertGreaterEqual(gate["mean_candidate"], 0.06)
        self.assertIn("user", self.by_metric(done))


if __name__ == "__main__":
    main()
