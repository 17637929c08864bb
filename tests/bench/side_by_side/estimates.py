"""How soon `benchctl measure` and hyperfine name the mean of a program, and how well it repeats."""

import json
import shlex
import statistics
import tempfile

import cost
import tools
from table import Table, spread


def programs(folder):
    """(Name, words)."""
    text = f"{folder}/text"
    with open(text, "w", encoding="ascii") as file:
        file.writelines(f"{i} {i * i} {i**3 % 1009}\n" for i in range(100_000))
    return [(name, words) for name, words, _ in cost.programs()] + [
        ("gzip", ["/bin/gzip", "--keep", "--stdout", text])]


def by_benchctl(benchctl, words, options):
    """(Seconds of the whole command, mean, runs, whether the precision was reached)."""
    seconds, done = tools.timed(
        [tools.BIN / "benchctl", "measure", "--json", "--precision", options.precision,
         "--max-time", options.max_time, shlex.join(words)],
        env=benchctl.environment, cwd=benchctl.daemon.folder)
    [asked] = [one for one in json.loads(done.stdout.splitlines()[-1])["estimates"]
               if one["asked"]]
    return seconds, asked["value"]["estimate"], asked["n"], asked["precise"]


def by_hyperfine(_hyperfine, words, _options):
    """The same; hyperfine does not judge its precision."""
    with tempfile.NamedTemporaryFile(suffix=".json") as export:
        seconds, _ = tools.timed(["hyperfine", "-N", "--style", "none", "--export-json",
                                  export.name, shlex.join(words)])
        [result] = json.load(export)["results"]
    times = tools.times_of(result)
    return seconds, statistics.fmean(times), len(times), None


def add_row(table, name, tool, found):
    seconds, means, runs, precise = zip(*found)
    middle = statistics.median(means)
    table.add(program=name, tool=tool, seconds=spread(seconds), runs=spread(runs),
              mean=spread([mean * 1e3 for mean in means]),
              sd=f"{statistics.stdev(means) / middle:.2%}",
              farthest=f"{max(abs(mean / middle - 1) for mean in means):.2%}",
              precise="–" if precise[0] is None else f"{sum(precise)} of {len(precise)}")


def measure(options):
    rounds = options.rounds or (3 if options.quick else 6)
    table = Table(f"The mean of a program: benchctl measure --precision {options.precision} and "
                  f"hyperfine -N, {rounds} times in turn", [
        ("program", "program"), ("tool", "tool"), ("seconds", "seconds"), ("runs", "runs"),
        ("mean", "mean, ms"), ("sd", "sd of the means"), ("farthest", "farthest from their median"),
        ("precise", "reached the precision")])
    peers, missing = tools.peers()
    hyperfine = next((peer for peer in peers if peer.name == "hyperfine -N"), None)
    table.notes += [line for line in missing if "hyperfine" in line]
    with tools.benchctl() as benchctl, tempfile.TemporaryDirectory() as folder:
        ways = [("benchctl measure", by_benchctl, benchctl)]
        if hyperfine:
            ways.append((hyperfine.name, by_hyperfine, hyperfine))
        for name, words in programs(folder):
            if options.program not in name:
                continue
            found = {tool: [] for tool, _, _ in ways}
            for number in range(rounds):
                for tool, measured, state in ways[::1 if number % 2 else -1]:
                    found[tool].append(measured(state, words, options))
            for tool, _, _ in ways:
                add_row(table, name, tool, found[tool])
    return table
