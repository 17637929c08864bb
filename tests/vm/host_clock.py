"""The rate of this host's time stamp counter, which the emulated machine uses as its own."""

import ctypes
import mmap
import pathlib
import platform
import time

# rdtsc; shl $32, %rdx; or %rdx, %rax; ret
READ_TSC = bytes.fromhex("0f31 48c1e220 4809d0 c3")
APART_S = 0.2


def _is_steady():
    """Whether the counter always runs at one rate."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return platform.machine() == "x86_64" and {"constant_tsc", "nonstop_tsc"} <= set(flags)


def _moment(read):
    """(counter, clock in ns), read together, from the fastest of several tries."""
    tries = []
    for _ in range(50):
        before, counter, after = time.monotonic_ns(), read(), time.monotonic_ns()
        tries.append((after - before, counter, (before + after) // 2))
    return min(tries)[1:]


def tsc_khz():
    """Measured within APART_S, to some millionths; None if the counter is not steady."""
    if not _is_steady():
        return None
    with mmap.mmap(-1, mmap.PAGESIZE,
                   prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as code:
        code.write(READ_TSC)
        start = ctypes.c_char.from_buffer(code)
        read = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(start))
        first, began = _moment(read)
        time.sleep(APART_S)
        last, ended = _moment(read)
        del read, start  # they keep the memory in use
    return round((last - first) * 1e6 / (ended - began))
