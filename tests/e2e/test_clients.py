"""Several clients, clients that disconnect, and daemons that clients start."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess

from main import main
from support import (BIN, CANCELLED, INTERRUPTED, PASS, REFUSED, REGRESSION, SYSTEM_SOCKET,
                     USAGE, DaemonTest, wait_for_exit, wait_for_no_process_with)

LINES = ("--parse", "lines", "--metric", "n:2%:lower")


class ClientTest(DaemonTest):
    def start_at_gate(self):
        """A session whose first run waits at a gate: gate, client, id."""
        gate = self.gate()
        client = self.start_client("compare", *LINES, gate.command, self.values("n:1000:0:0"))
        started = client.until("started")
        gate.arrived()
        return gate, client, started["session"]

    def state(self, session):
        listed = self.benchctl_json("list", "--all")
        self.assert_exit(listed, 0)
        states = [entry["state"] for entry in listed.events if entry["session"] == session]
        self.assertEqual(len(states), 1, listed)
        return states[0]

    # ---- the queue ----

    def test_the_second_of_two_sessions_waits_sees_its_place_and_runs_after(self):
        gate, first, first_id = self.start_at_gate()
        second = self.start_client(
            "compare", *LINES, self.values("n:1000:0:0"), self.values("n:1100:0:0"))
        queued = second.until("queued")
        self.assertEqual(queued["position"], 1)
        third = self.start_client(
            "compare", *LINES, self.values("n:1000:0:0"), self.values("n:1000:0:0"))
        self.assertEqual(third.until("queued")["position"], 2)
        self.assertEqual(self.state(queued["session"]), "queued")
        self.assertEqual(self.state(first_id), "running")
        gate.open()
        self.assertEqual(first.finish(), PASS, first.stderr)
        self.assertEqual(second.finish(), REGRESSION, second.stderr)
        self.assertEqual(third.finish(), PASS, third.stderr)

        # Use the daemon's record: events carry the time at which each watcher received them.
        def time_of(client, moment):
            session = client.events[-1]["session"]
            seconds, _, fraction = self.benchctl_json("show", session).events[0][moment].partition(".")
            return seconds.rstrip("Z"), float("0." + fraction.rstrip("Z"))

        self.assertLessEqual(time_of(first, "ended_at"), time_of(second, "started_at"))
        self.assertLessEqual(time_of(second, "ended_at"), time_of(third, "started_at"))

    def test_submit_answers_at_once_and_watch_ends_with_the_verdict(self):
        done = self.benchctl_json(
            "submit", *LINES, self.values("n:1000:0:0"), self.values("n:1100:0:0"))
        self.assert_exit(done, 0)
        session = done.events[0]["session"]
        watched = self.benchctl_json("watch", session)
        self.assert_exit(watched, REGRESSION)
        self.assertEqual(watched.events[-1]["event"], "verdict")
        # Watching an ended session returns the same events again.
        again = self.benchctl_json("watch", session)
        self.assert_exit(again, REGRESSION)
        self.assertEqual(again.events[-1]["comparisons"], watched.events[-1]["comparisons"])

    def test_an_id_may_be_shortened_to_a_unique_prefix(self):
        done = self.benchctl_json(
            "compare", *LINES, self.values("n:1000:0:0"), self.values("n:1000:0:0"))
        session = done.events[-1]["session"]
        shown = self.benchctl_json("show", session[:4])
        self.assert_exit(shown, 0)
        self.assertEqual(shown.events[0]["session"], session)

    def test_sessions_survive_the_daemon(self):
        done = self.benchctl_json(
            "compare", *LINES, self.values("n:1000:0:0"), self.values("n:1000:0:0"))
        session = done.events[-1]["session"]
        before = self.benchctl("export", session, "--format", "csv")
        self.assert_exit(before, 0)
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.assertEqual(self.state(session), "done")
        after = self.benchctl("export", session, "--format", "csv")
        self.assertEqual(after.stdout, before.stdout)

    # ---- cancelling ----

    def test_cancel_ends_a_running_session_and_its_processes(self):
        gate, client, session = self.start_at_gate()
        self.assert_exit(self.benchctl("cancel", session), 0)
        # cancel returns after the children have exited, so there is no need to wait.
        self.assertEqual(wait_for_no_process_with(gate.marker, timeout=0), [])
        self.assertEqual(client.finish(), CANCELLED, client.stderr)
        self.assertEqual(client.events[-1]["event"], "cancelled")
        self.assertIn(str(os.getuid()), client.events[-1]["by"])

    def test_cancel_ends_a_queued_session(self):
        gate, first, _ = self.start_at_gate()
        second = self.start_client("compare", *LINES, gate.command, self.values("n:1000:0:0"))
        queued = second.until("queued")
        self.assert_exit(self.benchctl("cancel", queued["session"]), 0)
        self.assertEqual(second.finish(), CANCELLED, second.stderr)
        gate.open()
        self.assertEqual(first.finish(), PASS)

    def test_interrupting_compare_cancels_its_session_and_leaves_no_process(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                gate, client, session = self.start_at_gate()
                client.process.send_signal(number)
                self.assertEqual(client.finish(), INTERRUPTED, client.stderr)
                self.assertEqual(wait_for_no_process_with(gate.marker), [])
                self.assertEqual(self.state(session), "cancelled")
                for name in ("arrivals", "open"):
                    (self.folder / name).unlink()

    def test_who_ends_a_job_may_say_so_twice(self):
        """Slurm signals every process, and the process that it started forwards the signal."""
        gate, client, session = self.start_at_gate()
        daemon = self.daemon.process
        daemon.send_signal(signal.SIGSTOP)  # no cancellation before the second signal
        try:
            for _ in range(2):
                client.process.send_signal(signal.SIGTERM)
                self.await_delivery(client.process.pid, signal.SIGTERM)
        finally:
            daemon.send_signal(signal.SIGCONT)
        self.assertEqual(client.finish(), INTERRUPTED, client.stderr)
        self.assertEqual(wait_for_no_process_with(gate.marker), [])
        self.assertEqual(self.state(session), "cancelled")

    @staticmethod
    def await_delivery(pid, number):
        """Waits until the process has received the signal or has exited."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            while True:
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
                pending = int(re.search(r"ShdPnd:\s*(\w+)", status)[1], 16)
                if not pending >> (number - 1) & 1:
                    return
                os.sched_yield()

    def test_an_interrupted_compare_says_what_is_known_so_far(self):
        undecided = ("--margin", "2%", self.values("n:1000:1"), self.values("n:1000:1"))
        with subprocess.Popen(
                [BIN / "benchctl", "compare", *undecided], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder,
                env=self.client_environment()) as client:
            said = ""
            while "running: " not in said:
                said += client.stderr.readline()
            client.send_signal(signal.SIGINT)
            said += client.stderr.read()
            self.assertEqual(client.wait(), INTERRUPTED, said)
        self.assertRegex(said, r"cancelled\nbenchctl: no verdict: [0-9]+ runs? each, change ")

    # ---- commands without an ID ----

    def test_without_an_id_the_newest_session_is_meant(self):
        none = self.benchctl("show")
        self.assert_exit(none, USAGE)
        self.assert_one_error(none, "you have none yet")
        for seed in (1, 2):
            self.assert_exit(self.benchctl(
                "compare", *LINES, self.values("n:1000:0:0", seed=seed), self.values("n:1000:0:0")),
                PASS)
        newest = self.benchctl_json("list", "--all").events[0]["session"]
        self.assertEqual(self.benchctl_json("show").events[0]["session"], newest)
        self.assertEqual(self.benchctl_json("watch").events[-1]["session"], newest)
        self.assertEqual(self.benchctl("export").stdout, self.benchctl("export", newest).stdout)

    def test_show_output_prints_what_the_runs_wrote(self):
        done = self.benchctl("compare", "--show-output", *LINES,
                             "sh -c 'echo n 1000; echo err >&2'", "echo n 1000")
        self.assert_exit(done, PASS)
        for block in (0, 7):
            self.assertIn(f"== base, block {block}\nn 1000\nerr\n", done.stderr)
            self.assertIn(f"== candidate, block {block}\nn 1000\n", done.stderr)
        self.assertNotIn("== ", done.stdout)

    # ---- clients that disconnect ----

    def test_a_client_that_is_killed_leaves_its_session_running(self):
        gate, client, session = self.start_at_gate()
        client.process.kill()
        client.process.wait()
        self.assertEqual(self.state(session), "running")
        watcher = self.start_client("watch", session)
        watcher.until("started")
        gate.open()
        self.assertEqual(watcher.finish(), PASS, watcher.stderr)
        self.assertEqual(watcher.events[-1]["event"], "verdict")

    def test_a_client_that_is_hung_up_leaves_its_session_running(self):
        gate, client, session = self.start_at_gate()
        client.process.send_signal(signal.SIGHUP)
        client.finish()
        self.assertEqual(self.state(session), "running")
        gate.open()
        self.assert_exit(self.benchctl("watch", session), PASS)

    def test_stopping_watch_does_not_cancel_the_session(self):
        gate, _, session = self.start_at_gate()
        watcher = self.start_client("watch", session)
        watcher.until("started")
        watcher.process.send_signal(signal.SIGINT)
        self.assertEqual(watcher.finish(), INTERRUPTED, watcher.stderr)
        self.assertEqual(self.state(session), "running")
        gate.open()
        self.assert_exit(self.benchctl("watch", session), PASS)

    def test_a_reader_that_stops_reading_does_not_hold_up_the_session(self):
        # Its stdout is a pipe that is not read until the session has ended.
        done = self.start_client(
            "compare", *LINES, "--method", "fixed", "--runs", "300",
            self.values("n:1000:0:0"), self.values("n:1000:0:0"))
        session = done.until("started")["session"]
        done.process.send_signal(signal.SIGSTOP)
        self.assert_exit(self.benchctl("watch", session), PASS)
        done.process.send_signal(signal.SIGCONT)
        self.assertEqual(done.finish(), PASS)
        self.assertEqual(done.events[-1]["event"], "verdict")

    # ---- the end of the daemon ----

    def test_a_client_leaves_when_its_daemon_does_not_come_back(self):
        gate, client, session = self.start_at_gate()
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(wait_for_no_process_with(gate.marker), [])
        self.assertEqual(client.finish(), REFUSED, client.stderr)
        self.assertIn(f"benchctl watch {session}", client.stderr)
        self.daemon.start()
        self.assert_exit(self.benchctl("cancel", session), PASS)

    def test_a_dead_socket_is_an_error_that_says_what_to_do(self):
        self.daemon.stop()
        done = self.benchctl("list")
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, str(self.daemon.socket))


