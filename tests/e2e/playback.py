"""A daemon that only replays events, for tests of benchctl's display.

It has one session, `k3x9m2pq`. Watchers receive the last event passed to `play()`, repeated ten
times per second, so the clocks of a live view stand still and it always draws the same screen.
"""

import concurrent.futures
import os
import sys
import threading

sys.path.insert(0, os.environ["BENCHD_TEST_PYTHON"])

import grpc  # noqa: E402
from benchd.v1 import queue_pb2, queue_pb2_grpc, session_pb2, session_pb2_grpc  # noqa: E402

SESSION = "k3x9m2pq"
FINAL = ("verdict", "failed", "cancelled")
MAX_TIME_S = 600  # the default limit


def comparison(benchmark, metric, lo, estimate, hi, verdict=None, eta=None, arms=("base", "fast")):
    """A gate with a margin of 2 %, after 40 blocks; decided with a verdict."""
    gate = session_pb2.Comparison(
        benchmark=benchmark, reference=arms[0], candidate=arms[1], metric=metric, unit="s",
        role=session_pb2.COMPARISON_ROLE_GATE, better=session_pb2.BETTER_LOWER, margin_ratio=0.02,
        confidence=0.99, method=session_pb2.METHOD_PAIRED, n_reference=40, n_candidate=40,
        mean_reference=0.5, mean_candidate=0.5 * (1 + estimate),
        change=session_pb2.Effect(estimate=estimate, lo=lo, hi=hi),
        verdict=verdict or session_pb2.VERDICT_UNDECIDED,
    )
    if verdict is not None:
        gate.decided.CopyFrom(session_pb2.Decision(blocks=40, lo=lo, hi=hi))
    if eta is not None:
        gate.eta_seconds = eta
    return gate


def running(*comparisons, eta=None, elapsed=75.25):
    """The update of a session that has these gates."""
    update = session_pb2.Update(
        state=session_pb2.SESSION_STATE_RUNNING, verdict=session_pb2.VERDICT_UNDECIDED,
        elapsed_seconds=elapsed, comparisons=comparisons)
    if eta is not None:
        update.eta_seconds = eta
    else:
        update.time_left_seconds = MAX_TIME_S - elapsed
    return session_pb2.SessionEvent(session=SESSION, update=update)


def one_gate(eta=None):
    """A plain comparison of two commands."""
    gate = comparison("main", "wall_time", -0.004, 0.0135, 0.031, eta=eta)
    return running(gate, eta=eta)


def suite(count=3):
    """Several benchmarks, the second of which has regressed, and names with wide characters."""
    gates = [
        comparison("解析", "wall_time", -0.014, -0.008, -0.002, session_pb2.VERDICT_PASS,
                   arms=("基线", "候选")),
        comparison("渲染页面", "wall_time", 0.052, 0.06, 0.068, session_pb2.VERDICT_REGRESSION,
                   arms=("基线", "候选")),
    ]
    for number in range(count - 2):
        gates.append(comparison(f"layout-{number + 1}", "wall_time", -0.006, 0.012, 0.03, eta=45.4,
                                arms=("基线", "候选")))
    return running(*gates, eta=45.4)


class _Sessions(session_pb2_grpc.SessionServiceServicer):
    def __init__(self):
        self._changed = threading.Condition()
        self._event = session_pb2.SessionEvent(session=SESSION, queued=session_pb2.Queued())
        self.deaf = False  # Cancel is answered but has no effect

    def play(self, event):
        with self._changed:
            self._event = event
            self._changed.notify_all()

    def Submit(self, request, context):
        return session_pb2.SubmitResponse(session=SESSION, position=1)

    def Get(self, request, context):
        return session_pb2.Session(session=SESSION, state=session_pb2.SESSION_STATE_RUNNING)

    def List(self, request, context):
        own = session_pb2.Session(session=SESSION, uid=os.getuid(),
                                  state=session_pb2.SESSION_STATE_RUNNING,
                                  spec=session_pb2.SessionSpec())
        return session_pb2.ListSessionsResponse(sessions=[own])

    def Watch(self, request, context):
        while context.is_active():
            with self._changed:
                event = self._event
            yield event
            if event.WhichOneof("event") in FINAL:
                return
            with self._changed:
                if self._event is event:
                    self._changed.wait(0.1)

    def Cancel(self, request, context):
        if not self.deaf:
            cancelled = session_pb2.Cancelled(by=f"uid {os.getuid()}")
            self.play(session_pb2.SessionEvent(session=SESSION, cancelled=cancelled))
        return session_pb2.CancelResponse(state=session_pb2.SESSION_STATE_CANCELLED)


class _Queue(queue_pb2_grpc.QueueServiceServicer):
    def Get(self, request, context):
        return queue_pb2.QueueStatus(version="9.9.9", pid=os.getpid(), running=SESSION)


class PlaybackDaemon:
    """Listens on `socket` until close()."""

    def __init__(self, socket):
        self._sessions = _Sessions()
        self._server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=8))
        session_pb2_grpc.add_SessionServiceServicer_to_server(self._sessions, self._server)
        queue_pb2_grpc.add_QueueServiceServicer_to_server(_Queue(), self._server)
        self._server.add_insecure_port(f"unix:{socket}")
        self._server.start()

    def play(self, event):
        self._sessions.play(event)

    def ignore_cancel(self):
        self._sessions.deaf = True

    def close(self):
        self._server.stop(None).wait()
