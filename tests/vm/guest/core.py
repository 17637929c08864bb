"""The core set: the tests for every change, in two boots that run at the same time.

Tests are marked in their own files. A mark without a test is an error. `vm.py --all` runs
everything instead, at full length and on every kind of machine.
"""

import os

# They take about equally long; `vm.py` prints the times.
BOOTS = ("core-a", "core-b")
_boot_of = {}


def core(boot, *inherited):
    """Marks a test, or a class with its own tests, for a boot of the core set. With `inherited`,
    marks only these tests of the class, which other files define."""
    if boot not in BOOTS:
        raise ValueError(f"not a boot of the core set: {boot}")

    def mark(marked):
        name = f"{marked.__module__}.{marked.__qualname__}"
        if not isinstance(marked, type):
            _boot_of[name] = boot
            return marked
        own = [test for test in vars(marked) if test.startswith("test")]
        for test in inherited or own:
            _boot_of[f"{name}.{test}"] = boot
        return marked

    return mark


def select(boot, tests):
    """The tests that are marked for the boot, in order."""
    chosen = [test for test in tests if _boot_of.get(test.id()) == boot]
    wanted = {name for name, where in _boot_of.items() if where == boot}
    if missing := wanted - {test.id() for test in chosen}:
        raise LookupError(f"marked as core tests but not found: {', '.join(sorted(missing))}")
    return chosen


def times(few, everything):
    """The number of attempts of a random test: in the core set, and with --all."""
    return few if os.environ["BENCHD_VM_BOOT"] in BOOTS else everything
