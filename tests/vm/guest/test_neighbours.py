"""Two users of the installed service, one of them hostile: the effect on the other one."""

import e2e_support
from core import times
from guest import ALICE, DOOMED, GuestTest, main_pid, run
from hostile_neighbour import Hostile, MemoryPeak, NeighbourCases, StopWatch

MOST_MEMORY_MIB = 300
MOST_SECONDS_TO_END = 10


class NeighbourTest(NeighbourCases, GuestTest):
    def as_hostile(self, *words):
        return self.benchctl(*words, who=DOOMED)

    def as_other(self, *words):
        return self.benchctl(*words, who=ALICE)

    def test_a_hostile_user_is_nobody_elses_matter(self):
        sessions = times(2, 5)
        long_session = self.long_session()
        gap_alone, acknowledged_alone, client_alone = self.measure("alone", sessions, 2)
        benchd = main_pid("benchd.service")
        peak = MemoryPeak(benchd)
        hostile = Hostile(self.folder, "/run/benchd/benchd.sock", long_session, **self.by(DOOMED))
        self.addCleanup(hostile.stop)
        gap, acknowledged, client = self.measure("beside a hostile user", sessions, 2)
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
        self.assertLess(gap - gap_alone, 0.3 + gap_alone)
        self.assertLess(acknowledged, 0.3 + 4 * acknowledged_alone)
        # The hostile user's own processes compete for the CPUs, which delays any other program.
        self.assertLess(acknowledged / client, 2 * acknowledged_alone / client_alone)
