#include "daemon/settings/pinned_threads.h"

#include <unistd.h>

#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/process_stat.h"
#include "daemon/kernel/process_status.h"
#include "daemon/settings/thread_cpus.h"

namespace benchd {

bool PinnedThreadsBudget::Take(uid_t uid, std::size_t bytes) {
  constexpr uid_t kFirstPerson = 1000;  // SYS_UID_MAX of login.defs(5)
  std::size_t& part = uid < kFirstPerson ? system_ : persons_;
  std::size_t& own = by_user_[uid];
  if (part + bytes > kBytesOfAPart || (uid != 0 && own + bytes > kBytesOfAUser)) return false;
  part += bytes;
  own += bytes;
  return true;
}

namespace {

/// Finds the pinned threads of one process.
class PinnedThreadsOf {
 public:
  PinnedThreadsOf(const KernelFiles& files, std::string process, const std::vector<int>& online)
      : files_(files), process_(std::move(process)), online_(online) {}

  void Find(PinnedThreadsBudget& budget, PinnedThreads& pinned) {
    for (const std::string& name : files_.List(WithTarget(paths::kProcessThreads, process_))) {
      const auto tid = static_cast<pid_t>(ParseCount(name).value_or(0));
      if (tid == 0) continue;
      // The cheap check comes first, because most threads may run on any CPU.
      auto cpus = ThreadCpusIn(online_, tid);
      if (!cpus || cpus->empty()) continue;
      const auto stat = ReadProcessStat(files_, name);
      if (!stat || stat->bound) continue;
      if (!user_) user_ = ReadProcessStatus(files_, process_).uid;
      JournalEntry entry{{SettingKind::kThreadCpus, ThreadTargetText({tid, stat->started_ticks})},
                         std::move(*cpus),
                         std::string()};
      if (budget.Take(*user_, JournalLine(entry).size() + 1)) {
        pinned.entries.push_back(std::move(entry));
      } else if (pinned.left_out++ == 0) {
        pinned.user = *user_;
      }
    }
  }

 private:
  const KernelFiles& files_;
  const std::string process_;
  const std::vector<int>& online_;
  std::optional<uid_t> user_;
};

}  // namespace

PinnedThreads FindPinnedThreads(const KernelFiles& files, PinnedThreadsBudget budget) {
  PinnedThreads pinned;
  const auto online = ReadCpus(files, paths::kOnlineCpus);
  if (!files.IsReal() || !online || online->empty()) return pinned;
  for (const std::string& process : files.List(paths::kProc)) {
    const auto pid = ParseCount(process);
    if (!pid || static_cast<pid_t>(*pid) == getpid()) continue;
    PinnedThreadsOf(files, process, *online).Find(budget, pinned);
  }
  return pinned;
}

}  // namespace benchd
