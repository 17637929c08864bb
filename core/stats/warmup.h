#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace benchd {

/// The first values of a series, if they differ from the rest.
struct Warmup {
  std::size_t length = 0;  ///< number of values
  double shift = 0;        ///< mean of these values minus `rest`, in their unit
  double rest = 0;         ///< mean of all later values
  bool operator==(const Warmup&) const = default;
};

/// The minimum number of values for FindWarmup().
inline constexpr std::size_t kFewestForWarmup = 8;

/// Tests whether the first values of a series, in time order, differ from the rest.
///
/// This is a change-point test over the first third. For each k, it computes the two-sample t
/// between the first k values and the others. It tests the largest of these against the t law at
/// `level` divided by the number of positions (two-sided). Three more rules tell a warm-up from
/// similar patterns:
/// - The first k values must also differ by Mann and Whitney's statistic, because one slow run
///   among them shifts their mean, but not their ranks. If k is 1 or 2, ranks do not suffice. These
///   values must then lie twice as far out as any other, and pass at a tenth of the level.
/// - The rest must be stationary. If it continues to move, or returns, that is drift.
/// - The rest is tested again in the same way, to follow a slow decay, up to half of the series.
///
/// A load on the machine that ends early in the series looks the same as a warm-up.
///
/// @param level  in (0, 1): the probability of finding a warm-up in a stationary series.
/// @return std::nullopt if there is no warm-up, for fewer than kFewestForWarmup values, or if one
///         is not finite.
/// Source: the maximal t and its Bonferroni bound: K. J. Worsley, JASA 74 (1979) 365-367.
std::optional<Warmup> FindWarmup(std::span<const double> values, double level = 0.01);

/// The minimum number of runs, and of values per run, for FindWarmupInside().
inline constexpr std::size_t kFewestRunsForWarmup = 5;
inline constexpr std::size_t kFewestInsideForWarmup = 10;

/// Tests whether the start of a run differs from the rest of the run in the same way in all runs.
///
/// For lengths k up to a third of a run, each 1.3 times the previous one, every run yields the
/// difference between the mean of its first k values and that of the others. These differences get
/// a t test over the runs, at `level` divided by the number of lengths. Runs are independent of
/// each other, even if the values within a run are not. Of the lengths that pass, the one is taken
/// that best splits the mean of all runs. The rest is then tested again in the same way, up to half
/// of a run.
///
/// @param runs  finite values; all runs have the same length.
/// @return std::nullopt if there is no warm-up, or if there are too few runs or values.
std::optional<Warmup> FindWarmupInside(std::span<const std::vector<double>> runs,
                                       double level = 0.01);

/// Two tests check whether a series, in time order, is stationary: TestRankTrend() detects a trend
/// (or slow wandering), TestLevelChange() a single step (docs/statistics.md section 8).
///
/// For raw values, they detect that the machine drifts, which pairing absorbs. For the pairs'
/// residuals u_i, they detect that the guarantee is weakened. Both thresholds are at about 1 %.

/// Bartels' rank version of von Neumann's ratio: near 2 for values in random order.
struct RankTrend {
  /// The sum of the squared differences between the ranks of neighbours, divided by the sum of the
  /// squared deviations of the ranks from their mean; >= 0.
  double ratio = 0;
  double z = 0;  ///< standardised; positive: neighbours are alike; negative: they alternate
  bool operator==(const RankTrend&) const = default;
};

/// |z| beyond which the order does not count as random (1 %, two-sided).
inline constexpr double kRankTrendCritical = 2.576;

/// Tests for a trend.
///
/// @return std::nullopt for fewer than three values, for values that are all equal, or with a NaN.
/// Source: R. Bartels, J. Amer. Statist. Assoc. 77 (1982) 40-46; ties take their mean rank.
std::optional<RankTrend> TestRankTrend(std::span<const double> values);

/// The largest excursion of the cumulative sum of the deviations from the mean.
struct LevelChange {
  double statistic = 0;    ///< in units of s sqrt(n); that of a Brownian bridge if nothing changes
  std::size_t before = 0;  ///< number of values before the change; the smallest one on a tie
  bool operator==(const LevelChange&) const = default;
};

/// The statistic beyond which the level counts as changed (1 %).
inline constexpr double kLevelChangeCritical = 1.628;

/// Tests for a step.
///
/// @return std::nullopt for fewer than three values, for values that are all equal, or if their
///         spread exceeds the range of a double.
/// Source: W. Ploberger, W. Kraemer, Econometrica 60 (1992) 271-285; the law of the bridge's
///         maximum is Kolmogorov's.
std::optional<LevelChange> TestLevelChange(std::span<const double> values);

/// Returns whether the statistic is beyond its threshold.
bool IsTrend(const RankTrend& trend);
bool IsLevelChange(const LevelChange& change);

}  // namespace benchd
