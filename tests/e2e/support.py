"""A private benchd for each test, and benchctl to use with it.

Everything is in one temporary folder. The test process is a subreaper: a process that a daemon, a
runner or a client leaves behind becomes its child, is found when the daemon has ended, and fails
the test. No process is ended by name.
"""

import atexit
import json
import math
import os
import pathlib
import select
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from processes import (GONE_S, all_pids, assert_unlocked, become_subreaper,  # noqa: F401
                       children_of, end_children_left, memory_of, name_of, processes_with,
                       wait_for_exit, wait_for_no_process_with)

try:
    from json_schema import check as check_line
except ImportError:  # no python3-jsonschema, or a guest of tests/vm, which has no schema
    def check_line(_line):
        pass


def _for_all_users(folder, pattern="*"):
    """The folder, or a copy if only root can reach it, as in a checkout below /root."""
    folder = pathlib.Path(folder).resolve()
    closed = any(not above.stat().st_mode & 0o001 for above in (folder, *folder.parents)
                 if above.exists())
    if os.geteuid() != 0 or not closed or not folder.exists():
        return folder
    copy = pathlib.Path(tempfile.mkdtemp(prefix="benchd-e2e-bin-", dir="/tmp"))
    atexit.register(shutil.rmtree, copy)
    copy.chmod(0o755)
    for file in folder.glob(pattern):
        shutil.copy(file, copy)
    return copy


# Only benchd's own programs: the same folder contains the unit tests.
BIN = _for_all_users(os.environ["BENCHD_BIN_DIR"], "bench*")
PROGRAMS = _for_all_users(os.environ["BENCHD_TEST_PROGRAMS"])
SYSTEM_SOCKET = pathlib.Path("/run/benchd/benchd.sock")

# A client that takes longer hangs. No test comes near this limit, even on a busy machine.
TIMEOUT_S = 120

PASS, REGRESSION, USAGE, UNDECIDED, FAILED, REFUSED, CANCELLED = range(7)
OUTPUT = 74
INTERRUPTED = 130


def as_user(words, popen):
    """Arguments of setpriv for the user, group and extra_groups that it removes from `popen`.

    Popen(user=...) forks where it otherwise uses vfork, and gRPC's fork handler may wait forever
    for the threads of an open channel.
    """
    words = [str(word) for word in words]
    user, group, groups = (popen.pop(name, None) for name in ("user", "group", "extra_groups"))
    if user is None and group is None and groups is None:
        return words
    prefix = ["setpriv"]
    if user is not None:
        prefix += [f"--reuid={user}"]
    if group is not None:
        prefix += [f"--regid={group}"]
    if groups is None:
        prefix += ["--keep-groups"]
    elif groups:
        prefix += ["--groups=" + ",".join(map(str, groups))]
    else:
        prefix += ["--clear-groups"]
    return prefix + ["--", *words]


def read_line(line):
    """Reads one line of `--json` and checks it against the schema."""
    read = json.loads(line)
    check_line(read)
    return read


class Completed:
    """A benchctl that has exited."""

    def __init__(self, code, stdout, stderr, seconds):
        self.code = code
        self.stdout = stdout
        self.stderr = stderr
        self.seconds = seconds

    @property
    def events(self):
        """The objects of `--json`, one per line."""
        return [read_line(line) for line in self.stdout.splitlines()]

    def __repr__(self):
        return f"exit code {self.code} after {self.seconds:.1f} s\n{self.stdout}\n{self.stderr}"


