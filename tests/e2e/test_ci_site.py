"""The site that the action publishes: a pages branch, in a bare repository on disk."""

import base64
import json
import os
import shutil
import subprocess
import unittest

import pages
from git_repository import GitRepository
from github_runner import ACTION, Job
from main import main
from support import BIN, TIMEOUT_S
from test_ci_command import HAS_PROGRAMS, NEEDS_ACTION, CiJob, yaml

BRANCH = "gh-pages"
EXPORTS = "benchd-sessions"
COMMIT_OF_RIVAL = """
parent=$(git rev-parse --quiet --verify refs/heads/{branch})
export GIT_INDEX_FILE={index}
if [ -n "$parent" ]; then git read-tree "$parent"; else git read-tree --empty; fi
number=$(cat {count} 2>/dev/null || echo 0)
echo $((number + 1)) >{count}
blob=$(git hash-object -w {folder}/rival$number.json)
git update-index --add --cacheinfo 100644,$blob,{exports}/rival$number.json
tree=$(git write-tree)
commit=$(git -c user.name=R -c user.email=r@localhost commit-tree "$tree" ${{parent:+-p $parent}} -m rival)
git update-ref refs/heads/{branch} "$commit"
"""


@unittest.skipUnless(HAS_PROGRAMS and yaml, NEEDS_ACTION)
class SiteTest(CiJob):
    INPUTS = {"command": "./bench", "build": GitRepository.BUILD, "metric": "t:2%:lower",
              "options": "--parse\nlines\n--seed\n20240501\n", "calibrate": "0",
              "site-branch": BRANCH, "site-url": "https://octo.example/benchd/"}

    def setUp(self):
        super().setUp()
        (self.folder / "hub/octo").mkdir(parents=True)
        (self.folder / "hub/octo/project").symlink_to(self.server)
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def variables(self, event, payload, folder):
        environment = self.github(event, payload, folder)
        environment.update(GITHUB_SERVER_URL=f"file://{self.folder}/hub",
                           PATH=f"{self.bin}:{environment['PATH']}")
        return environment

    def job(self, event, payload, folder, **inputs):
        environment = self.variables(event, payload, folder)
        return Job(self.folder, environment, {**self.INPUTS, **inputs}).run()

    def measured(self):
        """The export of a session, from a job that published nothing."""
        head = self.push("t:110:1", message="slower")
        folder = self.checkout("measured")
        self.job("push", self.push_event(head), folder, **{"site-branch": ""})
        return json.loads((folder / "benchd-ci/history.json").read_text())

    def publish(self, export, session, **variables):
        """site.sh alone, with this export as that session."""
        results = self.folder / "results"
        results.mkdir(exist_ok=True)
        (results / "history.json").write_text(self.renamed(export, session))
        environment = dict(
            self.variables("push", self.push_event(self.base), self.folder),
            BENCHD_SITE_BRANCH=BRANCH, BENCHD_SITE_FOLDER="benchd", BENCHD_SITE_EXPORTS=EXPORTS,
            BENCHD_SITE_URL="", BENCHD_RESULTS=str(results), BENCHD_SESSION=session,
            BENCHD_VERDICT="regression", BENCHD_DEFAULT_BRANCH="main", BENCHD_TOKEN="the-token")
        environment.update(variables)
        return subprocess.run(["bash", ACTION / "site.sh"], env=environment, cwd=self.folder,
                              capture_output=True, text=True, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL)

    def renamed(self, export, session):
        return json.dumps({**export, "session": session,
                           "result": {**export["result"], "session": session}})

    def of_server(self, *words, code=0):
        return self.git("--git-dir", self.server, *words, code=code)

    def published(self):
        return self.of_server("ls-tree", "-r", "--name-only", BRANCH).splitlines()

    def sessions(self):
        """The sessions on the branch, and those that its page shows."""
        exports = [name for name in self.published() if name.startswith(EXPORTS + "/")]
        stored = {json.loads(self.of_server("show", f"{BRANCH}:{name}"))["session"]
                  for name in exports}
        (page,) = [name for name in self.published() if name.startswith("benchd/benchmark/")]
        text = self.of_server("show", f"{BRANCH}:{page}")
        return stored, {session for session in stored if session in text}

    def git_with(self, before_push):
        """A git before whose push these lines of shell run."""
        self.script(f'case " $* " in *" push "*)\n{before_push}\n;; esac\n'
                    f'exec {shutil.which("git")} "$@"', name="bin/git")

    def rival(self, export):
        """Lines of shell by which another job publishes, each time with another session."""
        for number in range(6):
            (self.folder / f"rival{number}.json").write_text(
                self.renamed(export, f"rival{number}"))
        lines = COMMIT_OF_RIVAL.format(branch=BRANCH, exports=EXPORTS, folder=self.folder,
                                       index=self.folder / "rival-index",
                                       count=self.folder / "rivals")
        git = shutil.which("git")
        script = self.script(f"cd {self.server}\n" + lines.replace("git ", f"{git} "),
                             name="rival.sh")
        # In a hook of the server, git would store the objects aside and refuse other changes.
        return ("env -u GIT_QUARANTINE_PATH -u GIT_OBJECT_DIRECTORY "
                f"-u GIT_ALTERNATE_OBJECT_DIRECTORIES {script}")

    def assert_one_warning(self, done, *words):
        self.assertEqual((done.returncode, done.stderr), (1, ""), done)
        (line,) = done.stdout.splitlines()
        self.assertTrue(line.startswith("::warning title=benchd::site: "), line)
        for word in words:
            self.assertIn(word, line)

    def test_a_push_publishes_and_the_next_one_adds_to_it(self):
        first = self.push("t:110:1", message="slower")
        folder = self.checkout()
        job = self.job("push", self.push_event(first), folder)
        self.assertIn(f"benchd: published session {job.outputs['session']} in benchd on gh-pages",
                      job.log)
        self.assertTrue(job.failed, "the verdict is still that of the comparison")
        names = self.published()
        self.assertLess({".nojekyll", "benchd/index.html", "benchd/feed.json"}, set(names))
        self.assertIn("https://octo.example/benchd/",
                      self.of_server("show", f"{BRANCH}:benchd/feed.json"))
        second = self.push("u:1:0", "t:110:1", message="as slow")
        self.git("-C", folder, "fetch", "--quiet", "origin")
        again = self.job("push", self.push_event(second, first), folder)
        self.assertFalse(again.failed, again.log)
        sessions = {job.outputs["session"], again.outputs["session"]}
        self.assertEqual(self.sessions(), (sessions, sessions))
        log = self.of_server("log", "--format=%an: %s", BRANCH).splitlines()
        self.assertEqual(log, [
            f"github-actions[bot]: benchd: pass at {second[:12]}, session "
            f"{again.outputs['session']}",
            f"github-actions[bot]: benchd: regression at {first[:12]}, session "
            f"{job.outputs['session']}"])
        # The second commit has only what changed.
        changed = dict(line.split("\t")[::-1] for line in self.of_server(
            "diff", "--name-status", f"{BRANCH}~1", BRANCH).splitlines())
        self.assertEqual(sorted(changed.values()), sorted(["A", *"M" * (len(changed) - 1)]))
        self.assertIn("benchd/index.html", changed)
        self.assertNotIn("benchd/.benchctl-site", changed)

    def test_only_a_push_to_the_default_branch_publishes(self):
        export = self.measured()
        for variables in ({"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/17/merge"},
                          {"GITHUB_EVENT_NAME": "pull_request_target"},
                          {"GITHUB_EVENT_NAME": "workflow_dispatch"},
                          {"GITHUB_REF": "refs/heads/topic"}, {"GITHUB_REF": "refs/tags/main"},
                          {"BENCHD_DEFAULT_BRANCH": ""}):
            with self.subTest(variables=variables):
                done = self.publish(export, "s1", **variables)
                self.assertEqual(done.returncode, 0, done)
                self.assertIn("benchd: the site is published by pushes to ", done.stdout)
        head = self.topic("t:110:1")
        folder = self.checkout("fork")
        environment = self.variables("pull_request", self.request_event(head, fork=True), folder)
        environment["GITHUB_REF"] = "refs/pull/17/merge"
        job = Job(self.folder, environment, self.INPUTS).run()
        self.assertIn("--- Site: exit code 0\nbenchd: the site is published by pushes to main\n",
                      job.log)
        self.of_server("rev-parse", "--verify", BRANCH, code=128)

    def test_the_same_session_is_published_once(self):
        export = self.measured()
        self.assertIn("published session s1", self.publish(export, "s1").stdout)
        self.assertIn("gh-pages has this session already", self.publish(export, "s1").stdout)
        self.assertEqual(self.of_server("rev-list", "--count", BRANCH), "1")

    def test_other_files_of_the_branch_are_left_alone(self):
        export = self.measured()
        self.git("checkout", "--quiet", "--orphan", "pages")
        self.git("rm", "--quiet", "-r", "--force", ".")
        for name in ("index.html", "CNAME", "docs/index.html"):
            (self.repository / name).parent.mkdir(exist_ok=True)
            (self.repository / name).write_text("mine\n")
        self.push(to=BRANCH, message="pages")
        self.assertEqual(self.publish(export, "s1").returncode, 0)
        names = self.published()
        self.assertLess({"index.html", "CNAME", "docs/index.html"}, set(names))
        self.assertNotIn(".nojekyll", names, "an older branch keeps its settings")
        self.assertEqual(self.of_server("show", f"{BRANCH}:index.html"), "mine")
        refused = self.publish(export, "s2", BENCHD_SITE_FOLDER="docs")
        self.assert_one_warning(refused, "--site docs: has files that benchctl did not write; hint")
        self.assertEqual(self.of_server("rev-list", "--count", BRANCH), "2")

    def test_what_other_jobs_push_at_the_same_time_is_kept(self):
        export = self.measured()
        rival = self.rival(export)
        count = self.folder / "rivals"
        # The very first publication, twice at the same time.
        self.git_with(f"[ -e {count} ] || {rival}")
        done = self.publish(export, "s1")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.sessions(), ({"rival0", "s1"},) * 2)
        self.git_with(f'[ "$(cat {count})" -ge 3 ] || {rival}')
        done = self.publish(export, "s2")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.sessions(), ({"rival0", "rival1", "rival2", "s1", "s2"},) * 2)
        # One that the server sees only after it has taken the objects.
        (self.bin / "git").unlink()
        hook = self.server / "hooks/pre-receive"
        hook.write_text(f'#!/bin/sh\n[ "$(cat {count})" -ge 4 ] || {rival}\n')
        hook.chmod(0o755)
        done = self.publish(export, "s3")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.sessions()[1],
                         {"rival0", "rival1", "rival2", "rival3", "s1", "s2", "s3"})

    def test_after_five_attempts_it_gives_up(self):
        export = self.measured()
        self.git_with(self.rival(export))
        done = self.publish(export, "s1")
        self.assert_one_warning(done, "gh-pages: other jobs pushed before this one, 5 times; hint: "
                                      "run the job again")
        self.assertEqual(self.of_server("rev-list", "--count", BRANCH), "5")

    def test_without_permission_one_line_says_so_and_the_verdict_stays(self):
        head = self.push("u:1:0", "t:100:1", message="as fast")
        hook = self.server / "hooks/pre-receive"
        hook.write_text('#!/bin/sh\necho "Permission to octo/project.git denied to bot." >&2\n'
                        "exit 1\n")
        hook.chmod(0o755)
        job = self.job("push", self.push_event(head), self.checkout())
        self.assertFalse(job.failed, job.log)
        self.assertEqual(job.outputs["verdict"], "pass")
        self.assertIn("--- Site: exit code 1\n::warning title=benchd::site: gh-pages: the push was "
                      "refused: Permission to octo/project.git denied to bot.; hint: permissions: "
                      "{contents: write}\n", job.log)
        self.of_server("rev-parse", "--verify", BRANCH, code=128)

    def test_a_server_that_refuses_or_is_away_is_one_line(self):
        export = self.measured()
        address = "https://github.com/octo/project/"
        self.git_with(f"echo \"fatal: unable to access '{address}': The requested URL returned "
                      "error: 403\" >&2; exit 128")
        self.assert_one_warning(self.publish(export, "s1"),
                                f"the push was refused: unable to access '{address}': ",
                                "hint: permissions: {contents: write}")
        self.git_with("echo 'fatal: the remote end hung up unexpectedly' >&2; exit 128")
        self.assert_one_warning(self.publish(export, "s1"),
                                "the push failed: the remote end hung up", "hint: run the job again")
        (self.bin / "git").unlink()
        gone = self.publish(export, "s1", GITHUB_SERVER_URL="file:///no/such")
        self.assert_one_warning(gone, "gh-pages: the fetch failed: '/no/such/octo/project'")

    def test_inputs_that_name_no_place_are_refused(self):
        export = self.measured()
        for variables, words in (
                ({"BENCHD_SITE_BRANCH": "main"}, "main: is the default branch; hint"),
                ({"BENCHD_SITE_BRANCH": "a..b"}, "a..b: not the name of a branch"),
                ({"BENCHD_SITE_FOLDER": "../x"}, "../x: not the name of a folder"),
                ({"BENCHD_SITE_FOLDER": ".git"}, ".git: not the name of a folder"),
                ({"BENCHD_SITE_FOLDER": ""}, ": not the name of a folder"),
                ({"BENCHD_SITE_EXPORTS": "/tmp"}, "/tmp: not the name of a folder"),
                ({"BENCHD_SITE_EXPORTS": "-x"}, "-x: not the name of a folder"),
                ({"BENCHD_SITE_URL": "ftp://x"}, "ftp://x"),
                ({"BENCHD_SESSION": "../x"}, "../x: not the ID of a session"),
                ({"BENCHD_RESULTS": "nowhere"}, "nowhere/history.json: missing")):
            with self.subTest(variables=variables):
                self.assert_one_warning(self.publish(export, "s1", **variables), words)
        self.of_server("rev-parse", "--verify", BRANCH, code=128)

    def test_an_export_that_cannot_be_read_is_named_and_the_others_are_shown(self):
        export = self.measured()
        self.publish(export, "s1")
        self.git("fetch", "--quiet", "origin", BRANCH)
        self.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
        (self.repository / EXPORTS / "bad.json").write_text("{\n")
        self.push(to=BRANCH, message="broken")
        done = self.publish(export, "s2")
        self.assertEqual(done.returncode, 0, done)
        warning, published = done.stdout.splitlines()
        self.assertTrue(warning.startswith(
            "::warning title=benchd::site: 1 of the sessions in benchd-sessions have no place in "
            "the history, such as bad.json: "), warning)
        self.assertEqual(published, "benchd: published session s2 in benchd on gh-pages")

    def test_the_token_is_no_word_of_a_command(self):
        export = self.measured()
        seen = self.folder / "seen"
        self.script(f'echo "$@" >>{seen}.words\n'
                    f'echo "$GIT_CONFIG_KEY_1=$GIT_CONFIG_VALUE_1" >>{seen}.header\n'
                    f'exec {shutil.which("git")} "$@"', name="bin/git")
        self.assertEqual(self.publish(export, "s1").returncode, 0)
        secret = base64.b64encode(b"x-access-token:the-token").decode()
        words = (self.folder / "seen.words").read_text()
        self.assertNotIn("the-token", words)
        self.assertNotIn(secret, words)
        self.assertIn(f"http.file://{self.folder}/hub/.extraheader=AUTHORIZATION: basic {secret}\n",
                      (self.folder / "seen.header").read_text())

    def test_the_workflow_of_the_page_has_inputs_of_the_action_and_the_permission(self):
        (block,) = [block for block in pages.blocks(ACTION.parents[1] / "docs/ci.md")
                    if block.argument.endswith("test_ci_site.py")]
        workflow = yaml.safe_load(block.text)
        self.assertEqual(workflow["permissions"], {"contents": "write"})
        self.assertEqual(workflow[True], {"push": {"branches": ["main"]}})  # YAML's `on`
        inputs = workflow["jobs"]["bench"]["steps"][1]["with"]
        self.assertLessEqual(set(inputs), set(
            yaml.safe_load((ACTION / "action.yml").read_text())["inputs"]))
        self.assertEqual(inputs["site-branch"], BRANCH)

    def test_the_template_of_gitlab_writes_the_pages_of_the_machine(self):
        head = self.push("t:110:1", message="slower")
        folder = self.checkout()
        self.job("push", self.push_event(head), folder, **{"site-branch": ""})
        template = (ACTION.parents[1] / "ci/gitlab/benchd.yml").read_text()
        job = yaml.safe_load(template)[".benchd-pages"]
        environment = self.client_environment(
            CI_PROJECT_URL="https://gitlab.example/octo/project",
            CI_PAGES_URL="https://octo.gitlab.example/project")
        environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-e", "-c", "\n".join(job["script"])], cwd=folder,
                              env=environment, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done)
        (path,) = job["artifacts"]["paths"]
        self.assertTrue((folder / path / "index.html").is_file())
        self.assertIn(f"https://gitlab.example/octo/project/-/commit/{head}",
                      (folder / path / "index.html").read_text())


if __name__ == "__main__":
    main()
