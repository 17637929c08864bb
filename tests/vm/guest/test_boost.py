"""Tests with the amd-pstate driver, which has cpufreq/boost."""

import os
import pathlib
import signal

import e2e_support
from guest import ABSENT, GuestTest, main_pid, read, unit, wait_until

BOOST = pathlib.Path("/sys/devices/system/cpu/cpufreq/boost")
GOVERNOR = pathlib.Path("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor")


def has_boost():
    """Since Linux 6.9, amd-pstate asks the processor, and the emulated one says no. The file is there
    nevertheless, and refuses 1."""
    try:
        BOOST.write_text("1")
    except OSError:
        return False
    return True


class BoostTest(GuestTest):
    def setUp(self):
        if not has_boost():
            self.skipTest(f"{ABSENT}boost, by its kernel")
        super().setUp()

    def test_boost_is_switched_off_while_a_session_runs(self):
        self.assertEqual(read(BOOST), "1")
        gate, client, started = self.session_at_gate()
        self.assertEqual(read(BOOST), "0")
        self.assertEqual(read(GOVERNOR), "performance")
        self.assert_held(started, "boost", "governor")
        self.finish(gate, client)
        self.assert_machine_as_before()
        self.assertEqual(read(BOOST), "1")

    def test_a_killed_runner_switches_it_on_again(self):
        gate, client, started = self.session_at_gate()
        self.assertEqual(read(BOOST), "0")
        victim = main_pid("benchd-runner.service")
        os.kill(victim, signal.SIGKILL)
        gate.arrived()  # The session continues with the next runner.
        self.assertEqual(read(BOOST), "0")
        self.assert_exit(self.benchctl("cancel", started["session"]), 0)
        self.assertEqual(client.finish(), e2e_support.CANCELLED)
        wait_until(lambda: unit("benchd-runner.service", "ActiveState") == "active"
                   and main_pid("benchd-runner.service") != victim, "the runner runs again")
        self.assert_machine_as_before()


class SmtTest(GuestTest):
    def test_smt_that_cannot_be_switched_is_told(self):
        done = self.compare("--runs", "8")
        self.assert_exit(done, e2e_support.PASS)
        started = next(one for one in done.events if one["event"] == "started")
        for one in started["isolation"]:
            self.assertTrue(one["held"] or one.get("why"), one)
