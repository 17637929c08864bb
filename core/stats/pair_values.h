#pragma once

#include <vector>

#include "core/base/result.h"

namespace benchd {

/// On which scale two arms are compared: ratios (margins in per cent) or differences (absolute
/// margins).
enum class Contrast { kLogRatio, kDifference };

/// One pair as the estimators by pairs (hl, median) see it: log(candidate / reference), or
/// candidate - reference.
///
/// Swapping the arms turns the sign and changes no bit. A common factor on both that is a power of
/// two changes no bit of the log ratio; any other changes it only as far as the products are
/// rounded (a few 1e-16, absolute).
///
/// @errors kInvalidArgument if a value is not finite; for ratios also if one is not > 0.
Result<double> PairValue(double reference, double candidate, Contrast contrast);

/// Keeps a sample ascending while it grows: the ranked estimators take their values sorted, and a
/// session looks at the same ones again and again. O(n) moves, O(log n) comparisons.
void InsertSorted(std::vector<double>& sorted, double value);

}  // namespace benchd
