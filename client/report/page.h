#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/report/report_source.h"
#include "core/analysis/history.h"

namespace benchd::client {

/// Limits for the marks of one picture of runs and of a whole page. Marks determine its size.
inline constexpr std::size_t kMostMarks = 1500;
inline constexpr std::size_t kMostMarksOfPage = 3000;

/// Renders a self-contained HTML page without scripts or network access. It has the verdict, each
/// comparison against its margin, the distributions, runs and interval history of each gating
/// metric, every metric, the machine and the commands to reproduce the result. Several sources
/// become sections below a picture of all their gates.
///
/// All text from users is escaped. The same sources give the same bytes.
std::string RenderReportPage(std::span<const ReportSource> sources);

/// Renders the output of `history` as a page like that of RenderReportPage(). Each series has a
/// picture of its values with verdicts and steps, a table of the numbers and a list of the steps.
/// The number of series and of entries is limited; the newest ones are shown.
///
/// @param history    must not be empty
/// @param benchmark  the benchmark that was requested; empty: all
std::string RenderHistoryPage(std::span<const HistorySeries> history, std::string_view benchmark,
                              const ChangePointSearch& search);

/// One series as an SVG file. A long series is limited to its newest entries.
std::string RenderHistoryPicture(const HistorySeries& series);

}  // namespace benchd::client
