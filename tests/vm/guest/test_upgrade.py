"""Upgrades the Debian packages of an earlier version to these, on a machine that uses them.

The tests are steps that run in this order.
"""

import grp
import pathlib

import e2e_support
import installation
import machine_state
from debian_packages import NAMES, PackageCase, apt, installed_version, packages
from guest import ADMIN, LINES, main_pid, make_people, run

EARLIER = pathlib.Path("earlier").resolve()


class UpgradeTest(PackageCase):
    def test_1_the_upgrade_keeps_history_queue_and_the_session_that_runs(self):
        apt("install", *EARLIER.glob("*.deb"))
        make_people()
        earlier = [installed_version(name) for name in NAMES]
        ended = self.compare("--runs", "8")
        self.assert_exit(ended, e2e_support.PASS)
        self.before = machine_state.read()
        gate, client, started = self.session_at_gate()
        queued = self.benchctl_json(
            "submit", *LINES, "--runs", "8", "echo n 1000", "echo n 1000")
        self.assert_exit(queued, 0)
        old = [main_pid(service) for service in installation.SERVICES]

        apt("install", *packages())

        for name, version in zip(NAMES, earlier):
            now = installed_version(name)
            run("dpkg", "--compare-versions", now, "gt", version)
            print(f"    {name} {version} is now {now}", flush=True)
        self.assertEqual(run("dpkg", "--verify", *NAMES), "")
        self.assert_running()
        for service, pid in zip(installation.SERVICES, old):
            self.assertNotEqual(main_pid(service), pid, service)
        gate.arrived()  # The interrupted run, repeated.
        gate.open()
        client.close()  # The earlier benchctl.
        for session in (started["session"], queued.events[-1]["session"]):
            self.assert_exit(self.benchctl_json("watch", session), e2e_support.PASS)
        listed = self.benchctl("list", "--all")
        self.assert_exit(listed, 0)
        for session in (ended.events[-1]["session"], started["session"]):
            self.assertIn(session, listed.stdout)
            self.assert_exit(self.benchctl("show", session), 0)
        self.assert_exit(self.compare("--runs", "8"), e2e_support.PASS)
        self.assert_machine_as_before()

    def test_2_purged_it_leaves_nothing(self):
        apt("purge", *NAMES)
        self.assert_no_units()
        self.assert_no_trace()
        self.assertEqual(grp.getgrnam("benchd-admin").gr_mem, [ADMIN])
