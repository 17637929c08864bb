#include "daemon/system/run_groups.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "daemon/system/cgroup.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/kernel_text.h"

namespace benchd {
namespace {

/// Makes the group where it is not there yet.
Result<RunCgroup*> In(std::optional<RunCgroup>& group, const std::string& parent,
                      const char* what) {
  if (!group) {
    if (parent.empty()) {
      return Error{
          ErrorCode::kNotFound, std::string("no control group can be made here for ") + what, {}};
    }
    auto made = RunCgroup::CreateIn(parent);
    if (!made) return std::move(made).error();
    group.emplace(std::move(*made));
  }
  return &*group;
}

void Add(std::string& text, const char* joint, const std::string& more) {
  if (!more.empty()) text.append(text.empty() ? "" : joint).append(more);
}

}  // namespace

RunGroupPlaces RunGroupPlaces::FindBeside(std::string v2) {
  const KernelFiles files("/");
  const std::string mountinfo = files.Read("proc/self/mountinfo").value_or("");
  const std::string cgroup = files.Read("proc/self/cgroup").value_or("");
  const auto own = [&](const char* controller) {
    return OwnV1Folder(mountinfo, cgroup, controller).value_or("");
  };
  return {.v2 = std::move(v2),
          .freezer = own("freezer"),
          .memory = own("memory"),
          .processes = own("pids"),
          .cpu_time = own("cpuacct")};
}

std::string RunGroups::Open(RunGroupPlaces places, const TreeLimits& limits) {
  places_ = std::move(places);
  base_ = limits;
  std::string missing;
  // Nobody misses these: without them a tree is killed by a walk through its parents.
  if (!In(v2_, places_.v2, "runs")) static_cast<void>(In(freezer_, places_.freezer, "runs"));
  if (auto limited = LimitMemory(kNoLimit); !limited) Add(missing, "; ", limited.error().message);
  if (base_.processes == kNoLimit) return missing;
  auto group = GroupForProcesses();
  auto limited =
      group ? (*group)->LimitProcesses(base_.processes) : Result<void>(std::move(group).error());
  if (limited) {
    held_.processes = base_.processes;
  } else {
    Add(missing, "; ", limited.error().message);
  }
  return missing;
}

Result<RunCgroup*> RunGroups::GroupForMemory(const char* what) {
  if (v2_ && v2_->CanLimitMemory()) return &*v2_;
  return In(memory_, places_.memory, what);
}

Result<RunCgroup*> RunGroups::GroupForProcesses() {
  if (v2_ && v2_->CanLimitProcesses()) return &*v2_;
  return In(processes_, places_.processes, "a limit of processes");
}

Result<void> RunGroups::LimitMemory(std::uint64_t bytes) {
  const std::uint64_t wanted = std::min(bytes, base_.memory_bytes);
  if (wanted == held_.memory_bytes) return {};
  auto group = GroupForMemory("a limit of memory");
  if (!group) return std::move(group).error();
  auto limited = (*group)->LimitMemory(wanted);
  held_.memory_bytes = limited ? wanted : kNoLimit;
  limits_memory_ = held_.memory_bytes == kNoLimit ? nullptr : *group;
  return limited;
}

std::string RunGroups::Describe() const {
  std::string text;
  for (const std::optional<RunCgroup>* group :
       {&v2_, &freezer_, &memory_, &processes_, &cpu_time_}) {
    if (*group) Add(text, ", ", (*group)->path());
  }
  return text;
}

std::array<int, RunGroups::kMostJoined> RunGroups::joined_fds() {
  const auto of = [](std::optional<RunCgroup>& group) { return group ? group->tasks_fd() : -1; };
  return {of(freezer_), of(memory_), of(processes_), of(cpu_time_)};
}

void RunGroups::Kill() {
  if (v2_) return v2_->Kill();
  if (freezer_) return freezer_->Kill();
  // Without a freezer a fork may be missed; the next pass over the tree finds it.
  if (processes_) return processes_->Kill();
  if (memory_) memory_->Kill();
}

Result<void> RunGroups::BeginRun(const TreeFigureNeeds& needs) {
  auto memory = CountMemoryPeak(needs.memory_peak);
  auto cpu_time = CountCpuTime(needs.cpu_time);
  return memory ? cpu_time : memory;
}

Result<void> RunGroups::CountMemoryPeak(bool needed) {
  counts_memory_peak_ = nullptr;
  if (!needed) {
    // It may have been made for nothing but this.
    if (held_.memory_bytes == kNoLimit) memory_.reset();
    return {};
  }
  auto group = GroupForMemory("the peak of memory");
  if (!group) return std::move(group).error().Within("no control group counts it");
  if (!(*group)->MemoryPeakBytes()) {
    return Error{ErrorCode::kUnimplemented, "this kernel has no memory.peak (Linux 5.19 has)", {}};
  }
  (*group)->RenewLater();
  counts_memory_peak_ = *group;
  return {};
}

Result<void> RunGroups::CountCpuTime(bool needed) {
  counts_cpu_time_ = nullptr;
  // Where it is not fresh, what was used before does not count.
  if (v2_ && v2_->fd() >= 0 && v2_->CpuTimeNs()) {
    counts_cpu_time_ = &*v2_;
  } else if (!needed) {
    cpu_time_.reset();
    return {};
  } else {
    auto group = In(cpu_time_, places_.cpu_time, "CPU time");
    if (!group) return std::move(group).error().Within("no control group counts it");
    if ((*group)->tasks_fd() < 0 || !(*group)->CpuTimeNs()) {
      return Error{ErrorCode::kInternal, "the control group does not tell its CPU time", {}};
    }
    counts_cpu_time_ = *group;
  }
  cpu_time_before_ns_ = counts_cpu_time_->CpuTimeNs().value_or(0);
  return {};
}

void RunGroups::LeaveCharges() {
  // What every group has for a while: the kernel keeps 256 KiB ready for each CPU that charged
  // (MEMCG_CHARGE_BATCH), and names and inodes of files.
  constexpr std::uint64_t kNothing = std::uint64_t{4} * 1024 * 1024;
  if (limits_memory_ == nullptr || limits_memory_->MemoryNowBytes().value_or(0) <= kNothing) return;
  Renew();
}

void RunGroups::Renew() {
  // Now and not when the next child is made: that is in the middle of another one's run.
  for (std::optional<RunCgroup>* group : {&v2_, &freezer_, &memory_, &processes_, &cpu_time_}) {
    if (!*group) continue;
    (*group)->RenewLater();
    static_cast<void>((*group)->fd());
  }
}

TreeFigures RunGroups::ReadFigures() const {
  constexpr std::uint64_t kNanosPerMicro = 1000;
  TreeFigures figures;
  if (counts_cpu_time_ != nullptr) {
    if (const auto ns = counts_cpu_time_->CpuTimeNs(); ns && *ns >= cpu_time_before_ns_) {
      figures.cpu_time_us = static_cast<std::int64_t>((*ns - cpu_time_before_ns_) / kNanosPerMicro);
    }
  }
  if (counts_memory_peak_ != nullptr) {
    if (const auto bytes = counts_memory_peak_->MemoryPeakBytes()) {
      figures.memory_peak_bytes = static_cast<std::int64_t>(*bytes);
    }
  }
  return figures;
}

std::string RunGroups::TakeHits() {
  LimitHits all;
  for (std::optional<RunCgroup>* group : {&v2_, &memory_, &processes_}) {
    if (!*group) continue;
    const LimitHits hits = (*group)->TakeHits();
    all.memory |= hits.memory;
    all.machine_memory |= hits.machine_memory;
    all.processes |= hits.processes;
  }
  std::string text;
  if (all.memory) {
    text = "exceeded its memory limit of " + BytesText(held_.memory_bytes);
  } else if (all.machine_memory) {
    text = "took all memory of this machine";
  }
  if (all.processes) {
    Add(text, " and ", "reached its limit of " + std::to_string(held_.processes) + " processes");
  }
  return text;
}

}  // namespace benchd
