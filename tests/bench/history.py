#!/usr/bin/python3
"""Measures how long `benchctl history` takes with many sessions, and whether `top` grows.

usage: history.py BIN [--sessions N] [--minutes M]

It starts a private daemon in a temporary folder and writes summaries into its database: 100,000 of
100 benchmarks. It then runs `benchctl top` in a terminal with a daemon that replays 20 updates per
second for M minutes (10).
"""

import argparse
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

BENCHMARKS = 100
CALLS = 20
COLUMNS = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}


def fill(database, sessions):
    """A step of 10 % in the middle of each benchmark; values vary by 1 %."""
    rows = []
    for number in range(sessions):
        level = 1.0 if number < sessions / 2 else 1.1
        summary = {
            "session": f"s{number}", "position": 0, "uid": os.getuid(),
            "ended_at": 1767323045000000000 + number * 60_000_000_000,
            "benchmark": f"bench-{number % BENCHMARKS}", "series": "", "metric": "wall_time",
            "unit": "s", "better": "lower", "reference": "base", "candidate": "candidate",
            "command": "./bench", "labels": [], "n_reference": 20, "n_candidate": 20,
            "mean_reference": 1.0, "mean_candidate": level + 0.01 * ((number * 7919) % 97 / 97 - 0.5),
            "change": {"estimate": 0.0, "lo": -0.01, "hi": 0.01}, "verdict": "pass",
            "machine": "EPYC, CPUs 0-3", "kernel": "6.1.0", "settings": "cpus=1"}
        rows.append((summary["session"], 0, summary["uid"], summary["benchmark"],
                     json.dumps(summary)))
    with sqlite3.connect(database) as connection:
        connection.executemany("INSERT INTO summaries (session, position, uid, benchmark, summary)"
                               " VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()


def start(binary, folder):
    socket = folder / "benchd.sock"
    daemon = subprocess.Popen(
        [binary / "benchd", "--user", "--force", "--socket", socket, "--state-dir",
         folder / "state", "--runtime-dir", folder, "--log-file", folder / "log"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not socket.exists():
        if daemon.poll() is not None:
            sys.exit((folder / "log").read_text())
        time.sleep(0.05)
    environment = dict(os.environ, BENCHD_SOCKET=str(socket))
    subprocess.run([binary / "benchctl", "list"], env=environment, check=True, capture_output=True)
    return daemon, environment


def end(daemon):
    daemon.terminate()
    daemon.wait()


def history(binary, sessions):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-history-"))
    try:
        daemon, _ = start(binary, folder)
        end(daemon)
        fill(folder / "state/benchd.db", sessions)
        daemon, environment = start(binary, folder)
        try:
            for words in (["history", "bench-7"], ["history"], ["version"]):
                times = []
                for _ in range(CALLS):
                    begun = time.monotonic()
                    subprocess.run([binary / "benchctl", *words], env=environment, check=True,
                                   stdout=subprocess.DEVNULL)
                    times.append(time.monotonic() - begun)
                print(f"benchctl {' '.join(words):15}  {sessions} sessions kept: median "
                      f"{statistics.median(times):.3f} s, longest {max(times):.3f} s of {CALLS}",
                      flush=True)
        finally:
            end(daemon)
    finally:
        shutil.rmtree(folder)


def rss_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def top(binary, minutes):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
    os.environ["BENCHD_TEST_PYTHON"] = str(binary.parent / "tests/e2e/python")
    import playback
    folder = pathlib.Path(tempfile.mkdtemp(prefix="benchd-top-"))
    daemon = playback.PlaybackDaemon(folder / "benchd.sock")
    try:
        daemon.play(playback.suite(count=12))
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(COLUMNS, BENCHD_SOCKET=str(folder / "benchd.sock"))
            os.execv(binary / "benchctl", ["benchctl", "top"])
        begun, samples, updates = time.monotonic(), [], 0
        while (passed := time.monotonic() - begun) < 60 * minutes:
            if select.select([terminal], [], [], 0.05)[0]:
                os.read(terminal, 65536)
            updates += 1
            daemon.play(playback.suite(count=3 + updates % 10))
            if passed > (len(samples) + 1) * 60 * minutes / 20:
                samples.append(rss_kib(pid))
        os.kill(pid, signal.SIGTERM)
        while True:
            try:
                if not os.read(terminal, 65536):
                    break
            except OSError:
                break
        os.waitpid(pid, 0)
        print(f"benchctl top: {updates} updates in {minutes:g} min; RSS {samples[1]} KiB after a "
              f"tenth, {samples[-1]} KiB at the end, largest {max(samples)} KiB")
    finally:
        daemon.close()
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    binary = options.bin.resolve()
    if options.sessions > 0:
        history(binary, options.sessions)
    if options.minutes > 0:
        top(binary, options.minutes)


if __name__ == "__main__":
    main()
