#!/usr/bin/env python3
"""Writes early_looks.json: looks at three to seven pairs, and sessions with them, from docs/statistics.md alone.

usage: /usr/bin/python3 tests/golden/early_looks.py

It uses nothing but Python's own floating point: the tail of Student's law is a power series, and every root is found by
bisection, so that it shares no code and no library with benchd.
"""

import json
import math
import os

FIRST, LAST, FIRST_OF_BOUNDARY = 3, 7, 8
SHARES = {3: 0.20, 4: 0.40, 5: 0.25, 6: 0.10, 7: 0.05}
SHARE_OF_EARLY_LOOKS = 1 / 20
MULTIPLE = 1.5
VISIBLE_STEPS = 0.6
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


def beta_share(x, a, b):
    """I_x(a, b) = x^a / B(a, b) sum (1 - b)_k / k! x^k / (a + k), for x of at most 0.5."""
    term, total, k = 1.0, 1 / a, 0
    while abs(term) > 1e-20 * abs(total):
        term *= (k + 1 - b) / (k + 1) * x
        k += 1
        total += term / (a + k)
    return x ** a / math.exp(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)) * total


def t_tail(t, dof):
    """P(T > t), which is I_x(dof / 2, 1/2) / 2 with x = dof / (dof + t^2) for t >= 0."""
    if t < 0:
        return 1 - t_tail(-t, dof)
    x = dof / (dof + t * t)
    return (beta_share(x, dof / 2, 0.5) if x <= 0.5 else 1 - beta_share(1 - x, 0.5, dof / 2)) / 2


def t_quantile(tail, dof):
    return falling_root(lambda t: t_tail(t, dof), tail, 0, 1e6)


def robbins_root(level):
    return falling_root(lambda a: 2 * (normal_tail(a) + a * density(a)), level, 0, 40)


def mean(values):
    return math.fsum(values) / len(values)


def deviation(values):
    m = mean(values)
    return math.sqrt(math.fsum((x - m) ** 2 for x in values) / (len(values) - 1))


def t_against(ratio, high, low, step_of_high, step_of_low, coarse):
    """The t of the mean of high - ratio * low, reduced by a step of each if they are coarse."""
    n = len(high)
    d = [h - ratio * l for h, l in zip(high, low)]
    numerator = mean(d) - (step_of_high + ratio * step_of_low if coarse else 0)
    spread = math.sqrt(deviation(d) ** 2 + VISIBLE_STEPS ** 2 * (step_of_high ** 2 + (ratio * step_of_low) ** 2))
    return numerator / spread * math.sqrt(n) if spread > 0 else 0


def one_sided_p(high, low, step_of_high, step_of_low, coarse):
    """The p-value of "high is at most 1.5 times low", from pairs."""
    t = t_against(MULTIPLE, high, low, step_of_high, step_of_low, coarse)
    return t_tail(t, len(high) - 1) if t > 0 else 1


def least_ratio(high, low, step_of_high, step_of_low, coarse, critical):
    """The smallest ratio that is not excluded: its t is the critical one. Zero if every ratio is possible."""
    return falling_root(lambda r: t_against(r, high, low, step_of_high, step_of_low, coarse), critical, 0,
                        mean(high) / mean(low))


def early_look(base, candidate, step, rate, tails=None):
    """The p-values against a candidate, and against a reference, that is at most a multiple of the other. With the
    one-sided levels of both ends, also their interval on the log scale."""
    coarse = min(deviation(base), deviation(candidate)) < VISIBLE_STEPS * step
    slow_b, slow_c, step_b, step_c = base, candidate, step, step
    if rate:
        slow_b, slow_c = [1 / x for x in base], [1 / x for x in candidate]
        step_b, step_c = step * mean(slow_b) / mean(base), step * mean(slow_c) / mean(candidate)
    candidate_above, reference_above = (slow_c, slow_b, step_c, step_b, coarse), (slow_b, slow_c, step_b, step_c, coarse)
    look = {"slower": one_sided_p(*candidate_above), "faster": one_sided_p(*reference_above)}
    if tails:
        low, high = (t_quantile(tail, len(base) - 1) for tail in tails)
        least, least_inverse = least_ratio(*candidate_above, low), least_ratio(*reference_above, high)
        # A mean that may be 0 bounds nothing.
        mean_b = (mean(slow_b) - (step_b if coarse else 0)) / math.hypot(deviation(slow_b), VISIBLE_STEPS * step_b)
        if mean_b * math.sqrt(len(base)) > high:
            look["interval"] = (math.log(least) if least > 1e-12 else -math.inf, -math.log(least_inverse))
    return look


