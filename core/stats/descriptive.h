#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Count, mean, variance and skewness of a stream of values in O(1) memory.
///
/// Updates centred sums, relative to the first value, so that values like 1e9 + 1 keep their
/// variance, which plain sums of squares lose. A value type; no operation fails, and a statistic
/// that needs more values is 0. Source: B. P. Welford, Technometrics 4 (1962) 419-420; third
/// moment: P. Pebay, Sandia report SAND2008-6212 (2008).
class Moments {
 public:
  void Add(double value);

  std::uint64_t count() const { return count_; }
  /// In the unit of the values.
  double mean() const { return first_ + mean_; }
  /// With divisor n - 1, in squared units; 0 for fewer than two values.
  double variance() const;
  double standard_deviation() const;
  /// Biased sample skewness m3 / m2^1.5 (g1), dimensionless; 0 if the variance is 0.
  double skewness() const;

 private:
  std::uint64_t count_ = 0;
  double first_ = 0;
  double mean_ = 0;  // relative to the first value
  double sum2_ = 0;  // of the squared deviations from the mean
  double sum3_ = 0;  // of the cubed deviations
};

/// Preconditions of most statistics.
///
/// @errors kInvalidArgument if there is no value, or a value is not finite (CheckPositive(): or not
///         > 0).
Result<void> CheckFinite(std::span<const double> values);
Result<void> CheckPositive(std::span<const double> values);

Moments MomentsOf(std::span<const double> values);

/// The values in ascending order; errors as for CheckFinite().
Result<std::vector<double>> SortedSample(std::span<const double> values);

/// The quantile of a sample by linear interpolation between order statistics: type 7 of Hyndman and
/// Fan, the default of R and numpy. In the unit of the values.
///
/// @param sorted  ascending.
/// @param p       in [0, 1]; 0.5 is the median.
/// @errors kInvalidArgument if there is no value, or `p` is outside [0, 1].
/// Source: R. J. Hyndman, Y. Fan, The American Statistician 50 (1996) 361-365.
Result<double> QuantileType7(std::span<const double> sorted, double p);

/// The range in which an arm's values are expected, from its own quartiles, and the number outside.
///
/// In the unit of the values. Of a normal sample, about 0.7 % lie outside; rare slow runs show as
/// many on one side. A value on a fence counts as inside.
struct TukeyFences {
  double lower_quartile = 0;  ///< type 7
  double upper_quartile = 0;
  double low = 0;   ///< lower quartile - 1.5 interquartile ranges
  double high = 0;  ///< upper quartile + 1.5 interquartile ranges
  std::size_t below = 0;
  std::size_t above = 0;

  bool AnyOutside() const { return below + above > 0; }
  bool operator==(const TukeyFences&) const = default;
};

/// @errors kInvalidArgument if there is no value, or one is not finite.
/// Source: J. W. Tukey, Exploratory Data Analysis, Addison-Wesley (1977), 2D.
Result<TukeyFences> FindOutliers(std::span<const double> values);

/// Descriptive statistics of one arm, in the terms of mmtests' report (docs/statistics.md section
/// 7).
///
/// In the unit of the values unless noted. Undefined statistics are absent, never 0.
struct Summary {
  std::size_t n = 0;
  double min = 0;
  double max = 0;
  double mean = 0;                           ///< arithmetic
  std::optional<double> harmonic_mean;       ///< only if every value is > 0
  std::optional<double> standard_deviation;  ///< divisor n - 1; from two values
  std::optional<double> variation;  ///< standard deviation / mean, a fraction; absent for mean 0
  double lower_quartile = 0;        ///< type 7, like the next two
  double median = 0;
  double upper_quartile = 0;
  bool operator==(const Summary&) const = default;
};

/// @errors kInvalidArgument if there is no value, or one is not finite.
Result<Summary> Summarize(std::span<const double> values);

/// The appropriate mean for rates (work per time): n / sum(1/x).
///
/// @errors kInvalidArgument if there is no value, or one is not a finite number > 0.
Result<double> HarmonicMean(std::span<const double> values);

/// The spread that belongs to that mean, as mmtests prints it: h^2 times the standard deviation of
/// 1/x, here with divisor n (delta method). In the unit of the values.
///
/// @errors kInvalidArgument for fewer than two values, or as for HarmonicMean().
Result<double> HarmonicStandardDeviation(std::span<const double> values);

/// The mean over different operations, such as the rows of a suite: exp(mean(log x)).
///
/// @errors kInvalidArgument if there is no value, or one is not a finite number > 0.
Result<double> GeometricMean(std::span<const double> values);

enum class MeanKind { kArithmetic, kHarmonic };
enum class BestEnd { kLowest, kHighest };

/// Mean of the best max(1, floor(n * percent / 100)) values: BAmean and BHmean of mmtests.
///
/// @param percent  in (0, 100].
/// @errors kInvalidArgument if there is no value, one is not finite, `percent` is outside its
///         range, or a value is not > 0 for a harmonic mean.
Result<double> BestMean(std::span<const double> values, double percent, BestEnd best,
                        MeanKind kind);

}  // namespace benchd
