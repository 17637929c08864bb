"""kill -9 of benchd and of benchd-runner at random moments, while real clients watch.

The compared programs print numbers that depend on the environment padding of their run, which
follows from the session's seed. A session that is killed again and again must end with the runs,
the numbers and the verdict of an undisturbed one, to the last bit.

A seed (main.py) repeats a run's choices but not the machine's timing. BENCHD_CRASH_KILLS sets the
number of kills.
"""

import collections
import os
import random
import signal
import sqlite3
import threading
import time
import uuid

from grpc_client import Link, Watcher, session_pb2, two_arms
from main import SOAK, main, seed
from replay import Replay
from support import (FAILED, PASS, TIMEOUT_S, REGRESSION, UNDECIDED, DaemonTest,
                     assert_unlocked, children_of, name_of, wait_for_exit,
                     wait_for_no_process_with)

KILLS = int(os.environ.get("BENCHD_CRASH_KILLS") or (200 if SOAK else 60))

# Sessions that are queued together, so that the later ones have a place to lose.
BATCH = 3
# A session fails at the third death of a runner without a finished block.
HARMLESS_RUNNER_DEATHS = 2
# Metrics that describe the machine rather than the program.
DISTURBANCES = {"interrupts", "stolen_time", "foreign_switches", "migrations"}

WARMUP, MEASURED, DROPPED = (session_pb2.RUN_PHASE_WARMUP, session_pb2.RUN_PHASE_MEASURED,
                             session_pb2.RUN_PHASE_DROPPED)


def identity(run):
    """Identifies a run: its place and its start time."""
    began = run.started_at.seconds * 10**9 + run.started_at.nanos
    return run.benchmark, run.phase == WARMUP, run.block, run.position, began


def content(run):
    samples = tuple((s.metric, s.inner_benchmark, s.iteration, s.value) for s in run.samples)
    return run.arm, run.exit_code, run.signal, run.disturbances, samples


def place(run):
    return run.benchmark, run.block, run.position


def of_phase(runs, phase):
    return [run for run in runs if run.phase == phase]


def planned(runs):
    """The properties of the measured runs that the seed fixes: order, arms and printed values."""
    return [(*place(run), run.arm,
             tuple(s.value for s in run.samples if s.metric in ("n", "m")))
            for run in of_phase(runs, MEASURED)]


class Seen:
    """Every run of one session that a client was shown, for comparison with the store."""

    def __init__(self, test):
        self._test = test
        self._runs = {}  # identity -> (phase, content)

    def __len__(self):
        return len(self._runs)

    def hold_against(self, runs):
        """Checks that all of them are stored once and unchanged, and remembers new ones."""
        test = self._test
        there = {identity(run): (run.phase, content(run)) for run in runs}
        test.assertEqual(len(there), len(runs), "a run is stored twice")
        for key, (phase, values) in self._runs.items():
            test.assertIn(key, there, "a run that a client saw is lost")
            test.assertEqual(there[key][1], values, key)
            if (phase, there[key][0]) != (MEASURED, DROPPED):  # its block was interrupted
                test.assertEqual(there[key][0], phase, key)
        self._runs = there


