"""Measures the value of isolation on this machine: A/A noise with and without it, in turn.

    isolation.py BENCHCTL [--rounds N] [--runs N] [--load N] [--milliseconds M | --program COMMAND]
                          [--profile NAME] [--kinds off,best-effort,strict] [--trace [--user NAME]]

Needs a running system daemon and the right to submit. A CPU-bound program of M milliseconds, or
COMMAND, is compared with itself in sessions of `--isolation off`, `best-effort` and so on in turn.
Meanwhile LOAD busy processes run wherever the kernel puts them (default: one fewer than there are
CPUs). For each kind it prints the standard deviation and 99th percentile of the wall times, also as
multiples of their median. It also prints how often a run lost its CPU (involuntary switches), as a
ratio to the first kind with 95 % bounds over the rounds. It judges nothing, because the numbers
depend on the machine.

With --trace, as root, the kernel's trace (sched_switch, workqueue_execute_start) also names the
threads that preempted runs, and the kernel work that they did. benchctl then runs as NAME.
"""

import argparse
import collections
import csv
import io
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import time

TRACE = pathlib.Path("/sys/kernel/tracing")
as_user = []  # arguments before benchctl's


def run(benchctl, *words):
    done = subprocess.run(
        [*as_user, benchctl, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    # 0, 1 and 3 are verdicts.
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"benchctl {' '.join(words)}: {done.stderr}")
    return done.stdout


def program_of(milliseconds):
    """A shell loop that takes about that long on this machine."""
    count = 1000
    while True:
        command = f"i=0; while [ $i -lt {count} ]; do i=$((i+1)); done"
        times = []
        for _ in range(5):
            begin = time.monotonic()
            subprocess.run(["/bin/sh", "-c", command], check=True)
            times.append((time.monotonic() - begin) * 1000)
        taken = min(times)
        if taken >= 0.7 * milliseconds:
            return f"/bin/sh -c '{command}'"
        count = int(count * min(4, max(1.3, milliseconds / taken)))


class Trace:
    """Finds the threads that preempted a program, by the kernel's trace; needs root and tracefs."""

    SWITCH = re.compile(r"sched_switch: prev_comm=(.+?) prev_pid=(\d+) prev_prio=\d+ "
                        r"prev_state=(\S+) ==> next_comm=(.+?) next_pid=(\d+) ")
    WORK = re.compile(r"-(\d+)\s+\[\d+\].*workqueue_execute_start: .*function (\S+)")

    def __init__(self, program):
        self.comm = os.path.basename(shlex.split(program)[0])[:15]
        if not TRACE.joinpath("trace").exists():
            subprocess.run(["mount", "-t", "tracefs", "tracefs", str(TRACE)], check=True)
        for event in ("sched/sched_switch", "workqueue/workqueue_execute_start"):
            self.put(f"events/{event}/enable", "1")
        self.put("buffer_size_kb", "8192")
        self.put("tracing_on", "0")

    def put(self, name, text):
        TRACE.joinpath(name).write_text(text)

    def start(self):
        self.put("trace", "")
        self.put("tracing_on", "1")

    def stop(self):
        """How often each thread preempted a run on its CPU."""
        self.put("tracing_on", "0")
        found = collections.Counter()
        waiting = {}  # by pid of a kernel worker: the trace names its work after the switch
        with open(TRACE / "trace", errors="replace") as lines:
            for line in lines:
                if switch := self.SWITCH.search(line):
                    comm, _, state, by, pid = switch.groups()
                    # R, R+: it was runnable. Before execve it has another name.
                    if comm != self.comm or not state.startswith("R") or by.startswith("swapper"):
                        continue
                    name = re.sub(r"/\d.*$", "", by)
                    found[name] += 1
                    if by.startswith("kworker"):
                        waiting[pid] = name
                elif work := self.WORK.search(line):
                    pid, function = work.groups()
                    if name := waiting.pop(pid, None):
                        found[name] -= 1
                        found[f"{name} ({function})"] += 1
        self.put("trace", "")
        return +found


def measure(benchctl, program, isolation, runs, profile):
    out = run(
        benchctl, "compare", "--json", "--runs", str(runs), "--isolation", isolation,
        "--machine-profile", profile, program, program,
    )
    lines = [json.loads(line) for line in out.splitlines()]
    started = next((line for line in lines if line["event"] == "started"), {})
    held = [state["setting"] for state in started.get("isolation", []) if state["held"]]
    table = run(benchctl, "export", lines[-1]["session"], "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    values = [float(row["wall_time"]) * 1000 for row in rows]
    switches = [float(row["involuntary_switches"]) for row in rows]
    return values, statistics.mean(switches), held


def figures(values):
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return statistics.median(values), statistics.stdev(values), p99


def ratio_with_bounds(ones, others):
    """Mean of ones over mean of others, paired by round, with 95 % bounds.

    The ratio estimator of survey sampling (W. G. Cochran, Sampling Techniques, 1977, 6.4) with
    Student's t over the rounds. Rounds without an interruption count, unlike in a mean of logs.
    """
    # Student's t, 97.5 %, by degrees of freedom; beyond the list, the normal quantile.
    quantiles = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14,
                 2.13, 2.12, 2.11, 2.10, 2.09)
    below = statistics.mean(others)
    if len(ones) < 2 or below == 0:
        return "no ratio: too few rounds, or nothing to divide by"
    ratio = statistics.mean(ones) / below
    left = [one - ratio * other for one, other in zip(ones, others)]
    half = (quantiles[len(left) - 2] if len(left) - 2 < len(quantiles) else 1.96) * (
        statistics.stdev(left) / math.sqrt(len(left)) / below)
    return f"{ratio:.3f} ({ratio - half:.3f} to {ratio + half:.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benchctl")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--load", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--milliseconds", type=float, default=10)
    parser.add_argument("--program")
    parser.add_argument("--profile", default="default")
    parser.add_argument("--kinds", default="off,best-effort")
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--user")
    options = parser.parse_args()

    kinds = options.kinds.split(",")
    program = options.program or program_of(options.milliseconds)
    if options.user:
        as_user[:] = ["runuser", "-u", options.user, "--"]
    trace = Trace(program) if options.trace else None
    who = {kind: collections.Counter() for kind in kinds}
    busy = [
        subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(options.load)
    ]
    found = {kind: [] for kind in kinds}
    try:
        for number in range(options.rounds):
            for kind in kinds:
                if trace:
                    trace.start()
                values, switches, held = measure(
                    options.benchctl, program, kind, options.runs, options.profile
                )
                if trace:
                    who[kind] += trace.stop()
                median, sd, p99 = figures(values)
                found[kind].append((median, sd, p99, switches))
                print(
                    f"round {number + 1} {kind:12} median {median:8.3f} ms  sd {sd:8.3f} ms  "
                    f"p99 {p99:8.3f} ms  {switches:5.2f} interruptions per run  "
                    f"held: {' '.join(held) or 'nothing'}",
                    flush=True,
                )
    finally:
        for process in busy:
            process.kill()
            process.wait()
    for kind in kinds:
        median, sd, p99, switches = (statistics.median(column) for column in zip(*found[kind]))
        print(
            f"{kind:12} over {options.rounds} rounds of {2 * options.runs} runs, medians: "
            f"sd {sd:.3f} ms ({sd / median:.2%}), p99 {p99:.3f} ms ({p99 / median:.3f} x median), "
            f"{switches:.2f} interruptions per run"
        )
    for kind in kinds if trace else []:
        runs = 2 * options.runs * options.rounds
        names = ", ".join(f"{name} {count / runs:.3f}" for name, count in who[kind].most_common(8))
        print(f"{kind:12} interrupted by, times per run: {names or 'nothing'} "
              f"(in all {who[kind].total() / runs:.3f}, including warm-ups)")
    first = [row[3] for row in found[kinds[0]]]
    for kind in kinds[1:]:
        others = [row[3] for row in found[kind]]
        print(f"interruptions {kind} / {kinds[0]}: {ratio_with_bounds(others, first)}")


if __name__ == "__main__":
    main()
