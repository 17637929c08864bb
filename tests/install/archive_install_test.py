"""Runs the install.sh of the portable archive on small files: for a user, and for a machine with
stand-ins for systemd and package managers.

With the real ones it is tested in an emulated machine (tests/vm/guest/test_archive.py).
"""

import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from main import main  # noqa: E402

FILES = {"bin/benchctl": 0o755, "libexec/benchd/benchd-helper": 0o711,
         "lib/systemd/system/benchd.service": 0o644, "share/man/man1/benchctl.1": 0o644}


class ArchiveCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))
        self.home = self.folder / "home of a user"
        self.home.mkdir()
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.source = self.unpack("the archive", FILES)

    def unpack(self, name, files):
        """An unpacked archive with these files."""
        source = self.folder / name
        lines = []
        for file, mode in files.items():
            path = source / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name}: {file}\n")
            path.chmod(0o700)
            lines.append(f"{mode:o} {file}\n")
        (source / "manifest").write_text("".join(lines))
        self.put_script(source)
        return source

    def put_script(self, source):
        shutil.copy(ROOT / "ci/archive/install.sh", source)

    def stand_in(self, name, *lines):
        """Replaces a program by a shell script."""
        file = self.programs / name
        file.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        file.chmod(0o755)

    def command(self, *words, source=None):
        return ["sh", str((source or self.source) / "install.sh"), *words]

    def environment(self, **more):
        return dict(os.environ, HOME=str(self.home),
                    PATH=f"{self.programs}:{os.environ['PATH']}") | more

    def install(self, *words, source=None, code=0, **options):
        environment = self.environment(**options.pop("env", {}))
        done = subprocess.run(
            self.command(*words, source=source), env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **options)
        self.assertEqual(done.returncode, code, done)
        return done.stdout + done.stderr

    def installed(self, prefix):
        return sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*")
                      if not path.is_dir())


