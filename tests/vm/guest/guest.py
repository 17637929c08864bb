"""The environment that all tests share: a machine with benchd's services, some users, and one rule.

The rule: after every test, all values of the machine are as they were before it.
"""

import contextlib
import itertools
import os
import pathlib
import pwd
import re
import subprocess
import time

import e2e_support
import installation
import machine_state
from installation import CONFIG, run

# A member of the group benchd, an administrator of benchd, a user who is neither, and a member
# whose processes will all be killed.
ALICE, ADMIN, STRANGER, DOOMED = "alice", "ada", "mallory", "bob"
GROUPS = {ALICE: ["benchd"], ADMIN: ["benchd", "benchd-admin"], STRANGER: [], DOOMED: ["benchd"]}

# Two cores of two threads: the first core is for housekeeping; one thread of the other is used.
# On arm64, two slow cores and two fast ones, and both of the fast ones are used.
HOUSEKEEPING = {0, 1}
BENCHMARK = {2, 3}
# The kernel's name of the partition, and benchd's. With several used CPUs it has load balancing, so
# that a program's threads spread.
PARTITION, PARTITION_TOLD = ("root", "partition") if os.environ["BENCHD_VM_BOOT"] == "arm64" else (
    "isolated", "isolated partition")

# Emulated machines that share their host are slow, but a timeout must end.
TIMEOUT_S = e2e_support.TIMEOUT_S

# Begins the reason for skipping a test about something that this machine cannot have. Such a test is
# named at the end, and any other skipped test has failed.
ABSENT = "not had by this machine: "

LINES = ("--parse", "lines", "--metric", "n:2%:lower")
# State that exists only while the services run: their groups, and the controllers enabled by
# Delegate=.
OF_THE_SERVICES = (r"^group .*/bench\.slice", r"cgroup\.subtree_control$")


def cpus(text):
    """Parses the kernel's list format, "0-1,3", into a set."""
    found = set()
    for part in text.replace(" ", ",").split(","):
        if part:
            first, _, last = part.partition("-")
            found.update(range(int(first), int(last or first) + 1))
    return found


def read(path):
    return pathlib.Path(path).read_text().strip()


def unit(name, *properties):
    """The properties of a unit, in the given order."""
    shown = run("systemctl", "show", name, *(f"--property={one}" for one in properties))
    values = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
    found = [values.get(one, "") for one in properties]
    return found[0] if len(found) == 1 else found


def main_pid(service):
    return int(unit(service, "MainPID"))


def wait_until(condition, what, timeout=TIMEOUT_S):
    """Polls `condition` until it returns a true value, and returns that value."""
    deadline = time.monotonic() + timeout
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {timeout} s")
        time.sleep(0.05)
    return found


def make_people():
    for name, groups in GROUPS.items():
        run("useradd", "--create-home", "--groups", ",".join(groups), name)


def login(name):
    """The command that starts an interactive shell as after a login."""
    return ["su", "--whitelist-environment=TERM", "--shell=/bin/bash", "-", name]


def start_services():
    units = (*installation.SOCKETS, *installation.SERVICES)
    try:
        run("systemctl", "start", *units)
    except AssertionError:
        # systemd refuses to start a unit that was restarted too often in a short time.
        run("systemctl", "reset-failed")
        run("systemctl", "start", *units)


def start_afresh():
    """Stops everything until systemd has disabled the cpuset controller, and starts it again.

    This is the only way to a group without a CPU list of its own. The kernel refuses to clear the
    list of a group that has processes (ENOSPC), so systemd cannot remove a list that it once wrote.
    """
    run("systemctl", "stop", *installation.SERVICES, "bench.slice", check=False)
    run("systemctl", "daemon-reload")
    start_services()


def configure(text):
    """Makes `text` the configuration and restarts the services if it has changed."""
    CONFIG.parent.mkdir(exist_ok=True)
    if CONFIG.exists() and CONFIG.read_text() == text:
        return
    CONFIG.write_text(text)
    run("systemctl", "reset-failed")
    run("systemctl", "restart", *reversed(installation.SERVICES))


_drop_ins = itertools.count(1)


def drop_in(texts):
    """Adds these texts to these units; returns a function that removes them."""
    name = f"test-{next(_drop_ins)}.conf"
    files = [pathlib.Path(f"/run/systemd/system/{unit}.d") / name for unit in texts]
    for file, text in zip(files, texts.values()):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    run("systemctl", "daemon-reload")
    # systemd 257 applies it only when something starts in the slice.
    for unit in texts:
        if unit == "system.slice":
            run("systemd-run", "--quiet", "--wait", f"--slice={unit}", "true")

    def remove():
        for file in files:
            file.unlink(missing_ok=True)  # `systemctl revert` may have removed it
            with contextlib.suppress(OSError):
                file.parent.rmdir()  # if there is no other one
        run("systemctl", "daemon-reload")

    return remove


