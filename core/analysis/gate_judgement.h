#pragma once

#include <string_view>

#include "core/analysis/effect_estimator.h"
#include "core/model/comparison.h"
#include "core/model/verdict_reason.h"

namespace benchd {

/// The judgement of a gate, including facts that no interval shows: missing values, failed runs, or
/// no ratio. See BenchmarkAnalysis::JudgementOf().
struct Judgement {
  Verdict verdict = Verdict::kUndecided;
  std::string_view reason;  ///< Comparison::reason
  bool settled = false;     ///< more runs cannot change it
};

/// Detects comparisons in which one arm is always 0, and exact counts.
class ZeroWatch {
 public:
  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate);

  /// Every value of the reference is 0, so there is no relative change.
  bool FromZero() const { return AnyOfBoth() && reference_zero_; }
  /// FromZero(), and the candidate's mean is above 0.
  bool AboveZero() const { return FromZero() && candidate_sum_ > 0; }
  /// FromZero(), and every value of the candidate is a whole number above 0: a count that left 0
  /// permanently.
  bool LeftZero() const { return FromZero() && candidate_counts_; }
  /// Every value of the reference is above 0, and every value of the candidate is 0.
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

}  // namespace benchd
