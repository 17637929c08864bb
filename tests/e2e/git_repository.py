"""A real git repository whose program prints seeded values, for tests of --git and --bisect.

Use it with DaemonTest: class SomeTest(GitRepository, DaemonTest).
"""

import shlex
import subprocess

from support import BIN, TIMEOUT_S, PROGRAMS, Completed

# Ten percent is far beyond the margin of 2 %, and the spread is 1 %: eight blocks decide.
GATE = ("--parse", "lines", "--metric", "t:2%:lower", "--seed", "20240501")


class GitRepository:
    # No commit contains the program, so only a build can create it.
    BUILD = "sh build.sh"

    def setUp(self):
        super().setUp()
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        self.builds = self.folder / "builds"
        self.git("init", "--quiet", "--initial-branch", "main")
        self.write("build.sh", f'pwd -P >>{self.builds}\ncp program bench && chmod +x bench\n')
        self.write(".gitignore", "bench\n")

    def git(self, *words, code=0):
        """Runs git in the repository and returns its output."""
        done = subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@localhost", *map(str, words)],
            cwd=self.repository, env=self.client_environment(GIT_CONFIG_NOSYSTEM="1"),
            capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL,
        )
        if code is not None:
            self.assertEqual(done.returncode, code, f"git {words}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def write(self, name, text):
        (self.repository / name).write_text(text)

    def write_program(self, *metrics):
        """Sets the values that the program of the next commit prints: METRIC:MEAN:SD."""
        words = [PROGRAMS / "seeded_values", self.folder / "runs-so-far", 1, *metrics]
        self.write("program", f"#!/bin/sh\nexec {shlex.join(map(str, words))}\n")

    def commit(self, *metrics, message="change", tag=None):
        """Commits a program that prints these values and returns the commit's id."""
        if metrics:
            self.write_program(*metrics)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        if tag is not None:
            self.git("tag", "-a", tag, "-m", tag)
        return self.git("rev-parse", "HEAD")

    def compare_commits(self, revisions, *words, command=("./bench",), **options):
        # Everything after `--` belongs to the command.
        return self.benchctl(
            "compare", "--json", *GATE, "--git", revisions, "--build", self.BUILD, *words,
            "--", *command, cwd=self.repository, **options)

    def build_folders(self):
        """The folders in which builds ran, in order."""
        return self.builds.read_text().splitlines() if self.builds.exists() else []

    def shell(self, command):
        """Runs a line that a user would type in the repository, with benchctl in PATH."""
        environment = self.client_environment()
        environment["PATH"] = f"{BIN}:{environment['PATH']}"
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.repository, env=environment, capture_output=True,
            text=True, timeout=4 * TIMEOUT_S, stdin=subprocess.DEVNULL,
        )
        return Completed(done.returncode, done.stdout, done.stderr, 0)