class UserTest(ArchiveCase):
    def test_a_user_gets_all_but_the_services(self):
        said = self.install()
        prefix = self.home / ".local"
        self.assertEqual(self.installed(prefix), [
            "bin/benchctl", "libexec/benchd/benchd-helper", "share/benchd/manifest",
            "share/man/man1/benchctl.1"])
        for file in ("bin/benchctl", "libexec/benchd/benchd-helper", "share/man/man1/benchctl.1"):
            self.assertEqual(stat.S_IMODE((prefix / file).stat().st_mode), FILES[file], file)
        self.assertIn(f"installed below {prefix}", said)
        self.assertIn(f'export PATH="{prefix}/bin:$PATH"', said)

    def test_a_private_umask_hides_no_file(self):
        self.install(umask=0o077)
        for name, mode in (("bin/benchctl", 0o755), ("share/man", 0o755),
                           ("share/benchd/manifest", 0o644)):
            self.assertEqual(stat.S_IMODE((self.home / ".local" / name).stat().st_mode), mode, name)

    def test_a_relative_prefix_is_printed_whole(self):
        said = self.install("--prefix", "some/where", cwd=self.folder, env={"CDPATH": "/"})
        self.assertIn(f"installed below {self.folder}/some/where\n", said)

    def test_started_from_another_folder_with_cdpath(self):
        self.install(cwd=self.folder, source=pathlib.Path("the archive"),
                     env={"CDPATH": str(self.folder)})

    def test_removing_leaves_the_files_of_others(self):
        other = self.home / ".local/share/other"
        other.parent.mkdir(parents=True)
        other.write_text("kept")
        self.install()
        self.install("--remove")
        self.assertEqual(self.installed(self.home / ".local"), ["share/other"])
        said = self.install("--remove", code=2)
        self.assertIn("benchd is not installed there from an archive\nhint: ", said)
        self.assertIn(" --prefix DIR --remove, or --system --remove", said)

    def test_an_upgrade_removes_what_the_new_version_lacks(self):
        files = {name: mode for name, mode in FILES.items() if "helper" not in name}
        files["share/new one"] = 0o644
        newer = self.unpack("newer", files)
        self.install()
        self.install(source=newer)
        prefix = self.home / ".local"
        self.assertEqual(self.installed(prefix), [
            "bin/benchctl", "share/benchd/manifest", "share/man/man1/benchctl.1", "share/new one"])
        self.assertEqual((prefix / "bin/benchctl").read_text(), "newer: bin/benchctl\n")
        # The older archive removes what the newer one installed.
        self.install("--remove")
        self.assertEqual(self.installed(prefix), [])

    def test_an_archive_that_was_unpacked_into_the_prefix_is_refused(self):
        for action in ([], ["--remove"]):
            said = self.install("--prefix", str(self.source), *action, code=2)
            self.assertIn("unpack" if not action else "not installed there", said)
        self.assertTrue((self.source / "bin/benchctl").exists())

    def test_usage(self):
        for words, text in ((["--prefix"], "missing folder"), (["--all"], "unknown option '--all'"),
                            (["--system", "--prefix", "/x"], "the services need /usr/local")):
            said = self.install(*words, code=2)
            self.assertIn(text, said)
        (self.source / "manifest").unlink()
        self.assertIn("manifest is missing", self.install(code=2))

    def test_without_a_home_it_asks_for_a_folder(self):
        environment = self.environment()
        del environment["HOME"]
        done = subprocess.run(self.command(), env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "error: --user: HOME is not set\n"
                             f"hint: '{self.source}/install.sh' --prefix DIR\n"))

    def test_an_archive_for_another_processor_is_refused(self):
        self.stand_in("uname", 'echo "$UNAME_M"')
        (self.source / "processor").write_text("aarch64\n")
        said = self.install(code=2, env={"UNAME_M": "x86_64"})
        self.assertIn("error: the archive is for aarch64, and the processor of this machine is "
                      "x86_64\nhint: unpack the archive whose name ends with linux-x86_64.tar.zst",
                      said)
        self.assertEqual(self.installed(self.home), [])
        self.install(env={"UNAME_M": "aarch64"})
        # What is there can be removed all the same.
        self.install("--remove", env={"UNAME_M": "x86_64"})
        self.assertEqual(self.installed(self.home), [])

    def test_a_daemon_of_the_previous_version_is_mentioned(self):
        self.stand_in("pgrep", 'echo "$*" >"$HOME/asked"; exit "${FOUND:-1}"')
        text = "your benchd still runs the previous version"
        self.assertNotIn(text, self.install(env={"FOUND": "0"}))
        self.assertNotIn(text, self.install())
        self.assertIn(text, self.install(env={"FOUND": "0"}))
        self.assertEqual((self.home / "asked").read_text(), f"-x -u {os.getuid()} benchd\n")

    def test_a_folder_with_services_is_not_a_users(self):
        prefix = self.folder / "with services"
        unit = prefix / "lib/systemd/system/benchd.service"
        unit.parent.mkdir(parents=True)
        unit.write_text("of the machine")
        for action in ([], ["--remove"]):
            said = self.install("--prefix", str(prefix), *action, code=2)
            self.assertIn(f"error: {prefix}: benchd is installed there with its services\nhint: ",
                          said)
        self.assertEqual(self.installed(prefix), ["lib/systemd/system/benchd.service"])


