"""Many clients at once: nothing is lost, and the daemon's memory stays bounded. Prints figures.

BENCHD_LOAD_CLIENTS, _SUBMISSIONS (per client), _WATCHERS, _RUNS and _READS change the size.
"""

import asyncio
import collections
import os
import socket
import threading
import time
import uuid

from grpc_client import (PATIENT_CHANNEL, Link, Watcher, grpc, session_pb2, session_pb2_grpc,
                         two_arms)
from main import SOAK, main
from support import TIMEOUT_S, DaemonTest, memory_of

CLIENTS = int(os.environ.get("BENCHD_LOAD_CLIENTS") or 100)
SUBMISSIONS = int(os.environ.get("BENCHD_LOAD_SUBMISSIONS") or (100 if SOAK else 30))
# Number of the clients' calls that are open at once: see roomy_socketpair().
UNDER_WAY = 50
WATCHERS = int(os.environ.get("BENCHD_LOAD_WATCHERS") or 200)
RUNS = int(os.environ.get("BENCHD_LOAD_RUNS") or 1000)
READS = int(os.environ.get("BENCHD_LOAD_READS") or 800)
ENDS_WITHIN_S = 10

MIB = 2**20
# The memory allowed for a waiting session: its spec, its place, its request id.
QUEUED_SESSION_BYTES = 8 * 1024
# The memory allowed for a watcher: its stream and its newest state.
WATCHER_BYTES = 64 * 1024
# gRPC's arenas, SQLite's cache, fragmentation: memory that does not grow with the load.
FIXED_BYTES = 24 * MIB
# A sanitizer keeps freed memory, so the figures are printed but not judged.
SANITIZED = any(name in os.environ for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"))


def roomy_socketpair(*arguments, _socketpair=socket.socketpair):
    """Enlarges the buffers of grpc.aio's poller, which could otherwise deadlock. It reports each
    event by a byte in a socket pair and holds a lock that the reader needs; the default buffer is
    full after some 270 events.
    """
    pair = _socketpair(*arguments)
    for end in pair:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**24)  # the kernel limits this
    return pair


socket.socketpair = roomy_socketpair


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class SilentWatcher:
    """An HTTP/2 client that watches a session and never reads from its socket."""

    def __init__(self, path, session):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect(str(path))
        request = session_pb2.WatchRequest(session=session).SerializeToString()
        self._socket.sendall(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            # SETTINGS: the largest INITIAL_WINDOW_SIZE; WINDOW_UPDATE of the connection.
            + self._frame(4, 0, 0, b"\x00\x04" + (2**31 - 1).to_bytes(4, "big"))
            + self._frame(8, 0, 0, (2**31 - 1 - 65535).to_bytes(4, "big"))
            + self._frame(1, 4, 1, self._headers())  # HEADERS with END_HEADERS
            + self._frame(0, 1, 1, b"\0" + len(request).to_bytes(4, "big") + request))

    @staticmethod
    def _frame(kind, flags, stream, payload):
        """A frame as in RFC 9113 section 4.1."""
        return (len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big")
                + payload)

    @staticmethod
    def _headers():
        """Literal fields without indexing, RFC 7541 section 6.2.2, each of at most 126 bytes."""
        fields = [(":method", "POST"), (":scheme", "http"),
                  (":path", "/benchd.v1.SessionService/Watch"), (":authority", "localhost"),
                  ("content-type", "application/grpc"), ("te", "trailers")]
        block = b""
        for name, value in fields:
            block += b"\0"
            for text in (name, value):
                block += bytes((len(text),)) + text.encode()
        return block

    def answered(self):
        """Waits for the first bytes, without consuming them."""
        self._socket.settimeout(TIMEOUT_S)
        return bool(self._socket.recv(1, socket.MSG_PEEK))

    def close(self):
        self._socket.close()


