#!/usr/bin/env python3
"""Boots a real systemd machine and runs the tests of guest/ in it, as root, on installed programs.

    vm.py --build build/release              all boots
    vm.py --build build/release --boot v1    one of them
    vm.py --build build/release --boot intel --only test_sessions.SessionTest
    vm.py --build build/release --boot intel --script look.sh     anything else, by hand

The machine is QEMU's software emulation: /dev/kvm may be there without being usable, and nothing
here needs it. Its image is built once (image/build.sh, 45 s) and kept below
${XDG_CACHE_HOME:-~/.cache}/benchd-vm/HASH, the hash being that of everything in image/; the disk is
never modified. Exit code 0: all tests passed; 1: not; 77: this machine cannot do it, and why.
With --minutes, what there was no time for is named at the end and is no failure.
"""

import argparse
import concurrent.futures
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
IMAGE_SOURCE = HERE / "image"
SKIPPED = 77
# Images that no checkout has asked for in this time are deleted.
KEEP_IMAGES_S = 30 * 24 * 3600
RESULTS_BYTES = 64 << 20
# What the guest writes to its console every 10 s, and how long it may be missing.
ALIVE = b"@@alive"
STANDSTILL_S = 120


@dataclasses.dataclass(frozen=True)
class Boot:
    """One way to start the machine; `name` is also what the guest chooses its tests by."""

    name: str
    shows: str
    cpu: str
    table: str
    kernel: str = ""
    # A quiet machine of two cores needs a third of it.
    timeout_s: int = 1500


# -cx16: with it a later kernel (6.12) crashes under emulation.
INTEL = "max,-cx16,vendor=GenuineIntel"
BOOTS = [
    # SMT control exists on Intel's processors only, and with 2 threads a core.
    Boot("intel", "acpi-cpufreq, SMT, interrupts, partitions", INTEL, "pss.aml"),
    # The same machine once more, so that two processors of the host have something to do.
    Boot("crashes", "kill -9 at random moments", INTEL, "pss.aml"),
    Boot("hostile", "programs that do their worst", INTEL, "pss.aml"),
    # cpufreq/boost comes with amd-pstate; the table's registers are memory to be left alone.
    Boot("amd", "amd-pstate with boost", "max,-cx16,family=25,model=1", "cpc.aml",
         "memmap=64K$0x3f000000 amd_pstate.shared_mem=1 amd_pstate=passive"),
    Boot("v1", "cgroup version 1 only", INTEL, "pss.aml",
         "systemd.unified_cgroup_hierarchy=0 systemd.legacy_systemd_cgroup_controller=1"),
]
# clocksource: the kernel measures the processor's own counter at boot and, on a host with other
# work, finds it to run several times too fast or slow; then no time limit means what it says.
KERNEL = (
    "console=ttyS0 root=/dev/nvme0n1 rootfstype=ext4 rw panic=-1 quiet loglevel=4 mitigations=off "
    "nokaslr systemd.show_status=0 audit=0 apparmor=0 selinux=0 tsc=reliable no_timer_check "
    "clocksource=hpet"
)


class Skip(Exception):
    """This machine cannot run the tests; says why."""


def say(text):
    print(f"    {text}", file=sys.stderr, flush=True)


# ---- the image ----


