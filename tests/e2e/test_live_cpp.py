"""Google Benchmark and Catch2, run by the real daemon: see live_tools.py."""

import pathlib

from live_tools import SOURCES, LiveTest, ThreeTries, build, builds, needs, needs_program, variables
from main import main


def compile_cpp(name, *words):
    program = builds() / name
    build(["g++", "-O2", "-o", program, SOURCES / f"{name}.cc", *words])
    return program


def has_header(path):
    return (pathlib.Path("/usr/include") / path).exists()


@needs_program("g++", "g++")
@needs("libbenchmark-dev", has_header("benchmark/benchmark.h"))
class GoogleBenchmarkTest(ThreeTries, LiveTest):
    tool = "Google Benchmark"
    words = "--benchmark_min_time=0.02"
    options = ("--harness", "google-benchmark")
    gate = "cpu_time"
    one = ("--only", "Planted")
    refusal = ("Steady", "no such file: corpus.txt")

    @classmethod
    def setUpClass(cls):
        cls.program = compile_cpp("google_benchmark", "-lbenchmark", "-lpthread")

    def arm(self, share=0.0, fail=False):
        return f"{variables(share, fail)} {self.program} {self.words}"


@needs_program("g++", "g++")
@needs("catch2", has_header("catch2/catch.hpp"))
class Catch2Test(ThreeTries, LiveTest):
    tool = "Catch2"
    words = "--benchmark-samples 20 --benchmark-warmup-time 5 --benchmark-resamples 1000"
    options = ("--harness", "catch2", "--estimator", "median")
    gate = "time"
    one = ("--only", "Planted")
    refusal = ("Steady",)

    @classmethod
    def setUpClass(cls):
        cls.program = compile_cpp("catch2")

    def arm(self, share=0.0, fail=False):
        return f"{variables(share, fail)} {self.program} {self.words}"


if __name__ == "__main__":
    main()
