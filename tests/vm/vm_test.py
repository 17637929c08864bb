#!/usr/bin/python3
"""Tests vm.py's interpretation of a machine's output, or of its absence; starts no machine."""

import contextlib
import gzip
import importlib
import io
import lzma
import os
import pathlib
import struct
import sys
import tarfile
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "guest"), str(HERE / "image")]
# As the guest's main.py sets it.
os.environ["BENCHD_VM_BOOT"] = "core-a"

import core  # noqa: E402
import emulator  # noqa: E402
import extract_vmlinux  # noqa: E402
import machine_image  # noqa: E402
import main  # noqa: E402
import report  # noqa: E402
import vm  # noqa: E402


def report_of(*lines):
    """A report of these lines, which arrived one second apart."""
    found = report.Report("amd")
    for now, line in enumerate(lines):
        found.read(line, float(now))
    return found


PASSED = ("@@tests 2", "@@begin 10.0 test_x.X.test_1", "@@end 11.5 ok test_x.X.test_1",
          "@@begin 12.0 test_x.X.test_2", "@@end 13.0 ok test_x.X.test_2", "@@status=0")


class ReportTest(unittest.TestCase):
    def test_all_passed(self):
        passed = report_of(*PASSED)
        self.assertEqual(passed.problems("not used"), [])
        self.assertEqual([(one.name, one.seconds) for one in passed.tests],
                         [("test_x.X.test_1", 1.5), ("test_x.X.test_2", 1.0)])

    def test_a_boot_that_is_cut_off_has_failed_and_names_itself_and_its_test(self):
        for count in range(len(PASSED)):
            problems = report_of(*PASSED[:count]).problems("cut off after 60 s, its limit")
            self.assertEqual(len(problems), 1)
            self.assertIn("boot 'amd': cut off after 60 s, its limit", problems[0])
            if count == 4:
                self.assertIn("in test_x.X.test_2; 1 of 2 tests had passed", problems[0])

    def test_a_boot_in_which_no_test_ran_has_failed(self):
        for lines in (["@@status=0"], ["@@tests 0", "@@status=0"]):
            self.assertIn("0 of 0", report_of(*lines).problems("")[0])

    def test_a_test_that_did_not_run_or_was_skipped_is_a_failure(self):
        without_the_second = [line for line in PASSED if "test_2" not in line]
        self.assertIn("1 of 2 tests", report_of(*without_the_second).problems("")[0])
        skipped = [line.replace("ok test_x.X.test_2", "skipped test_x.X.test_2")
                   for line in PASSED]
        problems = report_of(*skipped).problems("")
        self.assertIn("1 of 2 tests", problems[0])
        self.assertEqual(problems[1:], ["boot 'amd': skipped: test_x.X.test_2"])

    def test_what_the_machine_does_not_have_is_named_and_no_failure(self):
        report = report_of(*(line.replace("ok test_x.X.test_2", "absent test_x.X.test_2")
                             for line in PASSED))
        self.assertEqual(report.problems(""), [])
        self.assertEqual(report.absent(),
                         ["boot 'amd': not had by this machine: test_x.X.test_2"])

    def test_a_failed_test_is_named_once(self):
        lines = [line.replace("ok test_x.X.test_1", "FAILED test_x.X.test_1")
                 for line in PASSED[:-1]]
        problems = report_of(*lines, "failed: test_x.X.test_1: 1 != 2", "@@status=1").problems("")
        self.assertEqual(problems, ["boot 'amd': FAILED",
                                    "boot 'amd': failed: test_x.X.test_1: 1 != 2"])

    def test_a_program_run_by_hand_needs_no_tests(self):
        self.assertEqual(report_of("hello", "@@status=0").problems("", of_tests=False), [])
        self.assertTrue(report_of("hello", "@@status=3").problems("", of_tests=False))

    def test_a_clock_that_is_too_fast_is_told(self):
        found = report.Report("amd")
        found.read("@@begin 100.0 t", 0)
        self.assertIsNone(found.clock_error())
        found.read("@@end 202.0 ok t", 100)
        self.assertAlmostEqual(found.clock_error(), 0.02)

    def test_a_boot_with_such_a_clock_has_failed(self):
        for ended, problems in (("200.5", 0), ("250.0", 1), ("150.0", 1)):
            found = report.Report("amd")
            for now, line in enumerate(("@@tests 1", "@@begin 100.0 t", f"@@end {ended} ok t",
                                        "@@status=0")):
                found.read(line, 100.0 * min(now, 2))
            self.assertEqual(len(found.problems("")), problems, ended)


