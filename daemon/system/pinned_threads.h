#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "daemon/system/journal.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// The CPUs that a thread may run on; tid 0 is the calling thread. @errors kNotFound if it has
/// ended
Result<std::vector<int>> ReadAffinity(pid_t tid);
/// Pins a thread to these CPUs. Repeat for the calling thread after each move between cpusets,
/// because the kernel then changes its mask. @errors if none of the CPUs is available
Result<void> SetAffinity(pid_t tid, const std::vector<int>& cpus);

// Before Linux 6.2, a change of a cpuset gives every thread in it all CPUs of the cpuset, so pinned
// threads lose their masks. Therefore the masks of pinned threads are noted before a cpuset is
// taken and restored afterwards, like any other setting, for threads that may then run on any CPU.

/// A thread as the journal names it: "TID@START".
struct ThreadTarget {
  pid_t tid = 0;
  std::uint64_t started_ticks = 0;  ///< since boot; distinguishes threads that reuse a tid
};
/// Empty if the text is malformed.
std::optional<ThreadTarget> ParseThreadTarget(std::string_view text);

/// Limits the part of a journal that the masks of threads may take, because any user may pin as
/// many threads as the kernel allows, and the settings need room too. They get half of the journal
/// at most, divided into one part for system users and one for persons. Each user except root gets
/// at most a share of the part.
class PinnedThreadsBudget {
 public:
  static constexpr std::size_t kBytesOfAPart = kMaxJournalBytes / 4;
  static constexpr std::size_t kBytesOfAUser = kBytesOfAPart / 4;

  /// Reserves the bytes if there is room for them.
  bool Take(uid_t uid, std::size_t bytes);

 private:
  std::size_t system_ = 0;
  std::size_t persons_ = 0;
  std::map<uid_t, std::size_t> by_user_;
};

struct PinnedThreads {
  std::vector<JournalEntry> entries;
  std::size_t left_out = 0;  ///< not noted, because the budget was used up
  uid_t user = 0;            ///< the user of the first of those
};

/// Finds every thread, except our own, that may not run on all online CPUs, as far as the budget
/// allows. The old value is its CPUs, the new value is all CPUs. Skips threads that the kernel does
/// not allow to be moved. Empty for another root than "/", because the system calls act on this
/// machine.
PinnedThreads FindPinnedThreads(const KernelFiles& files, PinnedThreadsBudget budget = {});

/// The online CPUs that the thread may run on; "" for all. `target` must be valid.
/// @errors kNotFound if it has ended
Result<std::string> ReadThreadCpus(const KernelFiles& files, std::string_view target);
Result<void> WriteThreadCpus(const KernelFiles& files, std::string_view target,
                             std::string_view cpus);

}  // namespace benchd
