"""--host and --git in system mode: the users that unpack and build sent commits. Needs root."""

import os
import pathlib
import subprocess

from main import main
from support import PASS, REFUSED, REGRESSION
from test_system_mode import DAEMON, LINES, NOBODY, STRANGER_UID, SystemModeTest


class SentCommitsTest(SystemModeTest):
    """The clone and the login on the other machine belong to the user nobody."""

    def setUp(self):
        super().setUp()
        self.ssh = pathlib.Path(self.script(
            'while [ "$1" != -- ]; do shift; done; shift 2\n'
            f"cd {self.home} && exec env -i HOME={self.home} PATH={self.folder}/bin:/usr/bin:/bin "
            f'BENCHD_SOCKET={self.daemon.socket} "$@"', name="ssh"))
        self.clone = self.home / "clone"
        self.as_nobody_run("git", "init", "--quiet", self.clone, cwd=self.home)
        for number in (1000, 1100):
            self.as_nobody_run("sh", "-c", f"echo echo n {number} >program; git add . && "
                               "git -c user.name=A -c user.email=a@localhost commit -qm x")

    def as_nobody_run(self, *words, cwd=None):
        subprocess.run(
            list(map(str, words)), check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(self.home)},
            stdin=subprocess.DEVNULL, **dict(self.as_nobody(), cwd=cwd or self.clone))

    def compare(self, *words):
        environment = self.client_environment(BENCHD_SSH=str(self.ssh), BENCHD_HOST="ssh://far")
        del environment["BENCHD_SOCKET"]
        return self.benchctl(
            "compare", "--json", *LINES, "--git", "HEAD~..HEAD", *words, "--", "sh", "program",
            environment=environment, **dict(self.as_nobody(), cwd=self.clone))

    def test_they_are_the_callers_from_the_first_file_on(self):
        done = self.compare("--build", "id -u >who")
        self.assert_exit(done, REGRESSION)
        cache = self.home / ".cache/benchd"
        owners = {path.lstat().st_uid for path in cache.rglob("*")}
        self.assertEqual(owners, {NOBODY.pw_uid})
        self.assertEqual({path.read_text() for path in cache.glob("worktrees/*/built/who")},
                         {f"{NOBODY.pw_uid}\n"})
        self.assertEqual(os.listdir(self.state / "bundles"), [])

    def test_a_bundle_that_waits_is_the_daemons_alone(self):
        gate, client, _ = self.waiting_session()
        done = self.compare("--detach")
        self.assert_exit(done, PASS)
        [bundle] = (self.state / "bundles").iterdir()
        self.assertTrue(bundle.name.startswith(f"{NOBODY.pw_uid}-"), bundle)
        status = bundle.stat()
        self.assertEqual((status.st_uid, status.st_mode & 0o777), (DAEMON.pw_uid, 0o600))
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)
        self.assert_exit(self.benchctl("watch", **self.as_nobody()), REGRESSION)
        self.assertEqual(list((self.state / "bundles").iterdir()), [])

    def test_another_user_does_not_get_it(self):
        gate, client, _ = self.waiting_session()
        self.assert_exit(self.compare("--detach"), PASS)
        [bundle] = (self.state / "bundles").iterdir()
        session = bundle.name.partition("-")[2]
        stolen = self.folder / "stolen"
        stolen.mkdir()
        os.chown(stolen, STRANGER_UID, STRANGER_UID)
        plan = ["build-worktrees", "--root", stolen / "b/w", "--repository", stolen / "b/r.git",
                "--tree", "a" * 40 + ":" + "b" * 20, "--socket", self.daemon.socket]
        done = self.benchctl(*plan, environment=self.client_environment(BENCHD_SESSION=session),
                             **self.as_user(STRANGER_UID))
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, session)
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)


if __name__ == "__main__":
    main()
