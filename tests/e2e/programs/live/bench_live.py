"""WORK and FAIL as in google_benchmark.cc."""

import os


def chain(steps):
    value = 1
    for _ in range(steps):
        value = (value * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
    return value


def test_planted(benchmark):
    benchmark.pedantic(chain, (int(os.environ.get("WORK", 20000)),), rounds=50)


def test_steady(benchmark):
    assert "FAIL" not in os.environ, "no such file: corpus.txt"
    benchmark.pedantic(chain, (20000,), rounds=50)
