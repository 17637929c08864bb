"""Costs that grow with the store: start-up and commands with many sessions and with many samples;
and `analyze` compared with numpy on the same file."""

import contextlib
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import tempfile
import time
import uuid

import tools
from footprint import work_of
from processes import memory_of
from support import BIN
from table import Table, spread

SESSIONS = (1_000, 10_000, 100_000)
SAMPLES = 10_000_000
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # of session IDs, core/model/session_spec.cc
NUMPY = """
import math, sys, numpy
rows = numpy.loadtxt(sys.argv[1], delimiter=',', skiprows=1,
                     dtype=[('arm', 'U16'), ('pair', int), ('value', float)])
base, candidate = (rows['value'][rows['arm'] == arm] for arm in ('base', 'candidate'))
ratio = numpy.log(candidate.mean() / base.mean())
u = candidate / candidate.mean() - base / base.mean()
half = 2.576 * u.std(ddof=1) / math.sqrt(len(u))
print(numpy.expm1(ratio - half), numpy.expm1(ratio + half))
"""


def add_sessions(path, sessions, numbers):
    """Copies the newest session, without its runs, until there are that many."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.row_factory = sqlite3.Row
        model = dict(database.execute("SELECT * FROM sessions ORDER BY key LIMIT 1").fetchone())
        events = [tuple(row)[1:] for row in database.execute(
            "SELECT * FROM events WHERE session = ? ORDER BY seq", (model["key"],))]
        there, last = database.execute("SELECT count(*), max(key) FROM sessions").fetchone()
        for number in range(1, sessions - there + 1):
            new = "".join(numbers.choice(ALPHABET) for _ in range(8))
            row = dict(model, key=last + number, id=new, request_id=str(uuid.uuid4()),
                       snapshot=model["snapshot"].replace(model["id"], new),
                       submitted_at_ns=model["submitted_at_ns"] + number,
                       ended_at_ns=model["ended_at_ns"] + number)
            marks = ", ".join("?" * len(row))
            database.execute(f"INSERT INTO sessions ({', '.join(row)}) VALUES ({marks})",
                             tuple(row.values()))
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?)",
                                 [(row["key"], *event) for event in events])


def add_samples(path, session, samples):
    """Repeats the session's measured runs, block by block, until there are that many samples."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        names = [column[1] for column in database.execute("PRAGMA table_info(runs)")]
        key, = database.execute("SELECT key FROM sessions WHERE id = ?", (session,)).fetchone()
        rows = [dict(zip(names, row)) for row in database.execute(
            "SELECT * FROM runs WHERE session = ? ORDER BY seq", (key,))]
        measured = [row for row in rows if row["phase"] == "measured"]
        per_run = len(measured[0]["samples"]) // 16
        seq, block = rows[-1]["seq"], max(row["block"] for row in measured)
        blocks = len({row["block"] for row in measured})

        def repeated():
            left = samples // per_run - len(measured)
            for number in range(left):
                row = measured[number % len(measured)]
                around = number // len(measured) * blocks
                yield tuple(dict(row, seq=seq + 1 + number,
                                 block=block + 1 + around + row["block"]).values())

        marks = ", ".join("?" * len(names))
        database.executemany(f"INSERT INTO runs VALUES ({marks})", repeated())


def milliseconds(action, times):
    found = []
    for _ in range(times):
        begin = time.monotonic()
        action()
        found.append((time.monotonic() - begin) * 1000)
    return spread(found)


def restart(benchctl):
    """The duration of a start in milliseconds."""
    benchctl.daemon.stop()
    return milliseconds(benchctl.daemon.start, 1)["median"]


def start_figures(benchctl, times):
    """The durations of some starts, and the state after the last one."""
    starts = [restart(benchctl) for _ in range(times)]
    pid = benchctl.daemon.pid
    return {"start_ms": spread(starts), "start_cpu_ms": work_of(pid)[0] * 1000,
            "memory_mib": memory_of(pid)["VmRSS"] / 2**20}


