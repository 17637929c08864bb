"""Measures how soon each of many benchmarks inside one program has its verdict, and how often it is
wrong, by --harness and by the usual ways.

    discovery.py [--tool google-benchmark|criterion] [--cases N] [--repeats N] [--records FILE]

One program has N benchmarks of several kinds. The longest of 120 takes about 40 times as long as the
shortest: about 200 and 5 microseconds on one machine, with either tool. One of 24 is noisy. In the
candidate, three of them do 5 % more work; which three is drawn anew for each repeat. The margin is
half of that. All ways judge typical values: medians by hand, the estimator hl by benchd. By hand, 5 %
of the benchmarks may be wrong; benchd bounds the expected share of wrong verdicts by 5 %
(--error-rate fdr). In each repeat, these ways take their turns in random order, parse after harness:

harness   `compare --harness`: each benchmark by itself, until its own gate is decided
parse     `compare --parse`: the whole program, until every gate is decided, or for three times the
          seconds that harness needed
rounds    by hand: R rounds of A B B A over the whole program; a benchmark is slower if the median of
          the rounds' ratios is above the margin and its 95 % bootstrap interval is above 1
counts    the habit of benchstat: the whole program C times for A, then C times for B; a benchmark is
          slower if Mann and Whitney's test says so at 5 % and its median is above the margin

The last two are judged after each R and C of --rounds and --counts, on the same runs. Wrong is a
benchmark called slower that is not, or a planted one that is called not slower. The ways by hand have
no third answer; those of benchd say undecided at their limit of time, --max-time for harness.

Each repeat is a line of --records, so that a series can be continued; the table is printed at the
end, from all of its lines. Needs g++ and libbenchmark-dev, or cargo and librust-criterion-dev.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "side_by_side"))

from tools import BIN, benchctl, timed  # noqa: E402

PLANTED = 3
SHARE = 0.05
MARGIN = SHARE / 2


class GoogleBenchmark:
    harness = ("--harness", "google-benchmark")
    parse = ("--parse", "google-benchmark")
    metric = "cpu_time"
    environment = {}
    words = ("--benchmark_min_time=0.002",)
    read = ("--benchmark_format=json",)

    def build(self, folder):
        program = folder / "cases"
        subprocess.run(["g++", "-O2", "-o", program, HERE / "discovery/cases.cc", "-lbenchmark",
                        "-lpthread"], check=True)
        return program

    def values(self, out):
        return {one["name"]: one["cpu_time"] for one in json.loads(out)["benchmarks"]}


class Criterion:
    harness = ("--harness", "criterion")
    parse = ("--parse", "libtest")
    metric = "time"
    environment = {"CRITERION_HOME": "criterion"}
    words = ()
    read = ("--output-format", "bencher", "--bench")

    def build(self, folder):
        source = folder / "rust"
        shutil.copytree(HERE / "discovery", source)
        (source / "empty.rs").write_text("")
        (source / ".cargo").mkdir()
        (source / ".cargo/config.toml").write_text(
            '[source.crates-io]\nreplace-with = "debian"\n'
            '[source.debian]\ndirectory = "/usr/share/cargo/registry"\n')
        out = subprocess.run(["cargo", "bench", "--no-run", "--offline", "--message-format=json"],
                             cwd=source, check=True, capture_output=True, text=True).stdout
        [program] = [one["executable"] for one in map(json.loads, out.splitlines())
                     if one["reason"] == "compiler-artifact" and "bench" in one["target"]["kind"]]
        return pathlib.Path(program)

    def values(self, out):
        return {name: float(value.replace(",", "")) for name, value in
                re.findall(r"^test (\S+) \.\.\. bench: +([\d,]+) ns/iter", out, re.MULTILINE)}


TOOLS = {"google-benchmark": GoogleBenchmark, "criterion": Criterion}


def bootstrap(values, draw, trials=1000, level=0.95):
    """The percentile interval of the median."""
    medians = sorted(statistics.median(draw.choices(values, k=len(values)))
                     for _ in range(trials))
    tail = round((1 - level) / 2 * trials)
    return medians[tail], medians[trials - 1 - tail]


def mann_whitney(a, b):
    """The two-sided p-value by the normal approximation, with corrections for continuity and ties."""
    counts = collections.Counter(a + b)
    ranks, before = {}, 0
    for value in sorted(counts):
        ranks[value] = before + (counts[value] + 1) / 2
        before += counts[value]
    n = len(a) + len(b)
    u = sum(ranks[value] for value in a) - len(a) * (len(a) + 1) / 2
    ties = sum(count**3 - count for count in counts.values())
    variance = len(a) * len(b) / 12 * (n + 1 - ties / (n * (n - 1)))
    if variance == 0:
        return 1.0
    z = max(abs(u - len(a) * len(b) / 2) - 0.5, 0) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


class Trials:
    def __init__(self, tool, benchctl_, given):
        self.tool = tool
        self.benchctl = benchctl_
        self.given = given
        self.folder = pathlib.Path(benchctl_.daemon.folder) / "work"
        self.folder.mkdir()
        self.program = tool.build(self.folder)
        self.names = list(self.run_all(self.arm("base")))

    def arm(self, name, planted=()):
        """The words of an arm's command, whose program does more work in the planted benchmarks."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        program = pathlib.Path(shutil.copy2(self.program, folder / "cases"))
        plan = " ".join(map(str, (self.given.cases, SHARE, *planted)))
        program.with_name("cases.txt").write_text(plan)
        return [str(program), *self.tool.words]

    def run_all(self, arm):
        """Runs the whole program; returns each benchmark's value."""
        pinned = ["taskset", "-c", self.given.cpus] if self.given.cpus else []
        done = subprocess.run([*pinned, *arm, *self.tool.read], cwd=self.folder,
                              env=os.environ | self.tool.environment,
                              capture_output=True, text=True, check=True)
        return self.tool.values(done.stdout)

    def compared(self, options, limit, name, base, candidate):
        """A comparison by benchd. @param name  of a comparison's benchmark"""
        cpus = ["--cpus", self.given.cpus] if self.given.cpus else []
        variables = [word for one in self.tool.environment.items() for word in ("--env", "=".join(one))]
        seconds, _ = timed(
            [BIN / "benchctl", "compare", "--quiet", *options, *cpus, *variables,
             "--estimator", "hl", "--error-rate", "fdr", "--confidence", "95%", "--max-time", limit,
             "--metric", f"{self.tool.metric}:{MARGIN:.1%}", shlex.join(base), shlex.join(candidate)],
            env=self.benchctl.environment, cwd=self.folder)
        shown = json.loads(self.benchctl.run("show", "--json").stdout)
        verdicts = {name(one): one["verdict"] for one in shown["report"]["comparisons"]
                    if one["role"] == "gate"}
        assert set(verdicts) == set(self.names), set(self.names) ^ set(verdicts)
        return [self.counted(verdicts, seconds)]

    def harness(self, *arms):
        found = self.compared(self.tool.harness, self.given.max_time,
                              lambda one: one["benchmark"], *arms)
        self.harness_seconds = found[0]["seconds"]
        return found

    def parse(self, base, candidate):
        whole = self.tool.read
        return self.compared(self.tool.parse, f"{3 * self.harness_seconds:.0f}s",
                             lambda one: one["metric"].rpartition("/")[0],
                             [*base, *whole], [*candidate, *whole])

    def rounds(self, base, candidate):
        draw, begin, found = random.Random(1), time.monotonic(), []
        ratios = {name: [] for name in self.names}
        for done in range(1, max(self.given.rounds) + 1):
            a1, b1, b2, a2 = (self.run_all(arm) for arm in (base, candidate, candidate, base))
            for name in self.names:
                ratios[name].append((b1[name] + b2[name]) / (a1[name] + a2[name]))
            if done in self.given.rounds:
                seconds = time.monotonic() - begin
                slower = {name: statistics.median(of) > 1 + MARGIN and bootstrap(of, draw)[0] > 1
                          for name, of in ratios.items()}
                found.append({"size": done, **self.counted(slower, seconds)})
        return found

    def counts(self, base, candidate):
        most, found, times, values = max(self.given.counts), [], [], []
        for arm in (base, candidate):
            begin = time.monotonic()
            times.append([])
            values.append([])
            for _ in range(most):
                values[-1].append(self.run_all(arm))
                times[-1].append(time.monotonic() - begin)
        for count in self.given.counts:
            a, b = ({name: [run[name] for run in runs[:count]] for name in self.names}
                    for runs in values)
            slower = {name: mann_whitney(a[name], b[name]) < 0.05
                      and statistics.median(b[name]) > (1 + MARGIN) * statistics.median(a[name])
                      for name in self.names}
            found.append({"size": count,
                          **self.counted(slower, sum(one[count - 1] for one in times))})
        return found

    def counted(self, verdicts, seconds):
        false = [name for name, one in verdicts.items()
                 if one in (True, "regression") and name not in self.slower]
        missed = [name for name, one in verdicts.items()
                  if one in (False, "pass") and name in self.slower]
        undecided = [name for name, one in verdicts.items() if one == "undecided"]
        return {"seconds": seconds, "false": len(false), "missed": len(missed),
                "undecided": len(undecided)}

    def repeat(self, number):
        draw = random.Random(f"{self.given.seed} {number}")
        planted = draw.sample(range(self.given.cases), PLANTED)
        self.slower = {self.names[i] for i in planted}
        ways = [self.harness, self.rounds, self.counts]
        draw.shuffle(ways)
        ways.insert(draw.randint(ways.index(self.harness) + 1, len(ways)), self.parse)
        record = {"repeat": number, "planted": planted}
        arms = self.arm("base"), self.arm("candidate", planted)
        for way in ways:
            record[way.__name__] = way(*arms)
            for one in record[way.__name__]:
                print(f"repeat {number}: {way.__name__} {one}", flush=True)
        return record


