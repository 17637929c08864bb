#!/usr/bin/env python3
"""Measures how long a session takes next to a program that writes to the same disk, and hyperfine.

    beside_writer.py [--programs DIR] [--before DIR] [--other-hyperfine COMMAND]
                     [--rounds N] [--runs N] [--mib N] [--writer-cpus LIST] COMMAND

In each round, alone and then while `dd ... conv=fdatasync` writes N MiB next to the daemon's state,
`hyperfine -N` and `benchctl compare COMMAND COMMAND` make the same number of runs, in random order. With --before,
the daemon of another build (a folder of programs) does so, too; with --other-hyperfine, another
version of hyperfine, which COMMAND starts. --writer-cpus keeps the writer on those CPUs, as an
isolated machine keeps it on the housekeeping CPUs. For each, the report has the median of the rounds with
their range: seconds of the whole command, and of the session itself (from its first run to its
verdict); the interquartile range of all its runs' times; and both as multiples of hyperfine's in
the same round. It judges nothing and needs Debian's hyperfine.
"""

import argparse
import json
import os
import pathlib
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "side_by_side"), str(HERE.parent / "e2e")]

from support import BIN, Daemon  # noqa: E402
from table import Table, spread  # noqa: E402
from tools import times_of  # noqa: E402


def quartile_range(values):
    low, _, high = statistics.quantiles(values, n=4)
    return high - low


class Hyperfine:
    def __init__(self, folder, program="hyperfine"):
        self.json = folder / "hyperfine.json"
        self.program = shlex.split(program)
        version = subprocess.run([*self.program, "--version"], capture_output=True, text=True,
                                 check=True).stdout.split()[-1]
        self.name = f"hyperfine -N {version}" + ("" if program == "hyperfine" else ", the other")

    def measure(self, command, runs):
        begin = time.monotonic()
        subprocess.run([*self.program, "-N", "--warmup", "1", "--runs", str(runs), "--export-json",
                        self.json, command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=True)
        took = time.monotonic() - begin
        times = times_of(json.loads(self.json.read_text())["results"][0])
        return {"took": took, "session": took, "iqr": 1e6 * quartile_range(times)}

    def close(self):
        pass


class Benchd:
    def __init__(self, name, folder, programs):
        self.name, self.programs = name, programs
        self.folder = folder / name
        self.folder.mkdir()
        self.daemon = Daemon(self.folder)
        self.daemon.start([programs / "benchd", "--user", "--force", "--socket",
                           self.daemon.socket, "--state-dir", self.folder / "state",
                           "--runtime-dir", self.folder / "run"])

    def benchctl(self, *words):
        return subprocess.run(
            [self.programs / "benchctl", *map(str, words)], capture_output=True, text=True,
            check=False, env=dict(self.daemon.environment, BENCHD_SOCKET=str(self.daemon.socket)))

    def measure(self, command, runs):
        begin = time.monotonic()
        done = self.benchctl("compare", "--json", "--runs", runs // 2, command, command)
        took = time.monotonic() - begin
        if done.returncode not in (0, 1, 3):
            raise SystemExit(f"error: {self.name}: {done.stderr}")
        verdict = json.loads(done.stdout.splitlines()[-1])
        exported = self.benchctl("export", "--format", "csv", verdict["session"])
        rows = [line.split(",") for line in exported.stdout.splitlines()
                if line and not line.startswith("#")]
        wall = rows[0].index("wall_time")
        times = [float(row[wall]) for row in rows[1:]]
        return {"took": took, "session": verdict["elapsed_s"], "iqr": 1e6 * quartile_range(times)}

    def close(self):
        if self.daemon.stop() != 0:
            raise SystemExit(f"error: {self.name}: benchd failed:\n{self.daemon.log_text()}")


class Writer:
    """Writes repeatedly until it is stopped."""

    def __init__(self, folder, mib, cpus=None):
        self.file = folder / "written"
        script = (f"while :; do dd if=/dev/zero of={self.file} bs=1M count={mib} conv=fdatasync; "
                  "done")
        confined = ["taskset", "--cpu-list", cpus] if cpus else []
        self.process = subprocess.Popen([*confined, "sh", "-c", script], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(1)  # it is writing; the exact progress does not matter

    def close(self):
        os.killpg(self.process.pid, 9)
        self.process.wait()
        self.file.unlink(missing_ok=True)
        os.sync()


def one_state(tools, command, runs, figures, state, draw):
    """Runs each tool once, in random order, because the load of the writer changes as its file
    grows. Adds its figures, also as multiples of the first tool's."""
    measured = {tool: tool.measure(command, runs) for tool in draw.sample(tools, len(tools))}
    for tool in tools:
        for what, value in measured[tool].items():
            figures.setdefault((state, tool.name, what), []).append(value)
            figures.setdefault((state, tool.name, f"{what}, times"), []).append(
                value / measured[tools[0]][what])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", nargs="?", default="/bin/true")
    parser.add_argument("--programs", type=pathlib.Path, default=BIN)
    parser.add_argument("--before", type=pathlib.Path, help="programs of another build")
    parser.add_argument("--other-hyperfine", metavar="COMMAND",
                        help="command that starts another version of hyperfine")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--runs", type=int, default=700)
    parser.add_argument("--mib", type=int, default=3072)
    parser.add_argument("--writer-cpus", metavar="LIST", help="CPUs of the writer (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the tools")
    parser.add_argument("--folder", type=pathlib.Path, default="/var/tmp",
                        help="folder on the disk to measure")
    arguments = parser.parse_args()
    if shutil.which("hyperfine") is None:
        raise SystemExit("error: hyperfine: not found\nhint: apt install hyperfine")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-writer-", dir=arguments.folder))
    others = [Hyperfine(folder, other) for other in [arguments.other_hyperfine] if other]
    tools = [Hyperfine(folder), Benchd("benchd", folder, arguments.programs), *others]
    if arguments.before:
        tools.append(Benchd("before", folder, arguments.before))
    figures = {}
    print(f"seed {arguments.seed}")
    draw = random.Random(arguments.seed)
    try:
        for _ in range(arguments.rounds):
            one_state(tools, arguments.command, arguments.runs, figures, "alone", draw)
            writer = Writer(folder, arguments.mib, arguments.writer_cpus)
            try:
                one_state(tools, arguments.command, arguments.runs, figures, "beside a writer",
                          draw)
            finally:
                writer.close()
    finally:
        for tool in tools:
            tool.close()
        shutil.rmtree(folder)
    table = Table(f"{arguments.runs} runs of {arguments.command}", [
        ("state", ""), ("tool", ""), ("took", "s"), ("took, times", "× hyperfine"),
        ("session", "session, s"), ("session, times", "× hyperfine"), ("iqr", "IQR, µs"),
        ("iqr, times", "× hyperfine")])
    for state in ("alone", "beside a writer"):
        for tool in tools:
            row = {what: spread(figures[state, tool.name, what]) for what in
                   ("took", "took, times", "session", "session, times", "iqr", "iqr, times")}
            table.rows.append({"state": state, "tool": tool.name, **row})
    print(table.text())


if __name__ == "__main__":
    sys.exit(main())
