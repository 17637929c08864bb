"""The recipes of docs/ci.md, verbatim, on checkouts that CI systems would make of a bare server."""

import json
import re
import shlex
import subprocess
import textwrap
import time

import pages
from git_repository import GATE, GitRepository
from main import main
from support import BIN, PASS, REGRESSION, TIMEOUT_S, USAGE, Completed, DaemonTest

PAGE = pages.SOURCE / "docs/ci.md"


def recipes():
    """The tested blocks of the page, by the heading above each and a number."""
    lines = PAGE.read_text().splitlines()
    found = {}
    for block in pages.blocks(PAGE):
        if block.kind != "tested":
            continue
        heading = next(line for line in reversed(lines[:block.line]) if line.startswith("## "))
        name = heading.removeprefix("## ").split(",")[0]
        found[f"{name} {sum(key.startswith(name) for key in found) + 1}"] = block.text
    return found


def steps(recipe):
    """The scripts of a workflow, in order."""
    lines, scripts = recipe.splitlines(), []
    for number, line in enumerate(lines):
        step = re.match(r"^( *)(?:- )?run: (.*)$", line)
        if step and step.group(2) != "|":
            scripts.append(step.group(2) + "\n")
        elif step:
            body = []
            for inner in lines[number + 1:]:
                if inner.strip() and len(inner) - len(inner.lstrip()) <= len(step.group(1)):
                    break
                body.append(inner)
            scripts.append(textwrap.dedent("\n".join(body)) + "\n")
    return scripts


