"""What one cannot do to another: benchd to the machine, a user to the other users and to root."""

import os
import grp
import pwd
import re
import subprocess

import e2e_support
from core import core
from guest import ALICE, STRANGER, GuestTest, main_pid, run, start_services

RUNNER = "benchd-runner.service"
PROGRAM = "/usr/bin/id"
# Whose members read and write every disk, past all rights of files.
DISK = grp.getgrnam("disk").gr_gid


def ids_of(name):
    person = pwd.getpwnam(name)
    return person.pw_uid, person.pw_gid


class ForgedRequestTest(GuestTest):
    """A benchd that was taken over, at the installed runner's own socket."""

    def setUp(self):
        super().setUp()
        self.addCleanup(start_services)
        run("systemctl", "stop", "benchd.socket", "benchd.service")

    def forge(self, uid, gid, *groups):
        """What comes of a lookup and of a run as that caller."""
        program = e2e_support.PROGRAMS / "forged_request"
        done = subprocess.run(
            [str(word) for word in (program, "/run/benchd/runner.sock", uid, gid, *groups)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=e2e_support.PATIENCE_S, **self.by("benchd"))
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
        nothing = "benchd-runner: it starts nothing as uid "
        self.assert_refused(f"{nothing}0: allow_root is not set", 0, 0)
        self.assert_refused("caller: -1 is nobody's uid or gid", -1, gid)
        self.assert_refused("caller: -1 is nobody's uid or gid", uid, -1)
        self.assert_refused(f"{nothing}{uid}: gid {DISK} is none of its groups", uid, DISK)
        self.assert_refused(f"{nothing}{stranger}: it is no member of the group benchd",
                            stranger, of_stranger, of_benchd)
        self.assert_refused(f"{nothing}{benchd}: that is benchd itself", benchd, of_benchd)
        self.assert_refused(f"{nothing}1: it is a user of the system's own", 1, 1)
        self.assertEqual(main_pid(RUNNER), runner)
        start_services()
        self.assert_exit(self.compare(), e2e_support.PASS)
