"""In the root of first_comment.py: a pull request and its job, with the action's own steps.

    job.py ARCHIVE SHA256

Prints the log, the comment, and the seconds from the first step to the comment. The API is a server
on loopback.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests/e2e"))

import github_runner  # noqa: E402

PROGRAM = """int main(void) {
  volatile unsigned long x = 1;
  for (long i = 0; i < %d; ++i) x = x * 6364136223846793005UL + 1442695040888963407UL;
  return 0;
}
"""


def git(folder, *words):
    return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@localhost", *words],
                          cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder, steps, message):
    (folder / "bench.c").write_text(PROGRAM % steps)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def pull_request(folder):
    """A checkout of a pull request that is 10 % slower; returns the variables of its job."""
    project = folder / "project"
    project.mkdir()
    git(project, "init", "--quiet", "--initial-branch", "main")
    (project / "Makefile").write_text("bench: bench.c\n\tcc -O1 -o bench bench.c\n")
    (project / ".gitignore").write_text("/bench\n/benchd-ci/\n")
    base = commit(project, 20_000_000, "base")
    git(project, "checkout", "--quiet", "-b", "topic")
    head = commit(project, 22_000_000, "ten per cent more work")
    git(project, "checkout", "--quiet", "--detach", base)
    git(project, "merge", "--quiet", "--no-ff", "-m", "Merge topic into main", "topic")
    git(project, "update-ref", "refs/remotes/origin/main", base)
    event = folder / "event.json"
    repository = {"full_name": "octo/project", "default_branch": "main"}
    event.write_text(json.dumps({"number": 17, "repository": repository, "pull_request": {
        "number": 17, "base": {"sha": base, "ref": "main", "repo": repository},
        "head": {"sha": head, "ref": "topic", "repo": repository}}}))
    variables = {
        "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": event, "GITHUB_SHA": git(project, "rev-parse", "HEAD"),
        "GITHUB_REF": "refs/pull/17/merge", "GITHUB_BASE_REF": "main", "GITHUB_HEAD_REF": "topic",
        "GITHUB_REPOSITORY": "octo/project", "GITHUB_SERVER_URL": "https://git.example",
        "GITHUB_RUN_ID": "1", "GITHUB_WORKSPACE": project, "RUNNER_TEMP": folder / "temp",
        "GITHUB_PATH": folder / "path", "GITHUB_STEP_SUMMARY": folder / "summary.md",
        # Where install.sh of the action puts benchctl; a runner reads GITHUB_PATH after each step.
        "PATH": f"{folder}/temp/benchd/installed/bin:{os.environ['PATH']}"}
    return {**os.environ, **{name: str(value) for name, value in variables.items()}}


def main():
    archive, digest = sys.argv[1:]
    github_runner.STEP_S = 900
    api = github_runner.CommentsApi()
    with tempfile.TemporaryDirectory() as folder:
        variables = dict(pull_request(pathlib.Path(folder)), GITHUB_API_URL=api.address)
        begin = time.monotonic()
        job = github_runner.Job(folder, variables, {
            "command": "./bench", "build": "make", "max-time": "10m", "archive": archive,
            "sha256": digest}).run()
        seconds = time.monotonic() - begin
    api.close()
    print(job.log)
    if len(api.comments) != 1:
        sys.exit(f"error: {len(api.comments)} comments")
    print(api.comments[0]["body"])
    print(f"{seconds:.1f} s from the first step to the comment: {job.outputs['verdict']}, "
          f"exit code {job.outputs['exit-code']}")


if __name__ == "__main__":
    main()
