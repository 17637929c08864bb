#!/usr/bin/env python3
"""main.py [TEST...]: installs benchd on this machine and runs the tests of this boot.

Which boot it is stands on the kernel's command line, vm-test.boot=NAME.
Run by the test machine's own service, as root, in the folder that has the payload.
"""

import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

from hang import HangWatch, show_life

HERE = pathlib.Path(__file__).resolve().parent
# In this order: the last ones take benchd off the machine again.
SUITES = {
    "intel": ["test_services", "test_sessions", "test_settings", "test_metrics", "test_removal"],
    "crashes": ["test_crashes", "test_missing"],
    "hostile": ["test_hostile"],
    "amd": ["test_boost", "test_children", "test_effect", "test_removal"],
    "v1": ["test_v1", "test_metrics", "test_missing", "test_hostile", "test_removal"],
}


class Result(unittest.TestResult):
    """One line a test with the time it took, and at once what is wrong: the machine may not live
    to the end of the run."""

    def __init__(self, stream, descriptions, verbosity):
        super().__init__(stream, descriptions, verbosity)
        self._stream = stream
        self._watch = HangWatch()

    def startTest(self, test):
        super().startTest(test)
        self._began = time.monotonic()
        self._watch.start(test.id())
        self._say(f"{type(test).__name__}.{test._testMethodName} ... ")

    def stopTest(self, test):
        self._watch.stop()
        super().stopTest(test)

    def _say(self, text):
        self._stream.write(text)
        self._stream.flush()

    def _end(self, word, details=""):
        self._say(f"{word} ({time.monotonic() - self._began:.1f} s)\n{details}")

    def addSuccess(self, test):
        super().addSuccess(test)
        self._end("ok")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._end("FAILED", self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._end("ERROR", self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._end(f"FAILED {subtest._message}", self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._end(f"skipped: {reason}")

    def printErrors(self):
        """They have been printed."""


def load(boot, names):
    loader = unittest.TestLoader()
    if names:
        return loader.loadTestsFromNames(names)
    return loader.loadTestsFromNames(SUITES[boot])


def main(names):
    boot = re.search(r"vm-test\.boot=(\w+)", pathlib.Path("/proc/cmdline").read_text()).group(1)
    os.environ["BENCHD_VM_BOOT"] = boot
    os.environ["BENCHD_BIN_DIR"] = "/usr/local/bin"
    os.environ["BENCHD_TEST_PROGRAMS"] = str(HERE.parent / "programs")
    sys.path.insert(0, str(HERE))
    if boot != "amd":
        # Nothing loads it by itself: it is no driver of the emulated processor.
        subprocess.run(["modprobe", "acpi-cpufreq"], check=True)

    import guest  # The variables above have to be there.
    import installation
    import pristine

    show_life()
    pristine.remember()
    installation.install()
    guest.make_people()
    print(f"up after {pathlib.Path('/proc/uptime').read_text().split()[0]} s, boot {boot}, "
          f"Linux {os.uname().release}", flush=True)
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result)
    result = runner.run(load(boot, names))
    for test, details in (*result.failures, *result.errors):
        print(f"failed: {test.id()}: {details.strip().splitlines()[-1]}", flush=True)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
