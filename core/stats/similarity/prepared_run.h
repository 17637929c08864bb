#pragma once

#include <span>
#include <vector>

namespace benchd {

/// One run with everything that its comparison with others needs, made once.
///
/// The values are kept divided by a power of two that brings the largest one to [0.5, 1): exact,
/// and no square leaves the range of a double.
struct PreparedRun {
  /// @param series  finite, at least one value.
  explicit PreparedRun(std::span<const double> series);

  std::vector<double> values;   ///< as they are, in order of time
  int exponent = 0;             ///< values are `scaled` times 2^exponent
  std::vector<double> scaled;   ///< in order of time
  std::vector<double> centred;  ///< less their mean; all 0 when they are equal
  std::vector<double> sorted;   ///< the values as they are, ascending
  double norm = 0;              ///< of `scaled`
  double centred_norm = 0;      ///< of `centred`; 0 only when the values are equal
};

/// The sums over two runs of one length that the measures are made of.
struct RunPairSums {
  double cosine = 0;       ///< of the angle between the values; 1 for two zero runs, 0 for one
  double correlation = 0;  ///< likewise of the values less their means
  double distance = 0;     ///< norm of the difference, as the next ones in the larger run's scale
  double centred_distance = 0;
  double norm_x = 0;
  double norm_y = 0;
  double centred_norm_x = 0;
  double centred_norm_y = 0;
  double wave_hedges = 0;  ///< sum of |x - y| / max(|x|, |y|), 0 where both are equal
  double range = 0;        ///< of both runs' values together
};

RunPairSums SumsOf(const PreparedRun& x, const PreparedRun& y);

}  // namespace benchd
