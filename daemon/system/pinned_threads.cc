#include "daemon/system/pinned_threads.h"

#include <unistd.h>

#include <optional>
#include <string>

#include "core/base/cpu_list.h"
#include "daemon/system/kernel_text.h"
#include "daemon/system/machine_sample.h"

namespace benchd {
namespace {

std::optional<cpu_set_t> OnlineCpus(const KernelFiles& files) {
  const auto online = ParseCpuList(files.Read("sys/devices/system/cpu/online").value_or(""));
  if (!online || online->empty()) return {};
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const int cpu : *online) CPU_SET(cpu, &cpus);
  return cpus;
}

/// When the thread started, in ticks; empty when there is none.
std::optional<std::uint64_t> StartOf(const KernelFiles& files, pid_t tid) {
  const auto stat = files.Read("proc/" + std::to_string(tid) + "/stat");
  const auto thread = stat ? ParseProcess(*stat) : std::nullopt;
  return thread ? std::optional(thread->started_ticks) : std::nullopt;
}

bool MayRunOnAll(pid_t tid, const cpu_set_t& all) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(tid, sizeof(cpus), &cpus) != 0) return true;
  cpu_set_t both;
  CPU_AND(&both, &cpus, &all);
  return CPU_EQUAL(&both, &all) != 0;
}

}  // namespace

void PinnedThreads::Remember(const KernelFiles& files) {
  threads_.clear();
  const auto all = OnlineCpus(files);
  if (!files.IsReal() || !all) return;
  for (const std::string& process : files.List("proc")) {
    const auto pid = ParseCount(process);
    if (!pid || static_cast<pid_t>(*pid) == getpid()) continue;
    for (const std::string& name : files.List("proc/" + process + "/task")) {
      const auto tid = static_cast<pid_t>(ParseCount(name).value_or(0));
      if (tid == 0 || MayRunOnAll(tid, *all)) continue;
      const auto started = StartOf(files, tid);
      if (!started) continue;
      Thread thread{tid, *started, {}};
      CPU_ZERO(&thread.cpus);
      if (sched_getaffinity(tid, sizeof(thread.cpus), &thread.cpus) != 0) continue;
      threads_.push_back(std::move(thread));
    }
  }
}

void PinnedThreads::PutBack(const KernelFiles& files) {
  const auto all = OnlineCpus(files);
  for (const Thread& thread : threads_) {
    if (!all || !MayRunOnAll(thread.tid, *all)) continue;
    if (StartOf(files, thread.tid) != thread.started_ticks) continue;
    // The kernel's own per-CPU threads refuse it, and never lost theirs.
    sched_setaffinity(thread.tid, sizeof(thread.cpus), &thread.cpus);
  }
  threads_.clear();
}

}  // namespace benchd
