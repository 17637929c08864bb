#!/usr/bin/env python3
"""Counts the red jobs of `benchctl ci` beside busy neighbours, at the gate that it recommends.

    ci_jobs.py [--jobs N] [--max-time DURATION] [--calibrate DURATION] [--neighbours N]
               [--seed N] [--records FILE]

A repository has a program in C that runs for some 30 ms, and a commit that changes nothing. While
neighbours compute in bursts, one job with a calibration names a metric and a margin that --max-time
can decide. Then N jobs compare the commit that changes nothing, and N one that does more work by
twice that margin, in random order, with this gate and within that time. The neighbours begin anew
for each job.

Each job is a line of --records, so that a series can be continued; its first line is the gate. The
table is printed from all of its lines. It judges nothing. Needs gcc and git.
"""

import argparse
import json
import multiprocessing
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "side_by_side"), str(HERE.parent / "e2e")]

from support import BIN, Daemon  # noqa: E402
from table import Table, spread  # noqa: E402

PROGRAM = """
int main(void) {
  volatile unsigned long x = 1;
  for (long i = 0; i < %d; ++i) x = x * 6364136223846793005UL + 1442695040888963407UL;
  return 0;
}
"""
STEPS = 20_000_000
VERDICTS = ("pass", "regression", "undecided")


def compute_in_bursts(seed):
    draw = random.Random(seed)
    while True:
        end = time.monotonic() + draw.uniform(0.1, 3)
        while time.monotonic() < end:
            pass
        time.sleep(draw.uniform(0, 1))


class Neighbours:
    """Processes that compute, each for 0.1 to 3 s and then not for up to 1 s."""

    def __init__(self, count, seed):
        self.processes = [
            multiprocessing.Process(target=compute_in_bursts, args=(f"{seed}/{i}",), daemon=True)
            for i in range(count)]

    def __enter__(self):
        for process in self.processes:
            process.start()

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.join()


class Runner:
    """A clone with a base and two later commits, and the daemon of its jobs."""

    def __init__(self, folder):
        self.folder = folder
        self.repository = folder / "repository"
        self.repository.mkdir()
        self.daemon = Daemon(folder)
        self.git("init", "--quiet", "--initial-branch", "main")
        (self.repository / ".gitignore").write_text("/bench\n/benchd-ci/\n")
        self.base = self.commit(STEPS, "base")
        self.daemon.start()

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@localhost", *words],
                              cwd=self.repository, check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self, steps, name):
        (self.repository / "bench.c").write_text(PROGRAM % steps)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", name)
        return self.git("rev-parse", "HEAD")

    def after_base(self, steps, name):
        self.git("checkout", "--quiet", self.base)
        return self.commit(steps, name)

    def job(self, commit, *options):
        """Returns the lines of a job for this commit, and its seconds."""
        self.git("checkout", "--quiet", commit)
        begin = time.monotonic()
        done = subprocess.run(
            [BIN / "benchctl", "ci", "--json", "--base", self.base, "--build",
             "gcc -O1 -o bench bench.c", *options, "--", "./bench"],
            cwd=self.repository, capture_output=True, text=True, check=False,
            env=dict(self.daemon.environment, BENCHD_SOCKET=str(self.daemon.socket)))
        took = time.monotonic() - begin
        if done.returncode not in (0, 1, 3):
            raise SystemExit(f"error: benchctl ci: {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()], took


def recommended(runner, commit, arguments):
    """The gate that a job with a calibration names."""
    lines, _ = runner.job(commit, "--calibrate", arguments.calibrate, "--max-time",
                          arguments.max_time)
    (calibration,) = [line for line in lines if line["event"] == "ci_calibration"]
    print("\n".join(calibration["sentences"]), flush=True)
    if "recommended" not in calibration:
        raise SystemExit("error: benchctl ci: recommends no gate\nhint: allow more --max-time")
    return calibration["recommended"]


def measure(runner, arguments):
    """Continues the series and returns its gate and jobs."""
    records = arguments.records
    lines = [json.loads(line) for line in records.read_text().splitlines()] if (
        records and records.exists()) else []

    def keep(line):
        lines.append(line)
        if records:
            with open(records, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    same = runner.after_base(STEPS, "same")
    if not lines:
        with Neighbours(arguments.neighbours, f"{arguments.seed}/calibration"):
            keep(recommended(runner, same, arguments))
    gate = lines[0]
    planted = runner.after_base(round(STEPS * (1 + 2 * gate["margin"])), "planted")
    kinds = ["same", "planted"] * arguments.jobs
    random.Random(arguments.seed).shuffle(kinds)
    for i, kind in enumerate(kinds[len(lines) - 1:], len(lines) - 1):
        with Neighbours(arguments.neighbours, f"{arguments.seed}/{i}"):
            job, took = runner.job(
                planted if kind == "planted" else same, "--calibrate", "0", "--max-time",
                arguments.max_time, "--metric", f"{gate.get('metric', 'wall_time')}:{gate['margin']}")
        verdict = job[-1]
        keep({"kind": kind, "verdict": verdict["verdict"], "seconds": took})
        print(f"{i + 1} of {len(kinds)}: {kind}: {verdict['verdict']}, {took:.0f} s", flush=True)
    return gate, lines[1:]


def table_of(gate, jobs, arguments):
    table = Table(
        f"benchctl ci beside {arguments.neighbours} busy neighbours, gate "
        f"{gate.get('metric', 'wall_time')}:{100 * gate['margin']:g}% as recommended, "
        f"--max-time {arguments.max_time}",
        [("kind", "commit"), *((verdict, verdict) for verdict in VERDICTS), ("seconds", "s a job")])
    for kind, name in (("same", "changes nothing"), ("planted", "slower by twice the margin")):
        of = [job for job in jobs if job["kind"] == kind]
        counts = {verdict: sum(job["verdict"] == verdict for job in of) for verdict in VERDICTS}
        table.add(kind=name, **counts, seconds=spread([job["seconds"] for job in of]))
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=40, help="of each kind (default: 40)")
    parser.add_argument("--max-time", default="1m", help="of a job (default: 1m)")
    parser.add_argument("--calibrate", default="30s", help="(default: 30s)")
    parser.add_argument("--neighbours", type=int, default=2, help="(default: 2)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--records", type=pathlib.Path, help="file of a line a job")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-ci-"))
    try:
        runner = Runner(folder)
        try:
            gate, jobs = measure(runner, arguments)
        finally:
            runner.daemon.stop()
    finally:
        shutil.rmtree(folder)
    print(table_of(gate, jobs, arguments).text())


if __name__ == "__main__":
    sys.exit(main())
