"""Metrics and gates on them: memory, rates, metrics with zeros, counters, whole trees.

Metrics that this machine lacks are skipped with the daemon's reason.
"""

import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import time

from main import main
from replay import Replay
from support import (FAILED, PASS, PROGRAMS, REGRESSION, TIMEOUT_S, UNDECIDED,
                     DaemonTest)

SPIN = PROGRAMS / "spin"
HOSTILE = PROGRAMS / "hostile"
# About 30 ms on a CPU of 2020.
WORK = 30_000
MEBIBYTE = 1 << 20
HARDWARE = ("instructions", "cycles", "branch_misses", "cache_misses")


class MetricsTest(DaemonTest):
    def compare(self, *words, code):
        """Compares; a verdict takes seconds, longer on a busy machine."""
        done = self.benchctl_json(
            "compare", "--max-time", "2m", *words, timeout=2 * TIMEOUT_S)
        self.assert_exit(done, code)
        return done.events[-1]

    def comparison(self, verdict, metric):
        found = [c for c in verdict["comparisons"] if c["metric"] == metric]
        self.assertEqual(len(found), 1, verdict)
        return found[0]

    def assert_fails_with(self, done, error, hint):
        """Checks the last two lines of stderr, the report of a failed session."""
        told = done.stderr.rstrip().splitlines()[-2:]
        self.assertRegex(told[0], f"^error: session [0-9a-z]+ failed: {re.escape(error)}")
        self.assertTrue(told[1].startswith("hint: ") and hint in told[1], done)

    def counters(self):
        """The entry about counters in the record of this machine."""
        status = self.benchctl_json("machine", "status")
        self.assert_exit(status, 0)
        return status.events[-1]["environment"]["counters"]

    def need(self, metric):
        counters = self.counters()
        if metric not in counters.split(";")[0]:
            self.skipTest(f"{metric}: this machine's counters are {counters}")


class MemoryGateTest(MetricsTest):
    """`max_rss:+1MiB` on programs that take 8 and 12 MiB."""

    def allocate(self, mebibytes):
        return f"{HOSTILE} allocate {mebibytes}"

    def test_the_same_memory_passes(self):
        verdict = self.compare(
            "--metric", "max_rss:+1MiB", self.allocate(8), self.allocate(8), code=PASS)
        gate = self.comparison(verdict, "max_rss")
        self.assertEqual((gate["unit"], gate["margin"]), ("B", MEBIBYTE))
        self.assertLess(gate["decided"]["hi"], MEBIBYTE)
        self.assertGreater(gate["mean_reference"], 8 * MEBIBYTE)

    def test_four_mebibytes_more_are_a_regression(self):
        verdict = self.compare(
            "--metric", "max_rss:+1MiB", self.allocate(8), self.allocate(12), code=REGRESSION)
        difference = self.comparison(verdict, "max_rss")["difference"]["estimate"]
        # The positions of its loader and stack add a page or more.
        self.assertAlmostEqual(difference, 4 * MEBIBYTE, delta=MEBIBYTE / 4)


class RateTest(MetricsTest):
    """A rate for which the program declares that higher is better gates without --metric."""

    PREFER = "#! prefer=higher unit=op/s"

    def rate(self, mean):
        return self.values(self.PREFER, f"rate:{mean}:{mean // 100}")

    def test_ten_percent_less_is_a_regression(self):
        verdict = self.compare(
            "--parse", "lines", self.rate(1000), self.rate(900), code=REGRESSION)
        gate = self.comparison(verdict, "rate")
        self.assertEqual((gate["role"], gate["better"], gate["unit"]), ("gate", "higher", "op/s"))
        # The change as measured: 900/1000 - 1.
        self.assertAlmostEqual(gate["change"]["estimate"], -0.1, delta=0.02)

    def test_ten_percent_more_passes(self):
        self.compare("--parse", "lines", self.rate(1000), self.rate(1100), code=PASS)


