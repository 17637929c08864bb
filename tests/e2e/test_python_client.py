"""Any gRPC client works, such as one generated from proto/benchd/v1 for Debian's python3-grpcio."""

import os
import sys
import uuid

sys.path.insert(0, os.environ["BENCHD_TEST_PYTHON"])

import grpc  # noqa: E402
from benchd.v1 import (machine_pb2, machine_pb2_grpc, queue_pb2, queue_pb2_grpc,  # noqa: E402
                       session_pb2, session_pb2_grpc)

from main import main  # noqa: E402
from support import TIMEOUT_S, DaemonTest  # noqa: E402


class PythonClientTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.channel = grpc.insecure_channel(f"unix:{self.daemon.socket}")
        self.addCleanup(self.channel.close)
        self.sessions = session_pb2_grpc.SessionServiceStub(self.channel)

    def spec(self, base, candidate, **more):
        arms = [session_pb2.Arm(command=command, cwd=str(self.folder))
                for command in (base, candidate)]
        gate = session_pb2.Gate(metric="n", ratio=0.02, better=session_pb2.BETTER_LOWER)
        benchmark = session_pb2.Benchmark(arms=arms, parse="lines", gates=[gate])
        return session_pb2.SessionSpec(
            benchmarks=[benchmark], environment={"PATH": "/usr/bin:/bin"}, **more)

    def submit(self, spec, request_id=""):
        return self.sessions.Submit(
            session_pb2.SubmitRequest(spec=spec, request_id=request_id), timeout=TIMEOUT_S)

    def test_submits_a_session_and_watches_it_to_its_verdict(self):
        answer = self.submit(self.spec(self.values("n:1000:0:0"), self.values("n:1100:0:0")))
        events = list(self.sessions.Watch(
            session_pb2.WatchRequest(session=answer.session), timeout=TIMEOUT_S))
        last = events[-1]
        self.assertEqual(last.WhichOneof("event"), "verdict")
        self.assertEqual(last.session, answer.session)
        self.assertEqual(last.verdict.verdict, session_pb2.VERDICT_REGRESSION)
        gate = last.verdict.comparisons[0]
        self.assertEqual((gate.metric, gate.decided.blocks), ("n", 8))
        self.assertAlmostEqual(gate.change.estimate, 0.1, places=12)

        runs = [run for part in self.sessions.ListSamples(
            session_pb2.ListSamplesRequest(session=answer.session), timeout=TIMEOUT_S)
            for run in part.runs]
        self.assertEqual(len(runs), 16)
        self.assertEqual({run.phase for run in runs}, {session_pb2.RUN_PHASE_MEASURED})

    def test_the_same_request_id_is_the_same_session(self):
        request_id = str(uuid.uuid4())
        spec = self.spec(self.values("n:1000:0:0"), self.values("n:1000:0:0"))
        first = self.submit(spec, request_id)
        again = self.submit(spec, request_id)
        self.assertEqual(first.session, again.session)
        other = self.submit(spec, str(uuid.uuid4()))
        self.assertNotEqual(first.session, other.session)
        for session in (first.session, other.session):
            list(self.sessions.Watch(
                session_pb2.WatchRequest(session=session), timeout=TIMEOUT_S))

    def test_the_queue_says_who_answers(self):
        status = queue_pb2_grpc.QueueServiceStub(self.channel).Get(
            queue_pb2.GetQueueRequest(), timeout=TIMEOUT_S)
        self.assertEqual(status.pid, self.daemon.pid)
        self.assertNotEqual(status.version, "")

    def test_the_machine_is_described_and_reserved(self):
        machine = machine_pb2_grpc.MachineServiceStub(self.channel)
        status = machine.Get(machine_pb2.GetMachineRequest(), timeout=TIMEOUT_S)
        self.assertEqual(status.profile, "default")
        self.assertNotEqual(list(status.settings), [])
        answers = list(machine.Reserve(
            machine_pb2.ReserveRequest(seconds=0.05), timeout=TIMEOUT_S))
        self.assertFalse(answers[0].held)
        self.assertTrue(answers[-1].held)
        self.assertEqual(answers[-1].remaining_seconds, 0)

    def test_a_session_that_is_not_there_is_told_in_a_sentence(self):
        for method, request in [
            (self.sessions.Get, session_pb2.GetSessionRequest()),
            (self.sessions.Move, session_pb2.MoveRequest(priority=1)),
            (self.sessions.Cancel, session_pb2.CancelRequest(session="zzzzzzzz")),
        ]:
            with self.assertRaises(grpc.RpcError) as caught:
                method(request, timeout=TIMEOUT_S)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)
            self.assertIn("no session matches", caught.exception.details())

    def test_a_session_tells_its_history(self):
        answer = self.submit(self.spec(self.values("n:1000:0:0"), self.values("n:1000:0:0")))
        list(self.sessions.Watch(
            session_pb2.WatchRequest(session=answer.session), timeout=TIMEOUT_S))
        history = self.sessions.Get(
            session_pb2.GetSessionRequest(session=answer.session), timeout=TIMEOUT_S).history
        told = [entry.what for entry in history]
        self.assertEqual(told[0], f"submitted by uid {os.getuid()} (pid {os.getpid()})")
        self.assertEqual(told[1:], ["preparing", "running", "done: pass"])
        times = [entry.time.ToNanoseconds() for entry in history]
        self.assertEqual(times, sorted(times))

    def test_errors_name_the_field(self):
        for change, words in [
            (lambda spec: spec.benchmarks[0].arms.pop(), ["candidate"]),
            (lambda spec: setattr(spec, "alpha", 0.0), ["confidence", "alpha"]),
            (lambda spec: setattr(spec, "alpha", float("nan")), ["confidence", "alpha"]),
            (lambda spec: setattr(spec.benchmarks[0].gates[0], "ratio", -1.0), ["margin"]),
        ]:
            spec = self.spec(self.values("n:1000:0:0"), self.values("n:1000:0:0"))
            change(spec)
            with self.assertRaises(grpc.RpcError) as caught:
                self.submit(spec)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
            self.assertTrue(
                any(word in caught.exception.details() for word in words),
                caught.exception.details())

    # Debian has no Python package for the two standard services; their messages are a few bytes.

    def test_the_standard_health_service_says_serving(self):
        check = self.channel.unary_unary("/grpc.health.v1.Health/Check")
        # HealthCheckResponse{status: SERVING}: field 1, varint 1.
        self.assertEqual(check(b"", timeout=TIMEOUT_S), b"\x08\x01")

    def test_reflection_lists_the_services(self):
        info = self.channel.stream_stream(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        # ServerReflectionRequest{list_services: "*"}: field 7, one byte.
        answer = b"".join(info(iter([b"\x3a\x01*"]), timeout=TIMEOUT_S))
        for service in ("SessionService", "QueueService", "MachineService"):
            self.assertIn(f"benchd.v1.{service}".encode(), answer)


if __name__ == "__main__":
    main()
