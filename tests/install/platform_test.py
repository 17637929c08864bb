"""What ci/platform.sh refuses, without making a platform."""

import fcntl
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from main import main  # noqa: E402

COULD_NOT_BE_MADE = 77
NOBODY = 65534


@unittest.skipUnless(os.getuid() == 0, "requires root")
class PlatformTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="benchd-platform-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))
        self.roots = self.folder / "roots"
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        # A platform is never made, so each run ends here at the latest.
        self.stand_in("mmdebstrap", f'echo "$*" >"{self.folder}/made"; exit 1')

    def stand_in(self, name, *lines):
        file = self.programs / name
        file.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        file.chmod(0o755)

    def run_platform(self, *words, **more):
        environment = {name: value for name, value in os.environ.items()
                       if name != "SOURCE_DATE_EPOCH"}
        environment |= {"PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.folder),
                        "BENCHD_PLATFORM_ROOTS": str(self.roots)} | more
        return subprocess.run([ROOT / "ci/platform.sh", *words], env=environment, umask=0o002,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def assert_refused(self, done, error):
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(f"error: {error}", done.stderr)
        self.assertIn("\nhint: ", done.stderr)
        self.assertFalse((self.folder / "made").exists())

    def make_root(self):
        root = self.roots / "trixie"
        root.mkdir(parents=True)
        self.roots.chmod(0o755)
        root.chmod(0o755)
        return root

    def test_the_folder_of_the_platforms_is_roots(self):
        done = self.run_platform("trixie")
        self.assertEqual(done.returncode, COULD_NOT_BE_MADE, done)
        self.assertEqual(self.roots.stat().st_mode & 0o777, 0o755)
        self.assertEqual([file.name for file in self.roots.iterdir()], ["trixie.lock"])

    def test_what_another_user_owns_is_refused(self):
        root = self.make_root()
        for folder in (root, self.roots):
            os.chown(folder, NOBODY, NOBODY)
            self.assert_refused(self.run_platform("trixie"),
                                f"platform: {folder} belongs to nobody instead of root")

    def test_what_another_user_can_write_is_refused(self):
        root = self.make_root()
        for folder in (root, self.roots):
            for mode in (0o775, 0o1777):
                folder.chmod(mode)
                self.assert_refused(
                    self.run_platform("trixie"),
                    f"platform: {folder} can be written by other users than root (mode {mode:o})")

    def test_a_link_of_another_user_is_refused(self):
        self.make_root()
        link = self.folder / "link"
        link.symlink_to(self.roots)
        # Root's own link is not.
        done = self.run_platform("trixie", BENCHD_PLATFORM_ROOTS=str(link))
        self.assertEqual(done.returncode, COULD_NOT_BE_MADE, done)
        (self.folder / "made").unlink()
        os.lchown(link, NOBODY, NOBODY)
        self.assert_refused(self.run_platform("trixie", BENCHD_PLATFORM_ROOTS=str(link)),
                            f"platform: {link} belongs to nobody instead of root")

    def test_a_folder_that_lacks_files_is_made_again(self):
        root = self.make_root()
        done = self.run_platform("trixie")
        self.assertEqual(done.returncode, COULD_NOT_BE_MADE, done)
        self.assertIn(f"{root} lacks files of its packages, and is made again", done.stderr)
        self.assertIn(f"trixie {root}.new", (self.folder / "made").read_text())

    def test_two_runs_do_not_use_the_same_folder(self):
        root = self.make_root()
        with open(f"{root}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Another platform of the same release.
            self.assert_refused(self.run_platform("clang"),
                                f"platform clang: another run uses {root}")
            done = self.run_platform("forky")
            self.assertEqual(done.returncode, COULD_NOT_BE_MADE, done)

    def test_arm64_needs_a_kernel_that_knows_its_programs(self):
        self.stand_in("uname", 'echo "$RELEASE"')
        for release in ("6.1.0-28-amd64", "6.6.9"):
            self.assert_refused(self.run_platform("arm64", RELEASE=release),
                                f"arm64: needs Linux 6.7 or later, and this is {release}")
        for release in ("6.7.0", "6.18.44-a", "10.0"):
            done = self.run_platform("arm64", RELEASE=release)
            self.assertEqual(done.returncode, COULD_NOT_BE_MADE, done)

    def test_the_archive_needs_the_time_of_a_commit(self):
        self.stand_in("git", "exit 128")
        self.assert_refused(self.run_platform("bookworm-arm64", "archive"),
                            f"platform: {ROOT} has no commit")
        self.stand_in("uname", "echo 6.12.0")
        done = self.run_platform("bookworm-arm64", "archive", SOURCE_DATE_EPOCH="1700000000")
        self.assertEqual(done.returncode, COULD_NOT_BE_MADE, done)


if __name__ == "__main__":
    main()
