#pragma once

#include <cstdint>

namespace benchd {

/// Count, mean, variance and skewness of a stream of values in O(1) memory.
///
/// Updates the centred sums themselves, relative to the first value, so that values like 1e9 + 1
/// keep their variance where plain sums of squares lose it. A value type; no operation fails, what
/// needs more values is 0. Source: B. P. Welford, Technometrics 4 (1962) 419-420; third moment: P.
/// Pebay, Sandia report SAND2008-6212 (2008).
class Moments {
 public:
  void Add(double value);

  std::uint64_t count() const { return count_; }
  /// In the unit of the values.
  double mean() const { return first_ + mean_; }
  /// Divided by n - 1, in squared units; 0 for fewer than two values.
  double variance() const;
  double standard_deviation() const;
  /// Biased sample skewness m3 / m2^1.5 (g1), without unit; 0 when the variance is.
  double skewness() const;

 private:
  std::uint64_t count_ = 0;
  double first_ = 0;
  double mean_ = 0;  // relative to the first value
  double sum2_ = 0;  // of the squared deviations from the mean
  double sum3_ = 0;  // of the cubed ones
};

}  // namespace benchd
