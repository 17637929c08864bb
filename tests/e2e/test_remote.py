"""--host: a session on another machine, with a script in place of ssh.

tests/ssh uses a real sshd.
"""

import os
import signal
import subprocess
import time

import support
from main import main
from processes import wait_for_exit
from remote_login import RemoteLogin


class RemoteTest(RemoteLogin, support.DaemonTest):
    """Properties of the other machine, and broken connections."""

    def compare_at_a_gate(self):
        """A client whose session is running and waits at a gate."""
        gate = self.gate()
        client = self.start_client(
            "compare", "--parse", "lines", "--metric", "n:2%:lower", "--runs", "8",
            gate.command, gate.command)
        client.until("started")
        gate.arrived()
        return client, gate

    # ---- properties of the other machine ----

    def test_a_session_has_the_login_and_folder_of_the_other_machine(self):
        (self.home / "marks").mkdir()
        done = self.benchctl_json(
            "compare", "--runs", "8", "--shell", "--input", "marks/../.profile",
            "--setup", "printenv REMOTE >marks/environment; touch .profile",
            *["pwd >marks/folder"] * 2)
        self.assertIn(done.code, (support.PASS, support.UNDECIDED, support.REGRESSION), done)
        self.assertEqual((self.home / "marks/environment").read_text(), "yes\n")
        self.assertEqual((self.home / "marks/folder").read_text(), f"{self.home}\n")

    def test_a_file_is_read_here_and_its_folders_are_there(self):
        suite = self.folder / "suite.toml"
        suite.write_text("""
            [defaults]
            runs = 8
            [[arm]]
            name = "a"
            dir = "a"
            command = "{dir}/program"
            [[arm]]
            name = "b"
            dir = "a"
            command = "{dir}/program"
        """)
        (self.home / "a").mkdir()
        (self.home / "a/program").write_text("#!/bin/sh\n")
        (self.home / "a/program").chmod(0o755)
        done = self.benchctl("compare", "-f", suite)
        self.assertNotIn(done.code, (support.USAGE, support.FAILED, support.REFUSED), done)

    def test_a_folder_that_is_only_here_fails_there(self):
        done = self.benchctl("compare", "--cwd", self.folder / "nowhere", "true", "true")
        self.assert_exit(done, support.FAILED)
        self.assertIn(f"cwd: {self.folder / 'nowhere'}: No such file or directory", done.stderr)

    def test_the_newest_session_is_that_of_the_login_there(self):
        self.benchctl("compare", "--runs", "8", "true", "true")
        shown = self.benchctl_json("show")
        self.assert_exit(shown, support.PASS)
        listed = self.benchctl("list", "--all")
        self.assertIn(shown.events[0]["session"], listed.stdout)

    # ---- choice of the daemon ----

    def test_ssh_is_called_so_that_no_word_can_be_an_option(self):
        self.benchctl("list", "--host", "ssh://ci@far:2222", "--no-autostart")
        words = (self.folder / "ssh.words").read_text().split()
        self.assertEqual(words[-4:], ["far", "benchctl", "dial-stdio", "--no-autostart"])
        self.assertEqual(words[-5], "--")
        self.assertIn("-T", words)
        self.assertIn("-oConnectTimeout=10", words)
        self.assertIn("-oServerAliveInterval=15", words)
        self.assertEqual(words[words.index("-p") + 1], "2222")
        for host in ("ssh://-oProxyCommand=id", "ssh://-l@far", "far"):
            done = self.benchctl("list", "--host", host)
            self.assert_exit(done, support.USAGE)
            self.assert_one_error(done, "--host", "ssh://[USER@]HOST[:PORT]")

    def test_a_socket_and_a_host_exclude_each_other(self):
        done = self.benchctl("list", "--host", "ssh://far", "--socket", self.daemon.socket)
        self.assert_exit(done, support.USAGE)
        self.assert_one_error(done, "--host", "--socket")
        both = support.DaemonTest.client_environment(self, BENCHD_HOST="ssh://far")
        done = self.benchctl("list", environment=both)
        self.assert_exit(done, support.USAGE)
        self.assert_one_error(done, "BENCHD_HOST", "BENCHD_SOCKET")
        self.assert_exit(
            self.benchctl("list", "--socket", self.daemon.socket), support.PASS)

    def test_what_ends_ssh_is_told_in_its_own_words(self):
        for host, words in (
                ("ssh://denied", ["ssh: ci@denied: Permission denied (publickey)"]),
                ("ssh://empty", ["benchctl is not installed on empty"]),
                ("ssh://other", ["ssh://other", "'This account is for backups.'"]),
                ("ssh://dead", ["ssh://dead: no daemon answers at /nonexistent/benchd.sock"])):
            with self.subTest(host=host):
                done = self.benchctl("list", "--host", host)
                self.assert_exit(done, support.REFUSED)
                self.assert_one_error(done, *words)
                self.assertNotIn("gRPC", done.stderr)
        gone = dict(self.client_environment(), BENCHD_SSH="/nonexistent/ssh")
        done = self.benchctl("list", environment=gone)
        self.assert_exit(done, support.REFUSED)
        self.assert_one_error(done, "/nonexistent/ssh: No such file")

    # ---- broken connections ----

    def test_a_lost_connection_loses_no_verdict(self):
        client, gate = self.compare_at_a_gate()
        first = self.ssh_of(client)
        os.kill(first, signal.SIGKILL)
        gate.open()
        self.assertEqual(client.finish(), support.PASS, client.stderr)
        self.assertEqual(client.events[-1]["event"], "verdict")
        self.assertIn("the connection to ssh://ci@far went away", client.stderr)
        listed = self.benchctl_json("list", "--all")
        self.assertEqual(len(listed.events), 1, "submitted once")

    def test_an_interrupt_cancels_over_there(self):
        client, _ = self.compare_at_a_gate()
        # A terminal signals both; ssh first, because it exits with a client that has cancelled.
        os.kill(self.ssh_of(client), signal.SIGINT)
        client.process.send_signal(signal.SIGINT)
        self.assertEqual(client.finish(), support.INTERRUPTED, client.stderr)
        self.assertEqual(client.events[-1]["event"], "cancelled")

    def test_ssh_ends_with_a_client_that_is_killed(self):
        client, gate = self.compare_at_a_gate()
        ssh = self.ssh_of(client)
        client.process.kill()
        client.process.wait()
        self.assertTrue(wait_for_exit(ssh))
        gate.open()  # the session continues without the client
        done = self.benchctl_json("watch", client.events[0]["session"])
        self.assert_exit(done, support.PASS)

    def test_a_host_that_comes_back_later_is_knocked_at_again(self):
        client, gate = self.compare_at_a_gate()
        (self.folder / "refuse").touch()
        os.kill(self.ssh_of(client), signal.SIGKILL)
        words = self.folder / "ssh.words"
        deadline = time.monotonic() + support.TIMEOUT_S
        while "BatchMode" not in words.read_text():  # until it reconnects
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        (self.folder / "refuse").unlink()
        gate.open()
        self.assertEqual(client.finish(), support.PASS, client.stderr)

    # ---- dial-stdio alone ----

    def test_dial_stdio_ends_when_nobody_speaks(self):
        done = subprocess.run(
            [support.BIN / "benchctl", "dial-stdio"], env=support.DaemonTest.client_environment(self),
            cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=support.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done)
        lines = done.stdout.split(b"\n")
        self.assertEqual(lines[0], b"", "earlier output is on another line")
        self.assertTrue(lines[1].startswith(b"benchd-dial-stdio 1 {"), lines[1])


if __name__ == "__main__":
    main()
