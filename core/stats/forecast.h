#pragma once

#include <cstdint>
#include <optional>

#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// How many pairs in all a comparison will need until its interval clears `threshold`, if estimate,
/// spread and skewness stay as they are: for the expected time to a verdict, never for a verdict.
///
/// At least max(n, first look). Good to a few per cent; the critical t is approximated.
/// @return nothing where no number of pairs would do (the estimate is on the threshold, or within
///         the resolution's widening of it), where it is beyond 1e12, with fewer than three pairs.
std::optional<double> ForecastPairs(const PairedEstimate& estimate, double threshold,
                                    const SequentialBoundary& boundary);

/// How many units each of two arms needs until the one look at the difference of their means is
/// known to `half_width` to each side, if units of both arms spread as `sd` on the same scale: the
/// smallest n with t sd sqrt(2/n) <= half_width, 2n - 2 degrees of freedom. At least 2, at most a
/// million.
std::uint64_t UnitsPerArm(double sd, double half_width, double alpha);

}  // namespace benchd
