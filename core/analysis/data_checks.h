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

/// Most values of an arm that are kept for the checks: the first ones. The checks compare ranks and
/// distributions, which costs more than O(n), and this many values suffice.
inline constexpr std::size_t kMostCheckedValues = 10'000;

/// The values of one gate in order of time, kept for the checks of CheckData().
class CheckedValues {
 public:
  explicit CheckedValues(bool paired) : paired_(paired) {}
  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate);

  bool paired() const { return paired_; }
  /// Whether every value is > 0.
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

/// At this level, the checks of one session together err in less than 1 % of clean sessions.
inline constexpr double kCheckLevel = 0.001;

struct CheckOptions {
  /// The error probability of each check: kCheckLevel divided by the number of gates.
  double level = kCheckLevel;
  /// Blocks discarded before these values; absent for a table, where none can be discarded.
  std::optional<std::uint64_t> discarded = std::nullopt;
  /// Means are compared. For estimators by rank, an outlier is a value like any other.
  bool by_mean = true;
};

/// Warnings about violated assumptions of a comparison of means (docs/statistics.md section 8):
/// `warmup`, `drift` (information), `pairs_drift`, `shapes_differ`, `outliers`, `several_modes`.
/// They are advice and affect no verdict. Empty for fewer than eight values. Takes milliseconds for
/// 10,000 values.
///
/// The dozen thresholds of stats/shape.h hold at 1 % each, so every tenth clean session would get a
/// warning. Therefore each is reported only if it also passes at `level`.
///
/// All checks but `warmup` use the values after the warm-up (stats/warmup.h). A drifting arm is not
/// reported as having several modes, because a drifting level produces these.
std::vector<Warning> CheckData(const CheckedValues& values, const KnownMetric& metric,
                               MarginKind margin, const CheckedNames& names,
                               const CheckOptions& options = {});

/// "0.25": a number with that many decimals.
std::string Decimals(double value, int decimals);

/// "18.3 % above" for a mean that lies `shift` above `rest`; in the metric's unit, without its
/// name, if `rest` is 0: "0.25 below".
std::string AwayFrom(double shift, double rest);

}  // namespace benchd