class Boundary:
    """One look at 8 pairs or more: the guarded interval, and the p-value against a threshold."""

    def __init__(self, base, candidate):
        n = self.n = len(base)
        u = [c / mean(candidate) - b / mean(base) for b, c in zip(base, candidate)]
        v = math.fsum(x * x for x in u) / (n - 1)
        self.kappa = math.fsum(x ** 3 for x in u) * n / ((n - 1) * (n - 2)) / v ** 1.5 / math.sqrt(n)
        self.theta, self.se = math.log(mean(candidate) / mean(base)), math.sqrt(v / n)

    def hall(self, y):
        cube = 1 + self.kappa * (y - self.kappa / 6)
        return 3 / self.kappa * (math.copysign(abs(cube) ** (1 / 3), cube) - 1)

    def interval(self, levels):
        ends = []
        for level in levels:
            z = math.sqrt(robbins_root(level) ** 2 + math.log(self.n / FIRST_OF_BOUNDARY))
            ends.append(t_quantile(normal_tail(z), self.n - 1))
        low, high = ends
        return (self.theta - self.se * max(low, self.hall(low)), self.theta + self.se * max(high, -self.hall(-high)))

    def p_value(self, threshold):
        t, k = (self.theta - threshold) / self.se, self.kappa
        turned = t + k * t * t / 3 + k * k * t ** 3 / 27 + k / 6
        tau = min(abs(t), max(0, math.copysign(turned, turned * t)))
        z = falling_root(normal_tail, t_tail(tau, self.n - 1), 0, 38)
        a = math.sqrt(max(0, z * z - math.log(self.n / FIRST_OF_BOUNDARY)))
        return min(1, 2 * (normal_tail(a) + a * density(a)))


def session(case):
    """Replays a gate. Its level is that of one of `gates` gates."""
    rate = case["better"] == "higher"
    threshold = -math.log1p(-case["margin"]) if rate else math.log1p(case["margin"])
    sides = 2 if case["sided"] == "one" else 1
    regression = case["alpha"] / case["gates"] * sides / 2
    passes = (1 - case["pass_confidence"]) / case["gates"] if case["pass_confidence"] else regression
    first = FIRST if case["min_runs"] == FIRST_OF_BOUNDARY else case["min_runs"]
    all_shares = math.fsum(SHARES[n] for n in range(first, LAST + 1))
    low, high = -math.inf, math.inf
    p_slower = p_faster = p_boundary = 1
    decided = None
    log_multiple = math.log(MULTIPLE)
    for n in range(first, len(case["base"]) + 1):
        base, candidate = case["base"][:n], case["candidate"][:n]
        by, side = "", 0
        if n <= LAST:
            share = SHARES[n] / all_shares
            tails = [level * SHARE_OF_EARLY_LOOKS * share for level in (regression, passes)]
            look = early_look(base, candidate, case["step"], rate, tails)
            if threshold <= log_multiple:
                p_slower = min(p_slower, look["slower"] / share)
            if threshold >= -log_multiple:
                p_faster = min(p_faster, look["faster"] / share)
            if p_slower <= regression * SHARE_OF_EARLY_LOOKS:
                low, by, side = max(low, log_multiple), "early_look", 1
            elif p_faster <= passes * SHARE_OF_EARLY_LOOKS:
                high, by, side = min(high, -log_multiple), "early_look", -1
            if by and "interval" in look:
                low, high = max(low, look["interval"][0]), min(high, look["interval"][1])
        else:
            slow = ([1 / x for x in base], [1 / x for x in candidate]) if rate else (base, candidate)
            look = Boundary(*slow)
            rest = 1 - SHARE_OF_EARLY_LOOKS
            ends = look.interval((2 * regression * rest, 2 * passes * rest))
            low, high = max(low, ends[0]), min(high, ends[1])
            p_boundary = min(p_boundary, look.p_value(threshold))
            side = 1 if low > threshold else -1 if high < threshold else 0
        if decided is None and side:
            decided = {"blocks": n, "by": by, "verdict": "regression" if side > 0 else "pass", **shown(low, high, rate)}
    p = min(1, p_boundary / (1 - SHARE_OF_EARLY_LOOKS), 2 * min(p_slower, p_faster) / SHARE_OF_EARLY_LOOKS)
    return {"decided": decided, "p": p / sides, **shown(low, high, rate)}


def shown(low, high, rate):
    """The relative change. An end that the looks do not bound is null."""
    if rate:
        low, high = -high, -low
    return {"lo": math.expm1(low) if math.isfinite(low) else None,
            "hi": math.expm1(high) if math.isfinite(high) else None}


