"""A machine that has cgroup version 1 only: everything works but the partition."""

import os
import pathlib
import re
import signal

import e2e_support
from guest import (BENCHMARK, GuestTest, background_load, cpus, main_pid, read, unit, wait_until,
                   who_may_run_on)

CPUSET = pathlib.Path("/sys/fs/cgroup/cpuset")


class VersionOneTest(GuestTest):
    def test_this_machine_is_one(self):
        self.assertNotIn(" cgroup2 ", read("/proc/self/mounts"))
        self.assertTrue((CPUSET / "cpuset.cpus").exists())

    def test_a_session_works_and_says_what_is_missing(self):
        out = self.folder / "cpus"
        out.touch()
        out.chmod(0o666)
        command = self.script(f"grep Cpus_allowed_list /proc/self/status >>{out}; echo n 1000")
        done = self.compare("--runs", "8", command=command)
        self.assert_exit(done, e2e_support.PASS)
        started = next(one for one in done.events if one["event"] == "started")
        cpuset = self.isolation(started)["cpuset"]
        self.assertFalse(cpuset["held"])
        self.assertEqual(cpuset["actual"], "cgroup v1 cpuset")
        self.assertIn("cgroup", cpuset["why"])
        for allowed in re.findall(r"Cpus_allowed_list:\s*(\S+)", read(out)):
            self.assertLessEqual(cpus(allowed), BENCHMARK)

    def test_processes_are_moved_off_the_benchmark_cpus_and_back(self):
        with background_load(3) as load:
            gate, client, _ = self.session_at_gate()
            others = [one for one in who_may_run_on(BENCHMARK)
                      if not pathlib.Path(f"/proc/{one[0]}/cmdline").read_bytes() == b""]
            self.assertEqual([one for one in others if one[0] in load or one[0] == 1], [])
            self.finish(gate, client)
            self.assert_machine_as_before()

    def test_strict_isolation_is_refused_by_name(self):
        done = self.compare("--isolation", "strict")
        self.assert_exit(done, e2e_support.REFUSED)
        self.assertIn("cpuset", done.stderr + done.stdout)

    def test_a_killed_runner_leaves_no_shield(self):
        for service in ("benchd-runner.service", "benchd.service"):
            gate, client, _ = self.session_at_gate()
            victim = main_pid(service)
            os.kill(victim, signal.SIGKILL)
            gate.arrived()  # The session goes on.
            self.assertNotIn(main_pid(service), (0, victim))
            self.finish(gate, client)
            self.assert_machine_as_before()
            for name in ("arrivals", "open"):
                (self.folder / name).unlink()
