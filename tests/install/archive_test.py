"""Checks the portable archive that `./dev package --archive` has just made.

usage: archive_test.py FILE.tar.zst

For another processor, the programs run under qemu-user (ci/platform.sh).
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = ["bin/benchctl", "bin/benchctl-database", "bin/benchd", "libexec/benchd/benchd-helper",
            "libexec/benchd/benchd-runner"]
# Never static, because it loads libpq.
SHARED = "bin/benchctl-database"
OTHER_FILES = ["LICENSE", "README.md", "changelog.md", "install.sh", "manifest", "processor",
               "share/man/man8/benchd.8", "share/zsh/site-functions/_benchctl"]
# Debian's packages of some libraries that are part of the programs.
LIBRARIES = ["libabsl-dev", "libc6-dev", "libgrpc++-dev", "libprotobuf-dev", "libpugixml-dev",
             "nettle-dev"]
# What readelf calls the processor of `uname -m`.
MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}
# Downloaded by every job of CI.
HIGHEST_SIZE_BYTES = 30_000_000
TABLE = "arm,latency\n" + "".join(
    f"{arm},{mean + 0.01 * (run % 5)}\n" for run in range(20) for arm, mean in (("old", 1), ("new", 2)))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120, **options)


class ArchiveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="benchd-archive-")
        cls.addClassCleanup(temporary.cleanup)
        cls.name = ARCHIVE.name.removesuffix(".tar.zst")
        cls.version, cls.processor = re.fullmatch(r"benchd-([0-9.]+)-linux-(\w+)", cls.name).groups()
        subprocess.run(["tar", "-x", "-p", "-f", ARCHIVE, "-C", temporary.name], check=True)
        cls.root = pathlib.Path(temporary.name) / cls.name

    def test_it_is_small_and_its_checksum_is_right(self):
        size = ARCHIVE.stat().st_size
        print(f"{size} bytes")
        self.assertLess(size, HIGHEST_SIZE_BYTES)
        digest = hashlib.sha256(ARCHIVE.read_bytes()).hexdigest()
        self.assertEqual(pathlib.Path(f"{ARCHIVE}.sha256").read_text(),
                         f"{digest}  {ARCHIVE.name}\n")

    def test_all_is_in_its_place(self):
        found = [str(file.relative_to(self.root)) for folder in ("bin", "libexec")
                 for file in (self.root / folder).rglob("*") if file.is_file()]
        self.assertEqual(sorted(found), PROGRAMS)
        for name in OTHER_FILES:
            self.assertTrue((self.root / name).is_file(), name)
        self.assertEqual((self.root / "processor").read_text(), f"{self.processor}\n")

    def test_licences_of_what_is_in_the_programs_are_installed(self):
        manifest = (self.root / "manifest").read_text()
        for name in ("LICENSE", *LIBRARIES):
            file = f"share/doc/benchd/licenses/{name}"
            self.assertGreater((self.root / file).stat().st_size, 0)
            self.assertIn(f"644 {file}\n", manifest)

    def test_permissions_are_those_of_any_umask(self):
        for path in self.root.rglob("*"):
            self.assertIn(path.stat().st_mode & 0o7777, (0o755,) if path.is_dir() else (0o644, 0o755))

    def test_programs_are_of_this_processor_and_need_no_libraries(self):
        for name in PROGRAMS:
            said = run("readelf", "--file-header", "--dynamic", "--program-headers",
                       self.root / name).stdout
            self.assertRegex(said, r"Type:\s+DYN", name)
            self.assertRegex(said, rf"Machine:\s+{MACHINES[self.processor]}\n", name)
            needs = re.findall(r"\(NEEDED\).*\[(.+)\]", said) + re.findall(r"\bINTERP\b", said)
            if name != SHARED:
                self.assertEqual(needs, [], name)
            self.assertFalse([library for library in needs if "pq" in library or "++" in library])

    def test_programs_start(self):
        for name in PROGRAMS:
            if name in ("bin/benchctl", "bin/benchd", "libexec/benchd/benchd-runner"):
                done = run(self.root / name, "--version")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(self.version, done.stdout)

    def test_a_user_installs_all_but_the_services(self):
        with tempfile.TemporaryDirectory(prefix="benchd-archive-") as prefix:
            # Under qemu-user, the shell is of another processor than the programs.
            stand_in = pathlib.Path(prefix) / "programs/uname"
            stand_in.parent.mkdir()
            stand_in.write_text(f"#!/bin/sh\necho {self.processor}\n")
            stand_in.chmod(0o755)
            done = run(self.root / "install.sh", "--user", "--prefix", prefix,
                       env=dict(os.environ, PATH=f"{stand_in.parent}:{os.environ['PATH']}"))
            self.assertEqual(done.returncode, 0, done.stderr)
            manifest = (self.root / "manifest").read_text().splitlines()
            for mode, name in (line.split(" ", 1) for line in manifest):
                file = pathlib.Path(prefix) / name
                self.assertEqual(file.exists(), not name.startswith("lib/"), name)
                if file.exists():
                    self.assertEqual(f"{file.stat().st_mode & 0o7777:o}", mode, name)

    def test_benchctl_gives_a_verdict_without_a_daemon(self):
        done = run(self.root / "bin/benchctl", "analyze", "--base", "old", "--metric",
                   "latency:5%:lower", "-", input=TABLE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("REGRESSION", done.stdout)


if __name__ == "__main__":
    ARCHIVE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
