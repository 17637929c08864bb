"""wrk, ab, hey, autocannon and pgbench, run by the real daemon: see live_tools.py.

The servers are on this machine, and a request takes as long as the server sleeps.
"""

import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile

from live_tools import LiveTest, SleepingServer, ThreeTries, build, needs, needs_program
from main import main

MODULES = pathlib.Path(os.environ.get("BENCHD_NODE_MODULES", "/nonexistent"))
AUTOCANNON = MODULES / ".bin/autocannon"
POSTGRES = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
SLEEP_US = 10_000


class HttpTest(LiveTest):
    def setUp(self):
        super().setUp()
        self.server = SleepingServer()
        self.addCleanup(self.server.close)
        # A port on which nobody listens, as long as this socket is bound to it.
        closed = socket.socket()
        self.addCleanup(closed.close)
        closed.bind(("127.0.0.1", 0))
        self.refused = f"http://127.0.0.1:{closed.getsockname()[1]}/"

    def url(self, share, fail):
        return self.refused if fail else self.server.url(round(SLEEP_US * (1 + share)))


class RequestRate(ThreeTries):
    gate = "requests"
    better = "higher"

    def arm(self, share=0.0, fail=False):
        return f"{self.words} {self.url(share, fail)}"


@needs_program("wrk", "wrk")
class WrkTest(RequestRate, HttpTest):
    options = ("--parse", "wrk")
    tool = "wrk"
    words = "wrk -t 1 -c 2 -d 1s"
    refusal = ("unable to connect", "wrk")


@needs_program("apache2-utils", "ab")
class ApacheBenchTest(RequestRate, HttpTest):
    options = ("--parse", "ab")
    tool = "ab"
    words = "ab -q -n 40 -c 2"
    refusal = ("Connection refused", "ab")


@needs_program("hey", "hey")
class HeyTest(RequestRate, HttpTest):
    options = ("--parse", "hey")
    tool = "hey"
    words = "hey -n 40 -c 2"
    refusal = ("the output reports a failure", "Get ")

    def test_a_page_that_is_missing_is_a_failure(self):
        done = self.try_arms("30%", f"{self.words} {self.server.url('missing')}")
        self.assertIn("[404]", done.stderr)


@needs("autocannon of npm", shutil.which("node") and AUTOCANNON.exists())
class AutocannonTest(RequestRate, HttpTest):
    options = ("--parse", "autocannon")
    tool = "autocannon"
    words = "autocannon --json -d 1 -c 2"
    refusal = ("the output reports a failure", "$.errors")

    def arm(self, share=0.0, fail=False):
        return f"{AUTOCANNON.parent}/{super().arm(share, fail)}"


class PostgresServer:
    """A server with a socket in a temporary folder, and no port."""

    def __init__(self):
        self.user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-pg-", dir="/tmp"))
        self.folder.chmod(0o755)
        shutil.chown(self.folder, self.user)
        self.data = self.folder / "data"
        self._run("initdb", "-D", self.data, "-U", "owner", "-A", "trust", "--no-sync",
                  "-E", "UTF8", "--locale", "C")

    def _run(self, program, *words):
        as_server = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]
        build([*(as_server if os.getuid() == 0 else []), POSTGRES[-1] / program, *words],
              cwd="/tmp", env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, stdin=subprocess.DEVNULL)

    def start(self):
        self._run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o",
                  f"-k {self.folder} -c listen_addresses= -c fsync=off", "start")

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")

    def close(self):
        shutil.rmtree(self.folder)


@needs("postgresql", POSTGRES and shutil.which("pgbench"))
class PgbenchTest(ThreeTries, LiveTest):
    tool = "pgbench"
    words = "pgbench -n -t 20"
    options = ("--parse", "pgbench")
    gate = "transactions"
    better = "higher"
    refusal = ("pgbench: error", "No such file or directory")

    @classmethod
    def setUpClass(cls):
        cls.server = PostgresServer()
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        super().setUp()
        # A test leaves no process behind, so each starts the server.
        self.server.start()
        self.addCleanup(self.server.stop)
        self.script_file = self.folder / "sleep.sql"
        self.script_file.write_text("SELECT pg_sleep(:us / 1e6);\n")

    def arm(self, share=0.0, fail=False):
        host = self.folder / "no-server" if fail else self.server.folder
        return (f"{self.words} -h {host} -U owner -D us={round(SLEEP_US * (1 + share))} "
                f"-f {self.script_file} postgres")


if __name__ == "__main__":
    main()
