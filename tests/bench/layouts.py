"""Measures the results of --layouts on real builds, which lld links in random orders.

    layouts.py [--trials N] [--layouts K] [--max-time D] [--part seeds|same|planted]...

Three parts, on one C program of 400 small functions, about 20 ms per run, gated by cpu_time at 2 %:

seeds    the slowest of eight links of one object against the fastest, chosen by one session and
         confirmed by another, without --layouts: a regression although the code is the same
same     two commits with the same source, N trials of --layouts K: how many are regressions?
planted  the second commit does 10 % more work: how many are found?

Counts are printed as they arrive, with the exact 95 % interval of Clopper and Pearson. Needs gcc
and lld. It judges nothing: on a machine in other use the same result needs more runs.
"""

import argparse
import math
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "side_by_side"))

from tools import Benchctl, benchctl  # noqa: E402

FUNCTIONS = 400
BUILD = r"""set -eu
object=$LAYOUTS_CACHE/$(sha256sum <p.c | cut -c1-20).o
if [ ! -e "$object" ]; then
  gcc -O2 -ffunction-sections -c p.c -o "$object.$$" && mv "$object.$$" "$object"
fi
gcc -fuse-ld=lld "-Wl,--shuffle-sections=.text*=$BENCHD_LAYOUT_SEED" "$object" -o bench
"""


def source(rounds):
    """A loop over small functions, whose speed depends on where the linker puts them."""
    draw = random.Random(3)
    kinds = [
        lambda: f"if(x&{1 << draw.randint(0, 9)}) x=x*{draw.randrange(3, 999, 2)}u+"
                f"{draw.randint(1, 99)}; else x^=x>>{draw.randint(3, 17)};",
        lambda: f"for(int j=0;j<{draw.randint(2, 9)};j++) x+=x<<{draw.randint(1, 7)};",
        lambda: f"x^=tab[(x>>{draw.randint(2, 20)})&1023];",
        lambda: f"switch((x>>{draw.randint(1, 9)})&3){{case 0:x+={draw.randint(1, 99)};break;"
                f"case 1:x^={draw.randint(1, 9999)};break;case 2:x=x*5;break;default:x-=7;}}",
        lambda: f"x=(x<<{draw.randint(1, 31)})|(x>>{draw.randint(1, 31)});",
    ]
    lines = ["#include <stdint.h>", "volatile uint64_t sink;"]
    for i in range(FUNCTIONS):
        body = "".join(draw.choice(kinds)() for _ in range(draw.randint(1, 5)))
        lines.append(f"__attribute__((noinline)) uint64_t f{i}(uint64_t x,uint64_t*tab)"
                     f"{{{body}return x;}}")
    table = ",".join(f"f{i}" for i in range(FUNCTIONS))
    lines.append(f"static uint64_t (*fs[])(uint64_t,uint64_t*)={{{table}}};")
    lines.append("int main(void){static uint64_t tab[1024];"
                 "for(int i=0;i<1024;i++)tab[i]=i*2654435761u;uint64_t x=1;"
                 f"for(long k=0;k<{rounds};k++)for(int i=0;i<{FUNCTIONS};i++)x=fs[i](x,tab);"
                 "sink=x;return 0;}")
    return "\n".join(lines) + "\n"


def exact_interval(count, trials, alpha=0.05):
    """The interval of Clopper and Pearson, by bisection on the binomial's tails."""
    def tail(p, low, high):
        return sum(math.comb(trials, k) * p**k * (1 - p)**(trials - k)
                   for k in range(low, high + 1))

    def root(rising):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if rising(middle) < alpha / 2 else (low, middle)
        return low

    lo = 0.0 if count == 0 else root(lambda p: tail(p, count, trials))
    hi = 1.0 if count == trials else 1 - root(lambda q: tail(1 - q, 0, count))
    return lo, hi


