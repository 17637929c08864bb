"""`--metric NAME:exact` and `--metric PATTERN` through the real daemon and in `analyze`."""

import shlex

from main import main
from replay import Replay
from support import PASS, REGRESSION, USAGE, DaemonTest

EXACT = ("--parse", "lines", "--metric", "n:exact:lower")


class ExactTest(Replay, DaemonTest):
    def counting(self, *lines):
        """A command that always prints these lines."""
        return shlex.join(["printf", r"%s\n", *lines])

    def compare(self, *words, code):
        done = self.benchctl_json("compare", *words)
        self.assert_exit(done, code)
        return done.events[-1]

    def gates(self, verdict):
        return {c["metric"]: c for c in verdict["comparisons"] if c["role"] == "gate"}

    def codes(self, verdict):
        return {warning["code"]: warning for warning in verdict["warnings"]}

    # ---- constants ----

    def test_constants_are_judged_as_they_are(self):
        for candidate, code in (("n 5", PASS), ("n 6", REGRESSION), ("n 4", PASS)):
            with self.subTest(candidate=candidate):
                verdict = self.compare(
                    *EXACT, self.counting("n 5"), self.counting(candidate), code=code)
                gate = self.gates(verdict)["n"]
                self.assertEqual(gate["basis"], "exact")
                self.assertEqual(gate["margin_kind"], "exact")
                self.assertEqual(gate["decided"]["blocks"], 8)
                difference = int(candidate[2:]) - 5
                self.assertEqual(gate["difference"],
                                 {"estimate": difference, "lo": difference, "hi": difference})
                self.assertNotIn("not_constant", self.codes(verdict))
                self.assertNotIn("p_value", gate)
                self.assert_replayed(verdict)

    def test_min_runs_come_first(self):
        verdict = self.compare(*EXACT, "--min-runs", "12", self.counting("n 5"),
                               self.counting("n 6"), code=REGRESSION)
        self.assertEqual(self.gates(verdict)["n"]["decided"]["blocks"], 12)

    def test_a_count_of_work_is_exact_without_a_margin(self):
        prefer = "#! prefer=lower unit=1"
        base = self.counting(prefer, "allocs/op 1000000")
        more = self.counting(prefer, "allocs/op 1000001")
        verdict = self.compare("--parse", "lines", base, more, code=REGRESSION)
        gate = self.gates(verdict)["allocs/op"]
        self.assertEqual((gate["basis"], gate["margin"]), ("exact", 0.02))
        self.assert_replayed(verdict)
        verdict = self.compare(
            "--parse", "lines", "--metric", "allocs/op:2%", base, more, code=PASS)
        self.assertNotIn("basis", self.gates(verdict)["allocs/op"])
        self.assert_replayed(verdict)

    def test_the_table_and_the_sentence_say_so(self):
        done = self.benchctl("compare", *EXACT, self.counting("n 5"), self.counting("n 6"))
        self.assert_exit(done, REGRESSION)
        row = next(line for line in done.stdout.splitlines() if line.startswith("n "))
        self.assertIn(" exact ", row)
        self.assertIn("candidate's n is 1 higher than base's, decided on constant values",
                      " ".join(done.stdout.split()))

    # ---- values that vary ----

    def test_values_that_vary_have_a_margin_of_one_unit_and_a_note(self):
        for mean, code in (("1000", PASS), ("1010", REGRESSION)):
            with self.subTest(mean=mean):
                verdict = self.compare("--seed", "20240501", *EXACT, self.values("n:1000:2:0"),
                                       self.values(f"n:{mean}:2:0"), code=code)
                gate = self.gates(verdict)["n"]
                self.assertNotIn("basis", gate)
                self.assertEqual((gate["margin"], gate["margin_kind"]), (1, "exact"))
                self.assertLess(gate["difference"]["lo"], gate["difference"]["hi"])
                note = self.codes(verdict)["not_constant"]
                self.assertEqual((note["severity"], note["metric"]), ("note", "n"))
                self.assertIn("--metric n:1%", note["hint"])
                self.assert_replayed(verdict)

    # ---- patterns ----

    def test_a_pattern_gives_the_same_gates_live_and_in_analyze(self):
        base = ("#! prefer=lower unit=1", "BM_X/allocs/op 5", "BM_Y[1-2]/allocs/op 7",
                "BM_X/pages 3")
        more = (*base[:2], "BM_Y[1-2]/allocs/op 8", *base[3:])
        both = {"BM_X/allocs/op": "pass", "BM_Y[1-2]/allocs/op": "regression"}
        for name, expected in (
            ("*/allocs/op", both),
            ("allocs/op", both),
            ("BM_?/*s", {"BM_X/pages": "pass"}),
            ("BM_Y[*]/allocs/op", {"BM_Y[1-2]/allocs/op": "regression"}),
        ):
            with self.subTest(name=name):
                code = REGRESSION if "regression" in expected.values() else PASS
                metric = ("--metric", f"{name}:exact")
                live = self.compare("--parse", "lines", *metric, self.counting(*base),
                                    self.counting(*more), code=code)
                found = {m: gate["verdict"] for m, gate in self.gates(live).items()}
                self.assertEqual(found, expected)
                exported = self.benchctl("export", live["session"], "--format", "csv")
                table = self.folder / "session.csv"
                table.write_text(exported.stdout)
                done = self.benchctl_json("analyze", "session.csv", "--metric", f"{name}:exact:lower")
                self.assert_exit(done, code)
                self.assertEqual(
                    {m: gate["verdict"] for m, gate in self.gates(done.events[0]).items()}, expected)

    def test_a_pattern_takes_benchds_own_metrics(self):
        verdict = self.compare("--metric", "*voluntary_switches:+1000", "true", "true", code=PASS)
        self.assertEqual(set(self.gates(verdict)),
                         {"voluntary_switches", "involuntary_switches"})

    def test_a_suite_takes_both(self):
        for arm, count in (("base", 5), ("candidate", 6)):
            (self.folder / arm).mkdir()
            self.script(f"echo BM_X/n {count}\necho BM_X/m {count}.5", f"{arm}/count")
        (self.folder / "suite.toml").write_text("""
[defaults]
parse = "lines"
metric = ["*/n:exact:lower"]
[[arm]]
name = "base"
dir = "base"
[[arm]]
name = "candidate"
dir = "candidate"
[[benchmark]]
name = "count"
command = "{dir}/count"
""")
        verdict = self.compare("-f", "suite.toml", code=REGRESSION)
        self.assertEqual({m: c["basis"] for m, c in self.gates(verdict).items()},
                         {"BM_X/n": "exact"})

    # ---- what is refused ----

    def test_what_is_no_count_is_refused_in_one_line(self):
        for words, said in (
            (("--metric", "wall_time:exact"), "only a count can be exact"),
            (("--metric", "minor_faults:exact", "--rule", "precision:1%"), "an exact gate has none"),
            (("--metric", "minor_faults:exact", "--estimator", "lognormal-mean", "--runs", "10"),
             "compares ratios"),
        ):
            with self.subTest(words=words):
                done = self.benchctl("compare", *words, "true", "true")
                self.assert_exit(done, USAGE)
                self.assert_one_error(done, said)


if __name__ == "__main__":
    main()
