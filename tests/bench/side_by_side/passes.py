"""What --pass-confidence 95% saves, and costs, on records of real runs."""

import array
import json
import os
import pathlib
import statistics
import tempfile

import machine
import tools
import verdicts
from support import BIN, PROGRAMS
from table import Table

DEFAULT, PASSES = "benchctl", "--pass-confidence 95%"
FORKS, ITERATIONS = 10, 3000


def replayed(record, replays):
    """The counts of both rules, by change."""
    out = tools.run([BIN / "replay", "--passes", record, "--replays", replays])
    lines = [json.loads(line) for line in out.stdout.splitlines()]
    return {(line["rule"], line["change"]): line for line in lines}


def own_records(options, folder):
    """The times of two programs that this machine runs now, by the bare loop."""
    runs = options.records or (2000 if options.quick else 20_000)
    spin = str(PROGRAMS / "spin")
    for name, program in (("/bin/true", ["/bin/true"]),
                          ("CPU 5 ms", [spin, str(machine.steps_of(spin, 5))])):
        if options.program in name:
            yield name, verdicts.record(folder, program, runs)[0]


def jmh_records(options, folder):
    """The second half of each fork, in which most benchmarks are in their steady state."""
    source = os.environ.get("BENCHD_JMH_DIR")
    for path in sorted(pathlib.Path(source).glob("s*.f64")) if source else ():
        values = array.array("d")
        values.frombytes(path.read_bytes())
        steady = [value for fork in range(FORKS)
                  for value in values[fork * ITERATIONS + ITERATIONS // 2:(fork + 1) * ITERATIONS]]
        record = pathlib.Path(folder) / path.stem
        record.write_text("".join(f"{value!r}\n" for value in steady))
        if options.program in path.stem:
            yield path.stem, record


def add_row(table, name, groups, replays):
    """One row for the records of `groups`, each with the counts of both rules."""
    row = {"records": name}
    for change in verdicts.CHANGES:
        ratios = [group[PASSES, change]["runs"] / group[DEFAULT, change]["runs"]
                  for group in groups]
        row[f"pairs {change:g}"] = f"{statistics.median(ratios):.2f}"
        for rule in (DEFAULT, PASSES):
            lines = [group[rule, change] for group in groups]
            regressions = sum(line["regressions"] for line in lines)
            passes = sum(line["replays"] - line["regressions"] - line["open"] for line in lines)
            row[f"{rule} {change:g}"] = f"{regressions}, {passes}"
    table.add(**row, replays=replays * len(groups))


def measure(options):
    replays = 200 if options.quick else 2000
    table = Table("Verdicts with and without --pass-confidence 95%, margin 2 %, alpha 1 %", [
        ("records", "records"), ("replays", "replays"),
        *[(f"pairs {change:g}", f"pairs at {change:.0%}") for change in verdicts.CHANGES],
        *[(f"{rule} {change:g}", f"{rule} at {change:.0%}")
          for change in (0, 0.01, 0.02, 0.05) for rule in (DEFAULT, PASSES)]])
    table.note("pairs: with the option, relative to without it; the median over the records")
    table.note("the other columns: regressions, passes; at 0 and 1 % a regression is wrong, at 5 % "
               "a pass, at the margin (2 %) both")
    with tempfile.TemporaryDirectory(prefix="benchd-side-") as folder:
        for name, record in own_records(options, folder):
            add_row(table, name, [replayed(record, replays)], replays)
        groups = [replayed(record, replays // 10) for _, record in jmh_records(options, folder)]
    if groups:
        add_row(table, f"{len(groups)} JMH benchmarks", groups, replays // 10)
    else:
        table.note("skipped: BENCHD_JMH_DIR is not set")
    return table
