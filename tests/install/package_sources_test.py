"""The sources of packages, as far as they can be tested without building one.

Run by ctest; BENCHD_CMAKE and BENCHD_VERSION come from tests/install/CMakeLists.txt.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

CMAKE = os.environ.get("BENCHD_CMAKE", "cmake")
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "cmake/package"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, **options)


class SourcesTest(unittest.TestCase):
    def test_the_newest_change_is_of_this_version(self):
        changes = (ROOT / "docs/changelog.md").read_text()
        found = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", changes, re.MULTILINE)
        self.assertEqual(found[0], os.environ["BENCHD_VERSION"])

    def test_the_changelog_fits_the_changelog_of_debian(self):
        # Which indents it by two more characters, and whose lines have at most 80.
        lines = (ROOT / "docs/changelog.md").read_text().splitlines()
        self.assertEqual([line for line in lines if len(line) > 78], [])

    def test_scripts_are_written_in_plain_shell(self):
        names = ["postinst", "prerm", "postrm", "push/postinst", "push/prerm", "push/postrm",
                 "rpm/post", "rpm/preun", "rpm/postun"]
        for name in names:
            done = run("sh", "-n", SOURCES / name)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)


class DebianSuffixTest(unittest.TestCase):
    """What a version gets for a release of Debian, from its /etc/os-release."""

    def suffix(self, text):
        with tempfile.TemporaryDirectory(prefix="benchd-suffix-") as folder:
            file = pathlib.Path(folder) / "os-release"
            if text is not None:
                file.write_text(text)
            script = pathlib.Path(folder) / "suffix.cmake"
            script.write_text(f"include({SOURCES}/debian_suffix.cmake)\n"
                              f"debian_suffix(suffix {file})\n"
                              'message(STATUS "suffix \'${suffix}\'")\n')
            done = run(CMAKE, "-P", script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return re.search(r"suffix '(.*)'", done.stdout).group(1)

    def test_a_stable_release_has_its_number(self):
        text = ('PRETTY_NAME="Debian GNU/Linux {0} ({1})"\nNAME="Debian GNU/Linux"\n'
                'VERSION_ID="{0}"\nVERSION="{0} ({1})"\nVERSION_CODENAME={1}\nID=debian\n')
        self.assertEqual(self.suffix(text.format(12, "bookworm")), "~deb12")
        self.assertEqual(self.suffix(text.format(13, "trixie")), "~deb13")
        # As long as it is not known by name.
        self.assertEqual(self.suffix(text.format(15, "duke")), "~deb15")

    def test_a_release_that_is_not_stable_yet_is_known_by_its_name(self):
        text = ('PRETTY_NAME="Debian GNU/Linux {0}/sid"\nNAME="Debian GNU/Linux"\n'
                'VERSION_CODENAME={0}\nID=debian\n')
        self.assertEqual(self.suffix(text.format("trixie")), "~deb13")
        self.assertEqual(self.suffix(text.format("forky")), "~deb14")
        self.assertEqual(self.suffix(text.format("unheard-of")), "")

    def test_other_systems_have_none(self):
        self.assertEqual(self.suffix('ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n'), "")
        self.assertEqual(self.suffix('ID=debian\n'), "")
        self.assertEqual(self.suffix(None), "")

    def test_an_upgrade_of_the_system_upgrades_the_package(self):
        ascending = ["0.2.0-1", "0.3.0-1~deb12", "0.3.0-1~deb13", "0.3.0-1~deb14", "0.3.0-1"]
        for lower, higher in zip(ascending, ascending[1:]):
            done = run("dpkg", "--compare-versions", lower, "lt", higher)
            self.assertEqual(done.returncode, 0, f"{lower} < {higher}")


UNIT_OF_ARCHIVE = "usr/local/lib/systemd/system/benchd.service"
HIDDEN = ("warning: the services below /usr/local hide those of this package; "
          "remove that installation\n")


class Scripts(unittest.TestCase):
    """Scripts of packages, with programs that only record how they are called."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="benchd-scripts-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.root = self.folder / "root"

    def stand_ins(self, names, exit_code=0):
        called = self.folder / "called"
        called.write_text("")
        programs = self.folder / "programs"
        programs.mkdir(exist_ok=True)
        for name in names:
            fake = programs / name
            fake.write_text(f'#!/bin/sh\necho "{name} $*" >>"{called}"\nexit {exit_code}\n')
            fake.chmod(0o755)
        return called, programs

    def install_archive(self):
        unit = self.root / UNIT_OF_ARCHIVE
        unit.parent.mkdir(parents=True)
        unit.touch()


