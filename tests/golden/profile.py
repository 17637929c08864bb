#!/usr/bin/env python3
"""Writes profile.json: the functions of sampled sessions, and how many blocks they take.

It follows docs/statistics.md ("Functions") alone.

usage: /usr/bin/python3 tests/golden/profile.py

The stacks and their counts are drawn here. Student's law is that of two_levels.py; nothing is shared with benchd.
"""

import json
import math
import os
import random

from two_levels import mean, t_quantile, t_tail

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST_SHARE, LEAST_SAMPLES, LEAST_UNITS = 0.001, 10, 4

# What a frame is called, and which function it is, in the words of this file's stacks.
CLONES = {"sort.part.0": "sort", "sort.cold": "sort", "hash.constprop.0": "hash"}
# Functions of the reference that are others in the candidate: one template argument, one signature.
GUESSES = {"lookup<int>(int)": "lookup<long>(long)"}


def function(frame):
    name = frame[:-4] if frame.endswith(("_[i]", "_[j]")) else frame
    return CLONES.get(name, name)


def draw(rng, weights, samples):
    """How often each stack is sampled: multinomial, with some spread between runs."""
    spread = [w * rng.lognormvariate(0, 0.05) for w in weights.values()]
    counts = dict.fromkeys(weights, 0)
    for stack in rng.choices(list(weights), spread, k=samples):
        counts[stack] += 1
    return {stack: count for stack, count in counts.items() if count}


def seconds(run, called):
    """Seconds of a function itself, and with its callees. Only the user time was sampled."""
    if called == "[kernel]":
        return run["system_time"], run["system_time"]
    share = (run["cpu_time"] - run["system_time"]) / sum(run["stacks"].values())
    own = sum(count for stack, count in run["stacks"].items() if function(stack.split(";")[-1]) == called)
    total = sum(count for stack, count in run["stacks"].items() if called in [function(f) for f in stack.split(";")])
    return own * share, total * share


def variance(values):
    m = mean(values)
    return math.fsum((v - m) ** 2 for v in values) / (len(values) - 1)


def difference(base, candidate, paired):
    """Estimate, standard error and degrees of freedom."""
    if paired:
        d = [c - b for b, c in zip(base, candidate)]
        return mean(d), math.sqrt(variance(d) / len(d)), len(d) - 1
    parts = variance(base) / len(base), variance(candidate) / len(candidate)
    if sum(parts) == 0:  # such as the own time of a function that only calls others
        return mean(candidate) - mean(base), 0, len(base) + len(candidate) - 2
    dof = sum(parts) ** 2 / (parts[0] ** 2 / (len(base) - 1) + parts[1] ** 2 / (len(candidate) - 1))
    return mean(candidate) - mean(base), math.sqrt(sum(parts)), dof


def effect(estimate, se, dof, level):
    if se == 0:
        return [estimate, 0, 0] if estimate == 0 else [estimate, None, None]
    t = t_quantile(level / 2, dof)
    return [estimate, estimate - t * se, estimate + t * se]


def holm(p_values, level):
    """Indices of the hypotheses that the step-down rejects."""
    rejected = []
    for i in sorted(range(len(p_values)), key=p_values.__getitem__):
        if p_values[i] > level / (len(p_values) - len(rejected)):
            break
        rejected.append(i)
    return rejected


def upper_tail(t, dof):
    return t_tail(t, dof) if t > 0 else 1 - t_tail(-t, dof)


