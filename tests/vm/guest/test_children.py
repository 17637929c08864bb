"""The effect of a machine profile on each child, as the child itself observes it."""

import pathlib

import e2e_support
from core import core
from guest import LINES, GuestTest

CONFIG = """
[machine_profile.child]
boost = "leave"
energy_preference = "leave"
policy = "fifo"
numa = "local"
memory_limit = "64MiB"
drop_caches = true
aslr = "off"
"""


class ChildrenTest(GuestTest):
    configuration = CONFIG

    def test_policy_memory_and_layout_are_the_childs(self):
        out = self.folder / "seen"
        out.touch()
        out.chmod(0o666)
        # proc(5): field 41 of stat is the policy, 1 = SCHED_FIFO; numa(7): "bind:0";
        # personality(2): 0x0040000 = ADDR_NO_RANDOMIZE.
        looks = (
            f"exec 3>{out}; cut -d\" \" -f41 /proc/self/stat >&3; cat /proc/self/personality >&3;"
            " head -1 /proc/self/numa_maps | cut -d\" \" -f2 >&3;"
            " cat /sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup)/memory.max >&3; echo n 1000")
        done = self.compare("--machine-profile", "child", command=f"/bin/sh -c '{looks}'")
        self.assert_exit(done, e2e_support.PASS)
        self.assertEqual(out.read_text().split(), ["1", "00040000", "bind:0", str(64 << 20)])
        codes = [one["code"] for one in done.events[-1].get("warnings", [])]
        self.assertIn("aslr_off", codes)

    def test_a_tree_that_takes_more_memory_is_ended(self):
        done = self.compare(
            "--machine-profile", "child",
            command="/usr/bin/python3 -c 'x = bytearray(200 << 20); print(\"n 1000\")'")
        self.assert_exit(done, e2e_support.FAILED)
        self.assertEqual(done.events[-1]["run"]["signal"], 9)

    def test_the_limit_is_gone_for_the_next_session(self):
        for profile, code in (("child", e2e_support.FAILED), ("default", e2e_support.PASS)):
            done = self.compare(
                "--machine-profile", profile,
                command="/usr/bin/python3 -c 'x = bytearray(100 << 20); print(\"n 1000\")'")
            self.assert_exit(done, code)


class MemoryTest(GuestTest):
    """Two limits at once, and memory that one run leaves for the next of its session."""

    configuration = """
[children]
memory_mib = 128
[machine_profile.smaller]
memory_limit = "64MiB"
[machine_profile.larger]
memory_limit = "256MiB"
"""

    @core("core-b")
    def test_the_smaller_limit_of_memory_holds(self):
        for profile, mebibytes in (("smaller", 64), ("larger", 128)):
            with self.subTest(profile=profile):
                out = self.folder / profile
                out.touch()
                out.chmod(0o666)
                look = (f"cat /sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup)/memory.max >{out}; "
                        "echo n 1000")
                done = self.compare("--machine-profile", profile, command=f"/bin/sh -c '{look}'")
                self.assert_exit(done, e2e_support.PASS)
                self.assertEqual(out.read_text().split(), [str(mebibytes << 20)])
                started = next(one for one in done.events if one["event"] == "started")
                self.assert_held(started, "memory_limit")

    @core("core-b")
    def test_what_a_run_leaves_in_memory_is_not_the_next_ones(self):
        # A file in memory outlives the run that wrote it. With the next run, it exceeds 64 MiB.
        left = pathlib.Path("/dev/shm/left")
        self.addCleanup(left.unlink, missing_ok=True)
        leave = self.script(f"dd if=/dev/zero of={left} bs=1M count=40 2>/dev/null; echo n 1000")
        take = "/usr/bin/python3 -c 'x = bytearray(40 << 20); print(\"n 1000\")'"
        done = self.benchctl_json("compare", *LINES, "--machine-profile", "smaller", leave, take)
        self.assert_exit(done, e2e_support.PASS)
        self.assertEqual(left.stat().st_size, 40 << 20)
