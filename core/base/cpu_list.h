#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The number of CPUs in the kernel's fixed-size affinity mask (cpu_set_t). CPU numbers must be
/// smaller.
inline constexpr int kMaxCpus = 1024;

/// Parses a CPU list in the kernel's format, such as "0-3,7". The result is ascending and has no
/// duplicates.
///
/// Surrounding whitespace is ignored. An empty list yields an empty vector.
/// @errors kInvalidArgument if an item is not a number, is a descending range, or is kMaxCpus or
/// more.
Result<std::vector<int>> ParseCpuList(std::string_view text);

/// Formats distinct CPUs in ascending order in the same format: "0-3,7".
std::string FormatCpuList(const std::vector<int>& cpus);

/// Returns the CPUs of `cpus` that are not in `others`. Both lists must be ascending.
std::vector<int> CpusWithout(const std::vector<int>& cpus, const std::vector<int>& others);

/// Returns the CPUs that are in both lists. Both lists must be ascending.
std::vector<int> CpusInBoth(const std::vector<int>& cpus, const std::vector<int>& others);

}  // namespace benchd
