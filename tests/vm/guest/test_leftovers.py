"""Memory and keyrings that a run leaves do not reach other users; a lookup leaves nothing."""

import os
import pathlib
import signal
import subprocess

import e2e_support
from core import core
from guest import (ADMIN, HOUSEKEEPING, GuestTest, main_pid, read, start_services, unit,
                   wait_until)

# One run fills three quarters of it; the next one needs as much.
CONFIG = "[children]\nmemory_mib = 128\n"
FILL = "dd if=/dev/zero of=/dev/shm/left bs=1M count=96 2>/dev/null && echo n 1000"
TAKE = "/usr/bin/python3 -c 'x = bytearray(96 << 20); print(\"n 1000\")'"

# keyctl(2): KEY_SPEC_SESSION_KEYRING is -3, KEYCTL_SEARCH 10, add_key(2) 248, keyctl(2) 250.
KEYS = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
if sys.argv[1] == "leave":
    assert libc.syscall(248, b"user", b"left", b"secret", 6, -3) > 0
else:
    found = libc.syscall(250, 10, -3, b"user", b"left", 0)
    print(found, file=open(sys.argv[2], "w"))
print("n 1000")
"""


class LeftoversTest(GuestTest):
    configuration = CONFIG

    @core("core-b")
    def test_files_in_memory_are_not_charged_to_the_next_run(self):
        left = pathlib.Path("/dev/shm/left")
        self.addCleanup(left.unlink)
        filling = self.script(FILL, name="fill")
        self.assert_exit(self.compare(command=filling), e2e_support.PASS)
        self.assertEqual(left.stat().st_size, 96 << 20)
        self.assert_exit(self.compare(command=TAKE, who=ADMIN), e2e_support.PASS)

    @core("core-b")
    def test_keys_of_one_session_are_not_in_the_next(self):
        program = self.folder / "keys.py"
        program.write_text(KEYS)
        out = self.folder / "found"
        out.touch()
        out.chmod(0o666)
        python = f"/usr/bin/python3 {program}"
        self.assert_exit(self.compare(command=f"{python} leave"), e2e_support.PASS)
        self.assert_exit(self.compare(command=f"{python} look {out}", who=ADMIN), e2e_support.PASS)
        self.assertEqual(read(out), "-1")


# Takes seconds to hash, and is a program of two lines.
LARGE = b"#!/bin/sh\necho n 1000; exit\n", 64 << 20
TOP = pathlib.Path("/sys/fs/cgroup")


class LookupTest(GuestTest):
    """A program is looked up in a control group of its own, which is removed afterwards."""

    def start_lookup(self):
        """A client whose program is being looked up, the lookup's pid and its group's folder."""
        program = self.folder / "large"
        text, size = LARGE
        program.write_bytes(text)
        os.truncate(program, size)
        program.chmod(0o755)
        client = self.start_client("compare", "--parse", "lines", "--metric", "n:2%:lower",
                                   "--runs", "8", str(program), str(program))

        def looked_up():
            for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    if file.read_bytes() == b"benchd-helper\0resolve\0":
                        return int(file.parent.name), read(file.parent / "cgroup")
                except OSError:
                    pass  # it has just exited

        pid, line = wait_until(looked_up, "a lookup")
        self.assertRegex(line, r"^0::/benchd-run-\d+")
        return client, pid, TOP / line.removeprefix("0::/")

    def leave_something(self, group):
        """Starts a process in the group, as the lookup could."""
        left = subprocess.Popen(["sleep", "inf"])
        self.addCleanup(left.wait)
        self.addCleanup(left.kill)
        (group / "cgroup.procs").write_text(str(left.pid))
        return left

    @core("core-b")
    def test_it_has_limits_of_its_own_and_leaves_nothing(self):
        gate, session, _ = self.session_at_gate()
        self.assertEqual(read(TOP / "bench.slice/cpuset.cpus.partition"), "isolated")
        client, pid, group = self.start_lookup()
        left = self.leave_something(group)
        self.assertLessEqual(os.sched_getaffinity(pid), HOUSEKEEPING)
        self.assertEqual(read(group / "memory.max"), str(512 << 20))
        self.assertEqual(read(group / "pids.max"), "32")
        self.assertEqual(left.wait(timeout=e2e_support.TIMEOUT_S), -signal.SIGKILL)
        wait_until(lambda: not group.exists(), "its group is removed")
        self.finish(gate, session)
        self.assertEqual(client.finish(), e2e_support.PASS, client.stderr)

    @core("core-b")
    def test_nothing_is_left_by_a_killed_runner_either(self):
        self.drop_in("benchd-runner.service", "[Service]\nRestart=no\n")
        client, _, group = self.start_lookup()
        left = self.leave_something(group)
        # benchd must not start another runner, either.
        os.kill(main_pid("benchd.service"), signal.SIGSTOP)
        os.kill(main_pid("benchd-runner.service"), signal.SIGKILL)
        wait_until(lambda: unit("benchd-runner.service", "ActiveState") == "failed",
                   "the runner has failed")
        self.assertEqual(left.wait(timeout=e2e_support.TIMEOUT_S), -signal.SIGKILL)
        client.close()
        os.kill(main_pid("benchd.service"), signal.SIGKILL)
        # Its folder may have been in use until then.
        start_services()
        wait_until(lambda: not group.exists(), "its group is removed")
