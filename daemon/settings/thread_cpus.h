#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// The identification of a thread in the journal: "TID@START".
struct ThreadTarget {
  pid_t tid = 0;
  std::uint64_t started_ticks = 0;  ///< since boot; distinguishes threads that reuse a tid
};
/// Returns the text for a thread, which ParseThreadTarget() parses.
std::string ThreadTargetText(const ThreadTarget& thread);
/// Parses such a text; empty if it is malformed.
std::optional<ThreadTarget> ParseThreadTarget(std::string_view text);

/// Returns the CPUs of `online` that a thread may run on; "" for all.
/// @errors kNotFound if the thread has ended
Result<std::string> ThreadCpusIn(const std::vector<int>& online, pid_t tid);

/// Returns the online CPUs that a thread may run on; "" for all. `target` must be valid.
/// @errors kNotFound if the thread has ended
Result<std::string> ReadThreadCpus(const KernelFiles& files, std::string_view target);
Result<void> WriteThreadCpus(const KernelFiles& files, std::string_view target,
                             std::string_view cpus);

}  // namespace benchd
