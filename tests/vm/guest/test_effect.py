"""The effect of isolation on noise on this machine, printed whatever it is."""

import os
import subprocess
import sys

import guest
import isolation_bench


class EffectTest(guest.GuestTest):
    def test_noise_of_the_same_program_with_and_without_isolation(self):
        # On an emulated machine the numbers only show that the settings work together.
        bench = subprocess.Popen(
            ["runuser", "-u", guest.ALICE, "--", sys.executable, "-B", isolation_bench.__file__,
             os.path.join(os.environ["BENCHD_BIN_DIR"], "benchctl"),
             "--rounds", "2", "--runs", "20"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        lines = []
        for line in bench.stdout:
            print("    " + line.rstrip(), flush=True)
            lines.append(line)
        self.assertEqual(bench.wait(), 0)
        # Two rounds of two kinds, a summary of each, and a comparison.
        self.assertEqual(len(lines), 7)
        self.assertIn("cpuset", lines[1])
        self.assertIn("held: nothing", lines[0])
