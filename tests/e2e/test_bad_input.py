"""Bad input of every kind yields one clear line and the right exit code, and harms no daemon."""

import os
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, os.environ["BENCHD_TEST_PYTHON"])

import grpc  # noqa: E402
from benchd.v1 import session_pb2, session_pb2_grpc  # noqa: E402

from main import main  # noqa: E402
from support import BIN, PASS, TIMEOUT_S, REFUSED, USAGE, DaemonTest  # noqa: E402

BISECT_STOP = 128


class CommandLineTest(DaemonTest):
    # Two blocks, and a margin that no change reaches.
    ANY_VERDICT = ("--runs", "2", "--method", "fixed", "--at-limit", "estimate",
                   "--margin", "10000%")

    def refused(self, *words, names=()):
        done = self.benchctl(*words)
        with self.subTest(words=words):
            self.assert_exit(done, USAGE)
            self.assert_one_error(done, *names)
            self.assertEqual(done.stdout, "")

    def test_wrong_options_are_usage_errors(self):
        self.refused("compare", "--no-such-flag", "true", "true", names=["--no-such-flag"])
        self.refused("no-such-command", names=["no-such-command"])
        self.refused("compare", "--margin", "abc", "true", "true", names=["margin", "abc"])
        self.refused("compare", "--margin", "nan", "true", "true", names=["margin"])
        self.refused("compare", "--margin", "-100%", "true", "true", names=["margin"])
        self.refused("compare", "--margin", "-5", "true", "true", names=["margin", "-5%"])
        self.refused("compare", "--margin", "0", "true", "true", names=["margin"])
        self.refused("compare", "--margin", "inf", "true", "true", names=["margin"])
        self.refused("compare", "--confidence", "0", "true", "true", names=["confidence"])
        self.refused("compare", "--confidence", "100%", "true", "true", names=["confidence"])
        self.refused("compare", "--alpha", "1", "true", "true", names=["alpha"])
        for wrong in ("50%", "100%", "x"):
            self.refused("compare", "--pass-confidence", wrong, "true", "true",
                         names=["pass-confidence"])
        self.refused("compare", "--runs", "many", "true", "true", names=["runs"])
        self.refused("compare", "--min-runs", "3", "true", "true", names=["at least 8"])
        self.refused("compare", "--max-time", "soon", "true", "true", names=["max-time"])
        self.refused("compare", "--timeout", "-1s", "true", "true", names=["timeout"])
        self.refused("compare", "--method", "guess", "true", "true", names=["method"])
        self.refused("compare", "--parse", "tea-leaves", "true", "true", names=["tea-leaves"])
        self.refused("compare", "--margin", names=["margin"])
        self.assert_unharmed()

    def test_nothing_starts_with_a_gate_that_cannot_be(self):
        """This includes `git bisect run`, which would skip every commit after a 125."""
        for option, value, hint in (
                ("--margin", "5", "write 5%"),
                ("--metric", "cpu_time:5", "write 5%"),
                ("--metric", "walltime", "did you mean wall_time?"),
                ("--metric", "no_such", "available: wall_time, "),
                ("--metric", "wall_time:x%", "write wall_time:2%"),
                ("--metric", "wall_time:", "write wall_time:2%"),
                ("--metric", "max_rss:1MB", "write max_rss:2%, max_rss:+1MiB"),
                ("--metric", "wall_time:2%:sideways", "write wall_time:2%")):
            self.refused("compare", option, value, "true", "true", names=[option, value, hint])
            done = self.benchctl("compare", "--bisect", option, value, "true", "true")
            self.assert_exit(done, BISECT_STOP)
        self.assertEqual(self.benchctl("list", "--all", "--json").stdout, "")

    def test_nothing_starts_where_a_folder_or_a_file_is_missing(self):
        for option in ("--cwd", "--input"):
            self.refused("compare", option, "no/such", "true", "true",
                         names=[option[2:], f"{self.folder}/no/such"])
        # A command of the session may create it.
        self.assert_exit(self.benchctl(
            "compare", *self.ANY_VERDICT, "--setup", "touch made", "--input", "made",
            "test -e made", "test -e made"), PASS)

    def test_what_names_a_descriptor_is_no_file(self):
        for option in ("--input", "--output"):
            for path in ("-", "/dev/stdin", "/proc/self/fd/0", "/dev/fd/63", "../../../../dev/stdin"):
                self.refused("compare", option, path, "true", "true",
                             names=[option, path, "descriptor, not a file"])
        (self.folder / "-").write_text("")
        self.assert_exit(self.benchctl(
            "compare", *self.ANY_VERDICT, "--input", "./-", "true", "true"), PASS)

    def test_a_shells_syntax_is_refused_where_no_shell_runs(self):
        self.refused("compare", "cat f > /dev/null", "true", names=["> at column 7", "--shell"])
        self.refused("compare", "true", "true && true", names=["candidate", "&&", "--shell"])
        self.refused("compare", "--setup", "make ; make", "true", "true",
                     names=["setup", ";", "--shell"])
        # Commands that run without a shell are tried with all syntax, the others with one kind.
        for command in ("true <s30k", "true >f", "true 2>f", "true &>f", "true a; true", "true|cat",
                        "true $HOME", "true $(ls)", "true `ls`", "true *.txt", "true ~/x",
                        "true {a,b}", "FOO=1 true"):
            for words in ((command, "true"), ("true", command),
                          *((f"--{hook}", command, "true", "true")
                            for hook in ("setup", "prepare", "conclude", "cleanup"))):
                self.refused("compare", *words, names=["--shell", " at column "])
        self.refused("compare", "FOO=1 true", "true", names=["--env FOO=1"])
        self.refused("calibrate", "true <s30k", names=["--shell"])
        self.assert_exit(self.benchctl(
            "compare", *self.ANY_VERDICT, "-L", "n", "1,2", "true {n}", "true {n} {}"), PASS)
        for words in (("awk 'BEGIN { exit !(2 > 1) }'", "expr 2 '>' 1"),
                      ("--shell", "cat /dev/null > /dev/null", "true && true")):
            self.assert_exit(self.benchctl("compare", *self.ANY_VERDICT, *words), PASS)

    def test_wrong_commands_are_usage_errors(self):
        self.refused("compare", names=["missing commands"])
        self.refused("compare", "true", names=["missing second command"])
        self.refused("compare", "", "true")
        self.refused("compare", "true", "   ")
        self.refused("compare", "echo 'half", "true", names=["quote"])
        self.refused("compare", 'echo "half', "true", names=["quote"])
        self.refused("compare", "-n", "same", "-n", "same", "true", "true", names=["same"])
        self.refused(
            "compare", "-n", "a", "-n", "b", "-n", "c", "true", "true", names=["name"])
        self.assert_unharmed()

    # Options and help work in any position.

    def test_options_of_every_command_may_stand_before_its_name(self):
        self.assert_exit(self.benchctl("--socket", self.daemon.socket, "--json", "list"), PASS)

    def test_help_helps_with_the_command_it_names(self):
        self.assertEqual(self.benchctl("help", "compare").stdout,
                         self.benchctl("compare", "--help").stdout)
        self.assert_exit(self.benchctl("help", "nonsense"), USAGE)

    def test_cancel_by_a_prefix_answers_with_the_whole_id(self):
        gate = self.gate()
        submitted = self.benchctl_json("submit", "--parse", "lines", "--metric", "n:2%:lower",
                                       gate.command, gate.command).events[0]["session"]
        gate.arrived()
        cancelled = self.benchctl_json("cancel", submitted[:4])
        self.assert_exit(cancelled, PASS)
        self.assertEqual(cancelled.events[0]["session"], submitted)

    def test_a_scan_without_its_step_does_not_swallow_a_command(self):
        done = self.benchctl(
            "compare", "--parameter-scan", "size", "1", "3", "head -c {size} f", "cat f")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--parameter-scan size 1 3", "STEP")

    def test_an_unknown_option_in_the_place_of_a_command_gets_a_suggestion(self):
        done = self.benchctl("--versoin")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--versoin", "did you mean --version?")

    def test_sessions_that_do_not_exist_are_named(self):
        for command in ("show", "watch", "cancel", "export"):
            self.refused(command, "zzzzzzzz", names=["zzzzzzzz"])

    def test_a_socket_that_is_none(self):
        path = self.folder / "not-a-socket"
        path.write_text("")
        done = self.benchctl("list", "--socket", path)
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, str(path))


