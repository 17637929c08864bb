"""Somebody at a shell who types what a page says (pages.py), in a pseudo-terminal.

A line after the other, each when the one before it has ended: `newgrp` and `cd` then mean for the
rest of the page what they mean to a reader. Nothing is typed ahead: sudo throws that away.
"""

import contextlib
import os
import pty
import re
import select
import signal
import time


class Typist:
    """A shell that runs in a terminal of its own, and what it has shown."""

    def __init__(self, command, timeout_s):
        self.shown = ""
        self._timeout_s = timeout_s
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
            os.execvp(command[0], command)

    def expect(self, pattern):
        """Reads until this is shown, as a regular expression; its match, of 1000 characters at most."""
        deadline, begin = time.monotonic() + self._timeout_s, 0
        while not (found := re.compile(pattern).search(self.shown, begin)):
            # What was searched is not searched again: a build shows a lot.
            begin = max(0, len(self.shown) - 1000)
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._fd], [], [], left)[0]:
                raise AssertionError(f"'{pattern}' does not come; at last: {self.shown[-2000:]!r}")
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"the shell has ended; at last: {self.shown[-2000:]!r}")
            self.shown += data.decode(errors="replace")
        self.shown = self.shown[found.end():]
        return found

    def type(self, keys):
        os.write(self._fd, keys.encode())

    def begin(self):
        """Before the first run(): from now on the shell, and one that it starts, tells each exit code
        before it prompts."""
        self.run("""export PROMPT_COMMAND='echo "@"$?"@"'""")

    def run(self, line):
        """Types a line, waits for its end; its exit code."""
        self.type(line + "\n")
        return int(self.expect(r"@(\d+)@").group(1))

    def follow(self, block):
        """Types a block's lines; its seconds. Only the last line may have another code than 0."""
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
