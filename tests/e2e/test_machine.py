"""`benchctl machine` and `benchctl calibrate` with a user daemon, which may change no settings."""

import signal

from main import main
from support import (INTERRUPTED, PASS, TIMEOUT_S, REFUSED, USAGE, DaemonTest, assert_finite)

LINES = ("--parse", "lines", "--metric", "n:2%:lower")


class StatusTest(DaemonTest):
    def test_status_says_that_user_mode_changes_nothing_and_why(self):
        done = self.benchctl_json("machine", "status")
        self.assert_exit(done, 0)
        (status,) = done.events
        self.assertEqual(status["event"], "machine")
        self.assertEqual(status["profile"], "default")
        self.assertNotIn("holder", status)
        self.assertIn("kernel", status["environment"])
        self.assertNotEqual(status["settings"], [])
        for setting in status["settings"]:
            self.assertLessEqual({"setting", "held"}, set(setting))
            if not setting["held"]:
                self.assertTrue(setting.get("why"), setting)
        whys = [setting.get("why", "") for setting in status["settings"]] + status["notes"]
        self.assertTrue(any("user mode" in why for why in whys), whys)
        text = self.benchctl("machine", "status")
        self.assert_exit(text, 0)
        for word in ("setting", "wanted", "why not", "held by", "nobody", "user mode", "kernel"):
            self.assertIn(word, text.stdout)

    def test_every_profile_can_be_asked_for_and_others_are_refused_with_their_names(self):
        strict = self.benchctl_json("machine", "status", "strict")
        self.assert_exit(strict, 0)
        self.assertEqual(strict.events[0]["profile"], "strict")
        for words in (["machine", "status", "fast"], ["machine", "apply", "fast"],
                      ["compare", "--machine-profile", "fast", "true", "true"]):
            with self.subTest(words=words):
                done = self.benchctl(*words)
                self.assert_exit(done, USAGE)
                self.assert_one_error(done, "unknown profile 'fast'", "'default'", "'strict'")

    def test_cpus_outside_the_profile_are_refused_at_once(self):
        done = self.benchctl("compare", "--cpus", "1000", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "cpus: 1000")
        self.assertEqual(self.benchctl("list", "--all").stdout, "")

    def test_apply_is_refused_by_what_the_runner_says(self):
        done = self.benchctl("machine", "apply")
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, "apply", "user mode")
        # There is nothing to restore, which is not an error.
        self.assert_exit(self.benchctl("machine", "restore"), 0)

    def test_during_a_session_status_answers_at_once_and_the_doctor_waits(self):
        gate = self.gate()
        client = self.start_client("compare", *LINES, gate.command, self.values("n:1000:0:0"))
        session = client.until("started")["session"]
        gate.arrived()
        done = self.benchctl_json("machine", "status")
        self.assert_exit(done, 0)
        self.assertEqual(done.events[0]["session"], session)
        self.assertEqual(done.events[0]["holder"], "session")
        doctor = self.start_client("machine", "doctor")
        self.assertEqual(
            self.benchctl_json("show", session).events[0]["state"], "running")
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)
        self.assertEqual(doctor.finish(), 0, doctor.stderr)
        self.assertEqual(doctor.events[0]["event"], "doctor")

    def test_the_doctor_prints_something_and_its_json_parses(self):
        text = self.benchctl("machine", "doctor")
        self.assert_exit(text, 0)
        self.assertTrue(text.stdout.startswith(("1. ", "nothing found")), text)
        done = self.benchctl_json("machine", "doctor")
        self.assert_exit(done, 0)
        assert_finite(self, done.events[0])
        for source in done.events[0]["sources"]:
            self.assertLessEqual({"name", "finding"}, set(source))


class ReserveTest(DaemonTest):
    def reserve(self, duration):
        """A reservation that is active."""
        client = self.start_client("machine", "reserve", "--for", duration)
        while not client.until("reserve")["held"]:
            pass
        return client

    def test_a_session_waits_until_the_reservation_is_given_back(self):
        reservation = self.reserve("1h")
        client = self.start_client(
            "compare", *LINES, self.values("n:1000:0:0"), self.values("n:1000:0:0"))
        session = client.until("queued")["session"]
        # Requests in the meantime are answered.
        self.assert_exit(self.benchctl("machine", "status"), 0)
        self.assertEqual(self.session(session)["state"], "queued")
        reservation.process.send_signal(signal.SIGINT)
        self.assertEqual(reservation.finish(), 0, reservation.stderr)
        self.assertEqual(client.finish(), PASS, client.stderr)

    def test_a_reservation_ends_when_its_time_is_over(self):
        done = self.benchctl("machine", "reserve", "--for", "0.2s")
        self.assert_exit(done, 0)
        self.assertIn("the machine is yours", done.stdout)
        self.assert_unharmed()

    def test_a_killed_client_gives_the_machine_back(self):
        reservation = self.reserve("1h")
        reservation.process.kill()
        reservation.process.wait()
        self.assert_unharmed()

    def test_an_interrupt_while_waiting_is_one(self):
        gate = self.gate()
        client = self.start_client("compare", *LINES, gate.command, self.values("n:1000:0:0"))
        client.until("started")
        gate.arrived()
        reservation = self.start_client("machine", "reserve", "--for", "1m")
        self.assertFalse(reservation.until("reserve")["held"])
        reservation.process.send_signal(signal.SIGINT)
        self.assertEqual(reservation.finish(), INTERRUPTED, reservation.stderr)
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)

    def test_an_hour_is_the_most_and_one_at_a_time(self):
        done = self.benchctl("machine", "reserve", "--for", "61m")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "one hour")
        reservation = self.reserve("1h")
        again = self.benchctl("machine", "reserve", "--for", "1m")
        self.assert_exit(again, REFUSED)
        self.assert_one_error(again, "reserve")
        # A daemon that stops does not wait for it.
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(reservation.finish(), REFUSED, reservation.stderr)