def explain(units, paired, alpha):
    """Units: one list of runs for each block or build, of each arm."""
    runs = [[run for unit in side for run in unit] for side in units]
    names = [{function(f) for run in side for stack in run["stacks"] for f in stack.split(";")} for side in runs]
    functions = []
    for name in sorted(names[0] | names[1]):
        if name in GUESSES and name not in names[1]:
            continue
        old = next((k for k, v in GUESSES.items() if v == name and k in names[0] and name not in names[0]), name)
        functions.append((name, old))
    if any(run["system_time"] for side in runs for run in side):
        functions.append(("[kernel]", "[kernel]"))
    samples = [sum(sum(run["stacks"].values()) for run in side) for side in runs]

    def pooled(name, old):
        own = total = 0
        if name == "[kernel]":
            own = math.fsum(sum(run["stacks"].values()) * run["system_time"] / (run["cpu_time"] - run["system_time"])
                            for side in runs for run in side)
            return own, own
        for side, called in zip(runs, (old, name)):
            for run in side:
                for stack, count in run["stacks"].items():
                    frames = [function(f) for f in stack.split(";")]
                    own += count * (frames[-1] == called)
                    total += count * (called in frames)
        return own, total

    def enough(count):
        return count >= LEAST_SAMPLES and count >= LEAST_SHARE * sum(samples)

    def values(side, called):
        each = [[seconds(run, called) for run in unit] for unit in units[side]]
        return [[mean([run[kind] for run in unit]) for unit in each] for kind in (0, 1)]

    compared, rest = [], [0, 0]
    for name, old in functions:
        own, total = pooled(name, old)
        sides = values(0, old), values(1, name)
        if not enough(own) and not enough(total):
            for side in (0, 1):
                rest[side] += mean(sides[side][0])
            continue
        compared.append({"function": name, "matched": old if old != name else "", "sides": sides,
                         "of_self": enough(own), "of_total": enough(total)})
    selves = [one for one in compared if one["of_self"]]
    totals = [one for one in compared if one["of_total"]]
    for one in compared:
        for kind, key, family in ((0, "self", selves), (1, "total", totals)):
            base, candidate = one["sides"][0][kind], one["sides"][1][kind]
            found = difference(base, candidate, paired)
            one[key + "_reference"], one[key + "_candidate"] = mean(base), mean(candidate)
            one[key] = effect(*found, alpha / 2 / len(family)) if one["of_" + key] else [found[0], None, None]
            one["found_" + key] = found
    count = min(len(units[0]), len(units[1]))
    changed = []
    if count >= LEAST_UNITS:
        for sign in (1, -1):
            p = [upper_tail(sign * e / se, dof) if se else 1 for e, se, dof in (one["found_self"] for one in selves)]
            changed += [selves[i]["function"] for i in holm(p, alpha / 4)]
    for one in compared:
        one["changed"] = one["function"] in changed
        if one["changed"]:
            end, cut = (1, max) if one["self"][0] > 0 else (2, min)
            one["self"][end] = cut(one["self"][end], 0)
    times = [[mean([run["cpu_time"] for run in unit]) for unit in side] for side in units]
    change = effect(*difference(*times, paired), alpha)
    explained = math.fsum(one["self"][0] for one in compared if one["changed"])
    return {
        "blocks": count, "samples": samples, "seconds": [mean(side) for side in times], "change": change,
        "compared": len(selves), "explained_seconds": explained,
        "explained": explained / change[0] if change[1] > 0 or change[2] < 0 else None, "rest": rest,
        "functions": [{key: one[key] for key in
                       ("function", "matched", "changed", "self_reference", "self_candidate", "self",
                        "total_reference", "total_candidate", "total")} for one in compared]}


WEIGHTS = {
    "_start;main;read": 30, "_start;main;parse;lookup<int>(int)": 12, "_start;main;parse": 8,
    "_start;main;parse;sort;sort;sort": 15, "_start;main;parse;sort.part.0": 5, "_start;main;write": 14,
    "_start;main;write;hash_[i]": 6, "_start;main;write;hash.constprop.0": 4, "_start;main;rare": 0.12,
    "_start;main;rarer": 0.02, "_start;main": 2, "_start;jit_[j]": 3,
}


def changed_weights(hash_factor, read_factor=1):
    new = {stack.replace("lookup<int>(int)", "lookup<long>(long)"): w for stack, w in WEIGHTS.items()}
    for stack in new:
        if "hash" in stack:
            new[stack] *= hash_factor
    new["_start;main;read"] *= read_factor
    del new["_start;main;rarer"]
    return new | {"_start;main;write;sort.cold": 0.5}


