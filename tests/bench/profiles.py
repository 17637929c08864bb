"""Measures how often `benchctl explain` finds the function that became slower.

    profiles.py [--only NAME]... [--kind KIND] [--sessions N] [--runs N] [--frequency HZ]
                [--records FILE]
    profiles.py --cost | --real

Five programs of 30 functions (C++ with templates and inlining, C with functions of the same name
in two files, Rust, C code called by Python, eight threads) are built in two versions: one of the
functions, which takes a tenth to a fifth of a run, does 10 % more work in the candidate, so that
the whole program is 1 to 2 % slower. N sessions explain the two versions, and N sessions explain
the same version twice. Another function is planted in each of --plants groups of sessions.

right first   the planted function is the first by the change of its own seconds, and called changed
others        sessions in which a function that is the same in both versions is called changed
A/A           sessions of the same version twice in which any function is called changed

Each session is a line of --records, so that a series can be continued; the table is made from all
of its lines. Needs gcc and g++; without rustc, its program is skipped.

--cost measures what sampling adds to the CPU time of a run, how precisely the share of a function
is known, and whether a comparison with --explain has the same values as one without. --real
measures what an explanation of sessions of gzip, sqlite3 and python3 takes.
"""

import argparse
import json
import pathlib
import random
import re
import shlex
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "side_by_side"), str(HERE / "profiles"), str(HERE.parent / "e2e")]

from explained import explain, measured_session, options_of  # noqa: E402
from machine import facts  # noqa: E402
from planted_programs import PROGRAMS, Plant, available  # noqa: E402
from profile_cost import print_apart, print_cost, print_precision  # noqa: E402
from real_programs import print_real  # noqa: E402
from table import Table  # noqa: E402
from tools import benchctl  # noqa: E402

MORE = 0.1  # work of the planted function
# The A/A sessions have as many blocks as the others: the number is not chosen by explain, which
# would look for half of a change that is zero.
RUNS, FREQUENCY = 50, 4000
KINDS = ("planted", "same")


def judged(explanation, pattern):
    """What an explanation says about the function whose name the pattern finds.

    @param pattern  None if no function changed
    """
    changed = [one for one in explanation["functions"] if one["changed"]]
    changed.sort(key=lambda one: abs(one["self"]["estimate"]), reverse=True)
    planted = [bool(pattern and re.search(pattern, one["function"])) for one in changed]
    return {"right": planted[:1] == [True],
            "others": [one["function"] for one, here in zip(changed, planted) if not here]}


class Trials:
    def __init__(self, tool, given):
        self.tool = tool
        self.given = given
        self.folder = pathlib.Path(tool.daemon.folder) / "programs"
        self.sessions = {}  # (program, plant) -> measured session of each kind

    def plant(self, name, group):
        return Plant(f"{self.given.seed} {name} {group}")

    def measured(self, name, group):
        """The IDs of the measured sessions of one plant, by kind."""
        if (name, group) not in self.sessions:
            program, plant = PROGRAMS[name], self.plant(name, group)
            folder = self.folder / f"{name}-{group}"
            for version, more in (("base", 0.0), ("slower", MORE)):
                program.build(folder / version, plant.rounds(program.per_call, more))
            calls = program.calls_of(folder / "base", self.given.seconds)
            base, slower = (shlex.join(program.words(folder / version, calls))
                            for version in ("base", "slower"))
            self.sessions[name, group] = {
                "planted": measured_session(self.tool, base, slower),
                "same": measured_session(self.tool, base, base)}
        return self.sessions[name, group]

    def session(self, name, kind, number):
        group = number * self.given.plants // self.given.sessions
        measured = self.measured(name, group)[kind]
        last, seconds = explain(self.tool, measured,
                                *options_of(self.given, runs=RUNS, frequency=FREQUENCY))
        [explanation] = last["explanations"]
        plant = self.plant(name, group)
        pattern = PROGRAMS[name].pattern(plant.function) if kind == "planted" else None
        return {"program": name, "kind": kind, "number": number, "function": plant.function,
                "share": plant.share(plant.function), **judged(explanation, pattern),
                "blocks": explanation["blocks"], "compared": explanation["compared"],
                "samples": explanation["samples_reference"], "lost": explanation["lost"],
                "change": explanation["change"]["estimate"],
                "explained": explanation["explained_s"], "seconds": seconds}


