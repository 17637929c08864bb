"""benchctl in a real terminal: its display, and the terminal's state after it has exited.

The daemon replays fixed events (playback.py), so that whole screens can be compared.
"""

import pathlib
import shutil
import tempfile
import unittest

import main
import playback
from terminal import TMUX, Terminal

COMPARE = "benchctl compare ./a ./b"


@unittest.skipUnless(TMUX, "tmux is not installed")
class TerminalTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # Short, because a socket's path has at most 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-tty-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.daemon = playback.PlaybackDaemon(self.folder / "benchd.sock")
        self.addCleanup(self.daemon.close)

    def terminal(self, columns=80, rows=24, **environment):
        terminal = Terminal(self.folder, columns, rows,
                            BENCHD_SOCKET=str(self.folder / "benchd.sock"), **environment)
        self.addCleanup(terminal.close)
        return terminal

    def assert_given_back(self, terminal, modes):
        """Asserts that the terminal is in the state in which its user left it."""
        self.assertTrue(terminal.cursor_visible(), terminal.screen())
        self.assertEqual(self.modes(terminal), modes)

    def modes(self, terminal):
        """The output of `stty -g`."""
        path = self.folder / "modes"
        path.unlink(missing_ok=True)
        terminal.type("stty -g >modes.new && mv modes.new modes; clear")
        terminal.await_screen(lambda screen: path.exists() and screen == "$", "a clear screen")
        return path.read_text()

    def run_to(self, terminal, command, event, text):
        """Types the command on a clear screen, plays the event and waits for the text."""
        modes = self.modes(terminal)
        self.daemon.play(event)
        terminal.type(command)
        terminal.await_text(text)
        return modes

    # ---- the display ----

    def test_the_live_view_fits_the_terminal(self):
        for columns, rows in ((80, 24), (40, 10), (200, 50)):
            with self.subTest(columns=columns, rows=rows):
                terminal = self.terminal(columns, rows)
                self.daemon.play(playback.suite(count=12))
                terminal.type(COMPARE)
                terminal.shows(f"live_{columns}x{rows}")
                terminal.close()

    def test_another_size_in_the_middle_leaves_nothing_behind(self):
        terminal = self.terminal(80, 24)
        self.daemon.play(playback.suite(count=5))
        terminal.type(COMPARE)
        terminal.shows("resize_1_80x24")
        terminal.resize(40, 10)
        terminal.shows("resize_2_40x10")
        terminal.resize(120, 30)
        terminal.shows("resize_3_120x30")
        terminal.press("C-c")
        terminal.shows("resize_4_cancelled")

    def test_stages_of_a_session(self):
        terminal = self.terminal()
        queued = playback.session_pb2.Queued(position=2, eta_seconds=130)
        self.daemon.play(playback.session_pb2.SessionEvent(session=playback.SESSION, queued=queued))
        terminal.type(COMPARE)
        terminal.shows("stage_1_queued")
        self.daemon.play(playback.one_gate())
        terminal.shows("stage_2_no_estimate")
        self.daemon.play(playback.one_gate(eta=42.4))
        terminal.shows("stage_3_estimate")

    def test_colors_only_where_they_are_wanted(self):
        for no_color, colored in (("", True), ("1", False)):
            with self.subTest(no_color=no_color):
                terminal = self.terminal(NO_COLOR=no_color)
                self.daemon.play(playback.suite())
                terminal.type(COMPARE)
                terminal.await_text("layout-1")
                self.assertEqual("\x1b[" in terminal.screen(colors=True), colored)
                terminal.close()

    def test_a_dumb_terminal_and_a_pipe_get_lines(self):
        for name, command in (("dumb", f"TERM=dumb {COMPARE}"), ("pipe", f"{COMPARE} 2>&1 | cat")):
            with self.subTest(name):
                terminal = self.terminal()
                self.daemon.play(playback.suite())
                terminal.type(command)
                terminal.shows(f"lines_{name}")
                terminal.close()

    def test_top_shows_what_runs_and_q_quits(self):
        terminal = self.terminal(80, 24)
        modes = self.run_to(terminal, "benchctl top; echo code $?", playback.suite(count=5), "layout-1")
        screen = terminal.screen()
        self.assertRegex(screen, r"benchd 9\.9\.9  \d\d:\d\d:\d\d  running, 0 queued")
        self.assertIn("q quits", screen)
        self.assertIn("layout-3", screen)
        terminal.resize(40, 10)
        terminal.await_screen(lambda shown: "layout-3" not in shown and "q quits" in shown,
                              "a board of 10 rows")
        terminal.resize(80, 24)
        terminal.await_text("layout-3")
        terminal.press("x", "q")
        terminal.await_text("code 0")
        self.assertNotIn("q quits", terminal.screen())
        self.assert_given_back(terminal, modes)

    def test_top_in_a_dumb_terminal_is_a_line_a_second(self):
        terminal = self.terminal()
        self.daemon.play(playback.one_gate())
        terminal.type("TERM=dumb benchctl top --count 2; echo code $?")
        terminal.await_text("code 0")
        self.assertEqual(terminal.screen().count("running, 0 queued; k3x9m2pq"), 2)

    # ---- the terminal afterwards ----

    def test_ctrl_c_cancels_and_says_what_is_known(self):
        terminal = self.terminal()
        modes = self.run_to(terminal, COMPARE + "; echo code $?", playback.one_gate(), "d detaches")
        terminal.press("C-c")
        terminal.await_text("code 130")
        terminal.shows("cancelled")
        self.assert_given_back(terminal, modes)

    def test_ctrl_c_again_quits(self):
        self.daemon.ignore_cancel()
        terminal = self.terminal()
        modes = self.run_to(terminal, COMPARE + "; echo code $?", playback.one_gate(), "d detaches")
        terminal.press("C-c")
        terminal.await_text("cancelling k3x9m2pq (Ctrl-C again to quit)")
        terminal.press("d")  # too late to detach
        terminal.press("C-c")
        terminal.await_text("code 130")
        terminal.shows("quit")
        self.assert_given_back(terminal, modes)

    def test_d_detaches(self):
        for command in (COMPARE, "benchctl watch"):
            with self.subTest(command):
                terminal = self.terminal()
                modes = self.run_to(terminal, command + "; echo code $?", playback.one_gate(),
                                    "d detaches")
                terminal.press("x", "Enter", "d")
                terminal.await_text("code 0")
                terminal.shows("detached_" + command.split()[1])
                self.assert_given_back(terminal, modes)
                terminal.close()

    def test_nobody_detaches_from_a_bisection_or_without_a_keyboard(self):
        for command in (COMPARE + " --bisect", COMPARE + " </dev/null"):
            with self.subTest(command):
                terminal = self.terminal()
                modes = self.run_to(terminal, command, playback.one_gate(), "at most 9 min left")
                self.assertNotIn("d detaches", terminal.screen())
                terminal.press("d", "C-c")
                terminal.await_text("was cancelled")
                self.assert_given_back(terminal, modes)
                terminal.close()

    def test_ctrl_z_gives_the_terminal_back_until_fg(self):
        terminal = self.terminal()
        modes = self.run_to(terminal, COMPARE, playback.one_gate(), "d detaches")
        terminal.press("C-z")
        terminal.await_text("Stopped")
        self.assertNotIn("d detaches", terminal.screen())
        self.assert_given_back(terminal, modes)
        terminal.type("fg")
        terminal.await_text("d detaches")
        terminal.shows("continued")
        terminal.press("d")
        terminal.await_text("detached")
        self.assert_given_back(terminal, modes)

    def test_a_process_stopped_by_somebody_else_draws_again(self):
        terminal = self.terminal()
        modes = self.run_to(terminal, f"sh -c 'echo $$ >pid; exec {COMPARE}'", playback.one_gate(),
                            "d detaches")
        terminal.run_beside("kill -STOP $(cat pid)")
        terminal.await_text("Stopped")
        terminal.type("stty sane; clear; fg")
        terminal.await_text("d detaches")
        terminal.press("d")
        terminal.await_text("detached")
        self.assertTrue(terminal.cursor_visible())
        self.assertIn(":", modes)

    def test_a_background_job_leaves_the_terminal_alone_until_fg(self):
        terminal = self.terminal()
        modes = self.run_to(terminal, COMPARE + " &", playback.one_gate(), "$")
        self.assert_given_back(terminal, modes)
        terminal.type("echo typed")
        terminal.await_screen(lambda screen: screen == "$ echo typed\ntyped\n$", "what was typed")
        terminal.type("fg")
        terminal.await_text("d detaches")
        terminal.press("d")
        terminal.await_text("detached")
        self.assert_given_back(terminal, modes)

    def test_a_hangup_and_a_quit_leave_the_session_running(self):
        for signal, said in (("HUP", "Hangup"), ("QUIT", "Quit")):
            with self.subTest(signal):
                terminal = self.terminal()
                modes = self.run_to(terminal, f"sh -c 'echo $$ >pid; exec {COMPARE}'",
                                    playback.one_gate(), "d detaches")
                terminal.run_beside(f"kill -{signal} $(cat pid)")
                screen = terminal.await_text(said)
                self.assertIn("still running; reattach with benchctl watch", screen)
                self.assert_given_back(terminal, modes)
                terminal.close()


if __name__ == "__main__":
    main.main()
