"""`--host` through a real sshd on loopback, which runs as this user with keys of the test.

    ./dev test --ssh
"""

import os
import pathlib
import pwd
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import support  # noqa: E402
from main import main  # noqa: E402
from processes import children_of, name_of  # noqa: E402

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
USER = pwd.getpwuid(os.getuid())
# Debian creates it through tmpfiles.d. An sshd that runs as root requires it.
PRIVILEGE_SEPARATION = pathlib.Path("/run/sshd")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_key(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    return pathlib.Path(f"{path}.pub").read_text().strip()


@unittest.skipUnless(SSHD and shutil.which("ssh-keygen"), "openssh-server is not installed")
class SshTest(support.DaemonTest):
    """One login for each kind of key: `ssh://good`, `ssh://noisy` and so on."""

    def setUp(self):
        super().setUp()
        if os.getuid() == 0 and not PRIVILEGE_SEPARATION.exists():
            PRIVILEGE_SEPARATION.mkdir(mode=0o755)
            self.addCleanup(PRIVILEGE_SEPARATION.rmdir)
        self.keys = self.folder / "keys"
        self.keys.mkdir(mode=0o700)
        self.port = free_port()
        self.write_sshd()
        self.write_client()
        self.start_sshd()

    def environment_of_login(self, path):
        variables = dict(self.daemon.environment, BENCHD_SOCKET=str(self.daemon.socket), PATH=path,
                         REMOTE="yes", XDG_CACHE_HOME=str(self.folder / "cache-over-there"))
        del variables["HOME"]
        return ",".join(f'environment="{name}={value}"' for name, value in variables.items())

    def write_sshd(self):
        usual = self.environment_of_login(f"{support.BIN}:/usr/bin:/bin")
        bashrc = self.folder / "bashrc"
        bashrc.write_text(f"unset BASH_ENV; echo Welcome to $HOSTNAME; touch {self.folder}/was-noisy\n"
                          "seq 20000; printf 'no newline'; echo tips >&2\n")
        options = {
            "good": usual,
            "noisy": f'{usual},environment="BASH_ENV={bashrc}"',
            "empty": self.environment_of_login("/usr/bin:/bin"),
            "restricted": f'{usual},restrict,command="benchctl dial-stdio"',
            "other": f'{usual},restrict,command="echo backups only"',
        }
        lines = [f"{text} {make_key(self.keys / name)}" for name, text in options.items()]
        make_key(self.keys / "wrong")
        (self.keys / "authorized").write_text("\n".join(lines) + "\n")
        host_key = make_key(self.keys / "host")
        (self.keys / "known").write_text(f"[127.0.0.1]:{self.port} {host_key}\n")
        (self.keys / "sshd_config").write_text(f"""
            ListenAddress 127.0.0.1:{self.port}
            HostKey {self.keys}/host
            PidFile none
            AuthorizedKeysFile {self.keys}/authorized
            AuthenticationMethods publickey
            PermitRootLogin yes
            PermitUserEnvironment yes
            StrictModes no
            UsePAM no
        """)

    def write_client(self):
        config = "".join(f"""
            Host {name}
              HostName 127.0.0.1
              Port {self.port}
              IdentityFile {self.keys}/{name}
        """ for name in ("good", "noisy", "empty", "restricted", "other", "wrong"))
        (self.keys / "config").write_text(config + f"""
            Host *
              User {USER.pw_name}
              IdentitiesOnly yes
              UserKnownHostsFile {self.keys}/known
              StrictHostKeyChecking yes
              LogLevel ERROR
        """)
        self.ssh = self.script(f'exec ssh -F {shlex.quote(str(self.keys))}/config "$@"', name="ssh")

    def start_sshd(self):
        process = subprocess.Popen(
            [SSHD, "-D", "-e", "-f", self.keys / "sshd_config"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        self.sshd = process.pid
        said = b""
        while b"Server listening" not in said:
            ready = select.select([process.stderr], [], [], support.TIMEOUT_S)[0]
            data = os.read(process.stderr.fileno(), 4096) if ready else b""
            self.assertTrue(data, f"sshd did not start: {said.decode()}")
            said += data

    def client_environment(self, host="good", **more):
        environment = super().client_environment(
            BENCHD_HOST=f"ssh://{host}", BENCHD_SSH=self.ssh, **more)
        del environment["BENCHD_SOCKET"]
        return environment

    def ask(self, host, *words):
        return self.benchctl(*words, environment=self.client_environment(host))

    def compare_at_a_gate(self):
        gate = self.gate()
        client = self.start_client(
            "compare", "--parse", "lines", "--metric", "n:2%:lower", "--runs", "8",
            gate.command, gate.command)
        client.until("started")
        gate.arrived()
        return client, gate

    # ---- successful sessions ----

    def test_submit_watch_and_cancel(self):
        done = self.benchctl("compare", "--runs", "8", "printenv REMOTE", "printenv REMOTE")
        self.assertIn(done.code, (support.PASS, support.REGRESSION, support.UNDECIDED), done)
        submitted = self.benchctl("submit", "sleep 1", "sleep 1")
        self.assert_exit(submitted, support.PASS)
        session = submitted.stdout.strip()
        watching = self.start_client("watch", session)
        watching.until("started")
        self.assert_exit(self.benchctl("cancel", session), support.PASS)
        self.assertEqual(watching.finish(), support.CANCELLED, watching.stderr)

    def test_a_session_begins_in_the_home_of_the_login(self):
        done = self.benchctl_json("compare", "--runs", "8", "pwd", "pwd")
        shown = self.benchctl_json("show", done.events[-1]["session"])
        again = self.benchctl("show", shown.events[0]["session"])
        self.assertIn(f"--cwd {USER.pw_dir}", again.stdout)

    def test_a_noisy_login_and_a_restricted_key_do(self):
        for host in ("restricted", "noisy"):
            with self.subTest(host=host):
                done = self.ask(host, "compare", "--runs", "8", "true", "true")
                self.assertIn(done.code, (support.PASS, support.REGRESSION, support.UNDECIDED), done)
        if USER.pw_shell.endswith("/bash"):
            self.assertTrue((self.folder / "was-noisy").exists(), "the login was silent")

    def test_commits_of_a_clone_here_are_built_there(self):
        clone = self.folder / "clone"

        def git(*words):
            subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@localhost", *words],
                           cwd=clone, check=True, env=self.client_environment())

        clone.mkdir()
        git("init", "--quiet")
        for number in (1000, 1100):
            (clone / "program").write_text(f"echo n {number}\n")
            (clone / "large").write_bytes(os.urandom(3_000_000))  # larger than any buffer in between
            git("add", ".")
            git("commit", "--quiet", "-m", str(number))
        for host in ("good", "restricted"):
            with self.subTest(host=host):
                begin = time.monotonic()
                done = self.benchctl(
                    "compare", "--parse", "lines", "--metric", "n:2%:lower", "--git", "HEAD~..HEAD",
                    "--build", "printenv REMOTE >remote", "--", "sh", "program", cwd=clone,
                    environment=self.client_environment(host))
                print(f"{host}: verdict after {time.monotonic() - begin:.2f} s")
                self.assert_exit(done, support.REGRESSION)
                self.assertEqual("sending the commits" in done.stderr, host == "good", done)
        built = list((self.folder / "cache-over-there").glob("benchd/worktrees/*/built/remote"))
        self.assertEqual(len(built), 2)
        self.assertEqual(os.listdir(self.folder / "state/benchd/bundles"), [])

    def test_an_interrupt_of_the_terminal_cancels(self):
        client, _ = self.compare_at_a_gate()
        client.process.send_signal(signal.SIGINT)
        for pid in children_of(client.process.pid):
            os.kill(pid, signal.SIGINT)
        self.assertEqual(client.finish(), support.INTERRUPTED, client.stderr)
        self.assertEqual(client.events[-1]["event"], "cancelled")

    # ---- lost connections ----

    def assert_verdict_after(self, kill):
        client, gate = self.compare_at_a_gate()
        begin = time.monotonic()
        kill(client)
        gate.open()
        self.assertEqual(client.finish(), support.PASS, client.stderr)
        print(f"verdict {time.monotonic() - begin:.2f} s after the connection was killed")
        self.assertIn("the connection to ssh://good went away", client.stderr)
        self.assertEqual(len(self.benchctl_json("list", "--all").events), 1, "submitted once")

    def test_ssh_killed_in_the_middle_loses_no_verdict(self):
        def kill_ssh(client):
            [ssh] = children_of(client.process.pid)
            self.assertEqual(name_of(ssh), "ssh")
            os.kill(ssh, signal.SIGKILL)
        self.assert_verdict_after(kill_ssh)

    def test_sshd_killed_in_the_middle_loses_no_verdict(self):
        def kill_connections(_client):
            connections = children_of(self.sshd)
            self.assertNotEqual(connections, [])
            for pid in connections:
                os.kill(pid, signal.SIGKILL)
        self.assert_verdict_after(kill_connections)

    # ---- refusals ----

    def test_what_went_wrong_is_told_in_ssh_s_words(self):
        for host, words in (
                ("wrong", [f"ssh: {USER.pw_name}@127.0.0.1: Permission denied (publickey)"]),
                ("empty", ["benchctl is not installed on empty"]),
                ("other", ["something other than benchctl dial-stdio answered: 'backups only'"])):
            with self.subTest(host=host):
                done = self.ask(host, "list")
                self.assert_exit(done, support.REFUSED)
                self.assert_one_error(done, *words)

    def test_another_host_key_is_refused(self):
        other = make_key(self.keys / "other-host")
        (self.keys / "known").write_text(f"[127.0.0.1]:{self.port} {other}\n")
        done = self.benchctl("list")
        self.assert_exit(done, support.REFUSED)
        self.assert_one_error(done, "ssh: Host key verification failed")

    def test_nobody_listens(self):
        os.kill(self.sshd, signal.SIGTERM)
        os.waitpid(self.sshd, 0)
        done = self.benchctl("list")
        self.assert_exit(done, support.REFUSED)
        self.assert_one_error(done, "ssh: connect to host 127.0.0.1", "Connection refused")

    def test_a_first_answer_takes_no_longer_than_a_login(self):
        begin = time.monotonic()
        subprocess.run([self.ssh, "good", "true"], env=self.client_environment(), check=True)
        login = time.monotonic() - begin
        seconds = sorted(self.benchctl("list").seconds for _ in range(5))
        print(f"ssh true: {login:.3f} s; benchctl --host list, median of 5: {seconds[2]:.3f} s")
        self.assertLess(seconds[2], login + 5)


if __name__ == "__main__":
    main()
