"""`compare --pool slurm` with a small program in place of Slurm; tests/slurm uses the real one."""

import contextlib
import json
import pathlib
import signal
import subprocess

from main import main
from support import BIN, INTERRUPTED, PASS, REFUSED, REGRESSION, USAGE, DaemonTest

FAKE = pathlib.Path(__file__).resolve().parent / "programs/fake_slurm.py"


class PoolTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.slurm = self.folder / "slurm"
        self.slurm.mkdir()
        for name in ("sbatch", "squeue", "scancel"):
            (self.slurm / name).symlink_to(FAKE)
        environment = self.daemon.environment
        environment["FAKE_SLURM"] = str(self.slurm)
        environment["PATH"] = f"{self.slurm}:{environment['PATH']}"
        self.nodes("n1", "n2", "n3", "n4")

    def nodes(self, *names):
        (self.slurm / "nodes").write_text(" ".join(names))

    def words(self, *more, candidate=None):
        same = self.values("n:1000:1")
        return ("compare", "--pool", "slurm", "--runs", "8", "--parse", "lines",
                "--metric", "n:2%:lower", *more, same, candidate or same)

    def pool(self, *more, **given):
        return self.benchctl(*self.words(*more, **given))

    def pool_folder(self):
        [folder] = self.folder.glob("benchd-pool-*")
        return folder

    def states(self):
        states = [json.loads(path.read_text()) for path in self.pool_folder().glob("task-*.state")]
        return {state["task"]: (state["node"], state["state"]) for state in states}

    def test_four_machines_are_one_verdict(self):
        done = self.pool()
        self.assert_exit(done, PASS)
        self.assertIn("4 machines", done.stdout)
        self.assertEqual(self.states(), {task: (f"n{task}", "done") for task in range(1, 5)})

    def test_a_slower_candidate_is_one_line_of_json(self):
        done = self.benchctl_json(*self.words(candidate=self.values("n:1100:1")))
        self.assert_exit(done, REGRESSION)
        self.assertEqual(len(done.events), 1, done)

    def test_a_task_on_a_machine_that_is_done_gets_another(self):
        self.nodes("n1", "n2", "n3", "n3", "n4")
        done = self.pool()
        self.assert_exit(done, PASS)
        self.assertEqual(self.states()[4], ("n4", "done"))
        again = (self.slurm / "asked").read_text().splitlines()[1]
        self.assertIn("--array=4 --exclude=", again)
        self.assertEqual(set(again.partition("--exclude=")[2].split(",")), {"n1", "n2", "n3"})

    def test_a_machine_without_a_result_is_named(self):
        flag = self.folder / "once"
        fails_once = self.script(f'[ -e "{flag}" ] || {{ touch "{flag}"; exit 1; }}; echo n 1000')
        done = self.pool(candidate=fails_once)
        self.assertIn("no result from task 1: Slurm reports FAILED", done.stderr)
        self.assertIn("3 of 4 machines", done.stderr + done.stdout)
        self.assertEqual(self.states()[1], ("n1", "failed"))
        self.assertIn("exit code 1", (self.pool_folder() / "task-1.log").read_text())

    def test_no_machine_has_a_result(self):
        done = self.pool("--machines", "1", candidate="false")
        self.assert_exit(done, REFUSED)
        self.assertIn("error: pool: no machine produced a result", done.stderr)

    @contextlib.contextmanager
    def waiting(self):
        """A client whose job is waiting for Slurm."""
        (self.slurm / "waits").touch()
        client = subprocess.Popen([BIN / "benchctl", *map(str, self.words())], cwd=self.folder,
                                  env=self.client_environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        with client:
            self.addCleanup(client.kill)
            told = next((line for line in client.stderr if "waiting for Slurm" in line), "")
            self.assertIn("waiting for Slurm: Resources\n", told)
            yield client

    def test_an_interrupt_cancels_the_job(self):
        with self.waiting() as client:
            client.send_signal(signal.SIGINT)
            self.assertIn("cancelled Slurm job 100\n", client.stderr.read())
        self.assertEqual(client.returncode, INTERRUPTED)
        self.assertEqual((self.slurm / "cancelled").read_text(), "100")

    def test_a_pool_is_cancelled_by_its_folder(self):
        with self.waiting() as client:
            client.kill()  # as after a lost login
        done = self.benchctl("cancel", self.pool_folder().name)
        self.assert_exit(done, PASS)
        self.assertEqual(done.stdout, "cancelled Slurm job 100\n")
        self.assertEqual((self.slurm / "cancelled").read_text(), "100")
        told = self.benchctl_json("cancel", self.pool_folder())
        self.assert_exit(told, PASS)
        self.assertEqual(told.events[0]["session"], self.pool_folder().name)
        self.command("scancel", "echo 'scancel: error: Kill job error on job id 100' >&2; exit 1")
        done = self.benchctl("cancel", self.pool_folder())
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, "scancel: error: Kill job error on job id 100")

    def command(self, name, script):
        """Replaces one of Slurm's commands."""
        path = self.slurm / name
        path.unlink()
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def test_a_job_that_slurm_has_forgotten_has_ended(self):
        self.command("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1")
        done = self.pool()
        self.assert_exit(done, PASS)
        self.assertIn("4 machines", done.stdout)

    def test_what_sbatch_refuses_leaves_no_folder(self):
        self.command("sbatch", "echo 'sbatch: error: invalid partition specified: x' >&2; exit 1")
        done = self.pool()
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, "sbatch: error: invalid partition specified: x")
        self.assertEqual(list(self.folder.glob("benchd-pool-*")), [])

    def test_no_slurm_here(self):
        (self.slurm / "sbatch").unlink()
        done = self.benchctl(*self.words(),
                             environment=self.client_environment(PATH=str(self.slurm)))
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, "sbatch", "login node")

    def test_a_dry_run_asks_nobody(self):
        done = self.pool("--dry-run")
        self.assert_exit(done, PASS)
        self.assertIn("#SBATCH --array=1-4\n", done.stdout)
        self.assertFalse((self.slurm / "asked").exists())

    def test_a_folder_that_sbatch_would_read_otherwise_is_refused(self):
        folder = self.folder / 'x\n#SBATCH --comment=y\n#'
        folder.mkdir()
        for place in ({"cwd": folder}, {}):
            more = ("--dry-run",) if place else ("--dry-run", "--pool-folder", folder)
            done = self.benchctl(*self.words(*more), **place)
            self.assert_exit(done, USAGE)
            self.assert_one_error(done, "contains a character that sbatch interprets")
            self.assertEqual(done.stdout, "")

    def test_a_task_outside_of_a_pool_is_refused(self):
        for words, said in (
                (("1", "compare", "true", "true"), "not the same folder as on the login node"),
                (("0", "compare", "true", "true"), "only Slurm runs this command")):
            done = self.benchctl("pool-task", "--", self.folder, *words)
            self.assert_exit(done, USAGE)
            self.assert_one_error(done, said)


if __name__ == "__main__":
    main()
