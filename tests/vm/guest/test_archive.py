"""The portable archive, as an administrator uses it: unpacked, installed by install.sh for a user and
for the machine, upgraded and removed.

The tests are steps that run in this order, on a machine that never had benchd.
"""

import os
import pathlib
import stat
import subprocess
import time

import e2e_support
import installation
import machine_state
import pristine
from guest import GuestTest, login, main_pid, make_people, run, unit

ARCHIVE = next(pathlib.Path("archive").resolve().glob("benchd-*.tar.zst"), None)
PROGRAMS = ("bin/benchctl", "bin/benchd", "libexec/benchd/benchd-runner",
            "libexec/benchd/benchd-helper")
UNITS = [*installation.SOCKETS, *installation.SERVICES]
PREFIX = pathlib.Path("/usr/local")
STATE = pathlib.Path("/var/lib/benchd")
# A user of step 2 alone, because the group benchd does not exist yet.
USER = "carol"


class ArchiveTest(GuestTest):
    def setUp(self):
        e2e_support.DaemonTest.setUp(self)
        self.folder.chmod(0o755)

    def _stop_and_look(self):
        for client in self._clients:
            client.close()

    @property
    def tree(self):
        """The unpacked archive. Every user may read it."""
        return next(pathlib.Path("/opt").glob("benchd-*"))

    def files_below(self, prefix):
        return [path for path in (prefix / file.relative_to(self.tree)
                                  for file in self.tree.rglob("*") if not file.is_dir())
                if os.path.lexists(path)]

    def assert_running(self):
        for name in (*installation.SOCKETS, "benchd.service"):
            self.assertEqual(run("systemctl", "is-enabled", name), "enabled")
            self.assertEqual(unit(name, "ActiveState"), "active", name)

    # ---- the steps ----

    def test_1_unpacked_it_is_static(self):
        run("tar", "--extract", "--file", ARCHIVE, "--directory", "/opt")
        run("chown", "--recursive", "nobody", self.tree)
        for program in PROGRAMS:
            found = subprocess.run(["ldd", self.tree / program], capture_output=True, text=True)
            self.assertRegex(found.stdout + found.stderr,
                             "statically linked|not a dynamic executable", program)

    def test_2_a_user_installs_it_and_gets_a_verdict(self):
        run("useradd", "--create-home", USER)
        home = pathlib.Path(f"/home/{USER}/.local")
        began = time.monotonic()
        shell = subprocess.run(
            [*login(USER), "-c", f"{self.tree}/install.sh && "
             "PATH=~/.local/bin:$PATH benchctl compare 'sleep 0.01' 'sleep 0.03'"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        print(f"    from install.sh to the verdict: {time.monotonic() - began:.1f} s", flush=True)
        self.assertEqual(shell.returncode, e2e_support.REGRESSION, shell)
        self.assertIn("REGRESSION", shell.stdout, shell)
        removed = run(*login(USER), "-c", f"{self.tree}/install.sh --remove")
        self.assertIn(f"removed from {home}", removed)
        self.assertEqual(self.files_below(home), [])
        # The user's own daemon would end after ten idle minutes.
        run("userdel", "--force", "--remove", USER)
        run("pkill", "--exact", "benchd")

    def test_3_installed_for_the_machine_it_runs_and_compares(self):
        run(self.tree / "install.sh", "--system")
        make_people()
        self.assert_running()
        for file in self.files_below(PREFIX):
            # Whoever unpacked the archive must not be able to replace root's programs.
            self.assertEqual((file.stat().st_uid, file.stat().st_mode & 0o022), (0, 0), file)
        self.assertEqual(stat.S_IMODE(os.stat("/run/benchd/benchd.sock").st_mode), 0o660)
        self.before = machine_state.read()
        gate, client, started = self.session_at_gate()
        self.assert_held(started, "cpuset", "governor")
        self.finish(gate, client)
        self.assert_machine_as_before()

    def test_4_an_upgrade_continues_the_session_that_runs(self):
        gate, client, _ = self.session_at_gate()
        old = [main_pid(service) for service in installation.SERVICES]
        run(self.tree / "install.sh", "--system")
        gate.arrived()  # The interrupted run, repeated.
        self.finish(gate, client)
        self.assert_running()
        for service, pid in zip(installation.SERVICES, old):
            self.assertNotEqual(main_pid(service), pid, service)

    def test_5_removed_in_the_middle_of_a_session_it_leaves_only_state(self):
        gate, client, _ = self.session_at_gate()
        run(self.tree / "install.sh", "--system", "--remove")
        client.close()
        self.assertEqual(e2e_support.wait_for_no_process_with(gate.marker), [])
        self.assertEqual(self.files_below(PREFIX), [])
        for name in UNITS:
            self.assertEqual(unit(name, "LoadState"), "not-found", name)
        self.assertEqual(pristine.left(), [])
        self.assertTrue((STATE / "benchd.db").exists())
