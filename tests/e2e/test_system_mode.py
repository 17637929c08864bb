"""System mode without systemd: a root runner, an unprivileged benchd, clients of several users.

The test replaces systemd: it creates both listening sockets and passes them on, so that the
programs start as their units start them. Needs root; skipped otherwise.
"""

import os
import pathlib
import pwd
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import unittest

from main import main
from support import (BIN, FAILED, PASS, TIMEOUT_S, REFUSED, DaemonTest,
                     wait_for_no_process_with)

LINES = ("--parse", "lines", "--metric", "n:2%:lower")

DAEMON = pwd.getpwnam("daemon")
NOBODY = pwd.getpwnam("nobody")
# The uid has no entry in /etc/passwd, so only our processes use it.
STRANGER_UID = 61234
# Groups without members in the user database.
EXTRA_GROUPS = [61001, 61002]
ADMIN_GROUP = "adm"


def copy_programs(folder):
    """Copies the programs, laid out as installed, to a place where any user can execute them."""
    for source, target in [
        ("benchd", "bin"), ("benchctl", "bin"),
        ("benchd-runner", "libexec/benchd"), ("benchd-helper", "libexec/benchd"),
    ]:
        (folder / target).mkdir(mode=0o755, parents=True, exist_ok=True)
        try:
            os.link(BIN / source, folder / target / source)
        except OSError:  # a different file system
            shutil.copy(BIN / source, folder / target / source)


def make_kernel_tree(root):
    """Copies this machine's CPU files below `root`, so that the runner changes the copies."""
    cpus = pathlib.Path("sys/devices/system/cpu")
    (root / cpus).mkdir(parents=True)
    shutil.copy("/" / cpus / "online", root / cpus / "online")
    for topology in pathlib.Path("/", cpus).glob("cpu[0-9]*/topology"):
        copy = root / topology.relative_to("/")
        copy.mkdir(parents=True)
        for name in ("core_cpus_list", "thread_siblings_list", "physical_package_id", "core_id"):
            if (topology / name).exists():
                shutil.copy(topology / name, copy / name)
    return root