class ZeroTest(MetricsTest):
    """A count that is mostly 0 has no ratio, so it needs an absolute margin."""

    # Whole numbers are compared up to two of their steps, so a margin of 1 would never be decided.
    GATE = ("--parse", "lines", "--metric", "errors:+5:lower")

    def errors(self, mean, sd=0):
        return self.values(f"errors:{mean}:{sd}:0")

    def test_no_errors_on_either_side_pass(self):
        verdict = self.compare(*self.GATE, self.errors(0), self.errors(0), code=PASS)
        gate = self.comparison(verdict, "errors")
        self.assertEqual(gate["mean_reference"], 0)
        self.assertEqual(gate["difference"]["estimate"], 0)
        self.assertNotIn("change", gate)

    def test_nine_errors_instead_of_none_are_a_regression(self):
        verdict = self.compare(*self.GATE, self.errors(0), self.errors(9), code=REGRESSION)
        self.assertEqual(self.comparison(verdict, "errors")["difference"]["estimate"], 9)

    def test_major_faults_of_a_program_in_memory_pass_under_an_absolute_margin(self):
        verdict = self.compare(
            "--metric", "major_faults:+5", "/bin/true", "/bin/true", code=PASS)
        self.assertEqual(self.comparison(verdict, "major_faults")["verdict"], "pass")

    def test_a_ratio_of_zeros_is_undecided_and_says_what_to_ask_for(self):
        done = self.benchctl(
            "compare", "--parse", "lines", "--metric", "errors:2%:lower",
            self.errors(0), self.errors(0))
        self.assert_exit(done, UNDECIDED)
        self.assertIn("UNDECIDED, no ratio", done.stdout)
        self.assertIn("gate on the difference: --metric errors:+ABS", done.stdout)

    def test_a_count_that_left_0_is_a_regression_of_a_ratio_too(self):
        verdict = self.compare(
            "--parse", "lines", "--metric", "errors:2%:lower", self.errors(0), self.errors(3),
            code=REGRESSION)
        gate = self.comparison(verdict, "errors")
        self.assertEqual(gate["reason"], "left_zero")
        self.assertEqual(gate["difference"]["estimate"], 3)


