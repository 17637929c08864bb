"""What isolation is worth on this machine: A/A noise with it and without it, in turn.

    isolation.py BENCHCTL [--rounds N] [--runs N] [--load N] [--milliseconds M] [--profile NAME]

Needs a running system daemon and the right to submit. A CPU-bound program of M milliseconds is
compared with itself through sessions of `--isolation off` and `--isolation best-effort` in turn,
while LOAD busy processes run wherever the kernel puts them (default: one for each CPU but one).
Printed for each: standard deviation and 99th percentile of its wall times, as multiples of their
median too. This judges nothing: the numbers are whatever this machine gives.
"""

import argparse
import csv
import io
import json
import os
import statistics
import subprocess
import time

KINDS = ("off", "best-effort")


def run(benchctl, *words):
    done = subprocess.run(
        [benchctl, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    # 0, 1 and 3 are verdicts.
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"benchctl {' '.join(words)}: {done.stderr}")
    return done.stdout


def program_of(milliseconds):
    """A shell loop that takes about that long here."""
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


def measure(benchctl, program, isolation, runs, profile):
    out = run(
        benchctl, "compare", "--json", "--runs", str(runs), "--isolation", isolation,
        "--machine-profile", profile, program, program,
    )
    lines = [json.loads(line) for line in out.splitlines()]
    started = next((line for line in lines if line["event"] == "started"), {})
    held = [state["setting"] for state in started.get("isolation", []) if state["held"]]
    table = run(benchctl, "export", lines[-1]["session"], "--format", "csv")
    values = [float(row["wall_time"]) * 1000 for row in csv.DictReader(io.StringIO(table))]
    return values, held


def figures(values):
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return statistics.median(values), statistics.stdev(values), p99


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benchctl")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--load", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--milliseconds", type=float, default=10)
    parser.add_argument("--profile", default="default")
    options = parser.parse_args()

    program = program_of(options.milliseconds)
    busy = [
        subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(options.load)
    ]
    found = {kind: [] for kind in KINDS}
    try:
        for number in range(options.rounds):
            for kind in KINDS:
                values, held = measure(
                    options.benchctl, program, kind, options.runs, options.profile
                )
                median, sd, p99 = figures(values)
                found[kind].append((median, sd, p99))
                print(
                    f"round {number + 1} {kind:12} median {median:8.3f} ms  sd {sd:8.3f} ms  "
                    f"p99 {p99:8.3f} ms  held: {' '.join(held) or 'nothing'}",
                    flush=True,
                )
    finally:
        for process in busy:
            process.kill()
            process.wait()
    for kind in KINDS:
        median, sd, p99 = (statistics.median(column) for column in zip(*found[kind]))
        print(
            f"{kind:12} over {options.rounds} rounds of {2 * options.runs} runs, medians: "
            f"sd {sd:.3f} ms ({sd / median:.2%}), p99 {p99:.3f} ms ({p99 / median:.3f} x median)"
        )


if __name__ == "__main__":
    main()
