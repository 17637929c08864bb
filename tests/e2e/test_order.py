"""Which of several arms is best: the order with its factors, and arms that retire."""

import re

from grpc_client import Link, session_pb2
from main import main
from replay import Replay
from support import PASS, REGRESSION, USAGE, DaemonTest

LINES = ("--parse", "lines", "--metric", "t:2%:lower")
MEASURED = session_pb2.RUN_PHASE_MEASURED
NAMES = ("-n", "base", "-n", "near", "-n", "far")
# test_early_looks.py has them.
AT_EIGHT = ("--early-looks", "off")


class OrderTest(Replay, DaemonTest):
    def arms(self):
        """`far` is decided at the first look, `near` some looks later."""
        return self.values("t:1000:10"), self.values("t:1010:10"), self.values("t:3000:30")

    def compared(self, *words, code=REGRESSION):
        done = self.benchctl_json("compare", *LINES, *NAMES, *AT_EIGHT, "--seed", "5", *words,
                                  *self.arms())
        self.assert_exit(done, code)
        return done.events[-1]

    def blocks(self, session):
        """The arms of each measured block."""
        link = Link(self.daemon.socket)
        self.addCleanup(link.close)
        blocks = {}
        for run in link.runs(session):
            if run.phase == MEASURED:
                blocks.setdefault(run.block, []).append(run.arm)
        return [blocks[number] for number in range(len(blocks))]

    def assert_retired(self, verdict):
        """`far` has the eight blocks of the first look, and the others have all blocks."""
        blocks = self.blocks(verdict["session"])
        self.assertGreater(len(blocks), 8)
        for number, arms in enumerate(blocks):
            expected = ["base", "far", "near"] if number < 8 else ["base", "near"]
            self.assertEqual(sorted(arms), expected, number)
        self.assertEqual(verdict["runs"], {"base": len(blocks), "near": len(blocks), "far": 8})
        self.assertEqual(verdict["retired_after"], {"far": 8})

    def assert_order(self, verdict):
        [order] = verdict["orders"]
        self.assertEqual((order["metric"], order["better"]), ("t", "lower"))
        self.assertEqual(order["confidence"], 0.99)
        self.assertEqual(order["groups"][-1], {"arms": ["far"], "clear": [], "without_interval": []})
        factor = {one["arm"]: one["factor"] for one in order["factors"]}["far"]
        self.assertLess(factor["lo"], 3)
        self.assertGreater(factor["hi"], 2.95)
        self.assertAlmostEqual(factor["estimate"], 3, delta=0.1)
        return order

    def test_the_order_has_factors_and_the_retired_arm_fewer_runs(self):
        verdict = self.compared()
        self.assert_retired(verdict)
        order = self.assert_order(verdict)
        [gate] = [c for c in verdict["comparisons"]
                  if c["candidate"] == "far" and c["role"] == "gate"]
        self.assertEqual((gate["n_reference"], gate["n_candidate"]), (8, 8))
        self.assertEqual(gate["decided"]["blocks"], 8)
        # The export gives the same to the last bit, also the order.
        offline = self.assert_replayed(verdict)
        self.assertEqual(offline["orders"], [order])
        self.assertEqual(offline["retired_after"], {"far": 8})
        self.assertNotIn("incomplete_pairs", [one["code"] for one in offline["warnings"]])
        line = r"(lowest t: .*far [\d.]+ \([\d.]+ … [\d.]+\) times)"
        shown = re.search(line, self.benchctl("show", verdict["session"]).stdout)
        self.assertIsNotNone(shown)
        exported = self.benchctl("export", verdict["session"], "--format", "markdown").stdout
        self.assertIn("- " + shown.group(1), exported)

    def test_keep_all_runs_every_arm_until_the_end(self):
        verdict = self.compared("--keep-all")
        blocks = self.blocks(verdict["session"])
        self.assertGreater(len(blocks), 8)
        self.assertEqual({tuple(sorted(arms)) for arms in blocks}, {("base", "far", "near")})
        self.assertEqual(set(verdict["runs"].values()), {len(blocks)})
        self.assertNotIn("retired_after", verdict)
        self.assert_order(verdict)
        self.assert_replayed(verdict)
        shown = self.benchctl("show", verdict["session"]).stdout
        [again] = [line for line in shown.splitlines() if line.startswith("again: ")]
        self.assertIn(" --keep-all", again)

    def test_a_suite_has_a_key_for_it_and_an_order_a_benchmark(self):
        suite = self.folder / "suite.toml"
        arms = "".join(f"[[benchmark.arm]]\nname = '{name}'\ncommand = '''{command}'''\n"
                       for name, command in zip(("base", "near", "far"), self.arms()))
        text = "parse = 'lines'\nmetric = 't:2%:lower'\nseed = 5\nearly_looks = 'off'\n"
        both = "".join(f"[[benchmark]]\nname = '{name}'\n" + arms for name in ("one", "two"))
        suite.write_text("[defaults]\n" + text + both)
        verdict = self.benchctl_json("compare", "-f", str(suite)).events[-1]
        self.assertEqual(verdict["retired_after"], {"one/far": 8, "two/far": 8})
        self.assertEqual([order["benchmark"] for order in verdict["orders"]], ["one", "two"])
        self.assert_replayed(verdict)
        suite.write_text("[defaults]\nkeep_all = true\n" + text + both)
        kept = self.benchctl_json("compare", "-f", str(suite)).events[-1]
        self.assertNotIn("retired_after", kept)
        self.assertEqual(kept["runs"]["one/far"], kept["runs"]["one/base"])
        self.assertGreater(kept["runs"]["one/far"], 8)

    def test_a_measurement_has_nothing_to_keep(self):
        done = self.benchctl("measure", "--keep-all", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--keep-all")

    def test_two_arms_and_one_look_are_as_before(self):
        done = self.benchctl_json("compare", *LINES, self.values("t:1000:10"),
                                  self.values("t:1000:10"))
        self.assert_exit(done, PASS)
        self.assertNotIn("orders", done.events[-1])
        self.assertNotIn("retired_after", done.events[-1])
        verdict = self.compared("--runs", "12", "--at-limit", "estimate")
        self.assertEqual(verdict["runs"], {"base": 12, "near": 12, "far": 12})

    def test_kill_after_an_arm_has_retired_resumes_without_it(self):
        gate = self.gate()
        client = self.start_client("compare", "--parse", "lines", "--metric", "n:2%:lower", *NAMES,
                                   *AT_EIGHT, "--seed", "7", gate.command,
                                   self.values("n:1012:12"), self.values("n:3000:30"))
        session = client.until("started")["session"]
        # A warm-up run of base, the eight of the first look, and two more.
        gate.let_pass(11)
        self.kill_and_restart()
        gate.arrived()
        gate.open()
        self.assertEqual(client.finish(), REGRESSION, f"{client.stderr}\n{self.daemon.log_text()}")
        verdict = client.events[-1]
        self.assertEqual(verdict["session"], session)
        self.assertIn("interrupted", [warning["code"] for warning in verdict["warnings"]])
        self.assert_retired(verdict)
        offline = self.assert_replayed(verdict)
        self.assertEqual(offline["orders"], verdict["orders"])


if __name__ == "__main__":
    main()
