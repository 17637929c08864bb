"""Sessions on CPUs that no other process uses."""

import os
import pathlib
import re
import subprocess

import e2e_support
from core import core
from guest import (BENCHMARK, PARTITION, PARTITION_TOLD, GuestTest, background_load, cpus,
                   main_pid, read, run, start_afresh, wait_until, who_may_run_on)

SLICE = pathlib.Path("/sys/fs/cgroup/bench.slice")
SYSTEM_CPUS = pathlib.Path("/sys/fs/cgroup/system.slice/cpuset.cpus")


def partition():
    return read(SLICE / "cpuset.cpus.partition")


class SessionTest(GuestTest):
    @core("core-a")
    def test_a_session_passes_and_says_what_was_held(self):
        done = self.compare("--runs", "8")
        self.assert_exit(done, e2e_support.PASS)
        started = next(one for one in done.events if one["event"] == "started")
        self.assertTrue(started["isolation"])
        for one in started["isolation"]:
            self.assertTrue(one["held"] or one.get("why"), one)
        self.assertEqual(done.events[-1]["verdict"], "pass")

    @core("core-a")
    def test_children_run_as_their_user_on_a_benchmark_cpu(self):
        out = self.folder / "children"
        out.touch()
        out.chmod(0o666)
        command = self.script(f"id -u >>{out}; grep Cpus_allowed_list /proc/self/status >>{out};"
                              f" cat /proc/self/cgroup >>{out}; echo n 1000")
        self.assert_exit(self.compare("--runs", "8", command=command), e2e_support.PASS)
        text = read(out)
        self.assertEqual(set(re.findall(r"^\d+$", text, re.MULTILINE)),
                         {str(self.by("alice")["user"])})
        for allowed in re.findall(r"Cpus_allowed_list:\s*(\S+)", text):
            self.assertLessEqual(cpus(allowed), BENCHMARK)
        for group in re.findall(r"^0::(\S+)$", text, re.MULTILINE):
            self.assertTrue(group.startswith("/bench.slice/benchd-runner.service/"), group)

    def test_isolation_off_changes_nothing(self):
        gate, client, started = self.session_at_gate("--isolation", "off")
        self.assertEqual(self.differences(), [])
        self.assertEqual(started.get("isolation", []), [])
        self.finish(gate, client)

    @core("core-a")
    def test_a_cancelled_session_gives_back(self):
        _, client, started = self.session_at_gate()
        self.assertEqual(partition(), PARTITION)
        self.assert_exit(self.benchctl("cancel", started["session"]), 0)
        self.assertEqual(client.finish(), e2e_support.CANCELLED)

    def test_a_failing_session_gives_back(self):
        done = self.compare("--runs", "8", command="/bin/false")
        self.assert_exit(done, e2e_support.FAILED)


