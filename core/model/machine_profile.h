#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// How long the settings of a profile stay taken.
enum class HoldSettings {
  kSessions,  ///< from the start of a session to its end
  kDaemon,    ///< as long as benchd lives; counts for the profile `default` only
};
BENCHD_NAMES(HoldSettings, "sessions", "daemon")

/// What the machine should be like while benchmarks run: `[machine_profile.NAME]` of the
/// configuration.
///
/// The values are the kernel's own words. An empty one leaves the setting as it is ("leave" in the
/// file). The defaults are those of the profile `default`; `strict` has more (StrictProfile()).
/// What each does: daemon/system/README.md.
struct MachineProfile {
  std::string name = "default";
  /// CPU list; empty = [runner] benchmark_cpus, else all but the first physical core.
  std::string benchmark_cpus;
  HoldSettings hold = HoldSettings::kSessions;

  // The whole machine's, taken in this order and given back in the opposite one.
  std::string irqs = "housekeeping";        ///< where interrupts go: housekeeping
  std::string workqueues = "housekeeping";  ///< where unbound kernel work goes: housekeeping
  std::string smt = "idle";  ///< idle: one thread a core is used; off: by the kernel's control file
  /// The best that is tried: isolated, root (its CPUs share the threads of a program evenly),
  /// shield (no partition); auto: isolated for one CPU, root for several.
  std::string cpuset = "auto";
  std::string governor = "performance";
  std::string min_frequency_khz;
  std::string max_frequency_khz;
  std::string boost = "off";  ///< on, off
  std::string energy_preference = "performance";
  std::optional<std::int32_t> c_state_latency_us = 10;  ///< deepest sleep, by its exit latency
  std::string timer_migration = "0";
  std::string nmi_watchdog = "0";
  std::string transparent_hugepages;  ///< always, madvise, never
  std::string swappiness;             ///< 0 to 200
  std::string perf_sample_rate;       ///< samples a second

  // Each child's.
  bool numa_local = false;               ///< memory only from the nodes of the benchmark CPUs
  std::uint64_t memory_limit_bytes = 0;  ///< of the whole process tree, 0 = none
  std::int32_t nice = 0;                 ///< -20 to 19
  std::string policy;                    ///< scheduling policy: batch, fifo; empty = other
  bool drop_caches = false;              ///< the page cache is emptied before every run
  bool aslr = true;                      ///< false: one fixed memory layout, which is warned of

  bool operator==(const MachineProfile&) const = default;
};
BENCHD_FIELDS(MachineProfile, name, benchmark_cpus, hold, irqs, workqueues, smt, cpuset, governor,
              min_frequency_khz, max_frequency_khz, boost, energy_preference, c_state_latency_us,
              timer_migration, nmi_watchdog, transparent_hugepages, swappiness, perf_sample_rate,
              numa_local, memory_limit_bytes, nice, policy, drop_caches, aslr)

/// The built-in profile for `--machine-profile strict`: everything that can be held still.
MachineProfile StrictProfile();

/// What each of the whole machine's settings is called where its state is told, in the order above.
std::span<const std::string_view> MachineSettingNames();

/// Makes a profile leave one of them as it is. False for a name that is none of those.
bool LeaveOut(MachineProfile& profile, std::string_view setting);

}  // namespace benchd
