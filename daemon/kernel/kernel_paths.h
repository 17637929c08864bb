#pragma once

/// The names of all kernel files that the runner uses, relative to the root of KernelFiles unless a
/// comment states otherwise. In a name, "%" stands for a target: see WithTarget().
namespace benchd::paths {

// ---- the machine ----

inline constexpr char kProc[] = "proc";
inline constexpr char kStat[] = "proc/stat";
inline constexpr char kSchedstat[] = "proc/schedstat";
inline constexpr char kInterrupts[] = "proc/interrupts";
inline constexpr char kMeminfo[] = "proc/meminfo";
inline constexpr char kCpuinfo[] = "proc/cpuinfo";
inline constexpr char kCommandLine[] = "proc/cmdline";
inline constexpr char kLoad[] = "proc/loadavg";
inline constexpr char kUptime[] = "proc/uptime";
inline constexpr char kHostname[] = "proc/sys/kernel/hostname";
inline constexpr char kRelease[] = "proc/sys/kernel/osrelease";
inline constexpr char kBootId[] = "proc/sys/kernel/random/boot_id";
inline constexpr char kMostThreads[] = "proc/sys/kernel/threads-max";
inline constexpr char kAddressRandomization[] = "proc/sys/kernel/randomize_va_space";
inline constexpr char kPerfParanoia[] = "proc/sys/kernel/perf_event_paranoid";
inline constexpr char kPerfSampleRate[] = "proc/sys/kernel/perf_event_max_sample_rate";
inline constexpr char kTimerMigration[] = "proc/sys/kernel/timer_migration";
inline constexpr char kNmiWatchdog[] = "proc/sys/kernel/nmi_watchdog";
inline constexpr char kSwappiness[] = "proc/sys/vm/swappiness";
inline constexpr char kDropCaches[] = "proc/sys/vm/drop_caches";
inline constexpr char kHugepages[] = "sys/kernel/mm/transparent_hugepage/enabled";
inline constexpr char kSchedExtState[] = "sys/kernel/sched_ext/state";
inline constexpr char kSchedExtName[] = "sys/kernel/sched_ext/root/ops";
inline constexpr char kClocksource[] =
    "sys/devices/system/clocksource/clocksource0/current_clocksource";
inline constexpr char kClocksources[] =
    "sys/devices/system/clocksource/clocksource0/available_clocksource";
inline constexpr char kNumaNodes[] = "sys/devices/system/node";
inline constexpr char kNumaNodeCpus[] = "sys/devices/system/node/%/cpulist";  ///< of "node0"
inline constexpr char kCpuLatency[] = "dev/cpu_dma_latency";

// Firmware and hypervisor.
inline constexpr char kProductName[] = "sys/class/dmi/id/product_name";
inline constexpr char kSystemVendor[] = "sys/class/dmi/id/sys_vendor";
inline constexpr char kBiosVendor[] = "sys/class/dmi/id/bios_vendor";
inline constexpr char kHypervisorType[] = "sys/hypervisor/type";
inline constexpr char kHypervisorNode[] = "proc/device-tree/hypervisor";
inline constexpr char kDeviceTree[] = "proc/device-tree";

// Interrupts and workqueues. "%" is the number of an IRQ.
inline constexpr char kIrqs[] = "proc/irq";
inline constexpr char kIrqAffinity[] = "proc/irq/%/smp_affinity_list";
inline constexpr char kDefaultIrqAffinity[] = "proc/irq/default_smp_affinity";
inline constexpr char kWorkqueueCpus[] = "sys/devices/virtual/workqueue/cpumask";

// ---- CPUs ----

inline constexpr char kOnlineCpus[] = "sys/devices/system/cpu/online";
inline constexpr char kPresentCpus[] = "sys/devices/system/cpu/present";
inline constexpr char kPossibleCpus[] = "sys/devices/system/cpu/possible";
inline constexpr char kTicklessCpus[] = "sys/devices/system/cpu/nohz_full";
inline constexpr char kAtomCpus[] = "sys/devices/cpu_atom/cpus";
// Sources of performance events. "%" is the name of one. Only the counters of a core have "cpus".
inline constexpr char kEventSources[] = "sys/bus/event_source/devices";
inline constexpr char kEventSourceCpus[] = "sys/bus/event_source/devices/%/cpus";
inline constexpr char kEventSourceType[] = "sys/bus/event_source/devices/%/type";
inline constexpr char kCoreCpus[] = "sys/devices/cpu_core/cpus";
inline constexpr char kVulnerabilities[] = "sys/devices/system/cpu/vulnerabilities";
inline constexpr char kVulnerability[] = "sys/devices/system/cpu/vulnerabilities/%";
inline constexpr char kSmtControl[] = "sys/devices/system/cpu/smt/control";
inline constexpr char kSmtActive[] = "sys/devices/system/cpu/smt/active";
inline constexpr char kBoost[] = "sys/devices/system/cpu/cpufreq/boost";
inline constexpr char kNoTurbo[] = "sys/devices/system/cpu/intel_pstate/no_turbo";
inline constexpr char kIdleDriver[] = "sys/devices/system/cpu/cpuidle/current_driver";

// One CPU. "%" is its number: see CpuFile().
inline constexpr char kSiblings[] = "sys/devices/system/cpu/cpu%/topology/core_cpus_list";
/// The old name of the same file.
inline constexpr char kOldSiblings[] = "sys/devices/system/cpu/cpu%/topology/thread_siblings_list";
inline constexpr char kPackage[] = "sys/devices/system/cpu/cpu%/topology/physical_package_id";
inline constexpr char kCapacity[] = "sys/devices/system/cpu/cpu%/cpu_capacity";
inline constexpr char kMicrocode[] = "sys/devices/system/cpu/cpu%/microcode/version";
inline constexpr char kCoreThrottles[] =
    "sys/devices/system/cpu/cpu%/thermal_throttle/core_throttle_count";
inline constexpr char kPackageThrottles[] =
    "sys/devices/system/cpu/cpu%/thermal_throttle/package_throttle_count";
inline constexpr char kNominalFrequency[] = "sys/devices/system/cpu/cpu%/acpi_cppc/nominal_freq";
inline constexpr char kFrequency[] = "sys/devices/system/cpu/cpu%/cpufreq/scaling_cur_freq";
inline constexpr char kMinFrequency[] = "sys/devices/system/cpu/cpu%/cpufreq/scaling_min_freq";
inline constexpr char kMaxFrequency[] = "sys/devices/system/cpu/cpu%/cpufreq/scaling_max_freq";
inline constexpr char kLowestFrequency[] = "sys/devices/system/cpu/cpu%/cpufreq/cpuinfo_min_freq";
inline constexpr char kHighestFrequency[] = "sys/devices/system/cpu/cpu%/cpufreq/cpuinfo_max_freq";
inline constexpr char kBaseFrequency[] = "sys/devices/system/cpu/cpu%/cpufreq/base_frequency";
inline constexpr char kFrequencyDriver[] = "sys/devices/system/cpu/cpu%/cpufreq/scaling_driver";
inline constexpr char kGovernor[] = "sys/devices/system/cpu/cpu%/cpufreq/scaling_governor";
inline constexpr char kGovernors[] =
    "sys/devices/system/cpu/cpu%/cpufreq/scaling_available_governors";
inline constexpr char kEnergyPreference[] =
    "sys/devices/system/cpu/cpu%/cpufreq/energy_performance_preference";
inline constexpr char kEnergyPreferences[] =
    "sys/devices/system/cpu/cpu%/cpufreq/energy_performance_available_preferences";
inline constexpr char kCpuBoost[] = "sys/devices/system/cpu/cpu%/cpufreq/boost";
inline constexpr char kIdleStates[] = "sys/devices/system/cpu/cpu%/cpuidle";

// In the folder of an idle state.
inline constexpr char kIdleStateDisabled[] = "disable";
inline constexpr char kIdleStateLatency[] = "latency";
inline constexpr char kIdleStateName[] = "name";

// ---- processes ----

// "%" is a process, such as "42" or "self", or a thread, such as "42/task/43".
inline constexpr char kProcessStat[] = "proc/%/stat";
inline constexpr char kProcessStatus[] = "proc/%/status";
inline constexpr char kProcessSched[] = "proc/%/sched";
inline constexpr char kProcessSchedstat[] = "proc/%/schedstat";
inline constexpr char kProcessThreads[] = "proc/%/task";

// This process.
inline constexpr char kMountInfo[] = "proc/self/mountinfo";
inline constexpr char kOwnCgroup[] = "proc/self/cgroup";
inline constexpr char kOwnChildren[] = "proc/thread-self/children";

// Absolute names, for system calls. The root of KernelFiles does not apply to them.
inline constexpr char kOwnProgram[] = "/proc/self/exe";
inline constexpr char kOwnIo[] = "/proc/self/io";
inline constexpr char kOwnClearRefs[] = "/proc/self/clear_refs";
inline constexpr char kOwnOomScore[] = "/proc/self/oom_score_adj";
inline constexpr char kOwnPidNamespace[] = "/proc/self/ns/pid";
inline constexpr char kSuidDumpable[] = "/proc/sys/fs/suid_dumpable";

// ---- control groups ----

// Relative to the folder of a group. Source: Documentation/admin-guide/cgroup-v2.rst
inline constexpr char kGroupProcesses[] = "cgroup.procs";
inline constexpr char kGroupEvents[] = "cgroup.events";
inline constexpr char kGroupFreeze[] = "cgroup.freeze";
inline constexpr char kGroupKill[] = "cgroup.kill";
inline constexpr char kGroupControllers[] = "cgroup.controllers";
inline constexpr char kSubtreeControl[] = "cgroup.subtree_control";
inline constexpr char kCpuStat[] = "cpu.stat";
inline constexpr char kCpusetCpus[] = "cpuset.cpus";
inline constexpr char kCpusetEffective[] = "cpuset.cpus.effective";
inline constexpr char kCpusetPartition[] = "cpuset.cpus.partition";
inline constexpr char kMemoryMax[] = "memory.max";
inline constexpr char kMemorySwapMax[] = "memory.swap.max";
inline constexpr char kMemoryOomGroup[] = "memory.oom.group";
inline constexpr char kMemoryEvents[] = "memory.events";
inline constexpr char kMemoryPeak[] = "memory.peak";
inline constexpr char kMemoryCurrent[] = "memory.current";
inline constexpr char kPidsMax[] = "pids.max";
inline constexpr char kPidsEvents[] = "pids.events";

// Relative to the mount point. "%" is a unit at the top of systemd's tree.
inline constexpr char kUnitPartition[] = "/%/cpuset.cpus.partition";

}  // namespace benchd::paths
