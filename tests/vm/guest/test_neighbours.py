"""Two users of the installed service, one of them hostile: the effect on the other one."""

import contextlib
import subprocess

import e2e_support
from guest import ALICE, DOOMED, GuestTest, main_pid, run
from hostile_neighbour import Hostile, MemoryPeak, NeighbourCases, StopWatch

MOST_MEMORY_MIB = 300
MOST_SECONDS_TO_END = 10
# The processors of the machine share one thread of its host, so that whoever computes slows down
# everybody, with benchd or without. The hostile user keeps about two of them busy: one with his
# client, the other one in benchd.
BUSY_PROCESSES = 2


class NeighbourTest(NeighbourCases, GuestTest):
    def as_hostile(self, *words):
        return self.benchctl(*words, who=DOOMED)

    def as_other(self, *words):
        return self.benchctl(*words, who=ALICE)

    @contextlib.contextmanager
    def computing(self):
        """Processes of the hostile user that only compute and do not know of benchd."""
        with contextlib.ExitStack() as ended:
            for _ in range(BUSY_PROCESSES):
                process = subprocess.Popen(["/usr/bin/python3", "-c", "while True: pass"], cwd="/",
                                           **self.by(DOOMED))
                ended.callback(process.wait)
                ended.callback(process.kill)
            yield

    def test_a_hostile_user_is_nobody_elses_matter(self):
        sessions = 5
        long_session = self.long_session()
        self.measure("alone", sessions, 2)
        with self.computing():
            gap_computing, acknowledged_computing, _ = self.measure(
                f"beside {BUSY_PROCESSES} processes that compute", sessions, 2)
        benchd = main_pid("benchd.service")
        peak = MemoryPeak(benchd)
        hostile = Hostile(self.folder, "/run/benchd/benchd.sock", long_session, **self.by(DOOMED))
        self.addCleanup(hostile.stop)
        gap, acknowledged, _ = self.measure("beside a hostile user", sessions, 2)
        self.assertEqual(main_pid("benchd.service"), benchd, self.journal())
        memory = peak.mib()
        end = StopWatch(benchd)
        # The hostile connections start the next benchd through the socket.
        run("systemctl", "kill", "--signal=TERM", "--kill-whom=main", "benchd.service")
        ended_after = end.seconds(e2e_support.TIMEOUT_S)
        answers = hostile.stop(e2e_support.TIMEOUT_S)
        print(f"memory at most {memory:.0f} MiB; ended {ended_after:.1f} s after SIGTERM; "
              f"{sum(one['begun'] for one in answers.values())} hostile calls", flush=True)
        self.assertLess(memory, MOST_MEMORY_MIB)
        self.assertLess(ended_after, MOST_SECONDS_TO_END)
        # Times on an emulated machine are only judged relative to its own.
        self.assertLess(gap, 2 * gap_computing)
        self.assertLess(acknowledged, 2 * acknowledged_computing)
