#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/schedule/schedule.h"

namespace benchd {

/// One run of a batch, and where it stands in its session.
struct BatchRun {
  PlannedRun planned;
  RunPhase phase = RunPhase::kMeasured;
  std::uint64_t block = 0;
  bool begins_block = false;
};

/// How long after the last one the next report is made, at least, and how long a batch is: a
/// fifth of the session so far, within bounds (the contract allows 20 Hz). Each costs a
/// millisecond or two in which nothing is measured, while runs are analysed and committed; it is
/// made and sent when the next batch has its order.
inline constexpr Nanoseconds kShortestReportInterval = std::chrono::milliseconds(100);
inline constexpr Nanoseconds kLongestReportInterval = std::chrono::milliseconds(500);
constexpr Nanoseconds ReportIntervalAfter(Nanoseconds elapsed) {
  return std::clamp(elapsed / 5, kShortestReportInterval, kLongestReportInterval);
}

/// How long after a commit the next one is made, at least: what they take, beside others who write
/// to the same disk, is at most a twentieth of the session's time.
inline constexpr Nanoseconds kLongestUncommitted = std::chrono::seconds(10);
constexpr Nanoseconds CommitIntervalAfter(Nanoseconds took) {
  return std::min(20 * std::min(took, kLongestUncommitted), kLongestUncommitted);
}

/// Complete blocks that are run without a word between them, because nothing is decided there.
struct BatchPlan {
  std::vector<BatchRun> runs;
  Nanoseconds budget = kShortestReportInterval;  ///< no block begins later than that
  std::optional<BatchRun> next;  ///< the first run that will follow, if the session goes on
};

/// More runs than that are never ordered at once: their figures come back in one record.
inline constexpr std::size_t kMostRunsInBatch = 256;

/// A block by its number in its benchmark.
struct BlockNumber {
  std::uint32_t benchmark = 0;
  std::uint64_t block = 0;
};

/// The warm-up blocks from number `first` up to `end`; they are counted over all benchmarks, in
/// turn.
BatchPlan PlanWarmup(const SessionSpec& spec, std::uint64_t first, std::uint64_t end);

/// Measured blocks up to and including the next one after which a verdict may be known. What
/// follows them is foreseen, not known: a verdict that comes otherwise gives the turn to another
/// benchmark.
///
/// @param outlooks   one for each benchmark of `spec`, at least one of them open.
/// @param next_look  of a number of blocks: the next larger one at which a look may decide.
/// @param under_way  the benchmark of a block that is partly done: it comes first, even where it
///                   would be another one's turn by now.
BatchPlan PlanMeasured(const SessionSpec& spec, std::vector<BenchmarkOutlook> outlooks,
                       const std::function<std::uint64_t(std::uint64_t)>& next_look,
                       std::optional<std::uint32_t> under_way = std::nullopt);

/// The plan without its first `done` runs, which are of its first block, and no more than `most` of
/// the others; the next one after them is then what will follow.
BatchPlan RestOf(BatchPlan plan, std::size_t done, std::size_t most);

}  // namespace benchd