class BootsTest(unittest.TestCase):
    def test_the_core_set_all_and_one(self):
        names = [[boot.name for boot in vm.choose_boots(*which)] for which in (
            (None, False, "amd64"), (None, True, "amd64"), (["amd"], False, "amd64"),
            (None, False, "arm64"))]
        self.assertEqual(names, [list(core.BOOTS),
                                 ["intel", "crashes", "hostile", "amd", "package", "archive"],
                                 ["amd"], ["arm64"]])

    def test_what_contradicts_itself_is_an_error(self):
        for words in (["--all", "--boot", "amd"], ["--only", "test_boost"], ["--boot", "arm"],
                      ["--minutes", "5"], ["--architecture", "riscv64"], ["--boot", "arm64"],
                      ["--architecture", "arm64", "--boot", "amd"], ["--boot", "upgrade"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                vm.parse_arguments(["--build", "x", *words])

    def test_arm64_has_one_boot_which_need_not_be_named(self):
        arguments = vm.parse_arguments(
            ["--build", "x", "--architecture", "arm64", "--only", "test_removal"])
        self.assertEqual(arguments.only, ["test_removal"])


class PayloadTest(unittest.TestCase):
    def test_an_installed_tree_replaces_the_installation(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            build, tree, payload = folder / "build", folder / "tree", folder / "payload"
            for place in (build / "tests/e2e/programs/hostile", tree / "usr/local/bin/benchctl"):
                place.parent.mkdir(parents=True)
                place.touch()
            payload.mkdir()
            with tarfile.open(vm.stage_payload(build, tree, payload, [], None)) as tar:
                names = tar.getnames()
            self.assertIn("./install/usr/local/bin/benchctl", names)
            self.assertIn("./programs/hostile", names)


class MachineImageTest(unittest.TestCase):
    def test_each_release_and_architecture_has_its_own(self):
        hashes = {machine_image.image_hash(release, architecture)
                  for release in ("bookworm", "trixie") for architecture in emulator.MACHINES}
        self.assertEqual(len(hashes), 4)


def bzimage(payload):
    """A bzImage of one sector of setup, with its length after the payload."""
    image = bytearray(1024)
    image[0x1F1] = 1
    struct.pack_into("<II", image, 0x248, 0, len(payload) + 4)
    return bytes(image) + payload + struct.pack("<I", len(payload))


def zboot(payload):
    """An EFI program with a compressed kernel."""
    return struct.pack("<4s4sII8x8s", b"MZ\0\0", b"zimg", 64, len(payload), b"gzip").ljust(
        64, b"\0") + payload + b"what follows"


class KernelTest(unittest.TestCase):
    ELF = b"\x7fELF" + bytes(100)
    ARM64 = b"MZ" + bytes(54) + b"ARMd" + bytes(100)

    def test_it_is_extracted_from_all_that_debian_ships(self):
        for name, image, kernel in (
                ("gzip", bzimage(gzip.compress(self.ELF)), self.ELF),
                ("xz", bzimage(lzma.compress(self.ELF)), self.ELF),
                ("zboot", zboot(gzip.compress(self.ARM64)), self.ARM64),
                ("not compressed", self.ARM64, self.ARM64)):
            with self.subTest(name):
                self.assertEqual(extract_vmlinux.kernel_in(image), kernel)

    def test_anything_else_is_an_error(self):
        for what, image in (("unknown compression", bzimage(b"nothing")),
                            ("neither an ELF file", zboot(gzip.compress(b"nothing")))):
            with self.assertRaisesRegex(ValueError, what):
                extract_vmlinux.kernel_in(image)


class Some(unittest.TestCase):
    """Cases to mark; they are not run."""

    def first(self):
        pass

    def second(self):
        pass


class ClockTest(unittest.TestCase):
    def test_the_kernel_is_told_the_frequency_or_takes_another_clock(self):
        self.assertEqual(emulator.clock_options(2596130), "clocksource=tsc tsc_early_khz=2596130")
        self.assertEqual(emulator.clock_options(None), "clocksource=hpet")


class CoreSetTest(unittest.TestCase):
    def setUp(self):
        marks = unittest.mock.patch.dict(core._boot_of, clear=True)
        marks.start()
        self.addCleanup(marks.stop)
        self.tests = [Some("first"), Some("second")]

    def test_what_is_marked_is_chosen(self):
        core.core("core-a")(Some.first)
        core.core("core-b", "second")(Some)
        self.assertEqual(core.select("core-a", self.tests), self.tests[:1])
        self.assertEqual(core.select("core-b", self.tests), self.tests[1:])

    def test_what_does_not_exist_is_an_error(self):
        core.core("core-a", "third")(Some)
        with self.assertRaisesRegex(LookupError, "Some.third"):
            core.select("core-a", self.tests)
        with self.assertRaises(ValueError):
            core.core("core-c")


class GuestTestsTest(unittest.TestCase):
    """Checks the files of guest/ as far as the host can."""

    @classmethod
    def setUpClass(cls):
        # The paths in the machine; nothing in them is started.
        os.environ.update(BENCHD_BIN_DIR="/nowhere", BENCHD_TEST_PROGRAMS="/nowhere")
        # After those of guest/, some of which have the same names.
        sys.path += [str(HERE.parent / "e2e"), str(HERE.parent / "bench")]
        for name, here in (("e2e_support", "support"), ("isolation_bench", "isolation")):
            sys.modules[name] = importlib.import_module(here)

    def test_each_boot_of_the_core_set_has_its_tests(self):
        for boot in core.BOOTS:
            self.assertGreater(main.load(boot, []).countTestCases(), 10)

    def test_every_file_of_tests_can_be_loaded(self):
        for name in main.files_of_tests():
            with self.subTest(name):
                importlib.import_module(name)

    def test_every_file_of_tests_belongs_to_a_boot_of_all_or_to_the_upgrade(self):
        boots = [*vm.ALL_BOOTS, vm.UPGRADE]
        named = {boot.name: main.SUITES[boot.name] for boot in boots}
        self.assertEqual({name for suite in named.values() for name in suite},
                         set(main.files_of_tests()))
        self.assertEqual(set(main.SUITES), {*named, *(boot.name for boot in vm.ARM64_BOOTS)})

    def test_the_tests_of_arm64_exist(self):
        tests = list(main.flat(main.load("arm64", [])))
        self.assertGreater(len(tests), 30)
        # unittest turns a name that it cannot find into a test that fails.
        self.assertEqual([test for test in tests if not hasattr(test, "starts_daemon")], [])


if __name__ == "__main__":
    unittest.main()