class Client:
    """A benchctl --json that is still running."""

    def __init__(self, process, stderr_path):
        self.process = process
        self._stderr_path = stderr_path
        self._buffer = b""
        self.events = []

    def _line(self, deadline):
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise AssertionError(f"no event in time; so far: {self.events}\n{self.stderr}")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def next(self, timeout=TIMEOUT_S):
        """The next event of any name."""
        line = self._line(time.monotonic() + timeout)
        if line is None:
            raise AssertionError(f"ended: {self.events}\n{self.stderr}")
        self.events.append(read_line(line))
        return self.events[-1]

    def until(self, event, timeout=TIMEOUT_S):
        """The next event of that name."""
        deadline = time.monotonic() + timeout
        while True:
            found = self.next(deadline - time.monotonic())
            if found["event"] == event:
                return found

    def finish(self, timeout=TIMEOUT_S):
        """Reads to the end and returns the exit code."""
        deadline = time.monotonic() + timeout
        while (line := self._line(deadline)) is not None:
            self.events.append(read_line(line))
        return self.process.wait(timeout=max(1, deadline - time.monotonic()))

    @property
    def stderr(self):
        return self._stderr_path.read_text(errors="replace")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Daemon:
    """A `benchd` for this test alone; see start()."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.socket = self.folder / "benchd.sock"
        self.log = self.folder / "benchd.log"
        self.process = None
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
        }
        for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        for name in ("run", "state", "config"):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)

    def start(self, command=None, **popen):
        """Starts it and waits until it reports READY=1."""
        notify_path = self.folder / "notify"
        notify_path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(str(notify_path))
            notify_path.chmod(0o666)
            self.spawn(command, notify_path, **popen)
            self._wait_until_ready(notify)
        return self

    def spawn(self, command=None, notify_path=None, **popen):
        """Starts it without waiting."""
        environment = dict(self.environment)
        if notify_path is not None:
            environment["NOTIFY_SOCKET"] = str(notify_path)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                as_user(command or self.command(), popen), env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **popen,
            )

    def command(self):
        command = [BIN / "benchd", "--user", "--socket", self.socket]
        return command + ["--force"] if SYSTEM_SOCKET.exists() else command

    def _wait_until_ready(self, notify):
        deadline = time.monotonic() + TIMEOUT_S
        pidfd = os.pidfd_open(self.process.pid)
        try:
            while True:
                left = max(0, deadline - time.monotonic())
                ready = select.select([notify, pidfd], [], [], left)[0]
                if notify in ready and "READY=1" in notify.recv(4096).decode().splitlines():
                    return
                if not ready or (pidfd in ready and notify not in ready):
                    raise AssertionError(f"benchd did not start:\n{self.log_text()}")
        finally:
            os.close(pidfd)

    @property
    def pid(self):
        return self.process.pid

    def runner_pid(self):
        """The benchd-runner of this daemon."""
        runners = [pid for pid in children_of(self.pid) if name_of(pid) == "benchd-runner"]
        if len(runners) != 1:
            raise AssertionError(f"expected one benchd-runner, found {runners}\n{self.log_text()}")
        return runners[0]

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    @property
    def database(self):
        return self.folder / "state/benchd/benchd.db"

    def kill(self):
        """Sends SIGKILL and does no cleanup, so that the test can inspect what is left behind."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Sends SIGTERM and returns the exit code; kills the daemon if it does not end."""
        if self.process is None:
            return 0
        process, self.process = self.process, None
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            return process.wait(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"benchd did not end on SIGTERM:\n{self.log_text()}") from None