class MemoryTrace(threading.Thread):
    """The daemon's resident memory during a block, sampled ten times per second."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self._pid = pid
        self._end = threading.Event()
        self.resident = [memory_of(pid)["VmRSS"]]
        self.start()

    def run(self):
        while not self._end.wait(0.1):
            self.resident.append(memory_of(self._pid)["VmRSS"])

    def stop(self):
        self._end.set()
        self.join()
        return self.resident


class LoadTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.link = Link(self.daemon.socket)
        self.addCleanup(self.link.close)

    def tell_memory(self, when):
        memory = memory_of(self.daemon.pid)
        resident, most = memory["VmRSS"] / MIB, memory["VmHWM"] / MIB
        print(f"memory {when}: {resident:.1f} MiB, at most {most:.1f}", flush=True)
        return memory["VmRSS"]

    def assert_grown_by_less(self, growth, allowed):
        if not SANITIZED:
            self.assertLess(growth, allowed)

    def spec(self, base="true", candidate="true", **more):
        gate = session_pb2.Gate(metric="n", ratio=0.02, better=session_pb2.BETTER_LOWER)
        return two_arms(base, candidate, self.folder, [gate], **more)

    # ---- many submissions ----

    def submit_all(self):
        """Each client submits one session after another: (ids, seconds of each call)."""
        spec = self.spec()
        ids, seconds = [], []
        under_way = asyncio.Semaphore(UNDER_WAY)

        async def client(number):
            async with grpc.aio.insecure_channel(
                    f"unix:{self.daemon.socket}", options=PATIENT_CHANNEL) as channel:
                stub = session_pb2_grpc.SessionServiceStub(channel)
                for _ in range(SUBMISSIONS):
                    request = session_pb2.SubmitRequest(spec=spec, request_id=str(uuid.uuid4()))
                    request.spec.labels["client"] = str(number)
                    async with under_way:
                        begin = time.monotonic()
                        answer = await stub.Submit(request, timeout=TIMEOUT_S)
                    seconds.append(time.monotonic() - begin)
                    ids.append(answer.session)

        async def everybody():
            await asyncio.gather(*(client(number) for number in range(CLIENTS)))

        asyncio.run(everybody())
        return ids, seconds

    def test_no_submission_is_lost(self):
        self.link.pause()
        before = self.tell_memory("before the submissions")
        begin = time.monotonic()
        ids, seconds = self.submit_all()
        took = time.monotonic() - begin
        p50, p99 = percentile(seconds, 0.5), percentile(seconds, 0.99)
        print(f"{len(ids)} submissions of {CLIENTS} clients in {took:.1f} s: "
              f"submit p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms", flush=True)
        self.assertEqual(len(set(ids)), CLIENTS * SUBMISSIONS)
        after = self.tell_memory("with all of them queued")
        self.assert_grown_by_less(after - before, FIXED_BYTES + QUEUED_SESSION_BYTES * len(ids))

        # With all of them queued, a list is complete and a submission is no slower.
        begin = time.monotonic()
        listed = self.link.list_all()
        print(f"list of {len(listed)} sessions: {time.monotonic() - begin:.2f} s", flush=True)
        self.assertEqual({entry.session for entry in listed}, set(ids))
        places = sorted(entry.queued.position for entry in listed)
        self.assertEqual(places, list(range(1, len(ids) + 1)))
        begin = time.monotonic()
        last = self.link.submit(self.spec(), str(uuid.uuid4()))
        alone = time.monotonic() - begin
        begin = time.monotonic()
        self.assert_exit(self.benchctl("cancel", last), 0)
        print(f"with them waiting: a submit {alone * 1e3:.1f} ms, a cancel by benchctl "
              f"{(time.monotonic() - begin) * 1e3:.1f} ms", flush=True)

        # Acknowledged sessions are stored and survive the process.
        self.daemon.kill()
        begin = time.monotonic()
        self.daemon.start()
        print(f"restart with {len(ids)} sessions: {time.monotonic() - begin:.2f} s", flush=True)
        again = [entry for entry in self.link.list_all()
                 if entry.state == session_pb2.SESSION_STATE_QUEUED]
        moved = [(was, now) for was, now in zip(self.in_order(listed), self.in_order(again))
                 if was != now]
        self.assertEqual((len(again), moved[:5]), (len(ids), []), "sessions lost their place")

    @staticmethod
    def in_order(sessions):
        return [entry.session for entry in sorted(sessions, key=lambda e: e.queued.position)]

    # ---- the end ----

    def slow_to_read(self):
        """An ended session with the largest permitted environment."""
        spec = self.spec(limits=session_pb2.Limits(runs=2))
        for number in range(1000):
            spec.environment[f"{number:04}" + "n" * 1000] = ""
        session = self.link.submit(spec, str(uuid.uuid4()))
        self.assert_exit(self.benchctl("cancel", session), 0)
        return session

    def test_it_ends_in_time_whatever_is_waiting(self):
        """As many pending reads as the clients can cause, and a running session."""
        request = session_pb2.GetSessionRequest(session=self.slow_to_read())
        self.link.submit(self.spec("sleep 10", "sleep 10"), str(uuid.uuid4()))
        channels = [grpc.insecure_channel(f"unix:{self.daemon.socket}", options=PATIENT_CHANNEL)
                    for _ in range(16)]
        calls = [session_pb2_grpc.SessionServiceStub(channel).Get.future(request, timeout=TIMEOUT_S)
                 for _ in range(READS // len(channels)) for channel in channels]
        grpc.channel_ready_future(channels[-1]).result(timeout=TIMEOUT_S)
        calls[0].exception(timeout=TIMEOUT_S)
        waiting = sum(not call.done() for call in calls)
        begin = time.monotonic()
        self.assertEqual(self.daemon.stop(), 0)
        took = time.monotonic() - begin
        answers = collections.Counter(
            call.code().name if call.exception(timeout=TIMEOUT_S) else "OK" for call in calls)
        for channel in channels:
            channel.close()
        print(f"{waiting} reads waiting: ended {took:.2f} s after SIGTERM; {dict(answers)}",
              flush=True)
        self.assertLess(took, ENDS_WITHIN_S)
        self.daemon.start()

    # ---- many watchers ----

    def watch_all(self, session, counts):
        """Watches over ten connections; returns the last event and the event count of each."""
        async def watch(stub, index):
            last = None
            async for event in stub.Watch(session_pb2.WatchRequest(session=session)):
                counts[index] += 1
                last = event
            return last

        async def everybody():
            channels = [grpc.aio.insecure_channel(
                f"unix:{self.daemon.socket}", options=PATIENT_CHANNEL) for _ in range(10)]
            stubs = [session_pb2_grpc.SessionServiceStub(channel) for channel in channels]
            try:
                return await asyncio.gather(
                    *(watch(stubs[index % 10], index) for index in range(WATCHERS)))
            finally:
                for channel in channels:
                    await channel.close()

        return asyncio.run(everybody())

    def start_watchers(self, session):
        counts = [0] * WATCHERS
        last = []
        thread = threading.Thread(target=lambda: last.extend(self.watch_all(session, counts)))
        thread.start()
        deadline = time.monotonic() + TIMEOUT_S
        while min(counts) == 0 and time.monotonic() < deadline:
            thread.join(0.02)  # each has its snapshot before the session proceeds
        self.assertGreater(min(counts), 0)
        return thread, counts, last

    def test_every_watcher_of_a_long_session_gets_the_verdict(self):
        before = self.tell_memory("before the watchers")
        gate = self.gate()
        holder = self.start_client(
            "compare", "--parse", "lines", "--metric", "n:2%:lower", gate.command, gate.command)
        holder.until("started")
        session = self.link.submit(
            self.spec(self.values("n:1000:1"), self.values("n:1000:1"),
                      limits=session_pb2.Limits(runs=RUNS // 2)), str(uuid.uuid4()))
        silent = SilentWatcher(self.daemon.socket, session)
        self.addCleanup(silent.close)
        self.assertTrue(silent.answered())
        thread, counts, last = self.start_watchers(session)
        self.tell_memory(f"with {WATCHERS} watchers")
        trace = MemoryTrace(self.daemon.pid)
        begin = time.monotonic()
        gate.open()
        thread.join(3 * TIMEOUT_S)
        took = time.monotonic() - begin
        resident = trace.stop()
        self.assertFalse(thread.is_alive(), "a watcher missed the end")
        self.assertEqual([event.WhichOneof("event") for event in last], ["verdict"] * WATCHERS)
        self.assertEqual({sum(entry.runs for entry in event.verdict.runs) for event in last},
                         {RUNS // 2 * 2})
        print(f"{WATCHERS} watchers of {RUNS} runs in {took:.1f} s: {sum(counts)} events, "
              f"{min(counts)} to {max(counts)} each; "
              f"memory meanwhile {min(resident) / MIB:.1f} to {max(resident) / MIB:.1f} MiB",
              flush=True)
        after = self.tell_memory("after them")
        allowed = FIXED_BYTES + WATCHER_BYTES * WATCHERS
        self.assert_grown_by_less(max(*resident, after) - before, allowed)
        holder.finish()
        self.assert_unharmed()

    def test_memory_does_not_grow_with_what_nobody_reads(self):
        """The second half of a session's updates takes no more memory than the first."""
        session = self.link.submit(
            self.spec(self.values("n:1000:1"), self.values("n:1000:1"),
                      limits=session_pb2.Limits(runs=RUNS)), str(uuid.uuid4()))
        silent = [SilentWatcher(self.daemon.socket, session) for _ in range(20)]
        for watcher in silent:
            self.addCleanup(watcher.close)
            self.assertTrue(watcher.answered())
        reader = Watcher(self.daemon.socket, session)
        self.addCleanup(reader.close)
        self.assertTrue(reader.wait(lambda w: sum(w.seen_runs().values()) > RUNS / 2))
        early = self.tell_memory(f"after {RUNS // 2} runs with 20 watchers that never read")
        self.assertEqual(reader.wait_for_end(3 * TIMEOUT_S).WhichOneof("event"), "verdict")
        late = self.tell_memory(f"after {2 * RUNS}")
        self.assert_grown_by_less(late - early, FIXED_BYTES / 4)
        self.assert_unharmed()


if __name__ == "__main__":
    main()
