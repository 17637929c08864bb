"""`benchctl measure`: values of programs without a reference, through the real daemon."""

import csv
import io
import json
import xml.etree.ElementTree

from main import main
from support import PASS, UNDECIDED, USAGE, DaemonTest

LINES = ("--parse", "lines", "--metric", "t")


class MeasureTest(DaemonTest):
    def measure(self, *words, code=PASS):
        done = self.benchctl_json("measure", *words)
        self.assert_exit(done, code)
        return done.events[-1]

    def asked(self, verdict):
        return {(one["arm"], one["metric"]): one for one in verdict["estimates"] if one["asked"]}

    # ---- when it ends ----

    def test_ends_at_the_precision(self):
        verdict = self.measure(*LINES, "--precision", "2%", self.values("t:10:0.2"))
        self.assertEqual(verdict["verdict"], "pass")
        self.assertEqual(verdict["comparisons"], [])
        (one,) = self.asked(verdict).values()
        value = one["value"]
        self.assertTrue(one["precise"])
        self.assertEqual((one["precision"], one["confidence"]), (0.02, 0.99))
        self.assertLessEqual(value["hi"] - value["lo"], 0.021 * value["estimate"])
        self.assertLess(value["lo"], 10.05)
        self.assertGreater(value["hi"], 9.95)
        self.assertGreater(one["n"], 8)
        self.assertLess(one["n"], 1000)
        self.assertLessEqual(one["min"], value["estimate"])
        self.assertLessEqual(value["estimate"], one["max"])
        others = [other for other in verdict["estimates"] if not other["asked"]]
        self.assertIn("wall_time", {other["metric"] for other in others})
        self.assertTrue(all("precise" not in other for other in others))

    def test_one_per_cent_is_the_default(self):
        verdict = self.measure(*LINES, "echo t 7.0000")
        (one,) = self.asked(verdict).values()
        self.assertEqual(one["precision"], 0.01)

    def test_a_time_limit_leaves_it_undecided(self):
        words = (*LINES, "--precision", "0.001%", "--max-time", "1s", self.values("t:10:1"))
        verdict = self.measure(*words, code=UNDECIDED)
        self.assertEqual(verdict["verdict"], "undecided")
        (one,) = self.asked(verdict).values()
        self.assertFalse(one["precise"])
        self.assertIn("lo", one["value"])
        done = self.benchctl("measure", *words)
        self.assert_exit(done, UNDECIDED)
        self.assertIn("not as precise as requested", done.stdout)
        self.assertIn("raise the limit (--max-time or", " ".join(done.stdout.split()))
        self.measure(*words, "--at-limit", "estimate", code=PASS)

    def test_an_exact_number_of_runs(self):
        verdict = self.measure("-r", "5", "true")
        (one,) = self.asked(verdict).values()
        self.assertEqual((one["n"], one["metric"]), (5, "wall_time"))
        self.assertNotIn("precision", one)
        self.assertTrue(one["precise"])

    # ---- what is measured ----

    def test_several_programs_share_alpha_and_have_the_names_of_their_programs(self):
        verdict = self.measure("-r", "8", "sleep 0.01", "sleep 0.02", "true")
        asked = self.asked(verdict)
        self.assertEqual([arm for arm, _ in asked], ["sleep", "sleep-2", "true"])
        for one in asked.values():
            self.assertAlmostEqual(one["confidence"], 1 - 0.01 / 3)
        self.assertGreater(asked["sleep-2", "wall_time"]["value"]["estimate"], 0.02)
        self.assertLess(asked["sleep", "wall_time"]["value"]["estimate"],
                        asked["sleep-2", "wall_time"]["value"]["estimate"])
        self.assertEqual(verdict["runs"], {"sleep": 8, "sleep-2": 8, "true": 8})

    def test_names_metrics_and_estimators(self):
        verdict = self.measure("-n", "mine", "-r", "30", "--estimator", "median", "--metric",
                               "cpu_time", "--metric", "max_rss", "true")
        asked = self.asked(verdict)
        self.assertEqual(list(asked), [("mine", "cpu_time"), ("mine", "max_rss")])
        self.assertEqual({one["estimator"] for one in asked.values()}, {"median"})

    def test_a_quantile_is_watched(self):
        verdict = self.measure(*LINES, "--precision", "20%", "--estimator", "quantile:0.9",
                               self.values("t:10:0.2"))
        (one,) = self.asked(verdict).values()
        self.assertEqual(one["estimator"], "quantile:0.9")
        self.assertGreater(one["value"]["estimate"], 10)

    def test_values_of_a_parameter(self):
        verdict = self.measure("-r", "3", "-L", "t", "0.01,0.02", "--between", "t", "sleep {t}")
        self.assertEqual([arm for arm, _ in self.asked(verdict)], ["t=0.01", "t=0.02"])

    def test_a_suite_as_it_is(self):
        file = self.folder / "suite.toml"
        file.write_text('[[arm]]\nname = "old"\nrole = "reference"\ncommand = "true"\n'
                        '[[arm]]\nname = "new"\ncommand = "true"\n'
                        '[[benchmark]]\nname = "a"\n[[benchmark]]\nname = "b"\n')
        verdict = self.measure("-f", str(file), "-r", "3")
        self.assertEqual({one["benchmark"] for one in verdict["estimates"]}, {"a", "b"})
        self.assertEqual(len(self.asked(verdict)), 2)

    def test_a_suite_for_compare(self):
        file = self.folder / "suite.toml"
        file.write_text('confirm = true\n[defaults]\npass_confidence = "95%"\nerror_rate = "fdr"\n'
                        'sided = "one"\nmargin = "400%"\nmetric = ["wall_time", "max_rss:+1GiB"]\n'
                        '[[arm]]\nname = "old"\ncommand = "true"\n'
                        '[[arm]]\nname = "new"\ncommand = "true"\n')
        verdict = self.measure("-f", str(file))
        self.assertEqual({one["precision"] for one in self.asked(verdict).values()}, {4})
        narrow = self.measure("-f", str(file), "--precision", "300%")
        self.assertEqual({one["precision"] for one in self.asked(narrow).values()}, {3})

    def test_too_few_runs_say_how_many_it_takes(self):
        done = self.benchctl("measure", "-r", "4", "--estimator", "quantile:0.9", "true")
        self.assert_exit(done, UNDECIDED)
        self.assertIn("use --runs 51", " ".join(done.stdout.split()))

    def test_allow_missing_measures_the_programs_that_have_the_metric(self):
        words = ("-r", "10", "--parse", "lines", "--metric", "t", "echo t 5", "echo u 5")
        self.measure(*words, code=UNDECIDED)
        verdict = self.measure("--allow-missing", *words)
        [(_, of_first)] = self.asked(verdict).items()
        self.assertEqual(of_first["value"]["estimate"], 5)
        self.assertIn("metric_missing", [one["code"] for one in verdict["warnings"]])
        plain = self.benchctl("measure", *words)
        self.assertIn("not measured: 1 of 2 estimates", plain.stdout)

    # ---- what is printed ----

    def test_prints_a_table_a_sentence_and_what_is_not_comparable(self):
        done = self.benchctl("measure", "-r", "8", "sleep 0.01")
        self.assert_exit(done, PASS)
        text = " ".join(done.stdout.split())
        self.assertIn("measured: the mean wall_time of sleep is ", text)
        self.assertEqual(text.count("benchctl compare"), 1)
        self.assertIn("another session", text)
        self.assertIn("8 runs each", text)
        self.assertNotIn("PASS", done.stdout)
        row = next(line for line in done.stdout.splitlines() if line.startswith("sleep "))
        self.assertIn(" ms", row)

    def test_show_list_watch_history_and_report_know_it(self):
        verdict = self.measure("-r", "8", "--benchmark", "nap", "sleep 0.01")
        session = verdict["session"]
        shown = self.benchctl("show", session)
        self.assert_exit(shown, PASS)
        self.assertIn("again: benchctl measure --seed ", shown.stdout)
        self.assertNotIn("analyze:", shown.stdout)
        self.assertIn("cpu_time", shown.stdout)
        listed = self.benchctl("list", "--all")
        self.assertIn("measured", listed.stdout)
        watched = self.benchctl_json("watch", session)
        self.assert_exit(watched, PASS)
        self.assertEqual(watched.events[-1]["estimates"], verdict["estimates"])
        history = self.benchctl_json("history", "nap").events
        (entry,) = [line for line in history if line["event"] == "summary"]
        (one,) = self.asked(verdict).values()
        self.assertEqual(entry["value"], one["value"])
        self.assertNotIn("reference", entry)
        self.assertIn("measured", self.benchctl("history", "nap").stdout)
        page = self.folder / "page.html"
        self.assert_exit(self.benchctl("report", session, "-o", page), PASS)
        self.assertIn("Every estimate", page.read_text())

    def test_again_gives_the_same_session(self):
        verdict = self.measure(*LINES, "--precision", "5%", "echo t 3.0000")
        shown = self.benchctl("show", verdict["session"]).stdout
        again = next(line for line in shown.splitlines() if line.startswith("again: "))
        self.assertIn("--precision 5%", again)
        self.assertIn("--metric t", again)

    def test_exports(self):
        verdict = self.measure("-r", "8", "sleep 0.01")
        session = verdict["session"]

        def export(name):
            done = self.benchctl("export", session, "--format", name)
            self.assert_exit(done, PASS)
            return done.stdout

        whole = json.loads(export("json"))
        self.assertEqual(whole["spec"]["benchmarks"][0]["arms"][0]["role"], "measured")
        self.assertEqual(whole["result"]["report"]["estimates"], verdict["estimates"])
        rows = list(csv.DictReader(io.StringIO(export("csv"))))
        self.assertEqual({row["role"] for row in rows}, {"measured"})
        self.assertEqual(len(rows), 8)
        suite = xml.etree.ElementTree.fromstring(export("junit"))
        self.assertEqual((suite.get("tests"), suite.get("skipped")), ("1", "0"))
        (github,) = json.loads(export("github"))
        self.assertEqual(github["name"], "main/sleep: wall_time")
        self.assertIn("value", json.loads(export("bmf"))["main/sleep"]["wall_time"])
        self.assertIn("measured", export("markdown"))

    def test_arms_of_one_session_can_be_compared_afterwards(self):
        # Printed values, because eight wall times on a busy machine may leave it undecided.
        verdict = self.measure(*LINES, "-r", "8", "-n", "a", "-n", "b", self.values("t:10:0.2"),
                               self.values("t:20:0.2"))
        file = self.folder / "runs.csv"
        file.write_text(
            self.benchctl("export", verdict["session"], "--format", "csv").stdout)
        done = self.benchctl_json("analyze", file, "--base", "a", "--metric", "t:lower")
        self.assertEqual(done.events[-1]["verdict"], "regression")

    def test_the_session_is_cancelled_and_detached_like_any_other(self):
        done = self.benchctl("measure", "--detach", "sleep 60")
        self.assert_exit(done, PASS)
        self.assert_exit(self.benchctl("cancel", done.stdout.strip()), PASS)

    # ---- what it refuses ----

    def test_refuses_what_needs_a_reference(self):
        for words, said in (((), "measure: missing command"),
                            (("--margin", "2%", "true"), "margin"),
                            (("--precision", "0%", "true"), "--precision"),
                            (("--precision", "1%", "-r", "5", "true"), "--precision"),
                            (("--estimator", "hl", "true"), "estimator"),
                            (("--metric", "wall_time:+1ms", "true"), "wall_time"),
                            (("-n", "a", "-n", "a", "true", "true"), "duplicate name")):
            with self.subTest(words=words):
                done = self.benchctl("measure", *words)
                self.assert_exit(done, USAGE)
                self.assertIn(said, done.stderr)
                self.assert_one_error(done)


if __name__ == "__main__":
    main()
