"""Looks at three to seven blocks: an arm that takes a multiple gets few runs."""

import re

from main import main
from replay import Replay
from support import PASS, REGRESSION, USAGE, DaemonTest

LINES = ("--parse", "lines", "--metric", "t:2%:lower")
NAMES = ("-n", "base", "-n", "near", "-n", "far")
LEVEL_OF_GATE = 0.01 / 2


class EarlyLooksTest(Replay, DaemonTest):
    def arms(self):
        """`near` is decided some looks after the eighth block, `far` takes 33 times as long."""
        return self.values("t:1000:10"), self.values("t:1010:10"), self.values("t:33000:300")

    def compared(self, *words, code=REGRESSION):
        done = self.benchctl_json("compare", *LINES, *NAMES, "--seed", "5", *words, *self.arms())
        self.assert_exit(done, code)
        return done.events[-1]

    def gate_of(self, verdict, candidate):
        [gate] = [c for c in verdict["comparisons"]
                  if c["candidate"] == candidate and c["role"] == "gate"]
        return gate

    def assert_early(self, verdict, most=6):
        """`far` was decided before the eighth block, and got no more runs once its place in the
        order was clear."""
        gate = self.gate_of(verdict, "far")
        self.assertEqual(gate["decided"]["by"], "early_look")
        self.assertGreaterEqual(gate["decided"]["blocks"], 3)
        self.assertGreaterEqual(gate["decided"]["lo"], 0.5)
        self.assertGreaterEqual(gate["change"]["lo"], gate["decided"]["lo"])
        blocks = verdict["runs"]["far"]
        self.assertIn(blocks, range(gate["decided"]["blocks"], most + 1))
        self.assertEqual(gate["n_candidate"], blocks)
        self.assertEqual(verdict["retired_after"], {"far": blocks})
        self.assertLess(gate["p_value"], LEVEL_OF_GATE)
        return gate

    def shown(self, session):
        done = self.benchctl("show", session)
        self.assert_exit(done, PASS)
        return done.stdout

    def line_of(self, shown, start):
        [line] = [line for line in shown.splitlines() if line.startswith(start)]
        return line

    def test_the_slow_arm_gets_only_few_runs(self):
        verdict = self.compared()
        gate = self.assert_early(verdict)
        self.assertEqual(gate["verdict"], "regression")
        self.assertAlmostEqual(gate["change"]["estimate"], 32, delta=1)
        self.assertGreater(gate["change"].get("hi", 40), 32)
        self.assertEqual(gate["confidence"], 1 - LEVEL_OF_GATE)
        near = self.gate_of(verdict, "near")
        self.assertGreaterEqual(near["decided"]["blocks"], 8)
        self.assertNotIn("by", near["decided"])
        self.assertGreater(verdict["runs"]["near"], 8)

    def test_the_export_gives_the_same(self):
        verdict = self.compared()
        self.assert_early(verdict)
        offline = self.assert_replayed(verdict)
        self.assertEqual(offline["orders"], verdict["orders"])
        self.assertEqual(offline["retired_after"], verdict["retired_after"])
        [order] = verdict["orders"]
        self.assertEqual(order["groups"][-1], {"arms": ["far"], "clear": [], "without_interval": []})
        shown = self.shown(verdict["session"])
        self.assertRegex(shown, r"lowest t: .*, then far 33(\.\d+)? (\([\d.]+ … [\d.]+\) )?times")
        # They are the default, so nothing asks for them.
        self.assertNotIn("--early-looks", self.line_of(shown, "again: "))
        self.assertNotIn("--early-looks", self.line_of(shown, "analyze: "))
        self.assertIn("an early look", shown)

    def test_off_looks_from_the_eighth_block_on(self):
        verdict = self.compared("--early-looks", "off")
        self.assertEqual(verdict["runs"]["far"], 8)
        gate = self.gate_of(verdict, "far")
        self.assertEqual(gate["decided"]["blocks"], 8)
        self.assertNotIn("by", gate["decided"])
        self.assertGreater(gate["change"]["lo"], 20)
        self.assertIn("hi", gate["change"])
        self.assert_replayed(verdict)
        shown = self.shown(verdict["session"])
        self.assertIn(" --early-looks off", self.line_of(shown, "again: "))
        self.assertIn(" --early-looks off", self.line_of(shown, "analyze: "))

    def test_two_arms_have_them_on_request(self):
        arms = self.arms()
        words = ("compare", *LINES, "--seed", "5")
        plain = self.benchctl_json(*words, arms[0], arms[2]).events[-1]
        self.assertEqual(plain["runs"], {"base": 8, "candidate": 8})
        done = self.benchctl_json(*words, "--early-looks", "on", arms[0], arms[2])
        self.assert_exit(done, REGRESSION)
        verdict = done.events[-1]
        self.assertLess(verdict["runs"]["candidate"], 6)
        self.assertNotIn("retired_after", verdict)
        self.assert_replayed(verdict)
        shown = self.shown(verdict["session"])
        self.assertIn(" --early-looks on", self.line_of(shown, "again: "))
        exported = self.benchctl_json("export", verdict["session"], "--format", "json").events[-1]
        self.assertIs(exported["spec"]["early_looks"], True)

    def test_min_runs_delays_them_or_leaves_them_out(self):
        verdict = self.compared("--min-runs", "5")
        self.assertEqual(self.assert_early(verdict)["decided"]["blocks"], 5)
        self.assert_replayed(verdict)
        verdict = self.compared("--min-runs", "10")
        self.assertEqual(verdict["runs"]["far"], 10)

    def test_a_suite_has_a_key_for_them(self):
        suite = self.folder / "suite.toml"
        arms = "".join(f"[[benchmark.arm]]\nname = '{name}'\ncommand = '''{command}'''\n"
                       for name, command in zip(("base", "near", "far"), self.arms()))
        text = "parse = 'lines'\nmetric = 't:2%:lower'\nseed = 5\n"
        benchmark = "[[benchmark]]\nname = 'one'\n" + arms
        runs = {}
        for word in ("on", "off"):
            suite.write_text(f"[defaults]\nearly_looks = '{word}'\n" + text + benchmark)
            runs[word] = self.benchctl_json("compare", "-f", str(suite)).events[-1]["runs"]["far"]
        self.assertLess(runs["on"], 8)
        self.assertEqual(runs["off"], 8)

    def test_errors_name_the_option(self):
        for words, code, expected in (
                (("--early-looks", "yes"), USAGE, "write on or off"),
                (("--early-looks", "on", "--runs", "20"), USAGE, "early looks"),
                (("--early-looks", "on", "--min-runs", "9"), USAGE, "--min-runs"),
                (("--early-looks", "on", "--method", "welch"), USAGE, "early looks")):
            with self.subTest(words):
                done = self.benchctl("compare", *LINES, *words, *self.arms())
                self.assert_exit(done, code)
                self.assert_one_error(done, "early-looks")
                self.assertIn(expected, done.stderr)
        done = self.benchctl("measure", "--early-looks", "on", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--early-looks")

    def test_kill_after_an_early_look_resumes_without_the_arm(self):
        gate = self.gate()
        client = self.start_client("compare", "--parse", "lines", "--metric", "n:2%:lower", *NAMES,
                                   "--seed", "7", gate.command, self.values("n:1012:12"),
                                   self.values("n:33000:300"))
        client.until("started")
        # A warm-up run of base, and nine blocks.
        gate.let_pass(10)
        self.kill_and_restart()
        gate.arrived()
        gate.open()
        self.assertEqual(client.finish(), REGRESSION, f"{client.stderr}\n{self.daemon.log_text()}")
        verdict = client.events[-1]
        self.assertIn("interrupted", [warning["code"] for warning in verdict["warnings"]])
        self.assert_early(verdict)
        self.assert_replayed(verdict)
        self.assertIsNotNone(re.search(r"\d", self.shown(verdict["session"])))


if __name__ == "__main__":
    main()
