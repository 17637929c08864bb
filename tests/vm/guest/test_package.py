"""The Debian packages, as an administrator uses them: installed, used, upgraded, removed, purged.

The tests are steps that run in this order, on a machine that never had benchd.
"""

import grp
import os
import pathlib
import pwd
import re
import shutil
import sqlite3
import stat

import e2e_support
import installation
import machine_state
import pristine
from debian_packages import (
    APT, APT_S, ENABLED, NAMES, PUSH_STATE, PUSH_TRACES, UNITS, PackageCase, apt,
    installed_version, packages)
from guest import ALICE, LINES, login, main_pid, make_people, run, unit, wait_until
from typist import Typist

SYMBOLS = "benchd-dbgsym"  # 50 MB, so it is installed in only one step
PUSH = "benchd-push"  # optional, so likewise
CONFIG = installation.CONFIG
STATE = pathlib.Path("/var/lib/benchd")


def apt_without_systemd(*words):
    """As in a chroot or while an image is built: the running system is hidden."""
    hidden = 'mount -t tmpfs tmpfs /run && exec "$@"'
    return run("unshare", "--mount", "sh", "-c", hidden, "sh", *APT, *words, timeout=APT_S)


def as_of_version(package, version, folder):
    """The same package with a later version number."""
    tree = folder / package.stem
    run("dpkg-deb", "--raw-extract", package, tree)
    control = tree / "DEBIAN/control"
    old = re.search(r"^Version: (.*)$", control.read_text(), re.MULTILINE).group(1)
    control.write_text(control.read_text().replace(old, version))
    name = package.name.replace(old, version)
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, folder / name)
    shutil.rmtree(tree)
    return folder / name


