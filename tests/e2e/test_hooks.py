"""Commands around the runs: order, user, environment, failures, and cleanup after a crash."""

import os

from grpc_client import Link, session_pb2
from main import main
from support import FAILED, PASS, DaemonTest, wait_for_exit

LINES = ("--parse", "lines", "--metric", "n:2%:lower")


class HooksTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.trace = self.folder / "trace"
        self.n = self.values("n:1000:0:0")

    def hook(self, name, more=""):
        """A script that writes its name and the variables it received into the trace."""
        told = ":".join(f"${{BENCHD_{part}-}}" for part in ("BENCHMARK", "ARM", "BLOCK"))
        return self.script(f'echo "{name}:{told}" >>"{self.trace}"\n{more}', name=name)

    def lines(self):
        return self.trace.read_text().splitlines() if self.trace.exists() else []

    def names(self):
        return [line.split(":")[0] for line in self.lines()]

    def test_they_are_run_around_the_runs_and_told_where_they_are(self):
        base, candidate = self.script(f'echo run >>"{self.trace}"; echo n 1000', "b"), self.script(
            f'echo run >>"{self.trace}"; echo n 1000', "c")
        done = self.benchctl_json(
            "compare", *LINES, "--runs", "3", "--warmup", "1", "--setup", self.hook("setup"),
            "--prepare", self.hook("prepare"), "--conclude", self.hook("conclude"),
            "--cleanup", self.hook("cleanup"), base, candidate)
        self.assert_exit(done, PASS)
        runs = 2 * (3 + 1)
        self.assertEqual(self.names(),
                         ["setup"] + ["prepare", "run", "conclude"] * runs + ["cleanup"])
        self.assertEqual(self.lines()[0], "setup:main::")
        self.assertEqual(self.lines()[-1], "cleanup:main::")
        blocks = [line.split(":")[3] for line in self.lines() if line.startswith("prepare")]
        self.assertEqual(blocks, ["0", "0", "0", "0", "1", "1", "2", "2"])
        arms = {line.split(":")[2] for line in self.lines() if line.startswith("conclude")}
        self.assertEqual(arms, {"base", "candidate"})

    def test_as_many_as_commands_belong_to_them_in_order(self):
        run = self.script(f'echo run:$0 >>"{self.trace}"; echo n 1000', "r")
        done = self.benchctl_json(
            "compare", *LINES, "--runs", "2", "--placebo", "-n", "one", "-n", "two",
            "--prepare", self.hook("p1"), "--prepare", self.hook("p2"),
            "--conclude", self.hook("c1"), "--conclude", self.hook("c2"), run, f"{run} 2")
        self.assert_exit(done, PASS)
        hooks = {tuple(line.split(":")[i] for i in (0, 2)) for line in self.lines()
                 if not line.startswith("run")}
        # The placebo runs the reference again, with the commands of the reference.
        self.assertEqual(hooks, {("p1", "one"), ("c1", "one"), ("p2", "two"), ("c2", "two"),
                                 ("p1", "placebo"), ("c1", "placebo")})
        self.assertEqual([name[0] for name in self.names()], ["p", "r", "c"] * (len(self.names()) // 3))
        shown = self.benchctl("show", done.events[0]["session"]).stdout
        again = next(line for line in shown.splitlines() if line.startswith("again: "))
        self.assertEqual(again.count("--prepare"), 2, again)
        arms = self.session(done.events[0]["session"])["spec"]["benchmarks"][0]["arms"]
        self.assertEqual([arm["prepare"].rsplit("/", 1)[-1] for arm in arms], ["p1", "p2", "p1"])

    def test_what_they_print_is_in_show_and_they_run_as_the_caller(self):
        done = self.benchctl_json(
            "compare", *LINES, "--runs", "2", "--setup", self.script("id -u; pwd", "s"),
            "--cwd", str(self.folder), self.n, self.n)
        self.assert_exit(done, PASS)
        shown = self.benchctl("show", done.events[0]["session"], "--log")
        self.assert_exit(shown, PASS)
        self.assertIn(f"== setup\n{os.getuid()}\n{self.folder}\n", shown.stdout)

    def test_a_failing_hook_fails_the_session_and_says_why(self):
        broken = self.script("echo compiling; echo 'x.c:3: no such thing' >&2; exit 2", "broken")
        for hook in ("setup", "prepare", "conclude", "cleanup"):
            with self.subTest(hook=hook):
                done = self.benchctl(
                    "compare", *LINES, "--runs", "2", f"--{hook}", broken, self.n, self.n)
                self.assert_exit(done, FAILED)
                self.assertRegex(done.stderr, f"failed: {hook}( of [a-z, 0-9-]+)?: exited with code 2")
                self.assertIn("x.c:3: no such thing", done.stderr)
                self.assertIn("compiling", done.stderr)

    def test_a_failing_hook_is_told_in_json(self):
        done = self.benchctl_json("compare", *LINES, "--setup", self.script("exit 7", "s"),
                                  self.n, self.n)
        self.assert_exit(done, FAILED)
        failed = done.events[-1]
        self.assertEqual(failed["event"], "failed")
        self.assertEqual(failed["run"], {"benchmark": "main", "exit_code": 7})

    def test_one_that_hangs_is_killed_with_its_children(self):
        done = self.benchctl(
            "compare", *LINES, "--timeout", "300ms", "--prepare",
            self.script("sleep 1000 & sleep 1000", "hangs"), self.n, self.n)
        self.assert_exit(done, FAILED)
        self.assertIn("timed out after 0.3 s", done.stderr)
        self.assert_unharmed()

    def test_one_that_is_not_there_fails_the_session(self):
        done = self.benchctl("compare", *LINES, "--prepare", "/no/such/hook", self.n, self.n)
        self.assert_exit(done, FAILED)
        self.assertIn("/no/such/hook", done.stderr)

    def test_setup_may_make_what_is_measured(self):
        made = self.folder / "made"
        setup = self.script(f'printf "#!/bin/sh\\necho n 1000\\n" >"{made}"; chmod +x "{made}"', "s")
        done = self.benchctl("compare", *LINES, "--runs", "2", "--setup", setup, str(made), str(made))
        self.assert_exit(done, PASS)
        # From then on it must not change.
        changes = self.script(f'echo "# more" >>"{made}"', "changes")
        done = self.benchctl("compare", *LINES, "--setup", setup, "--prepare", changes, str(made),
                             str(made))
        self.assert_exit(done, FAILED)
        self.assertIn("changed", done.stderr)

    def test_cleanup_comes_after_a_cancel(self):
        gate = self.gate()
        client = self.start_client("compare", *LINES, "--cleanup", self.hook("cleanup"),
                                   gate.command, gate.command)
        session = client.until("queued")["session"]
        gate.arrived()
        self.assert_exit(self.benchctl("cancel", session), PASS)
        client.finish()
        self.assertEqual(self.names(), ["cleanup"])

    def test_cleanup_of_a_session_whose_benchd_was_killed_is_run_at_its_end(self):
        gate = self.gate()
        done = self.benchctl_json("submit", *LINES, "--runs", "2", "--setup", self.hook("setup"),
                                  "--cleanup", self.hook("cleanup"), gate.command, gate.command)
        session = done.events[0]["session"]
        gate.arrived()
        runner = self.daemon.runner_pid()
        self.daemon.kill()
        self.assertTrue(wait_for_exit(runner))
        self.assertEqual(self.names(), ["setup"])
        self.daemon.start()
        gate.open()
        self.assert_exit(self.benchctl("watch", session), PASS)
        self.assertEqual(self.names(), ["setup", "cleanup"])

    def test_a_session_cancelled_while_it_waits_to_go_on_is_cleaned_up(self):
        link = Link(self.daemon.socket)
        self.addCleanup(link.close)
        gate = self.gate()
        done = self.benchctl_json("submit", *LINES, "--cleanup", self.hook("cleanup"),
                                  gate.command, gate.command)
        session = done.events[0]["session"]
        gate.arrived()
        link.pause()
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.assertEqual(self.benchctl("cancel", session).code, PASS)
        self.assertEqual(self.names(), [])
        link.resume()
        watched = self.benchctl_json("watch", session)
        self.assertEqual(watched.events[-1]["event"], "cancelled", watched)
        self.assertEqual(self.names(), ["cleanup"])
        self.assertEqual(link.get(session).state, session_pb2.SESSION_STATE_CANCELLED)

    def test_benchd_that_is_killed_in_cleanup_only_cleans_up_when_it_is_back(self):
        entered = self.folder / "entered"
        os.mkfifo(entered)
        # It signals by closing its pipe; by then the next attempt finds no pipe.
        hangs_once = self.hook("cleanup", f'[ -e "{entered}" ] || exit 0\n'
                               f'exec 3>"{entered}"; rm "{entered}"; exec 3>&-; sleep 1000')
        done = self.benchctl_json("submit", *LINES, "--cleanup", hangs_once,
                                  self.script("exit 9", "fails"), self.n)
        session = done.events[0]["session"]
        with open(entered, encoding="ascii") as fifo:
            fifo.read()
        runner = self.daemon.runner_pid()
        self.daemon.kill()
        self.assertTrue(wait_for_exit(runner))
        self.daemon.start()
        watched = self.benchctl("watch", session)
        self.assert_exit(watched, FAILED)
        self.assertIn("exited with code 9", watched.stderr)
        self.assertEqual(self.names(), ["cleanup", "cleanup"])


if __name__ == "__main__":
    main()
