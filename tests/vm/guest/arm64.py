"""The tests of the boot 'arm64': those that need nothing which only the emulated x86-64 has.

This machine has neither SMT nor cpufreq, like many virtual machines. A real one would also have to
show, with the tests that are missing here: the governor and the frequency limits with the drivers
of arm64 (cppc_cpufreq, scmi-cpufreq, cpufreq-dt), whose policies cover a cluster of CPUs; boost;
idle states deeper than WFI; SMT control, which arm64 has since Linux 6.15; hardware counters, each
type of core with a PMU of its own; and that fast and slow cores really differ.
"""

TESTS = [
    "test_services",
    "test_sessions",
    # The counters in the record, and memory and CPU time of process trees.
    "test_metrics.MetricsTest",
    "test_settings.InterruptTest",
    "test_settings.KernelTest",
    "test_settings.CpusetTest",
    "test_settings.ApplyTest.test_restore_gives_back_and_may_be_said_twice",
    "test_settings.ApplyTest.test_others_may_look_but_not_change",
    "test_settings.ApplyTest.test_stopping_the_runner_gives_back",
    "test_settings.ApplyTest.test_stopping_the_daemon_gives_back",
    "test_settings.ApplyTest.test_the_doctor_names_noise_with_what_to_do",
    # The random moments of the other tests do not depend on the processor.
    "test_crashes.CrashTest.test_in_the_middle_of_a_run",
    "test_crashes.CrashTest.test_both_at_once",
    "test_crashes.CrashTest.test_who_was_pinned_is_pinned_again",
    "test_crashes.CrashTest.test_a_runner_that_is_not_started_again_leaves_nothing_either",
    "test_removal",
]
