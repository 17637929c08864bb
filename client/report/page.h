#pragma once

#include <span>
#include <string>

#include "client/report/report_source.h"
#include "core/base/result.h"

namespace benchd::client {

/// Most marks of one picture of runs, and of all of a page together: they are what makes it large.
inline constexpr std::size_t kMostMarks = 1500;
inline constexpr std::size_t kMostMarksOfPage = 3000;

/// One self-contained HTML page: no network, no script. The verdict first, then each comparison
/// against its margin, for each metric that gates its distributions, runs and how its interval
/// shrank, every metric, the machine, and how to have it again. Several sources are sections, below
/// a picture of all their gates.
///
/// Whatever a user named is text in it; the same sources give the same bytes.
std::string RenderReportPage(std::span<const ReportSource> sources);

/// One picture as an SVG file: the intervals of a metric above its distributions, in a suite those
/// of all its benchmarks.
///
/// @errors kInvalidArgument: no comparison is of that metric; the hint names those that are.
Result<std::string> RenderMetricPicture(const ReportSource& source, const std::string& metric);

}  // namespace benchd::client
