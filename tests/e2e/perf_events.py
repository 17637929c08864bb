"""Events of perf_event_open(2) in tests: whether they are allowed here, and who has them open."""

import ctypes
import os
import pathlib
import platform
import struct

_SYSCALL = {"x86_64": 298, "aarch64": 241}
_SOFTWARE, _TASK_CLOCK = 1, 1
_ATTR_BYTES = 64  # PERF_ATTR_SIZE_VER0
_DISABLED, _EXCLUDE_KERNEL, _EXCLUDE_HV = 1 << 0, 1 << 5, 1 << 6


def refusal():
    """Why this process must not sample itself; empty if it may."""
    number = _SYSCALL.get(platform.machine())
    if number is None:
        return f"perf_event_open: not tried on {platform.machine()}"
    flags = _DISABLED | _EXCLUDE_KERNEL | _EXCLUDE_HV
    attributes = struct.pack("=IIQQQQQ", _SOFTWARE, _ATTR_BYTES, _TASK_CLOCK, 1_000_000, 0, 0,
                             flags).ljust(_ATTR_BYTES, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(ctypes.c_long(number), attributes, 0, -1, -1, ctypes.c_ulong(0))
    if fd < 0:
        return f"perf_event_open: {os.strerror(ctypes.get_errno())}"
    os.close(fd)
    return ""


def profile_files(pid):
    """The number of a process's open events, and of its open files in memory."""
    found = {"anon_inode:[perf_event]": 0, "/memfd": 0}
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(link)
        except FileNotFoundError:
            continue
        for kind in found:
            found[kind] += target.startswith(kind)
    return found
