#!/usr/bin/env python3
"""Writes controls.json: whole sessions with controls, from docs/statistics.md alone.

usage: /usr/bin/python3 tests/golden/controls.py

Each gate follows sections 2, 3 and 6 as in family.py, which this program uses for looks and for Holm's step-down. A
control counts in G, has a two-sided interval at level alpha / G whatever --sided is, is judged against both ends of its
margin, and takes part in the step-down with p = 1.
"""

import json
import os

from family import HERE, PASS, REGRESSION, UNDECIDED, Gate, step_down
from two_levels import values

OPEN, UNCHANGED, CHANGED = "open", "unchanged", "changed"
REL_TOL = 1e-9
FIRST_LOOK = 8


class Control(Gate):
    """A gate with a margin of both directions. Its verdict as a member of the family stays open."""

    state = OPEN

    def add(self, base, candidate):
        super().add(base, candidate)
        self.one_sided = {PASS: 1.0, REGRESSION: 1.0}
        if self.look is None or self.state != OPEN:
            return
        if self.lo > self.threshold or self.hi < -self.threshold:
            self.state = CHANGED
        elif -self.threshold < self.lo and self.hi < self.threshold:
            self.state = UNCHANGED
        self.decided = None if self.state == OPEN else len(self.base)


def is_settled(gate):
    return gate.state != OPEN if isinstance(gate, Control) else gate.verdict != UNDECIDED


def play(one):
    """Runs a session to its end or to the last block."""
    count = len(one["benchmarks"])
    doubled = 2 if one["sided"] == "one" else 1
    gates = {}
    for name, benchmark in one["benchmarks"].items():
        kind, level = (Control, one["alpha"]) if benchmark["control"] else (Gate, one["alpha"] * doubled)
        gates[name] = kind(name, benchmark["better"], benchmark["margin"], FIRST_LOOK, one["sided"], level / count,
                           True)
    left = {name: iter(benchmark["blocks"]) for name, benchmark in one["benchmarks"].items()}
    used = 0
    for name in one["order"]:
        if all(is_settled(gate) for gate in gates.values()):
            break
        used += 1
        gate = gates[name]
        gate.add(*next(left[name]))
        if not isinstance(gate, Control) and gate.verdict == UNDECIDED and gate.beyond() != UNDECIDED:
            gate.decide(gate.beyond(), "", used)
        for verdict in (REGRESSION, PASS):
            for entered in step_down(list(gates.values()), verdict, one["alpha"] * doubled / 2):
                entered.decide(verdict, "holm", used)
    return gates, used


def expected(one):
    gates, used = play(one)
    comparisons = {}
    for name, gate in gates.items():
        control = isinstance(gate, Control)
        comparisons[name] = gate.change(gate.lo, gate.hi) if control else gate.change(*gate.cut())
        comparisons[name] |= {"blocks": len(gate.base)}
        comparisons[name] |= ({"control": gate.state, "decided_at": gate.decided} if control else
                              {"verdict": gate.verdict, "decided_by": gate.by})
    judged = [gate.verdict for gate in gates.values() if not isinstance(gate, Control)]
    changed = any(isinstance(gate, Control) and gate.state == CHANGED for gate in gates.values())
    verdict = next(v for v in (REGRESSION, UNDECIDED, PASS) if v in judged)
    return {"blocks_used": used, "control_changed": changed, "verdict": UNDECIDED if changed else verdict,
            "comparisons": comparisons}


def benchmark(effect, seed, control=False, better="lower", margin=0.02, count=60):
    """`effect` is a slowdown."""
    base, candidate = values(count, 20, 0.02, 1000 + seed), values(count, 20 * (1 + effect), 0.02, 2000 + seed)
    if better == "higher":
        base, candidate = ([round(1e5 / x, 6) for x in column] for column in (base, candidate))
    return {"control": control, "better": better, "margin": margin,
            "blocks": [list(pair) for pair in zip(base, candidate)]}


def case(name, benchmarks, alpha=0.05, sided="two"):
    count = min(len(one["blocks"]) for one in benchmarks.values())
    return {"id": name, "rel_tol": REL_TOL, "alpha": alpha, "sided": sided, "order": list(benchmarks) * count,
            "benchmarks": benchmarks}


def cases():
    return [
        case("unchanged", {"work": benchmark(0.1, 1), "steady": benchmark(0, 2, True)}),
        case("slower", {"work": benchmark(0.1, 3), "steady": benchmark(0.1, 4, True)}),
        case("faster", {"work": benchmark(0, 5), "steady": benchmark(-0.1, 6, True)}),
        case("rates", {"work": benchmark(0.1, 7, better="higher"),
                       "steady": benchmark(-0.08, 8, True, "higher", 0.03)}, alpha=0.01),
        case("open", {"work": benchmark(0.1, 9), "steady": benchmark(-0.02, 10, True, count=30)}),
        case("one_sided", {"work": benchmark(0.05, 11), "more": benchmark(-0.02, 12), "steady": benchmark(0, 13, True)},
             sided="one"),
        case("several", {"a": benchmark(0.08, 14), "b": benchmark(0.06, 15), "c": benchmark(0, 16),
                         "steady": benchmark(0, 17, True), "too": benchmark(0.01, 18, True, margin=0.05)}),
    ]


def main():
    comment = ("Written by controls.py from docs/statistics.md: sessions with one gate per benchmark, of which some are "
               "controls. 'blocks' are pairs of base and candidate; 'lo' and 'hi' are of the relative change by all "
               "looks, cut at the margin after a joint decision.")
    lines = [json.dumps({**one, "expected": expected(one)}) for one in cases()]
    with open(os.path.join(HERE, "controls.json"), "w") as file:
        listing = ",\n".join("  " + line for line in lines)
        file.write(f'{{\n "comment": {json.dumps(comment)},\n "cases": [\n{listing}\n ]\n}}\n')


if __name__ == "__main__":
    main()
