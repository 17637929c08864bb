"""`benchctl analyze` on measurements from elsewhere and on the exports of sessions."""

import json
import pathlib
import subprocess

from main import main
from replay import Replay
from support import BIN, PASS, TIMEOUT_S, REGRESSION, UNDECIDED, USAGE, DaemonTest, read_line

# The seven rows of METHOD.md as cbdr reads them, and the interval that it prints for them:
# tests/golden/cbdr.json, case method_md_clean.
METHOD_MD = """branch,wall_time
base,15.720428923
feature,16.173336192
base,15.488631299
feature,16.654012064
feature,16.37941706
feature,16.512443378
base,15.992080634
"""
METHOD_MD_LO = -5.797958721114038e-2
METHOD_MD_HI = 14.64632817417802e-2

SEED = ("--seed", "20240501")
LINES = ("--parse", "lines")


class ReplayTest(Replay, DaemonTest):
    """The command that `show` prints reproduces the session's numbers to the last bit."""

    def session_of(self, *words):
        """The verdict of a comparison: pass, regression or undecided."""
        done = self.benchctl_json("compare", *SEED, *words)
        self.assertIn(done.code, (PASS, REGRESSION, UNDECIDED), f"{done}\n{self.daemon.log_text()}")
        return done.events[-1]

    def assert_reproduced(self, *words):
        live = self.session_of(*words)
        offline = self.assert_replayed(live)
        self.assertNotIn("session", offline)
        return offline

    def test_two_gates_of_a_harness(self):
        offline = self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--metric", "rate:+1.5:higher",
            self.values("#! unit=ms", "t:100:1", "rate:50:0.4"),
            self.values("#! unit=ms", "t:104:1", "rate:50:0.4"))
        gates = [c for c in offline["comparisons"] if c["role"] == "gate"]
        self.assertEqual({c["metric"] for c in gates}, {"t", "rate"})
        self.assertEqual(offline["decided_at"], max(c["decided"]["blocks"] for c in gates))

    def test_metrics_with_the_names_of_columns(self):
        for name in ("order", "pair", "started_at", "benchmark", "arm", "role",
                     "exit_code"):
            with self.subTest(name=name):
                self.assert_reproduced(
                    *LINES, "--metric", f"{name}:2%:lower", "--runs", "8",
                    self.values(f"{name}:100:1"), self.values(f"{name}:101:1"))

    def test_runs_that_failed_and_exit_codes_that_are_accepted(self):
        good = self.script("echo t 100.000")
        three = self.script("echo t 100.000; exit 3", name="three")
        killed = self.script("echo t 100.000; kill -SEGV $$", name="killed")
        words = (*LINES, "--metric", "t:2%:lower", "--runs", "8")
        offline = self.assert_reproduced(*words, "-i", good, three)
        self.assertEqual(offline["comparisons"][0]["reason"], "failed_in_candidate")
        self.assert_reproduced(*words, "-i", "--accept-exit", "0,3", good, killed)
        self.assertEqual(
            self.assert_reproduced(*words, "--accept-exit", "0,3", good, three)["verdict"], "pass")
        offline = self.assert_reproduced(*words, "-i", "--accept-exit", "3", three, good)
        self.assertEqual(offline["comparisons"][0]["reason"], "failed_in_candidate")

    def test_the_clock_of_the_session_itself(self):
        self.assert_reproduced("--margin", "50%", "--max-runs", "20", "true", "true")

    def test_margins_and_levels_that_no_short_decimal_has(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:7%:lower", "--alpha", "0.03712345678901234", "--sided", "one",
            "--min-runs", "10", "--max-runs", "40", self.values("t:100:2"), self.values("t:108:2"))

    def test_a_coarse_clock(self):
        # Printed as 20.0 and 21.0, exported as 20 and 21. The step of 0.1 decides here; a step of 1
        # would leave the verdict open.
        offline = self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--max-runs", "12", self.values("t:20:0:1"),
            self.values("t:21:0:1"))
        self.assertEqual(offline["verdict"], "regression")

    def test_one_look(self):
        offline = self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--runs", "12", self.values("t:100:1"),
            self.values("t:101:1"))
        self.assertNotIn("decided_at", offline)

    def test_limits_that_end_it_open(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--max-runs", "9", "--at-limit", "estimate",
            self.values("t:100:1"), self.values("t:102:1"))

    def test_the_median_of_pairs(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--estimator", "median", "--max-runs", "30",
            self.values("t:100:1"), self.values("t:105:1"))

    def test_the_other_estimators(self):
        for options in (("hl",), ("lognormal-mean", "--runs", "30"), ("quantile:0.5",),
                        ("quantile:0.5", "--runs", "100"),
                        ("hl", "--method", "welch", "--runs", "12")):
            with self.subTest(options=options):
                self.assert_reproduced(
                    *LINES, "--metric", "t:2%:lower", "--estimator", *options,
                    self.values("t:100:1"), self.values("t:105:1"))

    def test_exact_t_and_precision(self):
        for options in (("--method", "exact-t"), ("--rule", "precision:3%")):
            with self.subTest(options=options):
                self.assert_reproduced(
                    *LINES, "--metric", "t:2%:lower", *options,
                    self.values("t:100:1"), self.values("t:105:1"))

    def test_subselection_needs_more_than_a_table_has(self):
        live = self.session_of(
            *LINES, "--metric", "t:2%:lower", "--estimator", "subselection", "--runs", "10",
            self.values("t:100:1"), self.values("t:105:1"))
        self.assertIn("subselection needs the samples", self.benchctl("show", live["session"]).stdout)

    def test_welch(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--method", "welch", "--max-runs", "30",
            self.values("t:100:1"), self.values("t:105:1"))

    def test_arms_by_coin(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--schedule", "coin", "--max-runs", "30",
            self.values("t:100:1"), self.values("t:105:1"))

    def test_one_look_at_arms_by_coin(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--schedule", "coin", "--runs", "20",
            self.values("t:100:1"), self.values("t:105:1"))

    def test_a_placebo(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--placebo", self.values("t:100:1"),
            self.values("t:105:1"))

    def test_several_references_with_names_that_need_quotes(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--reference", "old one=" + self.values("t:101:1"),
            "--reference", "oldest, it's =" + self.values("t:100:1"), "-n", "new \"x\"",
            self.values("t:105:1"))

    def test_a_reference_that_runs_twice_in_a_block(self):
        self.assert_reproduced(
            *LINES, "--metric", "t:2%:lower", "--max-runs", "12", self.values("t:100:1"),
            *[self.values(f"t:{100 + i}:1") for i in range(4)])

    def test_an_export_says_what_was_compared_with_what(self):
        live = self.session_of(
            *LINES, "--metric", "t:2%:lower", "--runs", "10", "-n", "old", "-n", "new",
            self.values("t:100:1"), self.values("t:110:1"))
        self.assertEqual(live["verdict"], "regression")
        head, *rows = self.benchctl("export", live["session"]).stdout.splitlines()
        # The first arm was drawn at random; put the candidate first.
        rows.sort(key=lambda row: (int(row.split(",")[3]), row.startswith("old,")))
        table = self.folder / "export.csv"
        table.write_text("\n".join([head, *rows]) + "\n")
        words = ("analyze", table, "--metric", "t:2%:lower", "--method", "fixed")
        self.assert_exit(self.benchctl(*words), REGRESSION)
        table.write_text("\n".join(",".join(row.split(",")[:1] + row.split(",")[2:])
                                   for row in [head, *rows]) + "\n")
        done = self.benchctl(*words)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "the table does not state its reference (arms: new, old)")
        self.assertIn("hint: name it: --base NAME", done.stderr)
        self.assert_exit(self.benchctl(*words, "--base", "old"), REGRESSION)

    def test_a_suite(self):
        (self.folder / "suite.toml").write_text(f"""
[defaults]
parse = "lines"
metric = ["t:2%:lower"]
[[arm]]
name = "a"
[[arm]]
name = "b"
[[benchmark]]
name = "one"
command = {json.dumps(self.values("t:100:1"))}
[[benchmark]]
name = "two"
command = {json.dumps(self.values("t:200:1"))}
""")
        self.assert_reproduced("-f", self.folder / "suite.toml")


