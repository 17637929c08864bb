"""Metrics of whole process trees by control group, on a machine with systemd, with a worker that
outlives its program, which does not wait for it."""

import shutil

import e2e_support
from core import core
from guest import GuestTest

MEBIBYTE = 1 << 20


class MetricsTest(GuestTest):
    def setUp(self):
        super().setUp()
        # A folder in which every user may execute it.
        self.hostile = self.folder / "hostile"
        shutil.copy(e2e_support.PROGRAMS / "hostile", self.hostile)
        self.hostile.chmod(0o755)
        self.pipes = self.folder / "pipes"
        self.pipes.mkdir()
        self.pipes.chmod(0o777)

    def worker(self, name, steps=1000, mebibytes=1):
        """Leaves a process that does this work, takes this much memory, and lives on."""
        script = self.script(
            f'pipe={self.pipes}/{name}.$$; mkfifo "$pipe"\n'
            f"( ( i=0; while [ $i -lt {steps} ]; do i=$((i+1)); done; "
            f"{self.hostile} allocate {mebibytes} >/dev/null; "
            'echo >"$pipe"; exec sleep 1000 ) & )\n'
            'read -r _ <"$pipe"; rm "$pipe"; echo n 1000', name)
        return script

    def gate(self, metric, *commands, code):
        done = self.benchctl_json(
            "compare", "--metric", metric, *commands, timeout=600)
        self.assert_exit(done, code)
        by_name = {one["metric"]: one for one in done.events[-1]["comparisons"]}
        return by_name, done

    @core("core-b")
    def test_tree_cpu_time_has_the_worker_that_rusage_has_not(self):
        by_name, _ = self.gate(
            "tree_cpu_time:10%", self.worker("base", 10_000), self.worker("more", 40_000),
            code=e2e_support.REGRESSION)
        tree, own = by_name["tree_cpu_time"], by_name["cpu_time"]
        print(f"tree_cpu_time {tree['mean_reference']:.4f} and {tree['mean_candidate']:.4f} s, "
              f"cpu_time {own['mean_reference']:.4f} and {own['mean_candidate']:.4f} s", flush=True)
        self.assertEqual(tree["unit"], "s")
        self.assertGreater(tree["change"]["estimate"], 0.3)
        self.assertGreater(
            tree["mean_candidate"] - tree["mean_reference"],
            5 * abs(own["mean_candidate"] - own["mean_reference"]))

    @core("core-b")
    def test_tree_memory_peak_has_the_worker_too_and_each_run_its_own(self):
        by_name, _ = self.gate(
            "tree_memory_peak:+1MiB", self.worker("base", mebibytes=16),
            self.worker("more", mebibytes=24), code=e2e_support.REGRESSION)
        tree, own = by_name["tree_memory_peak"], by_name["max_rss"]
        print(f"tree_memory_peak {tree['mean_reference'] / MEBIBYTE:.2f} and "
              f"{tree['mean_candidate'] / MEBIBYTE:.2f} MiB, max_rss "
              f"{own['mean_reference'] / MEBIBYTE:.2f} and "
              f"{own['mean_candidate'] / MEBIBYTE:.2f} MiB", flush=True)
        self.assertAlmostEqual(tree["difference"]["estimate"], 8 * MEBIBYTE, delta=MEBIBYTE)
        # The shell's own memory; that of its grandchild would be 16 MiB more.
        self.assertLess(own["mean_candidate"], 8 * MEBIBYTE)

    def test_the_same_program_passes(self):
        for metric in ("tree_cpu_time:+1s", "tree_memory_peak:+1MiB"):
            self.gate(metric, self.worker("base"), self.worker("more"), code=e2e_support.PASS)

    def test_the_record_says_which_counters_there_are(self):
        status = self.machine("status")
        counters = status["environment"]["counters"]
        print(f"counters: {counters}", flush=True)
        self.assertIn("task_clock", counters)
        if "instructions" in counters.split(";")[0]:
            return
        done = self.benchctl("compare", "--metric", "instructions", "/bin/true", "/bin/true")
        self.assert_exit(done, e2e_support.FAILED)
        self.assertIn("metric instructions: not available here: ", done.stderr)

    def test_software_counters_gate(self):
        by_name, _ = self.gate(
            "task_clock:+10s", self.worker("base"), self.worker("more"), code=e2e_support.PASS)
        self.assertGreater(by_name["task_clock"]["mean_reference"], 0)

    def turns_told(self, *commands):
        """The warnings about commands with more threads than benchmark CPUs; there is one CPU."""
        (benchmark_cpu, *_) = self.machine("status")["benchmark_cpus"]
        done = self.benchctl_json("compare", "--runs", "8", "--margin", "90%", "--cpus",
                                  str(benchmark_cpu), *commands, timeout=600)
        warnings = done.events[-1]["warnings"]
        return [one["message"] for one in warnings if one["code"] == "threads_took_turns"]

    @core("core-a")
    def test_two_threads_on_one_cpu_are_named_and_one_after_the_other_is_not(self):
        spin = self.folder / "spin"
        shutil.copy(e2e_support.PROGRAMS / "spin", spin)
        spin.chmod(0o755)
        (told,) = self.turns_told(f"{spin} 100000", f"{spin} 50000 2")
        self.assertIn(f"'{spin} 50000 2'"[:61], told)
        self.assertEqual(
            self.turns_told("--shell", f"{spin} 50000; {spin} 50000", f"{spin} 100000"), [])
