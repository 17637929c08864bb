"""benchctl ci in jobs of GitHub, GitLab, Jenkins, Buildkite and cron, and the action around it."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import pages
from git_repository import GATE, GitRepository
from github_runner import ACTION, CommentsApi, Job
from main import main
from support import BIN, PASS, REGRESSION, TIMEOUT_S, UNDECIDED, USAGE, DaemonTest

SOURCE = ACTION.parents[1]
ZERO = "0" * 40
MARKER = "<!-- benchd: benchd -->\n"
HAS_PROGRAMS = all(shutil.which(program) for program in ("curl", "jq"))
try:
    import yaml
except ImportError:
    yaml = None
NEEDS_ACTION = "curl, jq or python3-yaml is not installed"


class CiJob(GitRepository, DaemonTest):
    """A clone in which a CI system starts a job, after main and a topic have moved on."""

    def setUp(self):
        super().setUp()
        self.base = self.commit("t:100:1", message="base")
        self.server = self.folder / "server.git"
        self.git("clone", "--quiet", "--bare", self.repository, self.server)
        self.git("remote", "add", "origin", f"file://{self.server}")
        self.summary = self.folder / "summary.md"
        self.summary.write_text("# Of an earlier step\n")
        self.outputs = self.folder / "outputs"
        self.outputs.write_text("")

    def push(self, *metrics, to="main", **more):
        commit = self.commit(*metrics, **more)
        self.git("push", "--quiet", "origin", f"HEAD:refs/heads/{to}")
        return commit

    def topic(self, *metrics):
        """A branch with one commit, while main moves on. Returns its commit."""
        self.git("checkout", "--quiet", "-b", "topic")
        head = self.push(*metrics, to="topic", message="topic")
        self.git("checkout", "--quiet", "main")
        self.write("README", "main moved\n")
        self.push(message="main moved")
        return head

    def checkout(self, name="job", *words):
        self.git("clone", "--quiet", *words, f"file://{self.server}", self.folder / name)
        return self.folder / name

    def github(self, event, payload, folder, **more):
        """The variables of a job on GitHub."""
        path = self.folder / "event.json"
        path.write_text(json.dumps(payload))
        environment = self.client_environment(
            GITHUB_ACTIONS="true", GITHUB_EVENT_NAME=event, GITHUB_EVENT_PATH=str(path),
            GITHUB_SHA=payload.get("after", self.base), GITHUB_REF_NAME="main",
            GITHUB_REF=payload.get("ref", "refs/heads/main"),
            GITHUB_SERVER_URL="https://github.com", GITHUB_REPOSITORY="octo/project",
            GITHUB_RUN_ID="987", GITHUB_STEP_SUMMARY=str(self.summary),
            GITHUB_OUTPUT=str(self.outputs), GITHUB_WORKSPACE=str(folder),
            GIT_CONFIG_NOSYSTEM="1", RUNNER_TEMP=str(self.folder), **more)
        environment["PATH"] = f"{BIN}:{environment['PATH']}"
        return environment

    def push_event(self, after, before=None, branch="main"):
        return {"ref": f"refs/heads/{branch}", "before": before or self.base, "after": after,
                "created": before == ZERO, "deleted": after == ZERO, "forced": False,
                "repository": {"full_name": "octo/project", "default_branch": "main"}}

    def request_event(self, head, fork=False):
        """The documented fields of pull_request."""
        source = "mallory/project" if fork else "octo/project"
        return {"action": "synchronize", "number": 17, "pull_request": {
            "number": 17, "state": "open",
            "base": {"ref": "main", "sha": self.git("rev-parse", "main"),
                     "repo": {"full_name": "octo/project"}},
            "head": {"ref": "topic", "sha": head, "repo": {"full_name": source}}},
            "repository": {"full_name": "octo/project", "default_branch": "main"}}

    BUILT = (*GATE, "--build", GitRepository.BUILD)
    WORDS = (*BUILT, "--calibrate", "0")

    def ci(self, folder, environment, *words, command=("--", "./bench")):
        return self.benchctl("ci", *self.WORDS, *words, *command, cwd=folder,
                             environment=environment)

    def files(self, folder):
        return sorted(path.name for path in (folder / "benchd-ci").iterdir())

    def output(self, name):
        lines = [line for line in self.outputs.read_text().splitlines()
                 if line.startswith(name + "=")]
        return lines[-1].partition("=")[2]


class CommandTest(CiJob):
    def test_a_push_is_compared_with_the_commit_before(self):
        self.push("t:101:1", message="between")
        head = self.push("t:110:1", message="slower")
        folder = self.checkout()
        done = self.ci(folder, self.github("push", self.push_event(head), folder))
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.files(folder), [
            "benchd.env", "changes.json", "comment.md", "history.json", "junit.xml", "report.html",
            "runs.csv", "session.json", "verdict.md"])
        whole, kept = (json.loads((folder / "benchd-ci" / name).read_text())
                       for name in ("session.json", "history.json"))
        self.assertTrue(whole["runs"])
        self.assertEqual(kept, {**whole, "runs": []})
        self.assertEqual(self.output("verdict"), "regression")
        self.assertEqual(self.output("fork"), "false")
        (change,) = json.loads(self.output("changes"))
        self.assertEqual((change["metric"], change["verdict"]), ("t", "regression"))
        self.assertAlmostEqual(change["change"]["estimate"], 0.1, delta=0.03)
        self.assertEqual(json.loads((folder / "benchd-ci/changes.json").read_text()), [change])
        self.assertIn("BENCHD_VERDICT=regression\n", (folder / "benchd-ci/benchd.env").read_text())
        text = self.summary.read_text()
        self.assertTrue(text.startswith("# Of an earlier step\n\n**❌"), text)
        self.assertIn(f"https://github.com/octo/project/commit/{self.base}", text)
        self.assertIn("[job](https://github.com/octo/project/actions/runs/987)", text)
        comment = (folder / "benchd-ci/comment.md").read_text()
        self.assertTrue(comment.startswith(MARKER + "**❌"), comment)
        # The line that repeats it works in any clone.
        again = re.search(r"^benchctl compare .*$", comment, re.MULTILINE).group(0)
        self.assertIn(f"--git {self.base}..{head}", again)
        self.assertNotIn(str(self.folder), again)
        self.assert_exit(self.shell(again), REGRESSION)

    def test_fail_on_decides_which_verdicts_fail(self):
        head = self.push("t:110:1", message="slower")
        folder = self.checkout()
        environment = self.github("push", self.push_event(head), folder)
        self.assert_exit(self.ci(folder, environment, "--fail-on", "never"), PASS)
        self.assertEqual(self.output("verdict"), "regression")
        open_words = ("--margin", "10%", "--metric", "t:lower", "--max-runs", "8")
        words = [word for word in self.WORDS if word not in ("--metric", "t:2%:lower")]
        for fail_on, code in (("regression", PASS), ("undecided", UNDECIDED)):
            done = self.benchctl("ci", *words, *open_words, "--fail-on", fail_on, "--", "./bench",
                                 cwd=folder, environment=environment)
            self.assert_exit(done, code)
            self.assertEqual(self.output("verdict"), "undecided")
        failed = self.ci(folder, environment, "--fail-on", "never", command=("--", "false"))
        self.assert_exit(failed, 4)
        self.assertEqual(self.output("verdict"), "none")
        self.assertIn("no verdict", (folder / "benchd-ci/comment.md").read_text())

    def test_a_pull_request_is_compared_with_where_it_left_main(self):
        head = self.topic("t:110:1")
        folder = self.checkout()
        done = self.ci(folder, self.github("pull_request", self.request_event(head), folder),
                       "--comment", "linux/x86_64")
        self.assert_exit(done, REGRESSION)
        self.assertIn(f"base {self.base[:7]}", done.stderr)
        self.assertIn("GitHub Actions, pull request 17: benchctl compare --git ", done.stderr)
        self.assertEqual(self.output("pull-request"), "17")
        self.assertTrue((folder / "benchd-ci/comment.md").read_text().startswith(
            "<!-- benchd: linux/x86_64 -->\n"))

    def test_a_manual_start_and_a_named_base(self):
        head = self.push("t:110:1", message="slower")
        folder = self.checkout()
        payload = {"repository": {"default_branch": "main"}}
        environment = self.github("workflow_dispatch", payload, folder)
        environment["GITHUB_SHA"] = head
        self.assert_exit(self.ci(folder, environment), REGRESSION)
        self.push("t:110:1", message="as slow")
        folder = self.checkout("again")
        scheduled = self.github("schedule", payload, folder)
        scheduled["GITHUB_SHA"] = self.git("rev-parse", "HEAD")
        refused = self.ci(folder, scheduled)
        self.assert_exit(refused, USAGE)
        self.assert_one_error(refused, "no variable names the commit to compare with", "--base REF")
        self.assert_exit(self.ci(folder, scheduled, "--base", head), PASS)

    def test_the_other_systems(self):
        head = self.topic("t:110:1")
        folder = self.checkout()
        page = {"CI_PROJECT_URL": "https://gitlab.example/team/project"}
        for variables in (
                {"GITLAB_CI": "true", "CI_PIPELINE_SOURCE": "merge_request_event",
                 "CI_COMMIT_SHA": head, "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base,
                 "CI_MERGE_REQUEST_IID": "3", **page},
                {"JENKINS_URL": "https://jenkins.example/", "CHANGE_ID": "3",
                 "CHANGE_TARGET": "main", "GIT_COMMIT": head},
                {"BUILDKITE": "true", "BUILDKITE_PULL_REQUEST": "3", "BUILDKITE_COMMIT": head,
                 "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"}):
            with self.subTest(variables=variables):
                done = self.ci(folder, self.client_environment(**variables))
                self.assert_exit(done, REGRESSION)
                name = "merge request" if "GITLAB_CI" in variables else "pull request"
                self.assertIn(f", {name} 3: ", done.stderr)
        self.assert_exit(self.ci(folder, self.client_environment(), "--base", "HEAD~1"), PASS)

    def test_a_suite_is_repeated_with_its_commits(self):
        (self.repository / "suite.toml").write_text(
            '[[benchmark]]\nname = "one"\ncommand = "./bench"\n'
            '[[benchmark]]\nname = "two"\ncommand = "./bench"\n')
        base = self.push("t:100:1", message="suite")
        head = self.push("t:110:1", message="slower")
        folder = self.checkout()
        done = self.ci(folder, self.github("push", self.push_event(head, base), folder),
                       command=("-f", "suite.toml"))
        self.assert_exit(done, REGRESSION)
        comment = (folder / "benchd-ci/comment.md").read_text()
        again = re.search(r"^benchctl compare .*$", comment, re.MULTILINE).group(0)
        self.assertIn(f" --git {base}..{head} ", again)
        self.assertIn(" --file suite.toml", again)
        self.assertIn("geometric mean of t: ", comment)
        self.assert_exit(self.shell(again), REGRESSION)

    def test_a_summary_of_200_benchmarks_fits_a_comment(self):
        self.git("checkout", "--quiet", "-b", "topic")
        folder = self.repository
        (folder / "suite.toml").write_text("".join(
            f'[[benchmark]]\nname = "{"parser/" * 6}size={number}"\ncommand = "./bench"\n'
            for number in range(200)))
        self.commit(message="suite")
        environment = self.client_environment()
        done = self.benchctl("ci", *self.WORDS, "--base", self.base, "--runs", "3", "--warmup", "0",
                             "-f", "suite.toml", cwd=folder, environment=environment,
                             timeout=4 * TIMEOUT_S)
        self.assertIn(done.code, (PASS, REGRESSION), done)
        comment = (folder / "benchd-ci/comment.md").read_text()
        self.assertLessEqual(len(comment.encode()), 60_000)
        shown, _, folded = comment.partition("<details>")
        self.assertLessEqual(shown.count("size="), 20, shown)
        self.assertEqual(len(set(re.findall(r"`\S*size=(\d+)`", shown + folded))), 200)

    def test_nothing_new_passes_only_if_that_is_wanted(self):
        folder = self.checkout()
        environment = self.github("push", self.push_event(self.base), folder)
        refused = self.ci(folder, environment)
        self.assert_exit(refused, USAGE)
        self.assertIn("both sides are the same commit", refused.stderr)
        self.assertEqual(self.output("verdict"), "none")
        self.assertIn("no verdict", (folder / "benchd-ci/comment.md").read_text())
        self.assert_exit(self.ci(folder, environment, "--same-is-pass"), PASS)
        self.assertEqual(self.output("verdict"), "pass")
        self.assertIn("nothing was measured", (folder / "benchd-ci/comment.md").read_text())
        self.assertNotIn("session.json", self.files(folder))

    def test_what_is_missing_is_said_in_one_line(self):
        head = self.push("t:110:1", message="slower")
        shallow = self.checkout("shallow", "--depth", "1")
        done = self.ci(shallow, self.github("push", self.push_event(head), shallow))
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, f"base from before in GITHUB_EVENT_PATH: {self.base}: unknown",
                              "shallow clone: give actions/checkout fetch-depth: 0")
        self.assertIn("shallow clone", self.summary.read_text())
        folder = self.checkout()
        bad = self.github("push", self.push_event(head, "f" * 40), folder)
        done = self.ci(folder, bad)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "unknown revision")
        done = self.ci(folder, self.github("push", self.push_event(ZERO), folder))
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "was deleted")
        outside = self.folder / "outside"
        outside.mkdir()
        done = self.ci(outside, self.github("push", self.push_event(head), outside))
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "not a git repository")
        (self.folder / "event.json").write_text("[")
        done = self.ci(folder, bad)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "not JSON")

    def test_a_dry_run_runs_nothing_and_writes_nothing(self):
        folder = self.folder / "empty"
        folder.mkdir()
        environment = self.github("push", self.push_event("2" * 40), folder)
        done = self.ci(folder, environment, "--dry-run")
        self.assert_exit(done, PASS)
        self.assertIn(f"\ncommand:   benchctl compare --git {self.base}..{'2' * 40} ", done.stdout)
        self.assertEqual(list(folder.iterdir()), [])
        self.assertEqual(self.outputs.read_text(), "")
        (line,) = self.benchctl("ci", "--json", "--dry-run", "--", "./bench", cwd=folder,
                                environment=environment).events
        self.assertEqual((line["event"], line["trigger"]), ("ci", "push"))
        self.assertIn("--label benchd-calibration=base --max-time 30s -- ./bench",
                      line["calibration"])
        self.assertNotIn("\ncalibrate:", done.stdout, "--calibrate 0")

    def test_results_of_an_earlier_job_are_not_taken_for_new_ones(self):
        head = self.push("t:110:1", message="slower")
        folder = self.checkout()
        environment = self.github("push", self.push_event(head), folder)
        self.assert_exit(self.ci(folder, environment), REGRESSION)
        done = self.ci(folder, environment, "--base", "nothing")
        self.assert_exit(done, USAGE)
        self.assertNotIn("session.json", self.files(folder))
        self.assertEqual(self.output("verdict"), "none")
        # Not even a job whose commits are unknown leaves them.
        self.assertIn("comment.md", self.files(folder))
        self.assert_exit(self.ci(folder, {**environment, "GITHUB_EVENT_PATH": "/no/such"}), USAGE)
        endless = self.ci(folder, {**environment, "GITHUB_EVENT_PATH": "/dev/zero"})
        self.assert_one_error(endless, "/dev/zero: larger than 256 MiB")
        self.assertFalse(self.files(folder))


class CalibrationTest(CiJob):
    """The base against itself, before the comparison."""

    def calibrated(self, folder, environment, *words, command=("--", "./bench")):
        return self.benchctl("ci", *words, "--build", self.BUILD, *command, cwd=folder,
                             environment=environment)

    def test_it_tells_what_the_runner_shows_and_changes_nothing_else(self):
        head = self.push("t:110:1", message="slower")
        folder = self.checkout()
        done = self.calibrated(folder, self.github("push", self.push_event(head), folder), *GATE,
                               "--calibrate", "2s")
        self.assert_exit(done, REGRESSION)
        self.assertIn(" --label benchd-calibration=base --max-time 2s -- ./bench\n", done.stderr)
        self.assertRegex(
            done.stderr, r"benchctl: On this runner, the 10 min given show changes of [^\n]* in "
                         r"wall_time[^\n]* in t, by \d s of the base against itself\.\n"
                         r"benchctl: Gate on t with a margin of \d")
        self.assertNotIn("too small", done.stderr)
        self.assertEqual(len(self.build_folders()), 2, "the base is built once")
        (line,) = (folder / "benchd-ci/calibration.json").read_text().splitlines()
        calibration = json.loads(line)
        visible = {one["metric"]: one["most"]["change"] for one in calibration["visible"]}
        self.assertLess(visible["t"], 0.01)
        self.assertEqual(calibration["recommended"]["metric"], "t")
        comment = (folder / "benchd-ci/comment.md").read_text()
        self.assertEqual(comment.count("<details>"), 2)
        self.assertIn("</details>\n\n<details><summary>calibration: ", comment)
        # It is a session like any other, but no entry of the history.
        label = "benchd-calibration=base"
        (session,) = self.benchctl("list", "--all", "--json", "--label", label).events
        self.assertEqual(session["session"], calibration["session"])
        shown = self.benchctl("show", session["session"], "--json").stdout
        self.assertIn(self.base, shown)
        self.assertNotIn(head, shown)
        entries = self.benchctl("history", "main", "--json").events
        self.assertEqual([entry["session"] for entry in entries], [self.output("session")])

    def test_a_margin_that_is_too_small_is_named_beforehand(self):
        (self.repository / "suite.toml").write_text(
            '[defaults]\nmax_runs = 2000\nconfirm = true\n'
            '[[benchmark]]\nname = "one"\ncommand = "./bench"\n'
            '[[benchmark]]\nname = "two"\ncommand = "./bench"\n')
        base = self.push("t:100:1", message="suite")
        head = self.push("u:1:0", "t:100:1", message="as fast")
        folder = self.checkout()
        done = self.calibrated(
            folder, self.github("push", self.push_event(head, base), folder), "--json", "--parse",
            "lines", "--metric", "t:0.001%:lower", "--calibrate", "2s", "--max-time", "1s",
            command=("-f", "suite.toml"))
        self.assert_exit(done, PASS)
        self.assertEqual([line["event"] for line in done.events[:2]], ["ci", "ci_calibration"])
        calibration = done.events[1]
        (too_small,) = calibration["too_small"]
        self.assertEqual((too_small["metric"], too_small["gates"], too_small["open"]), ("t", 2, 2))
        self.assertEqual(calibration["max_runs"], 2000)
        self.assertEqual(done.events[-1]["verdict"], "undecided")
        self.assertIn("calibration: a margin is too small for this runner",
                      (folder / "benchd-ci/verdict.md").read_text())

    def test_a_calibration_that_fails_is_a_warning(self):
        head = self.push("t:110:1", message="slower")
        folder = self.checkout()
        environment = self.github("push", self.push_event(head), folder)
        done = self.calibrated(folder, environment, *GATE, "--calibrate", "1s",
                               command=("--", "false"))
        self.assert_exit(done, 4)
        self.assertRegex(done.stderr, r"\nwarning: calibration: [^\n]*; the comparison follows "
                                      r"without one\n")
        self.assertNotIn("calibration.json", self.files(folder))
        done = self.calibrated(folder, environment, *GATE, "--layouts", "4")
        self.assert_exit(done, 4)  # this build has no layouts
        self.assertIn("does not show the spread between builds; the comparison", done.stderr)

    def test_there_is_none_without_anything_to_compare(self):
        folder = self.checkout()
        environment = self.github("push", self.push_event(self.base), folder)
        done = self.calibrated(folder, environment, *GATE, "--same-is-pass")
        self.assert_exit(done, PASS)
        self.assertNotIn("calibration", done.stderr)
        refused = self.calibrated(folder, environment, *GATE, "--calibrate", "soon")
        self.assert_exit(refused, USAGE)
        self.assert_one_error(refused, "--calibrate soon: not a duration")


@unittest.skipUnless(HAS_PROGRAMS and yaml, NEEDS_ACTION)
class ActionTest(CiJob):
    INPUTS = {"command": "./bench", "build": GitRepository.BUILD, "metric": "t:2%:lower\n",
              "options": "--parse\nlines\n--seed\n20240501\n", "calibrate": "0"}

    def setUp(self):
        super().setUp()
        self.api = CommentsApi()
        self.addCleanup(self.api.close)

    def job(self, event, payload, folder, **inputs):
        environment = self.github(event, payload, folder, GITHUB_API_URL=self.api.address)
        return Job(self.folder, environment, {**self.INPUTS, **inputs}).run()

    def bodies(self):
        return [comment["body"] for comment in self.api.comments]

    def assert_job(self, job, failed, verdict):
        self.assertEqual(job.failed, failed, job.log)
        self.assertEqual(job.outputs["verdict"], verdict, job.log)

    def test_a_push_has_a_verdict_and_no_comment(self):
        head = self.push("t:110:1", message="slower")
        job = self.job("push", self.push_event(head), self.checkout())
        self.assert_job(job, True, "regression")
        # No name of a benchmark may be a command for the runner.
        self.assertRegex(job.log, r"::stop-commands::([0-9a-f]{32})\n(.|\n)*REGRESSION(.|\n)*"
                                  r"\n::\1::\n")
        self.assertEqual(self.api.requests, [])
        self.assertEqual(json.loads(job.outputs["changes"])[0]["metric"], "t")
        self.assertEqual([(name, words["name"], words["path"]) for name, words in job.uses],
                         [("actions/upload-artifact@v4", "benchd", "./benchd-ci")])
        self.assertIn("❌", self.summary.read_text())

    def test_a_pull_request_has_one_comment_which_a_new_run_updates(self):
        self.api.add("Nice work!", login="someone")
        self.api.add(MARKER + "a trap", login="mallory")
        for number in range(120):  # the second page has ours
            self.api.add(f"Comment {number}", login="someone")
        head = self.topic("t:110:1")
        folder = self.checkout()
        self.assert_job(self.job("pull_request", self.request_event(head), folder), True,
                        "regression")
        (ours,) = [body for body in self.bodies() if body.startswith(MARKER + "**❌")]
        self.assertIn(f"commit/{head}", ours)
        self.assertEqual(self.api.tokens, {"Bearer token"})
        # The same job again, and then another commit.
        self.job("pull_request", self.request_event(head), folder)
        self.git("checkout", "--quiet", "topic")
        head = self.push("u:1:0", "t:100:1", to="topic", message="fixed")
        self.git("-C", folder, "fetch", "--quiet", "origin")
        job = self.job("pull_request", self.request_event(head), folder)
        self.assert_job(job, False, "pass")
        ours = [body for body in self.bodies() if body.startswith(MARKER + "**")]
        self.assertEqual(len(ours), 1, ours)
        self.assertIn("✅", ours[0])
        self.assertIn(MARKER + "a trap", self.bodies())
        self.assertEqual([method for method, _ in self.api.requests if method != "GET"],
                         ["POST", "PATCH", "PATCH"])
        self.assertNotIn("token", job.log)

    def test_two_comments_have_two_names(self):
        head = self.topic("t:110:1")
        folder = self.checkout()
        for name in ("linux", "arm64", "linux"):
            self.job("pull_request", self.request_event(head), folder, comment=name)
        self.assertEqual([body.splitlines()[0] for body in self.bodies()],
                         ["<!-- benchd: linux -->", "<!-- benchd: arm64 -->"])

    def test_a_fork_leaves_its_comment_to_a_second_workflow(self):
        head = self.topic("t:110:1")
        folder = self.checkout()
        job = self.job("pull_request", self.request_event(head, fork=True), folder)
        self.assert_job(job, True, "regression")
        self.assertEqual(self.api.requests, [])
        self.assertIn("a second workflow can post", job.log)
        # The second workflow has the artifact, and finds the pull request by its branch and commit.
        self.api.pulls = [{"label": "mallory:topic", "number": 16, "head": {"sha": "f" * 40}},
                          {"label": "mallory:topic", "number": 17, "head": {"sha": head}}]
        done = self.post(folder, BENCHD_HEAD="mallory:topic", BENCHD_HEAD_SHA=head)
        self.assertEqual(done.returncode, 0, done)
        (ours,) = self.bodies()
        self.assertTrue(ours.startswith(MARKER), ours)
        done = self.post(folder, BENCHD_HEAD="mallory:topic", BENCHD_HEAD_SHA="e" * 40)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("no open pull request of mallory:topic", done.stdout)
        self.assertEqual(len(self.bodies()), 1)

    def post(self, folder, **variables):
        """comment.sh alone."""
        environment = dict(os.environ, GITHUB_API_URL=self.api.address,
                           GITHUB_REPOSITORY="octo/project", BENCHD_TOKEN="token",
                           BENCHD_COMMENT_FILE=str(folder / "benchd-ci/comment.md"), **variables)
        return subprocess.run(["bash", ACTION / "comment.sh"], env=environment, text=True,
                              capture_output=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)

    def test_a_manual_start_has_no_comment(self):
        head = self.push("u:1:0", "t:100:1", message="as fast")
        folder = self.checkout()
        payload = {"repository": {"default_branch": "main"}, "after": head}
        self.assert_job(self.job("workflow_dispatch", payload, folder), False, "pass")
        self.assertEqual(self.api.requests, [])

    def test_an_api_that_refuses_is_one_line_and_does_not_hide_the_verdict(self):
        head = self.topic("t:110:1")
        folder = self.checkout()
        self.api.refuse = 403
        job = self.job("pull_request", self.request_event(head), folder)
        self.assert_job(job, True, "regression")
        self.assertIn("\n::warning title=benchd::comment: the token may not comment (403): because "
                      "of the test; hint: permissions: {pull-requests: write}\n", job.log)
        for status, headers, words in (
                (401, {}, "the token is not valid (401)"),
                (403, {"Retry-After": "60"}, "run the job again in 60 seconds"),
                (404, {}, "no pull request 17 in octo/project for this token (404)"),
                (422, {}, "the comment was refused (422): because of the test; hint: is the pull"),
                (429, {"Retry-After": "7"}, "too many requests (429): because of the test; hint: "
                                            "run the job again in 7 seconds"),
                (500, {}, "the answer was 500")):
            with self.subTest(status=status, headers=headers):
                self.api.refuse, self.api.headers = status, headers
                self.assert_one_warning(self.post(folder, BENCHD_PULL_REQUEST="17"), words)
        self.api.refuse, self.api.headers = None, {}
        self.assert_one_warning(self.post(folder, BENCHD_PULL_REQUEST="18"),
                                "no pull request 18 in octo/project")
        address = self.api.address
        self.api.address = "http://127.0.0.1:9"
        self.assert_one_warning(self.post(folder, BENCHD_PULL_REQUEST="17"), "no answer from")
        self.api.address = address
        (folder / "benchd-ci/comment.md").write_text("no marker\n")
        self.assert_one_warning(self.post(folder, BENCHD_PULL_REQUEST="17"),
                                "does not begin with a marker")

    def assert_one_warning(self, done, words):
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stderr, "")
        (line,) = done.stdout.splitlines()
        self.assertTrue(line.startswith("::warning title=benchd::comment: "), line)
        self.assertIn(words, line)

    def test_a_bad_base_and_a_shallow_clone_fail_the_job_with_a_comment(self):
        head = self.topic("t:110:1")
        shallow = self.checkout("shallow", "--depth", "1")
        job = self.job("pull_request", self.request_event(head), shallow)
        self.assert_job(job, True, "none")
        self.assertEqual(job.outputs["exit-code"], "2")
        self.assertIn("fetch-depth: 0", job.log)
        (ours,) = self.bodies()
        self.assertIn("no verdict", ours)
        job = self.job("pull_request", self.request_event(head), self.checkout(), base="nothing")
        self.assert_job(job, True, "none")
        self.assertIn("base from --base: nothing: unknown revision", job.log)
        self.assertEqual(len(self.bodies()), 1)

    def test_files_of_an_earlier_job_are_not_delivered_for_one_that_benchctl_refuses(self):
        head = self.topic("t:110:1")
        folder = self.checkout()
        self.assert_job(self.job("pull_request", self.request_event(head), folder), True,
                        "regression")
        self.assertTrue((folder / "benchd-ci/comment.md").exists())
        requests = len(self.api.requests)
        job = self.job("pull_request", self.request_event(head), folder, calibrate="soon")
        self.assert_job(job, True, "")
        self.assertEqual(job.outputs["exit-code"], "2")
        self.assertIn("--calibrate soon: not a duration", job.log)
        refused = self.job("pull_request", self.request_event(head), folder, options="--no-such")
        self.assert_job(refused, True, "")
        self.assertEqual(refused.outputs["exit-code"], "2")
        self.assertEqual(job.uses + refused.uses, [], "nothing is uploaded")
        self.assertEqual(len(self.api.requests), requests)

    def test_inputs_are_never_code(self):
        mark = self.folder / "executed"
        head = self.push("u:1:0", "t:100:1", message="as fast")
        for name in ("margin", "base", "options", "command", "sha256", "calibrate", "site-branch"):
            hostile = f"$(touch {mark})`touch {mark}`\"; touch {mark}; '"
            self.job("push", self.push_event(head), self.checkout(f"c-{name}"), **{name: hostile})
        self.assertFalse(mark.exists())

    def test_the_archive_is_installed_if_its_sum_is_right(self):
        if shutil.which("zstd") is None:
            self.skipTest("zstd is not installed")
        name = "benchd-1-linux-x86_64"
        unpacked = self.folder / name
        (unpacked / "bin").mkdir(parents=True)
        shutil.copy(SOURCE / "ci/archive/install.sh", unpacked)
        with open(unpacked / "manifest", "w", encoding="ascii") as manifest:
            for program in BIN.glob("bench*"):
                if program.suffix != ".debug":
                    (unpacked / "bin" / program.name).symlink_to(program)
                    print(f"755 bin/{program.name}", file=manifest)
        archive = self.folder / "archive.tar.zst"
        subprocess.run(["tar", "--create", "--zstd", f"--file={archive}", name], cwd=self.folder,
                       check=True)
        paths = self.folder / "paths"
        environment = dict(os.environ, RUNNER_TEMP=str(self.folder / "temp"), GITHUB_PATH=str(paths))
        bash = shutil.which("bash")
        sum_of = hashlib.sha256(archive.read_bytes()).hexdigest()

        def install(**more):
            return subprocess.run([bash, ACTION / "install.sh"], env={**environment, **more},
                                  text=True, capture_output=True, timeout=TIMEOUT_S)

        done = install(BENCHD_ARCHIVE=str(archive), BENCHD_SHA256=sum_of)
        self.assertEqual(done.returncode, 0, done)
        (folder,) = paths.read_text().splitlines()
        self.assertTrue(os.access(pathlib.Path(folder) / "benchctl", os.X_OK))
        for variables, words in (
                ({"BENCHD_ARCHIVE": str(archive), "BENCHD_SHA256": "0" * 64}, "not the given one"),
                ({"BENCHD_ARCHIVE": str(archive), "BENCHD_SHA256": ""}, "not 64 hexadecimal digits"),
                ({"BENCHD_ARCHIVE": "http://127.0.0.1:9/a", "BENCHD_SHA256": sum_of}, "only https"),
                ({"BENCHD_ARCHIVE": "", "PATH": str(self.folder)}, "benchctl: not installed")):
            with self.subTest(words=words):
                done = install(**variables)
                self.assertEqual(done.returncode, 2, done)
                (line,) = done.stdout.splitlines()
                self.assertTrue(line.startswith("::error title=benchd::"), line)
                self.assertIn(words, line)


@unittest.skipUnless(yaml, NEEDS_ACTION)
class PageTest(unittest.TestCase):
    """The workflows of docs/ci.md that use the action."""

    def steps(self, number):
        blocks = [block for block in pages.blocks(SOURCE / "docs/ci.md")
                  if block.kind == "tested" and block.argument.endswith("test_ci_command.py")]
        (job,) = yaml.safe_load(blocks[number].text)["jobs"].values()
        return job["steps"]

    def test_the_action_has_the_inputs_that_the_page_gives_and_describes(self):
        inputs = set(yaml.safe_load((ACTION / "action.yml").read_text())["inputs"])
        (step,) = [step for step in self.steps(0) if "/ci/github@" in step["uses"]]
        self.assertLessEqual(set(step["with"]), inputs)
        page = (SOURCE / "docs/ci.md").read_text()
        table = page[page.index("| input | meaning |"):page.index("- **Outputs.**")]
        self.assertEqual(set(re.findall(r"`([a-z0-9-]+)`", table)) & inputs, inputs)

    def test_the_second_workflow_gives_the_script_what_it_reads(self):
        script = (ACTION / "comment.sh").read_text()
        (step,) = [step for step in self.steps(1) if "run" in step]
        self.assertEqual(step["run"], "benchd/ci/github/comment.sh")
        for name in step["env"]:
            self.assertIn(f"# {name} ", script)


@unittest.skipUnless(yaml, NEEDS_ACTION)
class TemplateTest(CiJob):
    """The templates of the other systems run the same command."""

    def test_gitlab(self):
        head = self.topic("t:110:1")
        folder = self.checkout()
        job = yaml.safe_load((SOURCE / "ci/gitlab/benchd.yml").read_text())[".benchd"]
        options = " ".join((*GATE, "--calibrate 0", "--build", "'sh build.sh'", "-- ./bench"))
        environment = self.client_environment(
            GITLAB_CI="true", CI_PIPELINE_SOURCE="merge_request_event", CI_COMMIT_SHA=head,
            CI_MERGE_REQUEST_DIFF_BASE_SHA=self.base, BENCHD_OPTIONS=options)
        environment["PATH"] = f"{BIN}:{environment['PATH']}"
        done = subprocess.run(["bash", "-e", "-c", "\n".join(job["script"])], cwd=folder,
                              env=environment, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, REGRESSION, done)
        for name in ("junit", "dotenv"):
            self.assertTrue((folder / job["artifacts"]["reports"][name]).exists())

    def test_buildkite(self):
        head = self.topic("t:110:1")
        folder = self.checkout()
        plugin = yaml.safe_load((SOURCE / "ci/buildkite/plugin.yml").read_text())
        said = self.folder / "said"
        (self.folder / "bin").mkdir()
        self.script(f'echo "$@" >>{said}', name="bin/buildkite-agent")
        given = {"BUILD": "sh build.sh", "COMMAND": "./bench", "FAIL_ON": "never"}
        options = (*GATE, "--calibrate", "0")
        given.update({f"OPTIONS_{number}": word for number, word in enumerate(options)})
        for name in given:
            option = re.sub(r"_\d+$", "", name).lower().replace("_", "-")
            self.assertIn(option, plugin["configuration"]["properties"])
        environment = self.client_environment(
            BUILDKITE="true", BUILDKITE_PULL_REQUEST="3", BUILDKITE_COMMIT=head,
            BUILDKITE_PULL_REQUEST_BASE_BRANCH="main",
            **{f"BUILDKITE_PLUGIN_BENCHD_{name}": value for name, value in given.items()})
        environment["PATH"] = f"{BIN}:{self.folder}/bin:{environment['PATH']}"
        done = subprocess.run([SOURCE / "ci/buildkite/hooks/command"], cwd=folder, env=environment,
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, PASS, done)
        self.assertIn("❌", (folder / "benchd-ci/verdict.md").read_text())
        self.assertIn("annotate --style success --context benchd", said.read_text())


if __name__ == "__main__":
    main()
