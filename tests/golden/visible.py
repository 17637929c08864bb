#!/usr/bin/env python3
"""Writes visible.json: visible changes and the pairs that they take, from docs/statistics.md section 13 alone.

usage: /usr/bin/python3 tests/golden/visible.py

It uses the critical values of two_levels.py, which are Python's own floating point and bisection, and counts pairs one
by one.
"""

import json
import math
import os

from two_levels import FIRST_LOOK, falling_root, lai_t, normal_tail, robbins_z, t_quantile

REL_TOL = 1e-9
MOST = 20_000  # pairs that are counted


def critical(method, level, n):
    if method == "fixed":
        return t_quantile(level / 2, n - 1)
    return lai_t(level, n) if method == "exact-t" else t_quantile(normal_tail(robbins_z(level, n)), n - 1)


def visible(method, level, sd, allowance, n, probability):
    reach = falling_root(normal_tail, 1 - probability, 0, 10) if probability > 0.5 else 0
    return (critical(method, level, n) + reach) * sd / math.sqrt(n) + allowance


def pairs(method, level, sd, allowance, distance, probability):
    """The smallest number of pairs that is enough, or None."""
    if distance <= allowance:
        return None
    first = 2 if method == "fixed" else FIRST_LOOK
    enough = (n for n in range(first, MOST) if visible(method, level, sd, allowance, n, probability) <= distance)
    return next(enough, None)


def case(method, level, sd, allowance, n, distance, probability=0.95):
    half = critical(method, level, n) * sd / math.sqrt(n) + allowance
    return {"method": method, "level": level, "n": n, "sd": sd, "allowance": allowance,
            "lo": math.expm1(-half), "hi": math.expm1(half),
            "probability": probability, "visible": visible(method, level, sd, allowance, n, probability),
            "distance": distance, "pairs": pairs(method, level, sd, allowance, distance, probability)}


CASES = [
    case("paired", 0.01, 0.05, 0, 60, math.log1p(0.02)),
    case("paired", 0.01, 0.05, 0, 60, math.log1p(0.02), 0.5),
    case("paired", 0.01, 0.05, 0, 8, math.log1p(0.3)),
    case("paired", 0.05, 0.002, 0, 500, math.log1p(0.01)),
    case("paired", 0.01 / 12, 0.12, 0.001, 31, math.log1p(0.05)),
    case("paired", 0.01, 0.05, 0.02, 40, math.log1p(0.02)),
    case("exact-t", 0.01, 0.05, 0, 60, math.log1p(0.02)),
    case("exact-t", 0.05, 0.3, 0, 9, math.log1p(0.1)),
    case("fixed", 0.01, 0.05, 0, 30, math.log1p(0.02)),
    case("fixed", 0.05, 0.01, 0.004, 5, math.log1p(0.04)),
]

if __name__ == "__main__":
    rows = ",\n".join("  " + json.dumps(one) for one in CASES)
    text = ("{\n \"comment\": \"Written by visible.py from docs/statistics.md section 13: the interval of n pairs, "
            "what it shows with that probability, and the pairs for a distance (null: none).\",\n"
            f" \"rel_tol\": {REL_TOL},\n \"cases\": [\n{rows}\n ]\n}}\n")
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "visible.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
