"""Each setting with the kernel's real driver: changed during a session and restored after it."""

import pathlib

import e2e_support
from core import core
from guest import (ALICE, BENCHMARK, HOUSEKEEPING, PARTITION_TOLD, GuestTest, configure, cpus,
                   read, run, start_afresh, unit)

CPU = pathlib.Path("/sys/devices/system/cpu")

EVERYTHING = """
[machine_profile.everything]
smt = "off"
cpuset = "isolated"
governor = "performance"
min_frequency_khz = 1800000
max_frequency_khz = 2400000
boost = "leave"
energy_preference = "leave"
c_state_latency_us = 0
nmi_watchdog = "leave"
timer_migration = 0
transparent_hugepages = "never"
swappiness = 7
perf_sample_rate = 2000

[machine_profile.siblings]
smt = "idle"
boost = "leave"
energy_preference = "leave"

[machine_profile.root]
cpuset = "root"

[machine_profile.shield]
cpuset = "shield"

[machine_profile.impossible]
governor = "whisper"
"""


def frequency(cpu, name):
    return read(CPU / f"cpu{cpu}/cpufreq/scaling_{name}")


def irqs_open_to(wanted):
    """Interrupts that may arrive at one of these CPUs, by number."""
    folders = [path for path in pathlib.Path("/proc/irq").iterdir() if path.is_dir()]
    return {int(path.name) for path in folders if cpus(read(path / "smp_affinity_list")) & wanted}


def irqs_that_cannot_be_moved():
    """Interrupts that the kernel keeps: it refuses to write even their current value."""
    kept = set()
    for path in pathlib.Path("/proc/irq").iterdir():
        if not path.is_dir():
            continue
        affinity = path / "smp_affinity_list"
        try:
            affinity.write_text(read(affinity))
        except OSError:
            kept.add(int(path.name))
    return kept


class SettingsTest(GuestTest):
    configuration = EVERYTHING

    def with_profile(self, name, *words):
        return self.session_at_gate("--machine-profile", name, *words)


class FrequencyTest(SettingsTest):
    @core("core-a")
    def test_governor_and_limits_are_the_drivers(self):
        self.assertEqual(read(CPU / "cpu2/cpufreq/scaling_driver"), "acpi-cpufreq")
        self.assertEqual(frequency(2, "governor"), "schedutil")
        gate, client, started = self.with_profile("everything")
        self.assertEqual(frequency(2, "governor"), "performance")
        self.assertEqual(frequency(2, "min_freq"), "1800000")
        self.assertEqual(frequency(2, "max_freq"), "2400000")
        self.assert_held(started, "governor", "min_frequency_khz", "max_frequency_khz")
        self.finish(gate, client)

    def test_a_governor_that_does_not_exist_is_named(self):
        gate, client, started = self.with_profile("impossible")
        found = self.isolation(started)["governor"]
        self.assertFalse(found["held"])
        self.assertIn("whisper", found["why"])
        self.finish(gate, client)

    def test_strict_isolation_refuses_it_by_name(self):
        done = self.compare("--machine-profile", "impossible", "--isolation", "strict")
        self.assert_exit(done, e2e_support.REFUSED)
        self.assertIn("governor", done.stderr + done.stdout)
        self.assertIn("whisper", done.stderr + done.stdout)


class ThreadsTest(SettingsTest):
    @core("core-a")
    def test_siblings_are_switched_off_and_come_back(self):
        gate, client, started = self.with_profile("everything")
        self.assertEqual(read(CPU / "smt/control"), "off")
        self.assertEqual(cpus(read(CPU / "online")), {0, 2})
        self.assert_held(started, "smt", "cpuset")
        self.assertEqual(read("/sys/fs/cgroup/bench.slice/cpuset.cpus.partition"), "isolated")
        self.finish(gate, client)
        self.assert_machine_as_before()
        self.assertEqual(cpus(read(CPU / "online")), {0, 1, 2, 3})

    def test_idle_siblings_stay_online_and_unused(self):
        gate, client, started = self.with_profile("siblings")
        self.assertEqual(read(CPU / "smt/control"), "on")
        self.assert_held(started, "smt")
        self.finish(gate, client)


class InterruptTest(SettingsTest):
    @core("core-a")
    def test_all_that_can_be_moved_are_moved_and_the_others_listed(self):
        kept = irqs_that_cannot_be_moved()
        self.assertTrue(kept, "the disks' queues are the kernel's own")
        gate, client, started = self.with_profile("siblings")
        self.assertLessEqual(irqs_open_to(BENCHMARK), kept)
        self.assertEqual(int(read("/proc/irq/default_smp_affinity"), 16), 0b0011)
        told = self.isolation(started)["irqs"]
        for number in irqs_open_to(BENCHMARK):
            self.assertRegex(told["why"], rf"\b{number}\b")
        self.finish(gate, client)

    def test_the_kernels_own_work_goes_to_the_housekeeping_cpus(self):
        gate, client, started = self.with_profile("siblings")
        mask = read("/sys/devices/virtual/workqueue/cpumask")
        self.assertEqual(int(mask, 16), 0b0011)
        self.assert_held(started, "workqueues")
        self.finish(gate, client)


