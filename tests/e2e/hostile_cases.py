"""Cases of programs/hostile.cc and their expected results, for test_hostile.py and for the test
machine (tests/vm), which has real cgroups.

Each deed ends with a named error or with a clean result and leaves nothing behind. The daemon, the
runner and the next session are not affected. The limits are small, and the program also limits
itself.
"""

import os
import pathlib
import shutil
import signal
import subprocess

try:
    import e2e_support as support  # the module's name in the test machine
except ImportError:
    import support

LINES = ("--parse", "lines", "--metric", "n:2%:lower")

CONFIG = """[children]
memory_mib = 64
pids = 60
open_files = 64
file_size_mib = 8
core_mib = 0
cpu_seconds = 6
"""

TIMED_OUT = "timed out after 1 s and was killed with all its children"
PROCESSES = "reached its limit of 60 processes"
MEMORY = "exceeded its memory limit of 64 MiB"
KILLED = "was killed by signal 9 (Killed)"


def groups_of_runs():
    """Every control group that a runner has created for its runs."""
    return {str(path) for path in pathlib.Path("/sys/fs/cgroup").glob("**/benchd-run-*")}


def processes_in_groups(own):
    """Processes in groups whose names contain `own`."""
    found = []
    for group in groups_of_runs():
        try:
            if own in group:
                found += (pathlib.Path(group) / "cgroup.procs").read_text().split()
        except FileNotFoundError:
            pass
    return found


class Deeds:
    """A mixin for tests. Subclasses provide:

    as_hostile(*words), as_next(*words): benchctl --json as two users;
    pids_now(): the pids of daemon and runner; writable: a folder of the hostile user.
    """

    def prepare(self):
        self.program = self.folder / "hostile"
        shutil.copy(support.PROGRAMS / "hostile", self.program)
        self.program.chmod(0o755)
        self.mounts_before = pathlib.Path("/proc/self/mounts").read_text()
        self.pids_before = self.pids_now()

    def attempt(self, *words, options=()):
        hostile = " ".join(map(str, [self.program, *words]))
        return self.as_hostile("compare", *LINES, *options, "echo n 1000", hostile)

    def clean(self, *words):
        """Runs a deed that must not fail and returns the session's last event."""
        done = self.attempt(*words)
        self.assert_exit(done, support.PASS)
        self.assert_contained()
        return done.events[-1]

    def fails(self, error, *words, options=("--timeout", "1s"), stderr=None):
        """Runs a deed that must end its session with exactly this error."""
        done = self.attempt(*words, options=options)
        self.assert_exit(done, support.FAILED)
        failed = done.events[-1]
        self.assertTrue(failed["error"].endswith(": " + error), failed)
        self.assertEqual(failed["run"]["arm"], "candidate")
        if stderr is not None:
            self.assertEqual(failed["run"]["stderr_tail"], stderr)
        self.assert_contained()
        return failed

    def assert_contained(self):
        # Looks for the program by name, whichever user it runs as by now.
        self.assertEqual(support.wait_for_no_process_with(str(self.program)), [])
        self.assertEqual(processes_in_groups("benchd-run-" + str(self.pids_before[-1])), [])
        self.assertEqual(pathlib.Path("/proc/self/mounts").read_text(), self.mounts_before)
        self.assertEqual(self.pids_now(), self.pids_before)
        self.assert_exit(self.as_next("compare", *LINES, "echo n 1000", "echo n 1000"),
                         support.PASS)

    def make_set_user_id(self):
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("no set-user-ID programs in /tmp")
        os.chown(self.program, 0, 0)
        self.program.chmod(0o4755)


