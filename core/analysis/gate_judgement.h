#pragma once

#include <optional>
#include <string_view>

#include "core/analysis/effect_estimator.h"
#include "core/model/comparison.h"
#include "core/model/verdict_reason.h"

namespace benchd {

/// The judgement of a gate. It takes into account facts that an interval does not show: missing
/// values, failed runs, or the lack of a ratio. See BenchmarkAnalysis::JudgementOf().
struct Judgement {
  Verdict verdict = Verdict::kUndecided;
  std::string_view reason;  ///< code for Comparison::reason
  bool settled = false;     ///< more runs cannot change it
};

/// Detects comparisons in which one arm is always 0, and values that are counts.
class ZeroWatch {
 public:
  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate);

  /// Returns whether every value of the reference is 0, so that there is no relative change.
  bool FromZero() const { return AnyOfBoth() && reference_zero_; }
  /// Returns whether FromZero() holds and the candidate's mean is above 0.
  bool AboveZero() const { return FromZero() && candidate_sum_ > 0; }
  /// Returns whether FromZero() holds and every value of the candidate is a whole number above 0: a
  /// count that left 0 permanently.
  bool LeftZero() const { return FromZero() && candidate_counts_; }
  /// Returns whether every value of the reference is above 0 and every value of the candidate is 0.
  bool FellToZero() const { return AnyOfBoth() && reference_above_ && candidate_zero_; }

 private:
  bool AnyOfBoth() const { return any_reference_ && any_candidate_; }

  bool any_reference_ = false;
  bool any_candidate_ = false;
  bool reference_zero_ = true;
  bool reference_above_ = true;
  bool candidate_zero_ = true;
  bool candidate_counts_ = true;
  double candidate_sum_ = 0;
};

/// Detects whether the values of each arm are all equal, as an exact gate requires.
class ConstantWatch {
 public:
  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate);

  /// Returns whether both arms have values, and every sample of each arm is the same.
  bool constant() const { return !varies_ && reference_ && candidate_; }
  /// Returns whether an arm has two different samples.
  bool varies() const { return varies_; }
  /// Returns the value of an arm. Requires constant().
  double reference() const { return *reference_; }
  double candidate() const { return *candidate_; }

 private:
  void Take(EffectEstimator::Values values, std::optional<double>& first);

  bool varies_ = false;
  std::optional<double> reference_;  // the first value
  std::optional<double> candidate_;
};

}  // namespace benchd
