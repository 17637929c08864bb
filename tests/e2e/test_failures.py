"""Failures are reported at once: exit code 4, the arm, the block, and the program's output.

"At once" means before any later event; no test here depends on a clock.
"""

import os
import shlex
import signal
import time

from main import main
from support import (FAILED, PASS, REGRESSION, UNDECIDED, USAGE, DaemonTest, processes_with, wait_for_exit,
                     wait_for_no_process_with)

LINES = ("--parse", "lines", "--metric", "n:2%:lower")


class FailureTest(DaemonTest):
    def fails(self, *words):
        """Compares, and returns the `failed` event."""
        done = self.benchctl_json("compare", *words)
        self.assert_exit(done, FAILED)
        failed = done.events[-1]
        self.assertEqual(failed["event"], "failed", done)
        return failed

    def at_run(self, number, then):
        """A script that counts its runs and executes `then` from that number on (from 1)."""
        counter = shlex.quote(str(self.folder / "count"))
        return self.script(
            f"n=$(cat {counter} 2>/dev/null || echo 0); n=$((n + 1)); echo $n >{counter}\n"
            f"if [ $n -ge {number} ]; then {then}; fi\n"
            "echo n 1000",
            name=f"at-run-{number}")

    def test_a_command_that_does_not_exist(self):
        ran = self.folder / "ran"
        failed = self.fails(f"touch {ran}", "no-such-program --flag")
        self.assertFalse(ran.exists(), "reported before anything ran")
        self.assertIn("no-such-program", failed["error"])
        self.assertEqual((failed["run"]["arm"], failed["run"]["block"]), ("candidate", 0))
        self.assert_unharmed()

    def test_a_command_that_does_not_exist_is_told_at_submit(self):
        done = self.benchctl("submit", self.values("n:1:0"), "no-such-program --flag")
        self.assert_exit(done, FAILED)
        self.assertIn("no-such-program", done.stderr)

    def test_without_a_path_a_command_is_found_where_the_systems_are(self):
        environment = self.client_environment()
        del environment["PATH"]
        done = self.benchctl_json(
            "compare", *LINES, "echo n 1000", "echo n 1000", environment=environment)
        self.assert_exit(done, PASS)

    def test_a_program_that_exits_with_1(self):
        marker = f"86400.{time.monotonic_ns()}"
        # The processes left behind hold the streams open, and the session does not wait for that.
        program = self.at_run(
            5, f'echo "cannot find the answer" >&2; setsid sleep {marker} & exit 1')
        failed = self.fails(*LINES, self.values("n:1000:0:0"), program)
        self.assertEqual(wait_for_no_process_with(marker), [])
        run = failed["run"]
        # The candidate's fifth run: the first is a warm-up, so this is measured block 3.
        self.assertEqual((run["arm"], run["benchmark"], run["block"]), ("candidate", "main", 3))
        self.assertEqual(run["exit_code"], 1)
        self.assertNotIn("signal", run)
        self.assertIn("cannot find the answer", run["stderr_tail"])
        self.assertIn("hint", failed)

    def test_a_candidate_that_fails_fast_does_not_pass(self):
        words = ("-i", "--margin", "20%", "sleep 0.002", self.script("kill -SEGV $$"))
        verdict = self.benchctl_json("compare", *words)
        self.assert_exit(verdict, REGRESSION)
        gates = [one for one in verdict.events[-1]["comparisons"] if one["role"] == "gate"]
        self.assertEqual([one["reason"] for one in gates], ["failed_in_candidate"])
        done = self.benchctl("compare", *words)
        self.assert_exit(done, REGRESSION)
        self.assertIn("REGRESSION, runs of candidate failed", done.stdout)
        self.assertIn("runs of candidate failed, but count like any other", done.stdout)

    def test_a_reference_that_fails_alone_decides_nothing(self):
        done = self.benchctl_json(
            "compare", "-i", "--margin", "20%", self.script("exit 3"), "sleep 0.002")
        self.assert_exit(done, UNDECIDED)

    def test_exit_codes_that_are_accepted_are_no_failures(self):
        three = self.script("echo n 1000; exit 3", name="three")
        none = self.script("echo n 1000", name="none")
        words = ("compare", *LINES, "--accept-exit", "0,3")
        done = self.benchctl_json(*words, none, three)
        self.assert_exit(done, PASS)
        self.assertNotIn("failed_runs", [one["code"] for one in done.events[-1]["warnings"]])
        self.assert_exit(self.benchctl("compare", *LINES, "--accept-exit", "3", none, three),
                         FAILED)
        wrong = self.benchctl(*words[:-1], "0,256", none, three)
        self.assert_exit(wrong, USAGE)

    def test_a_failure_reads_well_without_json(self):
        program = self.at_run(5, 'echo "cannot find the answer" >&2; exit 1')
        done = self.benchctl("compare", *LINES, self.values("n:1000:0:0"), program)
        self.assert_exit(done, FAILED)
        for word in ("error: ", "candidate", "block 3", "cannot find the answer"):
            self.assertIn(word, done.stderr)

    def test_a_program_that_is_killed_by_a_signal(self):
        program = self.at_run(3, "kill -SEGV $$")
        failed = self.fails(*LINES, program, self.values("n:1000:0:0"))
        self.assertEqual(failed["run"]["arm"], "base")
        self.assertEqual(failed["run"]["signal"], signal.SIGSEGV)
        self.assertNotIn("exit_code", failed["run"])

    def test_a_program_that_never_ends_is_killed_with_its_grandchildren(self):
        marker = f"86400.{time.monotonic_ns()}"
        # One grandchild is in the process group, one in a session of its own.
        program = self.script(f"sleep {marker} & setsid sleep {marker} & sleep {marker}")
        failed = self.fails("--timeout", "1s", program, "true")
        self.assertIn("1 s", failed["error"].replace("1s", "1 s"))
        self.assertEqual(failed["run"]["arm"], "base")
        self.assertEqual(wait_for_no_process_with(marker), [])

    def test_a_program_that_leaves_children_behind(self):
        marker = f"86400.{time.monotonic_ns()}"
        program = self.script(f"setsid sleep {marker} & echo n 1000")
        done = self.benchctl("compare", *LINES, program, self.values("n:1000:0:0"))
        self.assert_exit(done, PASS)
        self.assertEqual(wait_for_no_process_with(marker), [])

    def test_a_program_that_was_rebuilt_between_submit_and_run(self):
        gate = self.gate()
        first = self.start_client("compare", *LINES, gate.command, self.values("n:1000:0:0"))
        gate.arrived()
        program = self.script("echo n 1000", name="rebuilt")
        second = self.start_client("compare", *LINES, self.values("n:1000:0:0"), program)
        second.until("queued")
        new = self.script("echo n 999", name="rebuilt.new")
        os.replace(new, program)
        gate.open()
        self.assertEqual(first.finish(), PASS)
        self.assertEqual(second.finish(), FAILED, second.events)
        failed = second.events[-1]
        self.assertEqual(failed["event"], "failed")
        self.assertIn(program, failed["error"])

    def test_output_that_cannot_be_parsed(self):
        failed = self.fails(*LINES, self.script("echo n twelve"), self.values("n:1000:0:0"))
        self.assertIn("line 1", failed["error"])
        self.assertEqual(failed["run"]["arm"], "base")

    def test_a_metric_that_nobody_printed(self):
        failed = self.fails(
            "--parse", "lines", "--metric", "absent:2%:lower",
            self.values("m:1:0"), self.values("m:1:0"))
        self.assertIn("absent", failed["error"])

    def test_the_runner_between_sessions_may_die_unnoticed(self):
        self.assert_unharmed()
        runner = self.daemon.runner_pid()
        os.kill(runner, signal.SIGKILL)
        self.assertTrue(wait_for_exit(runner))
        self.assert_unharmed()

    def test_nothing_survives_a_daemon_that_is_killed_in_a_run(self):
        gate = self.gate()
        client = self.start_client("compare", *LINES, gate.command, self.values("n:1000:0:0"))
        gate.arrived()
        self.assertNotEqual(processes_with(gate.marker), [])
        runner = self.daemon.runner_pid()
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.assertTrue(wait_for_exit(runner))
        self.assertEqual(wait_for_no_process_with(gate.marker), [])
        # The client waits for the next daemon, in which the session continues.
        self.daemon.start()
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)


if __name__ == "__main__":
    main()
