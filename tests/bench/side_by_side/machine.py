"""The machine under test: its properties, its other users, and an artificial load."""

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
    """The facts that a reader needs, without a name that identifies the machine."""
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
    """The CPU time of every process so far, with its name."""
    ticks = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text()
        except OSError:  # it has exited
            continue
        name, _, rest = text[text.index("(") + 1:].rpartition(")")
        fields = rest.split()
        ticks[folder.name] = (name, int(fields[11]) + int(fields[12]))
    return ticks


def others(seconds=2.0):
    """The CPU use of other processes: shares of one CPU by name, from 1 % on, and the sum."""
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
    """`loaded`: a busy loop pinned to each CPU while the block runs; `idle`: nothing."""
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
    """The number of thousand steps of `spin` that take about that much CPU time here."""
    def seconds(steps):
        before = os.times()
        subprocess.run([spin, str(steps)], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        return (after.children_user + after.children_system
                - before.children_user - before.children_system)
    # Long enough for os.times(), which ticks a hundred times per second.
    steps = 200_000
    rate = steps / statistics.median(seconds(steps) for _ in range(3))
    return max(1, round(rate * milliseconds / 1000))