def make_run(rng, weights, time, samples, system):
    scale = sum(weights.values()) / sum(WEIGHTS.values())
    user = round(time * scale * rng.lognormvariate(0, 0.01), 6)
    kernel = round(system * rng.lognormvariate(0, 0.1), 6)
    return {"cpu_time": round(user + kernel, 6), "system_time": kernel,
            "stacks": draw(rng, weights, round(samples * scale))}


def paired_case(seed, alpha, blocks, samples, *factors, system=(0, 0)):
    rng = random.Random(seed)
    arms = [WEIGHTS, changed_weights(*factors)]
    made = [[make_run(rng, weights, 0.4, samples, time) for weights, time in zip(arms, system)]
            for _ in range(blocks)]
    return {"method": "paired", "alpha": alpha, "arms": ["base", "new"], "blocks": made,
            "expected": explain([[[b[arm]] for b in made] for arm in (0, 1)], True, alpha)}


def layouts_case(seed, alpha, builds, blocks, samples, factor):
    rng = random.Random(seed)
    arms = [WEIGHTS] * builds + [changed_weights(factor)] * builds
    names = [f"{group}/{n + 1}" for group in ("base", "new") for n in range(builds)]
    layout = [rng.lognormvariate(0, 0.01) for _ in arms]
    made = [[make_run(rng, weights, 0.4 * f, samples, 0) for weights, f in zip(arms, layout)] for _ in range(blocks)]
    units = [[[b[arm] for b in made] for arm in range(first, first + builds)] for first in (0, builds)]
    return {"method": "layouts", "alpha": alpha, "arms": names, "blocks": made,
            "expected": explain(units, False, alpha)}


def shown(q, n):
    sd = math.sqrt(2 * q["seconds"] * q["share"] * (1 - q["share"]) / q["frequency_hz"]
                   + (q["share"] * q["relative_sd"] * q["seconds"]) ** 2)
    return 2 * t_quantile(q["alpha"] / 4 / q["functions"], n - 1) * sd / math.sqrt(n)


def plan_case(most, seconds, change, share=0.1, frequency_hz=1000, alpha=0.01, functions=100, relative_sd=0):
    q = {"seconds": seconds, "frequency_hz": frequency_hz, "change": change, "share": share, "alpha": alpha,
         "functions": functions, "relative_sd": relative_sd}
    blocks = next((n for n in range(min(10, most), most + 1) if shown(q, n) <= change), most)
    return q | {"most_blocks": most, "blocks": blocks, "shown": shown(q, blocks)}


def main():
    plans = [plan_case(1000, 1, 0.02), plan_case(1000, 1, 0.005, share=0.05), plan_case(1000, 10, 0.5),
             plan_case(50, 1, 0.005, alpha=0.05, functions=40), plan_case(1000, 0.05, 0.002, frequency_hz=5000),
             plan_case(1000, 1, 0.02, relative_sd=0.05), plan_case(4, 2, 0.1), plan_case(1000, 1, 1e-6)]
    cases = [paired_case(1, 0.01, 12, 800, 1.6), paired_case(2, 0.05, 6, 300, 1.0, system=(0.02, 0.03)), paired_case(3, 0.2, 3, 500, 3.0),
             paired_case(19, 0.05, 6, 500, 2.0, 1.25),  # Holm decides about read, whose interval ends at 0
             layouts_case(4, 0.05, 4, 2, 700, 1.8)]
    with open(os.path.join(HERE, "profile.json"), "w", encoding="utf-8") as file:
        lists = [",\n".join(json.dumps(one, separators=(",", ":")) for one in many) for many in (cases, plans)]
        file.write('{"rel_tol": 1e-9, "cases": [\n%s\n], "plans": [\n%s\n]}\n' % tuple(lists))


if __name__ == "__main__":
    main()