class AutostartTest(DaemonTest):
    starts_daemon = False

    def setUp(self):
        super().setUp()
        if SYSTEM_SOCKET.exists():
            self.skipTest(f"a system daemon has its socket at {SYSTEM_SOCKET}")

    def run_without_socket(self, *words):
        return self.benchctl(*words, environment=self.client_environment_without_socket())

    def client_environment_without_socket(self):
        environment = self.client_environment()
        del environment["BENCHD_SOCKET"]
        return environment

    def test_benchctl_starts_a_user_daemon_and_says_so(self):
        done = self.run_without_socket(
            "compare", *LINES, self.values("n:1000:0:0"), self.values("n:1000:0:0"))
        self.assert_exit(done, PASS)
        self.assertIn("benchd --user", done.stderr)
        socket = self.folder / "run/benchd/benchd.sock"
        self.assertTrue(socket.is_socket())
        self.assertEqual(socket.stat().st_mode & 0o777, 0o600)
        self.assertEqual(socket.parent.stat().st_mode & 0o777, 0o700)
        self.assertTrue((self.folder / "state/benchd/benchd.db").exists())
        # The second client finds the daemon of the first.
        version = self.run_without_socket("version", "--json")
        self.assert_exit(version, 0)
        self.assertEqual(version.stderr, "")
        pid = int(re.search(r'"pid": ?(\d+)', version.stdout).group(1))
        self.assertEqual(os.readlink(f"/proc/{pid}/exe"), os.path.realpath(BIN / "benchd"))
        os.kill(pid, signal.SIGTERM)
        self.assertTrue(wait_for_exit(pid))
        self.assertFalse(socket.exists())

    def pid_of_daemon(self):
        version = self.run_without_socket("version", "--json", "--no-autostart")
        self.assert_exit(version, 0)
        return int(re.search(r'"pid": ?(\d+)', version.stdout).group(1))

    def test_a_daemon_that_is_killed_is_started_again_by_those_who_watch(self):
        gate = self.gate()
        client = self.start_client("compare", *LINES, gate.command, gate.command,
                                   environment=self.client_environment_without_socket())
        gate.arrived()
        first = self.pid_of_daemon()
        os.kill(first, signal.SIGKILL)
        self.assertTrue(wait_for_exit(first))
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)
        self.assertIn("starting it again", client.stderr)
        second = self.pid_of_daemon()
        self.assertNotEqual(first, second)
        os.kill(second, signal.SIGTERM)
        self.assertTrue(wait_for_exit(second))

    def test_no_autostart_forbids_it(self):
        done = self.run_without_socket("list", "--no-autostart")
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done)
        self.assertFalse((self.folder / "run/benchd").exists())


if __name__ == "__main__":
    main()
