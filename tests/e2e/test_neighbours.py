"""A hostile user does not affect another user's session, submission or memory of benchd.

BENCHD_NEIGHBOUR_SESSIONS (of each kind) and _RUNS change the size. Figures are printed; durations
are judged only if they do not depend on the machine's load.
"""

import base64
import os
import sys
import unittest

from grpc_client import session_pb2
from hostile_neighbour import (LONG_COMMAND, Hostile, MemoryPeak, NeighbourCases, StopWatch,
                               hostile_calls)
from main import SOAK, main
from support import TIMEOUT_S
from test_system_mode import STRANGER_UID, SystemModeTest

sys.path.insert(0, os.environ["BENCHD_TEST_PYTHON"])
from benchd.v1 import machine_pb2  # noqa: E402

SESSIONS = int(os.environ.get("BENCHD_NEIGHBOUR_SESSIONS") or (5 if SOAK else 3))
RUNS = int(os.environ.get("BENCHD_NEIGHBOUR_RUNS") or 10)
MOST_MEMORY_MIB = 300
MOST_SECONDS_TO_END = 10
# A sanitizer keeps freed memory.
SANITIZED = any(name in os.environ for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"))


class HostileNeighbourTest(NeighbourCases, SystemModeTest):
    def as_hostile(self, *words):
        return self.benchctl(*words, **self.as_user(STRANGER_UID))

    def as_other(self, *words):
        return self.benchctl(*words, **self.as_nobody(), timeout=4 * TIMEOUT_S)

    def test_a_hostile_user_is_nobody_elses_matter(self):
        long_session = self.long_session()
        alone, _, _ = self.measure("alone", SESSIONS, RUNS // 2)
        peak = MemoryPeak(self.daemon.pid)
        stranger = self.as_user(STRANGER_UID)
        stranger.pop("cwd")
        hostile = Hostile(self.folder, self.daemon.socket, long_session, **stranger)
        self.addCleanup(hostile.stop)
        beside, _, _ = self.measure("beside a hostile user", SESSIONS, RUNS // 2)
        memory = peak.mib()
        end = StopWatch(self.daemon.pid)
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text()[-4000:])
        ended_after = end.seconds(TIMEOUT_S)
        for what, counts in hostile.stop(TIMEOUT_S).items():
            print(f"  {what}: {counts}")
        print(f"memory at most {memory:.0f} MiB; ended {ended_after:.1f} s after SIGTERM; "
              f"gap {beside - alone:+.3f} s", flush=True)
        if not SANITIZED:
            self.assertLess(memory, MOST_MEMORY_MIB)
        self.assertLess(ended_after, MOST_SECONDS_TO_END)
        # 0.004 s on an otherwise idle machine. A flood of reads once caused 6 s.
        self.assertLess(beside - alone, 2)


def submit_request(command):
    arms = [session_pb2.Arm(name="base", command=command, cwd="/"),
            session_pb2.Arm(name="candidate", command=command + "y", cwd="/")]
    return session_pb2.SubmitRequest(spec=session_pb2.SessionSpec(
        benchmarks=[session_pb2.Benchmark(arms=arms)], environment={"PATH": "/usr/bin:/bin"}))


class ContractTest(unittest.TestCase):
    def test_what_the_hostile_client_sends_is_what_the_contract_has(self):
        session = "k3x9m2pq"
        small, large = submit_request("no-such-program"), submit_request(LONG_COMMAND)
        bundle = session_pb2.SubmitWithBundleRequest(
            submit=small, bundle_bytes=2**40, bundle_sha256=bytes(32),
            data=b"# v2 git bundle\n" * 1000)
        expected = {
            "Get": [session_pb2.GetSessionRequest(session=session),
                    session_pb2.GetSessionRequest(session=session, with_log=True)],
            "List": [session_pb2.ListSessionsRequest(all=True, page_size=500)],
            "ListSamples": [session_pb2.ListSamplesRequest(session=session, with_warmup=True)],
            "Doctor": [machine_pb2.DoctorRequest()],
            "Submit": [small, large],
            "SubmitWithBundle": [bundle],
        }
        for call in hostile_calls(session):
            requests = expected[call["path"].rsplit("/", 1)[1]]
            sent = type(requests[0]).FromString(base64.b64decode(call["message"]))
            self.assertIn(sent, requests)


if __name__ == "__main__":
    main()