def measure_sessions(table, benchctl, options):
    numbers = random.Random(5)
    times = 3 if options.quick else 15
    for sessions in SESSIONS[:2] if options.quick else SESSIONS:
        benchctl.daemon.stop()
        add_sessions(benchctl.daemon.database, sessions, numbers)
        benchctl.daemon.start()
        started = start_figures(benchctl, 3)
        newest = json.loads(benchctl.run("list", "--all", "--json").stdout.splitlines()[0])
        benchctl.run("pause")
        submitted = milliseconds(lambda: benchctl.run("submit", "/bin/true", "/bin/true"), times)
        table.add(
            kept=f"{sessions:,} sessions", **started, submit_ms=submitted,
            list_ms=milliseconds(lambda: benchctl.run("list"), times),
            show_ms=milliseconds(lambda: benchctl.run("show", newest["session"]), times))
        for line in benchctl.run("list", "--json").stdout.splitlines():
            if json.loads(line).get("state") == "queued":
                benchctl.run("cancel", json.loads(line)["session"])
        benchctl.run("resume")


def measure_samples(table, benchctl, session, options):
    samples = SAMPLES // (100 if options.quick else 1)
    benchctl.daemon.stop()
    add_samples(benchctl.daemon.database, session, samples)
    benchctl.daemon.start()
    started = start_figures(benchctl, 1)
    times = 1 if options.quick else 3
    file = pathlib.Path(benchctl.daemon.folder) / "runs.csv"

    def export():
        with open(file, "wb") as out:
            subprocess.run([BIN / "benchctl", "export", session, "--format", "csv"], stdout=out,
                           env=benchctl.environment, check=True)

    table.add(kept=f"{samples:,} samples in one session", **started,
              submit_ms=milliseconds(lambda: benchctl.run("submit", "/bin/true", "/bin/true"), times),
              list_ms=milliseconds(lambda: benchctl.run("list"), times),
              show_ms=milliseconds(lambda: benchctl.run("show", session), times),
              export_ms=milliseconds(export, times))
    table.note(f"the export has {file.stat().st_size / 1e6:.0f} MB")


def measure(options):
    table = Table("With much in the store, in ms of the whole command", [
        ("kept", "kept"), ("start_ms", "benchd's start"), ("start_cpu_ms", "its CPU time"),
        ("memory_mib", "its memory then, MiB"), ("submit_ms", "submit"),
        ("list_ms", "list"), ("show_ms", "show"), ("export_ms", "export --format csv")])
    with tools.benchctl() as benchctl:
        floor = milliseconds(lambda: benchctl.run("version"), 15)
        table.note(f"`benchctl version`, which asks the daemon for nothing else: "
                   f"{floor['median']:.1f} ms ({floor['low']:.1f} to {floor['high']:.1f})")
        verdict, _ = benchctl.compare("--runs", "8", "/bin/true", "/bin/true")
        measure_sessions(table, benchctl, options)
        measure_samples(table, benchctl, verdict["session"], options)
    return table


def measure_analyze(options):
    rows = 100_000 if options.quick else 1_000_000
    rounds = options.rounds or (2 if options.quick else 5)
    table = Table(f"A CSV of {rows:,} rows, two arms in pairs: rows a second", [
        ("program", "program"), ("seconds", "seconds in all"), ("cpu_s", "of CPU"),
        ("rate", "rows a second of CPU")])
    table.note("of CPU: benchctl takes a low priority for what it computes, so that it disturbs no run")
    numbers = random.Random(7)
    with tempfile.TemporaryDirectory(prefix="benchd-side-") as folder:
        file = pathlib.Path(folder) / "rows.csv"
        with open(file, "w", encoding="ascii") as out:
            out.write("arm,pair,value\n")
            for row in range(rows):
                out.write(f"{('base', 'candidate')[row % 2]},{row // 2},{numbers.gauss(1, .05)!r}\n")
        commands = {
            "benchctl analyze --method fixed": [BIN / "benchctl", "analyze", file, "--method",
                                                "fixed"],
            "benchctl analyze (every look)": [BIN / "benchctl", "analyze", file],
        }
        if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], capture_output=True,
                          check=False).returncode == 0:
            commands["numpy: loadtxt and one interval"] = ["/usr/bin/python3", "-c", NUMPY, file]
        else:
            table.note("skipped: numpy is not installed (python3-numpy)")
        found = {name: [] for name in commands}
        for _ in range(rounds):
            for name, words in commands.items():
                before = os.times()
                seconds = tools.timed(words)[0]
                after = os.times()
                found[name].append((seconds, after.children_user + after.children_system
                                    - before.children_user - before.children_system))
    for name, timed in found.items():
        seconds, cpu = zip(*timed)
        table.add(program=name, seconds=spread(seconds), cpu_s=spread(cpu),
                  rate=spread([rows / one for one in cpu]))
    return table
