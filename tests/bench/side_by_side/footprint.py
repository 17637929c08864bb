"""The cost of an idle daemon, and the cost of watchers to the runs."""

import asyncio
import os
import pathlib
import shlex
import statistics
import threading
import time
import uuid

import machine
import tools
from grpc_client import PATIENT_CHANNEL, Link, grpc, session_pb2, session_pb2_grpc
from processes import memory_of
from support import PROGRAMS
from table import Table, spread

WATCHERS = (0, 10, 200)
CONNECTIONS = 10


def work_of(pid):
    """A process's CPU seconds, how often its threads were scheduled, and voluntary switches."""
    seconds = turns = switches = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        on_cpu, _, slices = (task / "schedstat").read_text().split()
        seconds += int(on_cpu) / 1e9
        turns += int(slices)
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                switches += int(line.split()[1])
    return seconds, turns, switches


def measure_idle(options):
    seconds = 5 if options.quick else 30
    rounds = options.rounds or (2 if options.quick else 5)
    table = Table(f"A daemon without anything to do, over {seconds} s", [
        ("process", "process"), ("wake_ups", "wake-ups a second"), ("switches", "voluntary switches"),
        ("cpu_us", "CPU, µs a second"), ("memory_mib", "resident, MiB")])
    table.note("a wake-up is a turn of one of its threads on a CPU; no peer has a daemon")
    with tools.benchctl() as benchctl:
        benchctl.measure(["/bin/true"], 8)
        pids = {"benchd": benchctl.daemon.pid, "benchd-runner": benchctl.daemon.runner_pid()}
        found = {name: [] for name in pids}
        for _ in range(rounds):
            before = {name: work_of(pid) for name, pid in pids.items()}
            time.sleep(seconds)
            for name, pid in pids.items():
                found[name].append([(after - was) / seconds
                                    for after, was in zip(work_of(pid), before[name])])
        for name, pid in pids.items():
            cpu, turns, switches = zip(*found[name])
            table.add(process=name, wake_ups=spread(turns), switches=spread(switches),
                      cpu_us=spread([1e6 * one for one in cpu]),
                      memory_mib=memory_of(pid)["VmRSS"] / 2**20)
    return table


class Watchers:
    """Many streams of one session over a few connections, in a thread of this process."""

    def __init__(self, socket, session, count, cpus):
        self._socket, self._session, self._count = socket, session, count
        self._cpus = cpus
        self._seen = [0] * count
        self._arrived = threading.Event()
        if count == 0:
            self._arrived.set()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._watch_all()))
        self._thread.start()

    async def _watch(self, stub, index):
        async for _ in stub.Watch(session_pb2.WatchRequest(session=self._session)):
            self._seen[index] += 1
            if min(self._seen) > 0:
                self._arrived.set()

    async def _watch_all(self):
        os.sched_setaffinity(0, self._cpus)  # of this thread: the CPUs of users' clients
        channels = [grpc.aio.insecure_channel(f"unix:{self._socket}", options=PATIENT_CHANNEL)
                    for _ in range(min(CONNECTIONS, self._count))]
        stubs = [session_pb2_grpc.SessionServiceStub(channel) for channel in channels]
        await asyncio.gather(*(self._watch(stubs[index % len(stubs)], index)
                               for index in range(self._count)))
        for channel in channels:
            await channel.close()

    def wait_until_all_watch(self):
        if not self._arrived.wait(60):
            raise SystemExit("error: a watcher got no first event")

    def end(self):
        """Waits for the session's end and returns the number of events."""
        self._thread.join()
        return sum(self._seen)


def watched_session(benchctl, link, command, runs, watchers):
    """Runs one session with that many watchers and returns its figures."""
    spec = session_pb2.SessionSpec(
        benchmarks=[session_pb2.Benchmark(arms=[
            session_pb2.Arm(command=command, cwd=str(benchctl.daemon.folder)) for _ in range(2)])],
        limits=session_pb2.Limits(runs=runs), environment={"PATH": "/usr/bin:/bin"})
    link.pause()
    session = link.submit(spec, str(uuid.uuid4()))
    # Use the housekeeping CPUs, where clients run during sessions.
    cpus = os.sched_getaffinity(benchctl.daemon.runner_pid())
    crowd = Watchers(benchctl.daemon.socket, session, watchers, cpus)
    crowd.wait_until_all_watch()
    before = work_of(benchctl.daemon.pid)
    begin = time.monotonic()
    link.resume()
    benchctl.run("watch", session)
    seconds = time.monotonic() - begin
    cpu, turns, _ = (after - was for after, was in zip(work_of(benchctl.daemon.pid), before))
    events = crowd.end()
    walls = [float(row["wall_time"]) * 1e6 for row in benchctl.rows(session)]
    return {"cost_us": seconds / (2 * runs) * 1e6, "value_us": statistics.median(walls),
            "sd_us": statistics.stdev(walls), "cpu_us": cpu / (2 * runs) * 1e6,
            "turns": turns / (2 * runs), "events": events / seconds,
            "memory_mib": memory_of(benchctl.daemon.pid)["VmRSS"] / 2**20}


def measure_watchers(options):
    rounds = options.rounds or (2 if options.quick else 5)
    runs = 100 if options.quick else 300
    spin = str(PROGRAMS / "spin")
    command = shlex.join([spin, str(machine.steps_of(spin, 5))])
    table = Table("Runs of 5 ms of CPU under the eyes of watchers", [
        ("watchers", "watchers"), ("runs", "runs a round"), ("cost_us", "cost of a run, µs"),
        ("value_us", "median wall_time, µs"), ("sd_us", "its standard deviation, µs"),
        ("cpu_us", "benchd's CPU a run, µs"), ("turns", "its wake-ups a run"),
        ("events", "events a second"), ("memory_mib", "its memory, MiB")])
    table.note("and one benchctl watch; the watchers are threads of one Python program on the "
               "housekeeping CPUs")
    with tools.benchctl() as benchctl:
        link = Link(benchctl.daemon.socket)
        found = {count: [] for count in WATCHERS}
        for _ in range(rounds):
            for count in WATCHERS:
                found[count].append(watched_session(benchctl, link, command, runs, count))
        link.close()
    for count, figures in found.items():
        table.add(watchers=count, runs=2 * runs,
                  **{key: spread([one[key] for one in figures]) for key in figures[0]})
    return table