@unittest.skipUnless(os.getuid() == 0, "needs root")
class SystemModeTest(DaemonTest):
    starts_daemon = False
    extra_config = ""
    # The users that runs may have; no group contains them.
    runners = [NOBODY.pw_uid, STRANGER_UID]

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        copy_programs(self.folder)
        self.home = self.folder / "nobody"
        self.home.mkdir(mode=0o700)
        os.chown(self.home, NOBODY.pw_uid, NOBODY.pw_gid)
        self.state = self.folder / "system-state"
        self.state.mkdir(mode=0o700)
        os.chown(self.state, DAEMON.pw_uid, DAEMON.pw_gid)
        self.config = self.folder / "benchd.toml"
        # A root runner with a journal changes settings, which must not be those of this machine.
        self.kernel_tree = make_kernel_tree(self.folder / "root")
        self.runner = None
        self.runner_socket = self.listen("runner.sock", socket.SOCK_SEQPACKET, 0o600)
        self.control_socket = self.listen("benchd.sock", socket.SOCK_STREAM, 0o666)
        self.write_config("")
        self.addCleanup(self.stop_runner)
        self.start_runner()
        self.start_daemon()

    def listen(self, name, kind, mode):
        path = self.folder / name
        listener = socket.socket(socket.AF_UNIX, kind)
        self.addCleanup(listener.close)
        listener.bind(str(path))
        os.chown(path, DAEMON.pw_uid, DAEMON.pw_gid)
        path.chmod(mode)
        listener.listen(128)
        return listener

    def write_config(self, access):
        self.config.write_text(
            f'[runner]\nsocket = "{self.folder}/runner.sock"\nuser = "{DAEMON.pw_name}"\n'
            f'[access]\nadmin_group = "{ADMIN_GROUP}"\nusers = {self.runners}\n{access}\n'
            + self.extra_config)
        self.config.chmod(0o644)

    @staticmethod
    def activated(listener, *command):
        """Command and Popen arguments that hand `listener` over as systemd does (sd_listen_fds).

        A function for the child, Popen(preexec_fn=...), would make Popen fork (see support.as_user).
        """
        descriptor = listener.fileno()
        move = "" if descriptor == 3 else f"exec 3<&{descriptor} {descriptor}<&-; "
        words = ["bash", "-c", move + 'LISTEN_PID=$$ exec "$@"', "bash", *command]
        return words, {"pass_fds": (descriptor,)}

    def start_runner(self):
        words, popen = self.activated(
            self.runner_socket, self.folder / "libexec/benchd/benchd-runner",
            "--config", self.config, "--journal", self.folder / "settings.journal",
            "--sysfs-root", self.kernel_tree)
        with open(self.folder / "runner.log", "ab") as log:
            self.runner = subprocess.Popen(
                list(map(str, words)), env={"PATH": "/usr/bin:/bin", "LISTEN_FDS": "1"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **popen)

    def log_of_runner(self):
        return (self.folder / "runner.log").read_text(errors="replace")

    def stop_runner(self):
        self.runner.terminate()
        self.runner.wait(timeout=TIMEOUT_S)

    def start_daemon(self):
        words, popen = self.activated(
            self.control_socket, self.folder / "bin/benchd", "--config", self.config,
            "--state-dir", self.state, "--socket", self.daemon.socket)
        self.daemon.environment["LISTEN_FDS"] = "1"
        self.daemon.start(
            words, user=DAEMON.pw_uid, group=DAEMON.pw_gid, extra_groups=[], **popen)

    def restart_daemon(self):
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text())
        self.start_daemon()

    # ---- clients of several users ----

    def client_environment(self, **more):
        environment = super().client_environment(**more)
        for name in ("LISTEN_FDS", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
            environment.pop(name, None)
        return environment

    @staticmethod
    def as_user(uid, groups=(), **more):
        return dict(user=uid, group=uid, extra_groups=list(groups), cwd="/", **more)

    def as_nobody(self, **more):
        return dict(self.as_user(NOBODY.pw_uid, **more), cwd=self.home)

    def waiting_session(self):
        """A session of the user nobody whose first run waits: gate, client, id."""
        gate = self.gate()
        for name in ("arrivals", "open"):
            (self.folder / name).chmod(0o666)
        with_user = self.as_nobody()
        with_user.pop("cwd")
        client = self.start_client(
            "compare", *LINES, gate.command, "sh -c 'echo n 1000'", **with_user)
        session = client.until("started")["session"]
        gate.arrived()
        return gate, client, session


class IdentityTest(SystemModeTest):
    def status_of_a_run(self, **popen):
        """The names and values in /proc/self/status and the text of /proc/self/limits of a run."""
        out = self.home / "out"
        command = "cat /proc/self/status /proc/self/limits"
        done = self.benchctl(
            "compare", "--method", "fixed", "--runs", "8", "--margin", "500%", "--output", out,
            command, command, **popen)
        self.assertIn(done.code, (PASS, 1, 3), f"{done}\n{self.daemon.log_text()}")
        self.assertEqual(out.stat().st_uid, NOBODY.pw_uid)
        text = out.read_text()
        status = {}
        for line in text.splitlines():
            name, colon, value = line.partition(":")
            if colon:
                status[name] = value.split()
        return status, text

    def test_a_session_of_nobody_runs_as_nobody_with_only_its_groups(self):
        status, _ = self.status_of_a_run(
            **self.as_nobody(groups=[*EXTRA_GROUPS, NOBODY.pw_gid]))
        uid, gid = str(NOBODY.pw_uid), str(NOBODY.pw_gid)
        self.assertEqual(status["Uid"], [uid] * 4)
        self.assertEqual(status["Gid"], [gid] * 4)
        self.assertEqual(status["Groups"], [gid])
        for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            self.assertEqual(status[kind], ["0" * 16], kind)
        self.assertEqual(status["SigBlk"], ["0" * 16])
        self.assertEqual(status["SigIgn"], ["0" * 16])

    def test_a_session_has_its_callers_umask_and_limits(self):
        def lower_limits():
            resource.setrlimit(resource.RLIMIT_NOFILE, (200, 300))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 4096))

        status, text = self.status_of_a_run(
            **self.as_nobody(umask=0o027, preexec_fn=lower_limits))
        self.assertEqual(status["Umask"], ["0027"])
        limits = {line[:25].strip(): line[25:].split()[:2] for line in text.splitlines()
                  if line.startswith("Max ")}
        self.assertEqual(limits["Max open files"], ["200", "300"])
        self.assertEqual(limits["Max core file size"], ["0", "4096"])

    def test_a_run_inherits_no_descriptor_of_the_daemon(self):
        out = self.home / "fds"
        done = self.benchctl(
            "compare", "--method", "fixed", "--runs", "8", "--margin", "500%", "--output", out,
            "ls -l /proc/self/fd", "ls -l /proc/self/fd", **self.as_nobody())
        self.assertIn(done.code, (PASS, 1, 3), done)
        # 0, 1, 2 and the directory that ls reads.
        opened = [line for line in out.read_text().splitlines() if " -> " in line]
        self.assertGreaterEqual(len(opened), 4)
        self.assertEqual([line for line in opened if "socket:" in line], [])

    def test_files_the_caller_cannot_read_are_not_read_for_them(self):
        secret = self.folder / "secret"
        secret.write_text("n 1000\n")
        secret.chmod(0o600)
        done = self.benchctl(
            "compare", *LINES, "--input", secret, "cat", "cat", **self.as_nobody())
        self.assertIn(done.code, (FAILED, REFUSED), done)
        self.assertIn(str(secret), done.stderr)

    def test_programs_the_caller_cannot_execute_are_not_executed_for_them(self):
        # The caller and root could create this file.
        ran = self.home / "ran"
        program = pathlib.Path(self.script(f'touch "{ran}"; echo n 1000', name="private"))
        program.chmod(0o700)
        done = self.benchctl(
            "compare", *LINES, shlex.quote(str(program)), "true", **self.as_nobody())
        self.assertIn(done.code, (FAILED, REFUSED), done)
        self.assertIn(str(program), done.stderr)
        self.assertFalse(ran.exists())


