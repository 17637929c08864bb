"""benchd-push and `benchctl history --database` with a real PostgreSQL: `./dev test --database`.

The server runs as an unprivileged user in a temporary folder, on a socket and with TLS on the
loopback address, with a certificate created for it.
"""

import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from main import main
from support import BIN, PASS, DaemonTest

PROGRAMS = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
SERVER = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name


class Server:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-pg-", dir="/tmp"))
        self.data = self.folder / "data"
        self.folder.chmod(0o755)
        shutil.chown(self.folder, SERVER)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._as_server(PROGRAMS[-1] / "initdb", "-D", self.data, "-U", "owner", "-A", "trust",
                        "--no-sync", "-E", "UTF8", "--locale", "C")
        key, self.certificate = self.folder / "server.key", self.folder / "server.crt"
        self._as_server("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", key, "-out", self.certificate)
        (self.data / "pg_hba.conf").write_text(
            "local all all trust\nhostssl all all 127.0.0.1/32 trust\n")
        with (self.data / "postgresql.conf").open("a") as config:
            config.write(f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nfsync = off\n"
                         f"unix_socket_directories = '{self.folder}'\nssl = on\n"
                         f"ssl_cert_file = '{self.certificate}'\nssl_key_file = '{key}'\n")

    def _as_server(self, *words):
        words = [str(word) for word in words]
        if os.getuid() == 0:
            words = ["setpriv", f"--reuid={SERVER}", f"--regid={SERVER}", "--clear-groups", *words]
        done = subprocess.run(words, capture_output=True, text=True, cwd="/tmp",
                              env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")

    def start(self):
        self._as_server(PROGRAMS[-1] / "pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log",
                        "start")

    def stop(self):
        self._as_server(PROGRAMS[-1] / "pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")

    def close(self):
        shutil.rmtree(self.folder)

    def sql(self, text, role="owner"):
        """The output of psql, rows without headers."""
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p",
             str(self.port), "-U", role, "postgres"], input=text, capture_output=True, text=True)

    def url(self, role, **options):
        options = {"sslrootcert": self.certificate, **options}
        more = "&".join(f"{name}={value}" for name, value in options.items())
        return f"postgresql://{role}@localhost:{self.port}/postgres?hostaddr=127.0.0.1&{more}"


