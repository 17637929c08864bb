"""`compare --pool slurm` on a real Slurm cluster with four nodes.

    ./dev test --slurm
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import cluster as slurm  # noqa: E402
from main import main  # noqa: E402

BIN = os.environ["BENCHD_BIN_DIR"]
TIMEOUT_S = 120
PASS, REGRESSION, USAGE, UNDECIDED, FAILED, REFUSED = range(6)
INTERRUPTED = 130

# A run takes almost no time. Its value is about 1000, or a tenth more.
VALUE = "printf 'n %d\\n' $((1000 + $(od -An -N1 -tu1 /dev/urandom) / 64{more}))"


@unittest.skipIf(slurm.missing(), slurm.missing() or "")
class PoolTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-slurm-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "c").mkdir()
        cls.cluster = slurm.Cluster(cls.folder / "c", 4, f"{BIN}/benchd")
        cls.addClassCleanup(cls.cluster.stop)
        cls.folder.chmod(0o755)
        begin = time.monotonic()
        cls.cluster.start()
        print(f"four nodes are idle after {time.monotonic() - begin:.1f} s", flush=True)

    def setUp(self):
        self.cluster.await_idle(self.cluster.names)
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def environment(self, uid=0):
        # Each node has its own `local`, and therefore its own daemon.
        own = self.cluster.folder / "local"
        return {**self.cluster.environment, "HOME": str(self.work), "LANG": "C.UTF-8",
                "PATH": f"{BIN}:{slurm.PATH}", "XDG_RUNTIME_DIR": f"{own}/run-{uid}",
                "XDG_STATE_HOME": f"{own}/state-{uid}", "XDG_CONFIG_HOME": f"{own}/config-{uid}"}

    def start(self, *words, runs=8, more="", before="", uid=0, **popen):
        command = before + VALUE.format(more="")
        candidate = before + VALUE.format(more=more)
        with open(self.work / "err", "wb") as err:
            process = subprocess.Popen(
                [f"{BIN}/benchctl", "compare", "--pool", "slurm:bench", "--no-autostart", "--shell",
                 "--runs", str(runs), "--parse", "lines", "--metric", "n:2%:lower", *words, command,
                 candidate],
                cwd=self.work, env=self.environment(uid), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=err, **popen)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        out = process.communicate(timeout=TIMEOUT_S)[0].decode()
        err = (self.work / "err").read_text()
        logs = "".join(f"{path}: {path.read_text(errors='replace')}"
                       for path in self.work.glob("benchd-pool-*/task-*.log"))
        return process.returncode, out, f"{out}\n{err}\n{logs}"

    def pool_folder(self, work=None):
        [folder] = (work or self.work).glob("benchd-pool-*")
        return folder

    def await_that(self, what, true):
        deadline = time.monotonic() + TIMEOUT_S
        while not true():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.1)  # Slurm offers no notification

    def states(self):
        found = {}
        for path in self.work.glob("benchd-pool-*/task-*.state"):
            state = json.loads(path.read_text())
            found[state["task"]] = state
        return found

    # ---- a verdict ----

    def test_four_machines_give_one_verdict(self):
        code, out, all_of_it = self.finish(self.start())
        self.assertEqual(code, PASS, all_of_it)
        self.assertIn("4 machines", out)
        self.assertEqual(sorted(state["node"] for state in self.states().values()),
                         self.cluster.names)
        print(out)

    def test_a_slower_candidate_is_a_regression(self):
        process = self.start("--json", more=" + 100")
        code, out, all_of_it = self.finish(process)
        self.assertEqual(code, REGRESSION, all_of_it)
        self.assertEqual(len(out.splitlines()), 1, out)

    def test_dry_run_prints_a_script_that_sbatch_takes(self):
        code, out, all_of_it = self.finish(self.start("--dry-run", "--machines", "3"))
        self.assertEqual(code, PASS, all_of_it)
        self.assertEqual(list(self.work.glob("benchd-pool-*")), [])
        self.assertIn("#SBATCH --array=1-3\n", out)
        self.assertIn("#SBATCH --exclusive\n", out)
        subprocess.run(["sbatch", "--test-only"], input=out.encode(), env=self.environment(),
                       capture_output=True, check=True)

    # ---- failures ----

    def test_a_node_that_dies_in_the_middle_is_counted_once(self):
        gate = self.work / "gate"
        process = self.start(before=f"until [ -e {gate} ]; do sleep 0.2; done; ")
        self.await_that("all measure", lambda: len(self.states()) == 4)
        begin = time.monotonic()
        self.cluster.kill_node("n2")
        gate.touch()
        self.await_that("n2 is down", lambda: self.cluster.states()["n2"].startswith("down"))
        print(f"n2 is down {time.monotonic() - begin:.0f} s after it died")
        self.cluster.start_node("n2")
        code, out, all_of_it = self.finish(process)
        print(f"verdict {time.monotonic() - begin:.0f} s after it died")
        self.assertEqual(code, PASS, all_of_it)
        self.assertIn("4 machines", out)
        self.assertEqual(len(list(self.pool_folder().glob("task-?.json"))), 4)
        restarted = [job["restart_cnt"] for job in self.cluster.jobs()
                     if job["name"] == self.pool_folder().name]
        self.assertEqual(sum(restarted), 1, "requeued by Slurm")

    def test_a_machine_that_was_measured_already_is_not_measured_again(self):
        # Another job uses one node for a while, so the fourth task starts on a node that was used.
        other = self.cluster.ask("sbatch", "--parsable", "--nodelist=n4", "--exclusive",
                                 "--output=/dev/null", "--wrap=sleep 600").strip()
        self.await_that("n4 is taken", lambda: self.cluster.states()["n4"] == "alloc")
        process = self.start()
        self.await_that("a task found its node taken", lambda: "taken" in
                        [state["state"] for state in self.states().values()])
        self.cluster.ask("scancel", other)
        code, out, all_of_it = self.finish(process)
        self.assertEqual(code, PASS, all_of_it)
        self.assertEqual(sorted(state["node"] for state in self.states().values()),
                         self.cluster.names)

    def test_an_interrupt_is_scancel(self):
        gate = self.work / "gate"
        process = self.start(before=f"until [ -e {gate} ]; do sleep 0.2; done; ")
        self.await_that("all measure", lambda: len(self.states()) == 4)
        process.send_signal(signal.SIGINT)
        code, _, all_of_it = self.finish(process)
        self.assertEqual(code, INTERRUPTED, all_of_it)
        self.await_that("Slurm has none of it", lambda: not [
            job for job in self.cluster.jobs() if job["name"] == self.pool_folder().name
            and job["job_state"] not in ("CANCELLED", "COMPLETED", "FAILED")])
        self.cluster.await_idle(self.cluster.names)
        logs = "".join(path.read_text() for path in self.pool_folder().glob("task-*.log"))
        self.assertIn("cancelled", logs, "each cancelled its session")

    def test_without_a_shared_folder_a_sentence(self):
        code, _, all_of_it = self.finish(
            self.start("--pool-folder", str(self.cluster.folder / "local")))
        self.assertEqual(code, REFUSED, all_of_it)
        self.assertRegex((self.work / "err").read_text(),
                         re.compile(r"error: \S+: no task has written to it\nhint: .*--pool-folder"))

    def test_two_users_have_a_machine_each_at_a_time(self):
        self.work.chmod(0o777)
        mine = self.start()
        theirs_work = self.work / "theirs"
        theirs_work.mkdir()
        shutil.chown(theirs_work, slurm.NOBODY)
        mine_work, self.work = self.work, theirs_work
        theirs = self.start(uid=slurm.NOBODY, user=slurm.NOBODY, group=slurm.NOBODY, extra_groups=[])
        for work, process in ((theirs_work, theirs), (mine_work, mine)):
            self.work = work
            code, out, all_of_it = self.finish(process)
            self.assertEqual(code, PASS, all_of_it)
            self.assertIn("4 machines", out)


if __name__ == "__main__":
    slurm.enter()
    main()
