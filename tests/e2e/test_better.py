"""`--margin -5%`: is the candidate better? And the word `improved` for gates of any margin.

The programs print seeded values, as in test_verdicts. With 1 % of noise, a change of 10 % against a
margin of 5 % is decided after few blocks.
"""

import json
import shlex

from main import main
from replay import Replay
from support import PASS, REGRESSION, USAGE, DaemonTest

LINES = ("--parse", "lines", "--seed", "20240501")
LOWER = (*LINES, "--metric", "t:lower")
HIGHER = (*LINES, "--metric", "t:higher")
WORDS = "not 5 % better"


class BetterTest(Replay, DaemonTest):
    def judged(self, *words, code):
        done = self.benchctl_json("compare", *words)
        self.assert_exit(done, code)
        return done.events[-1]

    def gate_of(self, verdict, metric="t"):
        found = [c for c in verdict["comparisons"] if (c["role"], c["metric"]) == ("gate", metric)]
        self.assertEqual(len(found), 1, verdict)
        return found[0]

    def base_and(self, mean):
        return self.values("t:100:1"), self.values(f"t:{mean}:1")

    # ---- verdicts ----

    def test_the_candidate_has_to_be_better_by_the_margin(self):
        # 20 % less, 3 % less, the same, and 10 % more; a rate the other way round.
        for gate, means in ((LOWER, (80, 97, 100, 110)), (HIGHER, (120, 103, 100, 90))):
            for mean in means:
                better = mean == means[0]
                with self.subTest(gate=gate[-1], mean=mean):
                    verdict = self.judged(*gate, "--margin", "-5%", *self.base_and(mean),
                                          code=PASS if better else REGRESSION)
                    self.assertEqual(verdict["verdict"], "pass" if better else "regression")
                    comparison = self.gate_of(verdict)
                    self.assertEqual((comparison["margin"], comparison["margin_kind"]),
                                     (-0.05, "ratio"))
                    self.assertNotIn("reason", comparison)
                    self.assert_replayed(verdict)

    def test_every_spelling_of_a_margin_is_taken(self):
        arms = self.base_and(97)
        for words in (("--margin", "-5%"), ("--margin=-5%",), ("--margin", "-0.05")):
            with self.subTest(words=words):
                self.assertEqual(
                    self.gate_of(self.judged(*LOWER, *words, *arms, code=REGRESSION))["margin"],
                    -0.05)
        for metric, margin, kind in (
                ("t:-5%:lower", -0.05, "ratio"), ("t:+-5:lower", -5, "absolute")):
            with self.subTest(metric=metric):
                verdict = self.judged(*LINES, "--metric", metric, *arms, code=REGRESSION)
                comparison = self.gate_of(verdict)
                self.assertEqual((comparison["margin"], comparison["margin_kind"]), (margin, kind))
                self.assert_replayed(verdict)
        # A time that is faster by 3 ms is not faster by 5 ms.
        prefer = "#! prefer=lower unit=ms"
        for margin, code in (("-5ms", REGRESSION), ("-1ms", PASS)):
            with self.subTest(margin=margin):
                self.judged(*LINES, "--metric", f"t:{margin}", self.values(prefer, "t:100:1"),
                            self.values(prefer, "t:97:1"), code=code)

    def test_a_file_takes_it_too(self):
        base, candidate = self.base_and(97)
        (self.folder / "suite.toml").write_text(f"""
[defaults]
parse = "lines"
metric = "t:lower"
margin = "-5%"
seed = 20240501
[[arm]]
name = "base"
command = {json.dumps(base)}
[[arm]]
name = "candidate"
command = {json.dumps(candidate)}
""")
        verdict = self.judged("-f", "suite.toml", code=REGRESSION)
        self.assertEqual(self.gate_of(verdict)["margin"], -0.05)

    def test_a_table_is_judged_alike(self):
        rows = ["arm,role,pair,t"]
        for i in range(30):
            rows += [f"base,reference,{i},{100 + i % 3}", f"new,candidate,{i},{97 + i % 3}"]
        (self.folder / "runs.csv").write_text("\n".join(rows) + "\n")
        for margin, code in (("-5%", REGRESSION), ("-1%", PASS)):
            with self.subTest(margin=margin):
                done = self.benchctl("analyze", "runs.csv", "--metric", "t:lower",
                                     "--margin", margin)
                self.assert_exit(done, code)
                self.assertEqual(WORDS in done.stdout, code == REGRESSION)

    def test_a_count_of_work_is_no_longer_exact(self):
        def counting(count):
            return shlex.join(["printf", r"%s\n", "#! prefer=lower unit=1", f"allocs/op {count}"])

        # Exactly judged, the same count would pass.
        for count, code in ((1000000, REGRESSION), (900000, PASS)):
            with self.subTest(count=count):
                verdict = self.judged(*LINES, "--margin", "-5%", counting(1000000),
                                      counting(count), code=code)
                comparison = self.gate_of(verdict, "allocs/op")
                self.assertNotIn("basis", comparison)
                self.assertEqual(comparison["margin"], -0.05)
                self.assert_replayed(verdict)

    def test_what_no_program_can_do_is_refused(self):
        for words in (("--margin", "-100%"), ("--margin", "-150%"),
                      ("--metric", "cpu_time:-100%")):
            with self.subTest(words=words):
                done = self.benchctl("compare", *words, "true", "true")
                self.assert_exit(done, USAGE)
                self.assert_one_error(done, "100 %")
                self.assertEqual(done.stdout, "")
        # A rate may double, so this is a margin like others.
        self.judged(*HIGHER, "--margin", "-100%", *self.base_and(300), code=PASS)
        # The word after --margin is its value, whatever it looks like.
        done = self.benchctl("compare", "--margin", "--json", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--margin", "--json")
        self.assert_unharmed()

    def test_a_bisection_calls_a_commit_bad_that_is_not_better(self):
        arms = self.base_and(97)
        done = self.benchctl("compare", "--bisect", *LOWER, "--margin", "-5%", *arms)
        self.assert_exit(done, 1)
        self.assertTrue(done.stdout.startswith("bad: "), done)
        self.assertIn(WORDS, done.stdout)

    # ---- words ----

    def test_people_read_not_better_and_programs_a_regression(self):
        done = self.benchctl("compare", *LOWER, "--margin", "-5%", "--export-markdown", "r.md",
                             "--export-junit", "r.xml", "--export-github", "r.json",
                             *self.base_and(97))
        self.assert_exit(done, REGRESSION)
        table = done.stdout[:done.stdout.index("NOT BETTER: ")]
        self.assertIn(WORDS, table)
        sentence = " ".join(done.stdout[len(table):].split())
        self.assertRegex(sentence, r"^NOT BETTER: candidate's t is not 5 % better than base's; "
                                   r"it is \S+ % lower \(\S+ … \S+ %\)")
        session = done.stdout.split()[-1]
        self.assert_exit(self.benchctl("report", session, "-o", "r.html"), PASS)
        for name in ("r.md", "r.xml", "r.json", "r.html"):
            with self.subTest(name=name):
                text = (self.folder / name).read_text()
                self.assertIn(WORDS, text)
                self.assertNotIn("❌ regression", text)
                self.assertNotIn("✕ Regression", text)
        shown = self.benchctl_json("show", session)
        self.assertIn('"verdict":"regression"', shown.stdout.replace(": ", ":"))

    def test_a_gate_that_improved_says_so_and_exits_as_before(self):
        for gate, better, worse in ((LOWER, 80, 120), (HIGHER, 120, 80)):
            for mean, code in ((better, PASS), (worse, REGRESSION)):
                with self.subTest(gate=gate[-1], mean=mean):
                    done = self.benchctl("compare", *gate, *self.base_and(mean))
                    self.assert_exit(done, code)
                    row = next(line for line in done.stdout.splitlines() if line.startswith("t "))
                    self.assertEqual("PASS, improved" in row, mean == better, done)
                    flag = self.gate_of(
                        self.judged(*gate, *self.base_and(mean), code=code))["flag"]
                    self.assertEqual(flag, "improvement" if mean == better else "none")

    def test_a_pass_has_estimate_and_interval(self):
        done = self.benchctl("compare", *LOWER, self.values("t:100:1"), self.values("t:100:1"))
        self.assert_exit(done, PASS)
        sentence = " ".join(done.stdout[done.stdout.index("PASS: "):].split())
        self.assertRegex(sentence,
                         r"^PASS: candidate's t is (not|at most \S+ %) higher than base's "
                         r"\([+-]\S+ %, \S+ … \S+ %\)")
        done = self.benchctl(
            "compare", *LINES, "--metric", "t:lower", "--metric", "u:lower",
            self.values("t:100:1", "u:50:0.1"), self.values("t:100:1", "u:50:0.1"))
        self.assert_exit(done, PASS)
        self.assertRegex(" ".join(done.stdout.split()),
                         r"PASS: both gates passed closest to its margin: candidate's \w is ")


if __name__ == "__main__":
    main()
