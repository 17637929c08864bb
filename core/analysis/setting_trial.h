#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Figures of one segment, which is a session under one setting of the machine. Each segment yields
/// one value of each kind, so dependence between its runs does not matter.
struct StretchFigures {
  std::size_t runs = 0;  ///< the runs that counted
  double median = 0;     ///< in the unit of the values
  double p95 = 0;        ///< in the same unit
  /// Mean distance from the median over the median, a fraction. The standard deviation would depend
  /// on the worst of a few disturbed runs, and would vary too much between segments.
  double spread = 0;
  double log_spread = 0;  ///< log(spread), which is compared
  double log_tail = 0;    ///< log(p95 / median)
  bool operator==(const StretchFigures&) const = default;
};

/// Discards the first tenth of the values, during which CPUs wake up and caches fill.
///
/// @param values      in order of execution, each > 0.
/// @param resolution  one step of the metric, in its unit, > 0: the smallest possible spread.
/// @errors kInvalidArgument: fewer than ten values, or one that is not a finite number > 0.
Result<StretchFigures> SummarizeStretch(std::span<const double> values, double resolution);

/// Type 7 of Hyndman and Fan, as everywhere.
struct Quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
/// Absent if there are no values, or if one is not finite.
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
  std::optional<SpreadRatio> tail;    ///< of p95 / median; shown, but never decides
  SettingEffect effect = SettingEffect::kUnclear;
  bool operator==(const SettingComparison&) const = default;
};

struct SettingTrial {
  std::vector<SettingComparison> settings;  ///< as the columns of the rounds; the first is empty
  /// The recommended default: among the settings quieter than the first, the first one that is not
  /// noisier than the quietest; 0 if none is quieter.
  std::size_t best = 0;
};

/// One segment under each setting, in random order. Absent if the setting was unavailable, or if
/// the trial ended before.
using TrialRound = std::vector<std::optional<StretchFigures>>;

/// Compares how settings of the machine affect the spread of runs, by the rounds of an interleaved
/// trial.
///
/// Student's t on the differences of log spreads within a round, so drift between rounds cancels.
/// `alpha` is divided by the number of settings after the first, so that all statements hold
/// together with probability 1 - alpha.
///
/// @param rounds  all of the same length.
/// @param alpha   in (0, 1).
/// Source: Student, Biometrika 6 (1908) 1-25; C. Bonferroni (1936).
SettingTrial CompareSettings(std::span<const TrialRound> rounds, double alpha);

}  // namespace benchd
