#include "core/analysis/paired_evidence.h"

#include "core/stats/pairing_gain.h"

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

}  // namespace benchd
