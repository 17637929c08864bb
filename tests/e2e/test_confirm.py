"""--confirm: regressions are compared once more, with runs and builds of their own."""

import json
import time

from git_repository import GitRepository
from grpc_client import Link, session_pb2
from main import main
from replay import Replay
from support import PASS, REGRESSION, TIMEOUT_S, UNDECIDED, USAGE, DaemonTest

LINES = ("--parse", "lines", "--metric", "t:2%:lower")
MEASURED, CONFIRMING = session_pb2.RUN_PHASE_MEASURED, session_pb2.RUN_PHASE_CONFIRMING


def gate_of(verdict):
    [gate] = [c for c in verdict["comparisons"] if c["role"] == "gate"]
    return gate


class ConfirmTest(Replay, DaemonTest):
    def confirmed(self, *words, code):
        done = self.benchctl_json("compare", "--confirm", *LINES, "--seed", "5", *words)
        self.assert_exit(done, code)
        return done.events[-1]

    def slow_for(self, runs, slow="t:1200:10", then="t:1000:10"):
        """A program that is slower in its first runs."""
        count = self.folder / "slow-runs"
        return self.script(
            f'echo >>"{count}"\n'
            f'[ $(wc -l <"{count}") -gt {runs} ] || exec {self.values(slow)}\n'
            f'exec {self.values(then)}', name="slow-at-first")

    def phases(self, session):
        link = Link(self.daemon.socket)
        self.addCleanup(link.close)
        phases = [run.phase for run in link.runs(session)]
        return phases.count(MEASURED), phases.count(CONFIRMING)

    def test_a_program_that_is_always_slower_is_a_regression(self):
        verdict = self.confirmed(self.values("t:1000:10"), self.values("t:1200:10"),
                                 code=REGRESSION)
        gate = gate_of(verdict)
        self.assertEqual(gate["verdict"], "regression")
        self.assertNotIn("reason", gate)
        second = gate["confirmation"]
        self.assertEqual(second["verdict"], "regression")
        self.assertGreater(second["change"]["lo"], 0.02)
        self.assertEqual(second["confidence"], 0.99)
        self.assertEqual(self.phases(verdict["session"]),
                         (2 * gate["n_candidate"], 2 * second["blocks"]))
        # The export keeps the phases apart, and gives the same verdict to the last bit.
        self.assert_replayed(verdict)
        header, *rows = self.benchctl("export", verdict["session"]).stdout.splitlines()
        self.assertTrue(header.startswith("arm,role,benchmark,pair,order,started_at,phase,"))
        self.assertEqual(sum(",confirming," in row for row in rows), 2 * second["blocks"])
        shown = self.benchctl("show", verdict["session"])
        self.assertIn(", confirmed", shown.stdout)
        self.assertRegex(shown.stdout, r"second phase: \+[\d.]+ % \(.*\) in \d+ blocks")
        [again] = [line for line in shown.stdout.splitlines() if line.startswith("again: ")]
        self.assertIn(" --confirm", again)

    def test_a_program_that_is_slower_only_at_first_is_undecided(self):
        # One warm-up block and the eight blocks of the first look.
        verdict = self.confirmed(self.values("t:1000:10"), self.slow_for(9), code=UNDECIDED)
        gate = gate_of(verdict)
        self.assertEqual((gate["verdict"], gate["reason"]), ("undecided", "not_confirmed"))
        self.assertGreater(gate["change"]["lo"], 0.02)
        self.assertEqual(gate["decided"]["blocks"], 8)
        self.assertEqual(gate["confirmation"]["verdict"], "pass")
        self.assertLess(gate["confirmation"]["change"]["hi"], 0.02)
        self.assert_replayed(verdict)
        for name, words in (("markdown", "not confirmed"), ("junit", "did not confirm it")):
            exported = self.benchctl("export", verdict["session"], "--format", name)
            self.assertIn(words, exported.stdout)
        again = self.benchctl("show", verdict["session"]).stdout
        self.assertIn("UNDECIDED", again)

    def test_a_second_phase_that_regresses_for_another_cause_confirms_nothing(self):
        count = self.folder / "failing-runs"
        failing = self.script(
            f'echo >>"{count}"\n'
            f'[ $(wc -l <"{count}") -gt 9 ] || exec {self.values("t:1200:10")}\n'
            f'{self.values("t:800:10")}\nexit 3', name="slow-then-failing")
        verdict = self.confirmed("-i", self.values("t:1000:10"), failing, code=UNDECIDED)
        gate = gate_of(verdict)
        self.assertEqual((gate["verdict"], gate["reason"]), ("undecided", "not_confirmed"))
        second = gate["confirmation"]
        self.assertEqual((second["verdict"], second["reason"]),
                         ("regression", "failed_in_candidate"))
        self.assert_replayed(verdict)
        shown = " ".join(self.benchctl("show", verdict["session"]).stdout.split())
        self.assertIn("did not confirm it; second phase: ", shown)
        self.assertIn("blocks, runs of candidate failed", shown)

    def test_without_the_option_the_same_program_is_a_regression(self):
        done = self.benchctl_json("compare", *LINES, "--seed", "5", self.values("t:1000:10"),
                                  self.slow_for(9))
        self.assert_exit(done, REGRESSION)
        self.assertNotIn("confirmation", gate_of(done.events[-1]))

    def test_what_passes_has_no_second_phase(self):
        verdict = self.confirmed(self.values("t:1000:10"), self.values("t:1000:10"), code=PASS)
        self.assertEqual(self.phases(verdict["session"])[1], 0)
        exported = self.benchctl("export", verdict["session"]).stdout
        self.assertIn(",phase,", exported.splitlines()[0])
        self.assertNotIn("confirming", exported)
        self.assert_replayed(verdict)

    def test_what_was_cancelled_before_the_second_phase_is_not_a_regression(self):
        log = self.folder / "phases"
        hook = self.script(f'echo "${{BENCHD_PHASE:-first}}" >>"{log}"\n'
                           '[ -z "$BENCHD_PHASE" ] || exec sleep 60', name="hook")
        done = self.benchctl_json("submit", "--confirm", *LINES, "--seed", "5", "--setup", hook,
                                  self.values("t:1000:10"), self.values("t:1200:10"))
        self.assert_exit(done, PASS)
        session = done.events[0]["session"]
        deadline = time.monotonic() + TIMEOUT_S
        while not log.exists() or "confirming" not in log.read_text():
            self.assertLess(time.monotonic(), deadline, self.daemon.log_text())
            time.sleep(0.05)
        self.assert_exit(self.benchctl("cancel", session), PASS)
        self.benchctl("watch", session)
        file = self.folder / "runs.csv"
        file.write_text(self.benchctl("export", session).stdout)
        analyzed = self.benchctl("analyze", str(file), "--metric", "t:2%:lower")
        self.assert_exit(analyzed, UNDECIDED)
        self.assertIn("to be confirmed", " ".join(analyzed.stdout.split()))

    def test_setup_runs_again_and_cleanup_once(self):
        log = self.folder / "hooks"
        hook = self.script(f'echo "$1 ${{BENCHD_PHASE:-first}}" >>"{log}"', name="hook")
        self.confirmed("--setup", f"{hook} setup", "--cleanup", f"{hook} cleanup",
                       self.values("t:1000:10"), self.values("t:1200:10"), code=REGRESSION)
        self.assertEqual(log.read_text().splitlines(),
                         ["setup first", "setup confirming", "cleanup first"])

    def test_a_suite_asks_for_it_at_the_top(self):
        suite = self.folder / "suite.toml"
        suite.write_text(
            "confirm = true\n"
            "[defaults]\nparse = 'lines'\nmetric = 't:2%:lower'\nseed = 5\n"
            "[[benchmark]]\nname = 'same'\n" + self.arms_of("t:1000:10", "t:1000:10") +
            "[[benchmark]]\nname = 'slow'\n" + self.arms_of("t:1000:10", "t:1200:10"))
        done = self.benchctl_json("compare", "-f", str(suite))
        self.assert_exit(done, REGRESSION)
        gates = {c["benchmark"]: c for c in done.events[-1]["comparisons"] if c["role"] == "gate"}
        self.assertEqual(gates["same"]["verdict"], "pass")
        self.assertNotIn("confirmation", gates["same"])
        self.assertEqual(gates["slow"]["confirmation"]["verdict"], "regression")
        # One gate of two entered, so it has all of alpha.
        self.assertEqual(gates["slow"]["confidence"], 0.995)
        self.assertEqual(gates["slow"]["confirmation"]["confidence"], 0.99)
        self.assert_replayed(done.events[-1])
        suite.write_text("confirm = true\n[defaults]\nconfirm = true\n")
        self.assert_one_error(self.benchctl("compare", "-f", str(suite)), "confirm",
                              "also in [defaults]")

    def arms_of(self, base, candidate):
        return "".join(f"[[benchmark.arm]]\nname = '{name}'\n"
                       f"command = {json.dumps(self.values(values))}\n"
                       for name, values in (("base", base), ("candidate", candidate)))

    def test_verdicts_by_estimate_cannot_be_confirmed(self):
        done = self.benchctl("compare", "--confirm", "--at-limit", "estimate", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "confirm", "at_limit")

    def start_second_phase(self, runs):
        """Starts a session whose base waits at a gate, and lets it run into its second phase, by
        that many runs of base. Returns the gate, the client and the session."""
        gate = self.gate()
        client = self.start_client("compare", "--confirm", "--parse", "lines", "--metric",
                                   "n:2%:lower", gate.command, self.values("n:1200:0:0"))
        session = client.until("started")["session"]
        # Nine runs of base in the first phase, of which one is a warm-up run.
        gate.let_pass(9 + runs)
        return gate, client, session

    def assert_ends_confirmed(self, gate, client, session):
        """Lets all further runs pass, and asserts that each phase has eight complete blocks."""
        gate.arrived()
        gate.open()
        self.assertEqual(client.finish(), REGRESSION, f"{client.stderr}\n{self.daemon.log_text()}")
        self.assertEqual(self.phases(session), (16, 16))

    def test_kill_in_the_second_phase_resumes_it(self):
        # A warm-up run and three measured runs of the second phase.
        gate, client, session = self.start_second_phase(4)
        self.kill_and_restart()
        self.assert_ends_confirmed(gate, client, session)
        verdict = client.events[-1]
        self.assertIn("interrupted", [warning["code"] for warning in verdict["warnings"]])
        self.assertEqual(gate_of(verdict)["confirmation"]["verdict"], "regression")
        link = Link(self.daemon.socket)
        self.addCleanup(link.close)
        blocks = [run.block for run in link.runs(session) if run.phase == CONFIRMING]
        self.assertEqual(blocks, [block for block in range(8) for _ in range(2)])
        self.assert_replayed(verdict)

    def test_stop_in_the_second_phase_resumes_it(self):
        gate, client, session = self.start_second_phase(2)
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text())
        self.daemon.start()
        self.assert_ends_confirmed(gate, client, session)


