#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/stats/one_look.h"

namespace benchd {

/// Number of resamples of every bootstrap here (docs/statistics.md section 5).
inline constexpr int kBootstrapReplicates = 10000;
/// Two-sided: below it not one resample lies beyond each end.
inline constexpr double kSmallestBootstrapLevel = 2.0 / kBootstrapReplicates;

/// An estimate with its bootstrap distribution, for ONE look only: percentile intervals, and
/// p-values by inverting them. Reproducible from the data in their order and a recorded seed. A
/// value type of 80 kB.
///
/// The Monte-Carlo error of an end is that of an order statistic of 10 000 values; levels below
/// 2 / 10 000 have none. Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, Chapman
/// & Hall (1993), chapter 13.
class Bootstrap {
 public:
  /// `replicates`: the estimate of each resample, in any order; at least one.
  Bootstrap(double estimate, std::vector<double> replicates);

  double estimate() const { return estimate_; }

  /// Type-7 quantiles alpha/2 and 1 - alpha/2 of the replicates.
  ///
  /// @errors kInvalidArgument if `alpha` is not below 1 or too small for the number of replicates.
  Result<Interval> At(double alpha) const;

  /// 2 (1 + replicates on the rarer side of hypothesis -/+ widening) / (1 + replicates), at most 1;
  /// never 0, since the resamples know nothing below 2 / 10 001.
  double PValue(double hypothesis, double widening = 0) const;

 private:
  double estimate_;
  std::vector<double> sorted_;
};

}  // namespace benchd
