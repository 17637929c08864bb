#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Reads the kernel's other format for sets of CPUs: hexadecimal groups of 32 bits, the highest
/// first, such as "ff,ffffffff". Ascending in the result.
///
/// @errors kInvalidArgument: not such a text, or a CPU of kMaxCpus (cpu_list.h) or more.
Result<std::vector<int>> ParseCpuMask(std::string_view text);

/// Writes CPUs in that format, without leading zeros: "3", "1,00000000".
std::string FormatCpuMask(const std::vector<int>& cpus);

}  // namespace benchd
