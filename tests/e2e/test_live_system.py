"""perf stat, callgrind, fio and hyperfine, run by the real daemon: see live_tools.py."""

import subprocess

from live_tools import LiveTest, ThreeTries, needs_program
from main import main
from support import PROGRAMS

SPIN = PROGRAMS / "spin"


def can_count():
    """Whether the kernel lets this user count; containers often do not."""
    try:
        done = subprocess.run(["perf", "stat", "-e", "task-clock", "true"], capture_output=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0


class PerfStatTest(ThreeTries, LiveTest):
    tool = "perf stat"
    words = "perf stat -j -e task-clock"
    options = ("--parse", "perf-stat-j")
    gate = "task-clock*"
    refusal = ("exited with code 3",)

    def setUp(self):
        if not can_count():
            self.skipTest("perf stat counts nothing here, or is not installed: linux-perf")
        super().setUp()

    def arm(self, share=0.0, fail=False):
        program = "sh -c 'exit 3'" if fail else f"{SPIN} {round(30_000 * (1 + share))}"
        return f"{self.words} {program}"


@needs_program("valgrind", "valgrind")
class CallgrindTest(ThreeTries, LiveTest):
    tool = "callgrind"
    words = "valgrind --tool=callgrind --callgrind-out-file=/dev/null"
    options = ("--parse", "callgrind")
    gate = "Ir"
    refusal = ("exited with code 3",)

    def arm(self, share=0.0, fail=False):
        program = "sh -c 'exit 3'" if fail else f"{SPIN} {round(1000 * (1 + share))}"
        return f"{self.words} {program}"


@needs_program("fio", "fio")
class FioTest(ThreeTries, LiveTest):
    """The candidate may read less often, so the disk does not decide."""

    tool = "fio"
    words = "fio --output-format=json"
    options = ("--parse", "fio")
    gate = "live/read/iops"
    better = "higher"
    refusal = ("no-such-folder",)

    def arm(self, share=0.0, fail=False):
        folder = self.folder / "no-such-folder" if fail else self.folder
        return (f"{self.words} --name=live --rw=randread --bs=4k --size=1M "
                f"--ioengine=psync --rate_iops={round(500 / (1 + share))} --directory={folder}")


@needs_program("hyperfine", "hyperfine")
class HyperfineTest(ThreeTries, LiveTest):
    tool = "hyperfine"
    words = "hyperfine -N --style none --runs 4 --export-json /dev/stdout"
    options = ("--parse", "hyperfine", "--estimator", "median")
    gate = "time"
    refusal = ("no-such-program",)

    def arm(self, share=0.0, fail=False):
        program = "no-such-program" if fail else f"sleep {0.02 * (1 + share):g}"
        return f"{self.words} '{program}'"


if __name__ == "__main__":
    main()
