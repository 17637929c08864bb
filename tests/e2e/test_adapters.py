"""Adapters from end to end: `benchctl parse`, and comparisons with `--parse FILE.toml`."""

import json
import unittest

from main import main
from support import FAILED, PASS, REGRESSION, UNDECIDED, USAGE
from test_harness_formats import DATA, HarnessTest

ADAPTER = r"""input = "text"

[[metric]]
match = '^Requests/sec: +(?P<value>[0-9.]+)'
name = "requests"
unit = "1/s"
better = "higher"

[[metric]]
match = '^ +Latency +(?P<value>[0-9.]+)(?P<unit>us|ms|s)'
name = "latency"
better = "lower"
gate = false

[[fail]]
match = '^ +Socket errors:'
"""
OUTPUT = """Running 1s test @ http://127.0.0.1:18080/
    Latency     {latency}us    3.69ms  31.77ms   92.29%
{more}Requests/sec:  {rate}
"""


class AdapterTest(HarnessTest):
    def adapter(self, text=ADAPTER, name="own.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def server(self, name, rate, more="", to=""):
        """A script that prints what wrk would; its figures vary a little."""
        text = OUTPUT.format(latency="$((1430 + $$ % 7))", rate=f"$(({rate} + $$ % 13)).25",
                             more=more)
        return self.script(f'cat {to} <<END\n{text}END\n', name)

    def test_a_comparison_by_an_adapter_of_the_users_own(self):
        path = self.adapter()
        base = self.server("base", 27261)
        done = self.compare(path, base, self.server("same", 27261))
        self.assert_exit(done, PASS)
        self.assertEqual(self.gates(done), {"requests": "pass"})
        requests = self.by_metric(done)["requests"]
        self.assertEqual((requests["unit"], requests["better"]), ("1/s", "higher"))
        self.assertAlmostEqual(requests["mean_reference"], 27267, delta=7)
        latency = self.by_metric(done)["latency"]
        self.assertEqual((latency["unit"], latency["role"]), ("s", "info"))
        self.assertAlmostEqual(latency["mean_reference"], 1.433e-3, delta=4e-6)
        slower = self.compare(path, base, self.server("slower", 24500))
        self.assert_exit(slower, REGRESSION)
        self.assertEqual(self.gates(slower), {"requests": "regression"})

    def test_the_text_is_kept_with_the_session_and_the_file_named_in_its_command(self):
        path = self.adapter()
        base = self.server("base", 27261)
        done = self.compare(path, "--runs", "3", base, base)
        session = done.events[0]["session"]
        path.unlink()
        export = json.loads(self.benchctl("export", session, "--format", "json").stdout)
        benchmark = export["spec"]["benchmarks"][0]
        self.assertEqual((benchmark["parse"], benchmark["adapter"]), (str(path), ADAPTER))
        self.assertIn(f"--parse {path}", self.benchctl("show", session).stdout.replace("\n", " "))

    def test_a_failure_that_the_adapter_knows_fails_the_session(self):
        done = self.benchctl("compare", "--parse", self.adapter(), self.server("base", 27261),
                             self.server("bad", 27261, "  Socket errors: connect 0, read 7\n"))
        self.assert_exit(done, FAILED)
        self.assert_named(done, "line 3: the output reports a failure", "Socket errors: connect 0")

    def test_what_is_on_stderr_is_read_there_and_stdout_is_the_users(self):
        path = self.adapter('reads = "stderr"\n' + ADAPTER)
        programs = [self.script(f'echo "result of {name}"; {self.server(name, 27261)} >&2',
                                f"{name}-all") for name in ("base", "same")]
        out = self.folder / "stdout.txt"
        done = self.compare(path, "--output", out, *programs)
        self.assert_exit(done, PASS)
        self.assertEqual(self.gates(done), {"requests": "pass"})
        self.assertRegex(out.read_text(), r"\Aresult of (base|same)\n\Z")

    def test_a_shipped_adapter_and_a_file_of_an_output(self):
        done = self.compare("wrk", *[self.server(name, 27261) for name in ("base", "same")])
        self.assert_exit(done, PASS)
        self.assertEqual(self.gates(done), {"requests": "pass"})
        files = []
        for arm, factor in (("old", 1), ("new", 0.8)):
            for number in range(8):
                text = OUTPUT.format(latency=1430, more="",
                                     rate=round(27261 * factor + number % 3, 2))
                files += ["-n", arm, self.folder / f"{arm}-{number}.txt"]
                files[-1].write_text(text)
        self.assert_exit(self.benchctl("analyze", "--parse", self.adapter(), *files), REGRESSION)

    def test_xml_of_a_test_runner(self):
        def runner(name, thousandths, more=""):
            return self.script(
                f'echo "1 test"\ncat <<END\n<testsuite><testcase classname="Words" name="Splits" '
                f'time="0.$(({thousandths} + $$ % 7))"/>{more}</testsuite>\nEND\n', name)
        base = runner("base", 500)
        done = self.compare("junit", base, runner("same", 500))
        self.assert_exit(done, PASS)
        self.assertEqual(self.gates(done), {"Words/Splits/time": "pass"})
        self.assert_exit(self.compare("junit", base, runner("slower", 600)), REGRESSION)
        failing = runner("failing", 500, '<testcase><failure message="1 is not 2"/></testcase>')
        done = self.benchctl("compare", "--parse", "junit", base, failing)
        self.assert_exit(done, FAILED)
        self.assert_named(done, "the output reports a failure", "1 is not 2")

    def test_xml_that_would_expand_or_fill_the_memory_fails_the_session(self):
        laughs = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(10))
        large = self.script("echo '<a>'\nyes '<testcase/>' | head -n 1000000\necho '</a>'\n",
                            "large")
        for text, why in (
                (f"echo '<!DOCTYPE a [{laughs}]><a>&l10;</a>'", "a DOCTYPE with declarations"),
                (f"echo '{'<a>' * 1000}'", "nested deeper than 64 levels"),
                (large, "more than 400000 elements and attributes")):
            done = self.benchctl("compare", "--parse", "junit", text, text)
            self.assert_exit(done, FAILED)
            self.assert_named(done, why)

    def test_an_expression_that_takes_forever_fails_the_session(self):
        path = self.adapter("input = 'xml'\n[[metric]]\npath = '//b[count(//b[//b]) = 0]'\n"
                            "name = 'n'\n")
        text = self.script("echo '<a>'\nyes '<b/>' | head -n 100000\necho '</a>'\n", "text")
        done = self.benchctl("compare", "--parse", path, text, text)
        self.assert_exit(done, FAILED)
        self.assert_named(done, "benchd-helper took too long")

    def test_a_wrong_adapter_is_refused_before_anything_runs(self):
        done = self.benchctl("compare", "--parse", self.adapter(ADAPTER + "mach = 'x'\n"), "true",
                             "true")
        self.assert_exit(done, USAGE)
        self.assert_named(done, "own.toml: line 17: [[fail]] unknown key 'mach'")
        done = self.benchctl("compare", "--parse", "./nosuch.toml", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_named(done, "./nosuch.toml: No such file or directory")
        done = self.benchctl("compare", "--parse", "wrkk", "true", "true")
        self.assert_exit(done, USAGE)
        self.assertIn("did you mean wrk?", done.stderr)

    def test_the_output_of_another_tool_is_named(self):
        done = self.benchctl("compare", "--parse", "fio", f"cat {DATA / 'iperf3.json'}",
                             f"cat {DATA / 'iperf3.json'}")
        self.assert_exit(done, FAILED)
        self.assertIn("this looks like the output of iperf3", done.stderr)


class ParseCommandTest(HarnessTest):
    def test_shows_metrics_and_failures(self):
        done = self.benchctl_json("parse", "ab", DATA / "ab.txt")
        self.assert_exit(done, PASS)
        parsed = done.events[0]
        self.assertEqual((parsed["event"], parsed["format"]), ("parsed", "ab"))
        self.assertEqual(parsed["metrics"][0], {
            "metric": "requests", "values": [4023.43], "unit": "1/s", "better": "higher",
            "gates": True})
        text = self.folder / "failed.txt"
        text.write_text((DATA / "ab.txt").read_text().replace("requests:        0",
                                                              "requests:        7"))
        failed = self.benchctl_json("parse", "ab", text)
        self.assertEqual(failed.events[0]["failures"],
                         [{"line": 18, "text": "Failed requests:        7"}])
        told = self.benchctl("parse", "ab", text)
        self.assertIn("line 18: the run failed: 'Failed requests:", told.stdout)
        self.assertRegex(told.stdout, r"- +requests +4023.43 +1/s +higher +yes")

    def test_tells_what_of_an_own_adapter_read_nothing(self):
        own = self.folder / "own.toml"
        own.write_text('input = "json"\n[[metric]]\npath = "$.mean"\nname = "mean"\n'
                       '[[metric]]\npath = "$.men"\nname = "other"\n')
        output = self.folder / "output.json"
        output.write_text('{"mean": 1}')
        told = self.benchctl("parse", own, output)
        self.assert_exit(told, PASS)
        self.assertIn("the [[metric]] at line 5 of the adapter read no value: path leads to nothing",
                      " ".join(told.stdout.split()))
        done = self.benchctl_json("parse", own, output)
        self.assertEqual(done.events[0]["unread"],
                         [{"line": 5, "why": "path leads to nothing: $ has no 'men': it has 'mean'"}])
        self.assertNotIn("read no value", self.benchctl("parse", "fio", DATA / "fio.json").stdout)

    def test_exit_codes(self):
        nothing = self.benchctl("parse", "wrk", DATA / "ab.txt")
        self.assert_exit(nothing, UNDECIDED)
        self.assertIn("this looks like the output of ab", nothing.stderr)
        self.assert_exit(self.benchctl("parse", "lines", "/dev/null"), USAGE)
        endless = self.benchctl("parse", "lines", "/dev/zero")
        self.assert_exit(endless, USAGE)
        self.assert_one_error(endless, "/dev/zero: larger than 64 MiB")
        self.assert_exit(self.benchctl("parse", "go", DATA / "go_failed.txt"), USAGE)
        self.assert_exit(self.benchctl("parse", "nosuch", DATA / "ab.txt"), USAGE)
        self.assertIn("adapters: ab, ", self.benchctl("parse").stderr)
        bad = self.folder / "bad.toml"
        bad.write_text("input = 'text'\n")
        self.assert_exit(self.benchctl("parse", bad, DATA / "ab.txt"), USAGE)

    def test_prints_an_adapter_to_copy(self):
        copy = self.folder / "copy.toml"
        copy.write_text(self.benchctl("parse", "--text", "wrk").stdout)
        done = self.benchctl_json("parse", copy, DATA / "wrk.txt")
        own = self.benchctl_json("parse", "wrk", DATA / "wrk.txt")
        self.assertEqual(done.events[0]["metrics"], own.events[0]["metrics"])


if __name__ == "__main__":
    main()
