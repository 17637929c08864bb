"""--host with --git: commits of a local clone, built by the daemon of another machine."""

import json
import os
import subprocess
import time

import support
from git_repository import GATE, GitRepository
from main import main
from processes import children_of, wait_for_exit
from remote_login import RemoteLogin
from support import CANCELLED, FAILED, PASS, REFUSED, REGRESSION, USAGE


class RemoteGit(GitRepository, RemoteLogin, support.DaemonTest):
    def setUp(self):
        super().setUp()
        self.base = self.commit("t:100:1", message="base", tag="v1")
        self.slow = self.commit("t:110:1", message="slower")

    def bundles(self):
        """The bundles that the daemon keeps."""
        return os.listdir(self.folder / "state/benchd/bundles")

    def assert_nothing_sent(self):
        self.assertEqual(self.bundles(), [])
        self.assertEqual(self.benchctl("list", "--all", "--json").stdout, "")
        self.assertFalse((self.home / ".cache").exists())


class RemoteGitTest(RemoteGit):
    def received(self, *words):
        """Runs git in the repository on the other machine."""
        done = subprocess.run(
            ["git", "--git-dir", self.home / ".cache/benchd/received.git", *words],
            capture_output=True, text=True, timeout=support.TIMEOUT_S, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.split()

    def test_commits_are_sent_built_there_and_found_again(self):
        before = self.git("for-each-ref")
        words = ("--git", "v1..HEAD", "--build", self.BUILD, "./bench")
        done = self.benchctl("compare", *GATE, *words, cwd=self.repository)
        self.assert_exit(done, REGRESSION)
        self.assertIn("benchctl: sending the commits, ", done.stderr)
        built = self.build_folders()
        self.assertEqual(len(built), 2)
        for folder in built:
            self.assertTrue(folder.startswith(f"{self.home}/.cache/benchd/worktrees/"), built)
        self.assertEqual(len(set(map(len, built))), 1)
        self.assertEqual(self.bundles(), [])
        self.assertEqual(self.git("for-each-ref"), before)
        self.assertFalse((self.folder / ".cache").exists(), "nothing is built locally")
        # A repetition sends nothing and builds nothing.
        done = self.benchctl("compare", *GATE, *words, cwd=self.repository)
        self.assert_exit(done, REGRESSION)
        self.assertNotIn("sending", done.stderr)
        self.assertEqual(len(self.build_folders()), 2)
        # Repeat it as `show` prints it, from within the clone.
        text = self.benchctl("show").stdout
        [again] = [row.removeprefix("again: ") for row in text.splitlines()
                   if row.startswith("again: ")]
        self.assertTrue(again.startswith("benchctl compare "), again)
        self.assert_exit(self.shell(again), REGRESSION)
        self.assertEqual(len(self.build_folders()), 2)
        # For a later commit, only that commit is sent.
        third = self.commit("t:100:1")
        done = self.compare_commits("v1..HEAD")
        self.assert_exit(done, PASS)
        self.assertEqual(len(self.build_folders()), 3)
        self.assertEqual(done.events[0]["commits"]["HEAD"]["id"], third)

    def test_files_as_they_are_here(self):
        self.write_program("t:121:1")
        done = self.compare_commits("HEAD..WORKTREE")
        self.assert_exit(done, REGRESSION)
        self.assertTrue(done.events[0]["commits"]["WORKTREE"]["description"].endswith("-dirty"))

    def test_builds_of_several_layouts_are_of_one_bundle(self):
        self.BUILD = "sh build.sh && echo \"# $BENCHD_LAYOUT_SEED\" >>bench"
        done = self.compare_commits("v1..HEAD", "--layouts", "4", "--runs", "8")
        self.assertIn(done.code, (PASS, REGRESSION, support.UNDECIDED), done)
        self.assertEqual(len(self.build_folders()), 8)

    def test_a_build_that_fails_is_told_as_here(self):
        self.write("build.sh", "echo 'bench.c:3: error: no' >&2\nexit 2\n")
        self.commit(message="broken")
        done = self.benchctl("compare", *GATE, "--git", "v1..HEAD", "--build", self.BUILD,
                             "./bench", cwd=self.repository)
        self.assert_exit(done, FAILED)
        self.assertIn("build: exited with code 2", done.stderr)
        self.assertIn("  bench.c:3: error: no\n", done.stderr)
        self.assertEqual(self.bundles(), [])

    def test_a_session_that_waits_has_its_bundle_until_it_is_cancelled(self):
        gate = self.gate()
        lines = ("--parse", "lines", "--metric", "n:2%:lower")
        first = self.start_client("compare", *lines, gate.command, gate.command)
        first.until("started")
        gate.arrived()
        waits = self.benchctl("submit", *GATE, "--git", "v1..HEAD", "--build", self.BUILD,
                              "./bench", cwd=self.repository)
        self.assert_exit(waits, PASS)
        session = waits.stdout.strip()
        self.assertEqual(self.bundles(), [f"{os.getuid()}-{session}"])
        self.assert_exit(self.benchctl("cancel", session), PASS)
        self.assertEqual(self.bundles(), [])
        # A second session can use the space.
        waits = self.benchctl("submit", *GATE, "--git", "v1..HEAD", "--build", self.BUILD,
                              "./bench", cwd=self.repository)
        session = waits.stdout.strip()
        self.assert_exit(self.benchctl("cancel", first.events[-1]["session"]), PASS)
        self.assertEqual(first.finish(), CANCELLED)
        self.assert_exit(self.benchctl("watch", session), REGRESSION)
        self.assertEqual(self.bundles(), [])

    def test_a_bundle_survives_a_restart_of_the_daemon(self):
        gate = self.gate()
        first = self.start_client("compare", "--parse", "lines", "--metric", "n:2%:lower",
                                  gate.command, gate.command)
        first.until("started")
        gate.arrived()
        waits = self.benchctl("submit", *GATE, "--git", "v1..HEAD", "--build", self.BUILD,
                              "./bench", cwd=self.repository)
        session = waits.stdout.strip()
        first.close()
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.assertEqual(self.bundles(), [f"{os.getuid()}-{session}"])
        gate.open(10000)
        self.assert_exit(self.benchctl("watch", session), REGRESSION)
        self.assertEqual(self.bundles(), [])

    def test_a_connection_that_breaks_in_the_middle_submits_once(self):
        (self.repository / "large").write_bytes(os.urandom(2_000_000))
        self.commit(message="large")
        done = self.compare_commits("v1..HEAD", "--host", "ssh://cut")
        self.assert_exit(done, REGRESSION)
        self.assertTrue((self.folder / "was-cut").exists())
        self.assertEqual(len(self.benchctl_json("list", "--all").events), 1)
        self.assertEqual(self.bundles(), [])

    def test_a_client_that_is_killed_in_the_middle_leaves_nothing(self):
        (self.repository / "large").write_bytes(os.urandom(30_000_000))
        self.commit(message="large")
        client = self.start_client(
            "compare", *GATE, "--git", "v1..HEAD", "--", "sh", "{dir}/program", cwd=self.repository)
        ssh = None
        while ssh is None or not self.bundles():
            self.assertIsNone(client.process.poll(), client.stderr)
            found = children_of(client.process.pid)
            ssh = found[0] if found else None
        client.process.kill()
        client.process.wait()
        if ssh is not None:
            self.assertTrue(wait_for_exit(ssh))
        # The session was submitted before the kill or not at all: there is never half a bundle.
        for listed in self.benchctl_json("list").events:
            self.benchctl("cancel", listed["session"])
        self.assertEqual([name for name in self.bundles() if not name.endswith(".part")], [])
        # The daemon learns of the exit from its socket: soon, but not at once.
        deadline = time.monotonic() + support.TIMEOUT_S
        while self.bundles():
            self.assertLess(time.monotonic(), deadline)

    def test_a_commit_with_a_path_that_leads_outside_is_refused_there(self):
        blob = self.git("hash-object", "-w", "program")
        inner = subprocess.run(
            ["git", "hash-object", "-w", "-t", "tree", "--literally", "--stdin"],
            input=b"100755 ../outside\0" + bytes.fromhex(blob), cwd=self.repository,
            capture_output=True, check=True).stdout.decode().strip()
        evil = self.git("commit-tree", "-p", self.slow, "-m", "evil", inner)
        done = self.compare_commits(f"v1..{evil}")
        self.assert_exit(done, FAILED)
        self.assertIn("../outside", done.events[-1]["run"]["stderr_tail"])
        self.assertEqual(list(self.home.rglob("outside")), [])
        self.assertNotIn(evil, self.received("for-each-ref", "--format=%(objectname)"))
        self.assertNotIn(inner, self.received("cat-file", "--batch-all-objects",
                                              "--batch-check=%(objectname)"))
        self.assertEqual(self.bundles(), [])

    def test_a_submodule_is_empty_there_as_here(self):
        self.git("update-index", "--add", "--cacheinfo", f"160000,{self.base},module")
        self.git("commit", "--quiet", "-m", "with a submodule")
        done = self.compare_commits("v1..HEAD")
        self.assert_exit(done, REGRESSION)
        log = self.benchctl("show", done.events[-1]["session"], "--log")
        self.assertIn("warning: 1 submodule is empty", log.stdout)

    def test_what_cannot_be_sent_is_one_line(self):
        self.git("clone", "--quiet", "--depth", "2", f"file://{self.repository}",
                 self.folder / "shallow")
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for cwd, revisions, word in (
                (self.folder / "shallow", "HEAD~..HEAD", "this clone is shallow"),
                (self.repository, "v9..HEAD", "v9: unknown revision"),
                (elsewhere, "v1..HEAD", f"{elsewhere}: not a git repository")):
            with self.subTest(revisions=revisions, word=word):
                done = self.benchctl("compare", "--git", revisions, "--json", "--", "./bench", cwd=cwd)
                self.assert_exit(done, USAGE)
                self.assert_one_error(done, word, f"--git {revisions}")
        self.assert_nothing_sent()


class QuotaTest(RemoteGit):
    """A daemon that accepts a MiB at a time."""

    starts_daemon = False

    def setUp(self):
        super().setUp()
        folder = self.folder / "config/benchd"
        folder.mkdir()
        (folder / "benchd.toml").write_text("[limits]\nbundle_mib = 1\nbundles_mib_a_user = 1\n")
        self.daemon.start()

    def test_a_bundle_over_the_limit_is_refused_in_one_line(self):
        (self.repository / "large").write_bytes(os.urandom(2_000_000))
        self.commit(message="large")
        done = self.compare_commits("v1..HEAD")
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, "bundle: 2 MiB exceeds the limit of 1 MiB", "bundle_mib")
        self.assert_nothing_sent()

    def test_bundles_of_sessions_that_wait_count(self):
        (self.repository / "large").write_bytes(os.urandom(700_000))
        self.commit("t:110:1", message="large")
        gate = self.gate()
        first = self.start_client("compare", "--parse", "lines", "--metric", "n:2%:lower",
                                  gate.command, gate.command)
        first.until("started")
        words = ("submit", *GATE, "--git", "v1..HEAD", "--build", self.BUILD, "--json", "./bench")
        waits = self.benchctl(*words, cwd=self.repository)
        self.assert_exit(waits, PASS)
        refused = self.benchctl(*words, cwd=self.repository)
        self.assert_exit(refused, REFUSED)
        self.assert_one_error(refused, "of 1 MiB would be in use")
        session = json.loads(waits.stdout.splitlines()[0])["session"]
        self.assert_exit(self.benchctl("cancel", session), PASS)
        self.assert_exit(self.benchctl(*words, cwd=self.repository), PASS)



if __name__ == "__main__":
    main()
