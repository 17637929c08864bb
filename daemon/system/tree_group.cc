#include "daemon/system/tree_group.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "daemon/system/cgroup.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/kernel_text.h"

namespace benchd {
namespace {

/// @param controller  which it needs; empty: none
Error CannotBeHad(const std::string& what, std::string_view controller) {
  const std::string mountinfo = KernelFiles("/").Read("proc/self/mountinfo").value_or("");
  const std::string why = controller.empty() ? "" : WhyVersion1(mountinfo, controller);
  return Error{ErrorCode::kNotFound,
               why.empty() ? "no control group can be made here for " + what
                           : what + " cannot be had: " + why,
               {}};
}

}  // namespace

std::vector<std::string> TreeGroup::Open(const std::string& parent, const TreeLimits& limits) {
  base_ = limits;
  // Nobody misses it alone: without it a tree is killed by a walk through its parents.
  if (auto made = RunCgroup::CreateIn(parent)) group_.emplace(std::move(*made));
  std::vector<std::string> missing;
  for (const Result<void>& limited : {LimitMemory(kNoLimit), LimitProcesses(base_.processes)}) {
    if (!limited) missing.push_back(limited.error().message);
  }
  return missing;
}

Result<void> TreeGroup::LimitMemory(std::uint64_t bytes) {
  const std::uint64_t wanted = std::min(bytes, base_.memory_bytes);
  if (wanted == held_.memory_bytes) return {};
  if (!group_ || !group_->CanLimitMemory()) return CannotBeHad("a limit of memory", "memory");
  auto limited = group_->LimitMemory(wanted);
  held_.memory_bytes = limited ? wanted : kNoLimit;
  return limited;
}

Result<void> TreeGroup::LimitProcesses(std::uint64_t count) {
  if (count == held_.processes) return {};
  if (!group_ || !group_->CanLimitProcesses()) return CannotBeHad("a limit of processes", "pids");
  auto limited = group_->LimitProcesses(count);
  if (limited) held_.processes = count;
  return limited;
}

void TreeGroup::Kill() {
  if (group_) group_->Kill();
}

Result<void> TreeGroup::BeginRun(const TreeFigureNeeds& needs) {
  counts_memory_peak_ = needs.memory_peak && group_ && group_->MemoryPeakBytes();
  if (counts_memory_peak_) group_->RenewLater();
  // Where the folder is not fresh, what was used before does not count.
  cpu_time_before_us_ = fd() >= 0 ? group_->CpuTimeUs() : std::nullopt;
  if (needs.memory_peak && !counts_memory_peak_) {
    if (group_ && group_->CanLimitMemory()) {
      return Error{
          ErrorCode::kUnimplemented, "this kernel has no memory.peak (Linux 5.19 has)", {}};
    }
    return CannotBeHad("the peak of memory", "memory").Within("no control group counts it");
  }
  if (needs.cpu_time && !cpu_time_before_us_) {
    return CannotBeHad("CPU time", "").Within("no control group counts it");
  }
  return {};
}

void TreeGroup::LeaveCharges() {
  // What every group has for a while: the kernel keeps 256 KiB ready for each CPU that charged
  // (MEMCG_CHARGE_BATCH), and names and inodes of files.
  constexpr std::uint64_t kNothing = std::uint64_t{4} * 1024 * 1024;
  if (held_.memory_bytes == kNoLimit || group_->MemoryNowBytes().value_or(0) <= kNothing) return;
  Renew();
}

void TreeGroup::Renew() {
  if (!group_) return;
  group_->RenewLater();
  // Now and not when the next child is made: that is in the middle of another one's run.
  static_cast<void>(group_->fd());
}

TreeFigures TreeGroup::ReadFigures() const {
  TreeFigures figures;
  if (cpu_time_before_us_) {
    if (const auto us = group_->CpuTimeUs(); us && *us >= *cpu_time_before_us_) {
      figures.cpu_time_us = static_cast<std::int64_t>(*us - *cpu_time_before_us_);
    }
  }
  if (counts_memory_peak_) {
    if (const auto bytes = group_->MemoryPeakBytes()) {
      figures.memory_peak_bytes = static_cast<std::int64_t>(*bytes);
    }
  }
  return figures;
}

std::string TreeGroup::TakeHits() {
  const LimitHits hits = group_ ? group_->TakeHits() : LimitHits();
  std::string text;
  if (hits.memory) {
    text = "exceeded its memory limit of " + BytesText(held_.memory_bytes);
  } else if (hits.machine_memory) {
    text = "took all memory of this machine";
  }
  if (hits.processes) {
    text.append(text.empty() ? "" : " and ")
        .append("reached its limit of " + std::to_string(held_.processes) + " processes");
  }
  return text;
}

}  // namespace benchd
