"""State that survives a restart: the queue, the running session, and the clients' view of it."""

import os
import signal
import time

from grpc_client import Link, Watcher, session_pb2
import grpc
from benchd.v1 import machine_pb2, machine_pb2_grpc, queue_pb2
from main import main
from support import (FAILED, PASS, TIMEOUT_S, DaemonTest, wait_for_exit,
                     wait_for_no_process_with)
from test_system_mode import SystemModeTest

LINES = ("--parse", "lines", "--metric", "n:2%:lower")
WARMUP, MEASURED, DROPPED = (session_pb2.RUN_PHASE_WARMUP, session_pb2.RUN_PHASE_MEASURED,
                             session_pb2.RUN_PHASE_DROPPED)


def count(runs, phase):
    return sum(run.phase == phase for run in runs)


class RestartTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.link = Link(self.daemon.socket)
        self.addCleanup(self.link.close)

    def restart(self, how):
        runner = self.daemon.runner_pid()
        if how == signal.SIGKILL:
            self.daemon.kill()
        else:
            self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text())
        self.daemon.start()
        self.assertTrue(wait_for_exit(runner))

    def submit(self, *options):
        done = self.benchctl_json(
            "submit", *LINES, *options, self.values("n:1000:0:0"), self.values("n:1000:0:0"))
        self.assert_exit(done, PASS)
        return done.events[0]["session"]

    def queue(self):
        """The waiting sessions in order of their places."""
        waiting = [entry for entry in self.link.list_all()
                   if entry.state == session_pb2.SESSION_STATE_QUEUED]
        return [entry.session for entry in sorted(waiting, key=lambda e: e.queued.position)]

    def history(self, session):
        return [entry.what for entry in self.link.get(session).history]

    # ---- the queue ----

    def test_queued_sessions_keep_their_place(self):
        for how in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(how=how.name):
                self.link.pause()
                low, first, second = self.submit("--priority", "-1"), self.submit(), self.submit()
                high = self.submit("--priority", "2")
                order = [high, first, second, low]
                self.assertEqual(self.queue(), order)
                self.restart(how)
                self.assertEqual(self.queue(), order)
                # The pause lasts: nothing starts before it is resumed.
                self.assertTrue(self.link.pause().paused)
                self.assertEqual(self.queue(), order)
                self.link.resume()
                watchers = [Watcher(self.daemon.socket, session) for session in order]
                for watcher in watchers:
                    self.addCleanup(watcher.close)
                    self.assertEqual(watcher.wait_for_end().WhichOneof("event"), "verdict")
                started = [self.session(session)["started_at"] for session in order]
                self.assertEqual(started, sorted(started))

    def test_the_running_session_comes_before_the_queue(self):
        for how in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(how=how.name):
                gate = self.gate()
                client = self.start_client(
                    "compare", *LINES, "--priority", "-5", gate.command, self.values("n:1:0:0"))
                running = client.until("started")["session"]
                gate.arrived()
                waiting = self.submit()
                self.restart(how)
                gate.arrived()
                self.assertEqual(self.queue(), [waiting])
                self.assertEqual(self.session(running)["state"], "running")
                self.assert_exit(self.benchctl("cancel", running), 0)
                client.finish()
                self.assert_exit(self.benchctl("watch", waiting), PASS)

    # ---- the running session ----

    def assert_goes_on(self, stop):
        """A session at its gate continues after `stop`: same client, same runs, one warning."""
        gate = self.gate()
        client = self.start_client("compare", *LINES, gate.command, self.values("n:1000:0:0"))
        session = client.until("started")["session"]
        gate.arrived()
        stop()
        gate.arrived()
        gate.open()
        self.assertEqual(client.finish(), PASS, f"{client.stderr}\n{self.daemon.log_text()}")
        verdict = client.events[-1]
        self.assertEqual(verdict["event"], "verdict")
        self.assertIn("interrupted", [warning["code"] for warning in verdict["warnings"]])
        runs = self.link.runs(session)
        self.assertEqual((count(runs, WARMUP), count(runs, MEASURED)), (2, 16))
        self.assertEqual(wait_for_no_process_with(gate.marker), [])
        return session

    def test_a_session_goes_on_after_sigterm(self):
        session = self.assert_goes_on(lambda: self.restart(signal.SIGTERM))
        self.assertTrue(any("interrupted" in what for what in self.history(session)),
                        self.history(session))

    def test_a_session_goes_on_after_kill(self):
        session = self.assert_goes_on(lambda: self.restart(signal.SIGKILL))
        history = self.history(session)
        self.assertRegex(history[0], rf"submitted by uid {os.getuid()} \(pid \d+\)")

    def test_a_call_that_waits_for_a_hung_runner_does_not_keep_benchd(self):
        os.kill(self.daemon.runner_pid(), signal.SIGSTOP)
        machine = machine_pb2_grpc.MachineServiceStub(self.link.channel)
        call = machine.Get.future(machine_pb2.GetMachineRequest())
        self.link.call(self.link.queue.Get, queue_pb2.GetQueueRequest())  # returns after it
        began = time.monotonic()
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text())
        # After TimeoutStopSec= of benchd.service systemd would kill it.
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(call.code(), grpc.StatusCode.UNAVAILABLE, call.details())

    def test_a_session_goes_on_with_a_fresh_runner(self):
        runner = self.daemon.runner_pid()
        self.assert_goes_on(lambda: os.kill(runner, signal.SIGKILL))
        self.assertNotEqual(self.daemon.runner_pid(), runner)

    def test_a_watcher_sees_a_snapshot_then_goes_on(self):
        gate = self.gate()
        # Eight pairs pass and are reported; the run of the ninth pair waits.
        session = self.benchctl_json(
            "submit", *LINES, "--runs", "20", gate.command, "echo n 1000").events[0]["session"]
        watcher = Watcher(self.daemon.socket, session)
        self.addCleanup(watcher.close)
        gate.let_pass(9)  # including one of the warm-up
        before = len(watcher.events)
        self.restart(signal.SIGKILL)
        gate.arrived()
        self.assertTrue(watcher.wait(lambda w: len(w.events) > before))
        gate.open()
        self.assertEqual(watcher.wait_for_end().WhichOneof("event"), "verdict")
        counts = [sum(entry.runs for entry in event.update.runs) for event in watcher.events
                  if event.WhichOneof("event") == "update"]
        self.assertEqual(counts, sorted(counts), "a restart withdrew reported runs")
        self.assertGreater(watcher.streams, 1)

    def test_an_interrupted_block_is_kept_as_dropped_and_repeated(self):
        gate = self.gate()
        starts = self.folder / "starts"
        # Runs of a second are stored one by one: two of the warm-up, one of the first block. The
        # second run of that block never ends.
        program = self.script(
            f'echo >>"{starts}"; n=$(wc -l <"{starts}")\n'
            f'if [ $n -le 3 ]; then sleep 1.1; elif [ $n = 4 ]; then exec {gate.command}; fi\n'
            "echo n 1000", name="slow-at-first")
        session = self.benchctl_json("submit", *LINES, program, program).events[0]["session"]
        gate.arrived()
        self.assertEqual(count(self.link.runs(session), MEASURED), 1)
        self.restart(signal.SIGKILL)
        self.assert_exit(self.benchctl("watch", session), PASS)
        runs = self.link.runs(session)
        self.assertEqual((count(runs, WARMUP), count(runs, DROPPED)), (2, 1))
        dropped = next(run for run in runs if run.phase == DROPPED)
        again = [run for run in runs if run.phase == MEASURED and run.block == 0]
        self.assertEqual((dropped.block, dropped.position), (0, 0))
        self.assertEqual([run.position for run in again], [0, 1])
        self.assertEqual(dropped.arm, again[0].arm)
        # The table for statistics omits it; the full export includes it.
        self.assertEqual(self.benchctl("export", session).stdout.count("\n"), 1 + 16)
        exported = self.benchctl_json("export", session, "--with-warmup").events[0]
        self.assertEqual([run["phase"] for run in exported["runs"]].count("dropped"), 1)

    def test_a_cancel_that_was_answered_survives_kill(self):
        gate = self.gate()
        client = self.start_client("compare", *LINES, gate.command, self.values("n:1:0:0"))
        running = client.until("started")["session"]
        gate.arrived()
        waiting = self.submit()
        for session in (waiting, running):
            self.assert_exit(self.benchctl("cancel", session), 0)
        self.daemon.kill()
        self.daemon.start()
        for session in (waiting, running):
            self.assertEqual(self.session(session)["state"], "cancelled")

    def test_environment_values_are_gone_after_a_restart_that_ends_the_session(self):
        secret = "correct-horse-battery-staple"
        gate = self.gate()
        client = self.start_client(
            "compare", *LINES, "--env", f"PASSWORD={secret}", gate.command,
            self.script(f'[ "$PASSWORD" = {secret[:7]}{secret[7:]} ] && echo n 1000', name="asks"))
        client.until("started")
        gate.arrived()
        self.restart(signal.SIGKILL)
        gate.arrived()
        gate.open()
        # After the restart the runs have the values of the submission.
        self.assertEqual(client.finish(), PASS, client.stderr)
        self.assertEqual(self.daemon.stop(), 0)
        for file in (self.folder / "state").rglob("*"):
            if file.is_file():
                self.assertNotIn(secret.encode(), file.read_bytes(), file)


