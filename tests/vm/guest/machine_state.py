"""Reads every part of the machine's state that benchd may change or leave behind.

A state is a dictionary from names to values, both text. difference() compares two states of one
machine and describes each difference in a sentence.
"""

import os
import pathlib
import re
import subprocess

CGROUP = pathlib.Path("/sys/fs/cgroup")

# Files with one value each. Files that this machine lacks are omitted.
FILES = [
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/smt/control",
    "/sys/devices/system/cpu/cpufreq/boost",
    "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/devices/system/cpu/cpu*/cpufreq/boost",
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_min_freq",
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq",
    "/sys/devices/system/cpu/cpu*/cpufreq/energy_performance_preference",
    "/sys/devices/virtual/workqueue/cpumask",
    "/sys/devices/virtual/workqueue/*/cpumask",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/mm/transparent_hugepage/defrag",
    "/proc/irq/default_smp_affinity",
    "/proc/irq/*/smp_affinity_list",
    "/proc/sys/kernel/timer_migration",
    "/proc/sys/kernel/nmi_watchdog",
    "/proc/sys/kernel/watchdog",
    "/proc/sys/kernel/watchdog_cpumask",
    "/proc/sys/kernel/perf_event_max_sample_rate",
    "/proc/sys/kernel/perf_cpu_time_max_percent",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/numa_balancing",
    "/proc/sys/kernel/sched_rt_runtime_us",
    "/proc/sys/vm/swappiness",
    # Control groups: the top and the units directly below it.
    "/sys/fs/cgroup/cgroup.subtree_control",
    "/sys/fs/cgroup/*/cgroup.subtree_control",
    "/sys/fs/cgroup/*/cpuset.cpus",
    "/sys/fs/cgroup/*/cpuset.cpus.effective",
    "/sys/fs/cgroup/*/cpuset.cpus.partition",
    "/sys/fs/cgroup/*/cpuset.mems",
]
UNITS = ["-.slice", "bench.slice", "init.scope", "system.slice", "user.slice"]
UNIT_PROPERTIES = ["AllowedCPUs", "AllowedMemoryNodes", "CPUAffinity"]
# Where `systemctl set-property` and others store settings until the next boot, or permanently.
DROP_INS = ["/run/systemd/system.control", "/etc/systemd/system.control", "/run/systemd/transient"]

_AFFINITY = "affinity of "


def _text(path):
    try:
        return pathlib.Path(path).read_text(errors="replace").strip()
    except OSError as error:
        # cpufreq files of an offline CPU answer EBUSY; files may also disappear after glob().
        return f"<{error.strerror}>"


def _restricts_nothing(path, text):
    """Whether a cpuset is in its default state. Such values come and go with the units that need
    the controller."""
    if not str(path).startswith("/sys/fs/cgroup/") or not path.name.startswith("cpuset."):
        return False
    everything = _text("/sys/devices/system/cpu/online")
    return text in ("", "member") or (path.name == "cpuset.cpus.effective" and text == everything)


def _files():
    for pattern in FILES:
        for path in pathlib.Path("/").glob(pattern.lstrip("/")):
            text = _text(path)
            if not _restricts_nothing(path, text):
                yield str(path), text


def _dma_latency():
    # The shortest wake-up time that any process requests. Opening it to read adds no request.
    with open("/dev/cpu_dma_latency", "rb") as file:
        yield "/dev/cpu_dma_latency", str(int.from_bytes(file.read(4), "little", signed=True))


def _units():
    command = ["systemctl", "show", "--property=Id," + ",".join(UNIT_PROPERTIES), "--", *UNITS]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    for block in shown.split("\n\n"):
        values = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        for name in UNIT_PROPERTIES:
            yield f"{values.get('Id')} {name}", values.get(name, "")


def _drop_ins():
    for top in DROP_INS:
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                yield f"drop-in {path}", _text(path)


def _groups():
    """Control groups at the top, and all of ours. Numbers in names vary with the processes."""
    names = {str(path) for path in CGROUP.iterdir() if path.is_dir()}
    for own in list(CGROUP.glob("**/bench.slice")):
        for folder, _, _ in os.walk(own):
            names.add(folder)
    for name in names:
        yield "group " + re.sub(r"\d+(-\d+)*", "N", name), "there"


def _mounts():
    for line in _text("/proc/self/mounts").splitlines():
        yield "mount " + " ".join(line.split()[:3]), "there"


def _affinities():
    """The CPUs of each thread of a user process. Kernel threads belong to the kernel; benchd and
    its runner pin themselves to the CPUs that are online when they connect."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        program = os.path.basename(_text(f"/proc/{pid}/cmdline").split("\0")[0])
        if not program or program.startswith("benchd"):
            continue
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
            found = re.search(r"^Cpus_allowed_list:\s*(\S+)", _text(task / "status"), re.MULTILINE)
            if found:
                yield f"{_AFFINITY}{_text(task / 'comm')} ({pid}/{task.name})", found.group(1)


def read():
    """The current state of the machine."""
    state = {}
    for part in (_files, _dma_latency, _units, _drop_ins, _groups, _mounts, _affinities):
        state.update(part())
    return state


def difference(before, after, ignore=()):
    """The differences, as sentences. `ignore`: regular expressions for names that may differ.

    Threads that have started or exited are not differences; all other changes are.
    """
    found = []
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name) or any(re.search(one, name) for one in ignore):
            continue
        if name.startswith(_AFFINITY) and (name not in before or name not in after):
            continue
        found.append(f"{name}: was {before.get(name, 'not there')!r}, "
                     f"is {after.get(name, 'not there')!r}")
    return found
