"""A full disk: sessions pause with a warning, and nothing that was stored is lost."""

import errno
import os
import pathlib
import shlex
import shutil
import subprocess
import uuid

from grpc_client import Link, Watcher, session_pb2, two_arms
from main import main
from replay import Replay
from support import PASS, TIMEOUT_S, REFUSED, DaemonTest

LINES = ("--parse", "lines", "--metric", "n:2%:lower")
# Room for the largest write-ahead log.
TMPFS_BYTES = 64 * 2**20


def may_unshare():
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "mount", "-t", "tmpfs", "none", "/mnt"],
        capture_output=True, check=False)
    return done.returncode == 0


class FullDiskTest(Replay, DaemonTest):
    """The state is on a small tmpfs that only the daemon's mount namespace contains."""

    starts_daemon = False

    def setUp(self):
        super().setUp()
        if shutil.which("unshare") is None or not may_unshare():
            self.skipTest("cannot mount a tmpfs in a private mount namespace")
        state = self.folder / "state"
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c",
             f"mount -t tmpfs -o size={TMPFS_BYTES},mode=0700 none {shlex.quote(str(state))} && "
             "echo ready && exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end_holder)
        self.assertEqual(self.holder.stdout.readline(), b"ready\n")
        self.disk = pathlib.Path(f"/proc/{self.holder.pid}/root{state}")
        self.filler = self.disk / "filler"
        self.start_daemon()
        self.link = Link(self.daemon.socket)
        self.addCleanup(self.link.close)

    def start_daemon(self):
        self.daemon.start(["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt",
                           f"--wd={self.folder}", *self.daemon.command()])

    def end_holder(self):
        self.holder.stdin.close()
        self.holder.stdout.close()
        self.holder.wait()

    def fill(self):
        """Fills the disk to the last byte, including space that the daemon frees meanwhile."""
        size = 2**20
        with open(self.filler, "ab", buffering=0) as filler:
            while size > 0:
                try:
                    os.posix_fallocate(filler.fileno(), os.fstat(filler.fileno()).st_size, size)
                except OSError as error:
                    self.assertEqual(error.errno, errno.ENOSPC)
                    size //= 16

    def free_space(self):
        self.filler.unlink()

    def start_session(self, blocks):
        """Starts a session with much output, so that every block needs space."""
        program = self.script(
            "i=0; while [ $i -lt 60 ]; do echo m$i $i.5; i=$((i+1)); done; echo n 1000",
            name="talkative")
        gate = session_pb2.Gate(metric="n", ratio=0.02, better=session_pb2.BETTER_LOWER)
        session = self.link.submit(
            two_arms(program, program, self.folder, [gate], seed=3,
                     limits=session_pb2.Limits(runs=blocks)), str(uuid.uuid4()))
        watcher = Watcher(self.daemon.socket, session)
        self.addCleanup(watcher.close)
        return session, watcher

    @staticmethod
    def paused(watcher):
        event = watcher.events[-1] if watcher.events else None
        return (event is not None and event.WhichOneof("event") == "update"
                and event.update.state == session_pb2.SESSION_STATE_PAUSED)

    @staticmethod
    def running(watcher):
        event = watcher.events[-1]
        return (event.WhichOneof("event") in ("update", "verdict")
                and not FullDiskTest.paused(watcher))

    def pause_by_full_disk(self, blocks=400):
        session, watcher = self.start_session(blocks)
        self.assertTrue(watcher.wait(lambda w: w.seen_runs()))
        while not self.paused(watcher):
            self.assertFalse(watcher.ended(), watcher.events[-1:])
            self.fill()
            watcher.wait(self.paused, timeout=0.05)
        return session, watcher

    def test_a_session_pauses_with_a_warning_and_resumes_when_there_is_space(self):
        session, watcher = self.pause_by_full_disk()
        warnings = {w.code: w.message for w in watcher.events[-1].update.warnings}
        self.assertIn("disk_full", warnings)
        self.assertIn("the disk is full", warnings["disk_full"])
        self.assertEqual(self.session(session)["state"], "paused")
        listed = self.benchctl("list")
        self.assertIn("paused", listed.stdout)
        runs = self.link.runs(session)
        # Meanwhile nothing is measured, and sessions that cannot be stored are refused.
        refused = self.benchctl("submit", *LINES, "echo n 1000", "echo n 1000")
        self.assert_exit(refused, REFUSED)
        self.assertRegex(refused.stderr,
                         "error: .*(the disk|the disk of benchd's state directory) is full")
        self.assertNotIn(".json", refused.stderr)
        self.assertEqual(len(self.link.list_all()), 1)
        self.assertEqual(len(self.link.runs(session)), len(runs))
        self.free_space()
        self.assertTrue(watcher.wait(self.running))
        self.assert_complete(session, watcher, runs)
        self.assert_exit(
            self.benchctl("compare", *LINES, "echo n 1000", "echo n 1000"), PASS)

    def assert_complete(self, session, watcher, before):
        """Asserts that no run is lost or doubled and that the numbers are those of the samples."""
        self.assertEqual(watcher.wait_for_end(2 * TIMEOUT_S).WhichOneof("event"), "verdict")
        runs = self.link.runs(session)
        self.assertEqual([run.started_at for run in runs[: len(before)]],
                         [run.started_at for run in before])
        measured = [(run.block, run.position) for run in runs
                    if run.phase == session_pb2.RUN_PHASE_MEASURED]
        self.assertEqual(measured, [(b, p) for b in range(len(measured) // 2) for p in (0, 1)])
        verdict = self.benchctl_json("watch", session).events[-1]
        self.assertIn("paused", [warning["code"] for warning in verdict["warnings"]])
        self.assert_replayed(verdict)

    def test_a_kill_while_the_disk_is_full_loses_nothing(self):
        session, watcher = self.pause_by_full_disk()
        runs = self.link.runs(session)
        self.daemon.kill()
        self.free_space()
        self.start_daemon()
        self.assert_resumed(session, watcher, runs)

    def assert_resumed(self, session, watcher, before):
        self.assertEqual(watcher.wait_for_end(2 * TIMEOUT_S).WhichOneof("event"), "verdict")
        runs = self.link.runs(session)
        self.assertEqual([run.started_at for run in runs[: len(before)]],
                         [run.started_at for run in before])

    def test_a_start_on_a_full_disk_names_the_cause(self):
        self.assertEqual(self.daemon.stop(), 0)
        database = self.disk / "benchd/benchd.db"
        database.unlink()
        self.fill()
        with open(self.daemon.log, "ab") as log:
            log.truncate(0)
        self.daemon.process = subprocess.Popen(
            ["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt", f"--wd={self.folder}",
             *map(str, self.daemon.command())], env=self.daemon.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        process, self.daemon.process = self.daemon.process, None
        _, stderr = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 1, stderr)
        self.assertIn(b"error: ", stderr)
        self.assertIn(b"the disk is full", stderr)
        self.free_space()
        self.start_daemon()
        self.assert_unharmed()


if __name__ == "__main__":
    main()
