#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/analysis/history.h"

namespace benchd::client {

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
