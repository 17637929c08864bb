"""pytest-benchmark and pyperf, run by the real daemon: see live_tools.py."""

import importlib.util
import sys

from live_tools import SOURCES, LiveTest, ThreeTries, needs, variables
from main import main


@needs("python3-pytest-benchmark", importlib.util.find_spec("pytest_benchmark"))
class PytestBenchmarkTest(ThreeTries, LiveTest):
    tool = "pytest-benchmark"
    # CPU time: the start of pytest takes most of a run, so there are few runs in a minute, and on a
    # busy machine their wall times differ by a factor of two.
    words = "-m pytest -q bench_live.py --benchmark-timer=time.process_time"
    options = ("--harness", "pytest-benchmark", "--estimator", "median")
    gate = "time"
    one = ("--only", "*::test_planted")
    refusal = ("test_steady",)

    def arm(self, share=0.0, fail=False):
        # In the folder in which the IDs of the tests begin.
        return (f"env -C {SOURCES} {variables(share, fail, PYTHONDONTWRITEBYTECODE=1)} "
                f"{sys.executable} {self.words} -p no:cacheprovider")


if __name__ == "__main__":
    main()