class CrashTest(Replay, DaemonTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(seed())
        self.link = Link(self.daemon.socket)
        self.addCleanup(self.link.close)
        self.marker = f"crash-{os.getpid()}-{time.monotonic_ns()}"
        self.kills = collections.Counter()
        self.totals = collections.Counter()
        self.deaths_without_progress = 0
        self.progress_at_death = None

    # ---- sessions with numbers that follow from the seed ----

    def program(self, name, base, spread):
        return self.script(
            f": {self.marker}; p=${{#BENCHD_PADDING}}\n"
            f"echo n $(({base} + p * 7919 % {spread})); echo m $((5000 + p * 104729 % 3001))",
            name=name)

    def make_specs(self):
        """Name to spec; each has some hundred runs of a millisecond."""
        gates = [session_pb2.Gate(metric="n", ratio=0.03, better=session_pb2.BETTER_LOWER)]

        def spec(base, candidate, **more):
            return two_arms(base, candidate, self.folder, gates, **more)

        near = self.program("near", 10000, 4001), self.program("near-too", 10000, 4001)
        far = self.program("far", 10000, 1201), self.program("farther", 10100, 1201)
        limits = session_pb2.Limits
        suite = spec(*near, seed=14, limits=limits(runs=20))
        suite.benchmarks[0].name = "one"
        suite.benchmarks[0].arms.add(command=far[1], cwd=str(self.folder))
        suite.benchmarks.add().CopyFrom(suite.benchmarks[0])
        suite.benchmarks[1].name = "two"
        return {
            "one look": spec(*near, seed=11, limits=limits(runs=80)),
            "until decided": spec(*far, seed=12, limits=limits(max_time_seconds=600)),
            "arms by coin": spec(
                *near, seed=13, limits=limits(max_runs=80),
                schedule=session_pb2.SCHEDULE_KIND_COIN, method=session_pb2.METHOD_WELCH),
            "a suite": suite,
            "a placebo": spec(
                *near, seed=15, limits=limits(runs=40), placebo=True,
                estimator=session_pb2.Estimator(kind=session_pb2.ESTIMATOR_KIND_HODGES_LEHMANN)),
        }

    def undisturbed(self, spec):
        """The result without kills: planned runs, verdict."""
        session = self.link.submit(spec, str(uuid.uuid4()))
        watched = self.benchctl_json("watch", session, timeout=5 * TIMEOUT_S)
        self.assertIn(watched.code, (PASS, REGRESSION, UNDECIDED), watched)
        runs = self.link.runs(session)
        self.assertEqual(of_phase(runs, DROPPED), [])
        return planned(runs), watched.events[-1]

    # ---- killing ----

    def runners(self):
        return [pid for pid in children_of(self.daemon.pid) if name_of(pid) == "benchd-runner"]

    def kill_daemon(self, while_starting=False):
        """Kills the daemon and returns when the next one is ready."""
        runners = self.runners()
        self.daemon.kill()
        self.kills["daemon"] += 1
        if while_starting:
            self.daemon.spawn()
            wait_for_exit(self.daemon.pid, self.random.uniform(0, 0.03))  # returns at the timeout
            runners += self.runners()
            self.daemon.kill()
            self.kills["daemon while it starts"] += 1
        self.daemon.start()
        for pid in runners:
            self.assertTrue(wait_for_exit(pid), "a runner outlived its daemon")

    def kill_runner(self):
        for pid in self.runners():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.kills["runner"] += 1

    def runner_may_die(self, progress):
        if progress != self.progress_at_death:
            self.deaths_without_progress = 0
        return self.deaths_without_progress < HARMLESS_RUNNER_DEATHS

    def strike(self, progress):
        """Kills a process; `progress` is the state of the session as seen by clients."""
        kind = self.random.choices(("daemon", "starting", "runner", "both"), (50, 10, 30, 10))[0]
        if kind in ("runner", "both") and not self.runner_may_die(progress):
            kind = "daemon"
        if kind in ("runner", "both"):
            self.progress_at_death = progress
            self.deaths_without_progress += 1
            self.kill_runner()
        if kind != "runner":
            self.kill_daemon(while_starting=kind == "starting")
        return kind != "runner"

    def delay(self):
        """Seconds until the next kill, often too short for the session to resume."""
        if self.random.random() < 0.25:
            return self.random.uniform(0, 0.04)
        return min(0.6, self.random.expovariate(1 / 0.2))

    # ---- one batch of sessions ----

    def submit_under_fire(self, spec):
        """Submits while the daemon is killed and returns the id that the client received."""
        answers = []
        request = str(uuid.uuid4())

        def submit():
            try:
                answers.append(self.link.submit(spec, request))
            except Exception as error:  # pylint: disable=broad-except; asserted below
                answers.append(error)

        client = threading.Thread(target=submit)
        client.start()
        client.join(self.random.uniform(0, 0.01))
        self.kill_daemon()
        client.join()
        self.assertIsInstance(answers[0], str, answers)
        return answers[0]

    def go_through(self, name, session):
        """Watches and kills until the session has its verdict, and returns it."""
        watcher = Watcher(self.daemon.socket, session)
        self.addCleanup(watcher.close)
        client = self.start_client("watch", session)
        client.next()  # the client is connected and will wait for the next daemon
        seen = Seen(self)
        while not watcher.ended() and self.kills.total() < KILLS:
            watcher.wait(lambda _: False, timeout=self.delay())
            told = watcher.seen_runs()
            if self.strike((session, tuple(sorted(told.items())))):
                runs = self.link.runs(session)
                seen.hold_against(runs)
                self.assert_stored(told, runs)
        final = watcher.wait_for_end(5 * TIMEOUT_S)
        self.assertEqual(final.WhichOneof("event"), "verdict", f"{name}: {final}")
        code = client.finish()
        verdict = client.events[-1]
        self.assertEqual(verdict["event"], "verdict", client.stderr)
        self.assertEqual(code, {"pass": PASS, "regression": REGRESSION,
                                "undecided": UNDECIDED}[verdict["verdict"]])
        runs = self.link.runs(session)
        seen.hold_against(runs)
        self.assert_stored(watcher.seen_runs(), runs)
        self.totals["streams"] += watcher.streams
        watcher.close()
        return verdict, runs

    def assert_stored(self, told, runs):
        """Asserts that the store contains the runs counted in an update."""
        stored = collections.Counter(
            (run.benchmark, run.arm) for run in of_phase(runs, MEASURED))
        for arm, count in told.items():
            self.assertLessEqual(count, stored[arm], f"{arm}: a client saw more than is stored")

    def assert_whole(self, name, runs, expected):
        """Asserts gapless blocks in the seed's order, and dropped runs only of interrupted ones."""
        measured = of_phase(runs, MEASURED)
        self.assertEqual(len({place(run) for run in measured}), len(measured), name)
        self.assertEqual(planned(runs), expected, f"{name}: not the order of the seed")
        arms = {place(run): run.arm for run in measured}
        size = collections.Counter(place(run)[:2] for run in measured)
        attempt = []
        for run in of_phase(runs, DROPPED):
            self.assertEqual(run.arm, arms.get(place(run)), f"{name}: {place(run)}")
            same = attempt and attempt[-1][:2] == place(run)[:2]
            attempt = attempt + [place(run)] if same and run.position > 0 else [place(run)]
            self.assertEqual(run.position, len(attempt) - 1, f"{name}: {attempt}")
            self.assertLess(len(attempt), size[place(run)[:2]], f"{name}: a whole block dropped")
        self.totals["sessions"] += 1
        self.totals["runs"] += len(runs)
        self.totals["samples"] += sum(len(run.samples) for run in runs)
        self.totals["dropped"] += len(of_phase(runs, DROPPED))

    def assert_same_verdict(self, name, verdict, expected):
        for field in ("verdict", "basis", "runs"):
            self.assertEqual(verdict[field], expected[field], name)
        ours, theirs = self.by_key(verdict), self.by_key(expected)
        # Each new runner measures whether reading disturbances is cheap enough, so they may differ.
        self.assertEqual({key for key in ours if key[-1] not in DISTURBANCES},
                         {key for key in theirs if key[-1] not in DISTURBANCES}, name)
        for key, comparison in ours.items():
            if key[-1] in ("n", "m"):
                self.assertEqual(comparison, theirs[key], f"{name}: {key}")

    def assert_started_in_order(self, sessions):
        started = [self.session(session)["started_at"] for session in sessions]
        self.assertEqual(started, sorted(started), "the queue lost its order")

    def test_sessions_end_as_if_nobody_had_been_killed(self):
        specs = self.make_specs()
        control = {name: self.undisturbed(spec) for name, spec in specs.items()}
        names = self.random.sample(list(specs), len(specs))
        sessions = []
        begin = time.monotonic()
        while self.kills.total() < KILLS:
            self.link.pause()
            batch = [(name, self.submit_under_fire(specs[name])) for name in names[:BATCH]]
            names = names[BATCH:] + names[:BATCH]
            self.link.resume()
            verdicts = []
            for name, session in batch:
                verdict, runs = self.go_through(name, session)
                expected_runs, expected_verdict = control[name]
                self.assert_whole(name, runs, expected_runs)
                self.assert_same_verdict(name, verdict, expected_verdict)
                verdicts.append(verdict)
            self.assert_started_in_order([session for _, session in batch])
            for verdict in verdicts:
                self.assert_replayed(verdict)
            sessions += [session for _, session in batch]
        known = {entry.session for entry in self.link.list_all()}
        self.assertEqual(len(known), len(control) + len(sessions), "a retry became a session")
        self.tell(time.monotonic() - begin)
        self.assert_nothing_left()

    def tell(self, seconds):
        kills = ", ".join(f"{count} of the {what}" for what, count in sorted(self.kills.items()))
        print(f"kills: {self.kills.total()} ({kills}) in {seconds:.0f} s; "
              f"sessions: {self.totals['sessions']}; runs: {self.totals['runs']}, "
              f"{self.totals['dropped']} of them dropped with their block; "
              f"samples checked: {self.totals['samples']}; "
              f"streams of the watchers: {self.totals['streams']}", flush=True)

    def assert_nothing_left(self):
        """Asserts that no process and no lock is left and that SQLite finds the database intact."""
        runners = self.runners()
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text())
        for pid in runners:
            self.assertTrue(wait_for_exit(pid))
        self.assertEqual(wait_for_no_process_with(self.marker), [])
        assert_unlocked(self, self.folder)
        with sqlite3.connect(self.daemon.database) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
        database.close()
        self.assertEqual(os.listdir(self.daemon.database.parent / "environments"), [])


class RunnerDeathTest(DaemonTest):
    def test_a_benchmark_that_kills_its_runner_each_time_fails_by_name(self):
        killed = self.folder / "killed"
        killer = self.script(f'echo >>"{killed}"; kill -9 $PPID', name="patricide")
        done = self.benchctl_json("compare", killer, "true")
        self.assert_exit(done, FAILED)
        self.assertIn("benchd-runner", done.events[-1]["error"])
        self.assertEqual(killed.read_text().count("\n"), HARMLESS_RUNNER_DEATHS + 1)
        self.assert_unharmed()


if __name__ == "__main__":
    main()
