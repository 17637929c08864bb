#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Returns the value if it is finite. Never returns -0.
std::optional<double> IfFinite(double value);

/// Count, mean, variance and skewness of a stream of values in O(1) memory.
///
/// The sums are centred and relative to the first value, so values like 1e9 + 1 keep the variance
/// that plain sums of squares would lose. No operation fails; a statistic that needs more values
/// is 0. Source: B. P. Welford, Technometrics 4 (1962) 419-420; third moment: P. Pebay, Sandia
/// report SAND2008-6212 (2008).
class Moments {
 public:
  void Add(double value);

  std::uint64_t count() const { return count_; }
  double mean() const { return first_ + mean_; }
  /// Returns the variance with divisor n - 1; 0 for fewer than two values.
  double variance() const;
  double standard_deviation() const;
  /// Returns the biased sample skewness m3 / m2^1.5 (g1), dimensionless; 0 if the variance is 0.
  double skewness() const;

 private:
  std::uint64_t count_ = 0;
  double first_ = 0;
  double mean_ = 0;  // relative to the first value
  double sum2_ = 0;  // sum of the squared deviations from the mean
  double sum3_ = 0;  // sum of the cubed deviations
};

/// Checks the preconditions of most statistics.
///
/// @errors kInvalidArgument if there is no value, a value is not finite, or (only CheckPositive())
/// a
///         value is not > 0.
Result<void> CheckFinite(std::span<const double> values);
Result<void> CheckPositive(std::span<const double> values);

Moments MomentsOf(std::span<const double> values);

/// Returns the values in ascending order. Errors are those of CheckFinite().
Result<std::vector<double>> SortedSample(std::span<const double> values);

/// Returns a quantile of a sample by linear interpolation between order statistics: type 7 of
/// Hyndman and Fan, the default of R and numpy.
///
/// @param sorted  ascending.
/// @param p       in [0, 1]; 0.5 is the median.
/// @errors kInvalidArgument if there is no value, or `p` is outside [0, 1].
/// Source: R. J. Hyndman, Y. Fan, The American Statistician 50 (1996) 361-365.
Result<double> QuantileType7(std::span<const double> sorted, double p);

/// The range in which an arm's values are expected, computed from its quartiles, and the number of
/// values outside.
///
/// About 0.7 % of the values of a normal sample lie outside. With rare slow runs, many values lie
/// outside on one side. A value on a fence counts as inside.
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

/// Computes the fences and counts the values outside.
///
/// @errors kInvalidArgument if there is no value, or a value is not finite.
/// Source: J. W. Tukey, Exploratory Data Analysis, Addison-Wesley (1977), 2D.
Result<TukeyFences> FindOutliers(std::span<const double> values);

/// Descriptive statistics of one arm, in the terms of mmtests' report (docs/statistics.md section
/// 7).
///
/// All members are in the unit of the values unless noted. Statistics that are undefined or exceed
/// the range of a double are absent, never 0.
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

/// Computes the descriptive statistics of one arm.
///
/// @errors kInvalidArgument if there is no value, or a value is not finite.
Result<Summary> Summarize(std::span<const double> values);

/// Returns the harmonic mean n / sum(1/x), the appropriate mean for rates (work per time).
///
/// @errors kInvalidArgument if there is no value, or a value is not a finite number > 0.
Result<double> HarmonicMean(std::span<const double> values);

/// Returns the spread that mmtests prints for a harmonic mean h: h^2 times the standard deviation
/// of 1/x, here with divisor n (delta method).
///
/// @errors kInvalidArgument for fewer than two values, or as for HarmonicMean().
Result<double> HarmonicStandardDeviation(std::span<const double> values);

/// Returns the geometric mean exp(mean(log x)), the mean for different operations, such as the rows
/// of a suite.
///
/// @errors kInvalidArgument if there is no value, or a value is not a finite number > 0.
Result<double> GeometricMean(std::span<const double> values);

enum class MeanKind { kArithmetic, kHarmonic };
enum class BestEnd { kLowest, kHighest };

/// Returns the mean of the best max(1, floor(n * percent / 100)) values, which mmtests calls BAmean
/// or BHmean.
///
/// @param percent  in (0, 100].
/// @errors kInvalidArgument if there is no value, a value is not finite, `percent` is outside its
///         range, or a value is not > 0 for a harmonic mean.
Result<double> BestMean(std::span<const double> values, double percent, BestEnd best,
                        MeanKind kind);

}  // namespace benchd
