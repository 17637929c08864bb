"""`benchctl history` and `benchctl top` with a real daemon."""

import contextlib
import getpass
import signal
import sqlite3
import time
import unittest

from main import main
from support import PASS, REGRESSION, USAGE, DaemonTest


class HistoryTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.value = self.folder / "value"
        self.command = f"cat {self.value}"

    def measure(self, value, code=PASS):
        self.value.write_text(f"t {value}\n")
        done = self.benchctl("compare", "--parse", "lines", "--metric", "t:2%:lower", "--warmup",
                             "0", "--runs", "8", "echo t 100.01", self.command)
        self.assert_exit(done, code)

    def history(self, *words):
        done = self.benchctl_json("history", *words)
        self.assert_exit(done, PASS)
        return done.events

    def test_a_step_is_found_where_it_began(self):
        for value in (100.11, 101.07, 100.52, 99.83, 100.24, 100.71):
            self.measure(value)
        for value in (110.12, 111.06, 110.43, 109.71, 110.34, 110.82):
            self.measure(value, REGRESSION)
        events = self.history("main", "--alpha", "5%")
        entries = [event for event in events if event["event"] == "summary"]
        self.assertEqual([entry["mean_candidate"] for entry in entries][:2], [100.11, 101.07])
        self.assertEqual([entry["verdict"] for entry in entries],
                         ["pass"] * 6 + ["regression"] * 6)
        self.assertEqual({entry["segment"] for entry in entries}, {0})
        steps = [event for event in events if event["event"] == "change_point"]
        self.assertEqual(len(steps), 1)
        self.assertEqual(steps[0]["session"], entries[6]["session"])
        self.assertEqual(steps[0]["previous_session"], entries[5]["session"])
        self.assertAlmostEqual(steps[0]["change"], 0.0997, places=3)
        self.assertLessEqual(steps[0]["p_value"], 0.05)
        # The same as a table for people, and in one line.
        shown = self.benchctl("history", "main", "--alpha", "5%")
        self.assert_exit(shown, PASS)
        lines = shown.stdout.splitlines()
        self.assertIn("step: +10.0 %", lines[7])
        self.assertIn(entries[6]["session"], lines[8])
        listed = self.benchctl("history", "--alpha", "5%").stdout.splitlines()
        self.assertEqual(len(listed), 2)
        self.assertRegex(listed[1], r"^main: cat .*  t  +12 .*regression  \+10\.0 % at candidate")

        written = self.benchctl_json("history", "main", "--alpha", "5%", "-o", "history.html")
        self.assert_exit(written, PASS)
        page = (self.folder / "history.html").read_text()
        self.assertEqual(written.events[0]["bytes"], len(page.encode()))
        self.assertEqual(page.count('class="candidate entry"'), 12)
        self.assertEqual(page.count('class="flagged"'), 7, "and in the legend")

        drawn = self.benchctl("history", "main", "--alpha", "5%", "--svg", "t")
        self.assert_exit(drawn, PASS)
        self.assertTrue(drawn.stdout.startswith("<svg"))
        self.assertEqual(drawn.stdout.count('class="candidate entry"'), 12)
        none = self.benchctl("history", "main", "--svg", "wall_time")
        self.assert_exit(none, USAGE)
        self.assert_one_error(none, "history: no entries for the metric 'wall_time'")
        self.assertIn("hint: available: t\n", none.stderr)
        self.assertEqual(page.count('class="step"'), 1)
        self.assertIn("step: +10.0 %", page)
        nothing = self.benchctl("history", "other", "-o", "none.html")
        self.assert_exit(nothing, USAGE)
        self.assert_one_error(nothing, "no benchmark or command contains 'other'")
        self.assertFalse((self.folder / "none.html").exists())

        # Another kernel: the step coincides with the edge of a segment, so no commit is blamed.
        self.daemon.stop()
        with contextlib.closing(sqlite3.connect(self.daemon.database)) as database:
            database.execute("UPDATE summaries SET summary = json_set(summary, '$.kernel', 'old')"
                             " WHERE number <= 6")
            database.commit()
        self.daemon.start()
        events = self.history("main", "--alpha", "5%")
        self.assertEqual({event["event"] for event in events}, {"summary"})
        self.assertEqual([event["segment"] for event in events], [0] * 6 + [1] * 6)
        self.assertIn("machine changed: kernel old", self.benchctl("history", "main").stdout)

    def test_what_is_chosen(self):
        self.measure(100.11)
        self.measure(101.07)
        self.assertEqual(len(self.history("main", "--last", "1")), 1)
        self.assertEqual(self.history("main", "--last", "1")[0]["mean_candidate"], 101.07)
        self.assert_exit(self.benchctl("history", "main", "--metric", "other"), USAGE)
        nothing = self.benchctl("history", "nothing")
        self.assert_exit(nothing, USAGE)
        self.assertEqual(nothing.stdout, "")
        self.assert_one_error(nothing, "no benchmark or command contains 'nothing'")
        self.assertIn(f"hint: available: main: {self.command}\n", nothing.stderr)
        for words in (["--last", "0"], ["--alpha", "2"], ["a", "b"]):
            self.assert_exit(self.benchctl("history", *words), USAGE)

    def test_a_comparison_is_found_by_its_name_or_by_a_part_of_its_command(self):
        empty = self.benchctl("history", "value")
        self.assert_exit(empty, USAGE)
        self.assertIn("no history yet", empty.stderr)
        self.assert_exit(self.benchctl("history"), PASS)
        self.measure(100.11)
        # The command in full, or any part of it.
        for word in (self.command, "cat ", "value"):
            self.assertEqual([entry["mean_candidate"] for entry in self.history(word)], [100.11])
        # With a changed argument it is another command, but not under a name.
        listed = self.benchctl("history")
        self.assertNotIn("--benchmark", listed.stdout)
        self.command += " /dev/null"
        self.measure(100.42)
        self.assertEqual(len(self.history("value")), 2)
        self.assertIn("compare --benchmark NAME", self.benchctl("history").stdout)
        for command in (self.command, self.command + " /dev/null"):
            done = self.benchctl("compare", "--benchmark", "copy", "--parse", "lines", "--metric",
                                 "t:2%:lower", "--warmup", "0", "--runs", "8", "echo t 100.01",
                                 command)
            self.assert_exit(done, PASS)
            self.assertIn("copy", done.stdout)
        shown = self.benchctl("history", "copy")
        self.assert_exit(shown, PASS)
        self.assertNotIn("--benchmark", shown.stdout)
        self.assertEqual(shown.stdout.count("pass"), 2, shown.stdout)
        self.assertIn("--benchmark copy", self.benchctl("show").stdout)

    def test_top_tells_a_line_a_second_where_there_is_no_terminal(self):
        done = self.benchctl("top", "--count", "2")
        self.assert_exit(done, PASS)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], r"^\d\d:\d\d:\d\d  idle, 0 queued")
        events = self.benchctl_json("top", "--count", "1").events
        self.assertEqual([event["event"] for event in events], ["queue"])

    def test_top_follows_the_queue_while_a_session_runs(self):
        gate = self.gate()
        first = self.benchctl("submit", "--parse", "lines", "--metric", "n:2%:lower", gate.command,
                              gate.command).stdout.strip()
        gate.arrived()
        top = self.start_client("top")
        while top.next().get("running") != first:
            pass
        second = self.benchctl("submit", "/bin/true", "/bin/true").stdout.strip()
        # It receives the change at once and does not poll every half minute.
        deadline = time.monotonic() + 10
        while top.next().get("queued") != 1:
            self.assertLess(time.monotonic(), deadline)
        line = self.benchctl("top", "--count", "1").stdout
        self.assertIn(f"{first} of {getpass.getuser()}: base {gate.command}, candidate ", line)
        self.assert_exit(self.benchctl("cancel", second), PASS)
        while top.next().get("queued", 0) != 0:
            self.assertLess(time.monotonic(), deadline + 10)
        gate.open()
        while top.next().get("running"):
            pass
        top.process.send_signal(signal.SIGINT)
        top.finish()


if __name__ == "__main__":
    main()
