"""Runs a file of tests by `main()` at its end, and provides the seed of its random numbers.

BENCHD_TEST_SOAK=1   the full counts, and different random numbers each time
BENCHD_TEST_SEED=N   repeat a run that printed `seed N`
BENCHD_TEST_SKIPS=F  append a line to F for each test that was skipped
"""

import os
import pathlib
import random
import sys
import unittest

SOAK = os.environ.get("BENCHD_TEST_SOAK") == "1"
# The default is fixed, so that tests of a change are reproducible. Random seeds are for --soak.
USUAL_SEED = 20240501


def seed():
    """The seed of a test's random numbers. It is printed, so that a failure can be repeated."""
    given = os.environ.get("BENCHD_TEST_SEED")
    if given:
        chosen = int(given)
    else:
        chosen = random.SystemRandom().randrange(2**32) if SOAK else USUAL_SEED
    print(f"seed {chosen}", flush=True)
    return chosen


def skipped_lines(result):
    """`skipped: TEST: REASON` for each test that could not run here."""
    file = pathlib.Path(sys.argv[0]).stem
    for test, reason in result.skipped:
        name = test.id().replace("__main__", file, 1)
        yield f"skipped: {name}: {' '.join(reason.split())}\n"


def main():
    """Like unittest.main(), but reports skipped tests separately from passed ones."""
    result = unittest.main(verbosity=2, exit=False).result
    lines = list(skipped_lines(result))
    print(*lines, sep="", end="", flush=True)
    where = os.environ.get("BENCHD_TEST_SKIPS")
    if where and lines:
        # Other files of tests append, too: O_APPEND keeps each write in one piece.
        fd = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(fd, "".join(lines).encode())
        os.close(fd)
    sys.exit(not result.wasSuccessful())
