#include "core/analysis/welch_evidence.h"

#include <algorithm>

namespace benchd {

void ArmMoments::Add(double value, bool harmonic) {
  raw_.Add(value);
  if (harmonic) inverse_.Add(1 / value);
}

ArmFigures ArmMoments::Figures(bool harmonic) const {
  if (!harmonic) return FiguresOf(raw_);
  return HarmonicFigures(inverse_.count(), inverse_.mean(), inverse_.standard_deviation());
}

void WelchEvidence::Take(Values reference, Values candidate) {
  for (const ArmValue& value : reference) reference_.Add(value.value, Harmonic());
  for (const ArmValue& value : candidate) candidate_.Add(value.value, Harmonic());
  last_look_ = LastLook::kNone;
}

bool WelchEvidence::Defined(Contrast scale) const {
  if (scale == Contrast::kDifference) {
    return DifferenceDefined(reference_.raw(), candidate_.raw());
  }
  if (!rate()) return RatioDefined(reference_.raw(), candidate_.raw());
  return positive() && RatioDefined(reference_.inverse(), candidate_.inverse());
}

WelchEstimate WelchEvidence::EstimateOn(Contrast scale, double resolution) const {
  const Moments& b = reference_.raw();
  const Moments& c = candidate_.raw();
  const bool coarse = NeedsWidening(b, c, resolution);
  if (scale == Contrast::kLogRatio) {
    WelchEstimate ratio = Harmonic()
                              ? EstimateWelchRatio(reference_.inverse(), candidate_.inverse())
                              : EstimateWelchRatio(b, c);
    if (coarse) ratio.widening = RatioWidening(b, c, resolution);
    return ratio;
  }
  WelchEstimate difference = EstimateWelchDifference(b, c);
  if (rate()) difference = difference.Mirrored();
  if (coarse) difference.widening = DifferenceWidening(resolution);
  return difference;
}

ScaleEstimate WelchEvidence::On(Contrast scale, double resolution) const {
  const WelchEstimate estimate = EstimateOn(scale, resolution);
  return {estimate.centre, estimate.widening};
}

std::optional<Interval> WelchEvidence::IntervalOn(Contrast scale, double resolution) const {
  if (last_look_ == LastLook::kNone) return std::nullopt;
  const WelchEstimate estimate = EstimateOn(scale, resolution);
  const double t = last_look_ == LastLook::kOnce ? FixedCriticalT(fixed_alpha_, estimate)
                                                 : CriticalT(estimate, *boundary_);
  return PlainInterval(estimate, t);
}

bool WelchEvidence::Look(Contrast deciding, double resolution, Level& level) {
  const WelchEstimate estimate = EstimateOn(deciding, resolution);
  if (!MayLook(estimate, level.boundary())) return false;
  boundary_ = level.boundary();
  last_look_ = LastLook::kWatched;
  p_.running().Update(FindingAgainst(estimate, subject().Hypothesis()), level.boundary());
  return true;
}

bool WelchEvidence::LookOnce(Contrast deciding, double resolution, const Level& level) {
  if (!Defined(deciding)) return false;
  const WelchEstimate estimate = EstimateOn(deciding, resolution);
  if (std::min(estimate.n_b, estimate.n_c) < 2) return false;
  fixed_alpha_ = level.two_sided();
  last_look_ = LastLook::kOnce;
  p_.TakeOnce(FixedPValue(estimate, subject().Hypothesis()), estimate.centre);
  return true;
}

}  // namespace benchd
