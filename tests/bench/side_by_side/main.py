"""Compares benchd with its peers and with its own promises: one table per part, and JSON.

    main.py [--part NAME]... [--json FILE] [--quick] [--rounds N] [--load idle|loaded]...
            [--program NAME] [--records N] [--max-time TIME] [--rule NAME]

Environment: BENCHD_BIN_DIR, BENCHD_TEST_PROGRAMS, BENCHD_TEST_PYTHON, as ./dev sets them. Missing
peers are skipped by name. All tools are measured in turn, so that drift affects all equally. A
figure is the median of the rounds with their range. It judges nothing: the figures are those of one
machine, which is described together with its other users.
"""

import argparse
import json
import sys

import clocks
import cost
import estimates
import footprint
import machine
import passes
import scale
import verdicts
from processes import become_subreaper, end_children_left

PARTS = {
    "cost": cost.measure,
    "step": clocks.measure_step,
    "cpu-time": clocks.measure_cpu_time,
    "verdicts": verdicts.measure,
    "live": verdicts.measure_live,
    "passes": passes.measure,
    "measure": estimates.measure,
    "idle-daemon": footprint.measure_idle,
    "watchers": footprint.measure_watchers,
    "scale": scale.measure,
    "analyze": scale.measure_analyze,
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", action="append", choices=PARTS, metavar="NAME", dest="parts",
                        help="one of: " + ", ".join(PARTS) + " (repeatable; default: all)")
    parser.add_argument("--json", metavar="FILE", help="also write every figure to FILE")
    parser.add_argument("--quick", action="store_true", help="few rounds, for a quick check")
    parser.add_argument("--rounds", type=int, help="number of rounds in every part")
    parser.add_argument("--records", type=int, help="runs per record of `verdicts` and `passes` (20000)")
    parser.add_argument("--program", default="", metavar="NAME",
                        help="for `cost`, `measure`, `verdicts` and `passes`: only programs whose"
                        " name contains this")
    parser.add_argument("--turn", type=float, default=cost.TURN_S, metavar="SECONDS",
                        help="for `cost`: seconds that each tool runs a program in its turn (6)")
    parser.add_argument("--max-time", default="60s", metavar="TIME",
                        help="for `live` and `measure`: time limit of benchctl (60s)")
    parser.add_argument("--precision", default="1%", metavar="P",
                        help="for `measure`: of benchctl's intervals (1%%)")
    parser.add_argument("--rule", default="", metavar="NAME",
                        help="for `live`: only rules whose name contains this")
    parser.add_argument("--load", action="append", choices=("idle", "loaded"), dest="loads",
                        help="loaded: a busy loop on each CPU (default: both, in turn)")
    options = parser.parse_args()
    options.loads = options.loads or ["idle", "loaded"]
    return options


def write(path, result):
    """Writes everything after each part, so that an interrupted run keeps its complete parts."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1, ensure_ascii=False)
        file.write("\n")


def main():
    options = arguments()
    become_subreaper()
    facts = machine.facts()
    result = {"machine": facts, "parts": {}}
    print(f"{facts['cpu']}, {facts['cpus']} CPUs{' (virtual)' if facts['virtual'] else ''}, "
          f"Linux {facts['kernel']}, {facts['memory_gb']} GB, load {facts['load_average'][0]}\n")
    try:
        for part in options.parts or PARTS:
            before = machine.others()
            table = PARTS[part](options)
            table.note(f"others on the CPUs before: {before['cpus_busy']:.2f} of {facts['cpus']}"
                       f" CPUs; after: {machine.others()['cpus_busy']:.2f}")
            print(table.text() + "\n", flush=True)
            result["parts"][part] = dict(table.json(), others_before=before)
            if options.json:
                write(options.json, result)
    finally:
        left = end_children_left()
    if left:
        sys.exit(f"error: processes were left behind: {left}")


if __name__ == "__main__":
    main()