class ConfirmCommitsTest(GitRepository, Replay, DaemonTest):
    def test_the_second_phase_has_builds_of_its_own(self):
        self.write("build.sh",
                   f'echo "$(pwd -P) ${{BENCHD_LAYOUT_SEED:-none}}" >>{self.builds}\n'
                   "cp program bench && chmod +x bench\n")
        base = self.commit("t:1000:10")
        self.commit("t:1200:10")
        done = self.compare_commits(f"{base}..main", "--confirm")
        self.assert_exit(done, REGRESSION)
        builds = [line.split() for line in self.build_folders()]
        self.assertEqual(len(builds), 4, builds)
        self.assertEqual(len({folder for folder, _ in builds}), 4)
        self.assertEqual([seed for _, seed in builds[:2]], ["none", "none"])
        self.assertEqual(len({seed for _, seed in builds[1:]}), 3)
        verdict = done.events[-1]
        self.assertEqual(gate_of(verdict)["confirmation"]["verdict"], "regression")
        # The same seed finds all builds again.
        self.assert_exit(self.compare_commits(f"{base}..main", "--confirm"), REGRESSION)
        self.assertEqual(len(self.build_folders()), 4)

    def test_commits_that_pass_are_built_once(self):
        base = self.commit("t:1000:10")
        self.commit("t:1000:10", message="the same again")
        self.assert_exit(self.compare_commits(f"{base}..main", "--confirm"), PASS)
        self.assertEqual(len(self.build_folders()), 2)

    def test_a_second_build_that_differs_does_not_confirm(self):
        # The first pair of builds is unlucky: its candidate is slower.
        slow, same = self.values("t:1200:10"), self.values("t:1000:10")
        self.write("build.sh",
                   f'pwd -P >>{self.builds}\n'
                   f'program="{same}"\n'
                   f'[ $(wc -l <{self.builds}) != 2 ] || program="{slow}"\n'
                   'printf "#!/bin/sh\\nexec %s\\n" "$program" >bench && chmod +x bench\n')
        base = self.commit()
        self.commit(message="the same again")
        done = self.compare_commits(f"{base}..main", "--confirm")
        self.assert_exit(done, UNDECIDED)
        self.assertEqual(gate_of(done.events[-1])["reason"], "not_confirmed")
        self.assertEqual(len(self.build_folders()), 4)


if __name__ == "__main__":
    main()
