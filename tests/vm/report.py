"""Interprets the lines that a boot prints about its tests, and their absence."""

import dataclasses
import re

# The permitted error of the guest's clock, so that time limits inside the guest are accurate.
CLOCK_ERROR = 0.02
# Lines of the guest: the number of tests; the begin and end of each, in seconds of the guest's
# clock; and finally the exit status of the whole run.
TESTS = re.compile(r"@@tests (\d+)")
BEGIN = re.compile(r"@@begin (\S+) (\S+)")
END = re.compile(r"@@end (\S+) (\S+) (\S+)")
STATUS = re.compile(r"@@status=(\d+)")


@dataclasses.dataclass
class Test:
    boot: str
    name: str
    outcome: str
    seconds: float

    def __str__(self):
        return f"{self.seconds:7.1f} s  {self.outcome:8}{self.boot:9}{self.name}"


class Report:
    """Reads the lines of one boot."""

    def __init__(self, boot):
        self.boot = boot
        self.status = None
        self.running = None
        self.tests = []
        self.told = []
        self._selected = 0
        # The first and the last time that the guest printed: (its clock, the host's clock).
        self._moments = []

    def read(self, line, now):
        """Processes a line that arrived at `now` and returns the text to show, or None."""
        if found := TESTS.fullmatch(line):
            self._selected = int(found.group(1))
            return None
        if found := BEGIN.fullmatch(line):
            self.running = found.group(2)
            self._began = self._at(found.group(1), now)
            return None
        if found := END.fullmatch(line):
            seconds = self._at(found.group(1), now) - self._began
            self.tests.append(Test(self.boot, found.group(3), found.group(2), seconds))
            self.running = None
            return f"{seconds:6.1f} s  {found.group(2):8}{found.group(3)}"
        if found := STATUS.fullmatch(line):
            self.status = int(found.group(1))
            return None
        if line.startswith("failed: "):
            self.told.append(line)
        return line

    def _at(self, text, now):
        self._moments[1:] = [(float(text), now)]
        return float(text)

    def clock_error(self):
        """The relative error of the guest's clock, above 0 if too fast; None: too short a time."""
        if len(self._moments) < 2:
            return None
        (guest_began, began), (guest_ended, ended) = self._moments
        # Transmission of a line takes some milliseconds.
        return (guest_ended - guest_began) / (ended - began) - 1 if ended - began > 30 else None

    def absent(self):
        """What this machine does not have, whose tests did not run, as lines."""
        return [f"boot '{self.boot}': not had by this machine: {test.name}"
                for test in self.tests if test.outcome == "absent"]

    def problems(self, ending, of_tests=True):
        """The reasons why this boot did not pass, as lines; empty if it passed. `ending`: how the
        host ended the machine, if it did not exit by itself; `of_tests`: it was to run tests."""
        passed = sum(test.outcome in ("ok", "absent") for test in self.tests)
        if self.status is None:
            where = f", in {self.running}" if self.running else ""
            found = f"{ending}{where}; {passed} of {self._selected} tests had passed"
        elif self.status != 0:
            found = "FAILED"
        elif of_tests and (self._selected == 0 or passed != self._selected):
            found = f"FAILED: {passed} of {self._selected} tests ran and passed"
        elif abs(self.clock_error() or 0) > CLOCK_ERROR:
            found = "FAILED"
        else:
            return []
        if abs(error := self.clock_error() or 0) > CLOCK_ERROR:
            found += f"; its clock was {100 * error:.0f} % off: no time limit meant what it said"
        others = [f"{test.outcome}: {test.name}" for test in self.tests
                  if test.outcome not in ("ok", "absent")
                  and not any(test.name in line for line in self.told)]
        return [f"boot '{self.boot}': {found}",
                *(f"boot '{self.boot}': {line}" for line in (*self.told, *others))]