class DebianScriptsTest(Scripts):
    """The scripts of the Debian package benchd, on another root. They never run as root, so that a
    path that was forgotten cannot delete a file of this machine."""

    def run_script(self, script, *arguments):
        """What it prints, and what it calls."""
        called, programs = self.stand_ins(
            ["systemctl", "systemd-sysusers", "systemd-tmpfiles", "deb-systemd-helper",
             "deb-systemd-invoke"])
        copy = self.folder / script
        copy.write_text((SOURCES / script).read_text())
        options = {}
        if os.getuid() == 0:
            run("chown", "-R", "65534:65534", self.folder)
            options = {"user": 65534, "group": 65534, "extra_groups": []}
        done = run("/bin/sh", copy, *arguments, **options,
                   env={"PATH": f"{programs}:/usr/bin:/bin", "DPKG_ROOT": str(self.root)})
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return done.stderr, called.read_text().splitlines()

    def test_the_services_of_the_archive_are_mentioned_at_the_installation(self):
        said, calls = self.run_script("postinst", "configure", "")
        self.assertEqual(said, "")
        self.install_archive()
        self.assertEqual(self.run_script("postinst", "configure", ""), (HIDDEN, calls))

    def test_purging_deletes_the_sessions_unless_the_archive_is_installed(self):
        state = self.root / "var/lib/benchd/benchd.db"
        state.parent.mkdir(parents=True)
        state.touch()
        self.assertEqual(self.run_script("postrm", "remove"), ("", []))
        self.assertTrue(state.exists())
        self.install_archive()
        said, calls = self.run_script("postrm", "purge")
        self.assertEqual(said, "warning: /var/lib/benchd is kept, because benchd is also installed "
                         "below /usr/local\n")
        # Its links in /etc/systemd are those of the archive now.
        self.assertEqual(calls, [])
        self.assertTrue(state.exists())
        (self.root / UNIT_OF_ARCHIVE).unlink()
        said, calls = self.run_script("postrm", "purge")
        self.assertEqual((said, len(calls)), ("", 1))
        self.assertFalse(state.parent.exists())


class RpmScriptsTest(Scripts):
    """The scripts of the RPM package benchd, with programs that only record how they are called."""

    def calls(self, script, versions, exit_code=0):
        """What the script calls if that number of versions is, or remains, installed."""
        called, programs = self.stand_ins(
            ["systemctl", "systemd-sysusers", "systemd-tmpfiles"], exit_code)
        # The path of the archive's service, below another root.
        copy = self.folder / script
        copy.write_text((SOURCES / "rpm" / script).read_text().replace(
            "/usr/local/lib", f"{self.root}/usr/local/lib"))
        done = run("/bin/sh", copy, versions, env={"PATH": str(programs)})
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.said = done.stderr
        return called.read_text().splitlines()

    def test_an_installation_follows_the_presets_of_the_system(self):
        self.assertEqual(self.calls("post", 1), [
            "systemd-sysusers benchd.conf",
            "systemd-tmpfiles --create benchd.conf",
            "systemctl --no-reload preset benchd-runner.socket benchd.socket benchd.service",
            "systemctl daemon-reload",
        ])
        self.assertEqual(self.said, "")

    def test_the_services_of_the_archive_are_mentioned_at_the_installation(self):
        self.install_archive()
        self.calls("post", 1)
        self.assertEqual(self.said, HIDDEN)

    def test_an_upgrade_keeps_what_is_enabled_and_restarts_what_runs(self):
        self.assertEqual(self.calls("post", 2), [
            "systemd-sysusers benchd.conf",
            "systemd-tmpfiles --create benchd.conf",
            "systemctl daemon-reload",
        ])
        self.assertEqual(self.calls("preun", 1), [])
        self.assertEqual(self.calls("postun", 1), [
            "systemctl daemon-reload",
            "systemctl try-restart benchd-runner.service benchd.service",
        ])

    def test_a_removal_stops_everything(self):
        self.assertEqual(self.calls("preun", 0), [
            "systemctl --no-reload disable benchd-runner.socket benchd.socket benchd.service",
            "systemctl stop benchd.socket benchd-runner.socket benchd.service "
            "benchd-runner.service bench.slice",
        ])
        self.assertEqual(self.calls("postun", 0), ["systemctl daemon-reload"])

    def test_without_systemd_they_succeed_all_the_same(self):
        for script, versions in (("post", 1), ("preun", 0), ("postun", 1)):
            self.assertNotEqual(self.calls(script, versions, exit_code=1), [])

    def test_they_know_every_unit(self):
        units = {file.name.removesuffix(".in") for file in (ROOT / "systemd").iterdir()
                 if re.search(r"\.(service|socket|slice)(\.in)?$", file.name)}
        units.discard("benchd-push.service")  # no part of the RPM packages
        enabled = {unit for unit in units if "[Install]" in self.source(unit)}
        self.assertEqual(set(self.calls("post", 1)[2].split()[3:]), enabled)
        disabled, stopped = self.calls("preun", 0)
        self.assertEqual(set(disabled.split()[3:]), enabled)
        self.assertEqual(set(stopped.split()[2:]), units)

    def source(self, unit):
        file = ROOT / "systemd" / unit
        return (file if file.exists() else file.with_name(unit + ".in")).read_text()


if __name__ == "__main__":
    unittest.main(verbosity=2)
