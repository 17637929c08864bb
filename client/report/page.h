#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/pictures.h"
#include "client/report/report_source.h"
#include "core/analysis/history.h"

namespace benchd::client {

/// Limits for the number of marks in one picture of runs and in a whole page. Marks determine the
/// size of a page.
inline constexpr std::size_t kMostMarks = 1500;
inline constexpr std::size_t kMostMarksOfPage = 3000;

/// Renders a self-contained HTML page without scripts or network access. It has the verdict, each
/// comparison against its margin, the distributions, runs and interval history of each gating
/// metric, every metric, the machine and the commands to reproduce the result. Several sources
/// become sections below a picture of all their gates.
///
/// All text from users is escaped. The same sources give the same bytes.
std::string RenderReportPage(std::span<const ReportSource> sources);

/// Renders a history as a page in the style of RenderReportPage(). Each series has a picture of its
/// values with verdicts and steps, a table of the numbers and a list of the steps. The numbers of
/// series and of entries are limited; the page shows the newest.
///
/// @param history    must not be empty
/// @param benchmark  the benchmark that was requested; empty: all
std::string RenderHistoryPage(std::span<const HistorySeries> history, std::string_view benchmark,
                              const ChangePointSearch& search);

/// Returns the levels of a series for its picture: one for each segment and each step.
std::vector<SeriesLevel> LevelsOf(const HistorySeries& series);

/// Renders one series as an SVG file. A long series is limited to its newest entries.
std::string RenderHistoryPicture(const HistorySeries& series);

}  // namespace benchd::client
