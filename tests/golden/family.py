#!/usr/bin/env python3
"""Writes family.json: whole sessions of several gates that are decided together, from docs/statistics.md alone.

usage: /usr/bin/python3 tests/golden/family.py

The sessions are those of the kinds "blocks" and "gates" in statistics2.json, and a few more of the same shapes, whose
inputs are in family.json. Each gate by itself follows sections 2 and 3, at level alpha / G. Before anything is written,
the sessions of statistics2.json are computed without "Decisions together" (section 6), and must agree with the results
there, which another program computed. Only then are all sessions computed with Holm's step-down in two lists.

Nothing but Python's own floating point is used, with the tails and quantiles of two_levels.py.
"""

import json
import math
import os

from two_levels import density, falling_root, mean, normal_tail, t_quantile, t_tail, values

HERE = os.path.dirname(os.path.abspath(__file__))
REL_TOL = 1e-9
UNDECIDED, PASS, REGRESSION = "undecided", "pass", "regression"


def two_sided_level(a):
    """The level of the boundary that starts at `a`; also the p-value of a look that just reaches it."""
    return 2 * (normal_tail(a) + a * density(a))


class Look:
    """One look at the pairs of a gate, on the scale on which larger is worse."""

    def __init__(self, base, candidate, first_look, level, threshold):
        n = len(base)
        u = [c / mean(candidate) - b / mean(base) for b, c in zip(base, candidate)]
        v = math.fsum(x * x for x in u) / (n - 1)
        kappa = math.fsum(x ** 3 for x in u) * n / ((n - 1) * (n - 2)) / v ** 1.5 / math.sqrt(n)
        se = math.sqrt(v / n)
        theta = math.log(mean(candidate) / mean(base))
        growth = math.log(n / first_look)
        a = falling_root(two_sided_level, level, 0, 40)
        t = t_quantile(normal_tail(math.sqrt(a * a + growth)), n - 1)
        self.lo = theta - se * max(t, hall(t, kappa))
        self.hi = theta + se * max(t, -hall(-t, kappa))

        # The interval excludes the threshold if both |T| and the inverse of hall() exceed t.
        distance = (theta - threshold) / se
        inverse = distance + kappa * distance ** 2 / 3 + kappa ** 2 * distance ** 3 / 27 + kappa / 6
        tau = min(abs(distance), max(0.0, math.copysign(inverse, distance * inverse)))
        z = falling_root(normal_tail, t_tail(tau, n - 1), 0, 40)
        self.p = two_sided_level(math.sqrt(max(0.0, z * z - growth)))
        self.worse = theta > threshold


def hall(y, kappa):
    cube = 1 + kappa * (y - kappa / 6)
    return 3 / kappa * (math.copysign(abs(cube) ** (1 / 3), cube) - 1)


