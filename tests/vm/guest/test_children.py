"""What a profile gives to each child, seen by the child itself."""

import e2e_support
from guest import GuestTest

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
