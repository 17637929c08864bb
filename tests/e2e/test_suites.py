"""Suites: many benchmarks in one session, from a file, parameters or patterns.

Every benchmark and arm has its own counter, so its k-th run prints the same number regardless of
its position. The seeds alone determine when each benchmark is decided.
"""

import collections
import csv
import io
import pathlib
import re
import shlex
import unittest

from main import main
from replay import Replay
from support import PASS, PROGRAMS, REGRESSION, UNDECIDED, USAGE, DaemonTest

SEED = ("--seed", "20240501")
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/suite"
BENCHMARKS = 20
PLANTED = "b13"  # slower by 3 %; the margin is 2 %
SPREAD = 1       # of values around 100

ARMS = """
[[arm]]
name = "base"
[[arm]]
name = "feature"
"""


class SuiteTest(Replay, DaemonTest):
    def value(self, benchmark, arm, mean, spread=SPREAD):
        """A command that prints `latency` from its own random stream."""
        number = 1000 + int(benchmark.strip("b")) * 2 + (arm == "feature")
        words = [PROGRAMS / "seeded_values", self.folder / f"{benchmark}-{arm}.count", number,
                 f"latency:{mean}:{spread}"]
        return shlex.join(str(word) for word in words)

    def suite(self, text, name="suite.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def twenty(self, slower=103):
        """A suite of twenty; in one of them the feature is slower."""
        text = '[defaults]\nparse = "lines"\nmetric = "latency:lower"\nmax_time = "5m"\n' + ARMS
        for i in range(1, BENCHMARKS + 1):
            name = f"b{i:02}"
            text += f'[[benchmark]]\nname = "{name}"\n'
            for arm in ("base", "feature"):
                mean = slower if (name, arm) == (PLANTED, "feature") else 100
                text += (f'[[benchmark.arm]]\nname = "{arm}"\n'
                         f"command = '''{self.value(name, arm, mean)}'''\n")
        return self.suite(text)

    def forget_counts(self):
        for path in self.folder.glob("*.count"):
            path.unlink()

    def blocks(self, session):
        """{(benchmark, pair): arms in order of execution}"""
        done = self.benchctl("export", session, "--format", "csv")
        self.assert_exit(done, PASS)
        blocks = collections.defaultdict(list)
        for row in csv.DictReader(io.StringIO(done.stdout)):
            blocks[row["benchmark"], row["pair"]].append(row["arm"])
        return blocks

    def test_one_slowdown_among_twenty_is_found_and_the_others_pass(self):
        done = self.benchctl_json("compare", *SEED, "-f", self.twenty())
        self.assert_exit(done, REGRESSION)
        verdict = done.events[-1]
        gates = [c for c in verdict["comparisons"] if c["role"] == "gate"]
        self.assertEqual(len(gates), BENCHMARKS)
        for gate in gates:
            expected = "regression" if gate["benchmark"] == PLANTED else "pass"
            self.assertEqual(gate["verdict"], expected, gate)
            # Twenty gates share alpha = 1 %.
            self.assertAlmostEqual(gate["confidence"], 1 - 0.01 / BENCHMARKS, places=12)
            self.assertEqual(gate["decided"]["blocks"], gate["n_candidate"],
                             "a decided benchmark stops")
            self.assertGreaterEqual(gate["n_candidate"], 8, "each benchmark gets the minimum")
        runs = sum(verdict["runs"].values())
        equal = 2 * BENCHMARKS * max(gate["n_candidate"] for gate in gates)
        print(f"\nsuite of {BENCHMARKS}: {runs} runs; equal shares for all need {equal}"
              f" ({100 * runs / equal:.0f} %), seed {SEED[1]}")
        self.assertLess(2 * runs, equal)

    def test_a_false_discovery_rate_may_replace_that_of_the_family(self):
        done = self.benchctl_json("compare", *SEED, "--error-rate", "fdr", "-f", self.twenty())
        self.assert_exit(done, REGRESSION)
        verdict = done.events[-1]
        gates = [c for c in verdict["comparisons"] if c["role"] == "gate"]
        steps = BENCHMARKS * sum(1 / (i + 1) for i in range(BENCHMARKS))
        for gate in gates:
            expected = "regression" if gate["benchmark"] == PLANTED else "pass"
            self.assertEqual(gate["verdict"], expected, gate)
            self.assertAlmostEqual(gate["confidence"], 1 - 0.01 / steps, places=12)
            self.assertIn(gate["decided"].get("by", "fdr"), ("fdr",))
        shown = self.benchctl("show", verdict["session"])
        self.assertIn("on average at most 0.5 % of the regressions and 0.5 % of the passes are wrong",
                      " ".join(shown.stdout.split()))
        self.assertIn("--error-rate fdr", shown.stdout, "the lines that repeat it")

    def test_decisions_together_are_computed_again_by_analyze(self):
        done = self.benchctl_json("compare", *SEED, "-f", self.twenty())
        self.assert_exit(done, REGRESSION)
        gates = [c for c in done.events[-1]["comparisons"] if c["role"] == "gate"]
        self.assertIn("holm", {gate["decided"].get("by") for gate in gates})
        self.assert_replayed(done.events[-1])

    def test_the_result_is_one_table_that_a_terminal_of_100_columns_holds(self):
        done = self.benchctl("compare", *SEED, "-f", self.twenty())
        self.assert_exit(done, REGRESSION)
        lines = done.stdout.splitlines()
        for i in range(1, BENCHMARKS + 1):
            rows = [line for line in lines if line.startswith(f"b{i:02} ")]
            self.assertEqual(len(rows), 1, done.stdout)
            self.assertLessEqual(len(rows[0]), 100)
        self.assertIn("REGRESSION: 1 of 20 gates regressed", done.stdout)
        self.assertIn(f"  {PLANTED}: feature's latency is", done.stdout)
        shown = self.benchctl("show", lines[-1].split()[-1])
        self.assert_exit(shown, PASS)
        self.assertIn("  cpu_time  ", shown.stdout, "every metric of each benchmark")

    def test_a_suite_goes_on_in_the_same_order_after_a_crash(self):
        suite = self.twenty()
        whole = self.benchctl_json("compare", *SEED, "-f", suite)
        self.assert_exit(whole, REGRESSION)
        expected = self.blocks(whole.events[-1]["session"])

        self.forget_counts()
        client = self.start_client("compare", *SEED, "-f", suite)
        session = client.until("queued")["session"]
        while sum(client.until("update")["runs"].values()) < 200:
            pass
        self.daemon.kill()
        self.daemon.start()
        watched = self.benchctl_json("watch", session)
        self.assert_exit(watched, REGRESSION)
        self.assertIn("interrupted", [w["code"] for w in watched.events[-1]["warnings"]])
        blocks = self.blocks(session)
        both = blocks.keys() & expected.keys()
        # Every benchmark has its minimum; beyond that, the values of a repeated block may differ.
        self.assertGreaterEqual(len(both), 8 * BENCHMARKS)
        for key in both:
            self.assertEqual(blocks[key], expected[key], key)
        verdicts = {c["benchmark"]: c["verdict"]
                    for c in watched.events[-1]["comparisons"] if c["role"] == "gate"}
        self.assertEqual([b for b, v in verdicts.items() if v != "pass"], [PLANTED])

    def test_only_some_benchmarks_are_run(self):
        suite = self.twenty()
        done = self.benchctl_json("compare", *SEED, "-f", suite, "--only", "b0[1-3]",
                                  "--only", "b2?")
        self.assert_exit(done, PASS)
        gates = [c for c in done.events[-1]["comparisons"] if c["role"] == "gate"]
        self.assertEqual([c["benchmark"] for c in gates], ["b01", "b02", "b03", "b20"])
        self.assertEqual({round(c["confidence"], 9) for c in gates}, {0.9975}, "alpha / 4 each")
        wrong = self.benchctl("compare", "-f", suite, "--only", "b001")
        self.assert_exit(wrong, USAGE)
        self.assert_one_error(wrong, "--only b001: no benchmark matches", "did you mean b01?")

    def test_a_scan_of_a_parameter_is_a_suite(self):
        value = self.values("latency:{size}:0.002:6")
        done = self.benchctl_json(
            "compare", *SEED, "--parse", "lines", "--metric", "latency:2%:lower",
            "--parameter-scan", "size", "0.1", "0.3", "0.1", value, value)
        self.assert_exit(done, PASS)
        means = {c["benchmark"]: c["mean_reference"] for c in done.events[-1]["comparisons"]
                 if c["role"] == "gate"}
        self.assertEqual(list(means), ["size=0.1", "size=0.2", "size=0.3"])
        for name, mean in means.items():
            # The spread is 0.002 per run; the delta is ten standard errors of the mean of eight.
            self.assertAlmostEqual(mean, float(name.split("=")[1]), delta=0.007)

    def test_the_time_limit_is_that_of_the_whole_suite(self):
        # A change of 0 cannot be distinguished from 0.0001 %, so all benchmarks stay open.
        benchmarks, limit = 5, 4
        text = f'[defaults]\nparse = "lines"\nmetric = "latency:0.0001%:lower"\n{ARMS}'
        for i in range(1, benchmarks + 1):
            name = f"b{i:02}"
            text += f'[[benchmark]]\nname = "{name}"\n'
            for arm in ("base", "feature"):
                text += (f'[[benchmark.arm]]\nname = "{arm}"\n'
                         f"command = '''{self.value(name, arm, 100)}'''\n")
        done = self.benchctl_json(
            "compare", *SEED, "-f", self.suite(text), "--max-time", f"{limit}s")
        self.assert_exit(done, UNDECIDED)
        verdict = done.events[-1]
        self.assertGreaterEqual(verdict["elapsed_s"], limit)
        self.assertLess(verdict["elapsed_s"], benchmarks * limit, "the limit of each")
        runs = verdict["runs"]
        self.assertEqual(len(runs), 2 * benchmarks)
        # One block in four is assigned to the benchmark with the fewest: 5/16 of an equal share if
        # the other three always went to the same one.
        self.assertGreater(min(runs.values()), sum(runs.values()) / len(runs) / 4, runs)

    def test_setup_runs_where_the_caller_stands(self):
        below = self.folder / "below"
        below.mkdir()
        value = self.values("latency:100:1")
        suite = self.suite(
            "[defaults]\nparse = 'lines'\nmetric = 'latency:2%:lower'\ncwd = '{dir}'\n"
            f"setup = \"sh -c 'echo $BENCHD_BENCHMARK >>setups'\"\n"
            "[[arm]]\nname = 'base'\ndir = 'below'\n[[arm]]\nname = 'feature'\ndir = 'below'\n"
            f"[[benchmark]]\nname = 'one'\ncommand = '''{value}'''\n"
            f"[[benchmark]]\nname = 'two'\ncommand = '''{value}'''\n")
        done = self.benchctl("compare", *SEED, "-f", suite)
        self.assert_exit(done, PASS)
        self.assertEqual((self.folder / "setups").read_text(), "one\ntwo\n")
        self.assertFalse((below / "setups").exists())

    def test_the_line_again_measures_what_was_measured(self):
        for name, mean in (("base", 100), ("feature", 110)):
            (self.folder / name).mkdir()
            program = self.folder / name / "program"
            program.write_text(f"#!/bin/sh\nexec {self.values(f't:{mean}:1')}\n")
            program.chmod(0o755)
        suite = self.suite(
            "[defaults]\nparse = 'lines'\nmetric = 't:2%:lower'\ncwd = '{dir}'\n"
            "[[arm]]\nname = 'base'\ndir = 'base'\ncommand = './program'\n"
            "[[arm]]\nname = 'feature'\ndir = 'feature'\ncommand = './program'\n")
        done = self.benchctl_json("compare", *SEED, "-f", suite)
        self.assert_exit(done, REGRESSION)
        shown = self.benchctl("show", done.events[-1]["session"])
        self.assert_exit(shown, PASS)
        again = re.search(r"(?m)^again: +benchctl (.*)$", shown.stdout)
        self.assert_exit(self.benchctl(*shlex.split(again[1])), REGRESSION)

    def test_benchmarks_with_different_gates_are_computed_again_by_analyze(self):
        value = self.values("t:100:1", "u:100:1")
        done = self.benchctl_json("compare", *SEED, "-f", self.suite(
            "[defaults]\nparse = 'lines'\n" + ARMS
            + f"[[benchmark]]\nname = 'a'\nmetric = 't:2%:lower'\ncommand = '''{value}'''\n"
            f"[[benchmark]]\nname = 'b'\nmetric = 'u:3%:lower'\ncommand = '''{value}'''\n"))
        self.assert_exit(done, PASS)
        self.assert_replayed(done.events[-1])

    def test_a_mistake_in_the_file_is_named_by_line_and_column(self):
        suite = self.suite(ARMS + '[[benchmark]]\nname = "a"\n  comand = "true"\n')
        done = self.benchctl("compare", "-f", suite)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "suite.toml:8:3: comand: unknown key", "did you mean command?")

    def test_the_example_of_the_docs_runs(self):
        done = self.benchctl("compare", *SEED, "-f", EXAMPLE / "suite.toml", "--runs", "3")
        # The measured value depends on the machine, so any verdict is accepted.
        self.assertIn(done.code, (PASS, REGRESSION, UNDECIDED), done)
        for name in ("sort/size=1000", "sort/size=10000", "search", "start"):
            self.assertRegex(done.stdout, f"(?m)^{name} ")


if __name__ == "__main__":
    main()