class CalibrateTest(DaemonTest):
    def test_calibrate_prints_both_metrics(self):
        done = self.benchctl("calibrate", "--for", "1s")
        self.assert_exit(done, 0)
        for word in ("wall_time", "cpu_time", "sd / mean", "in a minute"):
            self.assertIn(word, done.stdout, done)

    def test_of_runs_enough_it_tells_what_could_be_seen(self):
        # On a busy machine the default load takes too long for eight blocks.
        done = self.benchctl("calibrate", "--for", "4s", "/bin/true")
        self.assert_exit(done, 0)
        self.assertIn("scaled from", done.stdout, done)

    def test_its_json_ends_with_the_calibration(self):
        done = self.benchctl_json("calibrate", "--for", "4s", "--isolation", "off", "/bin/true")
        self.assert_exit(done, 0)
        calibration = done.events[-1]
        assert_finite(self, calibration)
        self.assertEqual(calibration["event"], "calibration")
        self.assertGreaterEqual(calibration["elapsed_s"], 4)
        self.assertEqual([m["metric"] for m in calibration["metrics"]], ["wall_time", "cpu_time"])
        for metric in calibration["metrics"]:
            self.assertGreater(metric["mean"], 0)
            self.assertGreaterEqual(metric["sd"], 0)
            self.assertGreater(metric["seen"], metric["seen_in_minute"])
        self.assertEqual(done.events[-2]["event"], "verdict")

    def test_an_own_command_may_be_too_slow_for_an_interval(self):
        done = self.benchctl(
            "calibrate", "--for", "0.1s", "sleep 0.2", timeout=TIMEOUT_S)
        self.assert_exit(done, 0)
        self.assertIn("too few runs", done.stdout)


class SettingTrialTest(DaemonTest):
    """A user daemon changes no settings: kinds of isolation differ only in the choice of CPUs."""

    def test_its_json_has_every_stretch_and_ends_with_the_trial(self):
        words = ("calibrate", "--isolation", "off,best-effort,strict", "--seed", "7", "/bin/true")
        done = self.benchctl_json(*words, "--for", "20s")
        if done.code == USAGE:  # On a busy machine ten segments do not fit.
            done = self.benchctl_json(*words, "--for", "3m", timeout=3 * TIMEOUT_S)
        self.assert_exit(done, 0)
        self.assertRegex(done.stderr, r"3 settings, \d+ segments of \d+ runs each, in random order")
        *stretches, trial = done.events
        assert_finite(self, trial)
        self.assertEqual(trial["event"], "setting_trial")
        self.assertEqual(trial["seed"], "7")
        self.assertEqual({one["event"] for one in stretches}, {"stretch"})
        off, best_effort, strict = trial["settings"]
        self.assertEqual((off["setting"], best_effort["setting"]), ("off", "best-effort"))
        self.assertGreaterEqual(off["stretches"], 10)
        self.assertEqual(len(stretches), off["stretches"] + best_effort["stretches"])
        ratio = best_effort["spread_ratio"]
        self.assertLess(ratio["lo"], ratio["hi"])
        self.assertIn(trial["best"], ("off", "best-effort"))
        self.assertEqual(strict["stretches"], 0)
        self.assertIn("strict isolation needs", strict["refused"])
        self.assertIn("user mode", trial["nothing_held"])
        for round_ in range(1, off["stretches"] + 1):
            self.assertEqual(sorted(one["setting"] for one in stretches if one["round"] == round_),
                             ["best-effort", "off"])

    def test_ctrl_c_cancels_the_stretch_and_tells_what_is_known(self):
        client = self.start_client("calibrate", "--json", "--isolation", "off,best-effort",
                                   "--for", "10m", "/bin/true")
        client.until("stretch")
        client.process.send_signal(signal.SIGINT)
        self.assertEqual(client.finish(), INTERRUPTED, client.stderr)
        self.assertEqual(client.events[-1]["event"], "setting_trial")
        states = {one["state"] for one in self.benchctl_json("list", "--all").events}
        self.assertLessEqual(states, {"done", "cancelled"})

    def test_what_cannot_be_tried_is_told_before_anything_runs(self):
        for words, code, what in (
                (("--each", "/bin/true"), REFUSED, "no setting of profile default can be changed here"),
                (("--isolation", "off,strikt", "/bin/true"), USAGE, "strikt"),
                # Twenty segments of forty runs take at least 24 s on any machine.
                (("--isolation", "off,best-effort", "--for", "1s", "sleep 0.03"), USAGE,
                 "do not fit into")):
            done = self.benchctl("calibrate", *words)
            self.assert_exit(done, code)
            self.assert_one_error(done, what)


if __name__ == "__main__":
    main()