class CommonCases(Deeds):
    """Cases for every environment."""

    def test_what_it_leaves_running_ends_with_the_run(self):
        for deed in (["daemonize"], ["leave-children"], ["namespaces"], ["close-all"],
                     ["chain", 300], ["fork-bomb-left", 200], ["hog", 4]):
            with self.subTest(deed=deed[0]):
                self.clean(*deed)

    def test_it_ignores_every_signal(self):
        self.fails(TIMED_OUT, "ignore-signals")

    def test_it_stops_itself(self):
        self.fails(TIMED_OUT, "stop")

    def test_it_writes_without_end(self):
        self.fails(TIMED_OUT, "fill-stdout", 1000000)
        self.fails(TIMED_OUT, "fill-stderr", 1000000)

    def test_it_prints_more_than_can_be_parsed(self):
        done = self.attempt("fill-stdout", 70, options=("--timeout", "30s"))
        self.assert_exit(done, support.FAILED)
        self.assertIn("stdout: more than 64 MiB, too large to parse", done.events[-1]["error"])
        self.assert_contained()

    def test_a_log_that_is_cut_says_so(self):
        hostile = f"sh -c '{self.program} fill-stdout 2 >&2; echo n 1000'"
        done = self.as_hostile("compare", *LINES, "--output", "log", "echo n 1000", hostile)
        self.assert_exit(done, support.PASS)
        log = self.as_hostile("show", done.events[-1]["session"], "--log")
        self.assertIn("[truncated: the run printed more than 1 MiB]", log.stdout)
        self.assert_contained()

    def test_it_fills_the_disk(self):
        self.fails("killed by signal 25 (File size limit exceeded)",
                   "fill-disk", self.writable / "large", 100, options=("--timeout", "30s"))
        self.assertEqual(list(self.writable.glob("large*")), [])

    def test_a_full_disk_is_the_programs_own_failure(self):
        # /dev/full is always full (full(4)).
        done = self.as_hostile("compare", *LINES, "echo n 1000",
                               f"sh -c '{self.program} fill-stdout 1 >/dev/full'")
        self.assert_exit(done, support.FAILED)
        self.assertIn("exited with code 3", done.events[-1]["error"])
        self.assertEqual(done.events[-1]["run"]["stderr_tail"],
                         "write: No space left on device\n")
        self.assert_contained()

    def test_it_opens_more_files_than_it_may(self):
        self.fails("exited with code 3", "open-files", 1000, stderr="open: Too many open files\n",
                   options=())

    def test_it_uses_more_time_of_a_cpu_than_it_may(self):
        # Only a tenth of a CPU is needed. The limit is just below the program's own alarm.
        self.fails("killed by signal 24 (CPU time limit exceeded)", "spin",
                   options=("--timeout", "58s"))

    def test_one_bomb_after_the_other(self):
        for _ in range(3):
            self.fails(self.bomb_error, "fork-bomb", 300)


class LimitCases(Deeds):
    """Cases that need limits of processes and memory by the run's control group."""

    bomb_error = PROCESSES + " and " + TIMED_OUT

    def test_a_limit_says_whose_it_is(self):
        failed = self.fails(self.bomb_error, "fork-bomb", 300)
        self.assertIn("[children]", failed["hint"])

    def test_a_program_that_gets_by_with_less_is_warned_of(self):
        verdict = self.clean("count-forks", 100)
        warnings = {one["code"]: one["message"] for one in verdict["warnings"]}
        self.assertIn(PROCESSES, warnings["limit_reached"])

    def test_it_allocates_without_end(self):
        self.fails(f"{MEMORY} and {KILLED}", "allocate", 300, options=("--timeout", "30s"))

    def test_its_children_together_allocate_without_end(self):
        self.fails(f"{MEMORY} and {KILLED}", "allocate-together", 300,
                   options=("--timeout", "30s"))


class SystemCases(CommonCases):
    """Cases that need a runner as root, which protects other users' programs."""

    def test_it_traces_and_kills_what_it_can(self):
        self.clean("trace", *self.pids_before)
        self.clean("kill-parent")
        self.clean("leave-group")
        failed = self.as_hostile(
            "compare", *LINES, "echo n 1000", f"sh -c '{self.program} trace-all; exit 1'")
        self.assert_exit(failed, support.FAILED)
        self.assertNotIn("benchd", failed.events[-1]["run"]["stderr_tail"])
        self.assert_contained()

    def test_it_kills_all_of_its_users_processes(self):
        # The client is killed, too, so another user watches the session.
        self.assert_exit(self.as_admin("pause"), 0)
        submitted = self.as_doomed(
            "submit", *LINES, "echo n 1000", f"{self.program} kill-all {self.doomed_uid}")
        self.assert_exit(submitted, 0)
        bystander = subprocess.Popen(["sleep", "600"], user=self.doomed_uid,
                                     group=self.doomed_uid, extra_groups=[])
        self.addCleanup(bystander.kill)
        self.assert_exit(self.as_admin("resume"), 0)
        self.assert_exit(self.as_admin("watch", submitted.events[-1]["session"]), support.PASS)
        self.assertEqual(bystander.wait(timeout=support.GONE_S), -signal.SIGKILL)
        self.assert_contained()

    def test_it_leaves_a_process_of_roots(self):
        self.make_set_user_id()
        self.clean("leave-root")
