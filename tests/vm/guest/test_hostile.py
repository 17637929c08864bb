"""Hostile programs of one user, on a machine that others use: system mode with real limits."""

import os
import pwd

import e2e_support
from core import core
from guest import ADMIN, ALICE, DOOMED, GuestTest, main_pid, run, wait_until
from hostile_cases import CONFIG, LINES, LimitCases, SystemCases, groups_of_runs


@core(
    "core-b", "test_what_it_leaves_running_ends_with_the_run", "test_a_limit_says_whose_it_is",
    "test_it_allocates_without_end", "test_its_children_together_allocate_without_end",
    "test_it_kills_all_of_its_users_processes", "test_it_leaves_a_process_of_roots",
    "test_a_killed_runner_leaves_no_bomb_and_no_group")
class HostileTest(LimitCases, SystemCases, GuestTest):
    configuration = CONFIG

    def setUp(self):
        super().setUp()
        self.doomed_uid = pwd.getpwnam(DOOMED).pw_uid
        self.writable = self.folder / "alices"
        self.writable.mkdir()
        person = pwd.getpwnam(ALICE)
        os.chown(self.writable, person.pw_uid, person.pw_gid)
        self.prepare()

    def pids_now(self):
        return main_pid("benchd.service"), main_pid("benchd-runner.service")

    def as_hostile(self, *words):
        return self.benchctl_json(*words, who=ALICE)

    def as_next(self, *words):
        return self.benchctl_json(*words, who=ADMIN)

    def as_doomed(self, *words):
        return self.benchctl_json(*words, who=DOOMED)

    as_admin = as_next

    def test_a_killed_runner_leaves_no_bomb_and_no_group(self):
        client = self.start_client("compare", *LINES, "--timeout", "60s", "echo n 1000",
                                   f"{self.program} fork-bomb 300", who=ALICE)
        session = client.until("started")["session"]
        self.await_bomb()
        run("systemctl", "kill", "--signal=KILL", "--kill-whom=main", "benchd-runner.service")
        wait_until(lambda: self.pids_now()[1] not in (0, self.pids_before[1]), "another runner")
        # The session continues with it.
        self.await_bomb()
        self.pids_before = self.pids_now()
        own = f"benchd-run-{self.pids_before[1]}"
        groups = [path for path in groups_of_runs() if own not in path]
        self.assertEqual(groups, [])
        self.assert_exit(self.as_admin("cancel", session), 0)
        self.assertEqual(client.finish(), e2e_support.CANCELLED)
        self.assert_contained()

    def await_bomb(self):
        wait_until(lambda: len(e2e_support.processes_with(str(self.program))) > 20, "a bomb")
