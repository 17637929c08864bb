#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// CPU numbers are below this: the size of the kernel's fixed affinity mask (cpu_set_t).
inline constexpr int kMaxCpus = 1024;

/// Parses the kernel's list format, such as "0-3,7". The result is ascending and has no duplicates.
///
/// Surrounding whitespace is ignored. An empty list yields an empty vector.
/// @errors kInvalidArgument: not a number, a descending range, a CPU of kMaxCpus or more.
Result<std::vector<int>> ParseCpuList(std::string_view text);

/// Formats ascending, distinct CPUs in the same way: "0-3,7".
std::string FormatCpuList(const std::vector<int>& cpus);

/// The CPUs of `cpus` that are not in `others`; both ascending.
std::vector<int> CpusWithout(const std::vector<int>& cpus, const std::vector<int>& others);

/// The CPUs that are in both lists; both ascending.
std::vector<int> CpusInBoth(const std::vector<int>& cpus, const std::vector<int>& others);

}  // namespace benchd
