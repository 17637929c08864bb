"""Limits of harm: by benchd to the machine, and by a user to other users and to root."""

import grp
import os
import pathlib
import pwd
import re
import resource
import subprocess

import e2e_support
import fuse_mount
from core import core, times
from guest import (ADMIN, ALICE, DOOMED, LINES, STRANGER, GuestTest, main_pid, read, run,
                   start_services, wait_until)

RUNNER = "benchd-runner.service"
PROGRAM = "/usr/bin/id"
# Its members can read and write every disk, regardless of the permissions of files.
DISK = grp.getgrnam("disk").gr_gid


def ids_of(name):
    person = pwd.getpwnam(name)
    return person.pw_uid, person.pw_gid


class ForgedRequestTest(GuestTest):
    """A compromised benchd at the socket of the installed runner."""

    def setUp(self):
        super().setUp()
        self.addCleanup(start_services)
        run("systemctl", "stop", "benchd.socket", "benchd.service")

    def forge(self, uid, gid, *groups):
        """The results of a lookup and of a run as that caller."""
        program = e2e_support.PROGRAMS / "forged_request"
        done = subprocess.run(
            [str(word) for word in (program, "/run/benchd/runner.sock", uid, gid, *groups)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=e2e_support.TIMEOUT_S, **self.by("benchd"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        found = re.fullmatch(r"lookup: (.*)\nrun: (.*)\n", done.stdout)
        self.assertTrue(found, done.stdout)
        return found.groups()

    def assert_refused(self, why, *ids):
        self.assertEqual(self.forge(*ids), (why, why))

    @core("core-b")
    def test_a_user_has_no_more_groups_than_the_user_database_gives(self):
        uid, gid = ids_of(ALICE)
        lookup, said = self.forge(uid, gid, *self.by(ALICE)["extra_groups"], 0, DISK)
        self.assertEqual(lookup, PROGRAM)
        self.assertEqual(said, run("id", ALICE))
        self.assertNotIn("disk", said)

    @core("core-b")
    def test_nobody_else_is_to_be_had(self):
        uid, gid = ids_of(ALICE)
        stranger, of_stranger = ids_of(STRANGER)
        benchd, of_benchd = ids_of("benchd")
        runner = main_pid(RUNNER)
        nothing = "benchd-runner: will not run programs as uid "
        self.assert_refused(f"{nothing}0: allow_root is not set", 0, 0)
        self.assert_refused("caller: -1 is not a valid uid or gid", -1, gid)
        self.assert_refused("caller: -1 is not a valid uid or gid", uid, -1)
        self.assert_refused(f"{nothing}{uid}: gid {DISK} is not one of its groups", uid, DISK)
        self.assert_refused(f"{nothing}{stranger}: it is not a member of the group benchd",
                            stranger, of_stranger, of_benchd)
        self.assert_refused(f"{nothing}{benchd}: that is benchd's own uid", benchd, of_benchd)
        self.assert_refused(f"{nothing}1: it is a system user", 1, 1)
        self.assertEqual(main_pid(RUNNER), runner)
        start_services()
        self.assert_exit(self.compare(), e2e_support.PASS)


def connections():
    """The connections at the control socket, including the listening one."""
    return read("/proc/net/unix").count(" " + str(e2e_support.SYSTEM_SOCKET))


class StarvationTest(GuestTest):
    """Programs that take too long to read delay their own user, but no other."""

    @core("core-a")
    def test_lookups_of_one_user_hold_up_no_other(self):
        many = times(20, 41)
        endless = self.folder / "endless"
        endless.touch()
        endless.chmod(0o755)
        os.truncate(endless, 1 << 40)
        gate, client, _ = self.session_at_gate()
        pids = main_pid("benchd.service"), main_pid(RUNNER)
        before = connections()
        others = []
        # Starting 41 of them here takes longer than the timeout of the first.
        def ended():
            return [one for one in others if one.process.poll() is not None]
        for _ in range(many):
            others.append(self.start_client("submit", *LINES, endless, endless, who=DOOMED))
            # Started all at once on a busy host, some were told that the daemon did not answer in
            # time.
            wait_until(lambda: connections() + len(ended()) >= before + len(others), "it has asked")
        ended_before = ended()
        submitted = self.benchctl_json("submit", *LINES, "echo n 1000", "echo n 1000")
        self.assert_exit(submitted, 0)
        ended_meanwhile = [one for one in ended() if one not in ended_before]
        for one in others:
            self.assertEqual(one.finish(), e2e_support.REFUSED, one.events)
            self.assert_one_error(one, str(endless))
            self.assertRegex(one.stderr, "reading it takes over 20 s|of the same user ")
        # Two lookups of one user run at a time, for up to 20 s each, so few time out while another
        # user's client starts and is answered, even on a slow machine. With one queue for all users
        # and eight at a time, 13 of 20 did. Lookups that are refused at once do not count.
        timed_out = [one for one in ended_meanwhile if "takes over 20 s" in one.stderr]
        self.assertLess(len(timed_out), many // 2)
        # This run has lasted longer than all of the lookups.
        self.finish(gate, client)
        done = self.benchctl_json("watch", submitted.events[-1]["session"])
        self.assert_exit(done, e2e_support.PASS)
        self.assertEqual((main_pid("benchd.service"), main_pid(RUNNER)), pids)


class HangingMountTest(GuestTest):
    """Sessions whose working directory does not answer, or stops answering."""

    def setUp(self):
        super().setUp()
        folder = self.folder / "mount"
        folder.mkdir()
        self.mount = fuse_mount.FuseMount(folder)
        self.addCleanup(self.mount.close)
        self.pids = self.pids_now()

    @staticmethod
    def pids_now():
        return main_pid("benchd.service"), main_pid(RUNNER)

    def hanging_child(self, *words):
        """A client of ALICE and its hanging child, which has her uid but has not yet executed her
        program."""
        self.assert_exit(self.benchctl("pause", who=ADMIN), 0)
        client = self.start_client("compare", *LINES, *words, "--cwd", self.mount.folder,
                                   "echo n 1000", "echo n 1000")
        client.until("queued")
        self.mount.hang()
        self.assert_exit(self.benchctl("resume", who=ADMIN), 0)
        child = self.mount.await_victim(e2e_support.TIMEOUT_S)
        self.assertEqual(pathlib.Path(f"/proc/{child}").owner(), ALICE)
        # Until execve, a child has the name of the process that created it.
        self.assertEqual(e2e_support.name_of(child), "benchd-spawner")
        return client, child

    def error_of(self, client):
        self.assertEqual(client.finish(), e2e_support.FAILED, client.events)
        return client.events[-1]["error"]

    @core("core-b")
    def test_the_session_fails_alone(self):
        client, child = self.hanging_child("--timeout", "1s")
        self.assertIn(f"did not start within the timeout (cwd {self.mount.folder})",
                      self.error_of(client))
        self.assert_hangs_alone(child)

    def test_a_lookup_fails_alone(self):
        self.mount.hang()
        client = self.start_client("submit", *LINES, "--cwd", self.mount.folder, "echo n 1000",
                                   "echo n 1000")
        helper = self.mount.await_victim(e2e_support.TIMEOUT_S)
        self.assertEqual(client.finish(), e2e_support.REFUSED, client.events)
        self.assert_one_error(client, "command 'echo': benchd-helper took too long")
        # Its control group also remains for that time.
        self.assert_hangs_alone(helper, "^mount |/benchd-run-")

    def assert_hangs_alone(self, process, but="^mount "):
        """Other users and its own user are not affected, and it exits once it gets an answer.

        @param but  expected remains until then, as in assert_machine_as_before()
        """
        state = re.search(r"^State:\s+(\S)", read(f"/proc/{process}/status"), re.MULTILINE)
        self.assertEqual(state.group(1), "D", "SIGKILL waits")
        self.assert_exit(self.compare(who=ADMIN), e2e_support.PASS)
        self.assert_machine_as_before(but)
        self.mount.close()
        wait_until(lambda: not pathlib.Path(f"/proc/{process}").exists(), "it has ended")
        self.assert_exit(self.compare(), e2e_support.PASS)
        self.assertEqual(self.pids_now(), self.pids)

    @core("core-b")
    def test_no_core_has_the_runners_memory(self):
        cores = self.folder / "cores"
        cores.mkdir()
        cores.chmod(0o777)
        self.set_sysctl("kernel/core_pattern", f"{cores}/%e")
        # Also allow cores of processes that have changed their ids, as systemd-coredump does.
        self.set_sysctl("fs/suid_dumpable", "2")
        limits = resource.getrlimit(resource.RLIMIT_CORE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_CORE, limits)
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        client, child = self.hanging_child()
        for name in ("mem", "maps", "environ"):
            self.assertEqual(pathlib.Path(f"/proc/{child}/{name}").owner(), "root", name)
        for name in ("QUIT", "SEGV"):
            subprocess.run(["sh", "-c", f"kill -{name} {child}"], check=True, **self.by(ALICE))
        self.mount.answer()
        # Of several pending signals, SIGSEGV comes first (kernel/signal.c, next_signal).
        self.assertIn("was killed by signal 11 before it started", self.error_of(client))
        self.assertEqual(os.listdir(cores), [])
        self.assertEqual(self.pids_now(), self.pids)
        # Her own program does leave a core.
        self.assert_exit(self.compare(command="sh -c 'kill -QUIT $$'"), e2e_support.FAILED)
        self.assertEqual(os.listdir(cores), ["sh"])

    def set_sysctl(self, name, value):
        path = pathlib.Path("/proc/sys") / name
        self.addCleanup(path.write_text, path.read_text())
        path.write_text(value)