class PackageTest(PackageCase):
    def test_1_without_systemd_it_is_installed_and_starts_nothing(self):
        apt_without_systemd("install", *packages())
        for name in ENABLED:
            self.assertEqual(run("systemctl", "is-enabled", name), "enabled")
        self.assertTrue(pwd.getpwnam("benchd").pw_uid)
        run("systemctl", "daemon-reload")
        for name in UNITS:
            self.assertEqual(unit(name, "ActiveState"), "inactive", name)
        apt_without_systemd("purge", *NAMES)
        run("systemctl", "daemon-reload")
        self.assert_no_units()
        self.assert_no_trace()

    def test_2_installed_it_runs_and_compares(self):
        apt("install", *packages(*NAMES, SYMBOLS))
        self.assertEqual(grp.getgrnam("benchd-admin").gr_mem, [])
        make_people()
        self.assert_running()
        self.assertEqual(run("dpkg", "--verify", *NAMES, SYMBOLS), "")
        apt("purge", SYMBOLS)
        self.assertEqual(STATE.stat().st_mode & 0o777, 0o700)
        self.assertEqual(stat.S_IMODE(os.stat("/run/benchd/benchd.sock").st_mode), 0o660)
        self.assert_exit(self.compare("--runs", "8"), e2e_support.PASS)

    def test_3_completion_and_manual_in_a_shell(self):
        shell = Typist(login(ALICE), e2e_support.TIMEOUT_S)
        self.addCleanup(shell.close)
        shell.expect(r"\$ ")
        shell.type("benchctl canc\t")
        shell.expect("benchctl cancel ")
        shell.type("\x15benchctl compare --estim\t")
        shell.expect("benchctl compare --estimator")
        shell.type("\x15man benchctl | cat; echo status=${PIPESTATUS[0]}\n")
        for shown in (r"NAME\s+benchctl", "SYNOPSIS", "SEE ALSO", "status=0"):
            shell.expect(shown)
        shell.type("man benchd | cat >/dev/null; man benchd.toml | head -3\n")
        shell.expect(r"(?i)BENCHD\.TOML\(5\)")

    def test_4_an_upgrade_keeps_the_queue_and_the_session_that_runs(self):
        CONFIG.write_text(CONFIG.read_text() + "\n[daemon]\n")
        kept = CONFIG.read_text()
        self.before = machine_state.read()
        gate, client, started = self.session_at_gate()
        queued = self.benchctl_json(
            "submit", *LINES, "--runs", "8", "echo n 1000", "echo n 1000")
        self.assert_exit(queued, 0)
        waiting = queued.events[-1]["session"]
        old = [main_pid(service) for service in installation.SERVICES]

        newer = [as_of_version(package, "0.99.0-1", self.folder) for package in packages()]
        apt("install", *newer)

        for name in NAMES:
            self.assertEqual(installed_version(name), "0.99.0-1")
        self.assertEqual(CONFIG.read_text(), kept)
        gate.arrived()  # The interrupted run, repeated.
        self.finish(gate, client)
        self.assertEqual(client.events[-1]["session"], started["session"])
        self.assertIn("interrupted", [one["code"] for one in client.events[-1]["warnings"]])
        done = self.benchctl_json("watch", waiting)
        self.assert_exit(done, e2e_support.PASS)
        self.assert_running()
        for service, pid in zip(installation.SERVICES, old):
            self.assertNotEqual(main_pid(service), pid, service)
            program = os.readlink(f"/proc/{main_pid(service)}/exe")
            self.assertFalse(program.endswith(" (deleted)"), program)
        self.assert_machine_as_before()

    def test_5_what_the_administrator_disabled_stays_disabled(self):
        run("systemctl", "disable", "--now", "benchd.service", "benchd.socket",
            "benchd-runner.socket")
        apt("install", *(as_of_version(one, "0.99.1-1", self.folder) for one in packages()))
        for name in ENABLED:
            self.assertEqual(run("systemctl", "is-enabled", name, check=False), "disabled")
            self.assertEqual(unit(name, "ActiveState"), "inactive", name)
        run("systemctl", "enable", "--now", *ENABLED)
        self.assert_running()

    def test_6_removed_it_ends_and_keeps_state_and_configuration(self):
        gate, client, _ = self.session_at_gate()
        apt("remove", *NAMES)
        client.close()
        self.assertEqual(e2e_support.wait_for_no_process_with(gate.marker), [])
        self.assert_no_units()
        self.assertEqual(pristine.left(), [])
        self.assertTrue(CONFIG.exists())
        with sqlite3.connect(f"file:{STATE}/benchd.db?mode=ro", uri=True) as database:
            self.assertEqual(database.execute("pragma integrity_check").fetchone(), ("ok",))

    def test_7_installed_again_it_goes_on(self):
        apt("install", *packages())
        self.assert_running()
        shown = self.benchctl("list", "--all")
        self.assert_exit(shown, 0)
        self.assertGreaterEqual(len(shown.stdout.splitlines()), 3, shown)

    def test_8_the_pusher_waits_for_its_administrator_and_leaves_nothing(self):
        apt("install", *packages(PUSH))
        self.assertEqual(run("dpkg", "--verify", PUSH), "")
        self.assertEqual([path for path in PUSH_TRACES if not os.path.lexists(path)], [])
        self.assertEqual(run("systemctl", "is-enabled", PUSH, check=False), "disabled")
        self.assertEqual(unit(f"{PUSH}.service", "ActiveState"), "inactive")
        self.assert_running()
        state = PUSH_STATE.stat()
        self.assertEqual((state.st_uid, stat.S_IMODE(state.st_mode)),
                         (pwd.getpwnam(PUSH).pw_uid, 0o700))
        self.assertIn("send summaries of benchmark sessions", run("man", PUSH))
        # Enabled too early: it reports the error once and is not restarted.
        run("systemctl", "enable", "--now", PUSH)
        wait_until(lambda: unit(f"{PUSH}.service", "ActiveState") == "failed", "it gives up")
        self.assertEqual(unit(f"{PUSH}.service", "ExecMainStatus", "NRestarts"), ["2", "0"])
        said = run("journalctl", "--unit", PUSH, "--output", "cat")
        self.assertIn("[push] url: missing", said)

        apt("install", as_of_version(*packages(PUSH), "0.99.0-1", self.folder))
        self.assertEqual(installed_version(PUSH), "0.99.0-1")
        self.assertEqual(run("systemctl", "is-enabled", PUSH), "enabled")
        apt("purge", PUSH)
        self.assertEqual([path for path in PUSH_TRACES if os.path.lexists(path)], [])
        left = [path for top in ("/etc/systemd", "/var/lib/systemd")
                for path in pathlib.Path(top).rglob(f"*{PUSH}*")]
        self.assertEqual(left, [])
        self.assert_running()
        run("systemctl", "reset-failed")

    def test_9_purged_it_leaves_nothing(self):
        apt("purge", *NAMES)
        self.assert_no_units()
        self.assertEqual(run("systemctl", "list-units", "--all", "--no-legend", "bench*"), "")
        wait_until(lambda: not os.path.lexists("/run/benchd"), "/run/benchd is removed")
        self.assert_no_trace()
        # As in Debian: a uid must not be assigned to another user.
        self.assertTrue(pwd.getpwnam("benchd"))