class Gate:
    """The pairs and looks of one gate, and its decision."""

    def __init__(self, key, better, margin, first_look, sided, level, drops_looks):
        self.key = key
        self.rate = better == "higher"
        self.margin = margin
        self.threshold = -math.log1p(-margin) if self.rate else math.log1p(margin)
        self.first_look = first_look
        self.sides = 1 if sided == "one" else 2
        self.level = level  # two-sided, of its own interval
        self.drops_looks = drops_looks
        self.base, self.candidate = [], []
        self.missing = 0
        self.look = None
        self.lo, self.hi = -math.inf, math.inf  # what all looks that count have in common
        self.p = 1.0
        self.one_sided = {PASS: 1.0, REGRESSION: 1.0}
        self.verdict, self.by, self.deciding, self.decided = UNDECIDED, "", None, None

    def counts(self):
        """Whether at most 5 % of the blocks so far lack the pair."""
        return not self.drops_looks or 20 * self.missing <= self.missing + len(self.base)

    def add(self, base, candidate):
        """Takes one block and looks."""
        if base is None or candidate is None:
            self.missing += 1
            return
        self.base.append(self.unit(base))
        self.candidate.append(self.unit(candidate))
        if len(self.base) < self.first_look:
            return
        self.look = Look(self.base, self.candidate, self.first_look, self.level, self.threshold)
        if not self.counts():
            return
        self.lo, self.hi = max(self.lo, self.look.lo), min(self.hi, self.look.hi)
        assert self.lo <= self.hi, self.key
        self.p = min(self.p, self.look.p)
        side = REGRESSION if self.look.worse else PASS
        self.one_sided[side] = min(self.one_sided[side], self.look.p / 2)

    def unit(self, runs):
        """The value of an arm in a block."""
        runs = runs if isinstance(runs, list) else [runs]
        return mean([1 / x if self.rate else x for x in runs])

    def beyond(self):
        """The verdict of the gate's own interval."""
        if self.hi < self.threshold:
            return PASS
        return REGRESSION if self.lo > self.threshold else UNDECIDED

    def decide(self, verdict, by, block):
        self.verdict, self.by = verdict, by
        self.deciding = {"n": len(self.base), "block": block, **self.change(self.look.lo, self.look.hi)}
        self.decided = self.change(*self.cut())

    def cut(self):
        """What all looks have in common, up to the margin if the gate was decided with the others."""
        lo = max(self.lo, self.threshold) if self.by and self.verdict == REGRESSION else self.lo
        hi = min(self.hi, self.threshold) if self.by and self.verdict == PASS else self.hi
        assert lo <= hi, self.key
        return lo, hi

    def change(self, lo, hi):
        """An interval as a relative change of the metric."""
        return {"lo": math.expm1(-hi if self.rate else lo), "hi": math.expm1(-lo if self.rate else hi)}

    def report(self):
        benchmark, reference, candidate, metric = self.key
        return {"benchmark": benchmark, "reference": reference, "candidate": candidate, "metric": metric,
                "verdict": self.verdict, "deciding": self.deciding,
                "present": {"n": len(self.base), **self.change(self.look.lo, self.look.hi)},
                "pairs": len(self.base), "pairs_missing": self.missing, "p": self.p * self.sides / 2}


def step_down(gates, verdict, level):
    """Holm: the gates of one list, in which those already decided count as its first steps."""
    taken = [gate for gate in gates if gate.verdict == verdict]
    entered = []
    for gate in sorted((gate for gate in gates if gate.verdict != verdict), key=lambda gate: gate.one_sided[verdict]):
        if gate.one_sided[verdict] > level / (len(gates) - len(taken)):
            break
        taken.append(gate)
        entered.append(gate)
    return [gate for gate in entered if gate.verdict == UNDECIDED]


def play(one, holm, drops_looks=True):
    """Runs a session to its end or to the last block; returns its gates and figures."""
    data, blocks = one["input"], blocks_of(one)
    count = len(gates_of(one))
    level = data["alpha"] * (2 if data["sided"] == "one" else 1)
    gates = [Gate(key, better, margin, data["n0"], data["sided"], level / count, drops_looks)
             for key, better, margin in gates_of(one)]
    used, first_regression, per_benchmark = 0, None, {gate.key[0]: 0 for gate in gates}
    for benchmark, metrics in blocks:
        if all(gate.verdict != UNDECIDED for gate in gates):
            break
        used += 1
        per_benchmark[benchmark] += 1
        for gate in gates:
            if gate.key[0] == benchmark:
                runs = metrics[gate.key[3]]
                gate.add(runs[gate.key[1]], runs[gate.key[2]])
                if gate.verdict == UNDECIDED and gate.counts() and gate.beyond() != UNDECIDED:
                    gate.decide(gate.beyond(), "", used)
        if holm and count > 1:
            together = {verdict: step_down(gates, verdict, level / 2) for verdict in (REGRESSION, PASS)}
            assert not set(together[REGRESSION]) & set(together[PASS]), one["id"]
            for verdict, entered in together.items():
                for gate in entered:
                    if gate.counts():  # else it is in the list, but section 2 allows no verdict yet
                        gate.decide(verdict, "holm", used)
        if first_regression is None and any(gate.verdict == REGRESSION for gate in gates):
            first_regression = used
    return gates, used, first_regression, per_benchmark


