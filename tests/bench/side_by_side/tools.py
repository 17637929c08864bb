"""What starts a program many times: each as its users call it, and what it says of the runs.

A tool has a name and measure(program, runs), which starts `program` (a list of words) `2 * runs`
times, as two arms where the tool knows arms, and returns Measured. A tool that is not installed is
None in peers(), which says so by name.
"""

import contextlib
import csv
import dataclasses
import datetime
import io
import json
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))

from support import BIN, Daemon  # noqa: E402


@dataclasses.dataclass
class Measured:
    """The whole command's wall time, and the spread of the values of an arm, in seconds."""

    seconds: float
    median: float | None
    sd: float | None
    before: float | None = None  # of `seconds` until the first run, where that is known,
    after: float | None = None   # and after the last one


def run(words, **options):
    """Runs a command to its end; what it printed, as text."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, **options)
    # 0, 1 and 3 are verdicts.
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"error: {shlex.join(map(str, words))}: {done.stderr}{done.stdout}")
    return done


def timed(words, **options):
    begin = time.monotonic()
    done = run(words, **options)
    return time.monotonic() - begin, done


def measured(seconds, arms):
    """Of the arms' values: medians and standard deviations, averaged over the arms."""
    return Measured(seconds, statistics.fmean(statistics.median(arm) for arm in arms),
                    statistics.fmean(statistics.stdev(arm) for arm in arms))


def began_at(row):
    """Seconds since 1970 of a run, to the nanosecond that the export has."""
    whole, fraction = row["started_at"].removesuffix("Z").split(".")
    return datetime.datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + fraction)


class Benchctl:
    """benchctl and a user daemon of its own, in a folder of its own."""

    name = "benchctl"

    def __init__(self, folder):
        self.daemon = Daemon(folder).start()
        self.environment = dict(self.daemon.environment, BENCHD_SOCKET=str(self.daemon.socket))

    def run(self, *words):
        return run([BIN / "benchctl", *words], env=self.environment, cwd=self.daemon.folder)

    def compare(self, *words, cwd=None):
        """The last line of a comparison, and its seconds."""
        seconds, done = timed([BIN / "benchctl", "compare", "--json", *words],
                              env=self.environment, cwd=cwd or self.daemon.folder)
        return json.loads(done.stdout.splitlines()[-1]), seconds

    def rows(self, session):
        """The runs of a session, by the names of the export's columns."""
        text = self.run("export", session, "--format", "csv").stdout
        return list(csv.DictReader(io.StringIO(text)))

    def measure(self, program, runs):
        command = shlex.join(program)
        # As many starts as with every other tool.
        begin = time.time()
        verdict, seconds = self.compare("--warmup", "0", "--runs", str(runs), command, command)
        by_arm = {}
        rows = self.rows(verdict["session"])
        for row in rows:
            by_arm.setdefault(row["arm"], []).append(float(row["wall_time"]))
        found = measured(seconds, list(by_arm.values()))
        found.before = began_at(rows[0]) - begin
        found.after = begin + seconds - began_at(rows[-1]) - float(rows[-1]["wall_time"])
        return found


@contextlib.contextmanager
def benchctl():
    """For one part: a daemon that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="benchd-side-", dir="/tmp") as folder:
        tool = Benchctl(folder)
        try:
            yield tool
        finally:
            tool.daemon.stop()


class SpawnLoop:
    """posix_spawn and wait4, and nothing else: what no tool can do without."""

    name = "posix_spawn loop"

    @staticmethod
    def values(program, runs, *options, output="/dev/null"):
        """(wall, CPU) seconds of each run."""
        out = run([BIN / "spawn_loop", *options, runs, output, *program]).stdout
        return [tuple(map(float, line.split())) for line in out.splitlines()]

    def measure(self, program, runs):
        begin = time.monotonic()
        walls = [wall for wall, _ in self.values(program, 2 * runs)]
        return measured(time.monotonic() - begin, [walls])


class Hyperfine:
    def __init__(self, shell=False):
        self.name = "hyperfine" if shell else "hyperfine -N"
        self._options = [] if shell else ["-N"]

    def times(self, commands, *options):
        """Seconds of each run, a list for each command."""
        with tempfile.NamedTemporaryFile(prefix="benchd-side-", suffix=".json") as export:
            run(["hyperfine", *self._options, "--style", "none", *options, "--export-json",
                 export.name, *commands])
            return [result["times"] for result in json.load(export)["results"]]

    def measure(self, program, runs):
        command = shlex.join(program)
        begin = time.monotonic()
        arms = self.times([command, command], "--runs", str(runs))
        return measured(time.monotonic() - begin, arms)


class Multitime:
    name = "multitime"

    def measure(self, program, runs):
        seconds, done = timed(["multitime", "-q", "-s", "0", "-n", 2 * runs, *program])
        words = re.search(r"^real\s+(.*)$", done.stderr, re.MULTILINE).group(1).split()
        _mean, sd, _min, median, _max = (float(re.sub(r"\+/-.*", "", word)) for word in words)
        return Measured(seconds, median, sd)


class PerfStat:
    """It prints mean and standard error of the runs, no median."""

    name = "perf stat"

    def measure(self, program, runs):
        seconds, done = timed(["perf", "stat", "-r", 2 * runs, "-e", "task-clock", *program])
        found = re.search(r"([\d.]+) \+- ([\d.]+) seconds time elapsed", done.stderr)
        if not found:
            return Measured(seconds, None, None)
        return Measured(seconds, float(found.group(1)),
                        float(found.group(2)) * (2 * runs) ** 0.5)


def peers():
    """The other tools that are here, and a line for each that is not."""
    known = {"hyperfine": [Hyperfine(), Hyperfine(shell=True)], "multitime": [Multitime()],
             "perf": [PerfStat()]}
    here, missing = [SpawnLoop()], []
    for program, tools in known.items():
        if shutil.which(program):
            here += tools
        else:
            missing.append(f"skipped: {program} is not installed")
    return here, missing
