#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/effect_estimator.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Most values of an arm that are kept to be looked at: the first ones. The checks compare ranks
/// and distributions, which takes more than O(n), and what they find shows in as many.
inline constexpr std::size_t kMostCheckedValues = 10'000;

/// The values of one gate in order of time, kept for the checks of CheckData().
class CheckedValues {
 public:
  explicit CheckedValues(bool paired) : paired_(paired) {}
  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate);

  bool paired() const { return paired_; }
  /// Every value is > 0.
  bool positive() const { return positive_; }
  const std::vector<double>& reference() const { return reference_; }
  const std::vector<double>& candidate() const { return candidate_; }

 private:
  bool paired_;
  bool positive_ = true;
  std::vector<double> reference_;
  std::vector<double> candidate_;
};

/// The names that a warning mentions.
struct CheckedNames {
  std::string benchmark;
  std::string reference;
  std::string candidate;
};

/// At this level the checks of a session together err in less than 1 % of clean ones.
inline constexpr double kCheckLevel = 0.001;

struct CheckOptions {
  /// How often each check may err: kCheckLevel divided by the number of gates.
  double level = kCheckLevel;
  /// Blocks that were discarded before the values; absent for a table, where nobody can discard
  /// more.
  std::optional<std::uint64_t> discarded = std::nullopt;
  /// Means are compared: to one that compares ranks an outlier is a value like any other.
  bool by_mean = true;
};

/// What stands against what a comparison of means assumes, in words (docs/statistics.md section 8):
/// `warmup`, `drift` (information), `pairs_drift`, `shapes_differ`, `outliers`, `several_modes`.
/// Advice: no verdict follows from it. Nothing below eight values. Costs milliseconds at 10,000
/// values.
///
/// The thresholds of stats/shape.h are at 1 % each, and there are a dozen: a clean session would be
/// told something every tenth time. So each of these is said only where it passes at `level`.
///
/// The others speak of what follows a warm-up (stats/warmup.h), and an arm that drifts is not said
/// to have several modes: a level that changes with time gives it those.
///
std::vector<Warning> CheckData(const CheckedValues& values, const KnownMetric& metric,
                               MarginKind margin, const CheckedNames& names,
                               const CheckOptions& options = {});

/// "0.25": a number with so many decimals.
std::string Decimals(double value, int decimals);

/// "18.3 % above" for a mean that lies `shift` above `rest`; without a unit's name where there is
/// no share of it: "0.25 below", for a `rest` of 0.
std::string AwayFrom(double shift, double rest);

}  // namespace benchd
