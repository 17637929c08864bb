"""`benchctl calibrate` with several settings: each segment takes and restores its own."""

import os
import signal

import e2e_support
from guest import ADMIN, GuestTest, main_pid, unit, wait_until

# Three settings: ten segments without each of them, and ten with all.
FEW = """
[machine_profile.few]
smt = "leave"
irqs = "leave"
workqueues = "leave"
governor = "performance"
boost = "leave"
energy_preference = "leave"
c_state_latency_us = "leave"
timer_migration = 0
nmi_watchdog = "leave"
"""
TRIAL_S = 900  # forty sessions, each of which changes and restores settings, on an emulated machine


class TrialTest(GuestTest):
    configuration = FEW

    def trial(self, *words, who=ADMIN):
        done = self.benchctl_json("calibrate", *words, "/bin/true", who=who,
                                  timeout=TRIAL_S)
        self.assert_exit(done, 0)
        return done.events

    def test_each_setting_is_off_in_its_own_stretches(self):
        events = self.trial("--each", "--machine-profile", "few")
        self.assertEqual(events[-1]["event"], "setting_trial")
        rows = {row["setting"]: row for row in events[-1]["settings"]}
        self.assertIn("without governor", rows)
        whole = rows["all settings"]
        for name, row in rows.items():
            print(f"    {name}: {row}", flush=True)
            self.assertEqual(row["stretches"], 10)
            if name != "all settings":
                self.assertEqual(row["settings_wanted"], whole["settings_wanted"] - 1, name)
        stretch = next(one for one in events if one.get("setting") == "without governor")
        shown = self.benchctl_json("show", stretch["session"], who=ADMIN).events[-1]
        held = {one["setting"] for one in shown["started"]["isolation"]}
        self.assertNotIn("governor", held)
        self.assertIn("cpuset", held)

    def test_after_kill_9_of_the_runner_everything_is_back(self):
        client = self.start_client("calibrate", "--json", "--each", "--machine-profile", "few",
                                   "/bin/true", who=ADMIN)
        client.until("stretch")
        victim = main_pid("benchd-runner.service")
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: int(unit("benchd-runner.service", "MainPID")) not in (0, victim),
                   "the runner is back")
        client.until("stretch")  # The trial continues.
        client.process.send_signal(signal.SIGINT)
        self.assertEqual(client.finish(), e2e_support.INTERRUPTED)
        self.assertEqual(client.events[-1]["event"], "setting_trial")
        self.assert_machine_as_before()

    def test_leaving_settings_out_is_for_admins(self):
        done = self.benchctl("calibrate", "--each", "/bin/true")
        self.assertEqual(done.code, e2e_support.REFUSED, done)
        self.assertIn("only admins", done.stderr)
