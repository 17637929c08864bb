"""A shell in a terminal of a given size: a private tmux server on a private socket.

Whole screens are compared with files in tests/golden/terminal, byte for byte;
BENCHD_UPDATE_GOLDEN=1 writes them.
"""

import itertools
import os
import pathlib
import select
import shutil
import subprocess
import time

from support import BIN, TIMEOUT_S

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden/terminal"
TMUX = shutil.which("tmux")

# dash does not restore a terminal's modes after a job, so it shows the modes that benchctl left.
SHELL = "dash -i"


_numbers = itertools.count()


class Terminal:
    """`type()` sends input, `shows()` checks the screen. close() may be called twice."""

    def __init__(self, folder, columns, rows, **environment):
        self._folder = folder
        self._socket = folder / f"tmux-{next(_numbers)}"
        everything = {
            "PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8",
            "ENV": str(folder / "rc"), "XDG_RUNTIME_DIR": str(folder), **environment,
        }
        (folder / "rc").write_text("PS1='$ '\n")  # for root, too
        config = folder / "tmux.conf"
        config.write_text("set -g status off\nset -g default-terminal screen-256color\n"
                          "set -g escape-time 0\n")
        self._environment = everything
        words = ["-u", "-f", config, "new-session", "-d", "-x", columns, "-y", rows, "-c", folder]
        for name in environment:
            words += ["-e", f"{name}={environment[name]}"]
        self._tmux(*words, SHELL)
        self._pid = int(self._tmux("display-message", "-p", "#{pid}"))
        try:
            self.await_screen(lambda screen: screen == "$", "a prompt")
        except AssertionError:
            self.close()
            raise

    def _tmux(self, *words):
        done = subprocess.run([TMUX, "-S", str(self._socket), *map(str, words)],
                              env=self._environment, capture_output=True, timeout=TIMEOUT_S)
        if done.returncode != 0:
            raise AssertionError(f"tmux {words}: {done.stderr.decode()}")
        return done.stdout.decode()

    def close(self):
        """Ends the tmux server and all processes in it."""
        if self._pid is None:
            return
        pidfd, self._pid = os.pidfd_open(self._pid), None
        try:
            self._tmux("kill-server")
            select.select([pidfd], [], [], TIMEOUT_S)  # not our child, so wait for its pidfd
        finally:
            os.close(pidfd)

    def type(self, text):
        """Types `text` and Enter."""
        self._tmux("send-keys", "-l", text)
        self.press("Enter")

    def press(self, *keys):
        """Presses keys by their names in tmux: C-c, d, Enter."""
        self._tmux("send-keys", *keys)

    def run_beside(self, command):
        """Runs a command in the terminal's folder, but outside the terminal."""
        subprocess.run(["sh", "-c", command], cwd=self._folder, check=True, timeout=TIMEOUT_S)

    def resize(self, columns, rows):
        self._tmux("resize-window", "-x", columns, "-y", rows)

    def screen(self, colors=False):
        """The visible text, without blank lines at the end."""
        more = ["-e"] if colors else []
        return self._tmux("capture-pane", "-p", *more).rstrip("\n")

    def cursor_visible(self):
        return self._tmux("display-message", "-p", "#{cursor_flag}").strip() == "1"

    def await_screen(self, condition, what):
        """Waits until condition(screen) holds and returns the screen."""
        deadline = time.monotonic() + 20
        while not condition(screen := self.screen()):
            if time.monotonic() > deadline:
                raise AssertionError(f"the terminal never showed {what}:\n{screen}")
            time.sleep(0.02)
        return screen

    def await_text(self, text):
        return self.await_screen(lambda screen: text in screen, repr(text))

    def shows(self, name):
        """Waits until the whole screen equals that golden file."""
        path = GOLDEN / f"{name}.txt"
        if os.environ.get("BENCHD_UPDATE_GOLDEN"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(self._settled() + "\n")
            return
        expected = path.read_text().rstrip("\n")
        self.await_screen(lambda screen: screen == expected, f"{path}, which is\n{expected}\n, but")

    def _settled(self):
        """The screen, once it has not changed for half a second."""
        screen, since = self.screen(), time.monotonic()
        while time.monotonic() - since < 0.5:
            time.sleep(0.05)
            if (now := self.screen()) != screen:
                screen, since = now, time.monotonic()
        return screen
