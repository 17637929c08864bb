#pragma once

#include <cstddef>
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

/// The values of a setting of the whole machine, besides "leave".
enum class SettingValues {
  kWord,    ///< one of `words`; a boolean stands for "on" and "off" or for 0 and 1
  kNumber,  ///< a whole number from `least` to `most`
  kName,    ///< a name that the kernel knows: [a-z0-9_], at most kMaxSettingNameBytes
};
inline constexpr std::size_t kMaxSettingNameBytes = 32;

/// What is known about a setting of the whole machine. Its default is that of its field.
struct MachineSetting {
  std::string_view name;  ///< in reports and, except for the C-states, in the configuration
  std::string MachineProfile::*value;  ///< nullptr for the C-states, whose value is a number
  SettingValues values;
  /// The words, separated by spaces. For kNumber, the unit, which may be empty. For kName, a
  /// description for messages.
  std::string_view words;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  std::optional<std::string_view> strict = {};  ///< in the profile `strict`; absent: the default
  std::string_view help = {};                   ///< one line for the manual
};

inline constexpr std::uint32_t kMaxFrequencyKhz = 100'000'000;

/// The settings of the whole machine in the order of MachineProfile.
inline constexpr MachineSetting kMachineSettings[] = {
    {.name = "irqs",
     .value = &MachineProfile::irqs,
     .values = SettingValues::kWord,
     .words = "housekeeping",
     .help = "housekeeping: send interrupts to the other CPUs; or leave"},
    {.name = "workqueues",
     .value = &MachineProfile::workqueues,
     .values = SettingValues::kWord,
     .words = "housekeeping",
     .help = "housekeeping: send the kernel's unbound work to the other CPUs; or leave"},
    {.name = "smt",
     .value = &MachineProfile::smt,
     .values = SettingValues::kWord,
     .words = "idle off",
     .strict = "off",
     .help = "idle: use one thread of each core; off: switch the other thread off; or leave"},
    {.name = "cpuset",
     .value = &MachineProfile::cpuset,
     .values = SettingValues::kWord,
     .words = "auto isolated root shield",
     .help =
         "the strictest partition of CPUs to try: isolated, root, shield or leave; or auto (the "
         "default): isolated for programs on one CPU, root for programs on several"},
    {.name = "governor",
     .value = &MachineProfile::governor,
     .values = SettingValues::kName,
     .words = "the name of a cpufreq governor such as performance",
     .help = "the cpufreq governor, or leave"},
    {.name = "min_frequency_khz",
     .value = &MachineProfile::min_frequency_khz,
     .values = SettingValues::kNumber,
     .words = "kHz",
     .least = 1,
     .most = kMaxFrequencyKhz,
     .help = "the lowest frequency in kHz, or leave"},
    {.name = "max_frequency_khz",
     .value = &MachineProfile::max_frequency_khz,
     .values = SettingValues::kNumber,
     .words = "kHz",
     .least = 1,
     .most = kMaxFrequencyKhz,
     .help = "the highest frequency in kHz, or leave"},
    {.name = "boost",
     .value = &MachineProfile::boost,
     .values = SettingValues::kWord,
     .words = "on off",
     .help = "frequencies above the nominal one: on, off or leave"},
    {.name = "energy_preference",
     .value = &MachineProfile::energy_preference,
     .values = SettingValues::kName,
     .words = "the name of a preference such as performance",
     .help = "the preference between speed and energy, or leave"},
    {.name = "c_states", .value = nullptr, .values = SettingValues::kNumber, .words = ""},
    {.name = "timer_migration",
     .value = &MachineProfile::timer_migration,
     .values = SettingValues::kWord,
     .words = "0 1",
     .help = "whether timers may move to busy CPUs: 0, 1 or leave"},
    {.name = "nmi_watchdog",
     .value = &MachineProfile::nmi_watchdog,
     .values = SettingValues::kWord,
     .words = "0 1",
     .help = "whether the kernel watches for hard lockups: 0, 1 or leave"},
    {.name = "transparent_hugepages",
     .value = &MachineProfile::transparent_hugepages,
     .values = SettingValues::kWord,
     .words = "always madvise never",
     .strict = "madvise",
     .help = "always, madvise, never or leave"},
    {.name = "swappiness",
     .value = &MachineProfile::swappiness,
     .values = SettingValues::kNumber,
     .words = "",
     .least = 0,
     .most = 200,
     .strict = "0",
     .help = "0 to 200, or leave"},
    {.name = "perf_sample_rate",
     .value = &MachineProfile::perf_sample_rate,
     .values = SettingValues::kNumber,
     .words = "samples per second",
     .least = 1,
     .most = 1'000'000'000,
     .strict = "1",
     .help = "the maximum number of samples per second that perf may take, or leave"},
};

/// Returns the row of a setting, by its name in reports; nullptr if there is none.
constexpr const MachineSetting* FindMachineSetting(std::string_view name) {
  for (const MachineSetting& setting : kMachineSettings) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

/// Returns the built-in profile for `--machine-profile strict`, which fixes every setting that can
/// be fixed.
MachineProfile StrictProfile();

/// Returns the names that reports use for the settings of the whole machine, in the order above.
std::span<const std::string_view> MachineSettingNames();

/// Makes a profile leave a setting unchanged. Returns false if MachineSettingNames() does not
/// contain the name.
bool LeaveOut(MachineProfile& profile, std::string_view setting);

}  // namespace benchd