def gates_of(one):
    data = one["input"]
    if one["kind"] == "gates":
        return [((gate["benchmark"], gate["reference"], gate["candidate"], gate["metric"]), gate["better"],
                 gate["margin"]) for gate in data["gates"]]
    return [(("bench", reference, candidate, "wall"), data["better"], data["margin"])
            for reference in data["references"] for candidate in data["candidates"]]


def blocks_of(one):
    data = one["input"]
    if one["kind"] == "blocks":
        return [("bench", {"wall": block}) for block in data["blocks"]]
    left = {benchmark: iter(blocks) for benchmark, blocks in data["blocks"].items()}
    return [(benchmark, next(left[benchmark])) for benchmark in data["order"]]


def expected(one, holm):
    gates, used, first_regression, per_benchmark = play(one, holm)
    ignoring = play(one, holm, drops_looks=False)[0]
    verdicts = {gate.verdict for gate in gates}
    comparisons = []
    for gate, other in zip(gates, ignoring):
        alone = other.deciding and {"n": other.deciding["n"], "block": other.deciding["block"],
                                    "verdict": other.verdict}
        row = {**gate.report(), "first_decisive_look_if_missing_is_ignored": alone}
        if holm:
            row |= {"decided_by": gate.by, "decided": gate.decided, "interval": gate.change(*gate.cut())}
        comparisons.append(row)
    return {"fail_fast_would_stop_after_block": first_regression, "gates": len(gates),
            "level_per_gate": one["input"]["alpha"] / len(gates), "blocks_used": used,
            "session_verdict": next(v for v in (REGRESSION, UNDECIDED, PASS) if v in verdicts),
            "blocks_per_benchmark": per_benchmark, "comparisons": comparisons}


def check(actual, known, tolerance, where):
    """Numbers agree within the tolerance, everything else exactly."""
    if isinstance(known, dict):
        assert isinstance(actual, dict) and actual.keys() == known.keys(), where
        for key in known:
            check(actual[key], known[key], tolerance, f"{where} {key}")
    elif isinstance(known, list):
        assert len(actual) == len(known), where
        for index, (left, right) in enumerate(zip(actual, known)):
            check(left, right, tolerance, f"{where} {index}")
    elif isinstance(known, float):
        error = abs(actual - known)
        assert error <= max(1e-12, tolerance * abs(known)), f"{where}: {actual} instead of {known}"
    else:
        assert actual == known, f"{where}: {actual} instead of {known}"


def drawn(effects, count, seed, rate, missing=()):
    """The values of each arm in each block: `effects` are slowdowns, and `missing` lists arms with their blocks."""
    arms = {}
    for index, (arm, effect) in enumerate(effects.items()):
        times = values(count, 20 * (1 + effect), 0.03, 100 * seed + index)
        arms[arm] = [round(1e5 / x, 6) for x in times] if rate else times
    for arm, block in missing:
        arms[arm][block] = None
    return [{arm: column[block] for arm, column in arms.items()} for block in range(count)]


def blocks_case(name, seed, effects, references, count, margin, alpha=0.05, better="lower", sided="two", missing=()):
    blocks = drawn(effects, count, seed, better == "higher", missing)
    return {"id": name, "kind": "blocks", "rel_tol": REL_TOL,
            "input": {"blocks": blocks, "references": references,
                      "candidates": [arm for arm in effects if arm not in references], "alpha": alpha, "n0": 8,
                      "sided": sided, "margin": margin, "better": better}}


