#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "daemon/system/setting.h"

namespace benchd {

/// What a setting of a kind is said of.
enum class SettingTarget { kMachine, kIrq, kCpu, kUnit, kThread };

/// How its file writes a value, and which values are ours.
enum class SettingForm {
  kCpuList,  ///< "0-3,7"
  kCpuMask,  ///< the same as hexadecimal groups
  kNumber,   ///< from `least` to `most`
  kWord,     ///< one of `words`; the kernel may say others
  kChoice,   ///< one of `words`, which the kernel puts into brackets among the others
  kName,     ///< a driver's word: [a-z0-9_], 32 at most
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
  std::string_view file;
  std::string_view words = {};  ///< separated by blanks
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  bool may_be_empty = false;  ///< a CPU list of none is a value, too
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

}  // namespace benchd
