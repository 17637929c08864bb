#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/unit_properties.h"

namespace benchd {

/// Everything of the machine that is ever changed: a closed list, so that a journal cannot name
/// anything else. Each has a target (below), where there are several of its kind, and a value.
enum class SettingKind {
  kIrqAffinity,           ///< target: number of the IRQ; a CPU list
  kDefaultIrqAffinity,    ///< a CPU list
  kWorkqueueCpus,         ///< a CPU list
  kSmt,                   ///< on, off
  kAllowedCpus,           ///< target: a unit of kUnitTargets, systemd's property; a CPU list or ""
  kCpusetPartition,       ///< target: a unit of kUnitTargets; member, root, isolated
  kGovernor,              ///< target: number of the CPU; the governor's name
  kMinFrequency,          ///< target: number of the CPU; kHz
  kMaxFrequency,          ///< target: number of the CPU; kHz
  kEnergyPreference,      ///< target: number of the CPU; the preference's name
  kBoost,                 ///< 1, 0: cpufreq's own switch
  kNoTurbo,               ///< 1, 0: intel_pstate's
  kTimerMigration,        ///< 1, 0
  kNmiWatchdog,           ///< 1, 0
  kTransparentHugepages,  ///< always, madvise, never
  kSwappiness,            ///< 0 to 200
  kPerfSampleRate,        ///< samples a second
  kThreadCpus,            ///< target: a thread (pinned_threads.h); a CPU list, "" = every CPU
};
inline constexpr SettingKind kLastSettingKind = SettingKind::kThreadCpus;

/// The units whose CPUs may be set: all that lie at the top of systemd's tree.
inline constexpr std::string_view kUnitTargets[] = {"bench.slice", "init.scope", "system.slice",
                                                    "user.slice"};

/// One value of the machine.
struct SettingKey {
  SettingKind kind = SettingKind::kIrqAffinity;
  std::string target;
  bool operator==(const SettingKey&) const = default;
};

/// The name of a kind as the journal and messages write it, such as "governor".
std::string_view SettingKindName(SettingKind kind);
std::optional<SettingKind> FindSettingKind(std::string_view name);

/// "governor of CPU 3", "IRQ 24's affinity", "boost"; for messages.
std::string DescribeSetting(const SettingKey& key);

/// Whether `key` and `value` are such as this program itself would write: no number out of range,
/// no name that could lead elsewhere.
bool IsValidSetting(const SettingKey& key, std::string_view value);

/// A value in the form in which Settings reads it ("0-1" for "0,1"); as it is when it is none.
std::string NormalValue(SettingKind kind, std::string_view value);

/// Whether `present` is `written`, still: a partition that has turned invalid since, which the
/// kernel says in the same file, is.
bool SameValue(SettingKind kind, std::string_view present, std::string_view written);

/// Reads and writes settings by kind: the one place that knows where each lives. Values are
/// normalised: what was read can be compared with what was written ("0-1" for "0,1" and for the
/// mask "3"; "madvise" for "always [madvise] never").
///
/// Single-threaded; the references outlive it.
class Settings {
 public:
  Settings(const KernelFiles& files, UnitProperties& units) : files_(files), units_(units) {}

  /// @errors those of the file, with its path; kInternal when the kernel's text is not understood.
  Result<std::string> Read(const SettingKey& key) const;

  /// Writes and reads back.
  /// @errors those of the file, with its path; kFailedPrecondition "PATH: 'VALUE' was taken but
  ///         reads back as 'OTHER'".
  Result<void> Write(const SettingKey& key, std::string_view value) const;

  const KernelFiles& files() const { return files_; }

 private:
  const KernelFiles& files_;
  UnitProperties& units_;
};

}  // namespace benchd
