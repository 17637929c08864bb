"""Controls: benchmarks that must not change. If one does, the machine changed, and not the code."""

import json
import pathlib
import shlex

from main import main
from replay import Replay
from support import FAILED, PASS, REGRESSION, UNDECIDED, USAGE, DaemonTest

SKIP = 125
WORDS = "the control changed: the machine, not the code"

LISTED = pathlib.Path(__file__).resolve().parent / "programs/listed_benchmarks.py"


def control_of(verdict, benchmark="steady"):
    [control] = [c for c in verdict["comparisons"]
                 if c["benchmark"] == benchmark and "control" in c]
    return control


def gate_of(verdict, benchmark="work"):
    [gate] = [c for c in verdict["comparisons"]
              if c["benchmark"] == benchmark and c["role"] == "gate"]
    return gate


def codes(verdict):
    return [w["code"] for w in verdict["warnings"]]


class ControlsTest(Replay, DaemonTest):
    def suite(self, work, steady, control="control = true\n", defaults=""):
        """A benchmark `work` and a control `steady`, whose candidates have these means, of 1000."""
        text = f'[defaults]\nparse = "lines"\nmetric = "t:2%:lower"\n{defaults}'
        for name, mean in (("work", work), ("steady", steady)):
            text += f'[[benchmark]]\nname = "{name}"\n' + (control if name == "steady" else "")
            for arm, value in (("base", 1000), ("candidate", mean)):
                command = json.dumps(self.values(f"t:{value}:10", seed=len(name) + value))
                text += f'[[benchmark.arm]]\nname = "{arm}"\ncommand = {command}\n'
        path = self.folder / "suite.toml"
        path.write_text(text)
        return path

    def compared(self, path, *words, code):
        done = self.benchctl_json("compare", "--seed", "5", "-f", path, *words)
        self.assert_exit(done, code)
        return done.events[-1]

    def test_a_control_that_changed_is_the_machine(self):
        for steady in (1300, 750):
            for work in (1000, 1300):
                with self.subTest(steady=steady, work=work):
                    verdict = self.compared(self.suite(work, steady), code=UNDECIDED)
                    self.assertEqual(verdict["verdict"], "undecided")
                    self.assertIs(verdict["control_changed"], True)
                    control = control_of(verdict)
                    self.assertEqual(control["control"], "changed")
                    self.assertEqual(control["reason"], "control_changed")
                    self.assertEqual(control["confidence"], 0.995)
                    gate = gate_of(verdict)
                    self.assertEqual(gate["verdict"], "regression" if work > 1000 else "pass")
                    self.assertIn("lo", gate["change"])
                    [warning] = [w for w in verdict["warnings"] if w["code"] == "control_changed"]
                    self.assertEqual(warning["severity"], "invalidates")
                    self.assertTrue(warning["message"].startswith(WORDS), warning)
                    self.assert_replayed(verdict)

    def test_every_output_says_so(self):
        verdict = self.compared(self.suite(1300, 1300), code=UNDECIDED)
        session = verdict["session"]
        shown = self.benchctl("show", session)
        self.assertIn("UNDECIDED: " + WORDS, shown.stdout)
        self.assertIn("CONTROL CHANGED", shown.stdout)
        for name in ("markdown", "junit", "github"):
            exported = self.benchctl("export", session, "--format", name)
            self.assertIn(WORDS, exported.stdout, name)
        self.assertNotIn("<failure", self.benchctl("export", session, "--format", "junit").stdout)
        report = self.folder / "page.html"
        self.assert_exit(self.benchctl("report", session, "-o", str(report)), PASS)
        self.assertIn(WORDS, report.read_text())
        export = json.loads(self.benchctl("export", session, "--format", "json").stdout)
        self.assertIs(export["result"]["report"]["control_changed"], True)
        self.assertIs(export["spec"]["benchmarks"][1]["control"], True)

    def test_a_control_that_did_not_change_leaves_the_verdict_alone(self):
        for work, code in ((1000, PASS), (1300, REGRESSION)):
            with self.subTest(work=work):
                verdict = self.compared(self.suite(work, 1000), code=code)
                self.assertNotIn("control_changed", verdict)
                self.assertEqual(control_of(verdict)["control"], "unchanged")
                self.assertNotIn("control_open", codes(verdict))
                self.assert_replayed(verdict)

    def test_a_control_that_is_open_at_the_limit_is_a_caution(self):
        # The control would need thousands of blocks to be shown within 0.02 %.
        path = self.suite(1300, 1000,
                          control='control = true\nmetric = "t:0.02%:lower"\n')
        verdict = self.compared(path, "--max-runs", "20", code=REGRESSION)
        self.assertEqual(control_of(verdict)["control"], "open")
        [warning] = [w for w in verdict["warnings"] if w["code"] == "control_open"]
        self.assertEqual(warning["severity"], "caution")
        self.assertIn("steady", warning["message"])
        self.assertNotIn("control_changed", verdict)

    def test_under_fail_fast_a_control_goes_on(self):
        verdict = self.compared(self.suite(2000, 1000), "--fail-fast", code=REGRESSION)
        self.assertEqual(control_of(verdict)["control"], "unchanged")
        self.assertGreater(control_of(verdict)["n_candidate"], gate_of(verdict)["n_candidate"])
        verdict = self.compared(self.suite(2000, 1300), "--fail-fast", code=UNDECIDED)
        self.assertIs(verdict["control_changed"], True)

    def test_a_control_is_named_on_the_command_line(self):
        path = self.suite(1300, 1300, control="")
        verdict = self.compared(path, "--control", "stead*", code=UNDECIDED)
        self.assertEqual(control_of(verdict)["control"], "changed")
        shown = self.benchctl("show", verdict["session"]).stdout
        [again] = [line for line in shown.splitlines() if line.startswith("again: ")]
        self.assertIn(" --control ", again)
        self.compared(path, code=REGRESSION)

    def test_a_name_that_matches_nothing_is_an_error(self):
        plain = self.folder / "plain.toml"
        plain.write_text('[[arm]]\nname = "base"\n[[arm]]\nname = "candidate"\n' + "".join(
            f'[[benchmark]]\nname = "{name}"\ncommand = "true"\n' for name in ("work", "steady")))
        refused = self.benchctl("compare", "-f", plain, "--control", "steddy")
        self.assert_exit(refused, USAGE)
        self.assert_one_error(refused, "control steddy: no benchmark matches",
                              "did you mean steady?")
        # A program may print a benchmark of that name, so only its output shows that it does not.
        path = self.suite(1300, 1300, control="")
        refused = self.benchctl("compare", "-f", path, "--control", "steddy")
        self.assert_exit(refused, FAILED)
        self.assertIn("control steddy: no benchmark matches", refused.stderr)
        self.assertIn("did you mean steady?", refused.stderr)
        refused = self.benchctl("compare", "-f", path, "--control", "work", "--control", "steady")
        self.assert_exit(refused, USAGE)
        self.assert_one_error(refused, "every benchmark is a control")

    def test_a_control_accompanies_those_that_are_selected(self):
        verdict = self.compared(self.suite(1000, 1300), "--only", "work", code=UNDECIDED)
        self.assertEqual(control_of(verdict)["control"], "changed")

    def test_bisect_skips_such_a_commit(self):
        done = self.benchctl("compare", "--bisect", "-f", self.suite(1300, 1300))
        self.assert_exit(done, SKIP)
        self.assertIn(WORDS, done.stdout)

    def test_a_second_phase_has_the_control_as_well(self):
        verdict = self.compared(self.suite(1300, 1000), "--confirm", code=REGRESSION)
        self.assertEqual(gate_of(verdict)["confirmation"]["confidence"], 0.995)
        verdict = self.compared(self.suite(1300, 1300), "--confirm", code=UNDECIDED)
        self.assertEqual(gate_of(verdict)["reason"], "unconfirmed")
        self.assertNotIn("confirmation", gate_of(verdict))
        self.assert_replayed(verdict)

    def test_a_benchmark_in_the_output_of_a_program_is_a_control(self):
        lines = ("--parse", "lines", "--metric", "work:2%:lower", "--metric", "steady:2%:lower",
                 "--seed", "5")
        pair = (self.values("work:1000:10", "steady:500:5"),
                self.values("work:1000:10", "steady:650:5", seed=2))
        done = self.benchctl_json("compare", *lines, "--control", "steady", *pair)
        self.assert_exit(done, UNDECIDED)
        verdict = done.events[-1]
        [control] = [c for c in verdict["comparisons"] if "control" in c]
        self.assertEqual((control["metric"], control["control"]), ("steady", "changed"))
        self.assert_replayed(verdict)
        refused = self.benchctl("compare", *lines, "--control", "stedy", *pair)
        self.assert_exit(refused, FAILED)
        self.assertIn("control stedy: no benchmark matches", refused.stderr)

    def test_a_benchmark_that_a_program_lists_is_a_control(self):
        listed = [self.listed(seed, work, steady)
                  for seed, work, steady in ((1, 1000, 500), (2, 1000, 650))]
        lines = ("--harness", "google-benchmark", "--metric", "real_time:2%", "--seed", "5")
        done = self.benchctl_json("compare", *lines, "--control", "BM_Steady", *listed)
        self.assert_exit(done, UNDECIDED)
        self.assertEqual(control_of(done.events[-1], "BM_Steady")["control"], "changed")
        self.assert_replayed(done.events[-1])
        refused = self.benchctl("compare", *lines, "--control", "BM_Stady", *listed)
        self.assert_exit(refused, FAILED)
        self.assertIn("control BM_Stady: no benchmark matches", refused.stderr)
        self.assertIn("did you mean BM_Steady?", refused.stderr)

    def listed(self, seed, work, steady):
        state = self.folder / f"listed-{seed}"
        state.mkdir(exist_ok=True)
        return shlex.join(["/usr/bin/python3", str(LISTED), str(state), str(seed),
                           f"BM_Work={work}", f"BM_Steady={steady}"])

    def test_the_history_does_not_take_its_values_for_the_programs(self):
        self.compared(self.suite(1300, 1300), code=UNDECIDED)
        self.compared(self.suite(1000, 1000), code=PASS)
        history = self.benchctl("history", "work", "--json")
        self.assert_exit(history, PASS)
        entries = [e for e in history.events if e["event"] == "summary"]
        self.assertEqual([e.get("control_changed", False) for e in entries], [True, False])
        self.assertEqual([e["verdict"] for e in entries], ["undecided", "pass"])
        self.assertIn("control changed", self.benchctl("history", "work").stdout)

    def test_a_placebo_that_differs_is_a_control_that_changed(self):
        # A machine that slows the same program down whenever it is the placebo.
        arm = self.folder / "arm"
        prepare = self.script(f'echo "$BENCHD_ARM" >"{arm}"', name="prepare")
        program = self.script(
            f'[ "$(cat "{arm}")" = placebo ] && exec {self.values("t:1300:10")}\n'
            f'exec {self.values("t:1000:10", seed=3)}')
        done = self.benchctl_json("compare", "--parse", "lines", "--metric", "t:2%:lower",
                                  "--placebo", "--seed", "5", "--prepare", prepare, program,
                                  self.values("t:1000:10", seed=4))
        self.assert_exit(done, UNDECIDED)
        verdict = done.events[-1]
        self.assertIs(verdict["control_changed"], True)
        [placebo] = [c for c in verdict["comparisons"]
                     if c["candidate"] == "placebo" and c["metric"] == "t"]
        self.assertEqual((placebo["role"], placebo["control"]), ("info", "changed"))
        self.assertEqual(gate_of(verdict, "main")["verdict"], "pass")
        self.assert_replayed(verdict)


if __name__ == "__main__":
    main()
