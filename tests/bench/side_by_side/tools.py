"""Tools that start a program many times: each is called as its users do, and its output is read.

A tool has a name and measure(program, runs). It starts `program` (a list of words) `2 * runs`
times, as two arms if the tool supports arms, and returns Measured. A tool that is not installed is
None in peers(), which names it.
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
    """The whole command's wall time, and the spread of an arm's values, in seconds."""

    seconds: float
    median: float | None
    sd: float | None
    before: float | None = None  # part of `seconds` before the first run, if known,
    after: float | None = None   # and after the last one


def run(words, **options):
    """Runs a command to completion and returns its output as text."""
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
    """The medians and standard deviations of the arms' values, averaged over the arms."""
    return Measured(seconds, statistics.fmean(statistics.median(arm) for arm in arms),
                    statistics.fmean(statistics.stdev(arm) for arm in arms))


def began_at(row):
    """The start of a run in seconds since 1970, with the export's nanoseconds."""
    whole, fraction = row["started_at"].removesuffix("Z").split(".")
    return datetime.datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + fraction)


class Benchctl:
    """benchctl with its own user daemon, in a separate folder."""

    name = "benchctl"

    def __init__(self, folder):
        self.daemon = Daemon(folder).start()
        self.environment = dict(self.daemon.environment, BENCHD_SOCKET=str(self.daemon.socket))

    def run(self, *words):
        return run([BIN / "benchctl", *words], env=self.environment, cwd=self.daemon.folder)

    def compare(self, *words, cwd=None):
        """The last line of a comparison, and its duration in seconds."""
        seconds, done = timed([BIN / "benchctl", "compare", "--json", *words],
                              env=self.environment, cwd=cwd or self.daemon.folder)
        return json.loads(done.stdout.splitlines()[-1]), seconds

    def rows(self, session):
        """The runs of a session, by the column names of the export."""
        text = self.run("export", session, "--format", "csv").stdout
        return list(csv.DictReader(io.StringIO(text)))

    def measure(self, program, runs):
        command = shlex.join(program)
        # As many starts as with the other tools.
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
    """A daemon that runs for one part."""
    with tempfile.TemporaryDirectory(prefix="benchd-side-", dir="/tmp") as folder:
        tool = Benchctl(folder)
        try:
            yield tool
        finally:
            tool.daemon.stop()


class SpawnLoop:
    """Only posix_spawn and wait4: the minimum that every tool needs."""

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


def times_of(result):
    """Seconds of each run of a command, in the JSON of hyperfine 2 or of an earlier version."""
    if "times" in result:
        return result["times"]
    return [one["time_wall_clock"]["value"] for one in result["measurements"]]


class Hyperfine:
    def __init__(self, shell=False):
        self.name = "hyperfine" if shell else "hyperfine -N"
        self._options = [] if shell else ["-N"]

    def times(self, commands, *options):
        """Seconds of each run, one list per command."""
        with tempfile.NamedTemporaryFile(prefix="benchd-side-", suffix=".json") as export:
            run(["hyperfine", *self._options, "--style", "none", *options, "--export-json",
                 export.name, *commands])
            return [times_of(result) for result in json.load(export)["results"]]

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
    """It prints the mean and standard error of the runs, not the median."""

    name = "perf stat"

    def measure(self, program, runs):
        seconds, done = timed(["perf", "stat", "-r", 2 * runs, "-e", "task-clock", *program])
        found = re.search(r"([\d.]+) \+- ([\d.]+) seconds time elapsed", done.stderr)
        if not found:
            return Measured(seconds, None, None)
        return Measured(seconds, float(found.group(1)),
                        float(found.group(2)) * (2 * runs) ** 0.5)


def peers():
    """The other tools that are installed, and one line for each missing one."""
    known = {"hyperfine": [Hyperfine(), Hyperfine(shell=True)], "multitime": [Multitime()],
             "perf": [PerfStat()]}
    here, missing = [SpawnLoop()], []
    for program, tools in known.items():
        if shutil.which(program):
            here += tools
        else:
            missing.append(f"skipped: {program} is not installed")
    return here, missing
