"""The begin and end of a run's clock and CPU time, checked by a program with clocks of its own."""

import os
import shlex
import statistics
import tempfile

import machine
import tools
from support import BIN
from table import Table, spread

# The runner once polled for the end of a run for up to 2 ms.
LENGTHS_US = [1500 + 100 * step for step in range(16)]
EDGE_US = 2000
# The hook runs between runs, so that the next child is not created during a run.
KINDS = {"prepared": [], "not prepared": ["--prepare", "/bin/true"]}


def own_clock(*words):
    return shlex.join([str(BIN / "own_clock"), *map(str, words)])


def excess_by_length(benchctl, options, runs):
    """By block and length: wall_time minus the program's own measurement, in µs."""
    commands = [own_clock(length) for length in LENGTHS_US]
    verdict, _ = benchctl.compare(
        "--runs", str(runs), "--parse", "lines", "--metric", "wall_time", *options, *commands)
    blocks = {}
    rows = benchctl.rows(verdict["session"])
    arms = {}  # by name, in the order of the commands
    for name in ["base", "candidate", *(f"candidate-{n}" for n in range(2, len(LENGTHS_US)))]:
        arms[name] = LENGTHS_US[len(arms)]
    for row in rows:
        excess = (float(row["wall_time"]) - float(row["own_wall"])) * 1e6
        blocks.setdefault(row["pair"], {})[arms[row["arm"]]] = excess
    return list(blocks.values())


def medians_of(blocks, decile=5):
    """The excess of each length except the edge: the median, or another decile."""
    return {length: statistics.quantiles((block[length] for block in blocks), n=10)[decile - 1]
            for length in LENGTHS_US if length != EDGE_US}


def line_with_step(of_length):
    """A least-squares line with a step at the edge: (step in µs, slope in µs per millisecond).

    A longer run meets more ticks and more of other work, on both sides of the edge alike, which
    contributes to the slope but not to the step.
    """
    sides = [{length: excess for length, excess in of_length.items() if (length > EDGE_US) == above}
             for above in (False, True)]
    centers = [(statistics.fmean(side), statistics.fmean(side.values())) for side in sides]
    products = squares = 0
    for side, (length_mean, excess_mean) in zip(sides, centers):
        products += sum((x - length_mean) * (y - excess_mean) for x, y in side.items())
        squares += sum((x - length_mean) ** 2 for x in side)
    rise = products / squares
    (below, low), (above, high) = centers
    return high - low - rise * (above - below), 1000 * rise


def measure_step(options):
    rounds = options.rounds or (2 if options.quick else 9)
    runs = 20 if options.quick else 60
    table = Table("No step at 2 ms: wall_time minus the program's own clock, in µs", [
        ("load", "load"), ("kind", "the next child"), ("runs", "runs a length"),
        ("below_us", "1.5 to 1.9 ms"), ("above_us", "2.1 to 3 ms"), ("rise_us", "rise a ms"),
        ("step_us", "step"), ("undisturbed_us", "step of the fastest tenth")])
    table.note("medians over the runs of a length, every block has each length once; rise and step: "
               "one line through all lengths with a step at 2 ms; bound: 5 µs")
    with tools.benchctl() as benchctl:
        for kind, words in KINDS.items():
            for load in options.loads:
                found = {"below": [], "above": [], "rise": [], "step": [], "undisturbed": []}
                with machine.load(load):
                    for _ in range(rounds):
                        blocks = excess_by_length(benchctl, words, runs)
                        typical = medians_of(blocks)
                        step, rise = line_with_step(typical)
                        for name, figure in {
                            "below": statistics.median(
                                typical[one] for one in typical if one < EDGE_US),
                            "above": statistics.median(
                                typical[one] for one in typical if one > EDGE_US),
                            "rise": rise, "step": step,
                            "undisturbed": line_with_step(medians_of(blocks, decile=1))[0],
                        }.items():
                            found[name].append(figure)
                table.add(load=load, kind=kind, runs=runs * rounds,
                          **{f"{name}_us": spread(figures) for name, figures in found.items()})
    return table


def reference_extra(folder, runs):
    """The CPU time from execve on that wait4 counts but the program does not, in seconds: that
    of its start and end."""
    output = os.path.join(folder, "clocks")
    timed = tools.SpawnLoop.values([str(BIN / "own_clock"), "1000"], runs, "--since-execve",
                                   output=output)
    with open(output, encoding="ascii") as file:
        own = [float(line.split()[1]) for line in file if line.startswith("own_cpu")]
    os.unlink(output)
    return [cpu - counted for (_, cpu), counted in zip(timed, own)]


def measure_cpu_time(options):
    rounds = options.rounds or (2 if options.quick else 9)
    runs = 50 if options.quick else 200
    table = Table("cpu_time of a program of 1 ms", [
        ("load", "load"), ("runs", "runs"), ("reported_us", "cpu_time, µs"),
        ("own_us", "its own clock, µs"), ("extra_us", "start and end by wait4, µs"),
        ("ratio", "cpu_time / (own clock + start and end)")])
    table.note("its own clock is CLOCK_PROCESS_CPUTIME_ID from main on; what wait4 counts beyond "
               "that, in a bare loop of vfork and from execve on, is exec, loading and exit; "
               "bound: 0.98 to 1.02")
    command = own_clock(1000)
    with tools.benchctl() as benchctl, tempfile.TemporaryDirectory(prefix="benchd-side-") as folder:
        for load in options.loads:
            reported, own, extra, ratios = [], [], [], []
            with machine.load(load):
                for _ in range(rounds):
                    extra.append(statistics.fmean(reference_extra(folder, 2 * runs)))
                    verdict, _ = benchctl.compare("--runs", str(runs), "--parse", "lines",
                                                  "--metric", "cpu_time", command, command)
                    rows = benchctl.rows(verdict["session"])
                    reported.append(statistics.fmean(float(row["cpu_time"]) for row in rows))
                    own.append(statistics.fmean(float(row["own_cpu"]) for row in rows))
                    ratios.append(reported[-1] / (own[-1] + extra[-1]))
            table.add(load=load, runs=2 * runs * rounds, ratio=spread(ratios),
                      reported_us=spread([1e6 * one for one in reported]),
                      own_us=spread([1e6 * one for one in own]),
                      extra_us=spread([1e6 * one for one in extra]))
    return table
