#include "daemon/settings/thread_cpus.h"

#include <fmt/format.h>

#include "core/base/affinity.h"
#include "core/base/cpu_list.h"
#include "core/base/try.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/process_stat.h"

namespace benchd {
namespace {

/// The largest thread id: PID_MAX_LIMIT, include/linux/threads.h.
constexpr std::uint64_t kMaxTid = 4 * 1024 * 1024;

/// Finds a thread. @errors kNotFound if it has ended
Result<pid_t> Find(const KernelFiles& files, std::string_view target) {
  const auto thread = ParseThreadTarget(target);
  const auto stat =
      thread && files.IsReal() ? ReadProcessStat(files, std::to_string(thread->tid)) : std::nullopt;
  if (stat && stat->started_ticks == thread->started_ticks) return thread->tid;
  return Error{ErrorCode::kNotFound, "the thread has ended"};
}

}  // namespace

std::string ThreadTargetText(const ThreadTarget& thread) {
  return fmt::format("{}@{}", thread.tid, thread.started_ticks);
}

std::optional<ThreadTarget> ParseThreadTarget(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return {};
  const auto tid = ParseCount(text.substr(0, at));
  const auto started = ParseCount(text.substr(at + 1));
  // 0 would mean the calling thread.
  if (!tid || *tid == 0 || *tid > kMaxTid || !started) return {};
  const ThreadTarget thread{static_cast<pid_t>(*tid), *started};
  if (ThreadTargetText(thread) != text) return {};
  return thread;
}

Result<std::string> ThreadCpusIn(const std::vector<int>& online, pid_t tid) {
  TRY(auto allowed, ReadAffinity(tid));
  const std::vector<int> cpus = CpusInBoth(online, allowed);
  return cpus == online ? std::string() : FormatCpuList(cpus);
}

Result<std::string> ReadThreadCpus(const KernelFiles& files, std::string_view target) {
  TRY(auto tid, Find(files, target));
  TRY(auto online, ReadCpus(files, paths::kOnlineCpus));
  return ThreadCpusIn(online, tid);
}

Result<void> WriteThreadCpus(const KernelFiles& files, std::string_view target,
                             std::string_view cpus) {
  TRY(auto tid, Find(files, target));
  TRY(auto list, cpus.empty() ? ReadCpus(files, paths::kOnlineCpus) : ParseCpuList(cpus));
  return SetAffinity(tid, list);
}

}  // namespace benchd
