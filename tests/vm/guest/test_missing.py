"""A user daemon without rights over the machine works and reports its limitations."""

import os
import subprocess

import e2e_support
import installation
from core import core
from guest import ALICE, GuestTest


class UserModeTest(GuestTest):
    def setUp(self):
        super().setUp()
        self.socket = self.folder / "own.sock"
        os.chown(self.folder, self.by(ALICE)["user"], -1)
        for name in ("run", "state", "config"):
            os.chown(self.folder / name, self.by(ALICE)["user"], -1)
        self.daemon.start(
            [installation.BIN / "benchd", "--user", "--force", "--socket", self.socket],
            **self.by(ALICE))

    def _stop_and_look(self):
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text())
        super()._stop_and_look()

    @core("core-b")
    def test_a_session_changes_nothing_and_says_so(self):
        gate, client, started = self.session_at_gate("--socket", self.socket)
        self.assertEqual(self.differences(), [])
        for one in started["isolation"]:
            self.assertFalse(one["held"], one)
            self.assertTrue(one["why"], one)
        self.finish(gate, client)

    def test_strict_isolation_is_refused(self):
        done = self.compare("--socket", self.socket, "--isolation", "strict")
        self.assert_exit(done, e2e_support.REFUSED)

    @core("core-b")
    def test_apply_is_refused_with_the_reason(self):
        done = self.benchctl("machine", "apply", "--socket", self.socket)
        self.assert_exit(done, e2e_support.REFUSED)
        self.assertIn("user mode", done.stderr)


class BesideTheSystemsTest(GuestTest):
    def test_a_second_daemon_is_refused(self):
        done = subprocess.run(
            [str(installation.BIN / "benchd"), "--user", "--socket", str(self.folder / "s")],
            env=self.client_environment(XDG_STATE_HOME=str(self.folder)), capture_output=True,
            text=True, timeout=e2e_support.TIMEOUT_S, **self.by(ALICE))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--force", done.stderr)