def values(count, centre, spread, seed, digits=6):
    """Skewed values with few digits, by a linear congruence, so that they are easy to draw again."""
    drawn = []
    for _ in range(count):
        seed = (seed * 69069 + 1) % 2 ** 32
        uniform = (seed + 0.5) / 2 ** 32
        drawn.append(round(centre * (1 + spread * (-math.log(uniform) - 1)), digits))
    return drawn


def looks():
    cases = []
    seed = 100
    for ratio in (0.1, 0.5, 1 / MULTIPLE, 1.0, MULTIPLE, 1.7, 9.0, 33.0):
        for n in range(FIRST, LAST + 1):
            for spread, step, digits, rate in ((0.01, 1e-6, 6, False), (0.03, 1e-6, 6, True), (0.02, 0.1, 1, False),
                                               (0.02, 0.5, 1, True)):
                seed += 1
                base = values(n, 3.0, spread, seed, digits)
                candidate = values(n, 3.0 * ratio, spread, seed + 1000, digits)
                if min(base + candidate) <= 0:
                    continue
                cases.append({"base": base, "candidate": candidate, "step": step, "rate": rate,
                              **early_look(base, candidate, step, rate)})
    # Nothing varies: the step alone decides how far apart the arms must be, and without one there is no test.
    for base, candidate, step, rate in (([1000.0] * 3, [1700.0] * 3, 1.0, False), ([5.0] * 4, [9.0] * 4, 1.0, False),
                                        ([1000.0] * 3, [1700.0] * 3, 0.0, False), ([9.0] * 5, [90.0] * 5, 1.0, True)):
        cases.append({"base": base, "candidate": candidate, "step": step, "rate": rate,
                      **early_look(base, candidate, step, rate)})
    return cases


def sessions():
    cases = []
    seed = 500
    variants = (
        # ratio, spread, margin, alpha, gates, sided, pass_confidence, min_runs, better
        (33.0, 0.01, 0.02, 0.01, 1, "two", None, 8, "lower"), (33.0, 0.03, 0.02, 0.01, 2, "two", None, 8, "lower"),
        (9.0, 0.02, 0.05, 0.05, 1, "one", None, 8, "lower"), (1 / 3.7, 0.01, 0.02, 0.01, 2, "two", None, 8, "lower"),
        (1 / 3.7, 0.02, 0.02, 0.01, 1, "two", 0.95, 8, "lower"), (2.0, 0.02, 0.5, 0.01, 1, "two", None, 8, "lower"),
        (2.0, 0.01, 1.0, 0.05, 1, "two", None, 8, "lower"), (0.5, 0.01, -0.05, 0.05, 1, "two", None, 8, "lower"),
        (0.5, 0.01, -0.4, 0.05, 1, "two", None, 8, "lower"), (9.0, 0.02, 0.02, 0.05, 1, "two", None, 5, "lower"),
        (9.0, 0.01, 0.02, 0.05, 3, "two", None, 8, "higher"), (1 / 9.0, 0.01, 0.02, 0.05, 1, "two", None, 8, "higher"),
        (1 / 9.0, 0.01, 0.02, 0.01, 1, "two", 0.9, 7, "higher"), (1.55, 0.02, 0.02, 0.01, 1, "two", None, 8, "lower"),
        (1.04, 0.02, 0.02, 0.05, 1, "two", None, 8, "lower"), (1.0, 0.01, 0.02, 0.01, 1, "one", None, 8, "lower"),
    )
    for ratio, spread, margin, alpha, gates, sided, passes, min_runs, better in variants:
        for count in (LAST, 12):
            seed += 1
            case = {"base": values(count, 1.0, spread, seed), "candidate": values(count, ratio, spread, seed + 1000),
                    "step": 1e-6, "margin": margin, "alpha": alpha, "gates": gates, "sided": sided,
                    "pass_confidence": passes, "min_runs": min_runs, "better": better}
            cases.append({**case, **session(case)})
    return cases


def main():
    text = {"comment": "Written by early_looks.py from docs/statistics.md: one-sided p-values of single looks, and gates "
                       "of sessions with early looks.",
            "rel_tol": REL_TOL}
    lines = [f' "{key}": {json.dumps(value)},' for key, value in text.items()]
    lists = [f' "{name}": [\n' + ",\n".join("  " + json.dumps(case) for case in cases) + "\n ]"
             for name, cases in (("looks", looks()), ("sessions", sessions()))]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "early_looks.json"), "w") as file:
        file.write("{\n" + "\n".join(lines) + "\n" + ",\n".join(lists) + "\n}\n")


if __name__ == "__main__":
    main()
