"""The command that starts QEMU: the emulated machine of each architecture."""

import dataclasses
import os
import shutil
import subprocess
import sys

from host_clock import tsc_khz
from machine_image import Skip

KERNEL = (
    "root=/dev/nvme0n1 rootfstype=ext4 rw panic=-1 quiet loglevel=4 mitigations=off nokaslr "
    "systemd.show_status=0 audit=0 apparmor=0 selinux=0"
)
MEMORY = ["-m", "1024"]
QUIET = ["-nodefaults", "-no-user-config", "-display", "none"]


def clock_options(khz):
    """Options for the kernel's clock: the TSC if the host has a steady one.

    The emulated counter is the host's own, the same for all CPUs: in 40,000 reads from CPU to CPU
    none went back, and it kept pace to 0.05 %. The kernel must be given its frequency. When the
    kernel measured it by the emulated PIT on a busy host, it once found 300 MHz instead of 2,596,
    and time ran eight times too fast. Within 1 % of the given value it refines it. Each read of the
    HPET is a trapped access under QEMU's one lock and costs five times as much. On an idle host,
    with hpet and tsc: up after 12.7 and 9.9 s, 150 processes in 5.7 and 4.4 s, three reloads of
    systemd in 5.3 and 4.1 s. (With two CPUs the processes take 3.5 s, but tests of SMT need four.
    Fewer features, without AVX, XSAVE, LA57 or SMAP, make no difference: 4.1 to 4.3 s.)
    """
    return f"clocksource=tsc tsc_early_khz={khz}" if khz else "clocksource=hpet"


def program_of(image, name):
    """The path of a program that the image has, unless this host has it."""
    found = shutil.which(name, path=f"{image}/tools/usr/bin:{os.environ['PATH']}")
    if found is None:
        raise Skip(f"{name}: not found")
    return found


def environment(image):
    """The variables for programs of the image."""
    libraries = f"{image}/tools/usr/lib/x86_64-linux-gnu:{image}/tools/lib/x86_64-linux-gnu"
    return dict(os.environ, LD_LIBRARY_PATH=libraries)


# ---- the machines ----


@dataclasses.dataclass(frozen=True)
class Machine:
    """What differs between architectures: the emulator, the kernel's options and QEMU's."""

    qemu: str
    kernel: str
    options: list


def amd64_machine(image, boot, _folder):
    """Two cores of two threads: one core for housekeeping, one for benchmarks."""
    return Machine("qemu-system-x86_64",
                   f"console=ttyS0 tsc=reliable no_timer_check {clock_options(tsc_khz())}",
                   ["-machine", "q35", "-cpu", boot.cpu, "-smp", "4,sockets=1,cores=2,threads=2",
                    "-acpitable", f"file={image}/{boot.table}", "-serial", "chardev:tests"])


def arm64_machine(image, boot, folder):
    """Two slow cores for housekeeping and two fast ones for benchmarks, each of one thread.

    The machine is described by a device tree, because ACPI needs firmware. It has only one serial
    port of its own.
    """
    machine, cores = "virt,gic-version=3", "4,sockets=1,clusters=2,cores=2,threads=1"
    hardware = ["-cpu", boot.cpu, "-smp", cores, *MEMORY]
    tree = f"{folder}/machine.dtb"
    run(image, "qemu-system-aarch64", *QUIET, "-machine", f"{machine},dumpdtb={tree}", *hardware)
    # The relative speed (Documentation/devicetree/bindings/cpu/cpu-capacity.txt). The emulated
    # cores are equally fast.
    for cpu, capacity in enumerate((512, 512, 1024, 1024)):
        run(image, "fdtput", "-t", "i", tree, f"/cpus/cpu@{cpu}", "capacity-dmips-mhz", capacity)
    return Machine("qemu-system-aarch64", "console=ttyAMA0",
                   ["-machine", machine, *hardware, "-dtb", tree,
                    "-device", "pci-serial,chardev=tests"])


def run(image, program, *words):
    done = subprocess.run([program_of(image, program), *map(str, words)], env=environment(image),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: {program} failed:\n{done.stdout}{done.stderr}")


MACHINES = {"amd64": amd64_machine, "arm64": arm64_machine}


def qemu_command(image, boot, payload, folder, monitor):
    """QEMU runs all CPUs of the machine in one host thread.

    With one thread per CPU, QEMU 7.2 may translate an instruction while another CPU changes it. If
    the kernel has put an int3 in the place of a jump label, a CPU then keeps that int3 for good and
    takes it again and again with interrupts off. That stopped one boot in 30: all CPUs were between
    sched_clock_idle_wakeup_event and asm_exc_int3. With sched_schedstats flipped in a loop on four
    busy CPUs, the machine stood still before the 50th flip; with one thread it reached 350 flips in
    the same time and continued. Two machines on two processors are also faster in this way: the
    core set took 4.1 min instead of 6.1.
    """
    machine = MACHINES[boot.architecture](image, boot, folder)
    qemu = program_of(image, machine.qemu)
    data = []
    for place in ("qemu", "seabios"):
        data += ["-L", f"{image}/tools/usr/share/{place}"] if qemu.startswith(str(image)) else []
    return [
        # It ends with this program, even if this program is killed.
        "setpriv", "--pdeathsig", "KILL", "nice", qemu, *data, *QUIET,
        "-accel", "tcg,thread=single", *MEMORY, "-kernel", f"{image}/vmlinux",
        "-append", f"{KERNEL} {machine.kernel} vm-test.boot={boot.name} {boot.kernel}",
        "-drive", f"if=none,id=root,file={image}/root.ext4,format=raw,snapshot=on,cache=unsafe",
        "-device", "nvme,drive=root,serial=root",
        "-drive", f"if=none,id=payload,file={payload},format=raw,readonly=on",
        "-device", "virtio-blk-pci,drive=payload,serial=payload",
        "-drive", f"if=none,id=results,file={folder}/results.tar,format=raw",
        "-device", "virtio-blk-pci,drive=results,serial=results",
        # The first serial port is the kernel's console, the second has the output of the tests.
        "-serial", f"file:{folder}/console.txt", "-chardev", "stdio,id=tests,signal=off",
        *machine.options, *monitor.options(), "-no-reboot",
    ]
