#!/usr/bin/env python3
"""Computes tests/golden/measure.json: golden numbers of the intervals of one arm (section 12).

Written from the formulas of docs/statistics.md alone, with mpmath at 40 digits: python3-mpmath, then
`python3 tests/golden/measure.py > tests/golden/measure.json`. Nothing here comes from benchd.
"""

import json
import random

import mpmath as mp

mp.mp.dps = 40


def upper_normal(z):
    return mp.erfc(z / mp.sqrt(2)) / 2


def density(z):
    return mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)


def bisect(falling, level, low, high):
    """The x in [low, high] at which a falling function has that value."""
    low, high = mp.mpf(low), mp.mpf(high)
    for _ in range(80):  # 24 digits
        middle = (low + high) / 2
        if falling(middle) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def robbins_root(alpha):
    return bisect(lambda a: 2 * (upper_normal(a) + a * density(a)), alpha, 0, 60)


def upper_t(t, dof):
    x = dof / (dof + t * t)
    return mp.betainc(mp.mpf(dof) / 2, mp.mpf(1) / 2, 0, x, regularized=True) / 2


def critical_t(alpha, n, first):
    z = mp.sqrt(robbins_root(alpha) ** 2 + mp.log(mp.mpf(n) / first))
    return bisect(lambda t: upper_t(t, n - 1), upper_normal(z), 1, 100)


def cube_root(x):
    return mp.sign(x) * mp.cbrt(abs(x))


def hall(kappa, y):
    shifted = y - kappa / 6
    w = cube_root(1 + kappa * shifted)
    return 3 * shifted / (1 + w + w * w)


def interval(u, centre, t):
    """theta, se, kappa and the guarded ends of a centre with the residuals u."""
    n = len(u)
    v = mp.fsum(x**2 for x in u) / (n - 1)
    se = mp.sqrt(v / n)
    kappa = mp.fsum(x**3 for x in u) * n / ((n - 1) * (n - 2)) / v ** mp.mpf("1.5") / mp.sqrt(n)
    low = max(t, hall(kappa, t))
    high = max(t, -hall(max(kappa, 2 / mp.sqrt(n)), -t))
    return se, kappa, centre - se * low, centre + se * high


def mean_case(name, values, alpha, scale):
    x = [mp.mpf(value) for value in values]
    n = len(x)
    t = critical_t(mp.mpf(alpha), n, 8)
    if scale == "harmonic":
        x = [1 / one for one in x]
    mean = mp.fsum(x) / n
    if scale == "linear":
        se, kappa, lo, hi = interval([one - mean for one in x], mean, t)
        value = mean
    else:
        se, kappa, lo, hi = interval([one / mean - 1 for one in x], mp.log(mean), t)
        lo, hi, value = mp.exp(lo), mp.exp(hi), mean
        if scale == "harmonic":
            lo, hi, value = 1 / hi, 1 / lo, 1 / mean
    return {
        "id": name,
        "scale": scale,
        "alpha": alpha,
        "values": [float(one) for one in values],
        "t": float(t),
        "se": float(se),
        "kappa": float(kappa),
        "value": float(value),
        "lo": float(lo),
        "hi": float(hi),
    }


def ranks_case(n, p, alpha):
    share, level = mp.mpf(p), mp.mpf(alpha) / 2
    weights = [mp.binomial(n, i) * share**i * (1 - share) ** (n - i) for i in range(n + 1)]
    # below[k] = P(Bin(n, p) <= k - 1), above[k] = P(Bin(n, p) >= k)
    below = [mp.fsum(weights[:k]) for k in range(n + 1)]
    above = [mp.fsum(weights[k:]) for k in range(n + 1)]
    lo = max((k for k in range(1, n + 1) if below[k] <= level), default=None)
    hi = min((k for k in range(1, n + 1) if above[k] <= level), default=None)
    return {"n": n, "p": p, "alpha": alpha, "lo": lo, "hi": hi}


def rounded(draw, count):
    return [round(draw(), 6) for _ in range(count)]


def main():
    rng = random.Random(46)
    normal = rounded(lambda: rng.gauss(10, 0.5), 20)
    skewed = rounded(lambda: 1 + rng.expovariate(4), 12)
    wild = rounded(lambda: rng.lognormvariate(0, 1), 60)
    rates = rounded(lambda: rng.gauss(250, 20), 8)
    counts = [0, 3, 1, 0, 5, 2, 0, 1, 4, 2]
    means = [
        mean_case("normal", normal, 0.01, "log"),
        mean_case("skewed", skewed, 0.05, "log"),
        mean_case("wild", wild, 0.01, "log"),
        mean_case("rates", rates, 0.01, "harmonic"),
        mean_case("counts", counts, 0.01, "linear"),
    ]
    ranks = [
        ranks_case(n, p, alpha)
        for n in (1, 8, 20, 100, 250)
        for p in (0.1, 0.5, 0.9, 0.99)
        for alpha in (0.05, 0.001)
    ]
    comment = "computed by tests/golden/measure.py with mpmath; tolerance 1e-11"
    print(json.dumps({"comment": comment, "mpmath": mp.__version__, "means": means, "ranks": ranks},
                     indent=1))


if __name__ == "__main__":
    main()
