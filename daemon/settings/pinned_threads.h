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
#include "daemon/kernel/kernel_files.h"
#include "daemon/settings/journal.h"

namespace benchd {

// Before Linux 6.2, changing a cpuset resets the CPU masks of all its threads, so pinned threads
// lose their masks. The masks are therefore noted before a cpuset is taken. Afterwards they are
// restored like any other setting, for threads that may then run on any CPU.

/// Limits the space in a journal for the CPU masks of threads, because any user may pin as many
/// threads as the kernel allows, and the settings need space too. Masks get at most half of the
/// journal: one part for system users, and one of the same size for all other users. Each user
/// except root gets at most a quarter of a part.
class PinnedThreadsBudget {
 public:
  static constexpr std::size_t kBytesOfAPart = kMaxJournalBytes / 4;
  static constexpr std::size_t kBytesOfAUser = kBytesOfAPart / 4;

  /// Reserves the bytes. @return false if they exceed the budget
  bool Take(uid_t uid, std::size_t bytes);

 private:
  std::size_t system_ = 0;
  std::size_t persons_ = 0;
  std::map<uid_t, std::size_t> by_user_;
};

/// The result of FindPinnedThreads().
struct PinnedThreads {
  std::vector<JournalEntry> entries;
  std::size_t left_out = 0;  ///< number of threads beyond the budget
  uid_t user = 0;            ///< the user of the first thread beyond the budget
};

/// Finds the threads of other processes that may not run on all online CPUs, and adds entries for
/// them within the budget. The old value of an entry is the thread's CPUs, the new value is all
/// CPUs. Skips threads
/// that the kernel does not allow to be moved. The result is empty for a root other than "/",
/// because the system calls act on this machine.
PinnedThreads FindPinnedThreads(const KernelFiles& files, PinnedThreadsBudget budget = {});

}  // namespace benchd
