"""Writes levels.json: reference numbers for the fit of lognormal-mean, for watched quantiles, and for
the permutations behind shapes_differ.

Written from docs/statistics.md and its sources alone, with nothing but Python's standard library:
binomial tails are exact fractions, normal tails are math.erfc.

usage: python3 tests/golden/levels.py > tests/golden/levels.json
"""

import json
import math
import random
from fractions import Fraction


def upper(z):
    return math.erfc(z / math.sqrt(2)) / 2


def root_of_falling(function, level, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        if function(middle) > level:
            low = middle
        else:
            high = middle
    return low


# ---- docs/statistics.md section 8: Anderson and Darling's test of normality ----


def anderson_darling(values):
    """R. B. D'Agostino, M. A. Stephens, Goodness-of-Fit Techniques (1986), table 4.9."""
    n = len(values)
    mean = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (n - 1))
    z = sorted((x - mean) / deviation for x in values)
    total = math.fsum((2 * i + 1) * (math.log(upper(-z[i])) + math.log(upper(z[n - 1 - i])))
                      for i in range(n))
    statistic = (-n - total / n) * (1 + 0.75 / n + 2.25 / n ** 2)
    a = min(statistic, 10)
    if a < 0.2:
        p = 1 - math.exp(-13.436 + 101.14 * a - 223.73 * a * a)
    elif a < 0.34:
        p = 1 - math.exp(-8.318 + 42.796 * a - 59.938 * a * a)
    elif a < 0.6:
        p = math.exp(0.9177 - 4.279 * a - 1.38 * a * a)
    else:
        p = math.exp(1.2937 - 5.709 * a + 0.0186 * a * a)
    return statistic, p


def fit_cases():
    rng = random.Random(46)
    samples = {
        "normal, 8": [rng.gauss(0, 1) for _ in range(8)],
        "normal, 100": [rng.gauss(3, 0.05) for _ in range(100)],
        "exponential, 40": [rng.expovariate(1) for _ in range(40)],
        "uniform, 60": [rng.random() for _ in range(60)],
        "one slow run in 50": [rng.gauss(0, 0.05) + (i == 7) * math.log(10) for i in range(50)],
    }
    cases = []
    for name, values in samples.items():
        values = [float(f"{x:.12g}") for x in values]
        statistic, p = anderson_darling(values)
        cases.append({"id": name, "values": values, "statistic": statistic, "p": p})
    return cases


# ---- docs/statistics.md section 5: quantile:P under watching ----


def lower_tails(n, p):
    """[P(Bin(n, p) <= k) for k in 0..n], exactly."""
    tails = []
    total = Fraction(0)
    for k in range(n + 1):
        total += math.comb(n, k) * p ** k * (1 - p) ** (n - k)
        tails.append(total)
    return tails


def ranks(n, p, tail):
    lower = sum(1 for value in lower_tails(n, p) if value <= tail)
    from_above = sum(1 for value in lower_tails(n, 1 - p) if value <= tail)
    return None if 0 in (lower, from_above) else (lower, n + 1 - from_above)


def density(z):
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def level_of_look(alpha, n, first):
    a = root_of_falling(lambda x: 2 * (upper(x) + x * density(x)), alpha, 0, 40)
    return 2 * upper(math.sqrt(a * a + math.log(n / first)))


def type7(ordered, p):
    position = float(p) * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def contrast(b, c):
    return math.log(c / b)


def interval(b, c, p, alpha):
    of_b = ranks(len(b), p, Fraction(alpha) / 4)
    of_c = ranks(len(c), p, Fraction(alpha) / 4)
    if of_b is None or of_c is None:
        return None
    return (contrast(b[of_b[1] - 1], c[of_c[0] - 1]), contrast(b[of_b[0] - 1], c[of_c[1] - 1]))


def smallest_level(b, c, p, hypothesis):
    """Tries every level at which a rank changes: four times each tail of either arm."""
    levels = set()
    for n in {len(b), len(c)}:
        for q in (p, 1 - p):
            levels.update(4 * tail for tail in lower_tails(n, q) if tail <= Fraction(1, 4))
    for alpha in sorted(levels):
        found = interval(b, c, p, alpha)
        if found and (hypothesis < found[0] or hypothesis > found[1]):
            return float(min(1, alpha))
    return 1.0


def quantile_cases():
    rng = random.Random(47)
    cases = []
    for n, m, p, factor, alpha in ((100, 100, Fraction(1, 10), 1.1, 0.0005),
                                   (120, 90, Fraction(1, 4), 1.0, 0.05),
                                   (60, 60, Fraction(1, 2), 0.8, 0.01),
                                   (40, 40, Fraction(9, 10), 1.0, 0.001)):
        b = sorted(float(f"{10 * math.exp(rng.gauss(0, 0.02)):.10g}") for _ in range(n))
        c = sorted(float(f"{10 * factor * math.exp(rng.gauss(0, 0.02)):.10g}") for _ in range(m))
        found = interval(b, c, p, alpha)
        cases.append({
            "id": f"{n} against {m}, P = {p}", "reference": b, "candidate": c, "p": float(p),
            "alpha": alpha, "estimate": contrast(type7(b, p), type7(c, p)),
            "lo": found and found[0], "hi": found and found[1],
            "p_of_margin": smallest_level(b, c, p, math.log(1.02)),
            "p_of_no_change": smallest_level(b, c, p, 0.0)})
    return cases