class AccessTest(SystemModeTest):
    def test_root_is_refused_without_allow_root(self):
        done = self.benchctl("compare", *LINES, "echo n 1000", "echo n 1000")
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, "allow_root")
        self.write_config("allow_root = true")
        self.restart_daemon()
        done = self.benchctl("compare", *LINES, "echo n 1000", "echo n 1000")
        self.assert_exit(done, FAILED)
        self.assertIn("benchd-runner: will not run programs as uid 0", done.stderr)
        self.stop_runner()
        self.start_runner()
        done = self.benchctl("compare", *LINES, "echo n 1000", "echo n 1000")
        self.assert_exit(done, PASS)


class Version1Test(SystemModeTest):
    """A machine whose controllers appear to the runner to belong to cgroup version 1."""

    WHY = ("the cpuset controller belongs to cgroup version 1 here: boot with "
           "systemd.unified_cgroup_hierarchy=1")
    extra_config = '[machine_profile.limited]\nmemory_limit = "64MiB"\n'

    def setUp(self):
        super().setUp()
        own = self.kernel_tree / "proc/self"
        own.mkdir(parents=True)
        (own / "mountinfo").write_text(
            "35 31 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
            "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")
        (own / "cgroup").write_text("5:cpuset:/\n0::/bench.slice/benchd-runner.service\n")
        self.stop_runner()
        self.start_runner()

    def compare(self, *words):
        return self.benchctl_json(
            "compare", *LINES, *words, "echo n 1000", "echo n 1000", **self.as_nobody())

    def test_strict_isolation_is_refused_in_one_line(self):
        done = self.compare("--isolation", "strict")
        self.assert_exit(done, REFUSED)
        self.assert_one_error(done, f"strict isolation is unavailable: {self.WHY}")

    def test_a_session_runs_without_isolation_and_its_verdict_has_a_warning(self):
        done = self.compare()
        self.assert_exit(done, PASS)
        warnings = {one["code"]: one["message"] for one in done.events[-1]["warnings"]}
        self.assertIn(self.WHY, warnings["cgroup_v1"])

    def test_a_memory_limit_is_reported_as_not_held(self):
        done = self.compare("--machine-profile", "limited")
        self.assert_exit(done, PASS)
        started = next(one for one in done.events if one["event"] == "started")
        limit = {one["setting"]: one for one in started["isolation"]}["memory_limit"]
        self.assertFalse(limit["held"])
        self.assertEqual(limit["actual"], "no limit")
        self.assertTrue(limit["why"])

    def test_the_doctor_reports_the_cause(self):
        done = self.benchctl_json("machine", "doctor", **self.as_nobody())
        self.assert_exit(done, 0)
        self.assertIn(self.WHY, done.stdout)


