#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/stats/bootstrap.h"
#include "core/stats/pair_values.h"

namespace benchd {

/// Whether the k-th values of the arms come from one block, or the arms are independent.
enum class Pairing { kPaired, kIndependent };

/// Fewest values of an arm (docs/statistics.md section 5).
inline constexpr std::size_t kFewestForQuantile = 100;

/// `quantile:P`: how the P-quantile (type 7) of the candidate compares with the reference's, ONE
/// look only: log of their ratio, or their difference, with a bootstrap that draws whole blocks
/// (paired), or each arm for itself (independent). O(10 000 n): tenths of a second at 10 000 pairs.
///
/// The percentile bootstrap is the usual interval for quantiles. It cannot see past the extreme
/// values, so take the interval only where QuantileIntervalPossible(). Measured coverage at nominal
/// 95 %: 96 to 97 % for P = 0.9, n = 100 and for P = 0.95, n = 300 (docs/validity.md).
///
/// @param p     in (0, 1); 0.99 is the slow end of times. For rates pass 1/x.
/// @param seed  recorded with the session; the same seed and data give the same replicates.
/// @errors kInvalidArgument if an arm has fewer than 100 values or more than 2^31, a value is not
///         finite (for ratios: not > 0), paired arms differ in length, or `p` is out of range.
/// Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall (1993);
///         for quantiles: P. J. Bickel, D. A. Freedman, Annals of Statistics 9 (1981) 1196-1217.
Result<Bootstrap> QuantileContrast(std::span<const double> reference,
                                   std::span<const double> candidate, double p, Contrast contrast,
                                   Pairing pairing, std::uint64_t seed);

/// Whether n values of an arm hold any distribution-free interval for their P-quantile at that
/// level: p^n <= alpha/2 and (1-p)^n <= alpha/2. At 99 % the median needs 8 values, P = 0.99 needs
/// 528. Source: H. A. David, H. N. Nagaraja, Order Statistics, Wiley (2003), section 7.1.
bool QuantileIntervalPossible(std::size_t n, double p, double alpha);

}  // namespace benchd
