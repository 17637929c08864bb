#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/stats/descriptive.h"

namespace benchd {

/// Number of random subselections of a run.
inline constexpr std::size_t kSubselections = 100;

/// How many of n samples one subselection takes: max(1, floor(0.8 n + 1/2)); n >= 1.
std::size_t SubselectionSize(std::size_t n);

/// The central value of one run by the advanced method of mmtests' document: the median (mean of
/// the 50th and 51st) of the means of 100 random selections of 80 % of its samples, without
/// replacement. In the unit of the samples.
///
/// Not robust to one gross outlier, whatever its name suggests: nine values near 10 and one 100
/// give 21.2. mmtests' present code draws with replacement and rounds the size down; its document,
/// which this follows, does not.
///
/// An arm's estimate is the mean of its runs' values; the interval is Welch's over them, ONE look
/// only. Pooling the samples instead of the runs was measured at 53 to 69 % false stars.
///
/// @param kind  kHarmonic for rates: the harmonic mean of each selection.
/// @param seed  recorded with the session.
/// @param run   number of the run: runs draw from different streams of the seed, so that a run's
///              value does not depend on those before it.
/// @errors kInvalidArgument if there is no sample or more than 2^31, one is not finite, or a
///         harmonic mean meets one that is not > 0.
/// Source: mmtests, the document on comparing runs (docs/statistics.md section 5).
Result<double> SubselectedMean(std::span<const double> samples, MeanKind kind, std::uint64_t seed,
                               std::uint64_t run);

}  // namespace benchd
