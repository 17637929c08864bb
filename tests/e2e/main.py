"""How a file of tests is run: `main()` at its end, and where its random numbers come from.

BENCHD_TEST_SOAK=1   the full counts, and other random numbers each time
BENCHD_TEST_SEED=N   the random numbers of a run that printed `seed N`
BENCHD_TEST_SKIPS=F  a line for each test that was skipped is appended to F, too
"""

import os
import pathlib
import random
import sys
import unittest

SOAK = os.environ.get("BENCHD_TEST_SOAK") == "1"
# Whoever tests a change meets what the last one met: luck is for --soak.
USUAL_SEED = 20240501


def seed():
    """Of a test's random numbers; printed, so that one that failed can be repeated."""
    given = os.environ.get("BENCHD_TEST_SEED")
    if given:
        chosen = int(given)
    else:
        chosen = random.SystemRandom().randrange(2**32) if SOAK else USUAL_SEED
    print(f"seed {chosen}", flush=True)
    return chosen


def skipped_lines(result):
    """`skipped: TEST: REASON` of each test that could not run here."""
    file = pathlib.Path(sys.argv[0]).stem
    for test, reason in result.skipped:
        name = test.id().replace("__main__", file, 1)
        yield f"skipped: {name}: {' '.join(reason.split())}\n"


def main():
    """As unittest.main(), but nobody takes a test that was skipped for one that passed."""
    result = unittest.main(verbosity=2, exit=False).result
    lines = list(skipped_lines(result))
    print(*lines, sep="", end="", flush=True)
    where = os.environ.get("BENCHD_TEST_SKIPS")
    if where and lines:
        # Beside other files of tests: O_APPEND keeps what each writes at once in one piece.
        fd = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(fd, "".join(lines).encode())
        os.close(fd)
    sys.exit(not result.wasSuccessful())
