"""pytest-benchmark and pyperf, run by the real daemon: see live_tools.py."""

import importlib.util
import sys

from live_tools import SOURCES, LiveTest, ThreeTries, needs, variables
from main import main


@needs("python3-pytest-benchmark", importlib.util.find_spec("pytest_benchmark"))
class PytestBenchmarkTest(ThreeTries, LiveTest):
    tool = "pytest-benchmark"
    words = "-m pytest -q bench_live.py"
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
