"""A user at a shell who types the commands of a page (pages.py), in a pseudo-terminal.

Each line is typed after the previous one has ended, so `newgrp` and `cd` have the same effect on
the rest of the page as for a reader. Nothing is typed ahead: sudo discards such input.
"""

import contextlib
import os
import pty
import re
import select
import signal
import time


class Typist:
    """A shell in a pseudo-terminal, and its output."""

    def __init__(self, command, timeout_s):
        self.shown = ""
        self._timeout_s = timeout_s
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
            os.execvp(command[0], command)

    def expect(self, pattern):
        """Reads until the output matches a regular expression, of at most 1000 characters."""
        deadline, begin = time.monotonic() + self._timeout_s, 0
        while not (found := re.compile(pattern).search(self.shown, begin)):
            # Text is searched once: a build prints a lot.
            begin = max(0, len(self.shown) - 1000)
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._fd], [], [], left)[0]:
                raise AssertionError(f"'{pattern}' did not appear; output: {self.shown[-2000:]!r}")
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"the shell has exited; output: {self.shown[-2000:]!r}")
            self.shown += data.decode(errors="replace")
        self.shown = self.shown[found.end():]
        return found

    def type(self, keys):
        os.write(self._fd, keys.encode())

    def begin(self):
        """Call it before the first run(): the shell, and shells that it starts, then print each
        exit code before the prompt."""
        self.run("""export PROMPT_COMMAND='echo "@"$?"@"'""")

    def run(self, line):
        """Types a line, waits until it has ended and returns its exit code."""
        self.type(line + "\n")
        return int(self.expect(r"@(\d+)@").group(1))

    def follow(self, block):
        """Types a block's lines and returns the seconds taken. Only the last line may fail."""
        begin = time.monotonic()
        lines = [line for line in block.commands().replace("\\\n", "").splitlines() if line.strip()]
        for line in lines:
            expected = block.exit_code if line is lines[-1] else 0
            code = self.run(line)
            if code != expected:
                raise AssertionError(f"{block.where}: {line}: exit code {code}, not {expected}")
        return time.monotonic() - begin

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGHUP)
        os.close(self._fd)
        os.waitpid(self.pid, 0)
