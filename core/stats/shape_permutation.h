#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"
#include "core/stats/paired.h"
#include "core/stats/resampling.h"

namespace benchd {

/// The largest number of permutations. With it, p is exact to 0.1 %.
inline constexpr int kMostPermutations = 999;

/// Tests whether two arms have distributions of the same shape, whatever their means: the
/// Kolmogorov-Smirnov distance after scaling by the means (shifting, for differences), with a p
/// from permutations.
///
/// The classic p of that distance is wrong for scaled values, because each arm is scaled by its own
/// mean, which a single slow run can move. So the runs of random pairs are swapped (paired), or all
/// labels are permuted (independent), and every permutation is scaled anew by its own means. p is
/// the share of permutations whose distance is at least the observed one, the observed one
/// included. If arms of the same shape also have the same mean, this p is exact for any
/// distribution.
///
/// If the means may differ, values cannot be swapped as they are, so the candidate is first aligned
/// to the reference by their medians, which slow runs do not move. Where the medians agree within
/// three standard errors, the test is also made as if there were no change, and p is the larger of
/// both.
///
/// The same values give the same p. A test ends as soon as ten permutations are as far apart, which
/// for arms of the same shape is soon (Besag, Clifford 1991). The number of permutations is at most
/// 999, and lower for more than 300 values of each arm, so that the test takes less than 20 ms for
/// 1000 pairs and less than 70 ms for 10 000. If no permutation is as far apart, p is extrapolated
/// from the upper tenth of the permutations: their squared distances are taken as exponential
/// there, as for the supremum of a Brownian bridge.
///
/// @param base, candidate  of equal length if paired.
/// @errors kInvalidArgument if an arm is empty, a value is not finite, paired arms differ in
/// length,
///         or a mean is not > 0 for ratios.
/// Source: N. V. Smirnov, Ann. Math. Statist. 19 (1948) 279-281; R. A. Fisher, The Design of
///         Experiments (1935), section 21; J. Besag, P. Clifford, Biometrika 78 (1991) 301-304; the
///         extrapolation of p: T. A. Knijnenburg et al., Bioinformatics 25 (2009) i161-i168.
Result<double> SameShapeP(std::span<const double> base, std::span<const double> candidate,
                          Contrast contrast, Pairing pairing);

}  // namespace benchd