class PartitionTest(GuestTest):
    @core("core-a")
    def test_the_partition_is_isolated_and_nobody_else_may_run_there(self):
        with background_load(3):
            gate, client, started = self.session_at_gate()
            self.assertEqual(partition(), PARTITION)
            self.assertEqual(cpus(read(SLICE / "cpuset.cpus.effective")), BENCHMARK)
            self.assertEqual(self.isolation(started)["cpuset"]["actual"], PARTITION_TOLD)
            self.assert_held(started, "cpuset")
            self.assertEqual(who_may_run_on(BENCHMARK), [])
            self.finish(gate, client)

    @core("core-a")
    def test_nobody_else_does_run_there(self):
        # Checked repeatedly while children spin there and three other processes want a CPU.
        spinning = self.script("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo n 1000")
        with background_load(3):
            client = self.start_client("compare", *("--parse", "lines", "--metric", "n:2%:lower"),
                                       "--runs", "16", spinning, spinning)
            client.until("started")
            used = cpu_time_by_process()
            strangers = set()
            looks = 0
            while partition_is_held():
                seen = set(seen_on(BENCHMARK, used))
                # At the end of the session other processes return before a look is complete.
                if partition_is_held():
                    strangers |= seen
                    looks += 1
            self.assertEqual(client.finish(), e2e_support.PASS, client.stderr)
        self.assertGreater(looks, 5)
        self.assertEqual(strangers, set())

    @core("core-a")
    def test_runner_and_daemon_stay_off_the_benchmark_cpus(self):
        gate, client, _ = self.session_at_gate()
        for service in ("benchd.service", "benchd-runner.service"):
            status = read(f"/proc/{main_pid(service)}/status")
            allowed = cpus(re.search(r"Cpus_allowed_list:\s*(\S+)", status).group(1))
            self.assertEqual(allowed & BENCHMARK, set(), service)
        self.finish(gate, client)

    @core("core-b")
    def test_a_reload_of_systemd_does_not_hurt_it(self):
        gate, client, _ = self.session_at_gate()
        run("systemctl", "daemon-reload")
        self.assertEqual(partition(), PARTITION)
        self.assertEqual(who_may_run_on(BENCHMARK), [])
        verdict = self.finish(gate, client)
        self.assertNotIn("partition_invalid", [one["code"] for one in verdict.get("warnings", [])])

    @core("core-b")
    def test_nor_does_a_new_systemd(self):
        gate, client, _ = self.session_at_gate()
        runner = main_pid("benchd-runner.service")
        # It moves processes of the top group, where the runner is at that time, into its own scope.
        run("systemctl", "daemon-reexec")
        self.assertEqual(partition(), PARTITION)
        self.assertEqual(who_may_run_on(BENCHMARK), [])
        self.finish(gate, client)
        self.assert_machine_as_before()
        self.assert_exit(self.compare(), e2e_support.PASS)
        self.assertEqual(main_pid("benchd-runner.service"), runner)

    def warned_of_the_partition(self, gate, client):
        gate.open()
        client.finish()
        codes = [one["code"] for one in client.events[-1].get("warnings", [])]
        return "partition_invalid" in codes

    @core("core-a")
    def test_who_takes_the_cpus_away_is_told_of(self):
        gate, client, _ = self.session_at_gate()
        self.addCleanup(start_afresh)
        self.addCleanup(run, "systemctl", "revert", "system.slice")
        run("systemctl", "set-property", "--runtime", "system.slice", "AllowedCPUs=0-3")
        wait_until(lambda: cpus(read(SYSTEM_CPUS)) == cpus("0-3"), "system.slice has its CPUs")
        # Since Linux 7.2 at the latest, a sibling does not get the CPUs of a partition.
        taken = "invalid" in partition()
        if not taken:
            self.assertEqual(who_may_run_on(BENCHMARK), [])
        self.assertEqual(self.warned_of_the_partition(gate, client), taken)

    @core("core-a")
    def test_who_ends_the_partition_is_told_of(self):
        gate, client, _ = self.session_at_gate()
        self.addCleanup(start_afresh)
        (SLICE / "cpuset.cpus.partition").write_text("member", encoding="ascii")
        self.assertTrue(self.warned_of_the_partition(gate, client))

    @core("core-a")
    def test_who_was_pinned_there_is_pinned_there_again(self):
        # Before Linux 6.2, changing a cpuset gives its threads all of its CPUs.
        pinned = [subprocess.Popen(["taskset", "--cpu-list", one, "sleep", "inf"])
                  for one in ("3", "1-3")]
        for process in pinned:
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        wait_until(lambda: {3} == os.sched_getaffinity(pinned[0].pid), "it is pinned")
        wait_until(lambda: {1, 2, 3} == os.sched_getaffinity(pinned[1].pid), "it is pinned")
        self.look()
        gate, client, _ = self.session_at_gate()
        for process in pinned:
            self.assertEqual(os.sched_getaffinity(process.pid) & BENCHMARK, set())
        self.finish(gate, client)
        self.assert_machine_as_before()
        self.assertEqual(os.sched_getaffinity(pinned[0].pid), {3})

    def test_a_later_session_has_it_again(self):
        for _ in range(2):
            gate, client, _ = self.session_at_gate()
            self.assertEqual(partition(), PARTITION)
            self.finish(gate, client)
            self.assert_machine_as_before()
            for name in ("arrivals", "open"):
                (self.folder / name).unlink()

    def test_services_are_not_started_on_the_benchmark_cpus(self):
        gate, client, _ = self.session_at_gate()
        said = run("systemd-run", "--quiet", "--wait", "--pipe", "grep", "Cpus_allowed_list",
                   "/proc/self/status")
        self.assertEqual(cpus(said.split()[-1]) & BENCHMARK, set())
        self.finish(gate, client)


def partition_is_held():
    try:
        return partition() == PARTITION
    except OSError:
        return False


def stat_fields(pid):
    text = read(f"/proc/{pid}/stat")
    return text[text.rindex(")") + 2 :].split()


def cpu_time_by_process():
    used = {}
    for pid in e2e_support.all_pids():
        try:
            fields = stat_fields(pid)
        except OSError:
            continue
        used[pid] = int(fields[11]) + int(fields[12])
    return used


def seen_on(wanted, used_before):
    """Processes that have used CPU time since then and were last on one of these CPUs."""
    for pid in e2e_support.all_pids():
        try:
            fields, group = stat_fields(pid), read(f"/proc/{pid}/cgroup")
            name = e2e_support.name_of(pid)
        except OSError:
            continue
        bound_kernel_thread = int(fields[6]) & 0x04000000
        if "/bench.slice" in group or bound_kernel_thread or int(fields[36]) not in wanted:
            continue
        if int(fields[11]) + int(fields[12]) > used_before.get(pid, 0):
            yield name
