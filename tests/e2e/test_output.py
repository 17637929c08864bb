"""Every command reports output that cannot be written and exits with 74."""

import json
import os
import re
import signal
import subprocess

from main import main
from support import BIN, PASS, TIMEOUT_S, OUTPUT, DaemonTest

WRITE_ERROR = "write error: No space left on device"
# They need privileges that do not exist in user mode, and then print nothing.
NOTHING_TO_PRINT = {"machine apply", "machine restore"}


class OutputTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.arms = (self.values("t:100:1"), self.values("t:100:1"))
        self.gate_options = ("--parse", "lines", "--metric", "t:50%:lower", "--runs", "8")
        done = self.benchctl_json("compare", *self.gate_options, "--export-json", "s.json",
                                  "--export-csv", "s.csv", *self.arms)
        self.assert_exit(done, PASS)
        self.session_id = done.events[-1]["session"]
        # Without /etc/machine-id, as in a container, combine would find no machine.
        export = json.loads((self.folder / "s.json").read_text())
        export["result"]["started"]["environment"].setdefault("machine", "0" * 32)
        (self.folder / "s.json").write_text(json.dumps(export))
        (self.folder / "ratings.csv").write_text("a,b\nx,x\ny,x\ny,y\n")
        (self.folder / "values.txt").write_text("t 1 s\n")
        for name in ("one", "two"):
            (self.folder / name).write_text("".join(f"{i % 7},{i % 5}\n" for i in range(100)))

    def run_with(self, words, stdout, **popen):
        return subprocess.run(
            [str(BIN / "benchctl"), *map(str, words)], env=self.client_environment(),
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
            text=True, timeout=TIMEOUT_S, **popen)

    def commands(self):
        """All commands in the help."""
        listed = self.benchctl("help").stdout
        return [line.split("  ")[0].strip()
                for line in re.findall(r"^  ([a-z].*?)$", listed, re.MULTILINE)]

    def words_of(self, command):
        """Arguments with which the command prints something each time."""
        session = self.session_id
        if command in ("arm list", "arm remove"):
            self.assert_exit(self.benchctl("compare", "--save", "kept", "true"), PASS)
        if command == "move":
            self.assert_exit(self.benchctl("pause"), PASS)
            session = self.benchctl("submit", *self.gate_options, *self.arms).stdout.strip()
        more = {
            "compare": (*self.gate_options, *self.arms),
            "measure": ("--runs", "2", "true"),
            "submit": (*self.gate_options, *self.arms),
            "watch": (session,), "show": (session,), "cancel": (session,),
            "move": (session, "--priority", "0"),
            "list": ("--all",),
            "export": (session,), "report": (session,),
            "analyze": ("s.csv", "--metric", "t:50%:lower"),
            "parse": ("lines", "values.txt"),
            "similarity": ("one", "two"),
            "agreement": ("ratings.csv",),
            "ci": ("--dry-run", "--base", "main", "-f", "s.toml"),
            "combine": ("s.json",),
            "calibrate": ("--for", "1s"),
            "explain": ("--runs", "8"),
            "arm remove": ("kept",),
            "machine reserve": ("--for", "1s"),
            "top": ("--count", "1"),
        }
        return (*command.split(), *more.get(command, ()))

    def test_no_command_ends_well_when_its_output_is_lost(self):
        commands = self.commands()
        self.assertGreater(len(commands), 25, commands)
        silent = set()
        with open("/dev/full", "w") as full:
            for command in commands:
                for more in ((), ("--json",)):
                    with self.subTest(command=command, more=more):
                        printed = self.run_with((*self.words_of(command), *more), subprocess.PIPE)
                        lost = self.run_with((*self.words_of(command), *more), full)
                        if not printed.stdout:
                            silent.add(command)
                            self.assertEqual(lost.returncode, printed.returncode, lost)
                            continue
                        self.assertEqual(lost.returncode, OUTPUT, (printed, lost))
                        self.assertIn(f"error: stdout: {WRITE_ERROR}\n", lost.stderr)
                self.benchctl("resume")
                lost = self.run_with((*command.split(), "--help"), full)
                self.assertEqual(lost.returncode, OUTPUT, (command, lost))
            for words in (("--help",), ("--version",), ("machine", "--help"), ("help", "compare")):
                self.assertEqual(self.run_with(words, full).returncode, OUTPUT, words)
        # With --json, stdout has no room for a report.
        self.assertLessEqual(silent - {"report", "help"}, NOTHING_TO_PRINT)

    def test_no_program_of_the_service_does_either(self):
        with open("/dev/full", "w") as full:
            for program in ("benchd", "benchd-runner"):
                for option in ("--help", "--version"):
                    with self.subTest(program=program, option=option):
                        done = subprocess.run(
                            [BIN / program, option], stdout=full, stderr=subprocess.PIPE,
                            text=True, timeout=TIMEOUT_S, check=False)
                        self.assertEqual(done.returncode, OUTPUT, done)
                        self.assertIn(f"error: stdout: {WRITE_ERROR}\n", done.stderr)

    def test_top_ends_when_nobody_can_read_it(self):
        with open("/dev/full", "w") as full:
            done = self.run_with(("top",), full)
        self.assertEqual(done.returncode, OUTPUT, done)

    def test_a_lost_result_is_no_verdict_for_a_bisection(self):
        with open("/dev/full", "w") as full:
            done = self.run_with(("compare", "--bisect", *self.gate_options, *self.arms), full)
        self.assertEqual(done.returncode, 128, done)

    def test_a_file_that_cannot_be_written_is_no_pass(self):
        formats = [f"--export-{name}" for name in
                   ("csv", "json", "markdown", "junit", "github", "bmf")]
        table = ("analyze", "s.csv", "--metric", "t:50%:lower")
        orders = [("watch", self.session_id, option) for option in formats]
        orders += [("show", self.session_id, option) for option in formats]
        orders += [("compare", *self.gate_options, *self.arms, "--export-junit"),
                   (*table, "--export-junit"), (*table, "--export-json"),
                   ("report", self.session_id, "-o"), ("report", "s.csv", "-o"),
                   ("history", "-o")]
        for words in orders:
            with self.subTest(words=words):
                done = self.benchctl(*words, "/dev/full")
                self.assert_exit(done, OUTPUT)
                self.assertIn(f"/dev/full: {WRITE_ERROR}\n", done.stderr)

    def test_a_closed_stdout_is_an_error_and_no_file_of_ours(self):
        done = self.run_with(("list", "--all"), None, preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, OUTPUT, done)
        self.assertIn("error: stdout: write error: Bad file descriptor\n", done.stderr)

    def test_a_reader_that_left_ends_it_as_it_ends_git(self):
        for restore in (True, False):  # also if the parent ignores SIGPIPE
            reader, writer = os.pipe()
            os.close(reader)
            with open(writer, "w") as gone:
                done = self.run_with(("list", "--all"), gone, restore_signals=restore)
            self.assertEqual(done.returncode, -signal.SIGPIPE, done)
            self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    main()