class Trials:
    def __init__(self, tool: Benchctl, layouts, rounds, max_time):
        self.max_time = max_time
        self.benchctl = tool
        folder = tool.daemon.folder
        self.environment = tool.environment
        self.environment["LAYOUTS_CACHE"] = str(folder / "objects")
        self.environment["XDG_CACHE_HOME"] = str(folder / "cache")
        (folder / "objects").mkdir()
        self.repository = folder / "repository"
        self.repository.mkdir()
        self.layouts = layouts
        self.git("init", "--quiet", "--initial-branch", "main")
        (self.repository / "build.sh").write_text(BUILD)
        for tag, loops in (("before", rounds), ("same", rounds), ("slower", rounds * 11 // 10)):
            (self.repository / "p.c").write_text(source(loops))
            self.git("add", "--all")
            self.git("commit", "--quiet", "--allow-empty", "-m", tag)
            self.git("tag", tag)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@localhost", *words],
                       cwd=self.repository, check=True, env=self.environment)

    def verdict(self, *words):
        return self.benchctl.compare("--metric", "cpu_time:2%", *words, cwd=self.repository)[0]

    def seeds(self):
        folder = self.repository
        subprocess.run(["git", "checkout", "--quiet", "before"], cwd=folder, check=True)
        links = []
        for seed in range(1, 9):
            subprocess.run(["sh", "build.sh"], cwd=folder, check=True,
                           env={**self.environment, "BENCHD_LAYOUT_SEED": str(seed)})
            links.append(folder / f"seed{seed}")
            (folder / "bench").rename(links[-1])
        names = [word for link in links for word in ("-n", link.name)]
        last = self.verdict("--runs", "60", *names, "--", *map(str, links))
        means = {}
        for c in last["comparisons"]:
            if c["metric"] == "cpu_time":
                means[c["reference"]] = c["mean_reference"]
                means[c["candidate"]] = c["mean_candidate"]
        fastest, slowest = min(means, key=means.get), max(means, key=means.get)
        again = self.verdict("--max-time", "2m", "-n", fastest, "-n", slowest, "--",
                             str(folder / fastest), str(folder / slowest))
        gate = next(c for c in again["comparisons"] if c["role"] == "gate")
        print(f"seeds: chosen {slowest} against {fastest}: {means[slowest] / means[fastest] - 1:+.1%};"
              f" confirmed: {again['verdict']}, {gate['change']['estimate']:+.1%} "
              f"({gate['change']['lo']:+.1%} ... {gate['change']['hi']:+.1%})", flush=True)

    def count(self, part, candidate, trials):
        regressions, spreads, changes = 0, [], []
        for trial in range(1, trials + 1):
            last = self.verdict("--git", f"before..{candidate}", "--build", "sh build.sh",
                                "--layouts", str(self.layouts), "--seed", str(trial),
                                "--max-time", self.max_time, "--", "./bench")
            gate = next(c for c in last["comparisons"] if c["role"] == "gate")
            regressions += last["verdict"] == "regression"
            spreads.append(gate["sd_reference"] / gate["mean_reference"])
            changes.append(gate["change"]["estimate"])
            lo, hi = exact_interval(regressions, trial)
            print(f"{part}: {regressions} of {trial} regressions (95 %: {lo:.1%} ... {hi:.1%}); "
                  f"this one {last['verdict']}, {gate['change']['estimate']:+.1%} "
                  f"({gate['change']['lo']:+.1%} ... {gate['change']['hi']:+.1%}), "
                  f"layouts sd {sum(spreads) / trial:.1%} on average", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--layouts", type=int, default=8)
    parser.add_argument("--max-time", default="25s", help="limit of a trial's runs (default 25s)")
    parser.add_argument("--rounds", type=int, default=12000,
                        help="steps of the program (12000: 20 ms, of which its start is 5 %%)")
    parser.add_argument("--part", action="append", choices=("seeds", "same", "planted"))
    given = parser.parse_args()
    parts = given.part or ["seeds", "same", "planted"]
    with benchctl() as tool:
        trials = Trials(tool, given.layouts, given.rounds, given.max_time)
        if "seeds" in parts:
            trials.seeds()
        if "same" in parts:
            trials.count("same", "same", given.trials)
        if "planted" in parts:
            trials.count("planted", "slower", given.trials)


if __name__ == "__main__":
    main()
