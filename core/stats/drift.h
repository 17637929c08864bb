#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace benchd {

/// Does a series, in order of time, stand still? Two tests that see different things: a trend (or a
/// slow wander) and one step. docs/statistics.md section 8.
///
/// On raw values they say "the machine drifts", which pairing absorbs; on the pairs' residuals u_i
/// they say that the guarantee is weakened. Their thresholds are at about 1 %.

/// Bartels' rank version of von Neumann's ratio: near 2 for values in random order.
struct RankTrend {
  double ratio = 0;  ///< sum of squared steps between neighbours' ranks / that of the ranks, >= 0
  double z = 0;      ///< standardised; positive: neighbours are alike; negative: they alternate
  bool operator==(const RankTrend&) const = default;
};

/// |z| beyond which the order is no longer taken for random: 1 %, two-sided.
inline constexpr double kRankTrendCritical = 2.576;

/// @return nothing for fewer than three values, for values that are all equal, or if one is a NaN.
/// Source: R. Bartels, J. Amer. Statist. Assoc. 77 (1982) 40-46; ties take their mean rank.
std::optional<RankTrend> TestRankTrend(std::span<const double> values);

/// The largest excursion of the cumulative sum of the deviations from the mean.
struct LevelChange {
  double statistic = 0;    ///< in units of s sqrt(n); without a change as a Brownian bridge's
  std::size_t before = 0;  ///< how many values lie before the change; the first on a tie
  bool operator==(const LevelChange&) const = default;
};

/// The statistic beyond which the level counts as changed: 1 %.
inline constexpr double kLevelChangeCritical = 1.628;

/// @return nothing for fewer than three values, for values that are all equal, or where their
///         spread is beyond the range of a double.
/// Source: W. Ploberger, W. Kraemer, Econometrica 60 (1992) 271-285; the law of the bridge's
///         maximum is Kolmogorov's.
std::optional<LevelChange> TestLevelChange(std::span<const double> values);

/// Beyond the thresholds; where a test does not apply there is no finding.
bool IsTrend(const RankTrend& trend);
bool IsLevelChange(const LevelChange& change);

}  // namespace benchd
