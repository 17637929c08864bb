"""What one run costs and how steady it is measured: benchctl and hyperfine, in turn.

    overhead.py BIN_DIR [--rounds N] [--runs N]

Both start /bin/true twice `runs` times, round after round. Printed for each: wall time of the whole
command per run of /bin/true, and the standard deviation of the wall times it reports; then the
smallest max_rss that benchd reports, which is what its spawner adds to every program's. This judges
nothing: the numbers are for a person who knows what else the machine was doing.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import select
import signal
import statistics
import subprocess
import tempfile
import time

PROGRAM = "/bin/true"


class Benchctl:
    """benchctl with a user daemon of its own, started before the clock and ended by its pid."""

    name = "benchctl"

    def __init__(self, bin_dir, folder):
        self.program = str(bin_dir / "benchctl")
        self.environment = dict(os.environ)
        self.environment.pop("BENCHD_SOCKET", None)
        for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"):
            path = folder / name.lower()
            path.mkdir(mode=0o700)
            self.environment["XDG_" + name] = str(path)
        self.smallest_rss = []
        # The first command starts the daemon.
        self._run("compare", "--runs", "8", PROGRAM, PROGRAM)
        self.pid = json.loads(self._run("version", "--json").splitlines()[0])["pid"]

    def _run(self, *words):
        done = subprocess.run(
            [self.program, *words], env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True)
        # 0, 1 and 3 are verdicts.
        if done.returncode not in (0, 1, 3):
            raise SystemExit(f"benchctl {' '.join(words)}: {done.stderr}")
        return done.stdout

    def measure(self, runs):
        begin = time.monotonic()
        out = self._run("compare", "--json", "--runs", str(runs), PROGRAM, PROGRAM)
        seconds = time.monotonic() - begin
        session = json.loads(out.splitlines()[-1])["session"]
        rows = list(csv.DictReader(io.StringIO(self._run("export", session, "--format", "csv"))))
        self.smallest_rss.append(min(float(row["max_rss"]) for row in rows))
        by_arm = {}
        for row in rows:
            by_arm.setdefault(row["arm"], []).append(float(row["wall_time"]))
        return seconds, list(by_arm.values())

    def close(self):
        pidfd = os.pidfd_open(self.pid)
        signal.pidfd_send_signal(pidfd, signal.SIGTERM)
        select.select([pidfd], [], [])
        os.close(pidfd)


class Hyperfine:
    name = "hyperfine"

    def __init__(self, folder):
        self.export = folder / "hyperfine.json"

    def measure(self, runs):
        begin = time.monotonic()
        subprocess.run(
            ["hyperfine", "-N", "--style", "none", "--runs", str(runs), "--export-json",
             str(self.export), PROGRAM, PROGRAM],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            check=True)
        seconds = time.monotonic() - begin
        results = json.loads(self.export.read_text())["results"]
        return seconds, [result["times"] for result in results]


def main():
    parser = argparse.ArgumentParser(description="cost of a run, benchctl beside hyperfine")
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=500)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchd-overhead-", dir="/tmp") as name:
        benchctl = Benchctl(arguments.bin_dir.resolve(), pathlib.Path(name))
        try:
            tools = [benchctl, Hyperfine(pathlib.Path(name))]
            print(f"{PROGRAM}, {arguments.runs} runs of two arms a round; in microseconds")
            print(f"{'round':>5}  {'tool':10} {'total per run':>13} {'mean':>8} {'sd':>8}")
            totals = {tool.name: [] for tool in tools}
            spreads = {tool.name: [] for tool in tools}
            for number in range(1, arguments.rounds + 1):
                # Who goes first alternates: the machine may drift within a round.
                for tool in tools if number % 2 else reversed(tools):
                    seconds, arms = tool.measure(arguments.runs)
                    total = seconds / (2 * arguments.runs) * 1e6
                    mean = statistics.fmean(statistics.fmean(arm) for arm in arms) * 1e6
                    spread = statistics.fmean(statistics.stdev(arm) for arm in arms) * 1e6
                    totals[tool.name].append(total)
                    spreads[tool.name].append(spread)
                    print(f"{number:5}  {tool.name:10} {total:13.0f} {mean:8.0f} {spread:8.0f}")
            for tool in tools:
                print(f"median {tool.name:10} {statistics.median(totals[tool.name]):12.0f} "
                      f"{'':8} {statistics.median(spreads[tool.name]):8.0f}")
            print(f"floor of max_rss: {min(benchctl.smallest_rss) / 1e6:.2f} MB")
        finally:
            benchctl.close()


if __name__ == "__main__":
    main()