def rows_of(records):
    """A row of the table for each program."""
    for name in PROGRAMS:
        planted, same = ([one for one in records if one["program"] == name and one["kind"] == kind]
                         for kind in KINDS)
        if planted or same:
            yield {"program": name, "sessions": f"{len(planted)} and {len(same)}",
                   "right": sum(one["right"] for one in planted),
                   "others": sum(bool(one["others"]) for one in planted),
                   "same": sum(bool(one["others"]) for one in same),
                   "blocks": statistics.median(one["blocks"] for one in planted + same),
                   "seconds": statistics.median(one["seconds"] for one in planted + same)}


def print_found(records, given):
    table = Table(f"{100 * MORE:.0f} % more work in one of 30 functions", [
        ("program", "program"), ("sessions", "sessions"), ("right", "right first"),
        ("others", "others called"), ("same", "A/A called"), ("blocks", "blocks"),
        ("seconds", "seconds a session")])
    for row in rows_of(records):
        table.add(**row)
    table.note(f"seed {given.seed}; runs of about {given.seconds:g} s of CPU time")
    table.note(", ".join(f"{name}: {value}" for name, value in facts().items()))
    print(table.text() + "\n", flush=True)


def measure_found(tool, given):
    records = []
    if given.records and given.records.exists():
        records = [json.loads(line) for line in given.records.read_text().splitlines()]
    done = {(one["program"], one["kind"], one["number"]) for one in records}
    trials = Trials(tool, given)
    names = list(available(given.only or PROGRAMS))
    for number in range(given.sessions):
        turns = [(name, kind) for name in names for kind in given.kind or KINDS]
        random.Random(f"{given.seed} {number}").shuffle(turns)
        for name, kind in turns:
            if (name, kind, number) in done:
                continue
            records.append(trials.session(name, kind, number))
            print(json.dumps(records[-1]), file=sys.stderr, flush=True)
            if given.records:
                with given.records.open("a") as file:
                    file.write(json.dumps(records[-1]) + "\n")
    print_found(records, given)


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=PROGRAMS, help="programs; default: all")
    parser.add_argument("--kind", action="append", choices=KINDS, help="default: both")
    parser.add_argument("--sessions", type=int, default=40, metavar="N",
                        help="of each program and kind (40)")
    parser.add_argument("--plants", type=int, default=4, metavar="N",
                        help="functions planted in these sessions, one after the other (4)")
    parser.add_argument("--seconds", type=float, default=0.4, help="CPU time of a run (0.4)")
    parser.add_argument("--runs", type=int, metavar="N",
                        help=f"of each arm ({RUNS}; 10 for --cost; --real: chosen by explain)")
    parser.add_argument("--frequency", type=int, metavar="HZ",
                        help=f"samples per second ({FREQUENCY}; --real: that of explain)")
    parser.add_argument("--max-time", metavar="T", help="limit of explain; default: its own")
    parser.add_argument("--call-graph", choices=("fp", "dwarf"), help="default: that of explain")
    parser.add_argument("--records", type=pathlib.Path, help="file to which sessions are added")
    parser.add_argument("--rounds", type=int, default=8, metavar="N", help="of --cost (8)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cost", action="store_true", help="measure what sampling adds to a run")
    parser.add_argument("--real", action="store_true", help="measure explanations of real programs")
    given = parser.parse_args(words)
    if given.sessions < given.plants:
        given.plants = given.sessions
    return given


def main():
    given = parse_arguments()
    print(f"seed {given.seed}", flush=True)
    with benchctl() as tool:
        if given.cost:
            print_cost(tool, given)
            print_precision(tool, given)
            print_apart(tool, given)
        if given.real:
            print_real(tool, given)
        if not given.cost and not given.real:
            measure_found(tool, given)


if __name__ == "__main__":
    main()
