"""The cost of a run and the stability of its value: benchctl and its peers, in turn."""

import statistics

import machine
import tools
from support import PROGRAMS
from table import Table, cell, spread

# Duration of a tool's turn: 3 s for each of two arms, as hyperfine does by default.
TURN_S = 6.0
FEWEST_RUNS, MOST_RUNS_A_S = 8, 250


def programs():
    """(Name, words, milliseconds)."""
    spin = str(PROGRAMS / "spin")
    return [
        ("/bin/true", ["/bin/true"], 1),
        ("sleep 10 ms", ["/bin/sleep", "0.01"], 11),
        ("CPU 5 ms", [spin, str(machine.steps_of(spin, 5))], 6),
        ("CPU 100 ms", [spin, str(machine.steps_of(spin, 100))], 101),
    ]


def measure_in_turn(some_tools, program, runs, rounds):
    """The Measured of every tool in each round, starting with a different tool each time."""
    found = {tool.name: [] for tool in some_tools}
    for number in range(rounds):
        first = number % len(some_tools)
        for tool in some_tools[first:] + some_tools[:first]:
            found[tool.name].append(tool.measure(program, runs))
    return found


def add_rows(table, kind, name, found, runs):
    loop = [one.seconds for one in found[tools.SpawnLoop.name]]
    for tool, rounds in found.items():
        beyond = [(one.seconds - bare) / (2 * runs) * 1e6 for one, bare in zip(rounds, loop)]
        known = [one for one in rounds if one.sd is not None]
        row = {
            "load": kind, "program": name, "tool": tool, "runs": 2 * runs,
            "cost_us": spread([one.seconds / (2 * runs) * 1e6 for one in rounds]),
            "beyond_us": spread(beyond),
        }
        if known:
            row["value_us"] = spread([one.median * 1e6 for one in known])
            row["sd_us"] = spread([one.sd * 1e6 for one in known])
        table.add(**row)


def compare_to_hyperfine(table, kind, name, found):
    """The project's bound: at most hyperfine's cost when idle, and 1.5 times that under load."""
    own = found["benchctl"]
    before = cell(spread([one.before * 1e3 for one in own]))
    after = cell(spread([one.after * 1e3 for one in own]))
    table.note(f"{name}, {kind}: of benchctl's seconds {before} ms until its first run begins, "
               f"{after} ms from the end of its last one")
    if "hyperfine -N" not in found:
        return
    pairs = list(zip(own, found["hyperfine -N"]))
    ratios = [one.seconds / peer.seconds for one, peer in pairs]
    spreads = [one.sd / peer.sd for one, peer in pairs]
    table.note(
        f"{name}, {kind}: benchctl / hyperfine -N, round by round: cost "
        f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), standard "
        f"deviation {statistics.median(spreads):.2f} ({min(spreads):.2f} to {max(spreads):.2f})")


def measure(options):
    rounds = options.rounds or (2 if options.quick else 7)
    table = Table("Cost of a run and spread of its value, in µs", [
        ("load", "load"), ("program", "program"), ("tool", "tool"), ("runs", "runs a round"),
        ("cost_us", "cost of a run"), ("beyond_us", "beyond the loop"),
        ("value_us", "median value"), ("sd_us", "its standard deviation")])
    table.note("the whole command's wall time, divided by the runs; none warms up; a daemon was there already")
    table.note("what perf stat says instead of a median is the mean")
    chosen = programs()
    with tools.benchctl() as benchctl:
        others, missing = tools.peers()
        table.notes += missing
        benchctl.measure(["/bin/true"], FEWEST_RUNS)
        for kind in options.loads:
            for name, program, milliseconds in chosen:
                if options.program not in name:
                    continue
                runs = round(options.turn * 1000 / milliseconds / 2 / (2 if kind == "loaded" else 1))
                runs = max(FEWEST_RUNS, min(round(MOST_RUNS_A_S * options.turn), runs))
                with machine.load(kind):
                    found = measure_in_turn([benchctl, *others], program, runs, rounds)
                add_rows(table, kind, name, found, runs)
                compare_to_hyperfine(table, kind, name, found)
    return table
