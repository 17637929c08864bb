"""Go's benchmarks, run by the real daemon: see live_tools.py."""

import os

from live_tools import SOURCES, LiveTest, ThreeTries, build, builds, needs_program, variables
from main import main


@needs_program("golang-go", "go")
class GoTest(ThreeTries, LiveTest):
    tool = "Go"
    words = "-test.benchtime 20ms"
    options = ("--harness", "go", "--estimator", "median")
    gate = "sec/op"
    one = ("--only", "BenchmarkPlanted")
    refusal = ("BenchmarkSteady", "exited with code 1")

    @classmethod
    def setUpClass(cls):
        folder = builds()
        cls.program = folder / "live.test"
        build(["go", "test", "-c", "-o", cls.program, "."], cwd=SOURCES / "go",
              env={**os.environ, "GOCACHE": str(folder / "go-cache"), "GOPROXY": "off",
                   "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"})

    def arm(self, share=0.0, fail=False):
        return f"{variables(share, fail)} {self.program} {self.words}"


if __name__ == "__main__":
    main()