class TableTest(DaemonTest):
    def table(self, text, name="table.csv"):
        path = pathlib.Path(self.folder / name)
        path.write_text(text)
        return path

    def test_cbdrs_rows_give_cbdrs_interval(self):
        spaced = "\n".join(line.replace(",", "    , ") for line in METHOD_MD.splitlines()) + "\n"
        for text in (METHOD_MD, spaced, "\ufeff" + METHOD_MD.replace("\n", "\r\n")):
            table = self.table(text)
            words = ("analyze", "--base", "base", "--interval", "classic", "--confidence", "99.9%",
                     table)
            done = self.benchctl_json(*words)
            self.assert_exit(done, UNDECIDED)
            change = done.events[0]["comparisons"][0]["change"]
            # cbdr's quantile is accurate to 5e-9.
            self.assertAlmostEqual(change["lo"], METHOD_MD_LO, delta=1e-8)
            self.assertAlmostEqual(change["hi"], METHOD_MD_HI, delta=1e-8)
            self.assertIn("-5.8 … +14.6 %", self.benchctl(*words).stdout)

    def test_stdin(self):
        done = subprocess.run(
            [BIN / "benchctl", "analyze", "-", "--json"], env=self.client_environment(),
            input=METHOD_MD.encode(), capture_output=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, UNDECIDED, done)
        verdict = read_line(done.stdout)
        self.assertEqual(verdict["runs"], {"base": 3, "feature": 4})

    def test_no_daemon_is_started(self):
        environment = dict(
            self.client_environment(), BENCHD_SOCKET="", XDG_RUNTIME_DIR=str(self.folder))
        done = self.benchctl("analyze", "--base", "base", self.table(METHOD_MD),
                             environment=environment)
        self.assert_exit(done, UNDECIDED)
        self.assertEqual(done.stderr, "")
        self.assertFalse((self.folder / "benchd").exists(), "where a user's daemon would listen")

    def test_a_ragged_row_is_named_by_line_and_column(self):
        table = self.table("arm,x,y\na,1,2\nb,1\n")
        done = self.benchctl("analyze", table)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, f"error: {table}: line 3, column ")
        self.assertEqual(done.stdout, "")
        self.assert_unharmed()

    def test_errors_of_the_table_are_one_line(self):
        for text, place in (
            ("arm,x\na,1\nb,fast\n", "line 3, column 3"),
            ("arm,x\na,1\nb,nan\n", "line 3, column 3"),
            ("arm,x\na,1\na,2\n", "line "),
            ("", "line 1"),
        ):
            done = self.benchctl("analyze", self.table(text))
            self.assert_exit(done, USAGE)
            self.assert_one_error(done, place)
        done = self.benchctl("analyze", "--base", "nobody", self.table(METHOD_MD))
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "nobody")
        self.assert_unharmed()

    def test_a_metric_without_direction_does_not_gate(self):
        rows = "".join(f"a,{100 + i % 3}\nb,{110 + i % 3}\n" for i in range(12))
        table = self.table("arm,latency\n" + rows)
        done = self.benchctl("analyze", "--base", "a", "--stars", "welch", "--histogram", table)
        self.assert_exit(done, UNDECIDED)
        self.assertEqual(
            done.stderr, "benchctl: no gate, so no verdict: choose a direction: "
            "--metric latency:lower or --metric latency:higher\n")
        for word in ("Amean", "BAmean-95", "█", "differs"):
            self.assertIn(word, done.stdout)
        self.assert_exit(
            self.benchctl("analyze", "--base", "a", "--metric", "latency:lower", table),
            REGRESSION)
        self.assert_exit(
            self.benchctl("analyze", "--metric", "latency:lower", "--base", "b", table), PASS)
        self.assert_exit(
            self.benchctl("analyze", "--base", "a", "--column", "latency:higher,unit=1", table),
            PASS)

    def test_a_star_stands_where_arms_differ(self):
        rows = "".join(f"a,{100 + i % 3}\nb,{110 + i % 3}\nc,{100 + (i + 1) % 3}\n"
                       for i in range(12))
        done = self.benchctl_json(
            "analyze", "--base", "a", "--stars", "welch", self.table("arm,x\n" + rows))
        self.assert_exit(done, UNDECIDED)
        stars = {s["arm"]: s["starred"] for s in done.events[0]["summaries"]}
        self.assertEqual(stars, {"a": [], "b": ["a"], "c": []})

    def test_rows_that_were_not_interleaved_are_told(self):
        rows = "".join(f"a,{100 + i % 7}\n" for i in range(20))
        rows += "".join(f"b,{100 + i % 5}\n" for i in range(20))
        done = self.benchctl_json(
            "analyze", "--base", "a", "--metric", "x:lower", self.table("arm,x\n" + rows))
        codes = {warning["code"] for warning in done.events[0]["warnings"]}
        self.assertIn("not_interleaved", codes, done)

    def test_a_replay_says_when_it_was_decided(self):
        rows = "".join(f"a,{i},{100 + i % 3}\nb,{i},{110 + i % 2}\n" for i in range(40))
        table = self.table("arm,pair,x\n" + rows)
        words = ("analyze", "--base", "a", "--metric", "x:lower", table)
        done = self.benchctl_json(*words)
        self.assert_exit(done, REGRESSION)
        verdict = done.events[0]
        self.assertEqual(verdict["decided_at"], 8)  # 10 % at 1 % of noise: at the first look
        self.assertIn(", decided at 8 pairs\n", self.benchctl(*words).stdout)


if __name__ == "__main__":
    main()
