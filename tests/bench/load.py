"""Measures a full store and a full queue, and compares with another build.

    load.py --before DIR [--rounds N] [--queued N] [--stored N]

DIR contains the other build's programs (CHECKOUT/build/release/bin). In turn (this build, the
other, the other, this one, ...) each gets a daemon of its own in a temporary folder, paused, and
one gRPC client, which makes one call after another:

- N sessions are submitted to a store in memory, where a sync costs nothing (on a disk their syncs
take minutes); then come lists, cancels and moves in the middle, and a start with them
- a start with N sessions that have ended (one real session, copied in the database before the first
  round; a thousand copies share a benchmark's name), then lists, a submit, a show, and the commands
  show, watch, history and list --label of benchctl

A figure is the median of the rounds with their range. CPU time is that of all threads of benchd; it
is more reliable on a shared machine. It judges nothing.
"""

import argparse
import contextlib
import itertools
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "side_by_side"), str(HERE.parent / "e2e")]

from machine import facts  # noqa: E402
from processes import memory_of  # noqa: E402
from support import BIN, Daemon  # noqa: E402
from table import Table, spread  # noqa: E402

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # of session IDs, core/model/session_spec.cc
CALLS = 50  # calls to a full queue or store
PIECE = 1000


class Build:
    """The daemon of one build, and its measurements."""

    def __init__(self, name, folder, programs):
        self.name, self._programs = name, programs
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.figures = {}
        self.daemon = self.link = None

    def note(self, what, **values):
        """The figures of one round, by operation and unit."""
        for unit, value in values.items():
            self.figures.setdefault((what, unit), []).append(value)

    def start(self, store):
        """A daemon with its sessions in the folder of that name."""
        from grpc_client import Link, queue_pb2
        folder = self.folder / store
        folder.mkdir(exist_ok=True)
        self.daemon = Daemon(folder)
        command = [self._programs / "benchd", "--user", "--force", "--socket", self.daemon.socket,
                   "--state-dir", folder, "--runtime-dir", folder / "run"]
        begun = time.monotonic()
        self.daemon.start(command)
        ready = time.monotonic() - begun
        self.link = Link(self.daemon.socket)
        self.link.call(self.link.queue.Get, queue_pb2.GetQueueRequest())
        answered = time.monotonic() - begun
        return {"READY, s": ready, "first answer, s": answered, "CPU, s": self.cpu(),
                "memory, MiB": memory_of(self.daemon.pid)["VmRSS"] / 2**20}

    def stop(self):
        self.link.close()
        if self.daemon.stop() != 0:
            raise SystemExit(f"error: {self.name}: benchd failed:\n{self.daemon.log_text()}")
        self.daemon = None

    def cpu(self):
        """CPU seconds of benchd, by a process's CPU clock as in clock_getcpuclockid(3)."""
        return time.clock_gettime((~self.daemon.pid << 3) | 2)

    def clocks(self):
        return time.monotonic(), self.cpu()

    def timed(self, what, calls):
        """The mean duration of each call in milliseconds."""
        begun = self.clocks()
        for call in calls:
            call()
        self.note_time(what, "ms", begun, self.clocks(), len(calls) / 1000)

    def note_time(self, what, unit, begin, end, number):
        """The difference of two readings of clocks(), for each of that many operations."""
        for name, was, now in zip(("wall", "CPU"), begin, end):
            self.note(what, **{f"{name}, {unit}": (now - was) / number})

    def benchctl(self, *words):
        done = subprocess.run(
            [self._programs / "benchctl", *words], capture_output=True, text=True, check=False,
            env=dict(self.daemon.environment, BENCHD_SOCKET=str(self.daemon.socket)))
        if done.returncode not in (0, 1, 3):  # 0, 1 and 3 are verdicts
            raise SystemExit(f"error: {self.name}: benchctl {words[0]}: {done.stderr}")