class InterruptionTest(ArchiveCase):
    """An installation that is interrupted leaves one version, or says what to do."""

    def setUp(self):
        super().setUp()
        self.prefix = self.home / ".local"
        files = {name: mode for name, mode in FILES.items() if "helper" not in name}
        files["share/added"] = 0o644
        self.newer = self.unpack("newer", files)

    def fail_at(self, program, file):
        """Lets `program` fail when it is to make or replace that file."""
        self.stand_in(program, f'case $* in *"{file}"*) exit 1 ;; esac',
                      f'exec {shutil.which(program)} "$@"')

    def versions(self):
        return {name: (self.prefix / name).read_text().partition(":")[0]
                for name in self.installed(self.prefix) if not name.startswith("share/benchd/")}

    def test_if_a_copy_fails_the_previous_version_stays(self):
        self.install()
        before = self.versions()
        self.fail_at("cp", "share/added")
        said = self.install(source=self.newer, code=1)
        self.assertNotIn("incomplete", said)
        self.assertEqual(self.versions(), before)
        self.assertEqual(set(before.values()), {"the archive"})

    def test_half_an_upgrade_can_be_finished_or_removed(self):
        for after in ("finished", "removed"):
            with self.subTest(after):
                self.install()
                self.fail_at("mv", "share/added")
                said = self.install(source=self.newer, code=1)
                self.assertIn(f"error: {self.prefix}: the installation is incomplete\n"
                              "hint: run install.sh again, or remove the files with --remove", said)
                # Every file of both versions is known, and no copy is left.
                self.assertEqual(self.versions()["bin/benchctl"], "newer")
                self.assertIn("libexec/benchd/benchd-helper", self.versions())
                self.assertNotIn(".new", str(self.versions()))
                (self.programs / "mv").unlink()
                if after == "finished":
                    self.install(source=self.newer)
                    self.assertEqual(set(self.versions().values()), {"newer"})
                    self.assertNotIn("libexec/benchd/benchd-helper", self.versions())
                self.install("--remove")
                self.assertEqual(self.installed(self.prefix), [])

    def test_a_signal_removes_the_copies(self):
        self.stand_in("chmod", 'touch "$HOME/reached"', "sleep 60 & wait")
        process = subprocess.Popen(self.command(), env=self.environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        limit = time.monotonic() + 30
        while not (self.home / "reached").exists() and time.monotonic() < limit:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 143)
        self.assertEqual(self.installed(self.prefix), [])

    def test_copies_that_a_killed_installation_left_are_removed(self):
        self.install()
        (self.prefix / "bin/benchctl.new").write_text("half")
        self.install("--remove")
        self.assertEqual(self.installed(self.prefix), [])