class AnotherMachineTest(SystemModeTest):
    """The runner reads the machine's properties below a folder of the test."""

    FACTS = {"proc/sys/kernel/osrelease": "6.1.0-one\n",
             "proc/sys/kernel/random/boot_id": "11111111-0000-0000-0000-000000000000\n",
             "proc/cpuinfo": "model name\t: A CPU\nmicrocode\t: 0x1\n"}

    def setUp(self):
        super().setUp()
        self.link = Link(self.daemon.socket)
        self.addCleanup(self.link.close)

    def start_runner(self):
        for path, text in self.FACTS.items():
            file = self.kernel_tree / path
            if not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        super().start_runner()

    def interrupted_by(self, path, text):
        """A session at its gate, after benchd and runner were stopped and the machine changed."""
        gate, client, session = self.waiting_session()
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text())
        self.stop_runner()
        (self.kernel_tree / path).write_text(text)
        self.start_runner()
        self.start_daemon()
        return gate, client, session

    def test_another_kernel_fails_by_name(self):
        for path, text, word in [
            ("proc/sys/kernel/osrelease", "6.1.0-two\n", "kernel"),
            ("proc/cpuinfo", "model name\t: Another CPU\nmicrocode\t: 0x1\n", "cpu"),
            ("proc/cpuinfo", "model name\t: Another CPU\nmicrocode\t: 0x2\n", "microcode"),
        ]:
            with self.subTest(fact=word):
                gate, client, _ = self.interrupted_by(path, text)
                self.assertEqual(client.finish(), FAILED, client.stderr)
                error = client.events[-1]["error"]
                for part in (word, "has changed from", " to "):
                    self.assertIn(part, error)
                self.assertEqual(wait_for_no_process_with(gate.marker), [])

    def warmups_after(self, path, text):
        gate, client, session = self.interrupted_by(path, text)
        gate.arrived()
        gate.open()
        self.assertEqual(client.finish(timeout=TIMEOUT_S), PASS, client.stderr)
        return count(self.link.runs(session), WARMUP)

    def waiting_session(self):
        """As in the base class, but the first measured run waits at the gate."""
        gate, client, session = super().waiting_session()
        gate.open(runs=1)
        gate.arrived()
        return gate, client, session

    def test_another_boot_warms_up_again(self):
        boot_id = "proc/sys/kernel/random/boot_id"
        self.assertEqual(self.warmups_after(boot_id, "2" * 36 + "\n"), 4)
        self.assertEqual(self.warmups_after("proc/uptime", "1.00 1.00\n"), 2)


if __name__ == "__main__":
    main()
