"""Checks figures that do not depend on the machine's speed against tests/bench/bounds.toml.

callgrind counts instructions of statistics, codec and parsers; strace counts system calls between
one run and the next. Each figure is printed, so that a new bound can be recorded.
"""

import collections
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tomllib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

from main import main  # noqa: E402
from support import BIN, TIMEOUT_S, DaemonTest  # noqa: E402

BOUNDS = tomllib.loads((HERE / "bounds.toml").read_text())
HEADROOM = 1.1
# The number of these calls depends on speed: how often a process polls or finds its peer asleep.
WAITING = ("epoll_wait", "futex")
# How a child fetches the runner if it is late, as it is under strace.
FETCHING = ("getcpu", "sched_getaffinity", "sched_setaffinity")


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


class BoundsTest:
    """A mixin for a TestCase."""

    def assert_within(self, kind, figures):
        for name, figure in figures.items():
            print(f"{kind}: {name} = {figure:.0f}", flush=True)
        self.assertEqual(figures.keys(), BOUNDS[kind].keys())
        for name, measured in BOUNDS[kind].items():
            with self.subTest(name):
                self.assertLessEqual(
                    figures[name], measured * HEADROOM,
                    f"{kind} of {name}: {measured} when it was measured (tests/bench/bounds.toml)")


class InstructionsTest(BoundsTest, DaemonTest):
    starts_daemon = False

    @needs("valgrind")
    def test_no_operation_takes_a_tenth_more_instructions_than_it_did(self):
        functions = {f"operation_{name}": name for name in BOUNDS["instructions"]}
        done = subprocess.run(
            ["valgrind", "-q", "--tool=callgrind", "--toggle-collect=operation_*",
             *(f"--dump-after={function}" for function in functions),
             f"--callgrind-out-file={self.folder}/counts", BIN / "operations"],
            capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        units = {name: int(count) for name, count in map(str.split, done.stdout.splitlines())}
        figures = {}
        for dump in self.folder.glob("counts.*"):
            text = dump.read_text()
            function = re.search(r"^desc: Trigger: --dump-after=(\w+)$", text, re.MULTILINE)
            total = re.search(r"^totals: (\d+)$", text, re.MULTILINE)
            name = functions[function.group(1)]
            figures[name] = int(total.group(1)) / units[name]
        self.assert_within("instructions", figures)


def read_calls(path):
    """(Process, call, line) of each completed call in the output of strace -f -o."""
    pending = {}
    for line in path.read_text(errors="replace").splitlines():
        pid, _, text = line.partition(" ")
        text = text.strip()
        if text.endswith("<unfinished ...>"):
            pending[pid] = text
            if not text.startswith(("execve", "exit")):
                continue
        elif resumed := re.match(r"<\.\.\. (\w+) resumed>", text):
            before = pending.pop(pid, "")
            if resumed.group(1).startswith("execve"):
                continue  # counted when it began: the program returns from it
            text = before + text
        call = re.match(r"(\w+)\(", text)
        if call and call.group(1) not in WAITING:
            yield pid, call.group(1), text


def calls_a_run(path, runner):
    """For each role, its calls in each interval between two reaped children.

    The runner reaps a child by its pidfd; the spawner creates the children; a child executes
    /bin/true."""
    stretches = {"runner": [], "spawner": [], "child": []}
    now = collections.Counter()
    children = collections.Counter()
    makers = set()
    for pid, call, text in read_calls(path):
        if pid == runner:
            now["runner"] += 1
            if call == "waitid" and "P_PIDFD" in text and "si_pid=" in text:
                for role in ("runner", "spawner"):
                    stretches[role].append(now[role])
                now.clear()
            continue
        if call == "clone3":
            makers.add(pid)
        if pid in makers:
            now["spawner"] += 1
            continue
        children[pid] += call not in FETCHING
        if call == "execve" and '"/bin/true"' in text:
            stretches["child"].append(children[pid])
    return stretches


class SystemCallsTest(BoundsTest, DaemonTest):
    @needs("strace")
    def test_a_run_takes_no_more_system_calls_than_it_did(self):
        trace = self.folder / "trace"
        # Omit the start of the runner and the first session.
        # One CPU, because a child with several sets its own affinity.
        words = ("compare", "--cpus", str(max(os.sched_getaffinity(0))), "/bin/true", "/bin/true")
        self.benchctl(*words, "--runs", "8")
        runner = self.daemon.runner_pid()
        strace = subprocess.Popen(
            ["strace", "-f", "-o", trace, "-p", str(runner)], stderr=subprocess.PIPE, text=True)
        try:
            self.assertIn("attached", strace.stderr.readline())
            done = self.benchctl(*words, "--runs", "40")
        finally:
            strace.send_signal(signal.SIGINT)
            strace.communicate()
        self.assertIn(done.code, (0, 1, 3), done)
        stretches = calls_a_run(trace, str(runner))
        figures = {role: statistics.median(counts) if counts else 0
                   for role, counts in stretches.items()}
        self.assertGreaterEqual(len(stretches["child"]), 80, stretches)
        self.assert_within("system_calls", figures)


if __name__ == "__main__":
    main()