class ProtocolTest(DaemonTest):
    """Sends messages to the socket that benchctl never sends."""

    def setUp(self):
        super().setUp()
        self.channel = grpc.insecure_channel(
            f"unix:{self.daemon.socket}",
            options=[("grpc.max_send_message_length", -1)])
        self.addCleanup(self.channel.close)

    def submit(self, *commands):
        arms = [session_pb2.Arm(command=command, cwd="/") for command in commands]
        spec = session_pb2.SessionSpec(
            benchmarks=[session_pb2.Benchmark(arms=arms)], environment={"PATH": "/usr/bin:/bin"})
        session_pb2_grpc.SessionServiceStub(self.channel).Submit(
            session_pb2.SubmitRequest(spec=spec), timeout=TIMEOUT_S)

    def assert_invalid(self, *commands, word=""):
        with self.assertRaises(grpc.RpcError) as caught:
            self.submit(*commands)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIn(word, caught.exception.details())
        # The message is one sentence and does not repeat the input.
        self.assertLess(len(caught.exception.details()), 1000)

    def test_commands_no_program_can_have(self):
        self.assert_invalid("echo a\0b", "true", word="NUL")
        self.assert_invalid("echo " + "x" * 200_000, "true", word="131071")
        self.assert_invalid("", "true")
        self.assert_invalid("true")
        self.assert_invalid()
        self.assert_unharmed()

    def test_a_message_that_is_too_large_is_refused(self):
        with self.assertRaises(grpc.RpcError) as caught:
            self.submit("echo " + "x" * 64_000_000, "true")
        self.assertIn(caught.exception.code(), (
            grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT))
        self.assert_unharmed()

    def test_malformed_messages_are_refused(self):
        submit = self.channel.unary_unary("/benchd.v1.SessionService/Submit")
        # A length beyond the end, an unfinished varint, a group without an end, and invalid UTF-8.
        for message in (b"\x0a\x7f", b"\x0a\xff\xff\xff\xff\xff", b"\x0b", b"\x12\x02\xff\xfe"):
            with self.assertRaises(grpc.RpcError) as caught:
                submit(message, timeout=TIMEOUT_S)
            # gRPC itself answers here: the C++ callback API returns UNIMPLEMENTED.
            self.assertIn(caught.exception.code(), (
                grpc.StatusCode.INTERNAL, grpc.StatusCode.INVALID_ARGUMENT,
                grpc.StatusCode.UNIMPLEMENTED), message)
        self.assert_unharmed()

    def test_unknown_methods_are_unimplemented(self):
        with self.assertRaises(grpc.RpcError) as caught:
            self.channel.unary_unary("/benchd.v1.SessionService/Explode")(b"", timeout=TIMEOUT_S)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)

    def test_bytes_that_are_no_grpc_are_cut_off(self):
        for noise in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 4096, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                      + b"\xff" * 4096):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.daemon.socket))
                client.settimeout(TIMEOUT_S)
                client.sendall(noise)
                try:
                    while client.recv(4096):
                        pass
                except ConnectionResetError:
                    pass
        self.assert_unharmed()

    def test_many_connections_that_say_nothing_do_not_shut_others_out(self):
        silent = []
        try:
            for _ in range(200):
                client = socket.socket(socket.AF_UNIX)
                client.settimeout(TIMEOUT_S)
                silent.append(client)
                client.connect(str(self.daemon.socket))
        finally:
            for client in silent:
                client.close()
        self.assert_unharmed()


