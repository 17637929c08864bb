#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  kCpuBoost,              ///< target: number of the CPU; 1, 0: cpufreq's switch of that CPU
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

/// What a setting of a kind is said of.
enum class SettingTarget { kMachine, kIrq, kCpu, kUnit, kThread };

/// How its file writes a value, and which values are ours.
enum class SettingForm {
  kCpuList,    ///< "0-3,7"
  kCpusOrAll,  ///< the same, or "" for every CPU
  kCpuMask,    ///< a list as hexadecimal groups
  kNumber,     ///< from `least` to `most`
  kWord,       ///< one of `words`; the kernel may say others
  kChoice,     ///< one of `words`, which the kernel puts into brackets among the others
  kName,       ///< a driver's word: [a-z0-9_], 32 at most
};

/// A row of the closed list of what is ever changed. In `file` and `description` the target stands
/// for "%"; `file` is empty where there is no single file, and below the mount point of control
/// groups for kUnit.
struct SettingKindInfo {
  SettingKind kind;
  SettingTarget target;
  SettingForm form;
  std::string_view name;
  std::string_view description;
  std::string_view file = {};
  std::string_view words = {};  ///< separated by blanks
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

const SettingKindInfo& InfoOf(SettingKind kind);

/// `pattern` with the target in the place of "%".
std::string WithTarget(std::string_view pattern, std::string_view target);

bool IsValidTarget(SettingTarget kind, std::string_view target);

/// Whether a value in normal form is one of ours.
bool IsValidValue(const SettingKindInfo& info, std::string_view value);

/// A file's text as the value it means, in the one form in which values are compared; empty where
/// it is not understood.
std::optional<std::string> NormalFromFile(const SettingKindInfo& info, std::string_view text);

/// The text that gives the file a value.
std::string TextForFile(const SettingKindInfo& info, std::string_view value);

/// Reads the kernel's other format for sets of CPUs: hexadecimal groups of 32 bits, the highest
/// first, such as "ff,ffffffff". Ascending in the result.
///
/// @errors kInvalidArgument: not such a text, or a CPU of kMaxCpus (cpu_list.h) or more.
Result<std::vector<int>> ParseCpuMask(std::string_view text);

/// Writes CPUs in that format, without leading zeros: "3", "1,00000000".
std::string FormatCpuMask(const std::vector<int>& cpus);

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
