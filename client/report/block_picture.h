#pragma once

#include <cstddef>
#include <optional>

#include "benchd/v1/session.pb.h"
#include "client/report/pictures.h"
#include "client/report/report_source.h"

namespace benchd::client {

/// The largest number of blocks of which each has a mark.
inline constexpr std::size_t kMostBlocksDrawn = 24;

/// Returns the change within each block, for DrawUnits(). A session of few blocks took few looks,
/// so a picture of its looks would be a dot or two.
///
/// Nothing if the comparison does not pair the runs of a block, if there is no estimate, and with
/// fewer than two or more than kMostBlocksDrawn complete blocks. Nothing either if a change is
/// relative to a value that is not positive. Pure.
std::optional<UnitsOfPicture> BlocksOf(const MetricRuns& runs, const v1::Comparison& comparison);

}  // namespace benchd::client
