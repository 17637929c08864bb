#!/usr/bin/env python3
"""Boots a real systemd machine and runs the tests of guest/ in it, as root, on installed programs.

    vm.py --build build/release              the core set, in two boots (guest/core.py)
    vm.py --build build/release --all        everything, in six
    vm.py --build build/release --boot amd   one of those eight
    vm.py --build build/release --release trixie    on Debian 13's kernel and systemd
    vm.py --build build/release --release trixie --boot package --packages build/package/trixie
    vm.py --build build/release --boot upgrade --earlier FOLDER
                                             from the packages of an earlier version
    vm.py --build build/release --boot intel --only test_sessions.SessionTest
    vm.py --build build/release --boot intel --script look.sh     any other program
    vm.py --build FOLDER --tree FOLDER --architecture arm64 --release trixie
                                             a cross build (ci/platform.sh arm64 boot)

The machine is emulated by QEMU in software, because /dev/kvm may exist without being usable. Its
image is built once (image/build.sh, 45 s; several minutes for arm64) and kept below
${XDG_CACHE_HOME:-~/.cache}/benchd-vm/HASH, with a hash of everything in image/. The disk is never
modified. The duration of each test is written to BUILD/vm-times.txt.
Exit code 0: every selected test ran and passed; 1: a test failed or did not run, perhaps because
its boot had no time left (try --limit 60); 77: this machine cannot run the tests, with the reason.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

from diagnosis import Monitor, cpu_seconds, diagnose
from emulator import MACHINES, environment, qemu_command
from machine_image import SKIPPED, Skip, ready_image, say
from report import Report

HERE = pathlib.Path(__file__).resolve().parent
RESULTS_BYTES = 64 << 20
# The guest writes this to its console every 10 s. It may be missing for this much CPU time of the
# machine (a busy host gave it only 11 s in 354), or for this much elapsed time.
ALIVE = b"@@alive"
STANDSTILL_CPU_S = 120
STANDSTILL_S = 600
# On an idle host with two cores the longest boot takes a third of this.
LIMIT_S = 1500


@dataclasses.dataclass(frozen=True)
class Boot:
    """One way to start the machine; the guest selects its tests by `name`."""

    name: str
    shows: str
    cpu: str
    table: str = ""
    kernel: str = ""
    architecture: str = "amd64"


# -cx16: with it a later kernel (6.12) crashes under emulation.
INTEL = "max,-cx16,vendor=GenuineIntel"
# Two, for the two processors of a small host.
CORE_BOOTS = [
    Boot("core-a", "services, sessions, settings, removal", INTEL, "pss.aml"),
    Boot("core-b", "crashes, hostile programs, process trees, a user's own", INTEL, "pss.aml"),
]
ALL_BOOTS = [
    # SMT control exists only on Intel's processors, and with 2 threads per core.
    Boot("intel", "acpi-cpufreq, SMT, interrupts, partitions", INTEL, "pss.aml"),
    # The same machine again, so that two processors of the host have work.
    Boot("crashes", "kill -9 at random moments", INTEL, "pss.aml"),
    Boot("hostile", "programs that do their worst", INTEL, "pss.aml"),
    # cpufreq/boost comes with amd-pstate; memmap= reserves the memory of the table's registers.
    Boot("amd", "amd-pstate with boost", "max,-cx16,family=25,model=1", "cpc.aml",
         "memmap=64K$0x3f000000 amd_pstate.shared_mem=1 amd_pstate=passive"),
    # A boot that starts without benchd.
    Boot("package", "the Debian packages: install, upgrade, remove, purge", INTEL, "pss.aml"),
    # As is this one.
    Boot("archive", "the portable archive: install.sh for a user and for the machine", INTEL,
         "pss.aml"),
]
ARM64_BOOTS = [
    # Without pointer authentication, which is slow under emulation.
    Boot("arm64", "services, sessions, settings, crashes and removal on arm64", "cortex-a72",
         architecture="arm64"),
]
UPGRADE = Boot("upgrade", "the Debian packages of an earlier version, upgraded", INTEL, "pss.aml")
EVERY_BOOT = CORE_BOOTS + ALL_BOOTS + ARM64_BOOTS + [UPGRADE]


# ---- what goes into the machine ----


def as_root(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def stage_packages(folder, payload):
    """Copies the packages of `./dev package`."""
    found = sorted(folder.glob("*.deb"))
    if len(found) != 4:
        sys.exit(f"error: {folder}: {len(found)} packages instead of four\n"
                 "hint: ./dev package [--release NAME]")
    (payload / "packages").mkdir()
    for package in found:
        shutil.copy(package, payload / "packages")


def stage_archive(folder, payload):
    """Copies the portable archive of `./dev package --archive`."""
    found = sorted(folder.glob("benchd-*-linux-x86_64.tar.zst"))
    if len(found) != 1:
        sys.exit(f"error: {folder}: {len(found)} archives instead of one\n"
                 "hint: ./dev package --archive")
    (payload / "archive").mkdir()
    shutil.copy(found[0], payload / "archive")


def install(build, tree):
    done = subprocess.run(
        ["cmake", "--install", str(build), "--strip"], env=dict(os.environ, DESTDIR=str(tree)),
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: cmake --install failed:\n{done.stdout}{done.stderr}")


def stage_payload(build, tree, payload, only, script):
    """The archive for the guest: the installed tree, the tests, and ./run, which starts them."""
    if tree:
        shutil.copytree(tree, payload / "install", symlinks=True)
    else:
        install(build, payload / "install")
    shutil.copytree(HERE / "guest", payload / "guest", ignore=shutil.ignore_patterns("__pycache__"))
    # Clients and gates are the same as on the host.
    shutil.copy(HERE.parent / "e2e/support.py", payload / "guest/e2e_support.py")
    for name in ("processes.py", "hostile_cases.py", "hostile_client.py", "hostile_neighbour.py"):
        shutil.copy(HERE.parent / "e2e" / name, payload / "guest" / name)
    for name in ("isolation", "threads"):
        shutil.copy(HERE.parent / f"bench/{name}.py", payload / f"guest/{name}_bench.py")
    # The pages and the modules that read them (pages.py expects them near itself).
    source = HERE.parents[1]
    for name in ("README.md", "docs", "tests/e2e/pages.py", "tests/e2e/typist.py"):
        place = payload / "source" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (source / name).is_dir() else shutil.copy
        copy(source / name, place)
    programs = build / "tests/e2e/programs"
    if not (programs / "hostile").exists():
        sys.exit(f"error: {programs}: not built; build the target e2e_programs")
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


def make_results_disk(folder):
    with open(folder / "results.tar", "wb") as disk:
        disk.truncate(RESULTS_BYTES)


def unpack_results(folder):
    try:
        with tarfile.open(folder / "results.tar") as tar:
            tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else (
                tar.extractall(folder))
    except tarfile.TarError:
        pass  # The machine did not write results.
    (folder / "results.tar").unlink()


class Life:
    """Ends a machine that exceeds its limit or shows no sign of life. If its kernel hangs, nothing
    inside the machine can report it. The machine is examined first."""

    def __init__(self, process, monitor, folder, limit_s):
        # Why the host ended it, as text.
        self.ended = None
        self.stood_still = False
        # CPU time of the machine so far. Compared with the wall time, it shows how busy the host
        # was.
        self.cpu_s = 0
        self._process = process
        self._monitor = monitor
        self._folder = folder
        self._limit_s = limit_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def end(self):
        self._over.set()
        self._thread.join()

    def _signs(self):
        console = self._folder / "console.txt"
        return console.read_bytes().count(ALIVE) if console.exists() else 0

    def _watch(self):
        began = time.monotonic()
        signs, since, cpu_since = 0, began, 0
        while not self._over.wait(1):
            now = time.monotonic()
            with contextlib.suppress(OSError):  # it has just exited
                self.cpu_s = cpu_seconds(self._process.pid)
            if (there := self._signs()) != signs:
                signs, since, cpu_since = there, now, self.cpu_s
            silence_s, busy_s = now - since, self.cpu_s - cpu_since
            self.stood_still = silence_s > STANDSTILL_S or busy_s > STANDSTILL_CPU_S
            if self.stood_still:
                self.ended = f"no sign of life for {silence_s:.0f} s ({busy_s:.0f} s of CPU time)"
            elif now - began > self._limit_s:
                self.ended = f"cut off after {self._limit_s:.0f} s, its limit"
            if self.ended:
                try:
                    text = diagnose(self._monitor, self._process.pid)
                    (self._folder / "diagnosis.txt").write_text(text)
                finally:
                    # Ends our own process, never one by name.
                    self._process.kill()
                return


def watch_guest(process, boot):
    """Shows the output of the tests and returns a Report of it."""
    report = Report(boot.name)
    try:
        for raw in process.stdout:
            shown = report.read(raw.decode(errors="replace").rstrip(), time.monotonic())
            if shown is not None:
                # Several machines may print at once.
                print(f"{boot.name + ':':9}{shown}", flush=True)
        process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return report


@dataclasses.dataclass
class Outcome:
    """The result of a boot: `problems` is empty if all passed; `notes` are for the summary."""

    problems: list
    notes: list
    tests: list
    stood_still: bool


def run_boot(image, boot, payload, results, arguments):
    """The outcome of a boot. A machine that stands still is booted once more, with a note."""
    first = boot_once(image, boot, payload, results / boot.name, arguments)
    if not first.stood_still:
        return first
    say(f"boot '{boot.name}': THE EMULATED MACHINE STOOD STILL; starting it again")
    again = boot_once(image, boot, payload, results / f"{boot.name}-again", arguments)
    again.notes[:0] = [f"boot '{boot.name}' stood still and was started again; the first time:",
                       *first.problems, f"see {results}/{boot.name}/diagnosis.txt"]
    again.stood_still = True
    return again


def start_machine(image, boot, payload, folder, monitor):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make_results_disk(folder)
    with open(folder / "qemu.txt", "wb") as errors:
        return subprocess.Popen(
            qemu_command(image, boot, payload, folder, monitor),
            env=environment(image), pass_fds=[monitor.qemus.fileno()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)


def boot_once(image, boot, payload, folder, arguments):
    begin = time.monotonic()
    say(f"boot '{boot.name}': {boot.shows}")
    monitor = Monitor()
    process = start_machine(image, boot, payload, folder, monitor)
    life = Life(process, monitor, folder, arguments.limit)
    try:
        report = watch_guest(process, boot)
    finally:
        life.end()
        monitor.close()
    unpack_results(folder)
    problems = report.problems(life.ended or "ended without a verdict", not arguments.script)
    if report.status is None:
        show_last_words(boot, folder)
    said = f"boot '{boot.name}': {'FAILED' if problems else 'passed'}, {len(report.tests)} tests, "
    said += f"{time.monotonic() - begin:.0f} s ({life.cpu_s:.0f} s of CPU time)"
    if (error := report.clock_error()) is not None:
        said += f", its clock {100 * error:+.2f} % off"
    say(said)
    return Outcome(problems, [said, *report.absent()], report.tests,
                   report.status is None and life.stood_still)


def show_last_words(boot, folder):
    for name in ("console.txt", "qemu.txt", "diagnosis.txt"):
        if (folder / name).exists():
            lines = (folder / name).read_bytes().decode(errors="replace").splitlines()
            lines = [line for line in lines if ALIVE.decode() not in line]
            # The beginning of a diagnosis is important, and the end of the other files.
            part = lines[:80] if name == "diagnosis.txt" else lines[-40:]
            print(f"--- {boot.name}/{name}", *part, sep="\n", flush=True)


def summarize(outcomes, build):
    """Prints the result with the slowest tests; failures come last."""
    for outcome in outcomes:
        for line in outcome.notes:
            say(line)
    tests = sorted((test for outcome in outcomes for test in outcome.tests),
                   key=lambda test: -test.seconds)
    if tests:
        file = build / "vm-times.txt"
        file.write_text("".join(f"{test}\n" for test in tests))
        say(f"{len(tests)} tests; the slowest (all: {file}):")
        for test in tests[:10]:
            say(str(test))
    for outcome in outcomes:
        for line in outcome.problems:
            say(line)


def choose_boots(named, everything, architecture):
    if named:
        return [boot for boot in EVERY_BOOT if boot.name in named]
    if architecture == "arm64":
        return ARM64_BOOTS
    return ALL_BOOTS if everything else CORE_BOOTS


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description="Tests on a real systemd machine under QEMU.")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder")
    parser.add_argument("--tree", type=pathlib.Path, metavar="FOLDER",
                        help="the installed programs, if this machine cannot install the build: "
                        "DESTDIR of cmake --install")
    parser.add_argument("--architecture", default="amd64", choices=list(MACHINES),
                        help="processor of the machine (%(default)s)")
    parser.add_argument("--release", default="bookworm",
                        choices=["bookworm", "trixie", "forky", "sid"],
                        help="Debian release that provides kernel and systemd (%(default)s)")
    parser.add_argument("--packages", type=pathlib.Path, metavar="FOLDER",
                        help="the packages for the boots 'package' and 'upgrade', such as "
                        "build/package/trixie (default: those of ./dev package, next to the build "
                        "folder)")
    parser.add_argument("--earlier", type=pathlib.Path, metavar="FOLDER",
                        help="for the boot 'upgrade', the packages of an earlier version and those "
                        "that they need: the machine has no network")
    parser.add_argument("--archive", type=pathlib.Path, metavar="FOLDER",
                        help="the portable archive for the boot 'archive' (default: that of "
                        "./dev package --archive, next to the build folder)")
    parser.add_argument("--all", action="store_true", help="run everything, not only the core set")
    parser.add_argument("--boot", action="append",
                        choices=[boot.name for boot in EVERY_BOOT],
                        help="run only this boot (repeatable)")
    parser.add_argument("--only", action="append", default=[],
                        help="with one --boot: run these tests, FILE[.CLASS[.TEST]] (repeatable)")
    parser.add_argument("--jobs", type=int, default=min(2, len(os.sched_getaffinity(0))),
                        help="number of machines at once (default: 2 if there are two CPUs)")
    parser.add_argument("--limit", type=float, default=LIMIT_S, metavar="SECONDS",
                        help="limit for each boot; a longer one has failed (%(default)s)")
    parser.add_argument("--script", help="with one --boot: run this program instead of the tests; "
                        "if it takes minutes, it must call show_life() of guest/hang.py")
    parser.add_argument("--results", type=pathlib.Path,
                        help="folder for the guest's journal and console (default: on failure, a "
                        "temporary folder)")
    arguments = parser.parse_args(words)
    if arguments.all and arguments.boot:
        parser.error("--all: it has its own boots; leave --boot out")
    boots = choose_boots(arguments.boot, arguments.all, arguments.architecture)
    if (arguments.only or arguments.script) and len(boots) != 1:
        parser.error("--only and --script: name one --boot for them")
    for boot in boots:
        if boot.architecture != arguments.architecture:
            parser.error(f"--boot {boot.name}: needs --architecture {boot.architecture}")
    if UPGRADE in boots and not arguments.earlier:
        parser.error("--boot upgrade: needs --earlier FOLDER")
    return arguments


def main():
    arguments = parse_arguments()
    try:
        begin = time.monotonic()
        image = ready_image(arguments.release, arguments.architecture)
        say(f"image: {image} ({time.monotonic() - begin:.0f} s)")
        results = arguments.results or pathlib.Path(tempfile.mkdtemp(prefix="benchd-vm-"))
        with tempfile.TemporaryDirectory(prefix="benchd-vm-") as folder:
            begin = time.monotonic()
            staged = pathlib.Path(folder) / "payload"
            staged.mkdir()
            boots = choose_boots(arguments.boot, arguments.all, arguments.architecture)
            if any(boot.name in ("package", "upgrade") for boot in boots):
                stage_packages(arguments.packages or arguments.build.parent / "package", staged)
            if UPGRADE in boots:
                shutil.copytree(arguments.earlier, staged / "earlier")
            if any(boot.name == "archive" for boot in boots):
                stage_archive(arguments.archive or arguments.build.parent / "archive", staged)
            payload = stage_payload(arguments.build, arguments.tree, staged, arguments.only,
                                    arguments.script)
            say(f"payload: {payload.stat().st_size >> 20} MiB ({time.monotonic() - begin:.0f} s)")
            with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
                outcomes = list(pool.map(
                    lambda boot: run_boot(image, boot, payload, results, arguments), boots))
    except Skip as reason:
        print(f"skipped: {reason}", file=sys.stderr)
        return SKIPPED
    summarize(outcomes, arguments.build)
    failed = any(outcome.problems for outcome in outcomes)
    if failed or any(outcome.stood_still for outcome in outcomes):
        say(f"journal and console of the machine: {results}")
    elif not arguments.results:
        shutil.rmtree(results)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
