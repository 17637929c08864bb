"""Where stdout goes: `--output pipe`, and `--check-output`, which compares what the arms print."""

import shlex
import time

from main import main
from support import FAILED, PASS, TIMEOUT_S, USAGE, DaemonTest, wait_for_no_process_with

# No test here is about time: any change of these programs passes. Memory does not depend on the
# machine's load, as even a margin of 10000 % of a millisecond does.
ANY = ("--runs", "8", "--metric", "max_rss:10000%")
LINES = ("--parse", "lines", "--metric", "n:2%:lower", "--runs", "2")


class StdoutTest(DaemonTest):
    def compare(self, *words, code=PASS):
        done = self.benchctl_json("compare", *words, timeout=2 * TIMEOUT_S)
        self.assert_exit(done, code)
        return done.events[-1]


class PipeTest(StdoutTest):
    """A program that does less if it writes to /dev/null, as grep does."""

    def looks_at_stdout(self):
        seen = shlex.quote(str(self.folder / "seen"))
        return self.script(
            f"kind=other; if [ -p /dev/stdout ]; then kind=pipe; fi; echo $kind >>{seen}\n"
            "echo n 1000",
            name="grep-like")

    def seen(self):
        path = self.folder / "seen"
        words = set(path.read_text().split())
        path.unlink()
        return words

    def test_stdout_is_a_pipe_only_if_asked_for_or_needed(self):
        program = self.looks_at_stdout()
        for options, what in (((), "other"), (("--output", "null"), "other"),
                              (("--output", "pipe"), "pipe"), (("--output", "log"), "pipe"),
                              (("--check-output",), "pipe"),
                              (("--output", "null", "--check-output"), "pipe")):
            with self.subTest(options=options):
                self.compare(*ANY, *options, program, program)
                self.assertEqual(self.seen(), {what})

    def test_parse_reads_what_the_pipe_would_discard(self):
        program = self.looks_at_stdout()
        verdict = self.compare(*LINES, "--output", "pipe", "--check-output", program, program)
        self.assertEqual(self.seen(), {"pipe"})
        gate = next(one for one in verdict["comparisons"] if one["role"] == "gate")
        self.assertEqual((gate["metric"], gate["mean_reference"]), ("n", 1000))

    def test_the_option_is_told_and_kept_for_a_repetition(self):
        verdict = self.compare(*ANY, "--output", "pipe", "--check-output", "echo a", "echo a")
        spec = self.session(verdict["session"])["spec"]["benchmarks"][0]
        self.assertEqual((spec["output"], spec["check_output"]), ("pipe", True))
        shown = self.benchctl("show", verdict["session"]).stdout
        self.assertIn("--output pipe --check-output", shown)

    def test_a_program_that_prints_100_megabytes_ends_and_benchd_does_not_grow(self):
        def compare_printers(size):
            program = f"head -c {size} /dev/zero"
            # Two blocks seldom decide anything about time.
            done = self.benchctl_json("compare", "--runs", "2", "--output", "pipe",
                                      "--check-output", program, program, timeout=2 * TIMEOUT_S)
            self.assertEqual(done.events[-1]["event"], "verdict", done)

        compare_printers(100_000)
        pids = (self.daemon.pid, self.daemon.runner_pid())
        before = [self.memory_of(pid) for pid in pids]
        compare_printers(100_000_000)
        for pid, was in zip(pids, before):
            self.assertLess(self.memory_of(pid) - was, 20 << 10, "KiB; 600 MB were printed")

    @staticmethod
    def memory_of(pid):
        """The memory of the process, in KiB."""
        with open(f"/proc/{pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

    def test_a_process_left_behind_with_the_pipe_does_not_hold_the_session_up(self):
        marker = f"86400.{time.monotonic_ns()}"
        program = self.script(f"setsid sleep {marker} & echo same")
        for options in (("--output", "pipe"), ("--output", "pipe", "--check-output")):
            with self.subTest(options=options):
                self.compare(*ANY, *options, program, program)
                self.assertEqual(wait_for_no_process_with(marker), [])

    def test_a_failed_run_is_what_it_is_without_the_pipe(self):
        failing = self.script("echo out; exit 3", "failing")
        failed = self.compare(*ANY, "--output", "pipe", failing, failing, code=FAILED)
        self.assertEqual(failed["run"]["exit_code"], 3)
        self.compare(*ANY, "--output", "pipe", "-i", failing, failing)


class CheckOutputTest(StdoutTest):
    def fails(self, *words):
        failed = self.compare(*ANY, "--check-output", *words, code=FAILED)
        self.assertEqual(failed["event"], "failed")
        self.assertIn("--check-output", failed["hint"])
        return failed

    def at_run(self, number, then):
        """A script that counts its runs and prints `then` from that number on (from 1)."""
        counter = shlex.quote(str(self.folder / "count"))
        return self.script(
            f"n=$(cat {counter} 2>/dev/null || echo 0); n=$((n + 1)); echo $n >{counter}\n"
            f"echo first\nif [ $n -ge {number} ]; then echo {then}; else echo same; fi",
            name="at-run")

    def test_arms_that_print_the_same_pass(self):
        for options in ((), ("--output", "log"), ("--output", "pipe"), ("--placebo",)):
            with self.subTest(options=options):
                self.compare(*ANY, "--check-output", *options, "printf 'a\\nb\\n'",
                             self.script("echo a; echo b; echo different >&2"))

    def test_the_first_line_that_differs_is_shown_with_both_arms(self):
        failed = self.fails("-n", "old", "-n", "new", "printf 'a\\nsum 42\\nc'",
                            "printf 'a\\nsum 43\\nc'")
        self.assertEqual(failed["run"]["arm"], "new")
        self.assertNotIn("exit_code", failed["run"])
        self.assertIn("differs from that of old: line 2 is 'sum 43' instead of 'sum 42'",
                      failed["error"])

    def test_it_reads_well_without_json(self):
        done = self.benchctl("compare", *ANY, "--check-output", "printf 'a\\033[31m'",
                             "printf 'a\\033[32m'")
        self.assert_exit(done, FAILED)
        lines = done.stderr.splitlines()
        told = lines[next(i for i, line in enumerate(lines) if line.startswith("error: ")):]
        self.assertRegex(told[0], "^error: session [0-9a-z]+ failed: candidate, warm-up: ")
        self.assertIn("'a\\x1b[32m' instead of 'a\\x1b[31m'", told[0])
        self.assertTrue(told[1].startswith("hint: "), done)

    def test_an_arm_that_varies_is_told_apart_from_arms_that_differ(self):
        varying = self.script("echo $$ $(cat /proc/uptime)")
        for words, arm in (((varying, "echo same"), "base"), (("echo same", varying), "candidate")):
            with self.subTest(arm=arm):
                failed = self.fails(*words)
                self.assertEqual(failed["run"]["arm"], arm)
                self.assertIn(f"an earlier run of {arm}", failed["error"])
                self.assertIn("print the same in every run", failed["hint"])

    def test_an_output_that_changes_later_ends_the_session(self):
        failed = self.compare("--runs", "20", "--check-output", "printf 'first\\nsame\\n'",
                              self.at_run(5, "other"), code=FAILED)
        # The candidate's fifth run: the first is a warm-up, so this is measured block 3.
        self.assertEqual((failed["run"]["arm"], failed["run"]["block"]), ("candidate", 3))
        self.assertIn("line 2 is 'other' instead of 'same'", failed["error"])

    def test_a_difference_after_a_long_equal_beginning(self):
        # 7 bytes a line: line 9363 contains the end of the first 64 KiB.
        lines = self.folder / "lines"
        for name, changed, expected in (
                ("near", 9000, "line 9000 is 'change' instead of '009000'"),
                ("far", 90_000, "the first difference is after 64 KiB, and both are 700000 bytes")):
            with self.subTest(name):
                text = "".join(f"{i:06}\n" for i in range(1, 100_001))
                lines.write_text(text)
                other = self.folder / "other"
                other.write_text(text.replace(f"{changed:06}\n", "change\n"))
                self.assertIn(expected, self.fails(f"cat {lines}", f"cat {other}")["error"])

    def test_each_benchmark_of_a_suite_is_checked_for_itself(self):
        suite = self.folder / "suite.toml"
        suite.write_text("""
[defaults]
runs = 8
metric = "max_rss:10000%"
[[benchmark]]
name = "equal"
check_output = true
[[benchmark.arm]]
name = "old"
command = "echo a"
[[benchmark.arm]]
name = "new"
command = "echo a"
[[benchmark]]
name = "free"
[[benchmark.arm]]
name = "old"
command = "echo b"
[[benchmark.arm]]
name = "new"
command = "echo c"
""")
        self.compare("-f", suite)
        suite.write_text(suite.read_text().replace('name = "free"', 'name = "free"\ncheck_output = true'))
        failed = self.compare("-f", suite, code=FAILED)
        self.assertEqual((failed["run"]["benchmark"], failed["run"]["arm"]), ("free", "new"))

    def test_a_killed_run_that_counts_is_not_compared(self):
        killed = self.at_run(3, "x; kill -SEGV $$")
        done = self.benchctl_json("compare", *ANY, "-i", "--check-output",
                                  "printf 'first\\nsame\\n'", killed)
        self.assertNotEqual(done.code, FAILED, done)

    def test_a_file_is_refused(self):
        done = self.benchctl("compare", "--check-output", "--output", "out.txt", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "check-output", "--output FILE")

    def test_a_session_that_goes_on_after_a_kill_is_still_checked(self):
        for candidate, code in (("echo n 1000", PASS), ("echo n 1001", FAILED)):
            with self.subTest(candidate=candidate):
                gate = self.gate()
                session = self.benchctl_json("submit", *ANY, "--check-output", gate.command,
                                             candidate).events[0]["session"]
                # The second run is in a measured block, so the first outputs are known.
                gate.arrived()
                if code == PASS:
                    gate.open(runs=1)
                    gate.arrived()
                self.kill_and_restart()
                gate.arrived()
                gate.open()
                done = self.benchctl_json("watch", session, timeout=2 * TIMEOUT_S)
                self.assert_exit(done, code)


if __name__ == "__main__":
    main()
