"""The core set: the tests that every change is tried on, in two boots that run beside each other.

A test is in it when it is marked, where it stands; what is marked and cannot be found is an error.
`vm.py --all` runs everything instead, at full length and on every kind of machine.
"""

import os

# About equally long: `vm.py` prints how long each took.
BOOTS = ("core-a", "core-b")
_boot_of = {}


def core(boot, *inherited):
    """Marks a test, or a class with all its own tests, for a boot of the core set. `inherited`:
    instead of all, these of the class's tests, which stand elsewhere."""
    if boot not in BOOTS:
        raise ValueError(f"no boot of the core set: {boot}")

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
    """Those of `tests` that are marked for the boot, in their order."""
    chosen = [test for test in tests if _boot_of.get(test.id()) == boot]
    wanted = {name for name, where in _boot_of.items() if where == boot}
    if missing := wanted - {test.id() for test in chosen}:
        raise LookupError(f"marked as core tests, but no tests: {', '.join(sorted(missing))}")
    return chosen


def times(few, everything):
    """How often something random is tried: in the core set, and with --all."""
    return few if os.environ["BENCHD_VM_BOOT"] in BOOTS else everything