class DaemonCommandLineTest(DaemonTest):
    """Command lines of benchd."""

    starts_daemon = False

    def benchd(self, *words):
        return subprocess.run(
            [str(BIN / "benchd"), *map(str, words)], env=self.daemon.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)

    def test_wrong_options_and_wrong_configurations_are_told_in_a_line(self):
        wrong = self.folder / "wrong.toml"
        wrong.write_text("[socket\n")
        unknown = self.folder / "unknown.toml"
        unknown.write_text("no_such_key = 1\n")
        for words in (["--no-such-flag"], ["--user", "--check-config", "--config", wrong],
                      ["--user", "--check-config", "--config", unknown],
                      ["--user", "--check-config", "--config", self.folder / "absent.toml"]):
            with self.subTest(words=words):
                done = self.benchd(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertLess(done.returncode, 128)
                self.assertIn("error: ", done.stderr)
                self.assertLessEqual(len(done.stderr.splitlines()), 2, done.stderr)

    def test_a_second_daemon_on_the_same_socket_refuses_to_start(self):
        self.daemon.start()
        done = self.benchd("--user", "--socket", self.daemon.socket)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("error: ", done.stderr)
        self.assert_unharmed()

    def test_a_socket_left_by_a_dead_daemon_is_replaced(self):
        self.daemon.start()
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.assertTrue(self.daemon.socket.exists())
        self.daemon.start()
        self.assert_unharmed()


if __name__ == "__main__":
    main()
