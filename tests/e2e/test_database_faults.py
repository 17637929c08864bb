"""Faults of the database: each has a clear message, and nothing that was stored is lost."""

import contextlib
import os
import pathlib
import sqlite3
import subprocess
import unittest

from grpc_client import Watcher
from main import main
from support import BIN, PASS, TIMEOUT_S, REFUSED, SYSTEM_SOCKET, DaemonTest
from test_system_mode import STRANGER_UID, copy_programs

LINES = ("--parse", "lines", "--metric", "n:2%:lower")
NEWEST = 99  # a schema of the future
OLDEST_KNOWN = 4  # which benchd converts


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

    def refused_start(self, *words, **popen):
        """Asserts that the start is refused and returns the single error on stderr."""
        done = subprocess.run(
            list(map(str, self.daemon.command())), env=self.daemon.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S,
            cwd=self.folder, **popen)
        self.assertEqual(done.returncode, 1, done)
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        hints = [line for line in done.stderr.splitlines() if line.startswith("hint: ")]
        self.assertEqual((len(errors), len(hints)), (1, 1), done.stderr)
        for word in ("benchd.db", *words):
            self.assertIn(word, errors[0])
        self.assertFalse(self.daemon.socket.exists())
        return errors[0]

    def damaged_files(self):
        return sorted(self.state.glob("benchd.db.damaged-*"))


class DamageTest(FaultTest):
    """A damaged file is set aside and named, never deleted; benchd continues with a new one."""

    def assert_set_aside(self, spoilt):
        self.daemon.start()
        files = self.damaged_files()
        self.assertIn(spoilt, [path.read_bytes() for path in files])
        log = self.daemon.log_text()
        for path in files:
            if path.read_bytes() == spoilt:
                self.assertIn(str(path), log)
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        self.assertEqual(self.benchctl("list", "--all").stdout, "")
        self.assert_unharmed()
        # It is set aside once, not at every start.
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.assertEqual(self.damaged_files(), files)

    def spoil(self, change):
        """Changes the bytes of the database, which has no log any more, and returns them."""
        self.assertFalse(pathlib.Path(f"{self.daemon.database}-wal").exists())
        spoilt = change(self.daemon.database.read_bytes())
        self.daemon.database.write_bytes(spoilt)
        return spoilt

    def test_a_truncated_file(self):
        self.assert_set_aside(self.spoil(lambda data: data[: len(data) // 2]))

    def test_garbage(self):
        self.assert_set_aside(self.spoil(lambda data: bytes(i * 37 % 251 for i in range(8192))))

    def test_garbage_behind_a_good_header(self):
        self.assert_set_aside(self.spoil(lambda data: data[:4096] + b"\xa5" * (len(data) - 4096)))

    def test_two_damaged_files_are_both_kept(self):
        first = self.spoil(lambda data: data[: len(data) // 2])
        self.daemon.start()
        self.assertEqual(self.daemon.stop(), 0)
        second = self.spoil(lambda data: b"no database at all" * 1000)
        self.daemon.start()
        contents = [path.read_bytes() for path in self.damaged_files()]
        self.assertIn(first, contents)
        self.assertIn(second, contents)

    def test_an_empty_file_is_a_new_database(self):
        self.spoil(lambda data: b"")
        self.daemon.start()
        self.assertEqual(self.damaged_files(), [])
        self.assert_unharmed()

    def test_a_write_ahead_log_that_was_cut_off_loses_nothing_that_was_whole(self):
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
        """Restores the previous one."""
        with contextlib.closing(sqlite3.connect(self.daemon.database)) as database:
            before = database.execute("PRAGMA user_version").fetchone()[0]
            database.execute(f"PRAGMA user_version = {version}")
        return before

    def test_another_schema_is_refused_and_left_alone(self):
        version = self.set_version(NEWEST)
        for other in (NEWEST, OLDEST_KNOWN - 1):
            self.set_version(other)
            before = checksum_of(self.state)
            self.refused_start("another version", str(other), str(version))
            self.assertEqual(checksum_of(self.state), before)
        self.set_version(version)
        self.daemon.start()
        self.assertEqual(self.benchctl("export", self.session_id).stdout, self.before)

    def test_another_programs_database_is_refused_and_left_alone(self):
        self.daemon.database.unlink()
        with contextlib.closing(sqlite3.connect(self.daemon.database)) as database:
            database.execute("CREATE TABLE cookies (name TEXT)")
            database.commit()
        before = checksum_of(self.state)
        self.refused_start("another program")
        self.assertEqual(checksum_of(self.state), before)



class LockTest(FaultTest):
    def test_a_database_that_another_process_has_locked_is_refused(self):
        with contextlib.closing(sqlite3.connect(self.daemon.database)) as other:
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
            other.execute("BEGIN EXCLUSIVE")
            self.refused_start("locked")
        self.daemon.start()
        self.assertEqual(self.benchctl("export", self.session_id).stdout, self.before)

    def test_a_lock_while_benchd_runs_refuses_a_submit_and_passes(self):
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


@unittest.skipUnless(os.getuid() == 0, "needs root to be another user")
class ReadOnlyTest(FaultTest):
    """Runs as a user who is subject to permissions, because root can always write."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        copy_programs(self.folder)
        self.refused_start = self.refused_start_of_stranger
        self.give_away(self.state)

    def give_away(self, folder):
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, STRANGER_UID, STRANGER_UID)
        for name in ("run", "state", "config"):
            os.chown(self.folder / name, STRANGER_UID, STRANGER_UID)
        self.daemon.socket = self.folder / "run/benchd.sock"

    def command(self):
        return [self.folder / "bin/benchd", "--user", "--socket", self.daemon.socket,
                *(["--force"] if SYSTEM_SOCKET.exists() else [])]

    def refused_start_of_stranger(self, *words):
        self.daemon.command = self.command
        return super().refused_start(*words, user=STRANGER_UID, group=STRANGER_UID,
                                     extra_groups=[])

    def test_a_file_that_cannot_be_written(self):
        self.daemon.database.chmod(0o400)
        before = checksum_of(self.state)
        os.chown(self.daemon.database, 0, 0)
        self.refused_start("Permission denied")
        self.daemon.database.chmod(0o444)
        self.refused_start("Permission denied")
        self.assertEqual(checksum_of(self.state), before)

    def test_a_folder_that_cannot_be_written(self):
        before = checksum_of(self.state)
        os.chown(self.state, 0, 0)
        self.state.chmod(0o755)
        done = subprocess.run(
            list(map(str, self.command())), env=self.daemon.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S,
            user=STRANGER_UID, group=STRANGER_UID, extra_groups=[], cwd="/")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("error: ", done.stderr)
        self.assertIn("hint: ", done.stderr)
        self.assertEqual({name: data for name, data in checksum_of(self.state).items()}, before)


if __name__ == "__main__":
    main()
