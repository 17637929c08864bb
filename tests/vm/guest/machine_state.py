"""Everything of the machine that benchd may change, or could leave behind, read at one moment.

A state is a dictionary from what it is to its value, both text. Two states of one machine are
compared by difference(), which says in sentences what is not as it was.
"""

import os
import pathlib
import re
import subprocess

CGROUP = pathlib.Path("/sys/fs/cgroup")

# Files with one value each. Those that this machine lacks are left out.
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
# Where `systemctl set-property` and others leave what is to hold until the next boot, or for good.
DROP_INS = ["/run/systemd/system.control", "/etc/systemd/system.control", "/run/systemd/transient"]

_AFFINITY = "affinity of "


def _text(path):
    try:
        return pathlib.Path(path).read_text(errors="replace").strip()
    except OSError as error:
        # An offline CPU's cpufreq files answer EBUSY; what is gone since glob() is no value either.
        return f"<{error.strerror}>"


def _restricts_nothing(path, text):
    """A cpuset that is as if the controller were not turned on, as it comes and goes
    with the units that ask for it."""
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
    # The shortest wake-up time that anybody asks for; opening it to read asks for nothing.
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
    """Control groups at the top, and all of ours. Numbers in names are of processes and differ."""
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
    """Where each thread of a user's process may run. Kernel threads belong to the kernel; benchd and
    its runner pin themselves, to what is online when they meet."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        program = os.path.basename(_text(f"/proc/{pid}/cmdline").split("\0")[0])
        if not program or program.startswith("benchd"):
            continue
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
            found = re.search(r"^Cpus_allowed_list:\s*(\S+)", _text(task / "status"), re.MULTILINE)
            if found:
                yield f"{_AFFINITY}{_text(task / 'comm')} ({pid}/{task.name})", found.group(1)


def read():
    """The state of the machine at this moment."""
    state = {}
    for part in (_files, _dma_latency, _units, _drop_ins, _groups, _mounts, _affinities):
        state.update(part())
    return state


def difference(before, after, ignore=()):
    """What is not as it was: sentences. `ignore`: regular expressions for what need not be.

    Threads that have come or gone are no difference; all other things are.
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
