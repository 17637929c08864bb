"""Checks the RPM packages that `./dev package --rpm` has built, with Debian's rpm.

Run by ctest in the preset "package". Their installation has not been tested, because no system with
RPM can be made from Debian's packages. package_sources_test.py tests their scripts.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from main import main  # noqa: E402

BUILD = pathlib.Path(os.environ["BENCHD_BUILD_DIR"])
VERSION = os.environ["BENCHD_VERSION"]
NAMES = ["benchctl", "benchd", "benchd-debuginfo"]
# For each program of a package, its permissions.
PROGRAMS = {
    "benchctl": {"/usr/bin/benchctl": "-rwxr-xr-x", "/usr/bin/benchctl-database": "-rwxr-xr-x"},
    # The users for whom the helper works cannot trace it.
    "benchd": {"/usr/bin/benchd": "-rwxr-xr-x", "/usr/libexec/benchd/benchd-helper": "-rwx--x--x",
               "/usr/libexec/benchd/benchd-runner": "-rwxr-xr-x"},
    "benchd-debuginfo": {},
}
# Never static, because it loads libpq.
SHARED = "/usr/bin/benchctl-database"
UNITS = ["bench.slice", "benchd-runner.service", "benchd-runner.socket", "benchd.service",
         "benchd.socket"]
LICENCES = ["LICENSE", "libabsl-dev", "libc6-dev", "libgrpc++-dev", "libprotobuf-dev",
            "libpugixml-dev", "nettle-dev"]
CONFIGURATION = "/etc/benchd/benchd.toml"
HASHES = {32: hashlib.md5, 64: hashlib.sha256}
# What rpm prints for a tag that a package does not have.
NONE = "(none)"


def run(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


class File:
    """An entry of a package: rpm's letters for its kind are in `flags` (c, n, d, l)."""

    def __init__(self, line):
        self.path, self.mode, user, group, self.flags, self.digest = line.split("\t")
        self.owner = f"{user}/{group}"


class Package:
    def __init__(self, path):
        self.path = path
        self.name = self.tag("NAME")
        listed = self.query(
            r"[%{FILENAMES}\t%{FILEMODES:perms}\t%{FILEUSERNAME}\t%{FILEGROUPNAME}\t"
            r"%{FILEFLAGS:fflags}\t%{FILEDIGESTS}\n]")
        self.entries = {file.path: file for file in map(File, listed.splitlines())}

    def query(self, form):
        """What rpm prints for a form, as in rpm(8), QUERY OPTIONS."""
        return run("rpm", "--query", "--nosignature", "--package", "--queryformat", form, self.path)

    def tag(self, name):
        return self.query(f"%{{{name}}}")

    def list(self, name):
        return self.query(f"[%{{{name}}}\\n]").splitlines()

    def paths(self, kind):
        return sorted(path for path, file in self.entries.items() if file.mode[0] == kind)


def is_of(file, digest):
    """Does the built file have the digest of a packaged one?"""
    return HASHES[len(digest)](file.read_bytes()).hexdigest() == digest


class RpmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("rpm"):
            raise unittest.SkipTest("rpm is not installed")
        found = [Package(path) for path in sorted(BUILD.glob("*.rpm"))]
        if not found:
            raise unittest.SkipTest(f"no packages in {BUILD}: run ./dev package --rpm")
        cls.packages = {package.name: package for package in found}
        cls.benchd, cls.benchctl, cls.symbols = (
            cls.packages.get(name) for name in ("benchd", "benchctl", "benchd-debuginfo"))

    # ---- metadata ----

    def test_there_are_three_of_this_version(self):
        self.assertEqual(sorted(self.packages), NAMES)
        for package in self.packages.values():
            said = package.query("%{VERSION}-%{RELEASE} %{ARCH} %{OS} %{LICENSE}")
            self.assertEqual(said, f"{VERSION}-1 {os.uname().machine} linux Apache-2.0")
            self.assertEqual(package.tag("PREFIXES"), NONE)

    def test_they_need_no_library(self):
        for package in self.packages.values():
            needed = {name for name in package.list("REQUIRENAME")
                      if not name.startswith(("rpmlib(", "config("))}
            wanted = {"/bin/sh", "systemd"} if package.name == "benchd" else set()
            self.assertEqual(needed, wanted, package.name)
            provided = {re.sub(r"\(x86-64\)|\(aarch-64\)", "", name)
                        for name in package.list("PROVIDENAME") if not name.startswith("config(")}
            self.assertEqual(provided, {package.name})

    def test_the_changelog_is_of_this_version(self):
        changes = re.findall(r"^- (.*)$", (ROOT / "docs/changelog.md").read_text(), re.MULTILINE)
        for package in self.packages.values():
            self.assertTrue(package.list("CHANGELOGNAME")[0].endswith(f"> - {VERSION}-1"))
            text = package.query(r"[%{CHANGELOGTEXT}@@]").partition("@@")[0]
            self.assertTrue(text.startswith(f"- {changes[0]}\n"), text[:200])
            self.assertNotIn("%%", text)

    # ---- files ----

    def test_programs_and_units_are_in_their_places(self):
        for name, programs in PROGRAMS.items():
            found = [path for path in self.packages[name].paths("-")
                     if path.startswith(("/usr/bin/", "/usr/libexec/"))]
            self.assertEqual(found, sorted(programs))
        folder = "/usr/lib/systemd/system/"
        found = [path for path in self.benchd.paths("-") if path.startswith(folder)]
        self.assertEqual(found, [folder + unit for unit in UNITS])
        for path in ("/usr/lib/sysusers.d/benchd.conf", "/usr/lib/tmpfiles.d/benchd.conf",
                     "/usr/share/doc/benchd/README.md", "/usr/share/man/man8/benchd.8.gz"):
            self.assertIn(path, self.benchd.entries)
        # Fedora's folders.
        for path in ("/usr/share/bash-completion/completions/benchctl",
                     "/usr/share/fish/vendor_completions.d/benchctl.fish",
                     "/usr/share/zsh/site-functions/_benchctl",
                     "/usr/share/benchd/proto/benchd/v1/session.proto",
                     "/usr/share/man/man1/benchctl.1.gz"):
            self.assertIn(path, self.benchctl.entries)

    def test_they_own_no_folder_of_others(self):
        ours = re.compile(r"/(usr/[\w/]+|etc)/benchd(/.*)?|/usr/share/licenses/benchctl"
                          r"|/usr/lib/debug/\.build-id/[0-9a-f]{2}")
        for package in self.packages.values():
            others = [path for path in package.paths("d") if not ours.fullmatch(path)]
            self.assertEqual(others, [], package.name)

    def test_no_file_is_in_two_packages(self):
        seen = set()
        for package in self.packages.values():
            files = set(package.paths("-") + package.paths("l"))
            self.assertEqual(seen & files, set())
            seen |= files

    def test_everything_is_roots_and_nothing_is_more_than_needed(self):
        for package in self.packages.values():
            for path, file in package.entries.items():
                self.assertEqual(file.owner, "root/root", path)
                usual = ["drwxr-xr-x"] if file.mode[0] == "d" else ["-rw-r--r--"]
                if "/examples/" in path:
                    usual.append("-rwxr-xr-x")
                program = PROGRAMS[package.name].get(path)
                self.assertIn(file.mode, [program] if program else usual, path)

    def test_the_configuration_is_the_administrators(self):
        found = [(path, file.flags) for package in self.packages.values()
                 for path, file in package.entries.items() if "c" in file.flags]
        self.assertEqual([path for path, _ in found], [CONFIGURATION])
        self.assertIn("n", found[0][1])  # noreplace

    def test_licences_of_what_is_in_the_programs_are_in_the_packages(self):
        for package in (self.benchd, self.benchctl):
            folder = f"/usr/share/licenses/{package.name}"
            marked = {path for path, file in package.entries.items() if "l" in file.flags}
            self.assertEqual(marked, {path for path in package.paths("-")
                                      if path.startswith(folder + "/")})
            self.assertLessEqual({f"{folder}/{name}" for name in LICENCES}, marked)

    # ---- programs ----

    def programs(self):
        """Each packaged program, as it was built."""
        for name, paths in PROGRAMS.items():
            for path in paths:
                built = BUILD / "bin" / pathlib.PurePath(path).name
                self.assertTrue(is_of(built, self.packages[name].entries[path].digest), path)
                yield path, built

    def test_programs_are_static_and_hardened(self):
        for path, built in self.programs():
            said = run("readelf", "--file-header", "--dynamic", "--program-headers", built)
            self.assertEqual("INTERP" in said, path == SHARED, path)
            self.assertEqual("(NEEDED)" in said, path == SHARED, path)
            self.assertRegex(said, r"Type:\s+DYN", path)
            self.assertIn("GNU_RELRO", said, path)
            self.assertNotRegex(said, r"R(UN)?PATH", path)

    def test_nothing_names_the_place_where_it_was_built(self):
        for path, built in self.programs():
            self.assertNotIn(str(ROOT).encode(), built.read_bytes(), path)

    def test_symbols_of_every_program_are_where_a_debugger_looks(self):
        for path, built in self.programs():
            build_id = re.search(r"Build ID: (\w+)", run("readelf", "--notes", built)).group(1)
            file = f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
            self.assertIn(file, self.symbols.entries, path)

    def test_services_start_the_programs_of_the_package(self):
        for name in ("benchd.service", "benchd-runner.service"):
            built = BUILD / "systemd" / name
            packaged = self.benchd.entries[f"/usr/lib/systemd/system/{name}"]
            self.assertTrue(is_of(built, packaged.digest), name)
            started = re.findall(r"^Exec\w+=(\S+)", built.read_text(), re.MULTILINE)
            self.assertNotEqual(started, [])
            for program in started:
                self.assertIn(program, PROGRAMS["benchd"])

    # ---- scripts ----

    def test_scripts_are_those_that_are_tested(self):
        tags = {"POSTIN": "post", "PREUN": "preun", "POSTUN": "postun"}
        for tag, name in tags.items():
            source = (ROOT / "cmake/package/rpm" / name).read_text()
            self.assertEqual(self.benchd.tag(tag).strip(), source.strip())
            self.assertEqual(self.benchd.list(tag + "PROG"), ["/bin/sh"])
        for package in self.packages.values():
            for tag in ("PREIN", "PRETRANS", "POSTTRANS",
                        *(() if package is self.benchd else tags)):
                self.assertEqual(package.tag(tag), NONE, f"{package.name}: {tag}")


if __name__ == "__main__":
    main()
