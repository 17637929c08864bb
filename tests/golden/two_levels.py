#!/usr/bin/env python3
"""Writes two_levels.json: intervals whose ends have different levels, from docs/statistics.md alone.

usage: /usr/bin/python3 tests/golden/two_levels.py

It uses nothing but Python's own floating point: the incomplete beta function is a continued fraction (Lentz), and every
quantile and root is found by bisection, so that it shares no code and no library with benchd.
"""

import json
import math
import os

FIRST_LOOK = 8
REL_TOL = 1e-9


def normal_tail(z):
    return math.erfc(z / math.sqrt(2)) / 2


def density(z):
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def falling_root(function, target, low, high):
    """The x in [low, high] at which a falling function is `target`."""
    for _ in range(200):
        middle = (low + high) / 2
        if function(middle) > target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_fraction(x, a, b):
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    h = d
    for m in range(1, 2000):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + term * d
            c = 1 + term / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            h *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return h


def regularised_beta(x, a, b):
    """I_x(a, b) for x below its mean, where the fraction converges quickly."""
    if x > (a + 1) / (a + b + 2):
        return 1 - regularised_beta(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    return front * beta_fraction(x, a, b) / a


def t_tail(t, dof):
    return regularised_beta(dof / (dof + t * t), dof / 2, 0.5) / 2 if t > 0 else 0.5


def t_density(t, dof):
    log = math.lgamma((dof + 1) / 2) - math.lgamma(dof / 2) - math.log(dof * math.pi) / 2
    return math.exp(log - (dof + 1) / 2 * math.log1p(t * t / dof))


def t_quantile(tail, dof):
    return falling_root(lambda t: t_tail(t, dof), tail, 0, 1e4)


def robbins_z(two_sided, information):
    a = falling_root(lambda a: 2 * (normal_tail(a) + a * density(a)), two_sided, 0, 40)
    return math.sqrt(a * a + math.log(max(1, information / FIRST_LOOK)))


def lai_t(two_sided, n):
    m = FIRST_LOOK
    a = falling_root(lambda a: 2 * (t_tail(a, m - 1) + a * t_density(a, m - 1)), two_sided, 0, 1e3)
    b = (1 + a * a / (m - 1)) ** m / m
    return math.sqrt((n - 1) * ((b * n) ** (1 / n) - 1))


def mean(values):
    return math.fsum(values) / len(values)


def centred(x, y):
    mx, my = mean(x), mean(y)
    return math.fsum((a - mx) * (b - my) for a, b in zip(x, y))


def paired(base, candidate, levels, once):
    """The guarded interval of a look, or the plain one of the only look."""
    n = len(base)
    u = [c / mean(candidate) - b / mean(base) for b, c in zip(base, candidate)]
    v = math.fsum(x * x for x in u) / (n - 1)
    kappa = math.fsum(x ** 3 for x in u) * n / ((n - 1) * (n - 2)) / v ** 1.5 / math.sqrt(n)
    theta, se = math.log(mean(candidate) / mean(base)), math.sqrt(v / n)

    def hall(y):
        cube = 1 + kappa * (y - kappa / 6)
        return 3 / kappa * (math.copysign(abs(cube) ** (1 / 3), cube) - 1)

    low, high = (t_quantile(level / 2 if once else normal_tail(robbins_z(level, n)), n - 1) for level in levels)
    if not once:
        low, high = max(low, hall(low)), max(high, -hall(-high))
    return theta - se * low, theta + se * high


def welch(base, candidate, levels, once):
    n_b, n_c = len(base), len(candidate)
    r_b = centred(base, base) / (n_b - 1) / mean(base) ** 2
    r_c = centred(candidate, candidate) / (n_c - 1) / mean(candidate) ** 2
    squared = r_b / n_b + r_c / n_c
    dof = squared ** 2 / ((r_b / n_b) ** 2 / (n_b - 1) + (r_c / n_c) ** 2 / (n_c - 1))
    theta, se = math.log(mean(candidate) / mean(base)), math.sqrt(squared)
    information = (r_b + r_c) / squared
    low, high = (t_quantile(level / 2 if once else normal_tail(robbins_z(level, information)), dof) for level in levels)
    return theta - se * low, theta + se * high


def exact_t(base, candidate, levels, once):
    """The roots in r of n (c - r b)^2 = xi^2 (s_cc - 2 r s_bc + r^2 s_bb), each with its own xi."""
    assert not once
    n = len(base)
    b, c = mean(base), mean(candidate)
    s_bb, s_bc, s_cc = (centred(x, y) / (n - 1) for x, y in
                        ((base, base), (base, candidate), (candidate, candidate)))
    ends = []
    for level, sign in zip(levels, (-1, 1)):
        k = lai_t(level, n) ** 2 / n
        p, q, r = b * b - k * s_bb, b * c - k * s_bc, c * c - k * s_cc
        ends.append(math.log((q + sign * math.sqrt(q * q - p * r)) / p))
    return tuple(ends)


METHODS = {"paired": paired, "welch": welch, "exact-t": exact_t}


def interval(method, base, candidate, levels, once):
    """The one look, or the intersection of all looks so far."""
    if once:
        return METHODS[method](base, candidate, levels, True)
    looks = [METHODS[method](base[:n], candidate[:n], levels, False) for n in range(FIRST_LOOK, len(base) + 1)]
    return max(lo for lo, _ in looks), min(hi for _, hi in looks)


def values(count, centre, spread, seed):
    """Skewed values with few digits, by a linear congruence, so that they are easy to draw again."""
    drawn = []
    for _ in range(count):
        seed = (seed * 69069 + 1) % 2 ** 32
        uniform = (seed + 0.5) / 2 ** 32
        drawn.append(round(centre * (1 + spread * (-math.log(uniform) - 1)), 6))
    return drawn


def main():
    cases = []
    seed = 7
    for method in METHODS:
        for once in (False, True):
            if once and method == "exact-t":
                continue
            for alpha, passes, sided, rate in ((0.01, 0.95, "two", False), (0.01, 0.95, "one", False),
                                               (0.05, 0.9, "two", True), (0.01, 0.999, "two", False)):
                seed += 1
                count = 12 + seed
                base = values(count, 1.0, 0.02, seed)
                candidate = values(count, 1.004, 0.03, seed + 1000)
                levels = (alpha * (2 if sided == "one" else 1), 2 * (1 - passes))
                slow = ([1 / x for x in base], [1 / x for x in candidate]) if rate else (base, candidate)
                lo, hi = interval(method, *slow, levels, once)
                if rate:
                    lo, hi = -hi, -lo
                cases.append({"method": method, "once": once, "alpha": alpha, "pass_confidence": passes, "sided": sided,
                              "better": "higher" if rate else "lower", "base": base, "candidate": candidate,
                              "lo": math.expm1(lo), "hi": math.expm1(hi)})
    text = {"comment": "Written by two_levels.py from docs/statistics.md: relative changes whose ends have different "
                       "levels. For a watched method, the intersection of all looks from 8 pairs on.",
            "rel_tol": REL_TOL}
    lines = [f' "{key}": {json.dumps(value)},' for key, value in text.items()]
    rows = ",\n".join("  " + json.dumps(case) for case in cases)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "two_levels.json"), "w") as file:
        file.write("{\n" + "\n".join(lines) + '\n "cases": [\n' + rows + "\n ]\n}\n")


if __name__ == "__main__":
    main()
