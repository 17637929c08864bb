#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The figures of one segment, which is a session under one setting of the machine. Each segment
/// yields one value of each figure, so dependence between its runs does not matter.
struct StretchFigures {
  std::size_t runs = 0;  ///< number of runs that were not discarded
  double median = 0;     ///< in the unit of the values
  double p95 = 0;        ///< in the same unit
  /// The mean distance from the median, as a fraction of the median. The standard deviation would
  /// depend on a few badly disturbed runs, and would vary too much between segments.
  double spread = 0;
  double log_spread = 0;  ///< log(spread), the value that is compared
  double log_tail = 0;    ///< log(p95 / median)
  bool operator==(const StretchFigures&) const = default;
};

/// Computes the figures of a segment. Discards the first tenth of the values, during which CPUs
/// wake up and caches fill.
///
/// @param values      the values in order of execution, each > 0
/// @param resolution  one step of the metric in its unit, > 0, which is the smallest possible
/// spread
/// @errors kInvalidArgument for fewer than ten values, or for a value that is not finite and > 0
Result<StretchFigures> SummarizeStretch(std::span<const double> values, double resolution);

/// Quartiles of type 7 by Hyndman and Fan, as everywhere in benchd.
struct Quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
/// Returns the quartiles. Returns nothing if there are no values, or if a value is not finite.
std::optional<Quartiles> QuartilesOf(std::span<const double> values);

/// An estimate of a ratio with its interval.
struct SpreadRatio {
  double estimate = 1;
  double lo = 0;
  double hi = 0;
  bool operator==(const SpreadRatio&) const = default;
};

enum class SettingEffect {
  kUnclear,  ///< the interval includes a ratio of 1, or there are too few rounds
  kQuieter,  ///< less spread than under the first setting
  kNoisier,
};

/// The comparison of one setting with the first setting.
struct SettingComparison {
  std::size_t rounds = 0;             ///< number of rounds in which both were measured
  std::optional<SpreadRatio> spread;  ///< present from two rounds on
  std::optional<SpreadRatio> tail;    ///< ratio of p95 / median; reported, but never decides
  SettingEffect effect = SettingEffect::kUnclear;
  bool operator==(const SettingComparison&) const = default;
};

struct SettingTrial {
  std::vector<SettingComparison> settings;  ///< in the order within a round; the first is empty
  /// The recommended default: among the settings that are quieter than the first setting, the first
  /// one that is not noisier than the quietest. It is 0 if no setting is quieter.
  std::size_t best = 0;
};

/// A round has one segment under each setting, in random order. A segment is absent if its setting
/// was unavailable, or if the trial ended before it.
using TrialRound = std::vector<std::optional<StretchFigures>>;

/// Compares the effects of machine settings on the spread of runs, from the rounds of an
/// interleaved trial.
///
/// Uses Student's t on the differences of log spreads within a round, so drift between rounds
/// cancels. `alpha` is divided by the number of settings after the first, so that all statements
/// together hold with probability 1 - alpha.
///
/// @param rounds  the rounds, all of the same length
/// @param alpha   the error probability, in (0, 1)
/// Source: Student, Biometrika 6 (1908) 1-25; C. Bonferroni (1936).
SettingTrial CompareSettings(std::span<const TrialRound> rounds, double alpha);

}  // namespace benchd