class RunnerTest(SystemModeTest):
    def test_without_a_runner_the_session_fails_and_a_new_one_runs_the_next(self):
        gate, client, _ = self.waiting_session()
        self.runner.send_signal(signal.SIGKILL)
        self.runner.wait()
        self.assertEqual(client.finish(), FAILED, client.events)
        self.assertIn("benchd-runner", client.events[-1]["error"])
        self.assertEqual(wait_for_no_process_with(gate.marker), [])
        self.start_runner()
        done = self.benchctl(
            "compare", *LINES, "echo n 1000", "echo n 1100", **self.as_nobody())
        self.assert_exit(done, 1)

    def test_the_runner_outlives_the_daemon_and_serves_the_next(self):
        gate, client, _ = self.waiting_session()
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.assertEqual(wait_for_no_process_with(gate.marker), [])
        self.assertIsNone(self.runner.poll())
        self.start_daemon()
        gate.arrived()
        gate.open()
        self.assertEqual(client.finish(), PASS, client.stderr)
        done = self.benchctl(
            "compare", *LINES, "echo n 1000", "echo n 1000", **self.as_nobody())
        self.assert_exit(done, PASS)


@unittest.skipUnless(os.getuid() == 0, "needs root")
class FallbackDirectoryTest(DaemonTest):
    """Without XDG_RUNTIME_DIR the socket is in /tmp/benchd-UID, which others could create."""

    starts_daemon = False

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        copy_programs(self.folder)
        self.home = self.folder / "home"
        self.home.mkdir()
        os.chown(self.home, STRANGER_UID, STRANGER_UID)
        self.fallback = pathlib.Path(f"/tmp/benchd-{STRANGER_UID}")
        if os.path.lexists(self.fallback):
            self.skipTest(f"{self.fallback} exists already")
        self.addCleanup(shutil.rmtree, self.fallback, ignore_errors=True)

    def test_a_foreign_owner_is_refused(self):
        self.fallback.mkdir(mode=0o700)
        os.chown(self.fallback, NOBODY.pw_uid, NOBODY.pw_gid)
        done = subprocess.run(
            [self.folder / "bin/benchd", "--user"],
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=TIMEOUT_S, user=STRANGER_UID,
            group=STRANGER_UID, extra_groups=[], cwd="/")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("error: ", done.stderr)
        for word in (str(self.fallback), str(NOBODY.pw_uid)):
            self.assertIn(word, done.stderr)
        self.assertFalse((self.fallback / "benchd.sock").exists())


if __name__ == "__main__":
    main()
