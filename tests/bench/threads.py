"""Checks that multi-threaded programs get all benchmark CPUs and that one thread stays on its CPU.

    threads.py BENCHCTL SPIN [--rounds N] [--runs N] [--steps N] [--cpus LIST] [--profile NAME]
                             [--user NAME]

Needs a running daemon; SPIN is the program of that name in tests/e2e/programs. It prints results
with a 95 % interval over the runs, under the default isolation and under plain affinity
(`--isolation off --cpus`). The first is CPU time over wall time of a program with as many threads
as benchmark CPUs; their number is the optimum. The second is the number of migrations of a single
thread, if the kernel reports it, with the range over the rounds, because runs of one session
resemble each other more than those of two. It judges nothing.
"""

import argparse
import csv
import io
import json
import math
import re
import statistics
import subprocess

ISOLATIONS = ("best-effort", "off")


def benchctl(options, *words, **more):
    as_user = ["runuser", "-u", options.user, "--"] if options.user else []
    return subprocess.run([*as_user, options.benchctl, *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, **more)


def compare(options, isolation, program):
    """The rows of a session, and its `started` event."""
    words = ["compare", "--json", "--runs", str(options.runs), "--isolation", isolation,
             "--machine-profile", options.profile, "--metric", "wall_time:50%"]
    if options.cpus:
        words += ["--cpus", options.cpus]
    done = benchctl(options, *words, program, program)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"benchctl {' '.join(words)}: {done.stderr}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    started = next(line for line in lines if line["event"] == "started")
    table = benchctl(options, "export", lines[-1]["session"], check=True)
    return list(csv.DictReader(io.StringIO(table.stdout))), started


def cpus_seen(options):
    """The CPUs that a program may use under the default isolation."""
    look = "grep Cpus_allowed_list /proc/self/status"
    done = benchctl(options, "compare", "--show-output", "--runs", "2", "--machine-profile",
                    options.profile, look, look)
    listed = re.search(r"Cpus_allowed_list:\s*(\S+)", done.stdout + done.stderr)
    if not listed:
        raise SystemExit(f"benchctl compare --show-output: {done.stderr}")
    ends = [part.partition("-") for part in listed[1].split(",")]
    return [cpu for first, _, last in ends for cpu in range(int(first), int(last or first) + 1)]


def with_interval(values, digits):
    mean = statistics.mean(values)
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean:.{digits}f} ({mean - half:.{digits}f} to {mean + half:.{digits}f}, n = {len(values)})"


def over_sessions(sessions, cpus):
    runs = [one for session in sessions for one in session]
    if len(runs) < 2:
        return "not told" + (": there is one CPU" if cpus == 1 else " by this kernel")
    means = [statistics.mean(session) for session in sessions if session]
    return f"{with_interval(runs, 3)}; sessions {min(means):.3f} to {max(means):.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benchctl")
    parser.add_argument("spin")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--cpus")
    parser.add_argument("--profile", default="default")
    parser.add_argument("--user")
    options = parser.parse_args()

    cpus = cpus_seen(options)
    _, started = compare(options, "best-effort", f"{options.spin} 1")
    cpuset = next((one["actual"] for one in started["isolation"] if one["setting"] == "cpuset"), "-")
    print(f"benchmark CPUs {','.join(map(str, cpus))}, cpuset {cpuset}")
    options.cpus = options.cpus or ",".join(map(str, cpus))

    for isolation in ISOLATIONS:
        rows, _ = compare(options, isolation, f"{options.spin} {options.steps} {len(cpus)}")
        used = [float(row["cpu_time"]) / float(row["wall_time"]) for row in rows]
        print(f"{len(cpus)} threads, {isolation:12} CPU time / wall time: {with_interval(used, 2)} "
              f"of {len(cpus)}")
    moved = {isolation: [] for isolation in ISOLATIONS}
    for _ in range(options.rounds):
        for isolation, sessions in moved.items():
            rows, _ = compare(options, isolation, f"{options.spin} {options.steps}")
            told = [row.get("migrations") or row.get("cpu_migrations") for row in rows]
            sessions.append([float(one) for one in told if one])
    for isolation, sessions in moved.items():
        print(f"1 thread, {isolation:12} migrations per run: {over_sessions(sessions, len(cpus))}")


if __name__ == "__main__":
    main()
