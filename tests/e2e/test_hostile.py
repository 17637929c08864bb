"""Hostile programs on this machine: in system mode, which guarantees containment (root runner,
children with other uids), and with one unprivileged uid for everything and no control group.
Limits of whole trees need controllers that only units of systemd have; tests/vm covers them."""

import os
import pathlib
import signal
import unittest

from hostile_cases import (CONFIG, LINES, PROCESSES, TIMED_OUT, CommonCases, SystemCases,
                           groups_of_runs)
from main import main
from support import FAILED, PASS, DaemonTest, wait_for_no_process_with
from test_system_mode import SystemModeTest, copy_programs

# These uids have no entry in /etc/passwd, so only our processes use them.
HOSTILE_UID, NEXT_UID, DOOMED_UID = 61240, 61241, 61242


@unittest.skipUnless(os.getuid() == 0, "needs root")
class SystemModeHostileTest(SystemCases, SystemModeTest):
    doomed_uid = DOOMED_UID
    runners = [HOSTILE_UID, NEXT_UID, DOOMED_UID]

    def setUp(self):
        super().setUp()
        self.writable = self.home
        os.chown(self.home, HOSTILE_UID, HOSTILE_UID)
        self.prepare()
        # Without that controller the kernel limits processes per user and does not report it.
        counts = any(pathlib.Path(group, "pids.max").exists()
                     for group in self.own_groups(self.runner.pid))
        self.bomb_error = f"{PROCESSES} and {TIMED_OUT}" if counts else TIMED_OUT

    def need_groups(self):
        if not self.own_groups(self.runner.pid):
            self.skipTest("cannot create control groups of version 2")

    def write_config(self, access):
        super().write_config(access + CONFIG)

    def pids_now(self):
        self.assertIsNone(self.runner.poll(), self.log_of_runner())
        self.assertIsNone(self.daemon.process.poll(), self.daemon.log_text())
        return self.daemon.pid, self.runner.pid

    def as_hostile(self, *words):
        return self.benchctl_json(*words, **self.as_user(HOSTILE_UID))

    def as_next(self, *words):
        return self.benchctl_json(*words, **self.as_user(NEXT_UID))

    def as_doomed(self, *words):
        return self.benchctl_json(*words, **self.as_user(DOOMED_UID))

    def as_admin(self, *words):
        return self.benchctl_json(*words)

    def own_groups(self, pid):
        return [path for path in groups_of_runs() if f"benchd-run-{pid}" in path]

    def test_its_control_groups_go_with_the_runner(self):
        self.need_groups()
        self.fails(self.bomb_error, "fork-bomb", 300)
        pid = self.runner.pid
        self.assertNotEqual(self.own_groups(pid), [])
        self.stop_runner()
        self.assertEqual(self.own_groups(pid), [])

    def test_a_killed_runners_groups_go_with_the_next(self):
        self.need_groups()
        self.fails(self.bomb_error, "fork-bomb", 300)
        pid = self.runner.pid
        self.runner.kill()
        self.runner.wait()
        self.assertNotEqual(self.own_groups(pid), [])
        self.start_runner()
        self.assert_exit(self.as_next("compare", *LINES, "echo n 1000", "echo n 1000"), PASS)
        self.assertEqual(self.own_groups(pid), [])


@unittest.skipUnless(os.getuid() == 0, "needs root")
class UserModeHostileTest(CommonCases, DaemonTest):
    starts_daemon = False
    # The kernel limits processes per user and does not report which program reached it.
    bomb_error = TIMED_OUT

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        copy_programs(self.folder)
        self.writable = self.folder / "state"
        config = self.folder / "benchd.toml"
        config.write_text(CONFIG)
        for name in (".", "run", "state", "config"):
            os.chown(self.folder / name, HOSTILE_UID, HOSTILE_UID)
        self.daemon.start(
            [self.folder / "bin/benchd", "--user", "--force", "--socket", self.daemon.socket,
             "--config", config],
            user=HOSTILE_UID, group=HOSTILE_UID, extra_groups=[])
        # The first session starts the runner.
        self.as_next("compare", *LINES, "echo n 1000", "echo n 1000")
        self.prepare()

    def pids_now(self):
        self.assertIsNone(self.daemon.process.poll(), self.daemon.log_text())
        return self.daemon.pid, self.daemon.runner_pid()

    def as_hostile(self, *words):
        return self.benchctl_json(
            *words, user=HOSTILE_UID, group=HOSTILE_UID, extra_groups=[], cwd="/")

    as_next = as_hostile

    def test_it_can_have_no_more_processes_than_the_user_may(self):
        self.clean("count-forks", 100)

    def test_a_process_of_roots_fails_its_session_and_no_other(self):
        self.make_set_user_id()
        done = self.attempt("leave-root")
        self.assert_exit(done, FAILED)
        self.assertIn("a process that it left behind cannot be killed", done.events[-1]["error"])
        left = wait_for_no_process_with(str(self.program), timeout=0)
        self.assertEqual(len(left), 1)
        self.assert_exit(self.as_next("compare", *LINES, "echo n 1000", "echo n 1000"), PASS)
        os.kill(left[0], signal.SIGKILL)
        self.assert_contained()


if __name__ == "__main__":
    main()
