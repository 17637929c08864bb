#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/report/report_source.h"
#include "core/analysis/history.h"

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

/// What `history` shows, as a page like RenderReportPage()'s: no network, no script. Each series
/// has a picture of its values with their verdicts and steps, the numbers in a table behind it, and
/// its steps in words. Of many series the first ones, of long ones the newest entries.
///
/// @param benchmark  that was asked for; empty: all
/// @param history    not empty
std::string RenderHistoryPage(std::span<const HistorySeries> history, std::string_view benchmark,
                              const ChangePointSearch& search);

/// One series as an SVG file, its newest entries if it is long.
std::string RenderHistoryPicture(const HistorySeries& series);

}  // namespace benchd::client