class CounterTest(Replay, MetricsTest):
    def test_an_instruction_gate_sees_one_percent_at_once(self):
        self.need("instructions")
        verdict = self.compare(
            "--metric", "instructions:0.5%", f"{SPIN} {WORK}", f"{SPIN} {WORK * 101 // 100}",
            code=REGRESSION)
        gate = self.comparison(verdict, "instructions")
        self.assertAlmostEqual(gate["change"]["estimate"], 0.01, delta=0.003)
        self.assertEqual(gate["decided"]["blocks"], 8)
        verdict = self.compare(
            "--metric", "instructions", f"{SPIN} {WORK}", f"{SPIN} {WORK}", code=PASS)
        # Counters that are not requested by name are included.
        self.comparison(verdict, "cycles")

    def test_a_gate_that_cannot_be_had_fails_by_name_before_anything_ran(self):
        counters = self.counters()
        missing = [one for one in HARDWARE if one not in counters.split(";")[0]]
        if not missing:
            self.skipTest(f"all counters are available: {counters}")
        ran = self.folder / "ran"
        done = self.benchctl(
            "compare", "--metric", missing[0], f"/bin/touch {ran}", f"/bin/touch {ran}")
        self.assert_exit(done, FAILED)
        self.assert_fails_with(
            done, f"metric {missing[0]}: not available here: ", "gate on another metric")
        self.assertFalse(ran.exists())

    def test_task_clock_gates_and_is_cpu_time_in_nanoseconds(self):
        self.need("task_clock")
        verdict = self.compare(
            "--metric", "task_clock:2%", f"{SPIN} {WORK}", f"{SPIN} {WORK * 2}",
            code=REGRESSION)
        gate = self.comparison(verdict, "task_clock")
        self.assertEqual((gate["unit"], gate["better"]), ("s", "lower"))
        self.assertAlmostEqual(gate["change"]["estimate"], 1, delta=0.3)
        cpu = self.comparison(verdict, "cpu_time")
        # rusage counts from fork, the counter from exec.
        self.assertAlmostEqual(
            gate["mean_reference"], cpu["mean_reference"], delta=0.2 * cpu["mean_reference"])

    def test_user_and_system_time_have_the_step_of_this_kernel(self):
        verdict = self.benchctl_json("compare", "--runs", "8", "/bin/true", "/bin/true").events[-1]
        for metric in ("user_time", "system_time"):
            self.comparison(verdict, metric)
        export = json.loads(self.benchctl("export", verdict["session"], "--format", "json").stdout)
        coarse = 6  # CLOCK_MONOTONIC_COARSE, which advances once per tick
        for run in export["runs"]:
            steps = {info["name"]: info["resolution"] for info in run.get("metrics", [])}
            # Exact divisions have no step.
            if steps:
                self.assertEqual(steps, {"user_time": time.clock_getres(coarse),
                                         "system_time": time.clock_getres(coarse)})

    def test_counters_are_absent_where_nobody_asked(self):
        verdict = self.compare("--metric", "max_rss:+100MiB", "/bin/true", "/bin/true", code=PASS)
        metrics = {c["metric"] for c in verdict["comparisons"]}
        self.assertEqual(metrics & {*HARDWARE, "task_clock", "cpu_migrations"}, set())

    def test_an_export_carries_them_and_analyze_computes_the_same(self):
        self.need("task_clock")
        verdict = self.compare(
            "--metric", "task_clock:+1s", "--runs", "9", f"{SPIN} 5000", f"{SPIN} 5000", code=PASS)
        exported = self.benchctl("export", verdict["session"], "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(exported.stdout)))
        self.assertEqual(len(rows), 18)
        for row in rows:
            self.assertGreater(float(row["task_clock"]), 0)
            # It was not requested, so it is absent, not zero.
            self.assertEqual(row.get("tree_memory_peak", ""), "")
        offline = self.assert_replayed(verdict)
        self.assertEqual(self.comparison(offline, "write_bytes")["unit"], "B")


class DisturbanceTest(Replay, MetricsTest):
    """Disturbances of a run are in its data but do not distract."""

    # They are read by default only if that costs at most 0.5 % of a run. It costs 0.1 to 0.2 ms,
    # more on a larger machine. These runs take some 150 ms, so up to 0.75 ms is cheap enough.
    LONG = f"{SPIN} {5 * WORK}"

    def test_interrupts_are_data_of_each_run_and_no_finding(self):
        verdict = self.compare(
            "--metric", "cpu_time:+1s", "--runs", "9", self.LONG, self.LONG, code=PASS)
        interrupts = self.comparison(verdict, "interrupts")
        self.assertEqual((interrupts["role"], interrupts.get("flag", "none")), ("info", "none"))
        exported = self.benchctl("export", verdict["session"], "--format", "csv")
        for row in csv.DictReader(io.StringIO(exported.stdout)):
            # The timer of every busy CPU causes at least ten per second.
            self.assertGreaterEqual(float(row["interrupts"]), 0)
        self.assert_replayed(verdict)

    def test_they_have_no_row_unless_somebody_asks(self):
        words = ("compare", "--runs", "9", "--metric", "cpu_time:+1s", self.LONG, self.LONG)
        self.assertNotRegex(self.benchctl(*words).stdout, r"(?m)^interrupts ")
        self.assertRegex(self.benchctl(*words, "--verbose").stdout, r"(?m)^interrupts ")

    def test_who_gates_on_them_has_them_of_the_shortest_run(self):
        verdict = self.compare(
            "--metric", "interrupts:+1000000", "--runs", "9", "/bin/true", "/bin/true", code=PASS)
        self.assertEqual(self.comparison(verdict, "interrupts")["role"], "gate")

    def test_off_their_own_cpus_runs_have_none(self):
        done = self.benchctl("compare", "--isolation", "off", "--metric", "interrupts:+1000",
                             "/bin/true", "/bin/true")
        self.assert_exit(done, FAILED)
        self.assertIn("metric interrupts: not available here: runs have no dedicated CPUs",
                      done.stderr)


class PerfStatTest(MetricsTest):
    """Compares with `perf stat` of the same program, run between our own runs."""

    EVENTS = {"task_clock": "task-clock", "instructions": "instructions", "cycles": "cycles",
              "branch_misses": "branch-misses"}
    # The work is fixed but the cycles are not; this much they may differ on a busy machine.
    TOLERANCE = {"instructions": 0.02}
    OF_THE_MACHINE = 0.5

    def perf_stat(self, event):
        perf = shutil.which("perf")
        if perf is None:
            self.skipTest("perf is not installed")
        done = subprocess.run(
            [perf, "stat", "-r", "10", "-x", ",", "-e", event, str(SPIN), str(WORK)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        fields = done.stderr.strip().splitlines()[-1].split(",")
        if done.returncode != 0 or not fields[0].replace(".", "").isdigit():
            self.skipTest(f"perf stat -e {event}: {done.stderr.strip()}")
        # perf prints task-clock in milliseconds.
        return float(fields[0]) * (1e-3 if event == "task-clock" else 1)

    def test_its_figures_are_ours(self):
        for metric, event in self.EVENTS.items():
            with self.subTest(metric=metric):
                self.need(metric)
                theirs = self.perf_stat(event)
                verdict = self.compare(
                    "--metric", f"{metric}:50%", f"{SPIN} {WORK}", f"{SPIN} {WORK}", code=PASS)
                ours = self.comparison(verdict, metric)["mean_reference"]
                print(f"{metric}: perf stat {theirs:.6g}, benchd {ours:.6g}", flush=True)
                tolerance = self.TOLERANCE.get(metric, self.OF_THE_MACHINE)
                self.assertAlmostEqual(ours, theirs, delta=tolerance * theirs)


class TreeTest(MetricsTest):
    """Work of a process that outlives the program, which does not wait for it."""

    def worker(self, steps, name):
        return self.script(
            f'pipe={self.folder}/{name}.$$; mkfifo "$pipe"\n'
            f'( ( {SPIN} {steps}; echo >"$pipe"; exec sleep 1000 ) & )\n'
            'read -r _ <"$pipe"; rm "$pipe"', name)

    def need_tree(self, metric):
        done = self.benchctl(
            "compare", "--runs", "8", "--metric", f"{metric}:+1000000000", "/bin/true", "/bin/true")
        if done.code == FAILED and f"metric {metric}: not available here" in done.stderr:
            self.skipTest(done.stderr.strip())

    def test_tree_cpu_time_sees_what_cpu_time_cannot(self):
        self.need_tree("tree_cpu_time")
        # Much more than the shell's own processes take, even on a busy machine.
        work = WORK * 5
        base, more = self.worker(work, "base"), self.worker(work * 2, "more")
        verdict = self.compare("--metric", "tree_cpu_time:5%", base, more, code=REGRESSION)
        tree = self.comparison(verdict, "tree_cpu_time")
        self.assertEqual((tree["unit"], tree["better"]), ("s", "lower"))
        self.assertAlmostEqual(tree["change"]["estimate"], 1, delta=0.5)
        own = self.comparison(verdict, "cpu_time")
        print(f"tree_cpu_time {tree['mean_reference']:.4f} and {tree['mean_candidate']:.4f} s, "
              f"cpu_time {own['mean_reference']:.4f} and {own['mean_candidate']:.4f} s", flush=True)
        self.assertLess(own["mean_reference"], tree["mean_reference"] / 2)

    def test_tree_memory_peak_gates_on_each_runs_own_peak(self):
        self.need_tree("tree_memory_peak")
        # The larger arm's peak must not remain for the next run of the smaller one.
        verdict = self.compare(
            "--metric", "tree_memory_peak:+1MiB", "--max-runs", "40",
            f"{HOSTILE} allocate 8", f"{HOSTILE} allocate 16", code=REGRESSION)
        tree = self.comparison(verdict, "tree_memory_peak")
        print(f"tree_memory_peak {tree['mean_reference'] / MEBIBYTE:.2f} and "
              f"{tree['mean_candidate'] / MEBIBYTE:.2f} MiB", flush=True)
        self.assertEqual(tree["unit"], "B")
        self.assertAlmostEqual(
            tree["difference"]["estimate"], 8 * MEBIBYTE, delta=2 * MEBIBYTE)


class BytesTest(MetricsTest):
    def test_bytes_written_gate_under_an_absolute_margin(self):
        out = self.folder / "out"
        def write(mebibytes):
            return shlex.join(["/bin/dd", "if=/dev/zero", f"of={out}", "bs=1M",
                               f"count={mebibytes}", "status=none"])
        done = self.benchctl_json(
            "compare", "--metric", "write_bytes:+1MiB", write(2), write(8))
        if done.code == FAILED:
            self.skipTest(json.dumps(done.events[-1]))
        gate = self.comparison(done.events[-1], "write_bytes")
        if gate["mean_reference"] < MEBIBYTE:
            self.skipTest("the temporary folder is in memory: nothing is written to storage")
        self.assert_exit(done, REGRESSION)
        self.assertAlmostEqual(
            gate["difference"]["estimate"], 6 * MEBIBYTE, delta=MEBIBYTE / 4)


if __name__ == "__main__":
    main()