@unittest.skipUnless(PROGRAMS and shutil.which("openssl"), "postgresql is not installed")
@unittest.skipUnless((BIN / "benchd-push").exists(), "built without libpq-dev")
class PushTest(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        super().setUp()
        # A test leaves no process behind, so each starts a server of its own on the same files.
        self.server.start()
        self.addCleanup(self.server.stop)
        for statement in ("DROP SCHEMA IF EXISTS benchd CASCADE", "DROP ROLE IF EXISTS bench1",
                          "DROP ROLE IF EXISTS bench2", "DROP ROLE IF EXISTS reader",
                          "DROP ROLE IF EXISTS stranger"):
            self.sql(statement)
        self.make_tables()
        self.sql("CREATE ROLE bench1 LOGIN IN ROLE benchd_machine;"
                 "CREATE ROLE bench2 LOGIN IN ROLE benchd_machine;"
                 "CREATE ROLE reader LOGIN IN ROLE benchd_reader; CREATE ROLE stranger LOGIN")
        self.state = self.folder / "push"
        self.state.mkdir()
        self.value = self.folder / "value"

    def sql(self, text, role="owner"):
        done = self.server.sql(text, role)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def make_tables(self):
        schema = subprocess.run([BIN / "benchd-push", "--print-schema"], capture_output=True,
                                text=True, check=True).stdout
        self.sql(schema)

    def measure(self, count, value=100.07):
        """Runs that many sessions of one benchmark."""
        self.value.write_text(f"#! unit=s\nt {value}\n")
        for number in range(count):
            done = self.benchctl(
                "compare", "--parse", "lines", "--metric", "t:2%:lower", "--warmup", "0", "--runs",
                "8", "--label", "secret=1", f"cat {self.value}", f"cat {self.value}")
            self.assert_exit(done, PASS)

    def push_command(self, role="bench1", more="", **options):
        config = self.folder / "benchd.toml"
        config.write_text(f'[push]\nurl = "{self.server.url(role, **options)}"\n{more}')
        return [BIN / "benchd-push", "--config", config, "--socket", self.daemon.socket,
                "--state-dir", self.state]

    def push(self, role="bench1", more="", **options):
        return subprocess.run([*self.push_command(role, more, **options), "--once"],
                              capture_output=True, text=True, timeout=60)

    def assert_pushed(self, done, count):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, f"summaries sent: {count}\n" if count else "")

    def count(self):
        return int(self.sql("SELECT count(*) FROM benchd.summaries"))

    def test_summaries_arrive_once_and_history_reads_them(self):
        self.measure(3)
        self.assert_pushed(self.push(), 3)
        self.assertEqual(self.sql("SELECT DISTINCT machine, verdict, command, labels"
                                  " FROM benchd.summaries"), "bench1|pass||")
        self.assert_pushed(self.push(), 0)
        # After a lost position, everything is sent again but stored once.
        (self.state / "position").unlink()
        self.assert_pushed(self.push(), 3)
        self.assertEqual(self.count(), 3)
        # This also holds if benchd's database was created anew.
        (self.state / "position").write_text("2 nobody\n")
        self.assert_pushed(self.push(), 3)
        self.assertEqual(self.count(), 3)

        own = self.benchctl_json("history", "main").events
        read = self.benchctl_json("history", "main", "--database", self.server.url("reader")).events
        self.assertEqual(len(read), 3)
        for mine, theirs in zip(own, read):
            for key in ("session", "benchmark", "metric", "mean_candidate", "n_candidate", "verdict",
                        "series", "kernel", "settings", "change"):
                self.assertEqual(mine.get(key), theirs.get(key), key)
            self.assertTrue(theirs["machine"].startswith("bench1: "))

    def test_commands_and_labels_where_they_are_asked_for(self):
        self.measure(1)
        self.assert_pushed(self.push(more="commands = true\nlabels = true\n"), 1)
        self.assertEqual(self.sql("SELECT command, labels FROM benchd.summaries"),
                         f'cat {self.value}|{{"secret": "1"}}')

    def test_only_the_benchmarks_that_are_named(self):
        self.measure(1)
        self.assert_pushed(self.push(more='benchmarks = ["parse*"]\n'), 0)
        self.assertEqual(self.count(), 0)

    def test_a_backlog_drains_after_an_outage(self):
        """The service itself polls once per minute, so it notices an outage of a minute."""
        self.measure(1)
        pusher = subprocess.Popen(self.push_command(), stderr=subprocess.PIPE, text=True)
        self.addCleanup(pusher.stderr.close)
        self.addCleanup(pusher.wait)
        self.addCleanup(pusher.kill)
        self.assertEqual(pusher.stderr.readline(), "summaries sent: 1\n")
        self.server.stop()
        try:
            begin, missed = time.monotonic(), 0
            while missed < 50 or time.monotonic() - begin < 60:
                self.measure(1)
                missed += 1
            self.assertRegex(pusher.stderr.readline(), "^error: database: ")
            outage = time.monotonic() - begin
        finally:
            self.server.start()
        # Another line may follow the error: a hint, or further output of a server that is starting.
        line = next(line for line in pusher.stderr if line.startswith("summaries sent: "))
        print(f"outage of {outage:.0f} s with {missed} sessions, then: {line.strip()}")
        self.assertEqual(line, f"summaries sent: {missed}\n")
        self.assertEqual(self.count(), 1 + missed)
        pusher.terminate()
        self.assertEqual(pusher.wait(), 0)

    def test_nobody_writes_under_another_machines_name(self):
        row = ("INSERT INTO benchd.summaries VALUES ('bench1', 's', 0, now(), 'b', '', 'm', 's', NULL,"
               " 'r', 'c', NULL, NULL, NULL, 1, 1, 1, 1, 0, 0, 0, 'pass', '', '', '')")
        done = self.server.sql(row, "bench2")
        self.assertIn("row-level security", done.stderr)
        self.assertEqual(self.server.sql(row, "bench1").returncode, 0)
        self.assertIn("permission denied", self.server.sql(
            "SELECT * FROM benchd.summaries", "bench1").stderr)
        self.measure(1)
        self.assert_pushed(self.push("bench2"), 1)
        self.assertEqual(self.sql("SELECT machine FROM benchd.summaries ORDER BY 1"),
                         "bench1\nbench2")

    def test_a_role_that_may_not_is_refused_in_words(self):
        self.measure(1)
        for role in ("stranger", "reader"):
            done = self.push(role)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^error: database: .*permission denied")
        refused = self.benchctl("history", "main", "--database", self.server.url("stranger"))
        self.assert_exit(refused, 5)
        self.assertIn("permission denied", refused.stderr)

    def test_only_with_tls_and_a_server_that_is_known(self):
        self.measure(1)
        self.assertIn("allows connections without TLS", self.push(sslmode="disable").stderr)
        done = self.push(sslrootcert=self.folder / "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("root certificate", done.stderr)

    def test_tables_of_the_version_before_are_raised(self):
        self.measure(1)
        self.sql("ALTER TABLE benchd.summaries DROP COLUMN command, DROP COLUMN labels;"
                 "UPDATE benchd.schema_version SET version = 1")
        done = self.push()
        self.assertEqual(done.returncode, 1)
        self.assertIn("its tables have version 1, but this benchd-push writes version 2", done.stderr)
        self.assertIn("hint: as its owner, run: benchd-push --print-schema", done.stderr)
        self.make_tables()
        self.make_tables()  # changes nothing
        self.assertEqual(self.sql("SELECT version FROM benchd.schema_version"), "2")
        self.assert_pushed(self.push(), 1)

    def test_a_database_without_tables_says_so(self):
        self.measure(1)
        self.sql("DROP SCHEMA benchd CASCADE")
        self.assertIn("the tables of benchd-push are missing", self.push().stderr)


if __name__ == "__main__":
    main()
