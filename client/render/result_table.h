#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"

namespace benchd::client {

/// Which comparisons have a row.
enum class RowsShown {
  kWhatMatters,  ///< gates, then other metrics that clearly changed; a line counts the rest
  kAll,          ///< every metric, means with their standard deviations
};

/// The table of every result: a row for each comparison with both means, change, interval, margin
/// and verdict, gates first. Columns name benchmark, metric and arms where there are several.
///
/// Fits the width: the means go first, since the change says what they are compared for; then the
/// margin, which is what the user has typed. Where that is not enough the names stand in a line of
/// their own above the numbers, and at last change and interval go. No cell is ever broken.
///
/// Ends with a newline; empty without comparisons.
std::string RenderResultTable(const v1::Update& update, RowsShown shown, const Style& style);

}  // namespace benchd::client
