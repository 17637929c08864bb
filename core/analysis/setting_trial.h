#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// What the runs of one stretch say of the setting of the machine that they were measured under. A
/// stretch is one session; how runs within it resemble each other does not matter, as it is one
/// value of each kind.
struct StretchFigures {
  std::size_t runs = 0;  ///< that counted
  double median = 0;     ///< in the unit of the values
  double p95 = 0;        ///< likewise
  /// Mean distance from the median over the median, a fraction: of a stretch with a few runs that
  /// somebody hit, the standard deviation is that of the worst one, and wavers too much to compare.
  double spread = 0;
  double log_spread = 0;  ///< what is compared
  double log_tail = 0;    ///< log(p95 / median)
  bool operator==(const StretchFigures&) const = default;
};

/// The first tenth of the values is discarded: CPUs that wake up, caches that fill.
///
/// @param values      in order of execution, each > 0.
/// @param resolution  one step of the metric, in its unit, > 0: a spread below it is taken for it.
/// @errors kInvalidArgument: fewer than ten values, or one that is not a finite number > 0.
Result<StretchFigures> SummarizeStretch(std::span<const double> values, double resolution);

/// By type 7 of Hyndman and Fan, as everywhere.
struct Quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
/// Empty for no values, or one that is not finite.
std::optional<Quartiles> QuartilesOf(std::span<const double> values);

/// An estimate of a ratio with its interval.
struct SpreadRatio {
  double estimate = 1;
  double lo = 0;
  double hi = 0;
  bool operator==(const SpreadRatio&) const = default;
};

enum class SettingEffect {
  kUnclear,  ///< the interval contains no change, or there are too few rounds for one
  kQuieter,  ///< less spread than under the first setting
  kNoisier,
};

/// One setting against the first.
struct SettingComparison {
  std::size_t rounds = 0;             ///< in which both were measured
  std::optional<SpreadRatio> spread;  ///< from two rounds on
  std::optional<SpreadRatio> tail;    ///< of p95 / median; told, never decided by
  SettingEffect effect = SettingEffect::kUnclear;
  bool operator==(const SettingComparison&) const = default;
};

struct SettingTrial {
  std::vector<SettingComparison>
      settings;  ///< as the columns of the rounds; the first one's is empty
  /// Which to make the default: of those quieter than the first the first one that is not noisier
  /// than the quietest; 0 where none is quieter.
  std::size_t best = 0;
};

/// A stretch under each setting in turn, in random order; absent: it could not be had, or the trial
/// ended before.
using TrialRound = std::vector<std::optional<StretchFigures>>;

/// Whether settings of the machine change the spread of runs, by the rounds of an interleaved
/// trial.
///
/// Student's t on the differences of log spreads, round by round: what drifts from round to round
/// is in both of them. `alpha` is divided by the number of settings beside the first, so that all
/// statements hold together with 1 - alpha.
///
/// @param rounds  all of the same length.
/// @param alpha   in (0, 1).
/// Source: Student, Biometrika 6 (1908) 1-25; C. Bonferroni (1936).
SettingTrial CompareSettings(std::span<const TrialRound> rounds, double alpha);

}  // namespace benchd
