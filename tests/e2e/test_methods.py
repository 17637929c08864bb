"""Every method, estimator, rule and schedule through the real daemon, on seeded values.

All of them find a change of 10 % at 1 % spread; tests/stats and tests/analysis check their numbers.
These tests check that each option reaches the statistics and which options can be combined.
"""


from main import main
from support import REGRESSION, UNDECIDED, USAGE, DaemonTest

SEED = ("--seed", "20240501")
GATE = ("--parse", "lines", "--metric", "t:2%:lower")


class MethodTest(DaemonTest):
    def compare(self, *options, code=REGRESSION, base="t:100:1", candidate="t:110:1"):
        done = self.benchctl_json(
            "compare", *SEED, *GATE, *options, self.values(base), self.values(candidate))
        self.assert_exit(done, code)
        self.verdict = done.events[-1]
        found = [c for c in self.verdict["comparisons"]
                 if c["candidate"] == "candidate" and c["metric"] == "t"]
        self.assertEqual(len(found), 1, self.verdict)
        return found[0]

    def assert_ten_percent(self, comparison, delta=0.02):
        change = comparison["change"]
        self.assertAlmostEqual(change["estimate"], 0.1, delta=delta)
        self.assertGreater(change["lo"], 0.02)
        self.assertGreater(change["hi"], change["lo"])

    def test_each_method_finds_ten_percent(self):
        for method in ("paired", "welch", "exact-t"):
            with self.subTest(method=method):
                comparison = self.compare("--method", method)
                self.assertEqual(comparison["method"], method)
                self.assert_ten_percent(comparison)
                self.assertGreaterEqual(comparison["decided"]["blocks"], 8)

    def test_one_look_at_a_number_of_runs_chosen_beforehand(self):
        for options in (("--runs", "6"), ("--runs", "6", "--method", "fixed"),
                        ("--runs", "6", "--method", "welch")):
            with self.subTest(options=options):
                comparison = self.compare(*options)
                self.assertEqual(comparison["method"], "fixed")
                self.assert_ten_percent(comparison)

    def test_each_estimator_that_may_be_watched_finds_ten_percent(self):
        for estimator in ("mean", "hl", "median", "quantile:0.25"):
            with self.subTest(estimator=estimator):
                comparison = self.compare("--estimator", estimator)
                self.assertEqual(comparison["estimator"], estimator)
                self.assert_ten_percent(comparison)

    def test_estimators_for_one_look_find_ten_percent(self):
        for estimator, runs in (("quantile:0.5", "100"), ("lognormal-mean", "30"),
                                ("subselection", "8")):
            with self.subTest(estimator=estimator):
                comparison = self.compare("--estimator", estimator, "--runs", runs)
                self.assertEqual(comparison["estimator"], estimator)
                self.assert_ten_percent(comparison)

    def test_a_coin_draws_each_runs_arm(self):
        comparison = self.compare("--schedule", "coin", "--runs", "20")
        self.assert_ten_percent(comparison)
        # 40 runs in all. The chance that both arms get 20 is 13 %, and the seed is fixed.
        self.assertEqual(comparison["n_reference"] + comparison["n_candidate"], 40)
        self.assertNotEqual(comparison["n_reference"], 20)
        watched = self.compare("--schedule", "coin")
        self.assertEqual(watched["method"], "welch")

    def test_precision_ends_when_the_interval_is_short_enough(self):
        comparison = self.compare(
            "--rule", "precision:3%", base="t:100:1", candidate="t:102:1", code=UNDECIDED)
        change = comparison["change"]
        self.assertLess(change["hi"] - change["lo"], 0.03)
        self.assertEqual(comparison["decided"]["blocks"], comparison["n_reference"])

    def test_a_placebo_is_a_control_and_does_not_gate(self):
        comparison = self.compare("--placebo")
        self.assertEqual(comparison["confidence"], 0.995, "they share the level")
        placebo = [c for c in self.verdict["comparisons"]
                   if c["candidate"] == "placebo" and c["metric"] == "t"]
        self.assertEqual(len(placebo), 1, self.verdict)
        self.assertEqual(placebo[0]["role"], "info")
        self.assertEqual(placebo[0]["control"], "unchanged")
        self.assertNotIn("verdict", placebo[0])
        self.assertLess(placebo[0]["change"]["lo"], 0)
        self.assertGreater(placebo[0]["change"]["hi"], 0)
        self.assertEqual(self.verdict["runs"]["placebo"], self.verdict["runs"]["base"])
        self.assertNotIn("placebo", [w["code"] for w in self.verdict["warnings"]])

    def test_what_does_not_go_together_is_refused_by_name(self):
        for options, name in (
            (("--schedule", "coin", "--method", "paired"), "coin"),
            (("--schedule", "coin", "--estimator", "median"), "median"),
            (("--method", "exact-t", "--runs", "20"), "exact-t"),
            (("--method", "exact-t", "--estimator", "hl"), "exact-t"),
            (("--estimator", "lognormal-mean"), "--runs"),
            (("--estimator", "quantile:0.1", "--max-runs", "40"), "quantile"),
            (("--estimator", "subselection"), "--runs"),
            (("--estimator", "quantile:1.5", "--runs", "100"), "quantile"),
            (("--rule", "precision:1%", "--runs", "20"), "precision"),
            (("--method", "fixed"), "fixed"),
        ):
            with self.subTest(options=options):
                done = self.benchctl("compare", *options, "true", "true")
                self.assert_exit(done, USAGE)
                self.assert_one_error(done, name)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    main()
