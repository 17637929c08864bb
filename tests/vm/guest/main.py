#!/usr/bin/env python3
"""main.py [TEST...]: installs benchd on this machine, unless a test does so itself, and runs the
tests of this boot.

The kernel's command line selects the boot: vm-test.boot=NAME.
The test machine's own service runs it as root, in the folder of the payload.
Lines that begin with @@ are for vm.py; report.py documents them.
"""

import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

import arm64
import clock
import core
from hang import HangWatch, show_life

HERE = pathlib.Path(__file__).resolve().parent
# The files or tests of each boot outside the core set, in this order: the last ones remove benchd
# from the machine again.
SUITES = {
    "intel": ["test_services", "test_sessions", "test_settings", "test_trial", "test_metrics",
              "test_removal"],
    "crashes": ["test_crashes", "test_missing"],
    "hostile": ["test_hostile", "test_leftovers", "test_boundaries", "test_neighbours"],
    "amd": ["test_boost", "test_children", "test_effect", "test_removal"],
    "package": ["test_package", "test_pages"],
    "archive": ["test_archive"],
    "upgrade": ["test_upgrade"],
    "arm64": arm64.TESTS,
}


class Result(unittest.TestResult):
    """Reports when a test begins and how it ended, and errors at once, because the machine may not
    survive until the end."""

    def __init__(self, stream, descriptions, verbosity):
        super().__init__(stream, descriptions, verbosity)
        self._stream = stream
        self._watch = HangWatch()

    def startTest(self, test):
        super().startTest(test)
        self._outcome = "ok"
        self._watch.start(test.id())
        self._say(f"@@begin {time.monotonic():.3f} {test.id()}")

    def stopTest(self, test):
        self._watch.stop()
        self._say(f"@@end {time.monotonic():.3f} {self._outcome} {test.id()}")
        super().stopTest(test)

    def _say(self, text):
        self._stream.write(text + "\n")
        self._stream.flush()

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._outcome = "FAILED"
        self._say(self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._outcome = "ERROR"
        self._say(self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        # Restart the limit, which applies to each subtest.
        self._watch.stop()
        self._watch.start(test.id())
        if err is not None:
            self._outcome = "FAILED"
            self._say(f"{subtest._message}: {self._exc_info_to_string(err, test)}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._outcome = "absent" if reason.startswith(guest_absent()) else "skipped"
        self._say(f"skipped: {reason}")

    def printErrors(self):
        """They have been printed already."""


def guest_absent():
    import guest  # needs variables that main() sets
    return guest.ABSENT


def permit_set_user_id_in_tmp():
    """Debian 13 and later mount /tmp without."""
    if os.statvfs("/tmp").f_flag & os.ST_NOSUID:
        subprocess.run(["mount", "-o", "remount,suid", "/tmp"], check=True)


def flat(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from flat(one)
        else:
            yield one


def files_of_tests():
    """All of them, with the one that removes benchd from the machine last."""
    return sorted((path.stem for path in HERE.glob("test_*.py")),
                  key=lambda name: (name == "test_removal", name))


def load(boot, names):
    """The tests that were given by name, or those of the boot."""
    core_boot = boot in core.BOOTS and not names
    names = names or (files_of_tests() if core_boot else SUITES[boot])
    tests = list(flat(unittest.TestLoader().loadTestsFromNames(names)))
    return unittest.TestSuite(core.select(boot, tests) if core_boot else tests)


def main(names):
    boot = re.search(r"vm-test\.boot=(\S+)", pathlib.Path("/proc/cmdline").read_text()).group(1)
    os.environ["BENCHD_VM_BOOT"] = boot
    packaged = boot in ("package", "upgrade")
    os.environ["BENCHD_BIN_DIR"] = "/usr/bin" if packaged else "/usr/local/bin"
    os.environ["BENCHD_TEST_PROGRAMS"] = str(HERE.parent / "programs")
    sys.path.insert(0, str(HERE))
    sys.path.append(str(HERE.parent / "source/tests/e2e"))
    if boot not in ("amd", "arm64"):
        # It is not loaded automatically, because the emulated processor does not ask for it.
        subprocess.run(["modprobe", "acpi-cpufreq"], check=True)

    import guest  # needs the variables above
    import installation
    import pristine

    show_life()
    permit_set_user_id_in_tmp()
    # Drivers that are still being loaded add files.
    subprocess.run(["udevadm", "settle"], check=True)
    pristine.remember()
    if not packaged and boot != "archive":  # in these boots the tests install benchd
        installation.install()
        guest.make_people()
    print(f"up after {pathlib.Path('/proc/uptime').read_text().split()[0]} s, boot {boot}, "
          f"Linux {os.uname().release}\n{clock.describe()}", flush=True)
    tests = load(boot, names)
    print(f"@@tests {tests.countTestCases()}", flush=True)
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result)
    result = runner.run(tests)
    for test, details in (*result.failures, *result.errors):
        print(f"failed: {test.id()}: {details.strip().splitlines()[-1]}", flush=True)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
