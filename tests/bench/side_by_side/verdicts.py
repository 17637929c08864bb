"""Accuracy of verdicts: every rule on the same records, and some of them live."""

import json
import math
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time

import machine
import tools
from support import BIN, PASS, PROGRAMS, REGRESSION
from table import Table, number

CHANGES = (0, 0.01, 0.02, 0.05, 0.1)
MARGIN = 0.02
ALPHA = 0.01
COMPARE_PY = pathlib.Path("/usr/share/benchmark/compare.py")
PEERS_ALPHA = 0.05
# Runs are alternated in chunks between both records, so that both see the same machine.
STRETCH = 1000


def record(folder, program, runs):
    """The wall times of a program by the bare loop, as two files: interleaved, blocked."""
    files = [pathlib.Path(folder) / name for name in ("interleaved", "blocked")]
    values = {file: [] for file in files}
    while len(values[files[-1]]) < runs:
        for file in files:
            values[file] += [wall for wall, _ in tools.SpawnLoop.values(program, STRETCH)]
    for file, walls in values.items():
        file.write_text("".join(f"{wall:.9f}\n" for wall in walls))
    return files


def autocorrelation(file):
    """The lag-1 autocorrelation, which makes sequential arms differ from interleaved ones."""
    values = [float(line) for line in file.read_text().splitlines()]
    mean = statistics.fmean(values)
    return (sum((a - mean) * (b - mean) for a, b in zip(values, values[1:]))
            / sum((a - mean) ** 2 for a in values))


def most_wrong(repeats, alpha, level=0.01):
    """The largest count that is not evidence, at `level`, of a share above alpha."""
    below, count = 0.0, 0
    while True:
        below += math.comb(repeats, count) * alpha ** count * (1 - alpha) ** (repeats - count)
        if below >= 1 - level:
            return count
        count += 1


def headings(what):
    return [(f"{what} {change:g}", f"{what} at {change:.0%}") for change in CHANGES]


def add_rules(table, lines, **more):
    """One row per rule from the output of `replay`, or from live repetitions."""
    for rule in dict.fromkeys(line["rule"] for line in lines):
        own = [line for line in lines if line["rule"] == rule]
        row = dict(more, rule=rule, alpha=f"{own[0]['alpha']:.0%}", figures=own)
        for line in own:
            share = f"{line['wrong'] / line['replays']:.1%}"
            if line["open"]:
                share += f", {line['open'] / line['replays']:.0%} open"
            row[f"wrong {line['change']:g}"] = share
            row[f"seconds {line['change']:g}"] = number(line["seconds"])
        table.add(**row)


def measure(options):
    runs = options.records or (2000 if options.quick else 20_000)
    replays = 200 if options.quick else 2000
    spin = str(PROGRAMS / "spin")
    programs = [("/bin/true", ["/bin/true"]),
                ("CPU 5 ms", [spin, str(machine.steps_of(spin, 5))])]
    table = Table(f"Wrong verdicts of {replays} replays on records of {runs} runs, margin 2 %", [
        ("load", "load"), ("program", "program"), ("rule", "rule"), ("alpha", "its level"),
        *headings("wrong"), ("seconds 0", "seconds at 0%"), ("seconds 0.05", "at 5%"),
        ("seconds 0.1", "at 10%")])
    table.note("below the margin a regression is wrong, above it a pass, at it (2 %) every "
               "verdict; open: none within 5000 pairs; seconds: of the programs alone")
    for load in options.loads:
        for name, program in programs:
            if options.program not in name:
                continue
            with tempfile.TemporaryDirectory(prefix="benchd-side-") as folder:
                with machine.load(load):
                    interleaved, blocked = record(folder, program, runs)
                out = tools.run([BIN / "replay", interleaved, blocked, "--replays", replays])
                lags = [autocorrelation(file) for file in (interleaved, blocked)]
            lines = [json.loads(line) for line in out.stdout.splitlines()]
            add_rules(table, lines, load=load, program=name, autocorrelation=lags)
            judge(table, load, name, lines, replays, lags)
    return table


def judge(table, load, name, lines, replays, lags):
    own = [line for line in lines if line["rule"] == "benchctl"]
    allowed = most_wrong(replays, ALPHA)
    table.note(
        f"{name}, {load}: benchctl at most {max(line['wrong'] for line in own)} wrong of {replays} "
        f"(over {allowed} would speak against 1 %); lag-1 autocorrelation of runs {lags[0]:.2f}"
        + "".join(f"; its seconds over those of the {oracle}: {shown}"
                  for oracle, shown in over_oracles(own, lines)))


def over_oracles(own, lines):
    """benchctl's seconds relative to each oracle's, by change, if both reached a verdict."""
    for rule in ("oracle", "oracle, as often"):
        seconds = {line["change"]: line["seconds"] for line in lines if line["rule"] == rule}
        shown = [f"{line['seconds'] / seconds[line['change']]:.2f} at {line['change']:.0%}"
                 for line in own if line["change"] in seconds and line["open"] < line["replays"]]
        if shown:
            yield rule, ", ".join(shown)


# ---- live ----

