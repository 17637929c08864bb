#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// How long the settings of a profile are held.
enum class HoldSettings {
  kSessions,  ///< from the start of a session to its end
  kDaemon,    ///< as long as benchd runs; profile `default` only
};
BENCHD_NAMES(HoldSettings, "sessions", "daemon")

/// The state of the machine while benchmarks run: `[machine_profile.NAME]` of the configuration.
///
/// Values are those of the kernel's interfaces. An empty value leaves the setting unchanged
/// ("leave" in the file). The defaults are those of the profile `default`; `strict` sets more
/// (StrictProfile()). daemon/system/README.md describes each setting.
struct MachineProfile {
  std::string name = "default";
  /// CPU list; empty = [runner] benchmark_cpus, else all but the first physical core.
  std::string benchmark_cpus;
  HoldSettings hold = HoldSettings::kSessions;

  // Settings of the whole machine, applied in this order and restored in reverse.
  std::string irqs = "housekeeping";        ///< CPUs that serve interrupts: housekeeping
  std::string workqueues = "housekeeping";  ///< CPUs for unbound kernel work: housekeeping
  std::string smt = "idle";  ///< idle: use one thread per core; off: by the kernel's control file
  /// The strongest form to try: isolated, root (its CPUs share the threads of a program evenly),
  /// shield (no partition). auto: isolated for one CPU, root for several.
  std::string cpuset = "auto";
  std::string governor = "performance";
  std::string min_frequency_khz;
  std::string max_frequency_khz;
  std::string boost = "off";  ///< on, off
  std::string energy_preference = "performance";
  std::optional<std::int32_t> c_state_latency_us = 10;  ///< deepest idle state, by exit latency
  std::string timer_migration = "0";
  std::string nmi_watchdog = "0";
  std::string transparent_hugepages;  ///< always, madvise, never
  std::string swappiness;             ///< 0 to 200
  std::string perf_sample_rate;       ///< samples per second

  // Settings of each child.
  bool numa_local = false;               ///< memory only from the nodes of the benchmark CPUs
  std::uint64_t memory_limit_bytes = 0;  ///< of the whole process tree, 0 = none
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

/// The built-in profile for `--machine-profile strict`: fixes everything that can be fixed.
MachineProfile StrictProfile();

/// The names of the whole machine's settings in reports, in the order above.
std::span<const std::string_view> MachineSettingNames();

/// Makes a profile leave a setting unchanged. False if the name is not one of the above.
bool LeaveOut(MachineProfile& profile, std::string_view setting);

}  // namespace benchd
