#!/usr/bin/env python3
"""Writes order.json: orders of several arms with factors, from docs/statistics.md section 6 alone.

usage: /usr/bin/python3 tests/golden/order.py

Each of P pairs of arms has the interval of section 3 at level alpha / P, two-sided: the intersection of all looks from
8 pairs on. An arm that retired has fewer values, and its pairs end there. The groups come from the definition: a set of
arms is in front if each of them is better than each of the others. Nothing but Python's own floating point is used, with
the intervals of two_levels.py.
"""

import itertools
import json
import math
import os

from two_levels import interval, mean, values

REL_TOL = 1e-9


def ratio(first, second, level, better):
    """The ratio of the second arm to the first, with its interval."""
    n = min(len(first), len(second))
    first, second = first[:n], second[:n]
    if better == "higher":  # rates are analysed as times
        first, second = ([1 / x for x in arm] for arm in (first, second))
    estimate = mean(second) / mean(first)
    lo, hi = interval("paired", first, second, (level, level), False)
    ends = (estimate, math.exp(lo), math.exp(hi))
    return (1 / ends[0], 1 / ends[2], 1 / ends[1]) if better == "higher" else ends


def fronts(arms, is_better):
    """The sets of arms of which each is better than each of the others, from small to large."""
    for size in range(1, len(arms)):
        for front in itertools.combinations(arms, size):
            if all(is_better(one, other) for one in front for other in arms if other not in front):
                yield set(front)


def order(name, arms, alpha, better):
    names = list(arms)
    level = alpha / (len(names) * (len(names) - 1) / 2)
    ratios = {(one, other): ratio(arms[one], arms[other], level, better)
              for one, other in itertools.combinations(names, 2)}

    def of(arm, to):
        if (to, arm) in ratios:
            return ratios[to, arm]
        estimate, lo, hi = ratios[arm, to]
        return 1 / estimate, 1 / hi, 1 / lo

    def is_better(one, other):
        _, lo, hi = of(one, other)
        return lo > 1 if better == "higher" else hi < 1

    groups, behind = [], set()
    for front in [*fronts(names, is_better), set(names)]:
        groups.append([arm for arm in names if arm in front - behind])
        behind = front
    first = groups[0][0]
    factors = [{"arm": arm, "estimate": of(arm, first)[0], "lo": of(arm, first)[1], "hi": of(arm, first)[2]}
               for group in groups for arm in group if arm != first]
    return {"id": name, "alpha": alpha, "better": better, "names": names, "arms": arms,
            "groups": groups, "factors": factors}


def main():
    cases = [
        order("three", {"base": values(20, 3.7, 0.02, 1), "b": values(20, 1.0, 0.02, 2), "c": values(20, 33.0, 0.05, 3)},
              0.01, "lower"),
        order("two alike", {"base": values(30, 1.0, 0.03, 4), "b": values(30, 1.002, 0.03, 5),
                            "c": values(30, 0.8, 0.03, 6), "d": values(30, 0.801, 0.03, 7)}, 0.05, "lower"),
        order("rates", {"base": values(16, 100.0, 0.02, 8), "b": values(16, 250.0, 0.04, 9),
                        "c": values(16, 60.0, 0.02, 10)}, 0.01, "higher"),
        order("retired", {"base": values(40, 1.0, 0.05, 11), "b": values(40, 0.97, 0.05, 12),
                          "c": values(9, 3.0, 0.05, 13), "d": values(12, 0.4, 0.05, 14)}, 0.01, "lower"),
        order("alike", {"base": values(12, 1.0, 0.05, 15), "b": values(12, 1.0, 0.05, 16),
                        "c": values(12, 1.0, 0.05, 17)}, 0.01, "lower"),
    ]
    text = {"comment": "Written by order.py from docs/statistics.md: arms in groups, best first, and ratios to the first "
                       "arm of the first group. An arm with fewer values retired.",
            "rel_tol": REL_TOL}
    lines = [f' "{key}": {json.dumps(value)},' for key, value in text.items()]
    rows = ",\n".join("  " + json.dumps(case) for case in cases)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "order.json"), "w") as file:
        file.write("{\n" + "\n".join(lines) + '\n "cases": [\n' + rows + "\n ]\n}\n")


if __name__ == "__main__":
    main()
