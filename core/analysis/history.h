#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/model/summary.h"
#include "core/stats/change_points.h"

namespace benchd {

/// A change point of a segment, and the means on both sides, up to the neighbouring change points
/// or the segment's ends, in the metric's unit.
struct HistoryStep {
  ChangePoint point;  ///< index: into HistorySegment::entries
  double before = 0;
  double after = 0;
  bool operator==(const HistoryStep&) const = default;
};

/// Consecutive entries that were measured with the same kernel and settings.
struct HistorySegment {
  std::vector<GateSummary> entries;  ///< oldest first; each has a mean_candidate
  std::vector<HistoryStep> steps;
};

/// One metric of one benchmark on one machine. Between two segments the machine itself changed, so
/// steps are searched for only within each segment.
struct HistorySeries {
  std::vector<HistorySegment> segments;  ///< oldest first, none empty

  const GateSummary& first() const { return segments.front().entries.front(); }
  const GateSummary& last() const { return segments.back().entries.back(); }
  std::size_t size() const;
};

/// The series that the summaries form, sorted by their newest entries, newest first.
///
/// A series has one benchmark, metric and machine; in benchmark `main` it has one command.
/// Candidates with different names form different series unless they are commits. The values are
/// the candidates' means. Each segment is searched separately, at the level `search.alpha`.
///
/// @param summaries  in any order. Summaries without a mean are ignored, and so are the oldest ones
/// of a series beyond kLongestSeries.
/// @errors those of FindChangePoints() for `search`.
Result<std::vector<HistorySeries>> MakeHistory(std::vector<GateSummary> summaries,
                                               const ChangePointSearch& search);

}  // namespace benchd
