#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/validity/coverage.h"
#include "tests/bench/validity/simulate.h"

namespace benchd::validity {

/// P(X >= k) for k above the mean np of X binomial(n, p), P(X <= k) for k below it; 1 at the mean.
double BinomialTail(std::uint64_t n, double p, std::uint64_t k);

/// One sentence for each figure of a run at the default levels outside its band.
///
/// For a share: if the promise holds, a count this far off is rarer than four standard errors are
/// for a normal figure (3.2e-5), by the exact binomial law. Upper bands are alpha for equal arms
/// and alpha / 2 for either verdict at the margin, for each family whose arms are alike in shape,
/// and for all of them together. Lower bands, only for all together, are a fifth of that, so that a
/// method that never decides fails. For a mean: the figure of a run of 20 000 repetitions, four
/// standard errors wide.
std::vector<std::string> Offences(const Results& results, const Options& options);

/// Likewise for the watched rows of a coverage run, between arms of like laws: alpha above, for
/// each family and for all of them together, and a fifth of it below for the estimators of the
/// typical change, together.
std::vector<std::string> CoverageOffences(std::span<const CoverageOfFamily> results,
                                          const Options& options);

/// One sentence for each look at which DecideByCounts() and the interval of HodgesLehmann() differ.
std::vector<std::string> RankCountOffences(std::uint64_t seed);

}  // namespace benchd::validity
