"""Shared by tests that run real benchmark tools through the real daemon: `./dev test --harnesses`.

Each tool is tried three times: with equal arms, with an arm that does 10 % more, and with an arm
that fails. The benchmarks are in programs/live. They take their amount of work from the variable
WORK, so both arms are the same program. Equal arms have a margin of 30 %, which noise does not
exceed, and 10 % more work one of 2 %, with as many runs as it takes. Where a tool reports wall
time, the gate is on the median over the runs, because a busy machine makes outliers.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support import FAILED, PASS, REGRESSION, DaemonTest

SOURCES = pathlib.Path(__file__).resolve().parent / "programs/live"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/harnesses.md"
STEPS = 20_000
PLANTED = 0.1
MAX_TIME_S = 240


def builds():
    """The folder for what is built once: BENCHD_LIVE_BUILDS, which is kept, or a new one."""
    kept = os.environ.get("BENCHD_LIVE_BUILDS")
    if kept:
        pathlib.Path(kept).mkdir(parents=True, exist_ok=True)
        return pathlib.Path(kept)
    return pathlib.Path(tempfile.mkdtemp(prefix="benchd-live-", dir="/tmp"))


def build(words, **more):
    """Runs a compiler. A user's variables apply, such as those of rustup."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, words))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def needs(package, found):
    """Skips a class, naming the package to install."""
    return unittest.skipUnless(found, f"not installed: {package}")


def needs_program(package, *programs):
    return needs(package, all(shutil.which(program) for program in programs))


class LiveTest(DaemonTest):
    def compare(self, *words):
        return self.benchctl_json("compare", "--max-time", f"{MAX_TIME_S}s", *words,
                                  timeout=MAX_TIME_S + 60)

    def gates(self, done):
        return [one for one in done.events[-1]["comparisons"] if one["role"] == "gate"]

    def assert_ended(self, done, code):
        """The exit code, with the last line of output alone if it is another one."""
        self.assertEqual(done.code, code, f"{done.stdout[-2000:]}\n{done.stderr}")


class ThreeTries:
    """Mixed into a LiveTest, which sets the following.

    tool:    its name in the table of docs/harnesses.md
    words:   what the table shows of its command line
    options: of compare, such as ("--parse", "go")
    gate:    the metric that the planted work changes, without a margin
    better:  the direction of that metric
    one:     further options that leave one gate, that of the benchmark with the planted work
    refusal: texts in the error about an arm that fails
    arm(share, fail): a command that does `share` more work, or that fails
    """

    options = ()
    one = ()
    better = "lower"
    refusal = ()

    def arm(self, share=0.0, fail=False):
        raise NotImplementedError

    def try_arms(self, margin, candidate, *more):
        return self.compare(*self.options, *more, "--metric", f"{self.gate}:{margin}",
                            self.arm(), candidate)

    def test_the_page_has_the_command(self):
        rows = PAGE.read_text().splitlines()
        [row] = [line for line in rows if line.startswith(f"| {self.tool} ")]
        for text in (shlex.join(self.options), self.words):
            self.assertIn(text, row)

    def test_equal_arms_pass(self):
        done = self.try_arms("30%", self.arm())
        self.assert_ended(done, PASS)
        self.assertEqual({one["verdict"] for one in self.gates(done)}, {"pass"})

    def test_a_tenth_more_work_is_a_regression(self):
        done = self.try_arms("2%", self.arm(PLANTED), *self.one)
        self.assert_ended(done, REGRESSION)
        [gate] = self.gates(done)
        self.assertEqual((gate["better"], gate["verdict"]), (self.better, "regression"))
        change = gate["change"]["estimate"] * (1 if self.better == "lower" else -1)
        # On a busy machine, the estimate may be far from 10 %; its interval excludes the margin.
        self.assertTrue(0.02 < change < 1, gate)

    def test_a_failure_is_named(self):
        done = self.try_arms("30%", self.arm(fail=True))
        self.assert_ended(done, FAILED)
        for word in ("candidate", *self.refusal):
            self.assertIn(word, done.stderr)


def variables(share=0.0, fail=False, **more):
    """`env WORK=...` before a command."""
    words = ["env", f"WORK={round(STEPS * (1 + share))}"]
    words += ["FAIL=1"] if fail else []
    return shlex.join(words + [f"{name}={value}" for name, value in more.items()])


class SleepingServer:
    """An HTTP server on loopback. /MICROSECONDS answers after that time, /missing with 404.

    The answer is a sleep: on a busy machine, it varies less than any computation.
    """

    def __init__(self):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet per answer

            def do_GET(self):
                wanted = self.path.lstrip("/")
                if wanted.isdigit():
                    time.sleep(int(wanted) / 1e6)
                body = b"hello"
                self.send_response(200 if wanted.isdigit() else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                # Load generators hang up at the end of their time.
                if not isinstance(sys.exception(), ConnectionError):
                    super().handle_error(request, client_address)

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
