#pragma once

#include <cstdint>
#include <optional>

#include "core/analysis/sequential_design.h"
#include "core/model/comparison.h"

namespace benchd {

// How large a change must be to be seen, and how many pairs that takes (docs/statistics.md section
// 13). Forecasts: no verdict depends on them.

/// The probability with which a change that counts as visible is seen.
inline constexpr double kVisibleProbability = 0.95;
/// The probability of what is expected, which more pairs than not decide.
inline constexpr double kExpectedProbability = 0.5;

/// The noise of a comparison on the log scale.
struct PairSpread {
  double sd = 0;         ///< standard deviation of one pair
  double allowance = 0;  ///< what the metric's steps add to each end of an interval, at any n
  bool operator==(const PairSpread&) const = default;
};

/// Computes the noise from the interval of the last look at a relative change, of which one half is
/// critical t · sd/√n + allowance. The widening for skewness counts as noise.
///
/// @param design  that of the session with the comparison, which is two-sided
/// @return nothing without an interval that has two ends
std::optional<PairSpread> SpreadOf(const Comparison& comparison, const SequentialDesign& design);

/// The looks of a comparison at one level, of a session that has not begun.
class PlannedLooks {
 public:
  /// @param stated  level of the comparison as the user would state it: alpha, or alpha / G. If
  ///                passes have a level of their own, the smaller of both ends counts.
  /// @param probability  with which the pairs are to be enough, in (0, 1)
  PlannedLooks(const SequentialDesign& design, double stated,
               double probability = kVisibleProbability);

  /// Returns the distance on the log scale at which this number of pairs separates a change and a
  /// margin with the stated probability: (critical t + z) · sd/√n + allowance. Returns nothing
  /// before the first look.
  std::optional<double> VisibleAt(const PairSpread& spread, std::uint64_t pairs) const;

  /// Returns the smallest number of pairs whose VisibleAt() is at most `distance`. Returns nothing
  /// if the allowance alone is as large, or if the number exceeds kMostBlocks.
  std::optional<std::uint64_t> PairsFor(const PairSpread& spread, double distance) const;

 private:
  double CriticalT(std::uint64_t pairs) const;
  std::uint64_t first_look_;
  bool once_;
  double reach_;  ///< z
  EndLevel level_;
};

}  // namespace benchd
