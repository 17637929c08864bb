"""Recomputes a session's numbers from its export, for tests of the commands that `show` prints.

Use it with DaemonTest: class SomeTest(Replay, DaemonTest).
"""

import shlex
import subprocess

from support import BIN, PASS, TIMEOUT_S, REGRESSION, UNDECIDED, Completed


class Replay:
    def printed_pipeline(self, session):
        """The two commands after `analyze:` in the output of `show`."""
        shown = self.benchctl("show", session)
        self.assert_exit(shown, PASS)
        lines = [line for line in shown.stdout.splitlines() if line.startswith("analyze: ")]
        self.assertEqual(len(lines), 1, shown)
        words = shlex.split(lines[0].removeprefix("analyze: "))
        bar = words.index("|")
        return words[:bar], words[bar + 1 :]

    def analyzed(self, session, without=None):
        """Runs exactly the printed commands, with --json appended.

        @param without  an option of `analyze` to leave out with its value
        """
        export, analyze = self.printed_pipeline(session)
        self.assertEqual((export[0], analyze[0]), ("benchctl", "benchctl"))
        if without is not None:
            at = analyze.index(without)
            del analyze[at:at + 2]
        with subprocess.Popen(
            [BIN / "benchctl", *export[1:]], env=self.client_environment(), cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        ) as exporter:
            done = subprocess.run(
                [BIN / "benchctl", *analyze[1:], "--json"], env=self.client_environment(),
                cwd=self.folder, stdin=exporter.stdout, capture_output=True, timeout=TIMEOUT_S,
            )
        self.assertEqual(exporter.returncode, 0)
        return Completed(done.returncode, done.stdout.decode(), done.stderr.decode(), 0)

    def by_key(self, verdict):
        """The comparisons of a verdict, by the things that they compare."""
        found = {}
        for c in verdict["comparisons"]:
            key = (c["benchmark"], c["reference"], c["candidate"], c["metric"])
            self.assertNotIn(key, found)
            found[key] = c
        return found

    def assert_replayed(self, live):
        """Asserts that `analyze` on the export equals the `verdict` event to the last bit."""
        done = self.analyzed(live["session"])
        self.assertEqual(len(done.events), 1, done)
        offline = done.events[0]
        self.assertEqual(done.code, {"pass": PASS, "regression": REGRESSION,
                                     "undecided": UNDECIDED}[live["verdict"]], done)
        self.assertEqual(self.by_key(offline), self.by_key(live), done)
        for name in ("verdict", "basis", "runs"):
            self.assertEqual(offline[name], live[name])
        return offline
