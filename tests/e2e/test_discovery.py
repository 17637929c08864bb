"""`--harness`: the benchmarks inside the commands' programs become those of the session."""

import csv
import io
import pathlib
import re
import shlex
import sys
import unittest

from main import main
from replay import Replay
from support import FAILED, PASS, PROGRAMS, REGRESSION, USAGE, DaemonTest

STAND_IN = pathlib.Path(__file__).resolve().parent / "programs/listed_benchmarks.py"
GOOGLE = PROGRAMS / "google_benchmark"
SLOWER = PROGRAMS / "google_benchmark_slower"
FIVE = {"BM_Sort/8": 100, "BM_Sort/64": 800, "BM_Fill<std::map<int,int>>": 50,
        "sum (a+b)*c.d [x]": 10, "BM_Last": 1000}
SEED = ("--seed", "20240501")


class DiscoveryTest(Replay, DaemonTest):
    # Seconds that the start of a program takes beside that of Python. On a busy machine, only a long
    # start is certain to be most of a run.
    start = 0

    def program(self, name, benchmarks, seed):
        """A program with these benchmarks: {name: nanoseconds}."""
        words = [sys.executable, STAND_IN, self.folder, seed,
                 *(f"{one}={mean}" for one, mean in benchmarks.items())]
        return self.script(f'sleep {self.start}; exec {shlex.join(map(str, words))} "$@"', name)

    def compare(self, base, candidate, *words):
        return self.benchctl_json(
            "compare", "--harness", "google-benchmark", *SEED, *words,
            self.program("base", base, 1), self.program("candidate", candidate, 2))

    def gates(self, done):
        """{benchmark: verdicts of its gates}"""
        gates = {}
        for one in done.events[-1]["comparisons"]:
            if one["role"] == "gate":
                gates.setdefault(one["benchmark"], set()).add(one["verdict"])
        return gates

    def started(self, done):
        return next(event for event in done.events if event["event"] == "started")

    def warnings(self, done):
        return {one["code"]: one["message"] for one in done.events[-1]["warnings"]}

    def test_equal_programs_pass_in_each_of_their_benchmarks(self):
        done = self.compare(FIVE, FIVE)
        self.assert_exit(done, PASS)
        self.assertEqual(self.started(done)["found_benchmarks"], 5)
        self.assertEqual(self.gates(done), {name: {"pass"} for name in FIVE})
        metrics = {one["metric"] for one in done.events[-1]["comparisons"] if one["role"] == "gate"}
        self.assertEqual(metrics, {"real_time", "google-benchmark/cpu_time"})

    def filters(self, seed):
        """How often each filter was used: {filter: runs}."""
        lines = (self.folder / f"{seed}.filters").read_text().splitlines()
        return {one: lines.count(one) for one in lines}

    def test_benchmarks_that_are_mostly_start_share_processes(self):
        self.start = 0.5
        done = self.compare(FIVE, FIVE)
        self.assert_exit(done, PASS)
        self.assertRegex(self.warnings(done)["grouped"],
                         r"^5 benchmarks run in 1 group, because starting the program takes "
                         r"\d\d % of a run$")
        metrics = {one["metric"] for one in done.events[-1]["comparisons"]}
        self.assertEqual(metrics, {"real_time", "google-benchmark/cpu_time"})
        # All are in each process until some of them are decided. The warm-up ran each alone.
        counts = self.filters(1)
        self.assertGreaterEqual(max(count for one, count in counts.items()
                                    if all(re.search(one, name) for name in FIVE)), 8, counts)
        for name in FIVE:
            processes = sum(count for one, count in counts.items() if re.search(one, name))
            for arm in ("base", "candidate"):
                self.assertEqual(done.events[-1]["runs"][f"{name}/{arm}"], processes - 1, counts)
        exported = self.benchctl("export", done.events[-1]["session"], "--format", "markdown")
        self.assertIn("5 benchmarks run in 1 group", exported.stdout)

    def test_the_export_of_a_shared_process_gives_the_same_numbers(self):
        slower = dict(FIVE, BM_Last=1030)
        self.start = 0.5
        done = self.compare(FIVE, slower)
        self.assert_exit(done, REGRESSION)
        self.assertIn("grouped", self.warnings(done))
        self.assert_replayed(done.events[-1])

    def test_no_groups_runs_each_alone(self):
        done = self.compare(FIVE, FIVE, "--no-groups")
        self.assert_exit(done, PASS)
        self.assertNotIn("grouped", self.warnings(done))
        self.assertFalse([one for one in self.filters(1) if "|" in one])
        metrics = {one["metric"] for one in done.events[-1]["comparisons"]}
        self.assertIn("wall_time", metrics)
        again = re.search(r"(?m)^again: +benchctl (.*)$",
                          self.benchctl("show", done.events[-1]["session"]).stdout)
        self.assertIn("--no-groups", shlex.split(again[1]))

    def test_a_gate_on_the_process_keeps_it_to_one_benchmark(self):
        done = self.compare(FIVE, FIVE, "--only", "BM_Sort/*", "--metric", "wall_time:300%")
        self.assert_exit(done, PASS)
        self.assertNotIn("grouped", self.warnings(done))
        self.assertEqual(self.gates(done), {"BM_Sort/8": {"pass"}, "BM_Sort/64": {"pass"}})

    def test_fail_fast_measures_nothing_if_a_benchmark_is_missing(self):
        four = {name: mean for name, mean in FIVE.items() if name != "BM_Last"}
        done = self.compare(FIVE, four, "--fail-fast")
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.gates(done), {"BM_Last": {"regression"}})
        self.assertFalse((self.folder / "1.filters").exists())
        # That a benchmark exists has no direction.
        shown = self.benchctl("show", done.events[-1]["session"])
        row = next(line for line in shown.stdout.splitlines() if "missing in candidate" in line)
        self.assertNotRegex(row, "[\u2191\u2193]|is better")

    def test_a_slowdown_in_one_of_five_is_found_there(self):
        slower = dict(FIVE, **{"sum (a+b)*c.d [x]": 10.5})
        done = self.compare(FIVE, slower)
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.gates(done),
                         {name: {"regression" if slower[name] != mean else "pass"}
                          for name, mean in FIVE.items()})

    def test_a_benchmark_that_the_candidate_lacks_is_a_regression_unless_allowed(self):
        four = {name: mean for name, mean in FIVE.items() if name != "BM_Last"}
        done = self.compare(FIVE, four)
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.gates(done).pop("BM_Last"), {"regression"})
        missing = [one for one in done.events[-1]["comparisons"] if one["benchmark"] == "BM_Last"]
        self.assertEqual([(one["metric"], one["reason"]) for one in missing],
                         [("benchmark", "missing_in_candidate")])
        shown = self.benchctl("show", done.events[-1]["session"])
        self.assert_exit(shown, PASS)
        self.assertIn("missing in candidate", shown.stdout)

        allowed = self.compare(FIVE, four, "--allow-missing")
        self.assert_exit(allowed, PASS)
        self.assertNotIn("BM_Last", self.gates(allowed))
        self.assertIn("candidate lacks 1 benchmark", self.warnings(allowed)["metric_missing"])

    def test_a_benchmark_that_only_the_candidate_has_is_a_warning(self):
        done = self.compare(FIVE, dict(FIVE, BM_New=7))
        self.assert_exit(done, PASS)
        self.assertIn("BM_New", self.warnings(done)["metric_missing"])
        self.assertNotIn("BM_New", self.gates(done))

    def test_only_takes_some(self):
        done = self.compare(FIVE, FIVE, "--only", "BM_Sort/*", "--only", "*Last")
        self.assert_exit(done, PASS)
        self.assertEqual(set(self.gates(done)), {"BM_Sort/8", "BM_Sort/64", "BM_Last"})
        wrong = self.benchctl("compare", "--harness", "google-benchmark", "--only", "BM_Sotr*",
                              self.program("base", FIVE, 1), self.program("candidate", FIVE, 2))
        self.assert_exit(wrong, FAILED)
        self.assertIn("only: no benchmark matches 'BM_Sotr*'", wrong.stderr)

    def test_names_are_in_exports_and_the_line_again_asks_for_the_harness(self):
        done = self.compare(FIVE, FIVE, "--only", "BM_Sort/*")
        self.assert_exit(done, PASS)
        session = done.events[-1]["session"]
        exported = self.benchctl("export", session, "--format", "csv")
        self.assert_exit(exported, PASS)
        rows = list(csv.DictReader(io.StringIO(exported.stdout)))
        self.assertEqual({row["benchmark"] for row in rows}, {"BM_Sort/8", "BM_Sort/64"})
        self.assertTrue(all(row["real_time"] for row in rows))
        again = re.search(r"(?m)^again: +benchctl (.*)$", self.benchctl("show", session).stdout)
        words = shlex.split(again[1])
        self.assertEqual(words[words.index("--harness") + 1], "google-benchmark")
        self.assertNotIn("--parse", words)
        self.assert_exit(self.benchctl(*words), PASS)
        history = self.benchctl_json("history", "BM_Sort/8")
        self.assert_exit(history, PASS)
        self.assertIn("BM_Sort/8", history.stdout)

    def test_programs_are_listed_after_setup_has_made_them(self):
        for arm in ("base", "candidate"):
            self.program(f"{arm}.made", FIVE, 3)
        done = self.benchctl_json(
            "compare", "--harness", "google-benchmark", "--only", "BM_Last", *SEED, "--setup",
            self.script("for arm in base candidate; do cp $arm.made $arm; done", "make"),
            str(self.folder / "base"), str(self.folder / "candidate"))
        self.assert_exit(done, PASS)
        self.assertEqual(self.gates(done), {"BM_Last": {"pass"}})

    def test_a_suite_has_other_benchmarks_beside_them(self):
        base, candidate = (self.program(arm, FIVE, 4) for arm in ("base", "candidate"))
        suite = self.folder / "suite.toml"
        suite.write_text(
            "[defaults]\nruns = 3\nat_limit = 'estimate'\n"
            "[[benchmark]]\nname = 'micro'\nharness = 'google-benchmark'\nonly = ['BM_Sort/*']\n"
            f"[[benchmark.arm]]\nname = 'base'\ncommand = '{base}'\n"
            f"[[benchmark.arm]]\nname = 'candidate'\ncommand = '{candidate}'\n"
            "[[benchmark]]\nname = 'whole'\nmargin = '1000%'\n"
            "[[benchmark.arm]]\nname = 'base'\ncommand = 'true'\n"
            "[[benchmark.arm]]\nname = 'candidate'\ncommand = 'true'\n")
        done = self.benchctl_json("compare", *SEED, "-f", suite)
        self.assert_exit(done, PASS)
        self.assertEqual(set(self.gates(done)), {"micro/BM_Sort/8", "micro/BM_Sort/64", "whole"})

    def test_a_list_that_cannot_be_had_names_arm_and_command(self):
        base = self.program("base", FIVE, 1)
        for text, why in (("exit 3", "exited with code 3"), ("true", "no benchmark is listed")):
            done = self.benchctl("compare", "--harness", "google-benchmark", base,
                                 self.script(text, "candidate"))
            self.assert_exit(done, FAILED)
            errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
            self.assertEqual(len(errors), 1, done)
            self.assertIn("listing the benchmarks of candidate by '", errors[0])
            self.assertIn(why, errors[0])
            self.assertNotIn("block", done.stderr)
        apart = self.compare({"BM_a": 1}, {"BM_b": 1})
        self.assert_exit(apart, FAILED)
        self.assertIn("no benchmark in common", apart.stderr + apart.stdout)

    def test_an_adapter_may_describe_its_own_program(self):
        (self.folder / "own.toml").write_text(
            "input = 'text'\n[[metric]]\nmatch = '^(?P<name>\\w+): (?P<value>\\S+) s$'\n"
            "[discover]\nlist = '--list'\nmatch = '^bench (?P<name>.+)$'\nrun = '--only {name}'\n")
        text = ('case "$1" in\n--list) echo "2 found"; echo "bench a b"; echo "bench c";;\n'
                '--only) [ "$2" = "a b" ] || [ "$2" = c ] || exit 9; echo "t: {} s";;\n'
                '*) exit 8;;\nesac')
        done = self.benchctl_json(
            "compare", "--harness", "adapter", "--parse", "own.toml", "--metric", "t:2%:lower",
            "--runs", "3", self.script(text.format(100.01), "base"),
            self.script(text.format(110.02), "candidate"))
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.gates(done), {"a b": {"regression"}, "c": {"regression"}})

    def test_an_unknown_harness_is_refused(self):
        done = self.benchctl("compare", "--harness", "google", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "did you mean google-benchmark?")

    @unittest.skipUnless(
        SLOWER.exists(), "Google Benchmark is not installed: apt-get install libbenchmark-dev")
    def test_google_benchmark_itself(self):
        time = "--benchmark_min_time=0.01"
        done = self.benchctl_json("compare", "--harness", "google-benchmark", "--metric",
                                  "real_time:20%", "--only", "BM_Sum/*",
                                  f"{GOOGLE} {time}", f"{SLOWER} {time}")
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.gates(done),
                         {"BM_Sum/10000": {"regression"}, "BM_Sum/20000": {"regression"}})


if __name__ == "__main__":
    main()
