"""A hostile user and another user of one benchd: the calls of hostile_client.py, and their effect
on the other user, in any environment.

Messages are encoded by hand (protobuf.dev/programming-guides/encoding), because the emulated
machine of tests/vm has no protobuf library. test_neighbours.py compares them with the generated
code.
"""

import base64
import csv
import datetime
import io
import json
import os
import pathlib
import select
import shutil
import statistics
import subprocess
import time

CONNECTIONS = 64
SERVICE = "/benchd.v1.SessionService/"
DOCTOR = "/benchd.v1.MachineService/Doctor"
# The longest submission that benchd accepts: arguments of a session that the hostile user keeps.
LONG_COMMAND = "no-such-program " + 110_000 * "x"


def varint(number):
    low, rest = number & 0x7F, number >> 7
    return bytes((low | 0x80,)) + varint(rest) if rest else bytes((low,))


def message(*fields):
    """Encodes pairs (number, value); a value is an int, a text or another message."""
    text = b""
    for number, value in fields:
        if isinstance(value, int):
            text += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            text += varint(number << 3 | 2) + varint(len(value)) + value
    return text


def submit_request(command):
    """benchd.v1.SubmitRequest for a session of one benchmark with two arms."""
    arms = [(2, message((1, name), (3, text), (6, "/")))
            for name, text in (("base", command), ("candidate", command + "y"))]
    environment = message((1, "PATH"), (2, "/usr/bin:/bin"))
    return message((1, message((1, message(*arms)), (18, environment))))


def hostile_calls(session):
    """Calls that are unread, cut off, large or endless; `session` has a LONG_COMMAND."""
    get = message((1, session))
    show = message((1, session), (2, 1))
    small = submit_request("no-such-program")
    bundle = message((1, small), (2, 2**40), (3, bytes(32)), (4, b"# v2 git bundle\n" * 1000))
    listing = message((1, 1), (4, 500))
    samples = message((1, session), (2, 1))
    return [
        {"path": path, "message": base64.b64encode(text).decode(), "kind": kind, "read": read,
         "streams": streams}
        for path, text, kind, read, streams in [
            (SERVICE + "Get", get, "whole", False, 100),
            (SERVICE + "Get", show, "whole", True, 20),
            (SERVICE + "List", listing, "whole", False, 100),
            (SERVICE + "List", listing, "whole", True, 20),
            (SERVICE + "ListSamples", samples, "whole", False, 100),
            (DOCTOR, b"", "whole", True, 100),
            (SERVICE + "Submit", small, "whole", True, 10),
            (SERVICE + "Submit", submit_request(LONG_COMMAND), "whole", True, 10),
            (SERVICE + "Submit", small, "cut", True, 100),
            (SERVICE + "Submit", small, "endless", True, 10),
            (SERVICE + "SubmitWithBundle", bundle, "pieces", True, 100),
        ]]


class Hostile:
    """Runs the hostile user's client; all of its connections have begun when this returns."""

    def __init__(self, folder, socket, session, **popen):
        """@param popen  arguments that select the user; they must be able to read `folder`"""
        folder = folder / "hostile"
        folder.mkdir()
        script = folder / "hostile_client.py"
        shutil.copy(pathlib.Path(__file__).with_name("hostile_client.py"), script)
        calls = folder / "calls.json"
        calls.write_text(json.dumps(hostile_calls(session)))
        for path in (folder, script, calls):
            path.chmod(0o755)
        self._process = subprocess.Popen(
            ["/usr/bin/python3", str(script), str(socket), str(calls), str(CONNECTIONS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/", **popen)
        line = self._process.stdout.readline()
        assert line == "ready\n", line

    def stop(self, timeout=60):
        """Ends the client and returns its counts of answers; does nothing the second time."""
        if self._process is None:
            return None
        process, self._process = self._process, None
        try:
            out, _ = process.communicate("", timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return json.loads(out)


class MemoryPeak:
    """The peak of a process's memory from now on, from VmHWM, which disappears with the process."""

    def __init__(self, pid):
        self._status = pathlib.Path(f"/proc/{pid}/status")
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")

    def mib(self):
        lines = self._status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


class NeighbourCases:
    """A mixin for a test class that has assert_exit(), as_hostile(*words) and as_other(*words);
    the latter two run benchctl as one of two users."""

    def long_session(self):
        """A session of the hostile user with a long spec. It fails at once and is kept."""
        done = self.as_hostile("submit", "--json", LONG_COMMAND, LONG_COMMAND + "y")
        return json.loads(done.stdout.splitlines()[0])["session"]

    def submit_and_run(self, blocks):
        """Runs a session of the other user with runs of 0.2 s. Returns the longest gap between two
        runs and the time until its submission was acknowledged, both in seconds."""
        submitted = self.as_other("submit", "--json", "--runs", str(blocks), "--warmup", "0",
                                  "sleep 0.2", "sleep 0.2")
        self.assert_exit(submitted, 0)
        session = json.loads(submitted.stdout.splitlines()[0])["session"]
        watched = self.as_other("watch", session)
        self.assertIn(watched.code, (0, 1, 3), watched)
        exported = self.as_other("export", session, "--format", "csv")
        self.assert_exit(exported, 0)
        # datetime reads only six of the nine digits of a second.
        starts = sorted(datetime.datetime.fromisoformat(row["started_at"][:26]).timestamp()
                        for row in csv.DictReader(io.StringIO(exported.stdout)))
        self.assertEqual(len(starts), 2 * blocks)
        gaps = [after - before - 0.2 for before, after in zip(starts, starts[1:])]
        return max(gaps), submitted.seconds

    def measure(self, name, sessions, blocks):
        """Prints the medians and extremes of submit_and_run() and of a client that does not use
        benchd; returns the three medians: gap, acknowledgement, client."""
        gaps, acknowledged = zip(*(self.submit_and_run(blocks) for _ in range(sessions)))
        # The part of an acknowledgement that client and machine cause.
        own = [self.as_other("help", "submit").seconds for _ in range(sessions)]
        for what, seconds in (("largest gap", gaps), ("acknowledged after", acknowledged),
                              ("a client without benchd", own)):
            print(f"{name}: {what} {statistics.median(seconds):.3f} s (median of {sessions}; "
                  f"{min(seconds):.3f} to {max(seconds):.3f})", flush=True)
        return tuple(statistics.median(times) for times in (gaps, acknowledged, own))


class StopWatch:
    """Measures how long a process lives from now on."""

    def __init__(self, pid):
        self._pidfd = os.pidfd_open(pid)
        self._begin = time.monotonic()

    def seconds(self, timeout):
        try:
            if not select.select([self._pidfd], [], [], timeout)[0]:
                raise AssertionError(f"the process did not end within {timeout} s")
            return time.monotonic() - self._begin
        finally:
            os.close(self._pidfd)
