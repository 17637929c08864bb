#pragma once

#include <cstddef>
#include <string>

#include "client/report/pictures.h"
#include "core/analysis/history.h"

namespace benchd::client {

// Pictures of a series that stay small however many entries it has. Pure.

/// Draws a series. With more than `most_marks` entries, each mark stands for consecutive entries of
/// one level. With more than kMostLevels levels, only the newest ones are drawn. The note of the
/// picture says so.
inline constexpr std::size_t kMostLevels = 80;
Picture DrawTrend(const std::string& id, const HistorySeries& series, std::size_t most_marks);

/// Draws the values of a series as a line without axes, for a row of a table.
std::string DrawSparkline(const std::string& id, const HistorySeries& series);

}  // namespace benchd::client
