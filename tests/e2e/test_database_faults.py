"""Faults of the database: each has a clear message, and nothing that was stored is lost.

One path per kind of fault, through the programs; tests/store has all cases.
"""

import contextlib
import pathlib
import sqlite3
import subprocess

from grpc_client import Watcher
from main import main
from support import BIN, PASS, TIMEOUT_S, REFUSED, SYSTEM_SOCKET, DaemonTest

LINES = ("--parse", "lines", "--metric", "n:2%:lower")
FUTURE_SCHEMA = 99


def checksum_of(folder):
    """The content of every file by name, except locks."""
    return {path.name: path.read_bytes() for path in folder.iterdir()
            if path.is_file() and path.suffix not in (".lock", ".db-shm")}


class FaultTest(DaemonTest):
    """Provides a database with one session and a stopped daemon, to be damaged by tests."""

    starts_daemon = False

    def setUp(self):
        super().setUp()
        self.daemon.start()
        self.session_id = self.compare()
        self.before = self.benchctl("export", self.session_id).stdout
        self.assertEqual(self.daemon.stop(), 0)
        self.state = self.daemon.database.parent

    def compare(self):
        done = self.benchctl_json(
            "compare", *LINES, self.values("n:1000:1"), self.values("n:1000:1"))
        self.assert_exit(done, PASS)
        return done.events[-1]["session"]

    def damaged_files(self):
        return sorted(self.state.glob("benchd.db.damaged-*"))


class DamageTest(FaultTest):
    """A damaged file is set aside and named, never deleted; benchd continues with a new one."""

    def test_a_damaged_file_is_set_aside_once(self):
        # A clean stop leaves no log.
        self.assertFalse(pathlib.Path(f"{self.daemon.database}-wal").exists())
        whole = self.daemon.database.read_bytes()
        damaged = whole[: len(whole) // 2]
        self.daemon.database.write_bytes(damaged)
        self.daemon.start()
        files = self.damaged_files()  # perhaps with the index that SQLite creates
        [aside] = [path for path in files if path.read_bytes() == damaged]
        self.assertIn(str(aside), self.daemon.log_text())
        for path in files:
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        self.assertEqual(self.benchctl("list", "--all").stdout, "")
        self.assert_unharmed()
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.assertEqual(self.damaged_files(), files)

    def test_a_truncated_write_ahead_log_loses_no_complete_commit(self):
        # kill -9 leaves the log; its last bytes did not reach the disk. benchd moves the log into
        # the file only after a session, so a running one has everything in the log.
        self.daemon.start()
        program = self.script("sleep 0.02; echo n 1000")
        late = self.benchctl_json(
            "submit", *LINES, "--runs", "30", program, program).events[0]["session"]
        watcher = Watcher(self.daemon.socket, late)
        self.addCleanup(watcher.close)
        self.assertTrue(watcher.wait(lambda w: w.seen_runs()))
        self.daemon.kill()
        log = pathlib.Path(f"{self.daemon.database}-wal")
        data = log.read_bytes()
        log.write_bytes(data[:-100])
        self.daemon.start()
        self.assertEqual(self.damaged_files(), [])
        self.assertEqual(self.benchctl("export", self.session_id).stdout, self.before)
        self.assertIn(self.session(late)["state"], ("done", "running", "preparing"))
        self.assert_exit(self.benchctl("watch", late), PASS)


class VersionTest(FaultTest):
    def set_version(self, version):
        """Returns the previous version."""
        with contextlib.closing(sqlite3.connect(self.daemon.database)) as database:
            before = database.execute("PRAGMA user_version").fetchone()[0]
            database.execute(f"PRAGMA user_version = {version}")
        return before

    def test_another_schema_is_refused_and_left_unchanged(self):
        version = self.set_version(FUTURE_SCHEMA)
        before = checksum_of(self.state)
        done = subprocess.run(
            list(map(str, self.daemon.command())), env=self.daemon.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S,
            cwd=self.folder)
        self.assertEqual(done.returncode, 1, done)
        [error] = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        [_] = [line for line in done.stderr.splitlines() if line.startswith("hint: ")]
        for word in ("benchd.db", "another version", str(FUTURE_SCHEMA), str(version)):
            self.assertIn(word, error)
        self.assertFalse(self.daemon.socket.exists())
        self.assertEqual(checksum_of(self.state), before)
        self.set_version(version)
        self.daemon.start()
        self.assertEqual(self.benchctl("export", self.session_id).stdout, self.before)


class LockTest(FaultTest):
    def test_a_submission_is_refused_only_while_another_process_holds_the_lock(self):
        self.daemon.start()
        words = ("submit", *LINES, self.values("n:1000:1"), self.values("n:1000:1"))
        other = sqlite3.connect(self.daemon.database, isolation_level=None)
        with contextlib.closing(other):
            other.execute("BEGIN IMMEDIATE")
            done = self.benchctl(*words)
            self.assert_exit(done, REFUSED)
            self.assert_one_error(done, "locked")
            # Requests without a write are answered, and no partial session exists.
            self.assertEqual(len(self.benchctl_json("list", "--all").events), 1)
            other.execute("ROLLBACK")
        self.assert_exit(self.benchctl(*words), PASS)

    def test_two_daemons_never_share_a_database(self):
        self.daemon.start()
        done = subprocess.run(
            [BIN / "benchd", "--user", "--socket", self.folder / "other.sock",
             *(["--force"] if SYSTEM_SOCKET.exists() else [])],
            env=self.daemon.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(f"pid {self.daemon.pid}", done.stderr)
        self.assert_unharmed()


if __name__ == "__main__":
    main()