def image_hash():
    digest = hashlib.sha256()
    for path in sorted(IMAGE_SOURCE.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            digest.update(f"{path.relative_to(IMAGE_SOURCE)} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()[:16]


def cache_folder():
    """Where images are kept: the user's cache, or /tmp where there is no home to write to."""
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    for folder in (pathlib.Path(home) / "benchd-vm", pathlib.Path(f"/tmp/benchd-vm-{os.getuid()}")):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        # /tmp is everybody's: what lies there must be our own before a program in it is started.
        if folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK):
            return folder
    raise Skip("no folder to keep the test machine in: neither ~/.cache nor /tmp can be written")


def why_not_buildable():
    for program in ("apt-get", "dpkg", "mke2fs"):
        if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            return f"'{program}' is missing: the test machine is built from Debian packages"
    if os.getuid() != 0 and not shutil.which("sudo"):
        return "building the test machine needs root, or sudo"
    return None


def remove_old_images(cache, keep):
    for folder in cache.iterdir():
        if folder.is_dir() and folder.name != keep:
            if time.time() - folder.stat().st_mtime > KEEP_IMAGES_S:
                shutil.rmtree(folder, ignore_errors=True)


def build_image(image):
    if why := why_not_buildable():
        raise Skip(why)
    say(f"building the test machine once, in {image}")
    # Renamed at the end: a folder of that name is complete.
    partial = image.with_name(image.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [str(IMAGE_SOURCE / "build.sh"), str(partial)]
    if os.getuid() != 0:
        command.insert(0, "sudo")
    status = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
    if status == SKIPPED:
        raise Skip("the packages of the test machine cannot be had (see above)")
    if status != 0:
        sys.exit("error: the test machine could not be built")
    partial.rename(image)


def ready_image():
    cache = cache_folder()
    image = cache / image_hash()
    with open(cache / "lock", "w", encoding="ascii") as lock:
        # Two test runs at once: the second waits for the first one's image.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not image.exists():
            build_image(image)
            remove_old_images(cache, keep=image.name)
        if os.access(image, os.W_OK):
            os.utime(image)
    return image


# ---- what goes into the machine ----


def as_root(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def stage_payload(build, payload, only, script):
    """What the guest unpacks: the installed tree, the tests, and ./run, which starts them."""
    environment = dict(os.environ, DESTDIR=str(payload / "install"))
    done = subprocess.run(
        ["cmake", "--install", str(build), "--strip"], env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: cmake --install failed:\n{done.stdout}{done.stderr}")
    shutil.copytree(HERE / "guest", payload / "guest", ignore=shutil.ignore_patterns("__pycache__"))
    # Clients and gates are the same as on this side.
    shutil.copy(HERE.parent / "e2e/support.py", payload / "guest/e2e_support.py")
    for name in ("processes.py", "hostile_cases.py"):
        shutil.copy(HERE.parent / "e2e" / name, payload / "guest" / name)
    shutil.copy(HERE.parent / "bench/isolation.py", payload / "guest/isolation_bench.py")
    programs = build / "tests/e2e/programs"
    if programs.is_dir():
        shutil.copytree(programs, payload / "programs")
    run = payload / "run"
    if script:
        run.write_bytes(pathlib.Path(script).read_bytes())
    else:
        words = " ".join(f"'{word}'" for word in only)
        run.write_text(f"#!/bin/sh\nexec /usr/bin/python3 -B guest/main.py {words}\n")
    run.chmod(0o755)
    archive = payload.with_suffix(".tar")
    with tarfile.open(archive, "w") as tar:
        tar.add(payload, arcname=".", filter=as_root)
    return archive


# ---- the machine ----


def qemu_command(image, boot, payload, folder):
    qemu = shutil.which("qemu-system-x86_64", path=f"{image}/tools/usr/bin:{os.environ['PATH']}")
    if qemu is None:
        raise Skip("qemu-system-x86_64: not found")
    data = []
    for place in ("qemu", "seabios"):
        data += ["-L", f"{image}/tools/usr/share/{place}"] if qemu.startswith(str(image)) else []
    return [
        "nice", qemu, *data, "-nodefaults", "-no-user-config", "-machine", "q35",
        "-accel", "tcg,thread=multi", "-cpu", boot.cpu,
        # Two cores of two threads: one for housekeeping, one for benchmarks.
        "-smp", "4,sockets=1,cores=2,threads=2", "-m", "1024",
        "-kernel", f"{image}/vmlinux",
        "-append", f"{KERNEL} vm-test.boot={boot.name} {boot.kernel}",
        "-acpitable", f"file={image}/{boot.table}",
        "-drive", f"if=none,id=root,file={image}/root.ext4,format=raw,snapshot=on,cache=unsafe",
        "-device", "nvme,drive=root,serial=root",
        "-drive", f"if=none,id=payload,file={payload},format=raw,readonly=on",
        "-device", "virtio-blk-pci,drive=payload,serial=payload",
        "-drive", f"if=none,id=results,file={folder}/results.tar,format=raw",
        "-device", "virtio-blk-pci,drive=results,serial=results",
        # The first serial port is the kernel's console, the second what the tests print.
        "-serial", f"file:{folder}/console.txt", "-chardev", "stdio,id=tests,signal=off",
        "-serial", "chardev:tests", "-display", "none", "-monitor", "none", "-no-reboot",
    ]


def make_results_disk(folder):
    with open(folder / "results.tar", "wb") as disk:
        disk.truncate(RESULTS_BYTES)


def unpack_results(folder):
    try:
        with tarfile.open(folder / "results.tar") as tar:
            tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else (
                tar.extractall(folder))
    except tarfile.TarError:
        pass  # The machine did not come that far.
    (folder / "results.tar").unlink()


class Life:
    """Ends a machine that takes too long, and one that shows no life any more: an emulated one was
    seen in the middle of a test with all processors busy and its kernel's clock standing still,
    where nothing inside can tell. Why is not known; the same test passes in another boot."""

    def __init__(self, process, boot, console, deadline):
        self.stood_still = False
        self.out_of_time = False
        self._process = process
        self._timeout_s = boot.timeout_s
        self._deadline = deadline
        self._console = console
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def end(self):
        self._over.set()
        self._thread.join()

    def _signs(self):
        return self._console.read_bytes().count(ALIVE) if self._console.exists() else 0

    def _look(self):
        end = time.monotonic() + self._timeout_s
        signs, since = 0, time.monotonic()
        while not self._over.wait(5):
            now = time.monotonic()
            if (there := self._signs()) != signs:
                signs, since = there, now
            # Before the first one it boots.
            self.stood_still = signs > 0 and now - since > STANDSTILL_S
            self.out_of_time = now > self._deadline
            if self.stood_still or self.out_of_time or now > end:
                # Its own process, never by name.
                self._process.kill()
                return


def watch_guest(process, boot):
    """Shows what the tests print; the status that the guest reports, None when it reports none,
    and the lines that name what failed."""
    # Several machines may be talking at once.
    prefix = f"{boot.name + ':':9}"
    status = None
    failed = []
    try:
        for raw in process.stdout:
            line = raw.decode(errors="replace").rstrip()
            if found := re.fullmatch(r"@@status=(\d+)", line):
                status = int(found.group(1))
            else:
                print(prefix + line, flush=True)
                failed += [prefix + line] if line.startswith("failed: ") else []
        process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return status, failed


@dataclasses.dataclass
class Outcome:
    """What did not pass in a boot, and what there was no time for, in lines: both empty when the
    guest says that all passed."""

    failed: list = dataclasses.field(default_factory=list)
    left_out: list = dataclasses.field(default_factory=list)
    stood_still: bool = False


def run_boot(image, boot, payload, folder, deadline):
    """The outcome of a boot. A machine that stands still is booted again, twice at most."""
    for attempt in range(3):
        if time.monotonic() > deadline:
            return Outcome(left_out=[f"boot '{boot.name}': left out, the time is over"])
        outcome = boot_once(image, boot, payload, folder, deadline)
        if not outcome.stood_still:
            break
        say(f"boot '{boot.name}': the emulated machine stood still"
            + ("; once more" if attempt < 2 else ""))
    return outcome


def boot_once(image, boot, payload, folder, deadline):
    begin = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make_results_disk(folder)
    libraries = f"{image}/tools/usr/lib/x86_64-linux-gnu:{image}/tools/lib/x86_64-linux-gnu"
    say(f"boot '{boot.name}': {boot.shows}")
    with open(folder / "qemu.txt", "wb") as errors:
        process = subprocess.Popen(
            qemu_command(image, boot, payload, folder),
            env=dict(os.environ, LD_LIBRARY_PATH=libraries),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
    life = Life(process, boot, folder / "console.txt", deadline)
    try:
        status, failed = watch_guest(process, boot)
    finally:
        life.end()
    unpack_results(folder)
    seconds = time.monotonic() - begin
    if status is None and life.out_of_time:
        said = f"broken off after {seconds:.0f} s, the time is over"
        say(f"boot '{boot.name}': {said}")
        return Outcome(failed, [f"boot '{boot.name}': {said}"])
    if status is None:
        for name in ("console.txt", "qemu.txt"):
            lines = (folder / name).read_bytes().decode(errors="replace").splitlines()
            lines = [line for line in lines if ALIVE.decode() not in line]
            print(f"--- the end of {boot.name}/{name}", *lines[-40:], sep="\n", flush=True)
        said = (f"no sign of life for {STANDSTILL_S} s, after {seconds:.0f} s" if life.stood_still
                else f"no verdict after {seconds:.0f} s (limit {boot.timeout_s} s)")
    else:
        said = f"{'passed' if status == 0 else 'FAILED'}, {seconds:.0f} s"
    say(f"boot '{boot.name}': {said}")
    failed = [] if status == 0 else [f"boot '{boot.name}': {said}", *failed]
    return Outcome(failed, stood_still=status is None and life.stood_still)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Tests on a real systemd machine under QEMU.")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder")
    parser.add_argument("--boot", action="append", choices=[boot.name for boot in BOOTS],
                        help="only this one (repeatable)")
    parser.add_argument("--only", action="append", default=[],
                        help="only these tests: FILE[.CLASS[.TEST]] (repeatable)")
    parser.add_argument("--jobs", type=int, default=min(2, len(os.sched_getaffinity(0))),
                        help="machines that run at once (default: 2, where there are CPUs)")
    parser.add_argument("--minutes", type=float, default=float("inf"),
                        help="for all of it; what has not ended by then is named and left out")
    parser.add_argument("--script", help="a program to run in the machine instead of the tests")
    parser.add_argument("--results", type=pathlib.Path,
                        help="keep the guest's journal and console here (default: on failure, in "
                        "a temporary folder)")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        begin = time.monotonic()
        deadline = begin + arguments.minutes * 60
        image = ready_image()
        say(f"image: {image} ({time.monotonic() - begin:.0f} s)")
        results = arguments.results or pathlib.Path(tempfile.mkdtemp(prefix="benchd-vm-"))
        with tempfile.TemporaryDirectory(prefix="benchd-vm-") as folder:
            begin = time.monotonic()
            staged = pathlib.Path(folder) / "payload"
            staged.mkdir()
            payload = stage_payload(arguments.build, staged, arguments.only, arguments.script)
            say(f"payload: {payload.stat().st_size >> 20} MiB ({time.monotonic() - begin:.0f} s)")
            boots = [one for one in BOOTS if not arguments.boot or one.name in arguments.boot]
            with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
                outcomes = list(pool.map(
                    lambda boot: run_boot(image, boot, payload, results / boot.name, deadline),
                    boots))
            failed = [line for outcome in outcomes for line in outcome.failed]
            # Like what failed, at the end, where several machines no longer talk at once.
            for line in (line for outcome in outcomes for line in outcome.left_out):
                say(line)
    except Skip as reason:
        print(f"skipped: {reason}", file=sys.stderr)
        return SKIPPED
    if failed:
        for line in failed:
            say(line)
        say(f"journal and console of the machine: {results}")
        return 1
    if not arguments.results:
        shutil.rmtree(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