class KernelTest(SettingsTest):
    @core("core-a")
    def test_the_rest_is_set_and_told(self):
        gate, client, started = self.with_profile("everything")
        self.assertEqual(read("/proc/sys/kernel/timer_migration"), "0")
        self.assertIn("[never]", read("/sys/kernel/mm/transparent_hugepage/enabled"))
        self.assertEqual(read("/proc/sys/vm/swappiness"), "7")
        self.assertEqual(read("/proc/sys/kernel/perf_event_max_sample_rate"), "2000")
        with open("/dev/cpu_dma_latency", "rb") as file:
            self.assertEqual(file.read(4), bytes(4))
        self.assert_held(started, "timer_migration", "transparent_hugepages", "swappiness",
                         "perf_sample_rate", "c_states")
        self.finish(gate, client)

    def test_what_somebody_else_changes_meanwhile_is_left_and_told(self):
        self.ignored = (r"vm/swappiness$",)
        gate, client, _ = self.with_profile("everything")
        swappiness = pathlib.Path("/proc/sys/vm/swappiness")
        self.addCleanup(swappiness.write_text, self.before[str(swappiness)])
        swappiness.write_text("33")
        verdict = self.finish(gate, client)
        self.assert_machine_as_before()
        self.assertEqual(read(swappiness), "33")
        told = [one["message"] for one in verdict["warnings"]]
        self.assertTrue(any("swappiness" in one for one in told), told)


class CpusetTest(SettingsTest):
    def test_a_partition_with_load_balancing(self):
        gate, client, started = self.with_profile("root")
        self.assertEqual(read("/sys/fs/cgroup/bench.slice/cpuset.cpus.partition"), "root")
        self.assert_held(started, "cpuset")
        self.finish(gate, client)

    def test_without_a_partition_the_others_are_moved_off(self):
        # The kernel does not let a group with processes return to "no list of its own". A list of
        # all CPUs is equivalent for its processes, so that is expected here.
        self.addCleanup(start_afresh)
        self.ignored = (r"/(init\.scope|system\.slice|user\.slice)/cpuset\.cpus$",)
        gate, client, started = self.with_profile("shield")
        for name in ("init.scope", "system.slice"):
            allowed = cpus(read(f"/sys/fs/cgroup/{name}/cpuset.cpus.effective"))
            self.assertEqual(allowed, HOUSEKEEPING, name)
        self.assert_held(started, "cpuset")
        self.finish(gate, client)
        self.assert_machine_as_before()
        # A later request for a partition succeeds.
        done = self.compare("--machine-profile", "siblings", "--runs", "8")
        started = next(one for one in done.events if one["event"] == "started")
        self.assertEqual(self.isolation(started)["cpuset"]["actual"], PARTITION_TOLD,
                         self.isolation(started)["cpuset"])
        self.assert_machine_as_before()

    def test_an_administrators_own_cpus_of_a_unit_are_put_back(self):
        # The final state must not include the changes that this test makes as the administrator.
        self.addCleanup(self.look)
        self.addCleanup(start_afresh)
        self.addCleanup(run, "systemctl", "revert", "system.slice")
        # Linux 6.12 leaves threads on the CPUs of a list that systemd removes.
        self.addCleanup(run, "systemctl", "set-property", "--runtime", "system.slice",
                        "AllowedCPUs=0-3")
        # The value is restored; the record that systemd has set it again stays until the next boot.
        self.ignored = (r"/(init\.scope|user\.slice)/cpuset\.cpus$",
                        r"system\.control/system\.slice\.d/")
        self.drop_in("system.slice", "[Slice]\nAllowedCPUs=0-2\n")
        self.look()
        gate, client, _ = self.with_profile("shield")
        self.finish(gate, client)
        self.assert_machine_as_before()
        self.assertEqual(cpus(unit("system.slice", "AllowedCPUs")), {0, 1, 2})


class ApplyTest(SettingsTest):
    def test_an_admin_holds_a_profile_across_sessions(self):
        self.machine("apply", "everything")
        self.addCleanup(self.machine, "restore")
        self.assertEqual(frequency(2, "governor"), "performance")
        done = self.compare("--machine-profile", "everything")
        self.assert_exit(done, e2e_support.PASS)
        self.assertEqual(frequency(2, "governor"), "performance")
        status = self.machine("status", who=ALICE)
        self.assertEqual((status["profile"], status["holder"]), ("everything", "apply"))
        held = {one["setting"]: one["held"] for one in status["settings"]}
        self.assertTrue(held["governor"] and held["smt"] and held["cpuset"], held)

    @core("core-a")
    def test_restore_gives_back_and_may_be_said_twice(self):
        self.machine("apply", "everything")
        for _ in range(2):
            self.machine("restore")
            self.assert_machine_as_before()

    @core("core-a")
    def test_others_may_look_but_not_change(self):
        for words in (("apply", "everything"), ("restore",)):
            done = self.benchctl("machine", *words)
            self.assert_exit(done, e2e_support.REFUSED)
            self.assert_one_error(done, "admin")
        self.assert_exit(self.benchctl("machine", "status"), 0)

    @core("core-a")
    def test_stopping_the_runner_gives_back(self):
        self.machine("apply", "everything")
        run("systemctl", "stop", "benchd-runner.service")
        self.assert_given_back_while_stopped()

    @core("core-a")
    def test_stopping_the_daemon_gives_back(self):
        self.machine("apply", "everything")
        run("systemctl", "stop", "benchd.service")
        self.assert_machine_as_before()

    def test_the_doctor_names_noise_with_what_to_do(self):
        done = self.benchctl_json("machine", "doctor")
        self.assert_exit(done, 0)
        self.assertTrue(done.events)


class DaemonHoldTest(GuestTest):
    def test_settings_are_held_from_the_daemons_start_to_its_end(self):
        self.addCleanup(configure, "")
        configure('[machine_profile.default]\nhold = "daemon"\n')
        self.assert_exit(self.benchctl("list"), 0)
        self.assertEqual(self.machine("status")["holder"], "daemon")
        self.assertEqual(frequency(2, "governor"), "performance")
        run("systemctl", "stop", "benchd.service")
        self.assert_machine_as_before()
