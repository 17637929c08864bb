"""kill -9 at random moments: everything is restored, and the next session runs."""

import os
import pathlib
import random
import signal
import subprocess
import time

import e2e_support
from core import core, times
from guest import GuestTest, drop_in, installation, main_pid, run, unit, wait_until
from test_settings import EVERYTHING

SEED = int(os.environ.get("BENCHD_VM_SEED", random.SystemRandom().randrange(1 << 32)))
# With --all these are 22 in total.
APPLIES, RESTORES, SESSIONS = times(3, 9), 4, 9
JOURNAL = pathlib.Path("/run/benchd-runner/settings.journal")


def kill(pid):
    # It may have exited already: the moment was then after its end, which is a valid case.
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class CrashTest(GuestTest):
    configuration = EVERYTHING

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Kills come faster here than systemd permits restarts. Set once for all tests, because it
        # costs a reload of systemd, a second or two under emulation.
        cls.addClassCleanup(drop_in(
            {service: "[Unit]\nStartLimitIntervalSec=0\n" for service in installation.SERVICES}))

    def setUp(self):
        super().setUp()
        self.random = random.Random(f"{SEED} {self.id()}")

    def restarted(self, service, old):
        def runs_again():
            state, pid = unit(service, "ActiveState", "MainPID")
            return state == "active" and int(pid) not in (0, old)

        wait_until(runs_again, f"{service} runs again")

    def assert_put_back(self, what):
        with self.subTest(what):
            self.assert_machine_as_before()
            left = JOURNAL.read_text() if JOURNAL.exists() else ""
            self.assertEqual(left.strip(), "", "the journal has something to restore")

    def time_of(self, action):
        began = time.monotonic()
        action()
        return time.monotonic() - began

    @core("core-b")
    def test_half_done_applies(self):
        print(f"seed {SEED}", flush=True)
        whole = self.time_of(lambda: self.machine("apply", "everything"))
        self.machine("restore")
        for number in range(APPLIES):
            moment = self.random.uniform(0, whole)
            client = self.start_client("machine", "apply", "everything", who="ada")
            time.sleep(moment)
            runner = main_pid("benchd-runner.service")
            kill(runner)
            applied = client.process.wait(timeout=e2e_support.TIMEOUT_S) == 0
            self.restarted("benchd-runner.service", runner)
            if applied:  # Too early, so that the next runner was asked, or after the end.
                self.machine("restore")
            self.assert_put_back(f"apply {number}: killed after {moment:.3f} of {whole:.3f} s")

    def test_half_done_restores(self):
        print(f"seed {SEED}", flush=True)
        for number in range(RESTORES):
            self.machine("apply", "everything")
            whole = 0.6
            moment = self.random.uniform(0, whole)
            client = self.start_client("machine", "restore", who="ada")
            time.sleep(moment)
            runner = main_pid("benchd-runner.service")
            kill(runner)
            client.process.wait(timeout=e2e_support.TIMEOUT_S)
            self.restarted("benchd-runner.service", runner)
            self.assert_put_back(f"restore {number}: killed after {moment:.3f} s")

    def test_sessions(self):
        print(f"seed {SEED}", flush=True)
        words = ("compare", "--parse", "lines", "--metric", "n:2%:lower", "--runs", "8",
                 "--machine-profile", "everything", "echo n 1000", "echo n 1000")
        whole = self.time_of(lambda: self.assert_exit(self.benchctl(*words), 0))
        for number in range(SESSIONS):
            service = self.random.choice(installation.SERVICES)
            moment = self.random.uniform(0, whole)
            client = self.start_client(*words)
            time.sleep(moment)
            victim = main_pid(service)
            kill(victim)
            client.finish()
            self.restarted(service, victim)
            self.assert_put_back(
                f"session {number}: {service} killed after {moment:.3f} of {whole:.3f} s")
        self.assert_exit(self.compare(), e2e_support.PASS)

    @core("core-b")
    def test_in_the_middle_of_a_run(self):
        for service in installation.SERVICES:
            gate, client, _ = self.session_at_gate("--machine-profile", "everything")
            victim = main_pid(service)
            kill(victim)
            gate.arrived()  # The session continues.
            self.restarted(service, victim)
            self.finish(gate, client)
            self.assertEqual(e2e_support.wait_for_no_process_with(gate.marker), [])
            self.assert_put_back(service)
            for name in ("arrivals", "open"):
                (self.folder / name).unlink()

    @core("core-b")
    def test_both_at_once(self):
        gate, client, _ = self.session_at_gate("--machine-profile", "everything")
        victims = {service: main_pid(service) for service in installation.SERVICES}
        for pid in victims.values():
            kill(pid)
        for service, pid in victims.items():
            self.restarted(service, pid)
        gate.arrived()
        self.finish(gate, client)
        self.assert_put_back("both")

    @core("core-b")
    def test_who_was_pinned_is_pinned_again(self):
        # Before Linux 6.2, changing a cpuset gives its threads all of its CPUs.
        pinned = subprocess.Popen(["taskset", "--cpu-list", "2", "sleep", "inf"])
        self.addCleanup(pinned.wait)
        self.addCleanup(pinned.kill)
        wait_until(lambda: {2} == os.sched_getaffinity(pinned.pid), "it is pinned")
        self.look()
        self.machine("apply", "everything")
        self.assertNotEqual(os.sched_getaffinity(pinned.pid), {2})
        self.assertRegex(JOURNAL.read_text(), rf"(?m)^thread_cpus\t{pinned.pid}@\d+\t2\t\t")
        runner = main_pid("benchd-runner.service")
        kill(runner)
        self.restarted("benchd-runner.service", runner)
        self.assert_put_back("a pinned thread")
        self.assertEqual(os.sched_getaffinity(pinned.pid), {2})

    @core("core-b")
    def test_a_runner_that_is_not_started_again_leaves_nothing_either(self):
        self.drop_in("benchd-runner.service", "[Service]\nRestart=no\n")
        self.machine("apply", "everything")
        # benchd must not start it, either: it reconnects to the socket once the runner has exited.
        os.kill(main_pid("benchd.service"), signal.SIGSTOP)
        kill(main_pid("benchd-runner.service"))
        wait_until(lambda: unit("benchd-runner.service", "ActiveState") == "failed",
                   "the runner has failed")
        self.assert_given_back_while_stopped()
        kill(main_pid("benchd.service"))
