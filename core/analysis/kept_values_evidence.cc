#include "core/analysis/kept_values_evidence.h"

#include <algorithm>
#include <cmath>

#include "core/stats/hodges_lehmann.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

std::vector<double> SortedLogs(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<double> Sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

void KeptValues::Take(Values reference, Values candidate) {
  for (const ArmValue& value : reference) {
    reference_.push_back(value.value);
    raw_reference_.Add(value.value);
  }
  for (const ArmValue& value : candidate) {
    candidate_.push_back(value.value);
    raw_candidate_.Add(value.value);
  }
}

bool KeptValues::Defined(Contrast scale) const { return Of(scale).has_value(); }

double KeptValues::Widening(Contrast scale, double resolution) const {
  if (!NeedsWidening(raw_reference_, raw_candidate_, resolution)) return 0;
  return scale == Contrast::kLogRatio ? RatioWidening(raw_reference_, raw_candidate_, resolution)
                                      : DifferenceWidening(resolution);
}

ScaleEstimate KeptValues::On(Contrast scale, double resolution) const {
  return {Of(scale)->estimate, Widening(scale, resolution)};
}

std::optional<Interval> KeptValues::IntervalOn(Contrast scale, double resolution) const {
  const std::optional<Answer>& answer = Of(scale);
  if (!answer || !answer->interval) return std::nullopt;
  const double widening = Widening(scale, resolution);
  return Interval{answer->interval->lo - widening, answer->interval->hi + widening};
}

// Rates: the ratio is one of slowness, a difference counts what is lost.
std::optional<KeptValues::Answer> KeptValues::AskOn(Contrast scale, double alpha,
                                                    double widening) const {
  if (std::min(reference_.size(), candidate_.size()) < FewestValues()) return std::nullopt;
  if (scale == Contrast::kLogRatio) {
    if (!positive()) return std::nullopt;
    if (!rate()) return Ask(scale, reference_, candidate_, alpha, widening);
    return Ask(scale, Inverted(reference_), Inverted(candidate_), alpha, widening);
  }
  return rate() ? Ask(scale, candidate_, reference_, alpha, widening)
                : Ask(scale, reference_, candidate_, alpha, widening);
}

bool KeptValues::LookOnce(Contrast deciding, double resolution, const Level& level) {
  const double alpha = level.two_sided();
  ratio_ = AskOn(Contrast::kLogRatio, alpha, Widening(Contrast::kLogRatio, resolution));
  difference_ = AskOn(Contrast::kDifference, alpha, Widening(Contrast::kDifference, resolution));
  const std::optional<Answer>& answer = Of(deciding);
  if (!answer) return false;
  p_value_ = answer->p_value;
  direction_ = SignOf(answer->estimate);
  return true;
}

std::optional<KeptValues::Answer> QuantileEvidence::Ask(Contrast scale,
                                                        const std::vector<double>& reference,
                                                        const std::vector<double>& candidate,
                                                        double alpha, double widening) const {
  // A lost rate is the reference's low end less the candidate's: the same runs, counted from below.
  const double p = rate() && scale == Contrast::kDifference ? 1 - quantile_ : quantile_;
  const auto bootstrap = QuantileContrast(reference, candidate, p, scale, pairing_, seed_);
  if (!bootstrap) return std::nullopt;
  Answer answer;
  answer.estimate = bootstrap->estimate();
  answer.p_value = bootstrap->PValue(subject().Hypothesis(), widening);
  const std::size_t n = std::min(reference.size(), candidate.size());
  if (QuantileIntervalPossible(n, p, alpha)) {
    if (const auto interval = bootstrap->At(alpha)) answer.interval = *interval;
  }
  return answer;
}

std::optional<KeptValues::Answer> ShiftEvidence::Ask(Contrast scale,
                                                     const std::vector<double>& reference,
                                                     const std::vector<double>& candidate,
                                                     double alpha, double widening) const {
  const bool ratio = scale == Contrast::kLogRatio;
  const std::vector<double> b = ratio ? SortedLogs(reference) : Sorted(reference);
  const std::vector<double> c = ratio ? SortedLogs(candidate) : Sorted(candidate);
  const auto look = HodgesLehmannShift(b, c, alpha);
  const auto p = HodgesLehmannShiftP(b, c, subject().Hypothesis(), widening);
  if (!look || !p) return std::nullopt;
  return Answer{look->estimate, look->interval, *p};
}

}  // namespace benchd
