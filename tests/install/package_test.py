"""Checks the Debian packages that `./dev package` has built, as far as possible without root.

Run by ctest in the preset "package". tests/vm/guest/test_package.py tests their installation.
"""

import os
import pathlib
import platform
import re
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["BENCHD_BUILD_DIR"])


def release_suffix():
    """As in cmake/package/debian_suffix.cmake, whose tests are in package_sources_test.py."""
    system = platform.freedesktop_os_release()
    if system["ID"] != "debian":
        return ""
    number = system.get("VERSION_ID") or {"forky": "14"}.get(system.get("VERSION_CODENAME"))
    return f"~deb{number}" if number else ""


VERSION = f"{os.environ['BENCHD_VERSION']}-1{release_suffix()}"
# Empty if it is that of this machine.
ARCHITECTURE = os.environ["BENCHD_ARCHITECTURE"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["benchctl", "benchd", "benchd-dbgsym", "benchd-push"]
PROGRAMS = {
    "benchctl": ["usr/bin/benchctl", "usr/bin/benchctl-database"],
    "benchd": ["usr/bin/benchd", "usr/libexec/benchd/benchd-helper",
               "usr/libexec/benchd/benchd-runner"],
    "benchd-push": ["usr/bin/benchd-push"],
}
UNITS = {
    "benchd": ["bench.slice", "benchd-runner.service", "benchd-runner.socket", "benchd.service",
               "benchd.socket"],
    "benchd-push": ["benchd-push.service"],
}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stderr.decode()}")
    return done.stdout.decode(errors="replace")


class Package:
    """An unpacked package, with its archive's list of the files."""

    def __init__(self, file, folder):
        self.file = file
        self.fields = {}
        for line in run("dpkg-deb", "--field", file).splitlines():
            name, colon, value = line.partition(": ")
            if colon and not line.startswith(" "):
                self.fields[name] = value
        self.name = self.fields["Package"]
        self.root = folder / self.name
        run("dpkg-deb", "--raw-extract", file, self.root)
        # For each path: permissions, owner, and the file.
        self.entries = {}
        for line in run("dpkg-deb", "--contents", file).splitlines():
            mode, owner, _, _, _, path = line.split(None, 5)
            path = path.split(" -> ")[0].removeprefix("./").rstrip("/")
            if path:
                self.entries[path] = (mode, owner)

    def files(self, pattern="*"):
        return sorted(path for path, (mode, _) in self.entries.items()
                      if mode[0] == "-" and pathlib.PurePath(path).match(pattern))

    def control(self, name):
        return self.root / "DEBIAN" / name


class PackagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files = sorted(BUILD.glob("*.deb"))
        if not files:
            raise unittest.SkipTest(f"no packages in {BUILD}: run ./dev package")
        temporary = tempfile.TemporaryDirectory(prefix="benchd-package-")
        cls.addClassCleanup(temporary.cleanup)
        found = [Package(file, pathlib.Path(temporary.name)) for file in files]
        cls.packages = {package.name: package for package in found}
        cls.benchd, cls.benchctl, cls.symbols, cls.push = (
            cls.packages.get(name)
            for name in ("benchd", "benchctl", "benchd-dbgsym", "benchd-push"))

    # ---- metadata ----

    def test_there_are_four_of_this_version(self):
        self.assertEqual(sorted(self.packages), NAMES)
        for package in self.packages.values():
            self.assertEqual(package.fields["Version"], VERSION)
            self.assertRegex(package.file.name, f"^{package.name}_{re.escape(VERSION)}_")
            self.assertEqual(package.fields.get("Source", package.name), "benchd")

    def test_they_are_for_the_processor_of_their_programs(self):
        wanted = ARCHITECTURE or run("dpkg", "--print-architecture").strip()
        for package in self.packages.values():
            self.assertEqual(package.fields["Architecture"], wanted)
            self.assertTrue(package.file.name.endswith(f"_{wanted}.deb"), package.file.name)
        compiled_for = run(os.environ["BENCHD_COMPILER"], "-dumpmachine").split("-")[0]
        for program in self.programs():
            machine = re.search(r"Machine:\s+(.+)", run("readelf", "--file-header", program)).group(1)
            self.assertIn(compiled_for.replace("_", "-").lower(), machine.lower(), program)

    def test_they_depend_on_libraries_and_on_each_other_as_far_as_they_must(self):
        benchd, benchctl, symbols, push = (
            one.fields for one in (self.benchd, self.benchctl, self.symbols, self.push))
        for library in ("libc6 (", "libsqlite3-0", "systemd"):
            self.assertIn(library, benchd["Depends"])
        # Libraries whose names change between releases of Debian: an upgrade of the system would
        # remove packages that depend on them.
        for one in (benchd, benchctl, push):
            for library in ("grpc", "absl", "protobuf", "spdlog", "fmt", "libsystemd"):
                self.assertNotIn(library, one["Depends"])
        self.assertIn("libc6 (", benchctl["Depends"])
        self.assertEqual(benchctl["Recommends"], "benchd")
        self.assertEqual(benchd["Recommends"], "benchctl")
        self.assertEqual(symbols["Depends"], f"benchd (= {VERSION})")
        # Users without a database need nothing of PostgreSQL.
        for library in ("benchd", "libpq5", "systemd"):
            self.assertIn(library, push["Depends"])
        for other in (benchd, benchctl, symbols):
            self.assertNotIn("libpq", other["Depends"])
        self.assertIn("libpq5", benchctl["Suggests"])

    def test_the_changelog_is_of_this_version(self):
        for package in (self.benchd, self.benchctl, self.push):
            packed = package.root / f"usr/share/doc/{package.name}/changelog.Debian.gz"
            text = run("zcat", packed)
            self.assertTrue(text.startswith(f"benchd ({VERSION}) unstable; urgency="), text)
            parsed = run("dpkg-parsechangelog", "--file", packed, "--show-field", "Version")
            self.assertEqual(parsed.strip(), VERSION)
            self.assertNotIn("\n * ", text)
            changes = [line for line in text.splitlines() if not line.startswith(" -- ")]
            self.assertEqual([line for line in changes if len(line) > 80], [])

    def test_the_licence_is_named(self):
        for package in (self.benchd, self.benchctl, self.push):
            text = (package.root / f"usr/share/doc/{package.name}/copyright").read_text()
            self.assertIn("\nLicense: Apache-2.0\n", text)
            self.assertIn("the benchd authors", text)
            # In the release for which the package was built, that of its compiler.
            compiler = run(os.environ["BENCHD_COMPILER"], "-dumpversion").split(".")[0].strip()
            self.assertIn(f" libstdc++-{compiler}-dev,", text)

    # ---- files ----

    def test_programs_units_and_data_are_in_their_places(self):
        for name, programs in PROGRAMS.items():
            found = self.packages[name].files("usr/bin/*")
            found += self.packages[name].files("usr/libexec/benchd/*")
            self.assertEqual(found, programs)
        for name, units in UNITS.items():
            self.assertEqual(self.packages[name].files("usr/lib/systemd/system/*"),
                             [f"usr/lib/systemd/system/{unit}" for unit in units])
            for folder in ("sysusers.d", "tmpfiles.d"):
                self.assertIn(f"usr/lib/{folder}/{name}.conf", self.packages[name].entries)
        for path in ("etc/benchd/benchd.toml", "usr/share/doc/benchd/README.md",
                     "usr/share/doc/benchd/docs/statistics.md"):
            self.assertIn(path, self.benchd.entries)
        self.assertEqual(
            self.benchctl.files("usr/share/benchd/proto/benchd/v1/*.proto"),
            [f"usr/share/benchd/{file.relative_to(ROOT)}"
             for file in sorted(ROOT.glob("proto/benchd/v1/*.proto"))])

    def test_what_is_about_a_program_is_in_its_package(self):
        # Completions, man pages and the schema belong to the client; sections 5 and 8 to the
        # daemon, except the page of the program with a package of its own.
        belongs = {"benchd": r"usr/share/man/man[58]/benchd\.",
                   "benchctl": r"usr/share/(man/man1|bash-completion|zsh|fish|benchd)/",
                   "benchd-push": r"usr/share/man/man8/benchd-push\."}
        for name, pattern in belongs.items():
            others = [package for package in self.packages.values() if package.name != name]
            for package in others:
                wrong = [path for path in package.files() if re.match(pattern, path)]
                self.assertEqual(wrong, [], f"{package.name} has files of {name}")

    def test_no_file_is_in_two_packages(self):
        seen = set()
        for package in self.packages.values():
            self.assertEqual(seen & set(package.files()), set())
            seen.update(package.files())

    def test_everything_is_roots_and_nothing_is_more_than_needed(self):
        for package in self.packages.values():
            for path, (mode, owner) in package.entries.items():
                self.assertEqual(owner, "root/root", path)
                wanted = {"d": ["drwxr-xr-x"], "l": ["lrwxrwxrwx"]}.get(mode[0], ["-rw-r--r--"])
                if "/bin/" in path or "/libexec/" in path or "/examples/" in path:
                    wanted.append("-rwxr-xr-x")
                if path.endswith("/benchd-helper"):
                    wanted = ["-rwx--x--x"]  # the users for whom it works cannot trace it
                self.assertIn(mode, wanted, path)

    def test_checksums_are_right(self):
        for package in self.packages.values():
            run("md5sum", "--check", "--quiet", package.control("md5sums"), cwd=package.root)
            listed = {line.split("  ", 1)[1]
                      for line in package.control("md5sums").read_text().splitlines()}
            self.assertEqual(listed - {"etc/benchd/benchd.toml"},
                             set(package.files()) - {"etc/benchd/benchd.toml"})

    def test_man_pages_are_compressed(self):
        for package in self.packages.values():
            for path in package.files():
                if path.startswith("usr/share/man/"):
                    self.assertRegex(path, r"\.[1-8]\.gz$")

    def test_nothing_names_the_place_where_it_was_built(self):
        for package in self.packages.values():
            for path in package.files():
                self.assertNotIn(str(ROOT).encode(), (package.root / path).read_bytes(), path)

    # ---- programs ----

    def programs(self):
        for name, paths in PROGRAMS.items():
            for path in paths:
                yield self.packages[name].root / path

    def test_programs_are_hardened(self):
        for program in self.programs():
            said = run("readelf", "--file-header", "--dynamic", "--program-headers", program)
            self.assertRegex(said, r"Type:\s+DYN", program)
            self.assertRegex(said, r"FLAGS.*(BIND_NOW|NOW)", program)
            self.assertIn("GNU_RELRO", said, program)
            self.assertNotRegex(said, r"R(UN)?PATH", program)
            self.assertRegex(said, r"GNU_STACK[^\n]*\n[^\n]*\bRW\s", program)

    def test_symbols_of_every_program_are_where_a_debugger_looks(self):
        for program in self.programs():
            self.assertNotIn(".symtab", run("readelf", "--section-headers", "--wide", program))
            build_id = re.search(r"Build ID: (\w+)", run("readelf", "--notes", program)).group(1)
            file = f"usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
            self.assertIn(file, self.symbols.entries)
            said = run("readelf", "--section-headers", "--wide", self.symbols.root / file)
            self.assertIn(".debug_line", said)

    # ---- maintainer scripts and conffiles ----

    def test_the_configuration_is_the_administrators(self):
        conffiles = self.benchd.control("conffiles").read_text().split()
        self.assertEqual(conffiles, ["/etc/benchd/benchd.toml"])
        in_etc = [path for package in self.packages.values() for path in package.files()
                  if path.startswith("etc/")]
        self.assertEqual(in_etc, ["etc/benchd/benchd.toml"])

    def test_maintainer_scripts_are_shell_scripts_that_stop_at_an_error(self):
        scripts = ["postinst", "postrm", "prerm"]
        for package in self.packages.values():
            found = [name for name in (*scripts, "preinst", "config")
                     if package.control(name).exists()]
            self.assertEqual(found, scripts if package.name in UNITS else [], package.name)
        for script in (self.packages[of].control(name) for of in UNITS for name in scripts):
            self.assertEqual(script.stat().st_mode & 0o777, 0o755)
            self.assertTrue(script.read_text().startswith("#!/bin/sh\nset -e\n"))
            run("sh", "-n", script)

    def test_every_unit_that_can_be_enabled_is_known_to_the_scripts(self):
        for name, units in UNITS.items():
            package = self.packages[name]
            folder = package.root / "usr/lib/systemd/system"
            for unit in units:
                if "[Install]" not in (folder / unit).read_text():
                    continue
                for script in ("postinst", "prerm", "postrm"):
                    self.assertIn(unit, package.control(script).read_text(), script)

    def test_services_start_the_programs_of_the_package(self):
        for name, units in UNITS.items():
            package = self.packages[name]
            for unit in units:
                text = (package.root / "usr/lib/systemd/system" / unit).read_text()
                for program in re.findall(r"^Exec\w+=(\S+)", text, re.MULTILINE):
                    self.assertIn(program.lstrip("/"), package.entries)


if __name__ == "__main__":
    unittest.main(verbosity=2)
