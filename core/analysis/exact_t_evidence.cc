#include "core/analysis/exact_t_evidence.h"

namespace benchd {

void ExactTEvidence::Take(Values reference, Values candidate) {
  PairedMeans::Take(reference, candidate);
  critical_.reset();
}

/// Of the reference that the candidate is held against.
double ExactTEvidence::Factor() const {
  const auto& gate = subject().gate;
  if (!gate || gate->kind != MarginKind::kRatio) return 1;
  return rate() ? RateFactor(gate->margin) : LowerIsBetterFactor(gate->margin);
}

double ExactTEvidence::TOn(Contrast scale, double resolution) const {
  if (scale == Contrast::kDifference) {
    return ExactT(EstimateOn(scale, resolution), subject().Hypothesis());
  }
  const CentredMoments moments = Analysed();
  const ArmSteps steps = StepsOf(raw().Centred(), moments, resolution);
  return ExactT(EstimateAgainstFactor(moments, Factor(), steps), 0);
}

ScaleEstimate ExactTEvidence::On(Contrast scale, double resolution) const {
  const PairedEstimate estimate = EstimateOn(scale, resolution);
  return {estimate.centre, estimate.widening};
}

std::optional<Interval> ExactTEvidence::IntervalOn(Contrast scale, double resolution) const {
  if (!critical_) return std::nullopt;
  if (scale == Contrast::kDifference) {
    return PlainInterval(EstimateOn(scale, resolution), *critical_);
  }
  const CentredMoments moments = Analysed();
  return ExactRatioInterval(moments, *critical_, StepsOf(raw().Centred(), moments, resolution));
}

bool ExactTEvidence::Look(Contrast deciding, double resolution, Level& level) {
  const ExactTBoundary& boundary = *level.exact_t();
  const std::uint64_t n = raw().n();
  if (n < boundary.first_look()) return false;
  critical_ = boundary.CriticalT(n);
  t_ = TOn(deciding, resolution);
  running_p_.Update(t_, n, boundary);
  return true;
}

MarginDecision ExactTEvidence::Judge(Contrast /*scale*/, double /*resolution*/) const {
  if (!critical_ || !subject().gate) return MarginDecision::kContinue;
  return DecideExactT(t_, *critical_);
}

// Lai's boundary lies close to that of Robbins.
std::optional<PairedEstimate> ExactTEvidence::ForForecast(Contrast scale, double resolution,
                                                          const Level& /*level*/) const {
  if (!Defined(scale)) return std::nullopt;
  PairedEstimate estimate = EstimateOn(scale, resolution);
  estimate.kappa = 0;
  return estimate;
}

}  // namespace benchd