class GuestTest(e2e_support.DaemonTest):
    """A test with the installed services running; `self.before` is the state before it."""

    starts_daemon = False
    configuration = ""
    # Regular expressions for the names of values that this test itself changes.
    ignored = ()
    # The state after the last test, if it was unchanged.
    _known_state = None

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        configure(self.configuration)
        start_services()
        self.before = GuestTest._known_state or self.look()

    def look(self):
        """Reads the machine's state, which must be the same at the end."""
        self.before = machine_state.read()
        return self.before

    def _stop_and_look(self):
        """Runs after all other cleanup of a test."""
        for client in self._clients:
            client.close()
        self.assert_machine_as_before()

    def differences(self, *more_ignored):
        now = machine_state.read()
        found = machine_state.difference(self.before, now, (*self.ignored, *more_ignored))
        GuestTest._known_state = now if not (found or self.ignored or more_ignored) else None
        return found

    def assert_machine_as_before(self, *more_ignored, timeout=20):
        """Waits a little, because a session's end is reported before the last restoration."""
        deadline = time.monotonic() + timeout
        while left := self.differences(*more_ignored):
            if time.monotonic() > deadline:
                # The next test must begin with a clean machine in any case.
                self.clean_up_by_force()
                self.fail("not as it was before:\n  " + "\n  ".join(left))
            time.sleep(0.1)

    def assert_given_back_while_stopped(self):
        """The same while the services are stopped, because a later start would hide differences."""
        self.addCleanup(start_services)
        self.assert_machine_as_before(*OF_THE_SERVICES)

    def clean_up_by_force(self):
        run("systemctl", "stop", *installation.SERVICES, check=False)
        for group in machine_state.CGROUP.glob("bench.slice"):
            with contextlib.suppress(OSError):
                (group / "cpuset.cpus.partition").write_text("member")
        for name in machine_state.UNITS:
            run("systemctl", "revert", "--", name, check=False)
        for path in self.before:
            if path.startswith(("/sys/", "/proc/")):
                with contextlib.suppress(OSError):
                    pathlib.Path(path).write_text(self.before[path].replace("[", "").split("]")[0])
        start_afresh()

    # ---- benchctl as a user ----

    def client_environment(self, **more):
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(self.folder)}
        return dict(environment, **more)

    @staticmethod
    def by(name):
        """Options of benchctl() and start_client() that select the calling user."""
        person = pwd.getpwnam(name)
        groups = os.getgrouplist(name, person.pw_gid)
        return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": groups}

    def benchctl(self, *words, who=ALICE, **options):
        return super().benchctl(*words, **self.by(who), **options)

    def start_client(self, *words, who=ALICE, **options):
        return super().start_client(*words, **self.by(who), **options)

    def compare(self, *words, command="echo n 1000", **options):
        """Compares a program with itself: the verdict does not depend on the machine's speed."""
        return self.benchctl_json("compare", *LINES, *words, command, command, **options)

    def gate(self):
        gate = super().gate()
        for name in ("arrivals", "open"):
            (self.folder / name).chmod(0o666)
        return gate

    def session_at_gate(self, *words):
        """A session in the middle of a run: (gate, client, its `started` event)."""
        gate = self.gate()
        client = self.start_client("compare", *LINES, *words, gate.command, gate.command)
        started = client.until("started")
        gate.arrived()
        return gate, client, started

    def finish(self, gate, client):
        """Lets the session run to its end."""
        gate.open()
        code = client.finish()
        self.assertEqual(code, e2e_support.PASS, f"{client.events[-1:]}\n{client.stderr}")
        return client.events[-1]

    def isolation(self, started):
        """The settings in the `started` event, by name."""
        return {one["setting"]: one for one in started["isolation"]}

    def assert_held(self, started, *names):
        isolation = self.isolation(started)
        for name in names:
            self.assertIn(name, isolation)
            self.assertTrue(isolation[name]["held"], isolation[name])

    def machine(self, *words, who=ADMIN):
        """Runs `benchctl machine ...` and returns the status that it prints."""
        done = self.benchctl_json("machine", *words, who=who)
        self.assert_exit(done, 0)
        return done.events[-1]

    def assert_exit(self, completed, code):
        self.assertEqual(completed.code, code, f"{completed}\n{self.journal()}")

    # ---- the machine ----

    @staticmethod
    def journal(*units):
        """The last lines that the services logged."""
        names = [f"--unit={name}" for name in units or installation.SERVICES]
        return run("journalctl", "--no-pager", "--output=cat", "--lines=30", *names)

    def drop_in(self, service, text):
        """Adds a text to a unit for the duration of the test."""
        self.addCleanup(drop_in({service: text}))


# Threads that Linux 6.12 leaves on all CPUs: those that rescue workqueues when memory is short, and
# the monitor of pressure, which systemd 257 uses.
LEFT_BY_LINUX = re.compile(r"kworker/R-|psimon$")


def who_may_run_on(wanted):
    """Processes that may run on one of these CPUs, except the kernel's per-CPU threads, those that
    it leaves there, and the contents of bench.slice: (pid, name, CPUs)."""
    kthread, bound = 0x00200000, 0x04000000  # PF_KTHREAD, PF_NO_SETAFFINITY: linux/sched.h
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            status, stat = read(f"/proc/{pid}/status"), read(f"/proc/{pid}/stat")
            group = read(f"/proc/{pid}/cgroup")
        except OSError:
            continue
        flags = int(stat[stat.rindex(")") + 2 :].split()[6])
        allowed = cpus(re.search(r"^Cpus_allowed_list:\s*(\S+)", status, re.MULTILINE).group(1))
        if not allowed & wanted or "/bench.slice" in group:
            continue
        name = re.search(r"^Name:\s*(.*)", status).group(1)
        if flags & kthread and (flags & bound and len(allowed) == 1 or LEFT_BY_LINUX.match(name)):
            continue
        found.append((int(pid), name, sorted(allowed)))
    return found


@contextlib.contextmanager
def background_load(programs):
    """Runs that many CPU-bound processes, as other users might."""
    busy = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(programs)]
    try:
        yield [process.pid for process in busy]
    finally:
        for process in busy:
            process.kill()
            process.wait()
