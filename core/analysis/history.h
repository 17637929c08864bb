#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/model/summary.h"
#include "core/stats/change_points.h"

namespace benchd {

/// A change point of a segment, and the means on its two sides: up to the neighbouring change
/// points or the segment's ends, in the metric's unit.
struct HistoryStep {
  ChangePoint point;  ///< index: into HistorySegment::entries
  double before = 0;
  double after = 0;
  bool operator==(const HistoryStep&) const = default;
};

/// Entries in a row that were measured with the same kernel and settings.
struct HistorySegment {
  std::vector<GateSummary> entries;  ///< oldest first; each has a mean_candidate
  std::vector<HistoryStep> steps;
};

/// One metric of one benchmark on one machine: values that belong together. What changed between
/// two segments may be the machine's doing, so steps are searched for inside of each alone.
struct HistorySeries {
  std::vector<HistorySegment> segments;  ///< oldest first, none empty

  const GateSummary& first() const { return segments.front().entries.front(); }
  const GateSummary& last() const { return segments.back().entries.back(); }
  std::size_t size() const;
};

/// The series that summaries make up, in order of their newest entries, newest first.
///
/// A series has one benchmark, metric and machine; `main` stands for one command. Candidates of
/// different names are different series unless they are commits. Its values are the candidates'
/// means. Each segment is searched for itself: `search.alpha` is the level of one.
///
/// @param summaries  in any order; those without a mean are left out, and of a series beyond
///                   kLongestSeries the oldest
/// @errors those of FindChangePoints() for `search`.
Result<std::vector<HistorySeries>> MakeHistory(std::vector<GateSummary> summaries,
                                               const ChangePointSearch& search);

}  // namespace benchd
