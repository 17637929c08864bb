#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// The time for which the settings of a profile are held.
enum class HoldSettings {
  kSessions,  ///< from the start of a session to its end
  kDaemon,    ///< as long as benchd runs; profile `default` only
};
BENCHD_NAMES(HoldSettings, "sessions", "daemon")

/// The ways to keep the benchmark CPUs free of other processes, best first. Reports name the kind
/// in use.
enum class CpusetKind {
  kIsolated,  ///< a cpuset partition without load balancing
  kRoot,      ///< a cpuset partition with load balancing
  kMember,    ///< no partition, but all of systemd's other units have been moved off the CPUs
  kAffinity,  ///< children are pinned to the CPUs, but other processes may also use them
};
BENCHD_NAMES(CpusetKind, "isolated partition", "partition", "cpuset", "affinity")

/// The settings of the machine while benchmarks run, from `[machine_profile.NAME]` of the
/// configuration.
///
/// The values are those of the kernel's interfaces. An empty value leaves the setting unchanged
/// ("leave" in the file). The defaults are those of the profile `default`; `strict` sets more
/// (StrictProfile()). daemon/settings/README.md describes each setting.
struct MachineProfile {
  std::string name = "default";
  /// A CPU list. If it is empty, [runner] benchmark_cpus applies, or else all CPUs but those of the
  /// first physical core.
  std::string benchmark_cpus;
  HoldSettings hold = HoldSettings::kSessions;

  // Settings of the whole machine; daemon/settings/README.md has the order in which they are
  // applied.
  std::string irqs = "housekeeping";        ///< CPUs that serve interrupts: housekeeping
  std::string workqueues = "housekeeping";  ///< CPUs for unbound kernel work: housekeeping
  std::string smt = "idle";  ///< idle: use one thread per core; off: switch SMT off in the kernel
  /// The strongest form of the cpuset to try: isolated, root (the scheduler balances threads over
  /// its CPUs) or shield (not a partition). The value auto means isolated for one CPU, and root for
  /// several.
  std::string cpuset = "auto";
  std::string governor = "performance";
  std::string min_frequency_khz;
  std::string max_frequency_khz;
  std::string boost = "off";  ///< on, off
  std::string energy_preference = "performance";
  std::optional<std::int32_t> c_state_latency_us = 10;  ///< maximum exit latency of idle states
  std::string timer_migration = "0";
  std::string nmi_watchdog = "0";
  std::string transparent_hugepages;  ///< always, madvise, never
  std::string swappiness;             ///< 0 to 200
  std::string perf_sample_rate;       ///< samples per second

  // These settings apply to each child.
  bool numa_local = false;  ///< allocate memory only from the nodes of the benchmark CPUs
  std::uint64_t memory_limit_bytes = 0;  ///< limit of the whole process tree; 0 = unlimited
  std::int32_t nice = 0;                 ///< -20 to 19
  std::string policy;                    ///< scheduling policy: batch, fifo; empty = other
  bool drop_caches = false;              ///< empty the page cache before every run
  bool aslr = true;                      ///< false: a fixed memory layout, with a warning

  bool operator==(const MachineProfile&) const = default;
};
BENCHD_FIELDS(MachineProfile, name, benchmark_cpus, hold, irqs, workqueues, smt, cpuset, governor,
              min_frequency_khz, max_frequency_khz, boost, energy_preference, c_state_latency_us,
              timer_migration, nmi_watchdog, transparent_hugepages, swappiness, perf_sample_rate,
              numa_local, memory_limit_bytes, nice, policy, drop_caches, aslr)

/// Returns the built-in profile for `--machine-profile strict`, which fixes every setting that can
/// be fixed.
MachineProfile StrictProfile();

/// Returns the names that reports use for the settings of the whole machine, in the order above.
std::span<const std::string_view> MachineSettingNames();

/// Makes a profile leave a setting unchanged. Returns false if MachineSettingNames() does not
/// contain the name.
bool LeaveOut(MachineProfile& profile, std::string_view setting);

}  // namespace benchd
