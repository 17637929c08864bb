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

/// The CPUs that a thread may run on; 0 is this one. @errors kNotFound when it has ended.
Result<std::vector<int>> ReadAffinity(pid_t tid);
/// Puts it onto these CPUs; this one again after each move, as the kernel widens or narrows the
/// mask of who changes its cpuset. @errors when none of them can be had.
Result<void> SetAffinity(pid_t tid, const std::vector<int>& cpus);

// Before Linux 6.2 a change of a cpuset gives every thread in it all of its CPUs: who was pinned is
// pinned no more. So the CPUs of those that are pinned are noted before a cpuset is taken, and
// given back after it as any other setting: to threads that may run anywhere by then.

/// A thread, as the journal names it: "TID@START".
struct ThreadTarget {
  pid_t tid = 0;
  std::uint64_t started_ticks = 0;  ///< since boot: its number may be somebody else's by then
};
/// Empty for what is none.
std::optional<ThreadTarget> ParseThreadTarget(std::string_view text);

/// How much of a journal the CPUs of threads may take: any user may pin as many threads as the
/// kernel lets him have, and the settings need their room, too. Half of it is theirs at most, in
/// two parts, so that persons leave the system's users theirs; none of these takes more than his
/// own share but root.
class PinnedThreadsBudget {
 public:
  static constexpr std::size_t kBytesOfAPart = kMaxJournalBytes / 4;
  static constexpr std::size_t kBytesOfAUser = kBytesOfAPart / 4;

  /// Whether there is room for it; then it is taken.
  bool Take(uid_t uid, std::size_t bytes);

 private:
  std::size_t system_ = 0;
  std::size_t persons_ = 0;
  std::map<uid_t, std::size_t> by_user_;
};

struct PinnedThreads {
  std::vector<JournalEntry> entries;
  std::size_t left_out = 0;  ///< beyond the budget
  uid_t user = 0;            ///< whose the first of those is
};

/// Every thread but ours that may not run on every CPU that is online, with its CPUs as the old
/// value and all as the new one, as far as the budget goes. Not those that the kernel keeps where
/// they are: nobody can move them. None below another root than "/", as the system calls are about
/// this machine.
PinnedThreads FindPinnedThreads(const KernelFiles& files, PinnedThreadsBudget budget = {});

/// The CPUs that are online and that the thread may run on, "" for all. `target` is a valid one.
/// @errors kNotFound when it has ended.
Result<std::string> ReadThreadCpus(const KernelFiles& files, std::string_view target);
Result<void> WriteThreadCpus(const KernelFiles& files, std::string_view target,
                             std::string_view cpus);

}  // namespace benchd
