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

/// All kinds of settings that are ever changed. The list is closed, so a journal cannot name
/// anything else. A kind that exists several times has a target (below); each has a value.
enum class SettingKind {
  kIrqAffinity,           ///< target: the IRQ's number; a CPU list
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

/// The units whose CPUs may be set: those at the top of systemd's tree.
inline constexpr std::string_view kUnitTargets[] = {"bench.slice", "init.scope", "system.slice",
                                                    "user.slice"};

/// One value of the machine.
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
  kCpusOrAll,  ///< the same, or "" for every CPU
  kCpuMask,    ///< a list as hexadecimal groups
  kNumber,     ///< from `least` to `most`
  kWord,       ///< one of `words`; the kernel may return others
  kChoice,     ///< one of `words`; the kernel lists all and puts this one in brackets
  kName,       ///< a name from the driver: [a-z0-9_], at most 32 characters
};

/// A row of the closed list of settings. In `file` and `description`, "%" stands for the target.
/// `file` is empty if there is no single file; for kUnit it is relative to the mount point of
/// control groups.
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
};

const SettingKindInfo& InfoOf(SettingKind kind);

/// `pattern` with "%" replaced by the target.
std::string WithTarget(std::string_view pattern, std::string_view target);

bool IsValidTarget(SettingTarget kind, std::string_view target);

/// Whether benchd may write this value, which is in normal form.
bool IsValidValue(const SettingKindInfo& info, std::string_view value);

/// Converts the text of a file to normal form, in which values are compared; empty if the text is
/// malformed.
std::optional<std::string> NormalFromFile(const SettingKindInfo& info, std::string_view text);

/// Converts a value in normal form to the text for its file.
std::string TextForFile(const SettingKindInfo& info, std::string_view value);

/// Parses the kernel's other format for sets of CPUs: hexadecimal groups of 32 bits, the highest
/// first, such as "ff,ffffffff". The result is ascending.
///
/// @errors kInvalidArgument if the text is malformed or has a CPU of kMaxCpus (cpu_list.h) or more
Result<std::vector<int>> ParseCpuMask(std::string_view text);

/// Formats CPUs as such a mask, without leading zeros: "3", "1,00000000".
std::string FormatCpuMask(const std::vector<int>& cpus);

/// The name of a kind in the journal and in messages, such as "governor".
std::string_view SettingKindName(SettingKind kind);
std::optional<SettingKind> FindSettingKind(std::string_view name);

/// "governor of CPU 3", "IRQ 24's affinity", "boost"; for messages.
std::string DescribeSetting(const SettingKey& key);

/// Whether this program itself may write `key` and `value`: numbers are in range, and names cannot
/// lead to another file.
bool IsValidSetting(const SettingKey& key, std::string_view value);

/// A value in the form that Settings reads ("0-1" for "0,1"); unchanged if it is malformed.
std::string NormalValue(SettingKind kind, std::string_view value);

/// Whether `present` is still the value `written`. A partition that has turned invalid counts as
/// unchanged; the kernel reports that in the same file.
bool SameValue(SettingKind kind, std::string_view present, std::string_view written);

/// Reads and writes settings by kind; the only class that knows their locations. Values are in
/// normal form, so values read can be compared with values written ("0-1" for "0,1" and for the
/// mask "3"; "madvise" for "always [madvise] never").
///
/// Single-threaded; the references must outlive it.
class Settings {
 public:
  Settings(const KernelFiles& files, UnitProperties& units) : files_(files), units_(units) {}

  /// @errors those of the file, with its path; kInternal if the kernel's text is malformed
  Result<std::string> Read(const SettingKey& key) const;

  /// Writes the value and reads it back.
  /// @errors those of the file, with its path; kFailedPrecondition "PATH: 'VALUE' was taken but
  ///         reads back as 'OTHER'"
  Result<void> Write(const SettingKey& key, std::string_view value) const;

  const KernelFiles& files() const { return files_; }

 private:
  const KernelFiles& files_;
  UnitProperties& units_;
};

}  // namespace benchd
