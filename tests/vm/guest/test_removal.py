"""After stopping and uninstalling, only the administrator's files are left."""

import pathlib
import re

import e2e_support
import installation
import pristine
from core import core
from guest import GuestTest, configure, run, start_services, unit


@core("core-a")
class RemovalTest(GuestTest):
    def _stop_and_look(self):
        for client in self._clients:
            client.close()

    def assert_pristine(self):
        self.assertEqual(pristine.left(), [])

    def test_1_stopping_in_the_middle_of_a_session_leaves_nothing(self):
        gate, client, _ = self.session_at_gate()
        run("systemctl", "stop", "benchd-runner.socket", "benchd.socket", *installation.SERVICES)
        # Otherwise it would look for another benchd for half a minute.
        client.close()
        self.assertEqual(e2e_support.wait_for_no_process_with(gate.marker), [])
        run("systemctl", "stop", "bench.slice")
        self.assert_pristine()
        self.assertEqual(list(pathlib.Path("/sys/fs/cgroup").glob("bench*")), [])

    def test_2_uninstalling_leaves_nothing(self):
        configure("")
        start_services()
        self.assert_exit(self.compare("--runs", "8"), e2e_support.PASS)
        installation.uninstall()
        self.assert_pristine()
        for name in (*installation.SOCKETS, *installation.SERVICES):
            self.assertEqual(unit(name, "LoadState"), "not-found", name)
        # A slice needs no unit file.
        self.assertEqual(unit("bench.slice", "FragmentPath", "ActiveState"), ["", "inactive"])
        running = [e2e_support.name_of(pid) for pid in e2e_support.all_pids()]
        self.assertEqual([name for name in running if name.startswith("bench")], [])
        self.assertEqual([str(path) for path in installation.files() if path.exists()], [])
        units = run("systemctl", "list-units", "--all", "--no-legend", "--plain", "bench*")
        self.assertEqual(re.findall(r"^\S+", units, re.MULTILINE), [])
