#include "core/analysis/gate_judgement.h"

#include <cmath>

namespace benchd {

void ZeroWatch::Add(EffectEstimator::Values reference, EffectEstimator::Values candidate) {
  // If the arms are independent, a block may contain only one of them.
  any_reference_ = any_reference_ || !reference.empty();
  any_candidate_ = any_candidate_ || !candidate.empty();
  for (const ArmValue& one : reference) {
    reference_zero_ = reference_zero_ && one.value == 0;
    reference_above_ = reference_above_ && one.value > 0;
  }
  for (const ArmValue& one : candidate) {
    candidate_sum_ += one.value;
    candidate_zero_ = candidate_zero_ && one.value == 0;
    candidate_counts_ = candidate_counts_ && one.value > 0 && one.value == std::floor(one.value);
  }
}

void ConstantWatch::Add(EffectEstimator::Values reference, EffectEstimator::Values candidate) {
  Take(reference, reference_);
  Take(candidate, candidate_);
}

void ConstantWatch::Take(EffectEstimator::Values values, std::optional<double>& first) {
  for (const ArmValue& one : values) {
    if (!first) first = one.value;
    varies_ = varies_ || !one.constant || one.value != *first;
  }
}

}  // namespace benchd