class SystemTest(ArchiveCase):
    """`--system` with other paths: those of this machine are replaced by some below a temporary
    folder. The script never runs as root, so that a path that was forgotten cannot change this
    machine; a stand-in for `id` claims that it does."""

    PLACES = ("/usr/local", "/run/systemd/system", "/run/benchd-runner")
    SERVICE = "lib/systemd/system/benchd.service"

    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "usr/local"
        self.prefix.mkdir(parents=True)
        (self.folder / "run/systemd/system").mkdir(parents=True)
        (self.folder / "run/benchd-runner").mkdir()
        for name in ("systemctl", "systemd-sysusers", "systemd-tmpfiles"):
            self.stand_in(name, f'echo "{name} $*" >>"{self.folder}/called"',
                          'case $* in *is-active*) exit "${ACTIVE:-0}" ;; *enable*) '
                          'exit "${ENABLE:-0}" ;; esac')
        self.stand_in("id", 'case $* in -u) echo 0 ;; *) exit 1 ;; esac')
        for name in ("dpkg-query", "rpm"):
            self.stand_in(name, "exit 1")

    def put_script(self, source):
        text = (ROOT / "ci/archive/install.sh").read_text()
        for place in self.PLACES:
            text = text.replace(place, f"{self.folder}{place}")
        (source / "install.sh").write_text(text)

    def install(self, *words, **options):
        if os.getuid() == 0:
            options |= {"user": 65534, "group": 65534, "extra_groups": []}
            subprocess.run(["chown", "-R", "65534:65534", self.folder], check=True)
        return super().install("--system", *words, **options)

    def calls(self):
        """What has been called since the last time."""
        file = self.folder / "called"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def test_the_first_time_the_services_are_enabled_and_started(self):
        said = self.install()
        self.assertEqual(self.installed(self.prefix),
                         sorted([*FILES, "share/benchd/manifest"]))
        self.assertEqual(self.calls(), [
            f"systemd-sysusers {self.prefix}/lib/sysusers.d/benchd.conf",
            f"systemd-tmpfiles --create {self.prefix}/lib/tmpfiles.d/benchd.conf",
            "systemctl daemon-reload",
            "systemctl enable --now benchd-runner.socket benchd.socket",
            "systemctl enable benchd.service",
            "systemctl restart benchd.service benchd-runner.service"])
        self.assertIn("usermod -aG benchd USER\nthe user must log in again", said)

    def test_an_upgrade_leaves_what_the_administrator_has_disabled_or_stopped(self):
        self.install()
        self.calls()
        self.install(env={"ACTIVE": "3"})
        self.assertEqual([call for call in self.calls() if "is-active" not in call][2:],
                         ["systemctl daemon-reload"])
        self.install()
        self.assertEqual([call for call in self.calls() if "is-active" not in call][3:],
                         ["systemctl restart benchd.service benchd-runner.service"])

    def test_services_that_could_not_be_enabled_are_enabled_the_next_time(self):
        self.assertIn("the installation is incomplete", self.install(code=4, env={"ENABLE": "4"}))
        self.calls()
        self.install()
        self.assertIn("systemctl enable benchd.service", self.calls())

    def test_files_of_a_user_are_not_an_installation_of_the_machine(self):
        # Earlier versions let a user install below /usr/local.
        self.install()
        (self.prefix / self.SERVICE).unlink()
        self.calls()
        self.install()
        self.assertIn("systemctl enable benchd.service", self.calls())

    def test_removing_stops_the_services_first(self):
        self.install()
        self.calls()
        self.assertEqual(self.install("--remove"), f"removed from {self.prefix}\n")
        self.assertEqual(self.installed(self.prefix), [])
        calls = self.calls()
        self.assertEqual(calls[0], "systemctl stop benchd.socket benchd-runner.socket "
                         "benchd.service benchd-runner.service bench.slice")
        self.assertEqual(calls[-1], "systemctl daemon-reload")

    def test_removing_needs_no_systemd(self):
        self.install()
        self.calls()
        (self.folder / "run/systemd/system").rmdir()
        self.install("--remove")
        self.assertEqual(self.installed(self.prefix), [])
        self.assertEqual({call.split()[1] for call in self.calls()}, {"disable"})
        said = self.install(code=2)
        self.assertIn("error: --system: systemd is not running\n"
                      f"hint: '{self.source}/install.sh' --user\n", said)

    def test_settings_that_were_not_restored_are_mentioned(self):
        journal = self.folder / "run/benchd-runner/settings.journal"
        for text in ("", "governor cpu0 powersave performance\n"):
            self.install()
            journal.write_text(text)
            said = self.install("--remove")
            self.assertEqual(f"warning: {journal}: not all settings" in said, text != "", said)

    def test_packages_are_not_mixed_with(self):
        for name, answer, remedy in (("dpkg-query", "printf installed", "sudo apt remove"),
                                     ("rpm", "echo benchd-1-1", "sudo dnf remove")):
            self.stand_in(name, answer)
            said = self.install(code=2)
            self.assertIn(f"hint: {remedy} benchd benchctl\n", said)
            self.stand_in(name, "exit 1")
            self.install()
            self.stand_in(name, answer)
            self.calls()
            self.install("--remove")
            # The services of the package run on.
            self.assertEqual(self.calls(), [
                "systemctl daemon-reload",
                "systemctl try-restart benchd.service benchd-runner.service"])
            self.stand_in(name, "exit 1")

    def test_hints_repeat_the_command(self):
        self.stand_in("id", "echo 1000")
        script = f"'{self.source}/install.sh'"
        for action in ([], ["--remove"]):
            said = self.install(*action, code=2)
            self.assertEqual(said, "error: --system: requires root\n"
                             f"hint: sudo {' '.join([script, '--system', *action])}\n")
        self.stand_in("id", "echo 0")
        said = self.install("--remove", code=2)
        self.assertEqual(said, f"error: {self.prefix}: benchd is not installed there from an "
                         f"archive\nhint: {script} --remove removes that of one user\n")

    def test_user_mode_refuses_the_folder_of_the_services(self):
        self.install()
        said = super().install("--user", "--prefix", str(self.prefix), "--remove", code=2)
        self.assertIn(f"hint: sudo '{self.source}/install.sh' --system --remove\n", said)


if __name__ == "__main__":
    main()
