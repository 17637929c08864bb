#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/base/result.h"

namespace benchd {

/// What one arm's values look like, in the terms of mmtests' report (docs/statistics.md section 7).
///
/// In the unit of the values unless said. What a sample does not have is absent, never 0.
struct Summary {
  std::size_t n = 0;
  double min = 0;
  double max = 0;
  double mean = 0;                           ///< arithmetic
  std::optional<double> harmonic_mean;       ///< only when every value is > 0
  std::optional<double> standard_deviation;  ///< divisor n - 1; from two values on
  std::optional<double> variation;  ///< standard deviation / mean, a fraction; not for mean 0
  double lower_quartile = 0;        ///< type 7, as the next two
  double median = 0;
  double upper_quartile = 0;
  bool operator==(const Summary&) const = default;
};

/// @errors kInvalidArgument if there is no value, or one is not finite.
Result<Summary> Summarize(std::span<const double> values);

/// The mean to use for rates (work per time): n / sum(1/x).
///
/// @errors kInvalidArgument if there is no value, or one is not a finite number > 0.
Result<double> HarmonicMean(std::span<const double> values);

/// The spread that goes with that mean, as mmtests prints it: h^2 times the standard deviation of
/// 1/x, here with divisor n (delta method). In the unit of the values.
///
/// @errors kInvalidArgument for fewer than two values, or as HarmonicMean().
Result<double> HarmonicStandardDeviation(std::span<const double> values);

/// Over operations of different kind, such as the rows of a suite: exp(mean(log x)).
///
/// @errors kInvalidArgument if there is no value, or one is not a finite number > 0.
Result<double> GeometricMean(std::span<const double> values);

enum class MeanKind { kArithmetic, kHarmonic };
enum class BestEnd { kLowest, kHighest };

/// Mean of the best max(1, floor(n * percent / 100)) values: BAmean and BHmean of mmtests.
///
/// @param percent  in (0, 100].
/// @errors kInvalidArgument if there is no value, one is not finite, `percent` is outside its
///         range, or a harmonic mean meets a value that is not > 0.
Result<double> BestMean(std::span<const double> values, double percent, BestEnd best,
                        MeanKind kind);

}  // namespace benchd
