"""The time source of this machine, the first thing to check when a machine stands still."""

import os
import pathlib
import re

SYSTEM = pathlib.Path("/sys/devices/system")
# Flags of /proc/cpuinfo that the kernel uses on x86 to choose a clock and a timer.
FEATURES = {"tsc", "constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_reliable",
            "tsc_deadline_timer", "x2apic", "arat", "hypervisor"}


def describe():
    source = SYSTEM / "clocksource/clocksource0"
    current, available = ((source / name).read_text().strip()
                          for name in ("current_clocksource", "available_clocksource"))
    timer = (SYSTEM / "clockevents/clockevent0/current_device").read_text().strip()
    flags = re.search(r"^(?:flags|Features)\s*:(.*)", pathlib.Path("/proc/cpuinfo").read_text(),
                      re.MULTILINE)
    features = " ".join(sorted(FEATURES & set(flags.group(1).split())))
    return (f"clock {current} (of {available}), timer {timer}, {os.cpu_count()} CPUs with "
            f"{features or 'none of these features'}")
