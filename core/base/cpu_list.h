#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// No CPU number reaches this: the size of the kernel's fixed affinity mask (cpu_set_t).
inline constexpr int kMaxCpus = 1024;

/// Reads the kernel's list format, such as "0-3,7": ascending in the result, each CPU once.
///
/// White space around the whole list is skipped; the empty list is the empty vector.
/// @errors kInvalidArgument: not a number, a range that runs backwards, a CPU of kMaxCpus or more.
Result<std::vector<int>> ParseCpuList(std::string_view text);

/// Writes ascending, distinct CPUs in the same format: "0-3,7".
std::string FormatCpuList(const std::vector<int>& cpus);

/// The CPUs of `cpus` that are not in `others`; both ascending.
std::vector<int> CpusWithout(const std::vector<int>& cpus, const std::vector<int>& others);

/// The CPUs that are in both; both ascending.
std::vector<int> CpusInBoth(const std::vector<int>& cpus, const std::vector<int>& others);

}  // namespace benchd