def table(records):
    """Rows: way, median seconds (least to most), false, missed and undecided verdicts in all."""
    rows = collections.defaultdict(list)
    for record in records:
        for way in ("harness", "parse", "rounds", "counts"):
            for one in record[way]:
                rows[f"{way} {one.get('size', '')}".strip()].append(one)
    print(f"| {len(records)} repeats | seconds, median (least to most) | false | missed | undecided |")
    print("|---|---|---|---|---|")
    for way, of in rows.items():
        seconds = [one["seconds"] for one in of]
        wrong = " | ".join(str(sum(one[what] for one in of))
                           for what in ("false", "missed", "undecided"))
        print(f"| {way} | {statistics.median(seconds):.1f} ({min(seconds):.1f} to "
              f"{max(seconds):.1f}) | {wrong} |")


def main():
    numbers = lambda text: [int(word) for word in text.split(",")]  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", choices=TOOLS, default="google-benchmark")
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--rounds", type=numbers, default=[10, 20, 40], metavar="N,N...")
    parser.add_argument("--counts", type=numbers, default=[10, 20], metavar="N,N...")
    parser.add_argument("--max-time", default="330s", help="limit of harness (330s)")
    parser.add_argument("--cpus", metavar="LIST",
                        help="run the benchmarks there, because the others have other work")
    parser.add_argument("--records", type=pathlib.Path, help="file to which repeats are added")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    records = []
    if given.records and given.records.exists():
        records = [json.loads(line) for line in given.records.read_text().splitlines()]
    with benchctl() as tool:
        trials = Trials(TOOLS[given.tool](), tool, given)
        for number in range(len(records) + 1, given.repeats + 1):
            records.append(trials.repeat(number))
            if given.records:
                with given.records.open("a") as file:
                    file.write(json.dumps(records[-1]) + "\n")
    table(records)


if __name__ == "__main__":
    main()
