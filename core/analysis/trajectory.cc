#include "core/analysis/trajectory.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace benchd {
namespace {

constexpr std::uint64_t kStepShare = 20;

bool IsAbsolute(const Comparison& one) {
  return one.margin && one.margin_kind != MarginKind::kRatio;
}

bool IsOf(const Comparison& one, const Trajectory& trajectory) {
  return one.metric == trajectory.metric && one.reference == trajectory.reference &&
         one.candidate == trajectory.candidate;
}

Trajectory& TrajectoryOf(const Comparison& one, std::size_t index,
                         std::vector<Trajectory>* trajectories) {
  // The index may change, because metrics that appear later are appended, possibly for another pair
  // of arms.
  if (index < trajectories->size() && IsOf(one, (*trajectories)[index])) {
    return (*trajectories)[index];
  }
  const auto found = std::ranges::find_if(
      *trajectories, [&one](const Trajectory& trajectory) { return IsOf(one, trajectory); });
  if (found != trajectories->end()) return *found;
  Trajectory& made = trajectories->emplace_back();
  made.benchmark = one.benchmark;
  made.reference = one.reference;
  made.candidate = one.candidate;
  made.metric = one.metric;
  return made;
}

void AddPoint(const Comparison& one, Trajectory* trajectory) {
  const bool relative = one.change.has_value() && !IsAbsolute(one);
  const std::optional<Effect>& effect = relative ? one.change : one.difference;
  if (!effect || !effect->lo || !effect->hi) return;
  // Discard earlier points on the other scale: the first values may not have had a ratio.
  if (relative != trajectory->relative) trajectory->points.clear();
  trajectory->relative = relative;
  trajectory->method = one.method;
  const std::uint64_t runs = std::min(one.n_reference, one.n_candidate);
  if (!trajectory->points.empty() && trajectory->points.back().runs == runs) return;
  trajectory->points.push_back({runs, *effect});
}

}  // namespace

void TrajectoryRecorder::Look(const SessionAnalysis& analysis, std::size_t benchmark,
                              Progress* progress) {
  const std::vector<Comparison> comparisons = analysis.LookAt(benchmark);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    AddPoint(comparisons[i], &TrajectoryOf(comparisons[i], i, &progress->trajectories));
  }
  progress->next = std::max(progress->blocks + 1, progress->blocks + progress->blocks / kStepShare);
}

void TrajectoryRecorder::Watch(const SessionAnalysis& analysis, std::size_t benchmark) {
  if (benchmark >= progress_.size()) progress_.resize(benchmark + 1);
  Progress& progress = progress_[benchmark];
  if (++progress.blocks >= progress.next) Look(analysis, benchmark, &progress);
}

std::vector<Trajectory> TrajectoryRecorder::Finish(const SessionAnalysis& analysis) {
  std::vector<Trajectory> all;
  for (std::size_t b = 0; b < progress_.size(); ++b) {
    if (progress_[b].blocks > 0) Look(analysis, b, &progress_[b]);
    for (Trajectory& one : progress_[b].trajectories) {
      if (!one.points.empty()) all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace benchd
