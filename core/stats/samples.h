#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/moments.h"

namespace benchd {

/// What most statistics ask of a sample before they start.
///
/// @errors kInvalidArgument if there is no value, or one is not finite (and not > 0, for the
///         second).
Result<void> CheckFinite(std::span<const double> values);
Result<void> CheckPositive(std::span<const double> values);

Moments MomentsOf(std::span<const double> values);

/// The values in ascending order; errors as CheckFinite().
Result<std::vector<double>> SortedSample(std::span<const double> values);

}  // namespace benchd
