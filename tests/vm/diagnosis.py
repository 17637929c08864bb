"""Examines an emulated machine that shows no sign of life, before it is ended.

It takes three looks, some seconds apart: whether the machine's processors advance, what its timers
wait for, and whether the host gave it any time. Kernel addresses are the same in every boot
(nokaslr); `vm.py --script` with `cp /proc/kallsyms results` yields their names.
"""

import contextlib
import json
import os
import pathlib
import re
import socket
import time

LOOKS, APART_S = 3, 3
# Longer than any answer takes on a loaded host: beyond this, QEMU's own main loop hangs.
ANSWER_S = 15
# Selects from `info registers`, which also prints floating-point registers.
REGISTERS = re.compile(r"^(CPU#\d+|RIP=.*| PC=\S+)", re.MULTILINE)


class Monitor:
    """QEMU's monitor (QMP) on a socket pair, because a socket's path could be too long."""

    def __init__(self):
        self._own, self.qemus = socket.socketpair()
        self._own.settimeout(ANSWER_S)
        self._lines = self._own.makefile("r", encoding="utf-8", errors="replace")
        self._greeted = False

    def options(self):
        number = self.qemus.fileno()
        return ["-chardev", f"socket,id=monitor,fd={number}", "-mon",
                "chardev=monitor,mode=control", "-name", "vm-test,debug-threads=on"]

    def close(self):
        for one in (self._lines, self._own, self.qemus):
            one.close()

    def ask(self, command):
        """The answer to a command of the human monitor, or the reason why there is none."""
        try:
            if not self._greeted:
                self._execute("qmp_capabilities")
                self._greeted = True
            return self._execute("human-monitor-command", **{"command-line": command})
        except (OSError, ValueError) as error:
            # After a timeout the stream is also lost, so later commands fail at once.
            return f"no answer ({error})\n"

    def _execute(self, name, **arguments):
        text = json.dumps({"execute": name, "arguments": arguments})
        self._own.sendall(text.encode() + b"\n")
        # The greeting and events may come first.
        while line := self._lines.readline():
            answer = json.loads(line)
            if "return" in answer or "error" in answer:
                return str(answer.get("return", answer.get("error")))
        raise OSError("QEMU has closed the connection")


def read_stat(path):
    """The name, state and CPU time in seconds of a process or thread. See proc(5)."""
    text = path.read_text()
    name, fields = text[text.index("(") + 1 : text.rindex(")")], text.rsplit(")", 1)[1].split()
    return name, fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def threads(pid):
    """The result of read_stat() for each thread of a process."""
    found = {}
    for stat in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*/stat")):
        with contextlib.suppress(OSError):  # it has exited
            found[stat.parent.name] = read_stat(stat)
    return found


def cpu_seconds(pid):
    return read_stat(pathlib.Path(f"/proc/{pid}/stat"))[2]


def host_ticks():
    """Clock ticks of all host CPUs: (total, idle, stolen by the host's own host). See proc(5)."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    ticks = [int(one) for one in fields[:8]]
    return sum(ticks), ticks[3] + ticks[4], ticks[7]


def host_line(before, now):
    everything, idle, stolen = (late - early for early, late in zip(before, now))
    part = 100 / max(everything, 1)
    return (f"host: load {' '.join(f'{one:.1f}' for one in os.getloadavg())}, "
            f"{len(os.sched_getaffinity(0))} CPUs, idle {idle * part:.0f} %, "
            f"stolen {stolen * part:.0f} %")


def look(monitor, pid):
    """The state of the machine, and the activity of its threads until the next look."""
    parts = [f"=== {time.strftime('%H:%M:%S')}"]
    ticks, used = host_ticks(), threads(pid)
    time.sleep(APART_S)
    parts.append(host_line(ticks, host_ticks()))
    for thread, (name, state, after) in threads(pid).items():
        spent = after - used.get(thread, (name, state, 0))[2]
        # QEMU's threads that wait for disks are irrelevant while they sleep.
        if state != "S" or name.startswith("CPU"):
            parts.append(f"{name:15} {state}  {spent:.2f} s of CPU time in {APART_S} s")
    parts.append("\n".join(REGISTERS.findall(registers := monitor.ask("info registers -a")))
                 or registers)
    return "\n".join(parts)


def diagnose(monitor, pid):
    """All information that the host can obtain, as text."""
    parts = [monitor.ask("info status").strip()]
    parts += [look(monitor, pid) for _ in range(LOOKS)]
    # Only once: the state of interrupts and timers (x86), and whether translated code is discarded.
    for command in ("info cpus", *(f"info lapic {cpu}" for cpu in range(4)), "info pic",
                    "info irq", "info jit"):
        parts.append(f"=== {command}\n{monitor.ask(command).strip()}")
    return "\n".join(parts) + "\n"
