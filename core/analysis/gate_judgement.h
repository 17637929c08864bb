#pragma once

#include <string_view>

#include "core/analysis/effect_estimator.h"
#include "core/model/comparison.h"
#include "core/model/verdict_reason.h"

namespace benchd {

/// What a gate comes to, with what no interval says: that a value is missing, that runs failed, or
/// that there is nothing to take a ratio of. See BenchmarkAnalysis::JudgementOf().
struct Judgement {
  Verdict verdict = Verdict::kUndecided;
  std::string_view reason;  ///< Comparison::reason
  bool settled = false;     ///< more runs of this gate change nothing
};

/// Whether a comparison begins or ends at nothing, and in exact counts.
class ZeroWatch {
 public:
  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate);

  /// Every value of the reference is 0: what a candidate adds to it is no share of anything.
  bool FromZero() const { return AnyOfBoth() && reference_zero_; }
  /// Of such a reference: the candidate is above it on average.
  bool AboveZero() const { return FromZero() && candidate_sum_ > 0; }
  /// So much as that, and every value of the candidate is a whole number above 0: a count that left
  /// 0 for good.
  bool LeftZero() const { return FromZero() && candidate_counts_; }
  /// The reference always had some, the candidate never has any.
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