class CiTest(GitRepository, DaemonTest):
    def setUp(self):
        super().setUp()
        self.recipes = recipes()
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        # The program prints the gated value, so the speed of this machine does not matter.
        self.script(f'if [ "$1" = compare ]; then shift; set -- compare {shlex.join(GATE)} "$@"; fi\n'
                    f'exec {BIN}/benchctl "$@"', name="bin/benchctl")
        self.script("exec sh build.sh", name="bin/make")
        self.base = self.commit("t:100:1", message="base")
        self.server = self.folder / "server.git"
        self.git("clone", "--quiet", "--bare", self.repository, self.server)
        self.git("remote", "add", "origin", f"file://{self.server}")
        self.summary = self.folder / "summary.md"
        self.summary.write_text("# Of an earlier command\n")

    def push(self, *metrics, to="main", **more):
        commit = self.commit(*metrics, **more)
        self.git("push", "--quiet", "origin", f"HEAD:refs/heads/{to}")
        return commit

    def checkout(self, name, *words):
        """A clone as CI systems make it."""
        self.git("clone", "--quiet", *words, f"file://{self.server}", self.folder / name)
        return self.folder / name

    def step(self, script, folder, shell=("bash", "-e", "-c"), **variables):
        environment = self.client_environment(
            GITHUB_STEP_SUMMARY=str(self.summary), GIT_CONFIG_NOSYSTEM="1", **variables)
        environment["PATH"] = f"{self.bin}:{environment['PATH']}"
        done = subprocess.run([*shell, script], cwd=folder, env=environment, capture_output=True,
                              text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
        return Completed(done.returncode, done.stdout, done.stderr, 0)

    def assert_summary(self, *words):
        text = self.summary.read_text()
        self.assertTrue(text.startswith("# Of an earlier command\n\n**"), text)
        for word in words:
            self.assertIn(word, text)

    # ---- GitHub ----

    def test_a_push_to_main_is_compared_with_what_was_there_before(self):
        self.push("t:110:1", message="slower")
        (script,) = steps(self.recipes["GitHub 1"])
        done = self.step(script, self.checkout("a"), BEFORE=self.base)
        self.assert_exit(done, REGRESSION)
        self.assert_summary("❌", "10")

    def test_a_push_that_is_as_fast_passes(self):
        self.push("t:100:1", message="as fast")
        self.push("u:1:0", "t:100:1", message="another")
        (script,) = steps(self.recipes["GitHub 1"])
        done = self.step(script, self.checkout("a"), BEFORE=self.base)
        self.assert_exit(done, PASS)
        self.assert_summary("✅")
        # A manual start has no push: the recipe's expression then evaluates to this.
        self.assertIn("github.event.before || 'HEAD~1'", self.recipes["GitHub 1"])
        self.assert_exit(self.step(script, self.folder / "a", BEFORE="HEAD~1"), PASS)

    def test_where_nothing_is_new_that_is_said_and_passes(self):
        (script,) = steps(self.recipes["GitHub 1"])
        done = self.step(script, self.checkout("a"), BEFORE=self.base)
        self.assert_exit(done, PASS)
        self.assertEqual(done.stdout, f"PASS: both sides are the same commit, {self.base[:12]}: "
                                      "nothing was measured\n")
        self.assert_summary("✅ PASS: both sides are the same commit")
        self.assertEqual(self.benchctl_json("list", "--all").events, [])
        # Without the option nothing was judged, so it does not pass.
        done = self.step(script.replace(" --same-is-pass", ""), self.folder / "a", BEFORE=self.base)
        self.assert_exit(done, 1)  # the exit code of `[` after a 2
        self.assertIn("both sides are the same commit", done.stderr)
        self.assertIn("--same-is-pass", done.stderr)

    def test_each_format_says_that_nothing_is_new(self):
        names = ("csv", "json", "markdown", "junit", "github", "bmf")
        files = {name: self.folder / f"same.{name}" for name in names}
        done = self.benchctl_json(
            "compare", "--git", "HEAD..main", "--same-is-pass", "./bench", cwd=self.repository)
        self.assert_exit(done, PASS)
        (event,) = done.events
        self.assertEqual((event["event"], event["verdict"], event["commit"]["id"]),
                         ("same_commit", "pass", self.base))
        words = [word for name in names for word in (f"--export-{name}", files[name])]
        done = self.benchctl("compare", *words, "--git", "HEAD..main", "--same-is-pass", "./bench",
                             cwd=self.repository)
        self.assert_exit(done, PASS)
        for name in ("csv", "json"):
            self.assertFalse(files[name].exists())
            self.assertIn(f"--export-{name}: not written", done.stderr)
        self.assertIn('tests="1" failures="0" errors="0" skipped="0"', files["junit"].read_text())
        self.assertIn("the same commit", files["markdown"].read_text())
        done = self.benchctl("compare", "--bisect", "--git", "HEAD..main", "--same-is-pass",
                             "./bench", cwd=self.repository)
        self.assert_exit(done, PASS)
        self.assertTrue(done.stdout.startswith("good: "), done.stdout)
        self.assertEqual(json.loads(files["github"].read_text()), [])
        self.assertEqual(json.loads(files["bmf"].read_text()), {})
        done = self.benchctl("compare", "--same-is-pass", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--same-is-pass", "no commits to compare")

    def test_the_same_commit_is_not_better_than_itself(self):
        for words in (("--margin", "-5%"), ("--metric", "cpu_time:-5%")):
            done = self.benchctl("compare", "--git", "HEAD..main", "--same-is-pass", *words,
                                 "./bench", cwd=self.repository)
            self.assert_exit(done, USAGE)
            self.assert_one_error(done, "--same-is-pass", " ".join(words), "not better")
            self.assertEqual(done.stdout, "")

    def pull_request(self, *metrics):
        """A checkout of GitHub's merge commit of a request, after main has moved."""
        self.git("checkout", "--quiet", "-b", "topic")
        self.push(*metrics, to="topic", message="topic")
        self.git("checkout", "--quiet", "main")
        self.write("README", "main moved\n")
        self.push(message="main moved")
        self.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
        self.git("push", "--quiet", "origin", "HEAD:refs/pull/1/merge")
        folder = self.folder / "merge"
        folder.mkdir()
        for words in (("init", "--quiet"), ("remote", "add", "origin", f"file://{self.server}"),
                      ("fetch", "--quiet", "--no-tags", "--depth=2", "origin",
                       "+refs/pull/1/merge:refs/remotes/pull/1/merge"),
                      ("checkout", "--quiet", "--force", "refs/remotes/pull/1/merge")):
            self.git("-C", folder, *words)
        return folder

    def test_a_pull_request_is_compared_by_its_merge_commit_and_commented(self):
        folder = self.pull_request("t:110:1")
        script, comment = steps(self.recipes["GitHub 2"])
        done = self.step(script, folder)
        self.assert_exit(done, REGRESSION)
        self.assertIn("❌", self.summary.read_text())
        verdict = (folder / "verdict.md").read_text()
        self.assertLess(len(verdict), 65536)
        self.script(f'echo "$@" >{self.folder}/said; while [ $# -gt 1 ]; do shift; done; '
                    f'cat "$1" >{self.folder}/comment', name="bin/gh")
        self.assert_exit(self.step(comment.replace("${{ github.event.number }}", "1"), folder), PASS)
        self.assertEqual((self.folder / "comment").read_text(), verdict)
        self.assertTrue((self.folder / "said").read_text().startswith("pr comment 1 --edit-last "))

    def test_a_pull_request_that_is_as_fast_passes(self):
        script, _ = steps(self.recipes["GitHub 2"])
        self.assert_exit(self.step(script, self.pull_request("u:1:0", "t:100:1")), PASS)
        self.assertIn("✅", self.summary.read_text())

    def test_a_shallow_clone_says_what_to_do(self):
        self.push("t:110:1", message="slower")
        folder = self.checkout("shallow", "--depth", "1")
        (script,) = steps(self.recipes["GitHub 1"])
        failed = self.step(script, folder, BEFORE=self.base)
        self.assert_exit(failed, 1)
        self.assertIn("git fetch --unshallow", failed.stderr)
        self.assertEqual(self.summary.read_text(), "# Of an earlier command\n")
        self.git("-C", folder, "fetch", "--quiet", "--unshallow")
        self.assert_exit(self.step(script, folder, BEFORE=self.base), REGRESSION)
        self.assert_summary("❌")

    # ---- others ----

    def test_gitlab(self):
        self.git("checkout", "--quiet", "-b", "topic")
        self.push("t:110:1", to="topic")
        script = re.search(r"^ +- (benchctl .*)$", self.recipes["GitLab 1"], re.MULTILINE).group(1)
        folder = self.checkout("a", "--branch", "topic")
        done = self.step(script, folder, CI_MERGE_REQUEST_DIFF_BASE_SHA=self.base)
        self.assert_exit(done, REGRESSION)
        self.assertIn("<failure", (folder / "bench.xml").read_text())

    def test_buildkite(self):
        self.git("checkout", "--quiet", "-b", "topic")
        self.push("t:110:1", to="topic")
        script = re.search(r"command: (benchctl .*)$", self.recipes["Buildkite 1"],
                           re.MULTILINE).group(1)
        self.assert_exit(self.step(script, self.checkout("a", "--branch", "topic")), REGRESSION)
        # Not on main, which the recipe excludes.
        self.assertEqual(self.recipes["Buildkite 1"].count('branches: "!main"'), 2)
        self.assert_exit(self.step(script, self.checkout("b")), USAGE)

    def test_cron_on_a_day_with_commits_and_on_one_without(self):
        self.checkout("project")
        # As if the clone were two days old.
        log = self.folder / "project/.git/logs/refs/heads/main"
        two_days_ago = int(time.time()) - 2 * 24 * 3600
        log.write_text(re.sub(r"> \d+ ", f"> {two_days_ago} ", log.read_text()))
        line = self.recipes["cron 1"].strip()
        script = line.split(" ", 5)[5]
        done = self.step(script, self.folder, shell=("sh", "-c"))
        self.assert_exit(done, PASS)
        self.assertIn("PASS: both sides are the same commit", done.stdout)
        self.push("t:110:1", message="slower")
        done = self.step(script, self.folder, shell=("sh", "-c"))
        self.assert_exit(done, REGRESSION)
        self.assertEqual(len(done.stdout.splitlines()), 1, done)


if __name__ == "__main__":
    main()
