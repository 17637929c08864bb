"""Answers as a program of Google Benchmark: lists its benchmarks, or runs those of a filter.

    listed_benchmarks.py STATE SEED NAME=NANOSECONDS... --benchmark_list_tests
    listed_benchmarks.py STATE SEED NAME=NANOSECONDS... --benchmark_format=json \\
        --benchmark_filter=RE

The k-th run of a benchmark prints the same times whatever ran before it: STATE is a folder for
counts, and for the filters of all runs (SEED.filters). Without a filter it fails, so that a test
notices if the command selects nothing. Nearly all of its time is the start of Python.
"""

import json
import pathlib
import random
import re
import sys


def next_number(state, name):
    """The number of this run of the benchmark, from 0."""
    path = state / (re.sub(r"\W", "_", name) + ".count")
    number = int(path.read_text()) if path.exists() else 0
    path.write_text(str(number + 1))
    return number


def main(state, seed, *words):
    means = dict(word.rsplit("=", 1) for word in words if not word.startswith("--"))
    if "--benchmark_list_tests" in words:
        print(*means, sep="\n")
        return
    filters = [word.split("=", 1)[1] for word in words if word.startswith("--benchmark_filter=")]
    if "--benchmark_format=json" not in words or not filters:
        sys.exit("no filter, or not JSON")
    with (pathlib.Path(state) / f"{seed}.filters").open("a") as log:
        log.write(filters[-1] + "\n")
    benchmarks = []
    for name in means:
        if not re.search(filters[-1], name):
            continue
        number = next_number(pathlib.Path(state), f"{seed}-{name}")
        value = float(means[name]) * random.Random(f"{seed}/{name}/{number}").gauss(1, 0.003)
        benchmarks.append({"name": name, "run_name": name, "run_type": "iteration",
                           "repetitions": 1, "repetition_index": 0, "threads": 1,
                           "iterations": 1000, "real_time": value, "cpu_time": value,
                           "time_unit": "ns"})
    print(json.dumps({"context": {}, "benchmarks": benchmarks}))


main(*sys.argv[1:])