class OwnVerdict:
    alpha = ALPHA

    def __init__(self, benchctl, max_time, metric=""):
        self.name = f"benchctl, {metric}" if metric else "benchctl"
        self._benchctl = benchctl
        self._options = ["--max-time", max_time, *(["--metric", metric] if metric else [])]

    def decide(self, base, candidate):
        verdict, _ = self._benchctl.compare(*self._options, base, candidate)
        return {"pass": PASS, "regression": REGRESSION}.get(verdict["verdict"])


def welch_differs(one, other):
    """Whether Welch's test finds different means, by the normal law: there are hundreds."""
    error = math.sqrt(statistics.variance(one) / len(one) + statistics.variance(other) / len(other))
    z = abs(statistics.fmean(one) - statistics.fmean(other)) / error
    return math.erfc(z / math.sqrt(2)) < PEERS_ALPHA


class HyperfineVerdict:
    """Runs its own number of times; then, as users do, applies a test to its export."""

    name, alpha = "hyperfine + Welch", PEERS_ALPHA

    def decide(self, base, candidate):
        one, other = tools.Hyperfine().times([base, candidate])
        slower = statistics.fmean(other) > (1 + MARGIN) * statistics.fmean(one)
        return REGRESSION if slower and welch_differs(one, other) else PASS


class CompareVerdict:
    """compare.py itself, with the same runs as files of Google Benchmark."""

    name, alpha = "compare.py", PEERS_ALPHA

    def decide(self, base, candidate):
        one, other = tools.Hyperfine().times([base, candidate])
        with tempfile.TemporaryDirectory(prefix="benchd-side-") as folder:
            files = []
            for name, values in (("one", one), ("other", other)):
                files.append(os.path.join(folder, name + ".json"))
                with open(files[-1], "w", encoding="ascii") as file:
                    json.dump({"context": {}, "benchmarks": [
                        {"name": "main", "run_name": "main", "run_type": "iteration",
                         "iterations": 1, "real_time": 1e9 * value, "cpu_time": 1e9 * value,
                         "time_unit": "ns"} for value in values]}, file)
            differences = os.path.join(folder, "differences.json")
            # Debian's Python, because it needs scipy.
            subprocess.run(["/usr/bin/python3", COMPARE_PY, "-d", differences, "benchmarks", *files],
                           check=True, stdout=subprocess.DEVNULL)
            with open(differences, encoding="ascii") as file:
                p = json.load(file)[0]["utest"].get("time_pvalue", 0)
        slower = statistics.median(other) > (1 + MARGIN) * statistics.median(one)
        return REGRESSION if slower and p < PEERS_ALPHA else PASS


def live_rules(table, benchctl, max_time):
    # Under load, wall time depends on the scheduler's ticks and does not show a change in CPU time.
    rules = [OwnVerdict(benchctl, max_time), OwnVerdict(benchctl, max_time, "cpu_time")]
    if not shutil.which("hyperfine"):
        table.note("skipped: hyperfine is not installed")
        return rules
    rules.append(HyperfineVerdict())
    if COMPARE_PY.exists() and not subprocess.run(
            ["/usr/bin/python3", "-c", "import scipy"], capture_output=True, check=False).returncode:
        rules.append(CompareVerdict())
    else:
        table.note("skipped: compare.py: libbenchmark-tools or python3-scipy is not installed")
    return rules


def measure_live(options):
    repeats = options.rounds or (2 if options.quick else 20)
    changes = (0, 0.05) if options.quick else (0, 0.01, 0.05, 0.1)
    spin = str(PROGRAMS / "spin")
    steps = machine.steps_of(spin, 5)
    table = Table(f"Wrong verdicts of {repeats} live comparisons of a program of 5 ms of CPU", [
        ("load", "load"), ("rule", "rule"), ("alpha", "its level"),
        *(heading for heading in headings("wrong") if heading[0] != "wrong 0.02"),
        ("seconds 0", "seconds at 0%"), ("seconds 0.05", "at 5%")])
    table.note("the change is planted in the program's CPU time, which under load is none of the same size "
               "in its wall time; its start, some 0.5 ms, is not scaled")
    table.note(f"seconds: of the whole command; benchctl gives up after {options.max_time}")
    with tools.benchctl() as benchctl:
        rules = [rule for rule in live_rules(table, benchctl, options.max_time)
                 if options.rule in rule.name]
        for load in options.loads:
            lines = [{"rule": rule.name, "alpha": rule.alpha, "change": change, "replays": repeats,
                      "wrong": 0, "open": 0, "seconds": 0} for rule in rules for change in changes]
            with machine.load(load):
                for _ in range(repeats):
                    for rule in rules:
                        for change in changes:
                            line = next(one for one in lines if one["rule"] == rule.name
                                        and one["change"] == change)
                            decide_live(rule, line, spin, steps, repeats)
            add_rules(table, lines, load=load)
    return table


def decide_live(rule, line, spin, steps, repeats):
    commands = [shlex.join([spin, str(round(steps * factor))])
                for factor in (1, 1 + line["change"])]
    begin = time.monotonic()
    decision = rule.decide(*commands)
    line["seconds"] += (time.monotonic() - begin) / repeats
    if decision is None:
        line["open"] += 1
    elif (decision == REGRESSION) != (line["change"] > MARGIN):
        line["wrong"] += 1
