"""Processes in /proc, and those that a test leaves behind."""

import ctypes
import fcntl
import os
import pathlib
import select
import signal
import time

# A process that outlives its cause by this long is reported as left behind. This is far more than a
# busy machine needs and far less than tests' programs live: programs/hostile.cc exits after 60 s.
GONE_S = 20

_PR_SET_CHILD_SUBREAPER = 36


def become_subreaper():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _stat_fields(pid):
    """Fields of /proc/PID/stat from the state on, or None if the process has exited."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rindex(")") + 2 :].split()


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def children_of(pid):
    found = []
    for other in all_pids():
        fields = _stat_fields(other)
        if fields and int(fields[1]) == pid:
            found.append(other)
    return found


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def memory_of(pid):
    """The sizes in /proc/PID/status, such as VmRSS, in bytes."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    fields = (line.split() for line in lines if line.startswith("Vm"))
    return {name.rstrip(":"): int(kib) * 1024 for name, kib, _ in fields}


def processes_with(marker):
    """Living processes with `marker` in their command line, except the clients."""
    found = []
    for pid in all_pids():
        if name_of(pid) == "benchctl":
            continue
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if marker.encode() in command and pid != os.getpid():
            found.append(pid)
    return found


def wait_for_exit(pid, timeout=GONE_S):
    """Returns true if the process exits (or is a zombie) within `timeout` seconds."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([pidfd], [], [], timeout)[0])
    finally:
        os.close(pidfd)


def wait_for_no_process_with(marker, timeout=GONE_S):
    """The processes with `marker` that remain after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    for pid in processes_with(marker):
        wait_for_exit(pid, max(0, deadline - time.monotonic()))
    return [pid for pid in processes_with(marker) if (_stat_fields(pid) or "Z")[0] != "Z"]


def end_children_left():
    """Reaps children that have exited, kills the others and returns their command lines."""
    left = []
    for pid in children_of(os.getpid()):
        if not wait_for_exit(pid):
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
            left.append(f"{pid}: {command.decode(errors='replace')}")
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    if left:
        # Children of a killed process may have become ours.
        left += end_children_left()
    return left


def assert_unlocked(test, folder):
    """Asserts that no process holds a lock file below `folder`."""
    locks = list(folder.rglob("*.lock"))
    test.assertNotEqual(locks, [])
    for path in locks:
        with open(path, "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises BlockingIOError if it is held