def gates_case(name, seed, effects, order, margin, alpha=0.05):
    """`effects`: those of the metrics wall and rate, for each benchmark."""
    blocks, gates = {}, []
    for benchmark, (wall, rate) in effects.items():
        walls = drawn({"base": 0, "cand": wall}, order.count(benchmark), seed, False)
        rates = drawn({"base": 0, "cand": rate}, order.count(benchmark), seed + 1, True)
        blocks[benchmark] = [{"wall": left, "rate": right} for left, right in zip(walls, rates)]
        gates += [{"benchmark": benchmark, "reference": "base", "candidate": "cand", "metric": metric, "better": better,
                   "margin": margin} for metric, better in (("wall", "lower"), ("rate", "higher"))]
        seed += 2
    return {"id": name, "kind": "gates", "rel_tol": REL_TOL,
            "input": {"order": order, "blocks": blocks, "gates": gates, "alpha": alpha, "n0": 8, "sided": "two"}}


def more_cases():
    """Sessions in which the lists decide; `family_reached_by_another` holds a gate that a look at another benchmark
    decides, and in `family_barred` the list has a gate that lacks too many pairs for a verdict."""
    return [
        blocks_case("family_regressions", 1, {"base": 0, "c1": 0.08, "c2": 0.06, "c3": 0.05, "c4": 0}, ["base"], 52,
                    0.02),
        blocks_case("family_sided_rates", 2, {"base": 0, "c1": 0.09, "c2": -0.02, "c3": 0.06, "c4": -0.03}, ["base"],
                    36, 0.03, alpha=0.01, better="higher", sided="one"),
        blocks_case("family_two_references", 3, {"r1": 0, "r2": 0.03, "c1": 0.05, "c2": -0.04}, ["r1", "r2"], 36, 0.02),
        blocks_case("family_missing", 4, {"base": 0, "c1": -0.02, "c2": -0.015, "c3": -0.01}, ["base"], 44, 0.02,
                    missing=[("c2", 2), ("c3", 24)]),
        blocks_case("family_barred", 8, {"base": 0, "c1": -0.03, "c2": -0.01, "c3": -0.02}, ["base"], 24, 0.02,
                    missing=[("c2", 12)]),
        gates_case("family_two_benchmarks", 50, {"A": (0.05, -0.02), "B": (-0.02, 0.09)}, ["A", "B"] * 30, 0.02),
        gates_case("family_reached_by_another", 270, {"A": (0, -0.01), "B": (-0.02, 0.08)}, ["A"] * 14 + ["B"] * 16,
                   0.03),
    ]


def listing(items):
    return ",\n".join("  " + item for item in items)


def main():
    known = []
    for name in ("statistics.json", "statistics2.json"):
        with open(os.path.join(HERE, name)) as file:
            known += [one for one in json.load(file)["cases"] if one["kind"] in ("blocks", "gates")]
    assert known
    for one in known:
        check(expected(one, holm=False), one["expected"], one["rel_tol"], one["id"])
    comment = ("Written by family.py from docs/statistics.md: sessions of several gates that Holm's step-down decides "
               "together. 'expected' belongs to the cases of statistics2.json with these ids, and has the shape of "
               "theirs: lo and hi of 'deciding' and 'present' are those of one look. 'decided_by' is empty for a gate "
               "that its own interval decided; 'decided' is the interval of all looks at the decision, and 'interval' "
               "that at the end, both cut at the margin after a joint decision. 'cases' have inputs of their own.")
    results = [f"{json.dumps(one['id'])}: {json.dumps(expected(one, holm=True))}" for one in known]
    own = [json.dumps({**one, "expected": expected(one, holm=True)}) for one in more_cases()]
    with open(os.path.join(HERE, "family.json"), "w") as file:
        file.write(f'{{\n "comment": {json.dumps(comment)},\n "expected": {{\n{listing(results)}\n }},\n'
                   f' "cases": [\n{listing(own)}\n ]\n}}\n')


if __name__ == "__main__":
    main()
