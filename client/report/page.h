#pragma once

#include <span>
#include <string>

#include "client/report/report_source.h"

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

}  // namespace benchd::client
