#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace benchd {

/// A start of a series that differs from the rest.
struct Warmup {
  std::size_t length = 0;  ///< number of values
  double shift = 0;        ///< mean of these values minus `rest`, in their unit
  double rest = 0;         ///< mean of all later values
  bool operator==(const Warmup&) const = default;
};

/// Fewest values of a series to be tested.
inline constexpr std::size_t kFewestForWarmup = 8;

/// Tests whether the first values of a series, in time order, differ from the rest.
///
/// A change-point test over the first third. For each k it takes the two-sample t between the first
/// k values and the others, and tests the largest against the t law at `level` divided by the
/// number of positions (two-sided). Three further conditions exclude similar patterns:
/// - ranks: the first k must also differ by Mann and Whitney's statistic, because one slow run
///   among them shifts their mean, but not their ranks. One or two values, for which ranks do not
///   suffice, must lie twice as far out as any of the others, and pass at a tenth of the level;
/// - the rest must be stationary: if it continues to move, or returns, that is drift;
/// - the remainder after a first cut is tested again, to follow a slow decay, up to half of the
///   series.
///
/// A load at the beginning that later ends looks the same.
///
/// @param level  in (0, 1): probability of finding such a start in a stationary series.
/// @return std::nullopt without such a start, for fewer than kFewestForWarmup values, or if one is
///         not finite.
/// Source: the maximal t and its Bonferroni bound: K. J. Worsley, JASA 74 (1979) 365-367.
std::optional<Warmup> FindWarmup(std::span<const double> values, double level = 0.01);

/// Fewest runs, and fewest values of each, to be tested.
inline constexpr std::size_t kFewestRunsForWarmup = 5;
inline constexpr std::size_t kFewestInsideForWarmup = 10;

/// The same within runs of equal length: tests whether the start of a run differs from the rest in
/// the same way in all runs.
///
/// For lengths k up to a third, each 1.3 times the previous one, every run gives one difference
/// between the mean of its first k values and that of the others. A t test over the runs follows,
/// at `level` divided by the number of lengths: runs are independent of each other, even if the
/// values within a run are not. Of the lengths that pass, the one that splits the mean of all runs
/// best is taken. The remainder is then tested again, up to half of a run.
///
/// @param runs  of equal length, finite.
/// @return std::nullopt without such a start, or for fewer runs or values than the above.
std::optional<Warmup> FindWarmupInside(std::span<const std::vector<double>> runs,
                                       double level = 0.01);

/// Tests whether a series, in time order, is stationary. Two tests detect different things: a trend
/// (or a slow wander), and a single step. docs/statistics.md section 8.
///
/// For raw values, they detect that the machine drifts, which pairing absorbs. For the pairs'
/// residuals u_i, they detect that the guarantee is weakened. Both thresholds are at about 1 %.

/// Bartels' rank version of von Neumann's ratio: near 2 for values in random order.
struct RankTrend {
  double ratio = 0;  ///< sum of squared steps between neighbours' ranks / that of the ranks, >= 0
  double z = 0;      ///< standardised; positive: neighbours are alike; negative: they alternate
  bool operator==(const RankTrend&) const = default;
};

/// |z| beyond which the order is not considered random: 1 %, two-sided.
inline constexpr double kRankTrendCritical = 2.576;

/// @return std::nullopt for fewer than three values, for values that are all equal, or with a NaN.
/// Source: R. Bartels, J. Amer. Statist. Assoc. 77 (1982) 40-46; ties take their mean rank.
std::optional<RankTrend> TestRankTrend(std::span<const double> values);

/// The largest excursion of the cumulative sum of the deviations from the mean.
struct LevelChange {
  double statistic = 0;    ///< in units of s sqrt(n); without a change, that of a Brownian bridge
  std::size_t before = 0;  ///< number of values before the change; the first on a tie
  bool operator==(const LevelChange&) const = default;
};

/// The statistic beyond which the level is considered changed: 1 %.
inline constexpr double kLevelChangeCritical = 1.628;

/// @return std::nullopt for fewer than three values, for values that are all equal, or if their
///         spread exceeds the range of a double.
/// Source: W. Ploberger, W. Kraemer, Econometrica 60 (1992) 271-285; the law of the bridge's
///         maximum is Kolmogorov's.
std::optional<LevelChange> TestLevelChange(std::span<const double> values);

/// Whether the statistic is beyond its threshold.
bool IsTrend(const RankTrend& trend);
bool IsLevelChange(const LevelChange& change);

}  // namespace benchd
