"""What the explanation of a session of a real program takes: time, memory, and the size kept."""

import math
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import threading

from explained import explain, measured_session, options_of
from hostile_neighbour import MemoryPeak
from processes import memory_of, name_of
from table import Table

SECONDS = 60  # of the measured session
GZIP_BYTES = 5_000_000
SQL = ("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
       "SELECT i + 1 FROM n WHERE i < {rows}) INSERT INTO t SELECT i, hex(i * 7919) FROM n; "
       "CREATE INDEX x ON t(b); SELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%3A%';")
PYTHON = ("import json\n"
          "for _ in range({rounds}):\n"
          "    words = {{str(i): [i, i / 3] for i in range(20000)}}\n"
          "    assert len(json.loads(json.dumps(words))) == 20000\n")


def write_text(path):
    """Text of words that gzip compresses to about a third."""
    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(5000)]
    with path.open("w") as file:
        while file.tell() < GZIP_BYTES:
            file.write(" ".join(draw.choices(words, k=1000)) + "\n")


def arms(folder):
    """Two commands of each program that is installed: the second does somewhat more work."""
    text = folder / "text"
    write_text(text)
    pairs = {"gzip": [["gzip", "-c", f"-{level}", str(text)] for level in (5, 6)],
             "sqlite3": [["sqlite3", ":memory:", SQL.format(rows=rows)]
                         for rows in (300_000, 320_000)],
             "python3": [["/usr/bin/python3", "-c", PYTHON.format(rounds=rounds)]
                         for rounds in (16, 17)]}
    for name, pair in pairs.items():
        if shutil.which(pair[0][0]):
            yield name, pair
        else:
            print(f"skipped: {name} is not installed", file=sys.stderr)


def seconds_of(words):
    before = os.times()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return os.times().elapsed - before.elapsed


def descendants(pid):
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from descendants(int(child))
    except (FileNotFoundError, ProcessLookupError):
        pass


class HelperPeak(threading.Thread):
    """The peak of the memory of any process of benchd-helper while the block runs, in MiB.

    A helper ends within seconds, and its peak is read every 20 ms: a lower bound.
    """

    def __init__(self, runner):
        super().__init__(daemon=True)
        self._runner = runner
        self._ended = threading.Event()
        self.mib = 0.0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self.join()

    def run(self):
        while not self._ended.wait(0.02):
            for pid in descendants(self._runner):
                self._look(pid)

    def _look(self, pid):
        if name_of(pid) != "benchd-helper":
            return
        try:
            self.mib = max(self.mib, memory_of(pid).get("VmHWM", 0) / 2**20)
        except (FileNotFoundError, ProcessLookupError):
            pass


def kept(tool):
    """The size of the store in KiB, when its daemon has put everything in its place."""
    tool.daemon.stop()
    files = [path for path in (tool.daemon.folder / "state").rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1024
    tool.daemon.start()
    return size


def figures(tool, given, pair):
    """One row of the table."""
    runs = max(2, math.ceil(SECONDS / sum(map(seconds_of, pair))))
    before = kept(tool)
    session = measured_session(tool, *map(shlex.join, pair), "--runs", str(runs), "--warmup", "0",
                               "--max-time", f"{10 * SECONDS}s")
    measured = kept(tool)
    daemon, runner = tool.daemon.pid, tool.daemon.runner_pid()
    peaks = {"benchd": MemoryPeak(daemon), "runner": MemoryPeak(runner)}
    with HelperPeak(runner) as helper:
        last, seconds = explain(tool, session, *options_of(given))
    [one] = last["explanations"]
    row = {"runs": runs, "seconds": seconds, "blocks": one["blocks"],
           "samples": one["samples_reference"] + one["samples_candidate"],
           "helper": helper.mib, **{name: peak.mib() for name, peak in peaks.items()}}
    return row | {"measured": measured - before, "sampled": kept(tool) - measured}


def print_real(tool, given):
    table = Table(f"The explanation of a session of {SECONDS} s", [
        ("program", "program"), ("runs", "runs measured"), ("seconds", "explained in, s"),
        ("blocks", "blocks"), ("samples", "samples"), ("benchd", "benchd, peak MiB"),
        ("runner", "runner, peak MiB"), ("helper", "helper, peak MiB"),
        ("measured", "session kept, KiB"), ("sampled", "explanation kept, KiB")])
    for name, pair in arms(tool.daemon.folder):
        table.add(program=name, **figures(tool, given, pair))
    print(table.text() + "\n", flush=True)
