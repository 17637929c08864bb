"""The machine that is measured on: what it is, who else is on it, and a load of our own."""

import contextlib
import os
import pathlib
import platform
import statistics
import subprocess
import time

_TICKS = os.sysconf("SC_CLK_TCK")


def _model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def facts():
    """What a reader has to know of it; no name that would lead to the machine."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return {
        "cpu": _model(),
        "cpus": len(os.sched_getaffinity(0)),
        "virtual": " hypervisor" in flags,
        "kernel": platform.release().split("-")[0],
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


def _cpu_ticks():
    """CPU time of every process by now, with its name."""
    ticks = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text()
        except OSError:  # it has ended
            continue
        name, _, rest = text[text.index("(") + 1:].rpartition(")")
        fields = rest.split()
        ticks[folder.name] = (name, int(fields[11]) + int(fields[12]))
    return ticks


def others(seconds=2.0):
    """Who is on the CPUs while we wait: shares of one CPU by name, from 1 % on, and the sum."""
    before = _cpu_ticks()
    time.sleep(seconds)
    shares = {}
    for pid, (name, ticks) in _cpu_ticks().items():
        if int(pid) == os.getpid():
            continue
        share = (ticks - before.get(pid, (name, 0))[1]) / _TICKS / seconds
        shares[name] = shares.get(name, 0) + share
    listed = {name: round(share, 2) for name, share in shares.items() if share >= 0.01}
    return {"cpus_busy": round(sum(shares.values()), 2), "by_name": listed}


@contextlib.contextmanager
def load(kind):
    """`loaded`: a busy loop pinned to each CPU as long as the block runs; `idle`: nothing."""
    loops = []
    try:
        for cpu in sorted(os.sched_getaffinity(0)) if kind == "loaded" else ():
            loops.append(subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]))
            os.sched_setaffinity(loops[-1].pid, {cpu})
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def steps_of(spin, milliseconds):
    """How many thousand steps of `spin` take about that much CPU time here."""
    def seconds(steps):
        before = os.times()
        subprocess.run([spin, str(steps)], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        return (after.children_user + after.children_system
                - before.children_user - before.children_system)
    # Long enough for the clock of os.times(), which ticks a hundred times a second.
    steps = 200_000
    rate = steps / statistics.median(seconds(steps) for _ in range(3))
    return max(1, round(rate * milliseconds / 1000))
