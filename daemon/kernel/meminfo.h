#pragma once

#include <cstdint>
#include <optional>

#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// The sizes in proc/meminfo, in KiB as the kernel writes them; empty if they are missing.
///
/// Source: proc_meminfo(5).
struct MemoryInfo {
  std::optional<std::uint64_t> total_kib;
  std::optional<std::uint64_t> swap_total_kib;
  std::optional<std::uint64_t> swap_free_kib;
};

/// Reads proc/meminfo. All values are empty if it cannot be read.
MemoryInfo ReadMemoryInfo(const KernelFiles& files);

}  // namespace benchd
