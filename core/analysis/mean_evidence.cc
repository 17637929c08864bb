#include "core/analysis/mean_evidence.h"

#include <algorithm>

#include "core/stats/paired.h"

namespace benchd {

void PairedMeans::Take(Values reference, Values candidate) {
  const double b = reference.front().value;
  const double c = candidate.front().value;
  raw_.Add(b, c);
  if (Harmonic()) inverse_.Add(1 / b, 1 / c);
}

ArmFigures PairedMeans::Reference() const {
  const CentredMoments moments = Analysed();
  const double sd = moments.StandardDeviationB();
  return Harmonic() ? HarmonicFigures(moments.n, moments.mean_b, sd)
                    : FiguresOf(moments.n, moments.mean_b, sd);
}

ArmFigures PairedMeans::Candidate() const {
  const CentredMoments moments = Analysed();
  const double sd = moments.StandardDeviationC();
  return Harmonic() ? HarmonicFigures(moments.n, moments.mean_c, sd)
                    : FiguresOf(moments.n, moments.mean_c, sd);
}

bool PairedMeans::Defined(Contrast scale) const {
  if (scale == Contrast::kDifference) return DifferenceDefined(raw_.Centred());
  return (!rate() || positive()) && RatioDefined(Analysed());
}

std::optional<double> PairedMeans::PairingGain(Contrast scale) const {
  if (!Defined(scale)) return std::nullopt;
  return scale == Contrast::kLogRatio ? RatioPairingGain(Analysed())
                                      : DifferencePairingGain(raw_.Centred());
}

PairedEstimate PairedMeans::EstimateOn(Contrast scale, double resolution) const {
  const CentredMoments raw = raw_.Centred();
  const bool coarse = NeedsWidening(raw, resolution);
  if (scale == Contrast::kLogRatio) {
    PairedEstimate ratio = EstimateRatio(Harmonic() ? inverse_.Centred() : raw);
    if (coarse) ratio.widening = RatioWidening(raw, resolution);
    return ratio;
  }
  PairedEstimate difference = EstimateDifference(raw);
  if (rate()) difference = difference.Mirrored();
  if (coarse) difference.widening = DifferenceWidening(resolution);
  return difference;
}

void PairedEvidence::Take(Values reference, Values candidate) {
  PairedMeans::Take(reference, candidate);
  critical_t_.reset();
}

ScaleEstimate PairedEvidence::On(Contrast scale, double resolution) const {
  const PairedEstimate estimate = EstimateOn(scale, resolution);
  return {estimate.centre, estimate.widening};
}

std::optional<Interval> PairedEvidence::IntervalOn(Contrast scale, double resolution) const {
  if (!critical_t_) return std::nullopt;
  const PairedEstimate estimate = EstimateOn(scale, resolution);
  return p_.once() ? PlainInterval(estimate, *critical_t_)
                   : GuardedInterval(estimate, *critical_t_);
}

bool PairedEvidence::Look(Contrast deciding, double resolution, Level& level) {
  if (raw().n() < level.boundary().first_look()) return false;
  critical_t_ = level.CriticalT(raw().n());
  p_.running().Update(EstimateOn(deciding, resolution), subject().Hypothesis(), level.boundary());
  return true;
}

bool PairedEvidence::LookOnce(Contrast deciding, double resolution, const Level& level) {
  if (raw().n() < 2 || !Defined(deciding)) return false;
  const PairedEstimate estimate = EstimateOn(deciding, resolution);
  critical_t_ = level.FixedT(raw().n());
  p_.TakeOnce(FixedPValue(estimate, subject().Hypothesis()), estimate.centre);
  return true;
}

std::optional<PairedEstimate> PairedEvidence::ForForecast(Contrast scale, double resolution,
                                                          const Level& /*level*/) const {
  if (!Defined(scale)) return std::nullopt;
  return EstimateOn(scale, resolution);
}

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
