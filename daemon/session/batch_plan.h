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
#include "daemon/session/schedule.h"

namespace benchd {

/// The interval between reports, and the length of a batch: a fifth of the session so far, within
/// bounds (the contract allows 20 Hz). A report costs one or two milliseconds in which nothing is
/// measured, because runs are analysed and committed. The report itself is made and sent while the
/// next batch is running.
inline constexpr Nanoseconds kShortestReportInterval = std::chrono::milliseconds(100);
inline constexpr Nanoseconds kLongestReportInterval = std::chrono::milliseconds(500);
constexpr Nanoseconds ReportIntervalAfter(Nanoseconds elapsed) {
  return std::clamp(elapsed / 5, kShortestReportInterval, kLongestReportInterval);
}

/// The interval between commits, chosen so that they take at most a twentieth of the session's time
/// even if other processes write to the same disk.
inline constexpr Nanoseconds kLongestUncommitted = std::chrono::seconds(10);
constexpr Nanoseconds CommitIntervalAfter(Nanoseconds took) {
  return std::min(20 * std::min(took, kLongestUncommitted), kLongestUncommitted);
}

/// Complete blocks that are run without contacting benchd in between, because no look falls between
/// them.
struct BatchPlan {
  std::vector<RunPlace> runs;
  Nanoseconds budget = kShortestReportInterval;  ///< no block begins after this time
  std::optional<RunPlace> next;  ///< the first run after the batch, if the session continues
};

/// The maximum number of runs in a batch, because their figures are returned in one record.
inline constexpr std::size_t kMostRunsInBatch = 256;

/// A block, by its number within its benchmark.
struct BlockNumber {
  std::uint32_t benchmark = 0;
  std::uint64_t block = 0;
};

/// Plans the warm-up blocks from number `first` up to, but not including, `end`. They are numbered
/// over the benchmarks that are warmed up, which take turns.
///
/// @param benchmarks  their indices in `spec`, at least one
BatchPlan PlanWarmup(const SessionSpec& spec, std::span<const std::uint32_t> benchmarks,
                     std::uint64_t first, std::uint64_t end);
/// Plans the warm-up blocks of all benchmarks.
BatchPlan PlanWarmup(const SessionSpec& spec, std::uint64_t first, std::uint64_t end);

/// Plans measured blocks up to and including the next one after which a verdict may be reached.
/// `next` is only a prediction: an unexpected verdict gives the turn to another benchmark. Idle
/// arms are left out. They change only after a block at which a look may decide, so a block that is
/// under way is planned in the same way until it is complete.
///
/// @param outlooks   one for each benchmark of `spec`; at least one of them is open
/// @param next_look  returns the next larger number of blocks at which a look may decide
/// @param under_way  the benchmark of a block that is partly run: it comes first, even if it is
///                   another benchmark's turn by now
/// @param phase      kMeasured or kConfirming, within which the blocks are numbered
BatchPlan PlanMeasured(const SessionSpec& spec, std::vector<BenchmarkOutlook> outlooks,
                       const std::function<std::uint64_t(std::uint64_t)>& next_look,
                       std::optional<std::uint32_t> under_way = std::nullopt,
                       RunPhase phase = RunPhase::kMeasured);

/// Returns the plan without its first `done` runs, which belong to its first block, and with at
/// most `most` of the others. Its `next` is the run that follows them.
BatchPlan RestOf(BatchPlan plan, std::size_t done, std::size_t most);

}  // namespace benchd
