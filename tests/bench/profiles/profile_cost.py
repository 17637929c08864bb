"""What sampling adds to a run, and how precisely it measures."""

import json
import math
import random
import re
import shlex
import statistics

from explained import explain, measured_session
from planted_programs import Plant, available
from table import Table, spread

FREQUENCIES = (1000, 4000, 10000)
RUNS = 10  # of each arm, in a session
PRECISE_RUNS = 30


def build(tool, given, program, seconds, folder):
    """The command of one version of a program, and the shares of its functions."""
    plant = Plant(given.seed)
    program.build(folder, plant.rounds(program.per_call))
    return shlex.join(program.words(folder, program.calls_of(folder, seconds))), plant


def cpu_time(tool, session):
    """The mean CPU time of a session's runs."""
    return statistics.fmean(float(row["cpu_time"]) for row in tool.rows(session))


def print_cost(tool, given):
    """Sessions with and without sampling take turns, in random order in each round."""
    runs = given.runs or RUNS
    table = Table(f"What sampling adds to the CPU time of a run, {given.rounds} rounds", [
        ("program", "program"), ("frequency", "samples a second"), ("seconds", "CPU time, s"),
        ("added", "added, %"), ("error", "standard error, %"), ("samples", "samples a run"),
        ("lost", "lost")])
    table.note(f"{2 * runs} runs a session; added: mean of the rounds' differences to the session "
               "without sampling")
    for name, program in available(given.only or ["c", "threads"]).items():
        command, _ = build(tool, given, program, given.seconds, tool.daemon.folder / f"cost-{name}")
        found = {frequency: [] for frequency in (0, *FREQUENCIES)}
        explained = {}
        base = measured_session(tool, command, command)
        for number in range(given.rounds):
            turns = list(found)
            random.Random(f"{given.seed} {number}").shuffle(turns)
            for frequency in turns:
                if frequency == 0:
                    session = measured_session(tool, command, command, "--runs", str(runs))
                    found[0].append(cpu_time(tool, session))
                    continue
                last, _ = explain(tool, base, "--frequency", str(frequency), "--runs", str(runs))
                [one] = last["explanations"]
                found[frequency].append((one["seconds_reference"] + one["seconds_candidate"]) / 2)
                explained[frequency] = one
        for frequency, values in found.items():
            added = [100 * (value / was - 1) for value, was in zip(values, found[0])]
            row = {"program": name, "frequency": frequency, "seconds": spread(values)}
            if frequency:
                one = explained[frequency]
                row |= {"added": f"{statistics.fmean(added):+.2f}",
                        "error": (statistics.stdev(added) / math.sqrt(len(added))
                                  if len(added) > 1 else None),
                        "samples": one["samples_reference"] / one["blocks"], "lost": one["lost"]}
            table.add(**row)
    print(table.text() + "\n", flush=True)


def print_apart(tool, given):
    """The values of comparisons with and without --explain, in turns. The candidate of each does
    twice the work of the base, so that there is a change to explain."""
    runs = given.runs or RUNS
    [program] = available(["c"]).values()
    folder = tool.daemon.folder / "apart"
    base, plant = build(tool, given, program, given.seconds, folder / "base")
    program.build(folder / "twice", [2 * one for one in plant.rounds(program.per_call)])
    twice = shlex.join(program.words(folder / "twice", base.split()[-1]))
    found = {False: [], True: []}
    for number in range(given.rounds):
        turns = [False, True]
        random.Random(f"{given.seed} {number}").shuffle(turns)
        for explained in turns:
            session = compared(tool, base, twice, runs, ["--explain"] if explained else [])
            found[explained].append(cpu_time(tool, session))
    table = Table("CPU time of a run of a comparison with and without --explain", [
        ("explain", "--explain"), ("seconds", "CPU time, s"), ("ratio", "with / without, mean")])
    table.add(explain="without", seconds=spread(found[False]))
    table.add(explain="with", seconds=spread(found[True]), ratio=statistics.fmean(
        value / was for value, was in zip(found[True], found[False])))
    table.note(f"{given.rounds} rounds; {2 * runs} runs a session")
    print(table.text() + "\n", flush=True)


def compared(tool, base, candidate, runs, words):
    """The ID of a comparison, which may be followed by its explanation."""
    done = tool.run("compare", "--json", *words, "--runs", str(runs), "--metric", "cpu_time:2%",
                    base, candidate)
    return json.loads(done.stdout.splitlines()[0])["session"]


def shares(runs, pattern):
    """A function's own share of the samples of each run."""
    found = []
    for run in runs:
        here = total = 0
        for sample in run.samples:
            if sample.metric == "stack":
                total += sample.value
                if re.search(pattern, sample.inner_benchmark.rpartition(";")[2]):
                    here += sample.value
        if total:
            found.append((here / total, total))
    return found


def sampled_runs(tool, session):
    from grpc_client import Link, session_pb2
    link = Link(tool.daemon.socket)
    request = session_pb2.ListSamplesRequest(session=session, with_stacks=True)
    runs = [run for part in link.sessions.ListSamples(request) for run in part.runs]
    link.close()
    return runs


def print_precision(tool, given):
    """The spread of a function's share over runs of 1 s at 1 kHz."""
    runs = given.runs or PRECISE_RUNS
    [program] = available(["c"]).values()
    command, plant = build(tool, given, program, 1.0, tool.daemon.folder / "precision")
    base = measured_session(tool, command, command)
    last, _ = explain(tool, base, "--frequency", "1000", "--runs", str(runs))
    sampled = sampled_runs(tool, last["session"])
    table = Table("How precisely one run of 1 s at 1 kHz gives a function's share", [
        ("share", "share, %"), ("sd", "standard deviation, points"),
        ("expected", "of a binomial, points"), ("runs", "runs")])
    for rank in (0, 4, 16, 29):
        found = shares(sampled, program.pattern(plant.order[rank]))
        values = [100 * share for share, _ in found]
        mean, samples = statistics.fmean(values) / 100, statistics.fmean(n for _, n in found)
        table.add(share=100 * mean, sd=statistics.stdev(values),
                  expected=100 * math.sqrt(mean * (1 - mean) / samples), runs=len(values))
    print(table.text() + "\n", flush=True)
