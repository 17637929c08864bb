"""Two users of one benchd, one of them hostile: the other's session, submission and memory are none of theirs.

BENCHD_NEIGHBOUR_SESSIONS (of each kind) and _RUNS change the size. Figures are printed; how long is
judged only where it would not be a matter of the machine's load.
"""

import base64
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import threading
import time

from grpc_client import Link, session_pb2
from main import SOAK, main
from support import PASS, TIMEOUT_S, memory_of
from test_system_mode import NOBODY, STRANGER_UID, SystemModeTest

sys.path.insert(0, os.environ["BENCHD_TEST_PYTHON"])
from benchd.v1 import machine_pb2  # noqa: E402

SESSIONS = int(os.environ.get("BENCHD_NEIGHBOUR_SESSIONS") or (5 if SOAK else 3))
RUNS = int(os.environ.get("BENCHD_NEIGHBOUR_RUNS") or 10)
CONNECTIONS = 64
MOST_MEMORY_MIB = 300
MOST_SECONDS_TO_END = 10
MIB = 2**20
# A sanitizer keeps what was freed.
SANITIZED = any(name in os.environ for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"))

SERVICE = "/benchd.v1.SessionService/"
DOCTOR = "/benchd.v1.MachineService/Doctor"
# What the hostile user keeps: as long as a submission may be.
LONG_COMMAND = "no-such-program " + 110_000 * "x"


def long_spec(command=LONG_COMMAND):
    arms = [session_pb2.Arm(name=name, command=command, cwd="/") for name in ("base", "candidate")]
    arms[1].command = command + "y"
    return session_pb2.SubmitRequest(spec=session_pb2.SessionSpec(
        benchmarks=[session_pb2.Benchmark(arms=arms)], environment={"PATH": "/usr/bin:/bin"}))


def hostile_calls(session):
    """Get, List, Show, Doctor, Submit, SubmitWithBundle: unread, cut off, large, without end."""
    get = session_pb2.GetSessionRequest(session=session)
    show = session_pb2.GetSessionRequest(session=session, with_log=True)
    small = long_spec("no-such-program")
    bundle = session_pb2.SubmitWithBundleRequest(
        submit=small, bundle_bytes=2**40, bundle_sha256=bytes(32), data=b"# v2 git bundle\n" * 1000)
    listing = session_pb2.ListSessionsRequest(all=True, page_size=500)
    samples = session_pb2.ListSamplesRequest(session=session, with_warmup=True)
    return [
        {"path": path, "message": base64.b64encode(message.SerializeToString()).decode(),
         "kind": kind, "read": read, "streams": streams}
        for path, message, kind, read, streams in [
            (SERVICE + "Get", get, "whole", False, 100),
            (SERVICE + "Get", show, "whole", True, 20),
            (SERVICE + "List", listing, "whole", False, 100),
            (SERVICE + "List", listing, "whole", True, 20),
            (SERVICE + "ListSamples", samples, "whole", False, 100),
            (DOCTOR, machine_pb2.DoctorRequest(), "whole", True, 100),
            (SERVICE + "Submit", small, "whole", True, 10),
            (SERVICE + "Submit", long_spec(), "whole", True, 10),
            (SERVICE + "Submit", small, "cut", True, 100),
            (SERVICE + "Submit", small, "endless", True, 10),
            (SERVICE + "SubmitWithBundle", bundle, "pieces", True, 100),
        ]]


class Hostile:
    """The other user's client, from when all of its connections have begun until stop()."""

    def __init__(self, test, session):
        folder = test.folder / "hostile"
        folder.mkdir()
        script = folder / "hostile_client.py"
        shutil.copy(pathlib.Path(__file__).with_name("hostile_client.py"), script)
        calls = folder / "calls.json"
        calls.write_text(json.dumps(hostile_calls(session)))
        for path in (folder, script, calls):
            path.chmod(0o755)
        self._process = subprocess.Popen(
            ["/usr/bin/python3", str(script), str(test.daemon.socket), str(calls), str(CONNECTIONS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, user=STRANGER_UID,
            group=STRANGER_UID, extra_groups=[], cwd="/")
        test.addCleanup(self.stop)
        line = self._process.stdout.readline()
        assert line == "ready\n", line

    def stop(self):
        """What was answered to it; nothing the second time."""
        if self._process is None:
            return None
        process, self._process = self._process, None
        out, _ = process.communicate("", timeout=TIMEOUT_S)
        return json.loads(out)


class MemoryPeak(threading.Thread):
    """The most that the daemon's memory was: VmHWM, which a process that has ended has no more."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self._pid, self._end, self.most = pid, threading.Event(), 0
        self.start()

    def run(self):
        while not self._end.wait(0.05):
            try:
                self.most = max(self.most, memory_of(self._pid)["VmHWM"])
            except (OSError, KeyError):
                return

    def stop(self):
        self._end.set()
        self.join()
        return self.most / MIB


class HostileNeighbourTest(SystemModeTest):
    def submit_as_stranger(self):
        """A session of the hostile user's with a long spec: it fails at once and is kept."""
        path = self.folder / "long.bin"
        path.write_bytes(long_spec().SerializeToString())
        path.chmod(0o644)
        client = """
import sys
import grpc
from benchd.v1 import session_pb2 as pb, session_pb2_grpc
stub = session_pb2_grpc.SessionServiceStub(grpc.insecure_channel("unix:" + sys.argv[1]))
print(stub.Submit(pb.SubmitRequest.FromString(open(sys.argv[2], "rb").read()), timeout=30).session)
"""
        shutil.copytree(os.environ["BENCHD_TEST_PYTHON"], self.folder / "python")
        paths = [str(self.folder / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            ["/usr/bin/python3", "-c", client, str(self.daemon.socket), str(path)],
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(paths)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=TIMEOUT_S, user=STRANGER_UID,
            group=STRANGER_UID, extra_groups=[], cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def largest_gap(self):
        """Of a session of nobody's that runs every 0.2 s: seconds between two runs, and until its
        submission was acknowledged."""
        begin = time.monotonic()
        submitted = self.benchctl_json(
            "submit", "--runs", str(RUNS // 2), "--warmup", "0", "sleep 0.2", "sleep 0.2",
            **self.as_nobody())
        acknowledged = time.monotonic() - begin
        self.assert_exit(submitted, PASS)
        session = submitted.events[0]["session"]
        watched = self.benchctl("watch", session, **self.as_nobody(), timeout=4 * TIMEOUT_S)
        self.assertIn(watched.code, (0, 1, 3), watched.stderr)
        link = Link(self.daemon.socket)
        try:
            runs = [run for part in link.sessions.ListSamples(
                        session_pb2.ListSamplesRequest(session=session, with_warmup=True),
                        timeout=TIMEOUT_S) for run in part.runs]
        finally:
            link.close()
        starts = sorted(run.started_at.ToNanoseconds() / 1e9 for run in runs)
        self.assertGreaterEqual(len(starts), RUNS)
        return max(after - before for before, after in zip(starts, starts[1:])) - 0.2, acknowledged

    def measure(self, name):
        gaps, acknowledged = zip(*(self.largest_gap() for _ in range(SESSIONS)))
        print(f"{name}: largest gap {statistics.median(gaps):.3f} s (median of {SESSIONS}; "
              f"{min(gaps):.3f} to {max(gaps):.3f}), acknowledged after "
              f"{statistics.median(acknowledged):.3f} s ({max(acknowledged):.3f} at most)", flush=True)
        return statistics.median(gaps)

    def test_a_hostile_user_is_nobody_elses_matter(self):
        long_session = self.submit_as_stranger()
        alone = self.measure("alone")
        peak = MemoryPeak(self.daemon.pid)
        hostile = Hostile(self, long_session)
        beside = self.measure("beside a hostile user")
        pid_gone = time.monotonic()
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text()[-4000:])
        ended_after = time.monotonic() - pid_gone
        memory = peak.stop()
        answers = hostile.stop()
        for what, counts in answers.items():
            print(f"  {what}: {counts}")
        print(f"memory at most {memory:.0f} MiB; ended {ended_after:.1f} s after SIGTERM; "
              f"gap {beside - alone:+.3f} s", flush=True)
        if not SANITIZED:
            self.assertLess(memory, MOST_MEMORY_MIB)
        self.assertLess(ended_after, MOST_SECONDS_TO_END)
        # 0.3 s where nothing else loads the machine; six of it is what a flood of reads once made.
        self.assertLess(beside - alone, 2)


if __name__ == "__main__":
    main()