def first_look_cases():
    """The first n with an interval, for confidences and quantiles that the documentation names."""
    cases = []
    for alpha in (0.05, 0.01, 0.001):
        for p in (Fraction(1, 100), Fraction(1, 20), Fraction(1, 10), Fraction(1, 4),
                  Fraction(1, 2), Fraction(9, 10)):
            tail = level_of_look(alpha, 8, 8) / 4
            rarer = max(p, 1 - p)
            n = 1
            while float(rarer) ** n > tail:
                n += 1
            late = n
            while float(rarer) ** late > level_of_look(alpha, late, 8) / 4:
                late += 1
            cases.append({"alpha": alpha, "p": float(p), "first": n, "first_from_8": late})
    return cases


# ---- docs/statistics.md section 8: permutations behind shapes_differ ----

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Indices:
    """SplitMix64 (Steele, Lea, Flood 2014), the low and the high half of each number; Lemire's
    bounded integers (2019)."""

    def __init__(self, seed, stream):
        self.state = (mix((seed + GOLDEN) & MASK) + (stream + 1) * GOLDEN) & MASK
        self.state = mix(self.state)
        self.half = None

    def next32(self):
        if self.half is not None:
            value, self.half = self.half, None
            return value
        self.state = (self.state + GOLDEN) & MASK
        number = mix(self.state)
        self.half = number & 0xFFFFFFFF
        return number >> 32

    def below(self, bound):
        while True:
            product = self.next32() * bound
            if (product & 0xFFFFFFFF) >= (2 ** 32 - bound) % bound:
                return product >> 32


def scaled_distance(b, c):
    mean_b, mean_c = math.fsum(b) / len(b), math.fsum(c) / len(c)
    b = sorted(x / mean_b for x in b)
    c = sorted(x / mean_c for x in c)
    farthest = 0
    for value in b + c:
        below_b = sum(1 for x in b if x <= value) / len(b)
        below_c = sum(1 for x in c if x <= value) / len(c)
        farthest = max(farthest, abs(below_b - below_c))
    return farthest


def median(values):
    return type7(sorted(values), Fraction(1, 2))


def permutation_p(b, c, most):
    observed = scaled_distance(b, c) - 1e-9
    indices = Indices(0, len(b) + len(c))
    as_far = 0
    squares = []
    for done in range(1, most + 1):
        swaps = [indices.below(2) for _ in b]
        left = [y if swap else x for x, y, swap in zip(b, c, swaps)]
        right = [x if swap else y for x, y, swap in zip(b, c, swaps)]
        squares.append(scaled_distance(left, right) ** 2)
        as_far += math.sqrt(squares[-1]) >= observed
        if as_far == 10:
            return 10 / done
    p = (1 + as_far) / (1 + most)
    if as_far > 0:
        return p
    # Beyond the permutations: exponential excesses over the upper tenth.
    squares.sort()
    beyond = most // 10
    threshold = squares[most - 1 - beyond]
    excess = math.fsum(x - threshold for x in squares[most - beyond:]) / beyond
    return min(p, beyond / most * math.exp(-((observed + 1e-9) ** 2 - threshold) / excess))


def split_by(others, values):
    middle = median(others)
    above = sum(1 if x > middle else 0.5 if x == middle else 0 for x in values)
    error = math.sqrt(0.25 / len(values) + 0.25 / len(others))
    return abs(above / len(values) - 0.5) <= 3 * error


def same_shape_p(b, c):
    ratio = median(b) / median(c)
    most = max(99, min(999, 600_000 // (2 * len(b))))
    p = permutation_p(b, [x * ratio for x in c], most)
    if p * (most + 1) > 10 or not (split_by(b, c) and split_by(c, b)):
        return p
    return max(p, permutation_p(b, c, most))


def shape_cases():
    rng = random.Random(48)
    laws = {
        "normal": (lambda: rng.gauss(10, 0.5), lambda: rng.gauss(11, 0.55)),
        "one run in twenty twice as slow": (
            lambda: rng.gauss(10, 0.1) * (2 if rng.random() < 0.05 else 1),
            lambda: rng.gauss(10, 0.1) * (2 if rng.random() < 0.05 else 1)),
        "one mode against two": (lambda: rng.gauss(10, 0.3),
                                 lambda: rng.gauss(9 if rng.random() < 0.5 else 11, 0.3)),
        "one mode against two, twice as slow": (
            lambda: rng.gauss(10, 0.3), lambda: rng.gauss(18 if rng.random() < 0.5 else 22, 0.5)),
    }
    cases = []
    for name, (draw_b, draw_c) in laws.items():
        b = [float(f"{draw_b():.10g}") for _ in range(24)]
        c = [float(f"{draw_c():.10g}") for _ in range(24)]
        cases.append({"id": name, "reference": b, "candidate": c, "p": same_shape_p(b, c)})
    return cases


if __name__ == "__main__":
    print(json.dumps({"generator": "tests/golden/levels.py", "fit": fit_cases(),
                      "quantile": quantile_cases(), "first_look": first_look_cases(),
                      "same_shape": shape_cases()}, indent=1))
