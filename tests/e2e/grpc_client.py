"""A client of benchd for tests, generated from proto/benchd/v1 for Debian's python3-grpcio."""

import os
import sys
import threading
import time

sys.path.insert(0, os.environ["BENCHD_TEST_PYTHON"])

import grpc  # noqa: E402
from benchd.v1 import queue_pb2, queue_pb2_grpc, session_pb2, session_pb2_grpc  # noqa: E402

from support import TIMEOUT_S  # noqa: E402

# Reconnect within milliseconds after a restart of the daemon.
PATIENT_CHANNEL = [
    ("grpc.initial_reconnect_backoff_ms", 20), ("grpc.min_reconnect_backoff_ms", 5000),
    ("grpc.max_reconnect_backoff_ms", 50), ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", -1),
]

# Status codes of calls that the daemon's death interrupts.
LOST = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)

FINAL_EVENTS = ("verdict", "failed", "cancelled")


class Link:
    """A connection that is not shared and is restored after a restart of the daemon."""

    def __init__(self, socket):
        self.channel = grpc.insecure_channel(f"unix:{socket}", options=PATIENT_CHANNEL)
        self.sessions = session_pb2_grpc.SessionServiceStub(self.channel)
        self.queue = queue_pb2_grpc.QueueServiceStub(self.channel)

    def close(self):
        self.channel.close()

    def call(self, method, request, timeout=TIMEOUT_S):
        """Repeats a call until the daemon answers, with success or an error."""
        deadline = time.monotonic() + timeout
        while True:
            left = max(0.1, deadline - time.monotonic())
            try:
                return method(request, timeout=left, wait_for_ready=True)
            except grpc.RpcError as error:
                if error.code() not in LOST or time.monotonic() > deadline:
                    raise

    def submit(self, spec, request_id):
        request = session_pb2.SubmitRequest(spec=spec, request_id=request_id)
        return self.call(self.sessions.Submit, request).session

    def get(self, session):
        return self.call(self.sessions.Get, session_pb2.GetSessionRequest(session=session))

    def list_all(self):
        """Every session, newest first."""
        request, sessions = session_pb2.ListSessionsRequest(all=True, page_size=500), []
        while True:
            page = self.call(self.sessions.List, request)
            sessions.extend(page.sessions)
            request.page_token = page.next_page_token
            if not page.next_page_token:
                return sessions

    def pause(self):
        return self.call(self.queue.Pause, queue_pb2.PauseRequest())

    def resume(self):
        return self.call(self.queue.Resume, queue_pb2.ResumeRequest())

    def runs(self, session):
        """All runs of a session, of every phase, in order of execution, from one response."""
        request = session_pb2.ListSamplesRequest(session=session, with_warmup=True)

        def read(request, **options):
            return [run for part in self.sessions.ListSamples(request, **options)
                    for run in part.runs]

        return self.call(read, request)


def two_arms(base, candidate, folder, gates, **more):
    """The spec of a session with one benchmark of two arms, for `--parse lines`."""
    arms = [session_pb2.Arm(command=command, cwd=str(folder)) for command in (base, candidate)]
    benchmark = session_pb2.Benchmark(arms=arms, parse="lines", gates=gates)
    return session_pb2.SessionSpec(
        benchmarks=[benchmark], environment={"PATH": "/usr/bin:/bin"}, **more)


class Watcher(threading.Thread):
    """Watches a session to its end and reconnects as often as necessary."""

    def __init__(self, socket, session):
        super().__init__(name=f"watcher-{session}", daemon=True)
        self._link = Link(socket)
        self._session = session
        self._changed = threading.Condition()
        self._closed = False
        self.events = []
        self.streams = 0
        self.error = None
        self.start()

    def run(self):
        request = session_pb2.WatchRequest(session=self._session)
        while not self.ended():
            self.streams += 1
            try:
                for event in self._link.sessions.Watch(request, wait_for_ready=True):
                    self._take(event)
            except grpc.RpcError as error:
                if self._closed:
                    return
                if error.code() not in LOST:
                    self.error = error
                    return self._tell()
            except ValueError:  # the channel was closed in the meantime
                return

    def _take(self, event):
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def _tell(self):
        with self._changed:
            self._changed.notify_all()

    def ended(self):
        return self.final() is not None or self.error is not None

    def final(self):
        """The last event, or None before it arrives."""
        if self.events and self.events[-1].WhichOneof("event") in FINAL_EVENTS:
            return self.events[-1]
        return None

    def wait(self, condition, timeout=TIMEOUT_S):
        """Waits until `condition(self)` holds or the session ends; returns `condition(self)`."""
        with self._changed:
            self._changed.wait_for(lambda: condition(self) or self.ended(), timeout)
        return condition(self)

    def wait_for_end(self, timeout=TIMEOUT_S):
        self.wait(lambda _: False, timeout)
        if self.error is not None:
            raise AssertionError(f"the watch failed: {self.error}")
        if self.final() is None:
            raise AssertionError(f"{self._session} did not end in time: {self.events[-1:]}")
        return self.final()

    def seen_runs(self):
        """The largest number of runs that any update reported, for each arm."""
        most = {}
        for event in list(self.events):
            kind = event.WhichOneof("event")
            if kind not in ("update", "verdict"):
                continue
            for entry in getattr(event, kind).runs:
                key = (entry.benchmark, entry.arm)
                most[key] = max(most.get(key, 0), entry.runs)
        return most

    def close(self):
        self._closed = True
        self._link.close()
        self.join(TIMEOUT_S)
