"""Runs fuzzers in parallel, one per CPU, and prints a table of what they did. `./dev fuzz` calls it.

    /usr/bin/python3 tests/fuzz/run.py BUILD AMOUNT [NAME...]

BUILD is a folder of the preset `fuzz`. AMOUNT is for each fuzzer: seconds, such as 30, or executions,
such as 10000000x. What a fuzzer finds is kept in BUILD/corpus/NAME for the next
time, an input that crashed it in BUILD/crashes, its output in BUILD/log/NAME. Exits with 1 if a
fuzzer crashed.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

KEPT = pathlib.Path(__file__).resolve().parent / "corpus"
# One input takes far less than a millisecond, so 20 s are an endless loop.
INPUT_S = 20
MEMORY_MIB = 2048


def fail(message, hint):
    sys.exit(f"error: fuzz: {message}\nhint: {hint}")


def known():
    """Every fuzzer has seeds: a folder of files, or one file with sections."""
    return sorted({path.stem for path in KEPT.iterdir()})


def write_seeds(name, folder):
    """The seeds as libFuzzer reads them, one file each (tests/fuzz/seeds.h has the format)."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if (KEPT / name).is_dir():
        shutil.copytree(KEPT / name, folder, dirs_exist_ok=True)
    sections = KEPT / f"{name}.txt"
    if sections.exists():
        parts = re.split(rb"^%% seed (\S+).*\n", sections.read_bytes(), flags=re.MULTILINE)
        for seed, text in zip(parts[1::2], parts[2::2]):
            (folder / seed.decode()).write_bytes(text.removesuffix(b"\n"))


def limit_of(amount):
    """libFuzzer's option for an AMOUNT."""
    if amount.endswith("x"):
        return f"-runs={amount[:-1]}"
    return f"-max_total_time={amount}"


def run(build, name, amount):
    """Fuzzes by that amount and returns libFuzzer's exit code."""
    corpus, seeds = build / "corpus" / name, build / "seeds" / name
    corpus.mkdir(parents=True, exist_ok=True)
    write_seeds(name, seeds)
    with open(build / "log" / name, "wb") as log:
        return subprocess.run(
            [build / "bin/fuzz", limit_of(amount), f"-timeout={INPUT_S}",
             f"-rss_limit_mb={MEMORY_MIB}", "-print_final_stats=1",
             f"-artifact_prefix={build / 'crashes'}/{name}-", corpus, seeds],
            env=dict(os.environ, BENCHD_FUZZ=name), stdin=subprocess.DEVNULL,
            stdout=log, stderr=subprocess.STDOUT, check=False).returncode


def row(build, name, code):
    log = (build / "log" / name).read_text(errors="replace")
    executions = re.findall(r"^stat::number_of_executed_units: *(\d+)", log, re.MULTILINE)
    written = re.findall(r"Test unit written to (.*)", log)
    result = "ok"
    if code != 0:
        result = f"CRASHED: {written[-1] if written else f'exit code {code}'} (see {build / 'log' / name})"
    inputs = len(list((build / "corpus" / name).iterdir()))
    return f"{name:<20} {executions[-1] if executions else '?':>12} {inputs:>8}  {result}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, amount, names = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if not re.fullmatch("[1-9][0-9]*x?", amount):
        fail(f"'{amount}' is not a number of seconds or executions", "./dev fuzz 30, or 1000000x")
    for name in names:
        if name not in known():
            fail(f"'{name}' is not a fuzzer", f"one of: {', '.join(known())}")
    names = names or known()
    for folder in ("log", "crashes"):
        (build / folder).mkdir(parents=True, exist_ok=True)
    cpus = len(os.sched_getaffinity(0))
    each = f"{amount[:-1]} executions" if amount.endswith("x") else f"{amount} s"
    print(f"{len(names)} fuzzers, {each} each, {cpus} in parallel", file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(cpus) as pool:
        codes = list(pool.map(lambda name: run(build, name, amount), names))
    print(f"{'fuzzer':<20} {'executions':>12} {'inputs':>8}  result")
    for name, code in zip(names, codes):
        print(row(build, name, code))
    if any(codes):
        print("repeat one: BENCHD_FUZZ=NAME build/fuzz/bin/fuzz INPUT", file=sys.stderr)
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
