#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/machine_profile.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/settings/unit_properties.h"

namespace benchd {

/// The kinds of settings that benchd can change. The list is closed, so a journal cannot name
/// anything else. Each comment describes the values and, for a kind that exists several times, the
/// target.
enum class SettingKind {
  kIrqAffinity,           ///< target: the number of the IRQ; a CPU list
  kDefaultIrqAffinity,    ///< a CPU list
  kWorkqueueCpus,         ///< a CPU list
  kSmt,                   ///< on, off
  kAllowedCpus,           ///< target: a unit of kUnitTargets, systemd's property; a CPU list or ""
  kCpusetPartition,       ///< target: a unit of kUnitTargets; member, root, isolated
  kGovernor,              ///< target: the CPU's number; the governor's name
  kMinFrequency,          ///< target: the CPU's number; kHz
  kMaxFrequency,          ///< target: the CPU's number; kHz
  kEnergyPreference,      ///< target: the CPU's number; the preference's name
  kBoost,                 ///< 1, 0: cpufreq's own switch
  kCpuBoost,              ///< target: the CPU's number; 1, 0: cpufreq's switch of that CPU
  kNoTurbo,               ///< 1, 0: intel_pstate's switch
  kTimerMigration,        ///< 1, 0
  kNmiWatchdog,           ///< 1, 0
  kTransparentHugepages,  ///< always, madvise, never
  kSwappiness,            ///< 0 to 200
  kPerfSampleRate,        ///< samples per second
  kThreadCpus,            ///< target: a thread (pinned_threads.h); a CPU list, "" = every CPU
};
inline constexpr SettingKind kLastSettingKind = SettingKind::kThreadCpus;

/// The units whose CPUs may be set. They are at the top of systemd's tree.
inline constexpr std::string_view kUnitTargets[] = {"bench.slice", "init.scope", "system.slice",
                                                    "user.slice"};

/// The identification of one setting of the machine.
struct SettingKey {
  SettingKind kind = SettingKind::kIrqAffinity;
  std::string target;
  bool operator==(const SettingKey&) const = default;
};

/// The object that a setting belongs to.
enum class SettingTarget { kMachine, kIrq, kCpu, kUnit, kThread };

/// The format of a value in its file, and the values that benchd may write.
enum class SettingForm {
  kCpuList,    ///< "0-3,7"
  kCpusOrAll,  ///< a CPU list, or "" for all CPUs
  kCpuMask,    ///< a CPU mask of hexadecimal groups
  kNumber,     ///< from `least` to `most`
  kWord,       ///< one of `words`; the kernel may return others
  kChoice,     ///< one of `words`; the kernel lists all and puts the current one in brackets
  kName,       ///< a name from the driver: [a-z0-9_], at most 32 characters
};

/// An entry of the closed list of settings. In `file` and `description`, "%" stands for the target.
/// `file` is empty if the setting is not a single file. For kUnit, it is relative to the mount
/// point of the control groups.
struct SettingKindInfo {
  SettingKind kind;
  SettingTarget target;
  SettingForm form;
  std::string_view name;
  std::string_view description;
  std::string_view file = {};
  std::string_view words = {};  ///< separated by spaces
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  /// The setting of a profile that this kind applies without a change of its value.
  const MachineSetting* setting = nullptr;
  /// If one file applies the setting for the whole machine: the reason if that file is missing.
  std::string_view absent = {};
};

/// Completes a row with the values that a setting of a profile may have.
constexpr SettingKindInfo Applying(std::string_view setting, SettingKindInfo info,
                                   std::string_view absent = {}) {
  info.setting = FindMachineSetting(setting);
  if (info.form == SettingForm::kWord || info.form == SettingForm::kChoice) {
    info.words = info.setting->words;
  }
  info.least = info.setting->least;
  info.most = info.setting->most;
  info.absent = absent;
  return info;
}

/// The closed list, in the order of SettingKind.
inline constexpr SettingKindInfo kSettingKinds[] = {
    {SettingKind::kIrqAffinity, SettingTarget::kIrq, SettingForm::kCpuList, "irq_affinity",
     "IRQ %'s affinity", paths::kIrqAffinity},
    {SettingKind::kDefaultIrqAffinity, SettingTarget::kMachine, SettingForm::kCpuMask,
     "default_irq_affinity", "default IRQ affinity", paths::kDefaultIrqAffinity},
    {SettingKind::kWorkqueueCpus, SettingTarget::kMachine, SettingForm::kCpuMask, "workqueue_cpus",
     "workqueues' CPUs", paths::kWorkqueueCpus},
    {SettingKind::kSmt, SettingTarget::kMachine, SettingForm::kWord, "smt", "SMT",
     paths::kSmtControl, "on off"},
    {SettingKind::kAllowedCpus, SettingTarget::kUnit, SettingForm::kCpusOrAll, "allowed_cpus",
     "AllowedCPUs of %"},
    {SettingKind::kCpusetPartition, SettingTarget::kUnit, SettingForm::kWord, "cpuset_partition",
     "cpuset partition of %", paths::kUnitPartition, "member root isolated"},
    Applying("governor", {SettingKind::kGovernor, SettingTarget::kCpu, SettingForm::kName,
                          "governor", "governor of CPU %", paths::kGovernor}),
    Applying("min_frequency_khz",
             {SettingKind::kMinFrequency, SettingTarget::kCpu, SettingForm::kNumber,
              "min_frequency", "minimum frequency of CPU %", paths::kMinFrequency}),
    Applying("max_frequency_khz",
             {SettingKind::kMaxFrequency, SettingTarget::kCpu, SettingForm::kNumber,
              "max_frequency", "maximum frequency of CPU %", paths::kMaxFrequency}),
    Applying("energy_preference",
             {SettingKind::kEnergyPreference, SettingTarget::kCpu, SettingForm::kName,
              "energy_preference", "energy preference of CPU %", paths::kEnergyPreference}),
    {SettingKind::kBoost, SettingTarget::kMachine, SettingForm::kWord, "boost", "boost",
     paths::kBoost, "0 1"},
    {SettingKind::kCpuBoost, SettingTarget::kCpu, SettingForm::kWord, "cpu_boost", "boost of CPU %",
     paths::kCpuBoost, "0 1"},
    {SettingKind::kNoTurbo, SettingTarget::kMachine, SettingForm::kWord, "no_turbo", "no_turbo",
     paths::kNoTurbo, "0 1"},
    Applying("timer_migration",
             {SettingKind::kTimerMigration, SettingTarget::kMachine, SettingForm::kWord,
              "timer_migration", "timer migration", paths::kTimerMigration},
             "this kernel was built without timer migration"),
    Applying("nmi_watchdog",
             {SettingKind::kNmiWatchdog, SettingTarget::kMachine, SettingForm::kWord,
              "nmi_watchdog", "NMI watchdog", paths::kNmiWatchdog},
             "this kernel was built without the NMI watchdog"),
    Applying("transparent_hugepages",
             {SettingKind::kTransparentHugepages, SettingTarget::kMachine, SettingForm::kChoice,
              "transparent_hugepages", "transparent huge pages", paths::kHugepages},
             "this kernel was built without transparent huge pages"),
    Applying("swappiness",
             {SettingKind::kSwappiness, SettingTarget::kMachine, SettingForm::kNumber, "swappiness",
              "swappiness", paths::kSwappiness},
             "this kernel does not have swappiness"),
    Applying("perf_sample_rate",
             {SettingKind::kPerfSampleRate, SettingTarget::kMachine, SettingForm::kNumber,
              "perf_sample_rate", "perf sampling rate", paths::kPerfSampleRate},
             "this kernel was built without perf events"),
    {SettingKind::kThreadCpus, SettingTarget::kThread, SettingForm::kCpusOrAll, "thread_cpus",
     "CPUs of thread %"},
};
static_assert(std::size(kSettingKinds) == static_cast<std::size_t>(kLastSettingKind) + 1);

constexpr const SettingKindInfo& InfoOf(SettingKind kind) {
  return kSettingKinds[static_cast<std::size_t>(kind)];
}

bool IsValidTarget(SettingTarget kind, std::string_view target);

/// Returns true if benchd may write this value, which must be in normal form.
bool IsValidValue(const SettingKindInfo& info, std::string_view value);

/// Converts the text of a file to normal form, so that values can be compared; empty if the text is
/// malformed.
std::optional<std::string> NormalFromFile(const SettingKindInfo& info, std::string_view text);

/// Converts a value in normal form to the text for its file.
std::string TextForFile(const SettingKindInfo& info, std::string_view value);

/// Parses a CPU mask as the kernel prints it: hexadecimal groups of 32 bits, highest first, such as
/// "ff,ffffffff". The result is in ascending order.
///
/// @errors kInvalidArgument if the text is malformed or has a CPU of kMaxCpus (cpu_list.h) or more
Result<std::vector<int>> ParseCpuMask(std::string_view text);

/// Formats CPUs as such a mask, without leading zeros: "3", "1,00000000".
std::string FormatCpuMask(const std::vector<int>& cpus);

/// Returns the name of a kind in the journal and in messages, such as "governor".
std::string_view SettingKindName(SettingKind kind);
std::optional<SettingKind> FindSettingKind(std::string_view name);

/// Describes a setting for messages: "governor of CPU 3", "IRQ 24's affinity", "boost".
std::string DescribeSetting(const SettingKey& key);

/// Returns true if this program may write `value` to `key`: numbers are in range, and names cannot
/// refer to another file.
bool IsValidSetting(const SettingKey& key, std::string_view value);

/// Converts a value to normal form ("0-1" for "0,1"); unchanged if it is malformed.
std::string NormalValue(SettingKind kind, std::string_view value);

/// Returns true if the setting still has the value `written`. A partition that has become invalid
/// counts as unchanged; the kernel reports that state in the same file.
bool SameValue(SettingKind kind, std::string_view present, std::string_view written);

/// Reads and writes settings by kind; no other class knows their locations. All values are in
/// normal form, so that they can be compared ("0-1" for "0,1" and for the mask "3"; "madvise" for
/// "always [madvise] never").
///
/// Single-threaded; the referenced objects must outlive it.
class Settings {
 public:
  Settings(const KernelFiles& files, UnitProperties& units) : files_(files), units_(units) {}

  /// Reads a value.
  /// @errors those of the file, with its path; kInternal if the kernel's text is malformed
  Result<std::string> Read(const SettingKey& key) const;

  /// Writes the value and reads it back.
  /// @errors those of the file, with its path; kFailedPrecondition "PATH: 'VALUE' was accepted, but
  ///         reads back as 'OTHER'"
  Result<void> Write(const SettingKey& key, std::string_view value) const;

  const KernelFiles& files() const { return files_; }

 private:
  const KernelFiles& files_;
  UnitProperties& units_;
};

}  // namespace benchd
