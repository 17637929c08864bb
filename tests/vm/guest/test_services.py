"""The units: they start on demand, and again after a hang."""

import grp
import os
import pathlib
import pwd
import re
import signal
import socket

import e2e_support
import installation
from core import core
from guest import ALICE, STRANGER, GuestTest, main_pid, read, run, unit, wait_until


class StartTest(GuestTest):
    def test_the_user_and_the_groups_are_made_by_sysusers(self):
        self.assertEqual(pwd.getpwnam("benchd").pw_shell.split("/")[-1], "nologin")
        self.assertEqual(grp.getgrnam("benchd-admin").gr_mem, ["ada"])

    @core("core-a")
    def test_enabled_units_run(self):
        run("systemctl", "enable", "--now", *installation.SOCKETS, "benchd.service")
        for name in (*installation.SOCKETS, *installation.SERVICES):
            self.assertEqual(unit(name, "ActiveState"), "active", name)
            if name != "benchd-runner.service":
                self.assertEqual(run("systemctl", "is-enabled", name), "enabled")

    @core("core-a")
    def test_only_the_runner_is_root(self):
        for name, uid in (("benchd.service", pwd.getpwnam("benchd").pw_uid),
                          ("benchd-runner.service", 0)):
            self.assertEqual(os.stat(f"/proc/{main_pid(name)}").st_uid, uid, name)

    @core("core-a")
    def test_sockets_belong_to_whom_they_are_for(self):
        control, runner = os.stat("/run/benchd/benchd.sock"), os.stat("/run/benchd/runner.sock")
        self.assertEqual((control.st_mode & 0o777, control.st_gid),
                         (0o660, grp.getgrnam("benchd").gr_gid))
        self.assertEqual((runner.st_mode & 0o777, runner.st_uid),
                         (0o600, pwd.getpwnam("benchd").pw_uid))

    @core("core-a")
    def test_a_stranger_is_told_which_group_to_join(self):
        done = self.benchctl("list", who=STRANGER)
        self.assert_exit(done, e2e_support.REFUSED)
        self.assert_one_error(done, "benchd")
        self.assertIn("hint: ", done.stderr)

    def test_systemd_thinks_well_of_the_daemons_sandbox(self):
        said = run("systemd-analyze", "security", "--no-pager", "benchd.service")
        exposure = float(re.search(r"exposure level for benchd.service: ([0-9.]+)", said).group(1))
        self.assertLess(exposure, 2)


class WhomARunMayBeTest(GuestTest):
    def test_a_run_is_its_caller_with_the_groups_of_the_user_database(self):
        out = self.folder / "groups"
        out.touch()
        out.chmod(0o666)
        self.assert_exit(self.compare(command=self.script(f"id -Gn >{out}; echo n 1000")),
                         e2e_support.PASS)
        self.assertEqual(set(read(out).split()), {ALICE, "benchd"})


class ActivationTest(GuestTest):
    @core("core-a")
    def test_a_client_starts_the_daemon(self):
        run("systemctl", "stop", "benchd.service")
        self.assertEqual(unit("benchd.service", "ActiveState"), "inactive")
        self.assert_exit(self.benchctl("list"), 0)
        self.assertEqual(unit("benchd.service", "ActiveState"), "active")

    @core("core-a")
    def test_a_session_starts_daemon_and_runner(self):
        run("systemctl", "stop", *installation.SERVICES)
        self.assert_exit(self.compare(), e2e_support.PASS)
        self.assertEqual(unit("benchd-runner.service", "ActiveState"), "active")

    @core("core-a")
    def test_the_runner_turns_others_away(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect("/run/benchd/runner.sock")
            client.settimeout(e2e_support.TIMEOUT_S)
            self.assertEqual(client.recv(4096), b"")


class WatchdogTest(GuestTest):
    @core("core-a")
    def test_a_daemon_that_hangs_is_started_again_and_the_machine_given_back(self):
        # The shipped values permit a hang of 30 s and 30 s to exit, which is too long for a test.
        self.drop_in("benchd.service", "[Service]\nWatchdogSec=3\nTimeoutAbortSec=3\n")
        run("systemctl", "restart", "benchd.service")
        gate, client, _ = self.session_at_gate()
        hung = main_pid("benchd.service")
        os.kill(hung, signal.SIGSTOP)
        new = wait_until(
            lambda: (pid := main_pid("benchd.service")) not in (0, hung) and pid, "a new benchd")
        wait_until(lambda: unit("benchd.service", "ActiveState") == "active", "benchd is ready")
        gate.arrived()  # The session continues.
        self.finish(gate, client)
        self.assertEqual(e2e_support.wait_for_no_process_with(gate.marker), [])
        self.assert_machine_as_before()
        self.assertEqual(main_pid("benchd.service"), new)
        self.assertIn("watchdog", run("journalctl", "--no-pager", "--unit=benchd.service").lower())


class AsTheirUserTest(GuestTest):
    """Benchmarks see the machine as their user does, not as the daemon's sandbox does."""

    def in_a_session(self, *lines):
        command = self.script("\n".join([*lines, "echo n 1000"]))
        done = self.compare("--runs", "8", command=command)
        self.assert_exit(done, e2e_support.PASS)

    @core("core-a")
    def test_home_can_be_written_and_tmp_is_everybodys(self):
        home, tmp = pathlib.Path("/home/alice/written"), pathlib.Path("/tmp/of-alice")
        self.addCleanup(home.unlink)
        self.addCleanup(tmp.unlink)
        self.in_a_session(f"id -un >{home}", f"echo here >{tmp}")
        self.assertEqual(read(home), ALICE)
        self.assertEqual((read(tmp), tmp.owner()), ("here", ALICE))

    def test_memory_may_be_writable_and_executable(self):
        self.in_a_session(
            "/usr/bin/python3 -c 'import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_READ |"
            " mmap.PROT_WRITE | mmap.PROT_EXEC)' || exit 1")

    @core("core-a")
    def test_nothing_of_the_services_limits_is_inherited(self):
        out = self.folder / "limits"
        out.touch()
        out.chmod(0o666)
        self.in_a_session(f"cat /proc/self/oom_score_adj >{out}", "grep -E '^(NoNewPrivs|Seccomp|"
                          f"CapBnd):' /proc/self/status >>{out}", f"nice >>{out}")
        found = read(out).split("\n")
        self.assertEqual(found[0], "0")
        self.assertRegex(read(out), r"NoNewPrivs:\s+0\n")
        self.assertRegex(read(out), r"Seccomp:\s+0\n")
        self.assertEqual(found[-1], "0")
