"""Verdicts on real CPU-bound programs, gated on CPU time so that a busy machine does not decide.

`spin N` needs time proportional to N. Margins are far from the truth on both sides.
"""

import shlex
import shutil

from main import main
from support import PASS, PROGRAMS, REGRESSION, DaemonTest

SPIN = PROGRAMS / "spin"
# About 30 ms on a CPU of 2020: start-up and page faults are a few per cent of it.
WORK = 30_000


class RealProgramTest(DaemonTest):
    def test_ten_percent_more_work_is_a_regression_at_a_margin_of_two(self):
        done = self.benchctl_json(
            "compare", "--metric", "cpu_time:2%:lower", "--max-time", "50s",
            f"{SPIN} {WORK}", f"{SPIN} {WORK * 11 // 10}")
        self.assert_exit(done, REGRESSION)
        gate = done.events[-1]["comparisons"][0]
        # 10 % within what a shared machine does to CPU time.
        self.assertAlmostEqual(gate["change"]["estimate"], 0.1, delta=0.05)

    def test_a_program_against_its_copy_passes_at_a_margin_of_twenty(self):
        copy = self.folder / "spin-copy"
        shutil.copy(SPIN, copy)
        done = self.benchctl_json(
            "compare", "--margin", "20%", "--metric", "cpu_time", "--max-time", "50s",
            f"{SPIN} {WORK}", f"{shlex.quote(str(copy))} {WORK}")
        self.assert_exit(done, PASS)

    def test_every_run_has_the_metrics_of_the_kernel(self):
        done = self.benchctl_json(
            "compare", "--method", "fixed", "--runs", "8", "--margin", "50%",
            f"{SPIN} {WORK}", f"{SPIN} {WORK}")
        by_metric = {c["metric"]: c for c in done.events[-1]["comparisons"]}
        for metric in ("wall_time", "user_time", "system_time", "cpu_time", "max_rss",
                       "minor_faults", "major_faults", "voluntary_switches",
                       "involuntary_switches"):
            self.assertIn(metric, by_metric)
        wall = by_metric["wall_time"]
        self.assertEqual((wall["role"], wall["unit"]), ("gate", "s"))
        self.assertGreater(wall["mean_reference"], 0)
        # A static floor of the spawner would show here: spin itself needs 1 to 4 MB.
        self.assertLess(by_metric["max_rss"]["mean_reference"], 8e6)
        self.assertGreater(by_metric["max_rss"]["mean_reference"], 0.5e6)


if __name__ == "__main__":
    main()
