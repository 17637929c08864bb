#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace benchd {

/// A start that is unlike what follows.
struct Warmup {
  std::size_t length = 0;  ///< how many values it takes
  double shift = 0;        ///< mean of these, less the mean of all that follow; in their unit
  double rest = 0;         ///< that other mean
  bool operator==(const Warmup&) const = default;
};

/// Fewest values of a series that is looked at.
inline constexpr std::size_t kFewestForWarmup = 8;

/// Do the first values of a series, in order of time, lie apart from the rest?
///
/// A change-point test over the first third: for each k the two-sample t between the first k values
/// and the others, the largest one against the t law at `level` divided by the number of places
/// (two-sided). Three more conditions keep out what looks like it:
/// - ranks: the first k must also lie apart by Mann and Whitney's statistic, because one slow run
///   among them moves their mean, not their ranks; one or two values, of which ranks cannot tell,
///   must lie twice as far out as any of the others, and pass at a tenth of the level;
/// - the rest must stand still: where it goes on moving, or comes back, that is drift;
/// - what a first cut leaves is tested again, to follow a slow decay; half of the series at most.
///
/// A load that is there at the beginning and then goes looks the same.
///
/// @param level  in (0, 1): how often a steady series is said to have such a start.
/// @return nothing without such a start, for fewer than kFewestForWarmup values, or if one is not
///         finite.
/// Source: the maximal t and its Bonferroni bound: K. J. Worsley, JASA 74 (1979) 365-367.
std::optional<Warmup> FindWarmup(std::span<const double> values, double level = 0.01);

/// Fewest runs, and fewest values of each, that are looked at.
inline constexpr std::size_t kFewestRunsForWarmup = 5;
inline constexpr std::size_t kFewestInsideForWarmup = 10;

/// The same inside runs, of which each has as many values: is the start of a run unlike what
/// follows, by the same in all runs?
///
/// For lengths k up to a third, each 1.3 times the last, every run gives one difference between the
/// mean of its first k values and that of the others; t over the runs, at `level` divided by the
/// number of lengths. Runs are independent of each other however much the values inside one are
/// not. Of the lengths that pass, that one counts which splits the mean of all runs best; then what
/// follows is tested again, to half of a run at most.
///
/// @param runs  of equal length, finite.
/// @return nothing without such a start, or for fewer runs or values than the above.
std::optional<Warmup> FindWarmupInside(std::span<const std::vector<double>> runs,
                                       double level = 0.01);

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
