"""What an emulated machine was doing when it showed no life, asked before it is ended.

Whether its processors move, what its timers wait for, and whether this side gave it any time: three
looks, some seconds apart. Addresses in the kernel are the same in every boot (nokaslr):
`vm.py --script` with `cp /proc/kallsyms results` has their names.
"""

import contextlib
import json
import os
import pathlib
import re
import socket
import time

LOOKS, APART_S = 3, 3
# Longer than any answer takes on a loaded host: then QEMU's own main loop is what stands still.
ANSWER_S = 15
# Of `info registers`, which also has what floating point was about.
REGISTERS = re.compile(r"^(CPU#\d+|RIP=.*)", re.MULTILINE)


class Monitor:
    """QEMU's monitor (QMP), on a pair of sockets, which needs no path that could be too long."""

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
        """The answer to a command of the human monitor, or why there is none."""
        try:
            if not self._greeted:
                self._execute("qmp_capabilities")
                self._greeted = True
            return self._execute("human-monitor-command", **{"command-line": command})
        except (OSError, ValueError) as error:
            # After a timeout the stream is lost, too: every later question says so at once.
            return f"no answer ({error})\n"

    def _execute(self, name, **arguments):
        text = json.dumps({"execute": name, "arguments": arguments})
        self._own.sendall(text.encode() + b"\n")
        # The greeting and events come in between.
        while line := self._lines.readline():
            answer = json.loads(line)
            if "return" in answer or "error" in answer:
                return str(answer.get("return", answer.get("error")))
        raise OSError("QEMU has closed it")


def read_stat(path):
    """Of a process or thread: its name, its state, and its CPU time in seconds. proc(5)"""
    text = path.read_text()
    name, fields = text[text.index("(") + 1 : text.rindex(")")], text.rsplit(")", 1)[1].split()
    return name, fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def threads(pid):
    """What read_stat() says of each thread of a process."""
    found = {}
    for stat in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*/stat")):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            found[stat.parent.name] = read_stat(stat)
    return found


def cpu_seconds(pid):
    return read_stat(pathlib.Path(f"/proc/{pid}/stat"))[2]


def host_ticks():
    """Of all CPUs of this side: (all, idle, stolen by a host of its own) clock ticks. proc(5)"""
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
    """The machine at one moment, and what its threads did until the next."""
    parts = [f"=== {time.strftime('%H:%M:%S')}"]
    ticks, used = host_ticks(), threads(pid)
    time.sleep(APART_S)
    parts.append(host_line(ticks, host_ticks()))
    for thread, (name, state, after) in threads(pid).items():
        spent = after - used.get(thread, (name, state, 0))[2]
        # QEMU also has threads that wait for disks; asleep they say nothing.
        if state != "S" or name.startswith("CPU"):
            parts.append(f"{name:15} {state}  {spent:.2f} s of CPU time in {APART_S} s")
    parts.append("\n".join(REGISTERS.findall(registers := monitor.ask("info registers -a")))
                 or registers)
    return "\n".join(parts)


def diagnose(monitor, pid):
    """All that can be said from this side, as text."""
    parts = [monitor.ask("info status").strip()]
    parts += [look(monitor, pid) for _ in range(LOOKS)]
    # Once: where its interrupts and timers stand, and whether translated code is thrown away.
    for command in ("info cpus", *(f"info lapic {cpu}" for cpu in range(4)), "info pic",
                    "info irq", "info jit"):
        parts.append(f"=== {command}\n{monitor.ask(command).strip()}")
    return "\n".join(parts) + "\n"
