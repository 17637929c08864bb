"""`--parse` from end to end: real output of harnesses, kept in tests/parse/data; every command of
docs/harnesses.md; and invalid output. test_real_programs.py measures with the real harnesses.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from main import main
from processes import memory_of
from replay import Replay
from support import BIN, FAILED, PASS, PROGRAMS, REGRESSION, UNDECIDED, DaemonTest
from test_system_mode import SystemModeTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = SOURCE / "tests/parse/data"
PAGE = SOURCE / "docs/harnesses.md"
GOOGLE = PROGRAMS / "google_benchmark"
SLOWER = PROGRAMS / "google_benchmark_slower"
JSON = "--benchmark_format=json --benchmark_min_time=0.01"

needs_google_benchmark = unittest.skipUnless(
    SLOWER.exists(), "Google Benchmark is not installed: apt-get install libbenchmark-dev")
needs_hyperfine = unittest.skipUnless(
    shutil.which("hyperfine"), "hyperfine is not installed: apt-get install hyperfine")


class HarnessTest(DaemonTest):
    def compare(self, fmt, *words):
        return self.benchctl_json("compare", "--parse", fmt, *words)

    def gates(self, done):
        """The metric and verdict of each gate."""
        return {one["metric"]: one["verdict"] for one in done.events[-1]["comparisons"]
                if one["role"] == "gate"}

    def by_metric(self, done):
        return {one["metric"]: one for one in done.events[-1]["comparisons"]}

    def warnings(self, done):
        return {one["code"]: one["message"] for one in done.events[-1]["warnings"]}

    def printing(self, name, text=None, path=None):
        """A script of that name that prints a text, or a file."""
        if path is None:
            path = self.folder / f"{name}.out"
            path.write_text(text)
        return self.script(f'exec cat "{path}"', name)

    def assert_named(self, done, *words):
        """Asserts a single error that contains all of `words`."""
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        self.assertEqual(len(errors), 1, done)
        for word in words:
            self.assertIn(word, errors[0])

    def altered(self, kept, pattern, change):
        """A stored output with its matching numbers multiplied, as a file."""
        def replace(match):
            return match.group(1) + repr(float(match.group(2)) * change)
        text, count = re.subn(pattern, replace, (DATA / kept).read_text())
        self.assertGreater(count, 0)
        path = self.folder / f"altered-{kept}"
        path.write_text(text)
        return path


class KeptOutputTest(HarnessTest):
    """Real output printed by `cat`; some numbers of one arm are multiplied by 1.1."""

    def check(self, fmt, kept, pattern, change, slower, *words):
        path = self.altered(kept, pattern, change)
        done = self.compare(fmt, *words, f"cat {DATA / kept}", f"cat {path}")
        self.assert_exit(done, REGRESSION)
        gates = self.gates(done)
        for metric, verdict in gates.items():
            wanted = "regression" if metric in slower else "pass"
            self.assertEqual(verdict, wanted, metric)
        self.assertEqual(set(slower) - set(gates), set())
        return done

    def test_go(self):
        slower = {"BenchmarkUpper/size=large-2/sec/op"}
        done = self.check("go", "go_count.txt",
                          r"(size=large-2 +\t +\d+\t +)([0-9.]+)(?= ns/op)", 1.1, slower)
        found = self.by_metric(done)
        self.assertEqual(found["BenchmarkUpper/size=small-2/B/s"]["better"], "higher")
        # Values of 0 have no relative change and are named in a warning; allocations are counted.
        self.assertEqual(found["BenchmarkNothing-2/B/op"]["role"], "info")
        self.assertIn("BenchmarkNothing-2/B/op", self.warnings(done)["no_ratio"])
        self.assertEqual(found["BenchmarkNothing-2/allocs/op"]["basis"], "exact")

    def test_go_counts_gate_on_a_difference(self):
        path = self.folder / "leaks.txt"
        text = (DATA / "go_count.txt").read_text()
        path.write_text(re.sub(r"0 allocs/op", "9 allocs/op", text))
        done = self.compare("go", "--metric", "BenchmarkNothing-2/allocs/op:+3",
                            f"cat {DATA / 'go_count.txt'}", f"cat {path}")
        self.assert_exit(done, REGRESSION)
        self.assertEqual(
            self.by_metric(done)["BenchmarkNothing-2/allocs/op"]["difference"]["estimate"], 9)

    def test_jmh(self):
        slower = {"org.example.Words.join/thrpt"}
        done = self.check("jmh", "jmh.json", r"(\s)(12\d\d\.\d+)(?=\s*[,\n])", 0.9, slower)
        gate = self.by_metric(done)["org.example.Words.join/thrpt"]
        self.assertEqual((gate["unit"], gate["better"]), ("1/s", "higher"))
        self.assertAlmostEqual(gate["change"]["estimate"], -0.1, delta=0.001)
        self.assertIn("org.example.Words.upper:kind=ascii,size=10/avgt", self.gates(done))

    def test_jmh_histograms(self):
        done = self.compare("jmh", f"cat {DATA / 'jmh_sample.json'}",
                            f"cat {DATA / 'jmh_sample.json'}")
        self.assert_exit(done, PASS)
        self.assertEqual(self.gates(done), {"org.example.Words.join/sample": "pass"})

    def test_pytest_benchmark(self):
        self.check("pytest-benchmark", "pytest_benchmark.json",
                   r"(\s)(\d+\.\d+e-06)(?=,?\n)", 1.1,
                   {"bench_words.py::test_sort[100]/time"},
                   "--metric", "bench_words.py::test_sort[100]/time",
                   "--metric", "bench_words.py::test_sort[1000]/time:40%")

    def test_bmf(self):
        done = self.check("bmf", "bmf.json", r'("value": )(88\.0)', 1.1,
                          {"benchmark_name/latency"})
        self.assertEqual(self.by_metric(done)["my_binary/file-size"]["unit"], "B")

    def test_mmtests(self):
        done = self.check("mmtests", "mmtests_script.txt", r"(Min-1 \d \d )([0-9.]+)", 1.1,
                          {"Min-1"}, "--metric", "Min-1:lower", "--metric", "elsp-2:lower")
        self.assertEqual(self.by_metric(done)["Min-1"]["n_reference"], 8, "runs, not samples")

    def test_lines(self):
        lines = "#! prefer=lower unit=s\n1 1 lat 0.25\n1 2 lat 0.35\n#! prefer=higher\nops 5000 1/s\n"
        done = self.compare("lines", self.printing("old", lines),
                            self.printing("new", lines.replace("0.35", "0.45")))
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.gates(done), {"lat": "regression", "ops": "pass"})
        self.assertAlmostEqual(self.by_metric(done)["lat"]["mean_reference"], 0.3)


    def test_one_gate_is_of_every_inner_benchmark(self):
        done = self.check("go", "go_count.txt", r"(size=large-2 +\t +\d+\t +)([0-9.]+)(?= ns/op)",
                          1.1, {"BenchmarkUpper/size=large-2/sec/op"}, "--metric", "*/sec/op:5%")
        self.assertEqual(set(self.gates(done)), {
            "BenchmarkUpper/size=small-2/sec/op", "BenchmarkUpper/size=large-2/sec/op",
            "BenchmarkNothing-2/sec/op"})
        same = self.compare("go", "--metric", "sec/op:5%", f"cat {DATA / 'go_count.txt'}",
                            f"cat {DATA / 'go_count.txt'}")
        self.assertEqual(self.gates(same).keys(), self.gates(done).keys())

    def test_what_hyperfine_saw_fail_never_passes(self):
        for kept, old, new in (("hyperfine_one.json", "        0,\n", "        3,\n"),
                               ("hyperfine_2.json", '"exit_code": 0', '"exit_code": 3')):
            text = (DATA / kept).read_text()
            failing = self.printing("failing", text.replace(old, new, 1))
            words = ("--metric", "*time", f"cat {DATA / kept}", failing)
            done = self.benchctl("compare", "--parse", "hyperfine", *words)
            self.assert_exit(done, FAILED)
            self.assert_named(done, "exited with code 3 in 1 of")
            allowed = self.compare("hyperfine", "-i", *words)
            self.assertIn("failed_runs", self.warnings(allowed))

    def test_an_exit_code_of_hyperfines_files_may_be_accepted(self):
        for kept, old, new in (("hyperfine_one.json", "        0,\n", "        3,\n"),
                               ("hyperfine_2.json", '"exit_code": 0', '"exit_code": 3')):
            failing = self.folder / f"failing-{kept}"
            failing.write_text((DATA / kept).read_text().replace(old, new))
            for accepted, failed in (((), True), (("--accept-exit", "0,3"), False),
                                     (("--accept-exit", "0,4"), True)):
                done = self.benchctl_json(
                    "analyze", "--parse", "hyperfine", *accepted, DATA / kept, failing)
                reasons = [one.get("reason") for one in done.events[-1]["comparisons"]]
                self.assertEqual("failed_in_candidate" in reasons, failed, done)
                self.assertEqual(done.code == REGRESSION, failed, done)

    def test_arms_may_print_their_times_in_different_units(self):
        done = self.compare("lines", self.printing("ms", "#! prefer=lower\nlag 20.5 ms\n"),
                            self.printing("us", "#! prefer=lower\nlag 20500 us\n"))
        self.assert_exit(done, PASS)
        self.assertEqual(self.by_metric(done)["lag"]["unit"], "ms")
        other = self.benchctl("compare", "--parse", "lines",
                              self.printing("ms", "#! prefer=lower\nlag 20.5 ms\n"),
                              self.printing("bytes", "#! prefer=lower\nlag 20500 B\n"))
        self.assert_exit(other, FAILED)
        # The order of the runs determines which comes first.
        self.assertRegex(other.stderr, "error: .* printed in '(ms' and in 'B|B' and in 'ms)'")


class OneArmOnlyTest(HarnessTest):
    NEW = '{"a": {"latency": {"value": 5000}}, "b": {"latency": {"value": 7000}}}'
    OLD = '{"a": {"latency": {"value": 5000}}}'

    def test_what_one_arm_prints_is_named_and_decides_nothing(self):
        done = self.compare("bmf", self.printing("old", self.OLD), self.printing("new", self.NEW))
        self.assert_exit(done, PASS)
        self.assertEqual(self.gates(done), {"a/latency": "pass"})
        self.assertEqual(
            self.warnings(done)["metric_missing"],
            "base never printed metrics that another arm of main printed; they are not compared: "
            "b/latency")

    def test_a_gate_on_it_is_undecided(self):
        done = self.compare("bmf", "--metric", "b/latency", self.printing("old", self.OLD),
                            self.printing("new", self.NEW))
        self.assert_exit(done, UNDECIDED)
        self.assertEqual(self.by_metric(done)["b/latency"]["reason"], "missing_in_reference")

    def test_what_the_candidate_lacks_is_a_regression_unless_that_is_allowed(self):
        arms = self.printing("old", self.NEW), self.printing("new", self.OLD)
        done = self.compare("bmf", *arms)
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.gates(done), {"a/latency": "pass", "b/latency": "regression"})
        self.assertEqual(self.by_metric(done)["b/latency"]["reason"], "missing_in_candidate")
        text = self.benchctl("compare", "--parse", "bmf", *arms)
        self.assert_exit(text, REGRESSION)
        self.assertIn("REGRESSION, missing in candidate", text.stdout)
        self.assertIn("b/latency is missing in candidate, but not in base; "
                      "use --allow-missing to get a warning instead", text.stdout.replace("\n", " "))
        allowed = self.compare("bmf", "--allow-missing", *arms)
        self.assert_exit(allowed, PASS)
        self.assertEqual(self.gates(allowed), {"a/latency": "pass"})
        self.assertIn("metric_missing", self.warnings(allowed))
        self.assert_exit(self.benchctl("compare", "--bisect", "--parse", "bmf", *arms), 125)

    def test_of_files_too(self):
        for name, text in (("old", self.NEW), ("new", self.OLD)):
            for number in range(8):
                (self.folder / f"{name}-{number}.json").write_text(text)
        files = [word for name in ("old", "new") for number in range(8)
                 for word in ("-n", name, str(self.folder / f"{name}-{number}.json"))]
        self.assert_exit(self.benchctl("analyze", "--parse", "bmf", *files), REGRESSION)
        self.assert_exit(
            self.benchctl("analyze", "--parse", "bmf", "--allow-missing", *files), PASS)

    def test_a_number_that_is_missing_names_its_line(self):
        broken = self.NEW.replace('{"value": 7000}', '\n{"vale": 7000}')
        done = self.benchctl(
            "compare", "--parse", "bmf", self.printing("old", self.OLD),
            self.printing("new", broken))
        self.assert_exit(done, FAILED)
        self.assert_named(done, "line 2: missing number 'value'")


class ReplayTest(Replay, HarnessTest):
    def test_a_session_of_inner_benchmarks_is_computed_again_from_its_export(self):
        done = self.compare("go", f"cat {DATA / 'go_count.txt'}", f"cat {DATA / 'go_count.txt'}")
        self.assert_exit(done, PASS)
        self.assert_replayed(done.events[-1])


class HostileOutputTest(HarnessTest):
    """Does no harm and is named in the error."""

    def refuses(self, fmt, script, *words, options=()):
        program = self.script(script, "hostile-output")
        done = self.benchctl("compare", "--parse", fmt, *options, program, program, timeout=120)
        self.assert_exit(done, FAILED)
        self.assert_named(done, *words)
        for pid in (self.daemon.pid, self.daemon.runner_pid()):
            # Far less than was printed.
            self.assertLess(memory_of(pid)["VmRSS"], 200e6)
        self.assert_unharmed()

    def python(self, code):
        path = self.folder / "print.py"
        path.write_text(f"import sys\nout = sys.stdout.buffer\n{code}\n")
        return f'exec {sys.executable} "{path}"'

    def test_a_gigabyte_of_json(self):
        self.refuses(
            "hyperfine", self.python(
                "out.write(b'{\"results\": [')\n"
                "part = b'{\"command\": \"a\", \"times\": [1, 2]},\\n' * 30000\n"
                "for _ in range(1000): out.write(part)"), "more than 64 MiB, too large to parse")

    def test_sixty_megabytes_of_numbers(self):
        self.refuses(
            "hyperfine", self.python(
                "out.write(b'{\"results\": [{\"command\": \"a\", \"times\": [' + b'1,' * 30000000)"),
            "line 1: more than 400000 values in one benchmark")

    @unittest.skipIf("BENCHD_TEST_COVERAGE" in os.environ,
                     "a parser that counts its lines takes longer than its timeout")
    def test_one_text_of_sixty_megabytes(self):
        self.refuses("bmf", self.python("out.write(b'{\"' + b'a' * 60000000 + b'\": 1}')"),
                     "name exceeds 4096 bytes")

    def test_nesting_of_a_million_levels(self):
        for fmt, level in (("jmh", "["), ("bmf", '{"a":')):
            self.refuses(fmt, self.python(f"out.write({level.encode()!r} * 10 ** 6)"),
                         "line 1: nested deeper than 64 levels")

    def test_invalid_utf8(self):
        self.refuses("bmf", self.python(r"out.write(b'{\n\"\xc3(\": {}}')"), "line 2", "UTF-8")
        self.refuses("go", self.python(r"out.write(b'BenchmarkX 1 2 ns/op\n\xff')"),
                     "line 2: not valid UTF-8 at byte 1")

    def test_a_number_of_ten_thousand_digits(self):
        self.refuses("bmf", self.python(
            "out.write(b'{\"a\": {\"m\": {\"value\":\\n' + b'9' * 10000 + b'}}}')"),
                     "line 2: a number does not fit a double")

    def test_a_file_that_grows_for_ever(self):
        self.refuses("lines", 'while echo "x 1"; do :; done', "timed out after 2 s",
                     options=("--timeout", "2s"))

    def test_output_of_another_tool(self):
        for fmt in ("google-benchmark", "hyperfine", "jmh", "pytest-benchmark", "bmf"):
            self.refuses(fmt, f"cat {DATA / 'hyperfine_with_report.txt'}", "line 1: not valid JSON")


@unittest.skipUnless(os.getuid() == 0, "needs root")
class SystemModeHarnessTest(SystemModeTest):
    def test_a_harness_may_open_stdout_by_its_name(self):
        # hyperfine --export-json /dev/stdout opens it like this; root does not own the pipe.
        done = self.benchctl_json(
            "compare", "--shell", "--parse", "lines", "--metric", "n:2%:lower",
            "echo n 1000 >/dev/stdout", "echo n 1000 >/dev/fd/1", **self.as_nobody())
        self.assert_exit(done, PASS)


# ---- docs/harnesses.md ----

def commands_of_the_page():
    """The section and command of each `sh` block."""
    section = None
    commands = []
    for part in re.split(r"^(## [^\n]*|```sh [^\n]*\n.*?^```)$", PAGE.read_text(), flags=re.M | re.S):
        if part.startswith("## "):
            section = part[3:]
        elif part.startswith("```sh "):
            commands.append((section, part[part.index("\n") + 1:-len("```")]))
    return commands


class PageTest(HarnessTest):
    """Runs each command verbatim, in a folder with the programs that it names."""

    def run_page(self, section, *more):
        found = [command for name, command in commands_of_the_page() if name == section]
        self.assertEqual(len(found), 1, section)
        words = found[0].rstrip("\n").split(" ", 2)
        self.assertEqual(words[:2], ["benchctl", "compare"])
        path = os.pathsep.join([str(self.folder), self.daemon.environment["PATH"]])
        script = self.script(f"exec \"$BENCHCTL\" compare {' '.join(more)} {words[2]}", "copied")
        done = subprocess.run(
            [script], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
            text=True, env=self.client_environment(PATH=path, BENCHCTL=str(BIN / "benchctl")))
        return done

    def check_page(self, section, *mentioned):
        done = self.run_page(section)
        self.assertEqual(done.returncode, PASS, f"{done.stdout}\n{done.stderr}")
        for word in mentioned:
            self.assertIn(word, done.stdout)

    def test_every_section_with_a_command_has_its_test(self):
        tested = {name[len("test_page_"):] for name in dir(self) if name.startswith("test_page_")}
        sections = [re.sub(r"\W+", "_", name).lower() for name, _ in commands_of_the_page()]
        self.assertEqual(sorted(sections), sorted(tested))

    @needs_google_benchmark
    def test_page_google_benchmark(self):
        for name in ("bench-old", "bench-new"):
            shutil.copy(GOOGLE, self.folder / name)
        # Real times on a shared machine: any verdict is accepted.
        done = self.run_page("Google Benchmark", "--runs", "3")
        self.assertIn(done.returncode, (PASS, REGRESSION, UNDECIDED), done.stderr)
        for metric in ("BM_Sum/10000/real_time", "BM_Fill/cpu_time"):
            self.assertIn(metric, done.stdout)

    @needs_hyperfine
    def test_page_hyperfine(self):
        for name in ("old", "new"):
            self.script("sleep 0.01", name)
        done = self.run_page("hyperfine", "--runs", "3")
        self.assertIn(done.returncode, (PASS, REGRESSION, UNDECIDED), done.stderr)
        self.assertIn("time", done.stdout)

    def test_page_counts(self):
        for name, rows in (("old", 400), ("new", 399)):
            self.script(f"echo queries 12\necho rows {rows}", name)
        self.check_page("Counts", "queries", "rows", "exact")

    def test_page_go(self):
        for name in ("old.test", "new.test"):
            self.printing(name, path=DATA / "go_count.txt")
        self.check_page("Go", "BenchmarkUpper/size=small-2/sec/op")

    def test_page_jmh(self):
        # JMH with these options writes the report to -rff and its own output to -o.
        self.script(
            'while [ $# -gt 0 ]; do case $1 in -rff) report=$2;; -o) log=$2;; esac; shift; done\n'
            'echo "# JMH version: 1.37" >"$log"\n'
            f'exec cat "{DATA}/jmh.json" >"$report"', "java")
        self.check_page("JMH", "org.example.Words.join/thrpt")

    def test_page_pytest_benchmark(self):
        self.script(
            'for word; do case $word in --benchmark-json=*) report=${word#*=};; esac; done\n'
            'echo "3 passed in 0.10s"\n'
            f'exec cat "{DATA}/pytest_benchmark.json" >"$report"', "pytest")
        for name in ("old", "new"):
            (self.folder / name).mkdir()
        self.check_page("pytest-benchmark", "bench_words.py::test_join/time")

    def test_page_bencher_metric_format(self):
        for name in ("old-bench", "new-bench"):
            self.printing(name, path=DATA / "bmf.json")
        self.check_page("Bencher Metric Format", "benchmark_name/latency")

    def test_page_mmtests(self):
        self.printing("extract-mmtests.pl", path=DATA / "mmtests_script.txt")
        self.check_page("mmtests", "elsp-2")

    def arms(self, *names):
        """A folder for each arm; each has the programs of these names, with their texts."""
        for arm in ("old", "new"):
            (self.folder / arm).mkdir()
            for name, text in names:
                (self.folder / arm / name).write_text(text)

    def test_page_libtest(self):
        self.printing("cargo", path=DATA / "libtest.txt")
        self.arms()
        self.check_page("libtest", "tests::fib10/time")

    def test_page_criterion(self):
        self.printing("cargo", path=DATA / "cargo_criterion.json")
        self.arms()
        self.check_page("Criterion", "fib/10/time")

    def test_page_numbers_in_files(self):
        files = {"benchmark": "criterion_benchmark.json", "sample": "criterion_sample.json"}
        copies = "".join(f'cp "{DATA / file}" target/criterion/g/i/new/{name}.json\n'
                         for name, file in files.items())
        self.script(f"mkdir -p target/criterion/g/i/new\n{copies}echo Benchmarking", "cargo")
        self.arms()
        self.check_page("Numbers in files", "sum/group/iter/1000/time")

    def test_page_catch2(self):
        for name in ("old", "new"):
            self.printing(name, path=DATA / "catch2.txt")
        self.check_page("Catch2", "Other/s1/fib 10/time")

    def test_page_nanobench(self):
        for name in ("old-bench", "new-bench"):
            self.printing(name, path=DATA / "nanobench.txt")
        self.check_page("nanobench", "fibs/fib 10/time")

    def test_page_javascript(self):
        self.script(
            'for word; do case $word in --outputJson=*) report=${word#*=};; esac; done\n'
            f'echo "RUN"; exec cat "{DATA}/vitest.json" >"$report"', "npx")
        self.arms()
        self.check_page("JavaScript", "strings > join/time")

    def test_page_benchmarkdotnet(self):
        self.script(
            'mkdir -p BenchmarkDotNet.Artifacts/results\n'
            f'exec cp "{DATA}/benchmarkdotnet.json" BenchmarkDotNet.Artifacts/results/W-report-full.json',
            "dotnet")
        self.arms()
        self.check_page("BenchmarkDotNet", "Words.Benchmarks.Sort(N: 10)/time")

    def test_page_pyperf(self):
        self.arms(("bench.py", "import shutil, sys\n"
                   f"shutil.copy('{DATA}/pyperf.json', sys.argv[sys.argv.index('-o') + 1])\n"))
        self.check_page("pyperf", "sort/time")

    def test_page_github_action_benchmark(self):
        for name in ("old-bench", "new-bench"):
            self.printing(name, path=DATA / "github_action_benchmark.json")
        self.check_page("github-action-benchmark", "artifact")

    def test_page_lines(self):
        example = re.search(r"^```text [^\n]*\n(#! .*?)^```$", PAGE.read_text(), flags=re.M | re.S).group(1)
        for name in ("old-lines", "new-lines"):
            self.printing(name, text=example)
        self.check_page("lines", "requests", "max_latency")


if __name__ == "__main__":
    main()
