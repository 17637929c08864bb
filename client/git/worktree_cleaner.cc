#include <algorithm>
#include <filesystem>
#include <vector>

#include "client/git/git.h"
#include "client/git/repository.h"
#include "client/git/worktree_folder.h"
#include "client/git/worktree_store.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;
using SystemClock = std::chrono::system_clock;

struct Kept {
  WorktreeFolder folder;  // locked
  SystemClock::time_point used;
  std::uint64_t bytes = 0;
};

// Every worktree below the root that nobody works on and that is not in the plan, locked; those
// that are too old are removed on the way.
std::vector<Kept> RemoveOld(const WorktreePlan& plan, const WorktreeLimits& limits,
                            SystemClock::time_point now) {
  std::vector<Kept> kept;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(plan.root, error)) {
    std::error_code ignored;
    const std::string name = entry.path().filename().string();
    const bool planned = std::ranges::any_of(
        plan.trees, [&name](const WorktreeOrder& order) { return order.key == name; });
    if (planned || entry.is_symlink(ignored) || !entry.is_directory(ignored)) continue;
    auto folder = WorktreeFolder::Lock(entry.path().string(), /*wait=*/false);
    if (!folder || !*folder) continue;
    const bool built = (*folder)->IsBuilt();
    const SystemClock::time_point used = (*folder)->LastUse();
    if (now - used > (built ? limits.unused : limits.interrupted)) {
      (*folder)->Remove();
    } else if (const auto about = (*folder)->ReadAbout(); built && about) {
      kept.push_back({*std::move(*folder), used, about->bytes});
    }
  }
  return kept;
}

void RemoveBeyond(std::uint64_t planned_bytes, std::vector<Kept> kept, const WorktreeLimits& limits,
                  SystemClock::time_point now) {
  std::uint64_t bytes = planned_bytes;
  for (const Kept& one : kept) bytes += one.bytes;
  std::ranges::sort(kept, {}, &Kept::used);
  for (const Kept& one : kept) {
    if (bytes <= limits.bytes || now - one.used < limits.spared) return;
    one.folder.Remove();
    bytes -= one.bytes;
  }
}

std::uint64_t PlannedBytes(const WorktreePlan& plan) {
  std::uint64_t bytes = 0;
  for (const WorktreeOrder& order : plan.trees) {
    auto folder = WorktreeFolder::Lock(WorktreePlaces(plan.root, order).folder, /*wait=*/false);
    if (!folder || !*folder) continue;
    if (const auto about = (*folder)->ReadAbout()) bytes += about->bytes;
  }
  return bytes;
}

}  // namespace

void WorktreeStore::Clean(const WorktreeLimits& limits) const {
  const auto now = SystemClock::now();
  RemoveBeyond(PlannedBytes(plan_), RemoveOld(plan_, limits, now), limits, now);
  // A snapshot that was built is kept by its worktree; its ref is for those that wait in the queue.
  RemoveOldSnapshots(Git("", plan_.repository), limits.unused);
}

}  // namespace benchd::client