class DaemonTest(unittest.TestCase):
    """A test with a running daemon in `self.daemon` and a folder in `self.folder`."""

    maxDiff = None
    starts_daemon = True

    def setUp(self):
        become_subreaper()
        # Short, because a socket's path has at most 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-e2e-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.daemon = Daemon(self.folder)
        self.addCleanup(self._stop_and_look)
        self._clients = []
        if self.starts_daemon:
            self.daemon.start()

    def _stop_and_look(self):
        for client in self._clients:
            client.close()
        try:
            code = self.daemon.stop()
        finally:
            left = end_children_left()
        self.assertEqual(left, [], "processes left behind")
        self.assertEqual(code, 0, f"benchd's exit code\n{self.daemon.log_text()}")

    # ---- benchctl ----

    def client_environment(self, **more):
        environment = dict(self.daemon.environment, BENCHD_SOCKET=str(self.daemon.socket), **more)
        return {name: value for name, value in environment.items() if value is not None}

    def benchctl(self, *words, environment=None, timeout=TIMEOUT_S, **popen):
        """Runs benchctl to completion."""
        begin = time.monotonic()
        done = subprocess.run(
            as_user([BIN / "benchctl", *words], popen),
            env=environment or self.client_environment(), cwd=popen.pop("cwd", self.folder),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, **popen,
        )
        return Completed(
            done.returncode, done.stdout.decode(), done.stderr.decode(),
            time.monotonic() - begin,
        )

    def benchctl_json(self, *words, **options):
        return self.benchctl(*words, "--json", **options)

    def start_client(self, *words, **popen):
        """Starts benchctl --json, which ends no later than the test."""
        stderr_path = self.folder / f"client-{len(self._clients)}.err"
        with open(stderr_path, "wb") as stderr:
            process = subprocess.Popen(
                as_user([BIN / "benchctl", *words, "--json"], popen),
                env=popen.pop("environment", None) or self.client_environment(),
                cwd=popen.pop("cwd", self.folder),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, **popen,
            )
        client = Client(process, stderr_path)
        self._clients.append(client)
        return client

    def kill_and_restart(self):
        """Starts a daemon after kill -9 of the present one, whose runner must end by itself."""
        runner = self.daemon.runner_pid()
        self.daemon.kill()
        self.daemon.start()
        self.assertTrue(wait_for_exit(runner))

    def session(self, session_id):
        """The output of `show` for a session."""
        shown = self.benchctl_json("show", session_id)
        self.assertEqual(shown.code, 0, shown)
        self.assertEqual(len(shown.events), 1, shown)
        return shown.events[0]

    # ---- commands to compare ----

    def values(self, *metrics, seed=1):
        """A command that prints seeded values; METRIC:MEAN:SD[:DECIMALS] or a line to print."""
        words = [PROGRAMS / "seeded_values", self.folder / "runs-so-far", seed, *metrics]
        return shlex.join(str(word) for word in words)

    def script(self, text, name="program"):
        """An executable shell script in the test's folder."""
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return str(path)

    def gate(self):
        """A command that waits until the test opens the gate and then prints one value."""
        return Gate(self)

    # ---- assertions ----

    def assert_exit(self, completed, code):
        self.assertEqual(completed.code, code, f"{completed}\n{self.daemon.log_text()}")

    def assert_one_error(self, completed, *words):
        """stderr must be one `error:` line, perhaps with a `hint:` line, and contain `words`."""
        lines = [line for line in completed.stderr.splitlines() if line]
        self.assertIn(len(lines), (1, 2), completed)
        self.assertTrue(lines[0].startswith("error: "), completed)
        if len(lines) == 2:
            self.assertTrue(lines[1].startswith("hint: "), completed)
        for word in words:
            self.assertIn(word, completed.stderr)

    def assert_unharmed(self):
        """Asserts that the same daemon still answers and compares."""
        self.assertIsNone(self.daemon.process.poll(), self.daemon.log_text())
        done = self.benchctl(
            "compare", "--parse", "lines", "--metric", "n:2%:lower",
            self.values("n:1000:0:0"), self.values("n:1000:0:0"),
        )
        self.assert_exit(done, PASS)


class Gate:
    """Runs of `command` wait for open(); `arrived()` waits for the first of them."""

    def __init__(self, test):
        self._arrivals = test.folder / "arrivals"
        self._open = test.folder / "open"
        for fifo in (self._arrivals, self._open):
            fifo.unlink(missing_ok=True)  # of a previous gate
            os.mkfifo(fifo)
        # Open at both ends, so that a run never waits for a reader of its arrival.
        self._arrival_fd = os.open(self._arrivals, os.O_RDWR | os.O_NONBLOCK)
        self._open_fd = os.open(self._open, os.O_RDWR | os.O_NONBLOCK)
        test.addCleanup(os.close, self._arrival_fd)
        test.addCleanup(os.close, self._open_fd)
        self.marker = f"gate-{os.getpid()}-{time.monotonic_ns()}"
        self.command = test.script(
            f': {self.marker}; echo >"{self._arrivals}"; read -r _ <"{self._open}"; echo n 1000',
            name=self.marker,
        )

    def arrived(self):
        if not select.select([self._arrival_fd], [], [], TIMEOUT_S)[0]:
            raise AssertionError("no run arrived at the gate")
        os.read(self._arrival_fd, 1)

    def open(self, runs=1000):
        """Lets that many runs continue."""
        os.write(self._open_fd, b"\n" * runs)

    def let_pass(self, runs):
        """Waits for a run, and lets that many pass, until the next one waits."""
        self.arrived()
        for _ in range(runs):
            self.open(runs=1)
            self.arrived()


def assert_finite(test, value, path="$"):
    """Asserts that the value contains no null, NaN or infinity."""
    test.assertIsNotNone(value, path)
    if isinstance(value, float):
        test.assertTrue(math.isfinite(value), path)
    elif isinstance(value, dict):
        for name, item in value.items():
            assert_finite(test, item, f"{path}.{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            assert_finite(test, item, f"{path}[{index}]")
