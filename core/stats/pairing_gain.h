#pragma once

#include <optional>

#include "core/stats/paired_moments.h"

namespace benchd {

/// What pairing saved: the standard error of the paired estimate over that of Welch's, which takes
/// the same values for independent. Without unit, >= 0; 0.5 means a quarter of the runs for the
/// same interval, above 1 the pairs had nothing in common. docs/statistics.md section 8.
///
/// On the log ratio (needs RatioDefined()) and on the difference (needs DifferenceDefined()).
///
/// @return nothing for fewer than two pairs, or when neither arm varies.
std::optional<double> RatioPairingGain(const CentredMoments& moments);
std::optional<double> DifferencePairingGain(const CentredMoments& moments);

}  // namespace benchd
