#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/model/summary.h"
#include "core/stats/change_points.h"

namespace benchd {

/// A change point of a segment, with the means on both sides in the metric's unit. The means extend
/// to the neighbouring change points or to the ends of the segment.
struct HistoryStep {
  ChangePoint point;  ///< its index refers to HistorySegment::entries
  double before = 0;
  double after = 0;
  bool operator==(const HistoryStep&) const = default;
};

/// Consecutive entries that were measured with the same kernel and settings.
struct HistorySegment {
  /// Oldest first; each has a mean_candidate. Those whose control changed have no part in the
  /// steps.
  std::vector<GateSummary> entries;
  std::vector<HistoryStep> steps;
};

/// The history of one metric of one benchmark on one machine. Between two segments the machine
/// itself changed, so steps are searched for only within segments.
struct HistorySeries {
  std::vector<HistorySegment> segments;  ///< oldest first; no segment is empty

  const GateSummary& first() const { return segments.front().entries.front(); }
  const GateSummary& last() const { return segments.back().entries.back(); }
  std::size_t size() const;
};

/// Groups the summaries into series, which are sorted by their newest entries, newest first.
///
/// The entries of a series have the same benchmark, metric and machine; in benchmark `main` also
/// the same command. Candidates with different names form different series unless they are commits.
/// The values are the means of the candidates. The entries of a session whose control changed are
/// kept in their place, but their values are the machine's: they are left out of the search for
/// steps, and of the means on both sides. Each segment is searched separately at the level
/// `search.alpha`.
///
/// @param summaries  the summaries, in any order. Summaries without a mean are ignored, as are the
/// oldest summaries of a series beyond kLongestSeries.
/// @errors those of FindChangePoints() for `search`
Result<std::vector<HistorySeries>> MakeHistory(std::vector<GateSummary> summaries,
                                               const ChangePointSearch& search);

}  // namespace benchd