def submit(build, count):
    """The IDs of that many new sessions; the clocks at the start and after each piece."""
    from grpc_client import two_arms
    submitted, clocks, spec = [], [build.clocks()], two_arms("true", "true", "/tmp", [])
    for number in range(1, count + 1):
        submitted.append(build.link.submit(spec, str(uuid.uuid4())))
        if number % PIECE == 0:
            clocks.append(build.clocks())
    return submitted, clocks


def lists(build, everything, kept, times):
    """Lists the newest 20 and, several times, all sessions; returns their number."""
    from grpc_client import session_pb2
    newest = session_pb2.ListSessionsRequest(all=everything, page_size=20)
    listed = []
    build.timed(f"{kept}: list the newest 20",
                [lambda: build.link.call(build.link.sessions.List, newest)] * CALLS)
    build.timed(f"{kept}: list all of them",
                [lambda: listed.append(len(build.link.list_all()))] * times)
    return listed[0]


def measure_queue(build, count):
    from grpc_client import session_pb2
    kept = f"{count:,} queued"
    with tempfile.TemporaryDirectory(prefix="benchd-load-", dir="/dev/shm") as store:
        build.start(store)
        build.link.pause()
        submitted, clocks = submit(build, count)
        pieces = len(clocks) - 1
        build.note_time(f"{kept}: submit 1,000 of them", "s", clocks[0], clocks[-1], pieces)
        build.note_time(f"{kept}: submit the last 1,000", "s", clocks[-2], clocks[-1], 1)
        listed = lists(build, False, kept, 5)
        if listed != count:
            raise SystemExit(f"error: {build.name}: {listed} of {count} sessions listed")
        build.timed(f"{kept}: benchctl list --all", [lambda: build.benchctl("list", "--all")] * 5)
        middle = submitted[count // 2:][:2 * CALLS]
        build.timed(f"{kept}: move one from the middle", [
            lambda session=session: build.link.call(
                build.link.sessions.Move, session_pb2.MoveRequest(session=session, priority=1))
            for session in middle[::2]])
        build.timed(f"{kept}: cancel one in the middle", [
            lambda session=session: build.link.call(
                build.link.sessions.Cancel, session_pb2.CancelRequest(session=session))
            for session in middle[1::2]])
        build.stop()
        build.note(f"{kept}: start", **build.start(store))
        build.stop()


def prepare_store(build, count):
    """One real session and that many copies of it with all their rows."""
    build.start("stored")
    build.benchctl("compare", "--runs", "8", "--label", "kind=stored", "true", "true")
    build.link.pause()
    build.stop()
    draw = random.Random(5)
    path = build.folder / "stored/benchd.db"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TEMP TABLE fresh (n INTEGER PRIMARY KEY, id TEXT, request TEXT)")
        database.executemany("INSERT INTO fresh VALUES (?, ?, ?)", (
            (n, "".join(draw.choices(ALPHABET, k=8)), str(uuid.UUID(int=draw.getrandbits(128))))
            for n in range(1, count)))
        old, snapshot = database.execute("SELECT id, snapshot FROM sessions").fetchone()
        metric_lists, = database.execute("SELECT count(*) FROM metric_lists").fetchone()
        told = f"replace(snapshot, '{old}', fresh.id)"
        # One millisecond apart.
        for name, value in json.loads(snapshot).items():
            if isinstance(value, int) and value > 10**18:
                field = f'"{name}":'
                told = f"replace({told}, '{field}{value}', '{field}' || ({value} + n * 1000000))"
        later = {name: f"{name} + n * 1000000" for name in
                 ("submitted_at_ns", "ended_at_ns", "at_ns", "started_at_ns")}
        changed = {
            "sessions": {"key": "key + n", "id": "fresh.id", "request_id": "fresh.request",
                         "snapshot": told},
            "events": {"session": "session + n"},
            "metric_lists": {"key": f"key + n * {metric_lists}", "session": "session + n"},
            "metrics": {"session": "session + n"},
            "runs": {"session": "session + n", "metric_list": f"metric_list + n * {metric_lists}"},
            "logs": {"key": "NULL", "session": "session + n"},
            "labels": {"session": "session + n"},
            "summaries": {"number": "NULL", "session": "fresh.id",
                          "benchmark": f"benchmark || (n / {PIECE})",
                          "summary": f"replace(summary, '{old}', fresh.id)"}}
        for table, columns in changed.items():
            there = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            if not there:
                continue  # another version
            values = ", ".join({**later, **columns}.get(name, f"{table}.{name}") for name in there)
            database.execute(f"INSERT INTO {table} ({', '.join(there)}) SELECT {values} "
                             f"FROM fresh CROSS JOIN (SELECT * FROM {table}) AS {table} ORDER BY n")
        spec, state = database.execute(
            "SELECT avg(length(spec)), avg(length(snapshot)) FROM sessions").fetchone()
        build.note("a stored session", **{"spec, bytes": spec, "state, bytes": state})
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def measure_store(build, count):
    from grpc_client import session_pb2
    kept = f"{count:,} stored"
    build.note(f"{kept}: start", **build.start("stored"))
    listed = lists(build, True, kept, 1)
    if listed != count:
        raise SystemExit(f"error: {build.name}: {listed} of {count} sessions listed")
    request = session_pb2.ListSessionsRequest(all=True, page_size=1)
    newest = build.link.call(build.link.sessions.List, request).sessions[0].session
    build.timed(f"{kept}: show one", [lambda: build.link.get(newest)] * CALLS)
    build.timed(f"{kept}: submit one", [lambda: submit(build, 1)] * CALLS)
    for words in (("show", newest), ("watch", newest), ("history", "main1"), ("list",),
                  ("list", "--all", "--label", "kind=other")):
        told = [word if word != newest else "ID" for word in words]
        build.timed(f"{kept}: benchctl {' '.join(told)}",
                    [lambda words=words: build.benchctl(*words)] * (CALLS // 5))
    build.stop()
    # So that the next round starts in the same state.
    with contextlib.closing(sqlite3.connect(build.folder / "stored/benchd.db")) as database:
        database.execute("PRAGMA foreign_keys = ON")
        with database:
            database.execute("DELETE FROM sessions WHERE state = 'queued'")


def print_figures(builds, rounds):
    before, after = (builds[name].figures for name in ("before", "after"))
    table = Table(f"Before and after: median (range) of {rounds} rounds", [
        ("what", "what"), ("unit", ""), ("before", "before"), ("after", "after"),
        ("ratio", "after / before")])
    for what, unit in after:
        was, now = spread(before[what, unit]), spread(after[what, unit])
        table.add(what=what, unit=unit, before=was, after=now, ratio=now["median"] / was["median"])
    table.note(", ".join(f"{name}: {value}" for name, value in facts().items()))
    print(table.text(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=pathlib.Path, required=True, metavar="DIR",
                        help="programs of the other build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queued", type=int, default=10_000, metavar="N", help="whole thousands")
    parser.add_argument("--stored", type=int, default=100_000, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchd-load-", dir="/tmp") as folder:
        builds = {name: Build(name, folder, programs.resolve())
                  for name, programs in (("after", BIN), ("before", options.before))}
        try:
            for build in builds.values():
                prepare_store(build, options.stored)
            turns = itertools.cycle(["after", "before", "before", "after"])
            for name in itertools.islice(turns, 2 * options.rounds):
                begun = time.monotonic()
                measure_queue(builds[name], options.queued)
                measure_store(builds[name], options.stored)
                print(f"{name}: {time.monotonic() - begun:.0f} s, load {os.getloadavg()[0]:.1f}",
                      file=sys.stderr, flush=True)
            print_figures(builds, options.rounds)
        finally:
            for build in builds.values():
                if build.daemon is not None:
                    build.daemon.stop()


if __name__ == "__main__":
    main()
