#include "core/analysis/value_evidence.h"

#include <algorithm>
#include <cmath>

#include "core/stats/decision.h"
#include "core/stats/hodges_lehmann.h"
#include "core/stats/lognormal_mean.h"
#include "core/stats/median_interval.h"
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

namespace {

// Any level gives the same estimate.
constexpr double kLognormalLevel = 0.5;

}  // namespace

void LognormalEvidence::Take(Values reference, Values candidate) {
  const auto take = [this](const ArmValue& value, Arm& arm) {
    arm.raw.Add(value.value);
    if (positive()) arm.logs.Add(rate() ? -std::log(value.value) : std::log(value.value));
  };
  for (const ArmValue& value : reference) take(value, reference_);
  for (const ArmValue& value : candidate) take(value, candidate_);
  alpha_.reset();
}

bool LognormalEvidence::Defined(Contrast scale) const {
  return scale == Contrast::kLogRatio && positive() &&
         std::min(reference_.logs.count(), candidate_.logs.count()) >= 2;
}

double LognormalEvidence::Widening(double resolution) const {
  if (!NeedsWidening(reference_.raw, candidate_.raw, resolution)) return 0;
  return RatioWidening(reference_.raw, candidate_.raw, resolution);
}

/// As many pairs as would carry what the logs of two independent arms do.
double LognormalEvidence::Clock() const {
  return EstimateWelchDifference(reference_.logs, candidate_.logs).clock;
}

double LognormalEvidence::PValueAt(double resolution) const {
  const auto p = LognormalMeanP(reference_.logs, candidate_.logs, subject().Hypothesis(),
                                Widening(resolution));
  return p ? *p : 1;
}

ScaleEstimate LognormalEvidence::On(Contrast /*scale*/, double resolution) const {
  const auto look = LognormalMeanRatio(reference_.logs, candidate_.logs, kLognormalLevel);
  return {look ? look->estimate : 0, Widening(resolution)};
}

std::optional<Interval> LognormalEvidence::IntervalOn(Contrast scale, double resolution) const {
  if (!alpha_ || !Defined(scale)) return std::nullopt;
  const auto look = LognormalMeanRatio(reference_.logs, candidate_.logs, *alpha_);
  if (!look || !look->interval) return std::nullopt;
  const double widening = Widening(resolution);
  return Interval{look->interval->lo - widening, look->interval->hi + widening};
}

bool LognormalEvidence::Look(Contrast deciding, double resolution, Level& level) {
  const SequentialBoundary& boundary = level.boundary();
  if (std::min(reference_.logs.count(), candidate_.logs.count()) < boundary.first_look()) {
    return false;
  }
  const double clock = Clock();
  alpha_ = LevelOfOneLook(boundary, clock);
  p_.running().Update(PValueAt(resolution), SignOf(On(deciding, resolution).centre), clock,
                      boundary);
  return true;
}

bool LognormalEvidence::LookOnce(Contrast deciding, double resolution, const Level& level) {
  if (!Defined(deciding)) return false;
  alpha_ = level.two_sided();
  p_.TakeOnce(PValueAt(resolution), On(deciding, resolution).centre);
  return true;
}

namespace {

// Any level gives the same estimate.
constexpr double kRankLevel = 0.5;

}  // namespace

RankedEvidence::RankedEvidence(const Subject& subject, RankedEstimator estimator)
    : Evidence(subject), estimator_(estimator) {}

void RankedEvidence::Take(Values reference, Values candidate) {
  const double b = reference.front().value;
  const double c = candidate.front().value;
  raw_.Add(b, c);
  // Of slowness a rate's log ratio is the negative one, and worse is a negative difference.
  const double from = rate() ? c : b;
  const double to = rate() ? b : c;
  // A pair without a ratio leaves none for all of them: Defined() then compares the counts.
  if (const auto ratio = PairValue(from, to, Contrast::kLogRatio)) {
    InsertSorted(ratio_.sorted, *ratio);
  }
  if (const auto difference = PairValue(from, to, Contrast::kDifference)) {
    InsertSorted(difference_.sorted, *difference);
  }
}

ArmFigures RankedEvidence::Reference() const {
  const CentredMoments raw = raw_.Centred();
  return FiguresOf(raw.n, raw.mean_b, raw.StandardDeviationB());
}

ArmFigures RankedEvidence::Candidate() const {
  const CentredMoments raw = raw_.Centred();
  return FiguresOf(raw.n, raw.mean_c, raw.StandardDeviationC());
}

bool RankedEvidence::Defined(Contrast scale) const {
  return raw_.n() > 0 && Of(scale).sorted.size() == raw_.n();
}

std::optional<OneLook> RankedEvidence::At(const Scale& scale, double alpha) const {
  if (scale.sorted.size() != raw_.n()) return std::nullopt;
  Result<OneLook> look = estimator_ == RankedEstimator::kMedian
                             ? MedianInterval(scale.sorted, alpha)
                             : HodgesLehmann(scale.sorted, alpha);
  if (!look) return std::nullopt;
  return *look;
}

double RankedEvidence::PValueOf(const Scale& scale, double widening) const {
  const double hypothesis = subject().Hypothesis();
  const Result<double> p = estimator_ == RankedEstimator::kMedian
                               ? MedianP(scale.sorted, hypothesis, widening)
                               : HodgesLehmannP(scale.sorted, hypothesis, widening);
  return p ? *p : 1;
}

double RankedEvidence::Centre(const Scale& scale) const {
  if (scale.estimated_at != scale.sorted.size()) {
    const std::optional<OneLook> look = At(scale, kRankLevel);
    scale.estimate = look ? look->estimate : 0;
    scale.estimated_at = scale.sorted.size();
  }
  return scale.estimate;
}

double RankedEvidence::Widening(Contrast scale, double resolution) const {
  const CentredMoments raw = raw_.Centred();
  if (!NeedsWidening(raw, resolution)) return 0;
  return scale == Contrast::kLogRatio ? RatioWidening(raw, resolution)
                                      : DifferenceWidening(resolution);
}

ScaleEstimate RankedEvidence::On(Contrast scale, double resolution) const {
  return {Centre(Of(scale)), Widening(scale, resolution)};
}

std::optional<Interval> RankedEvidence::IntervalOn(Contrast scale, double resolution) const {
  const std::optional<Interval>& interval = Of(scale).interval;
  if (!interval) return std::nullopt;
  const double widening = Widening(scale, resolution);
  return Interval{interval->lo - widening, interval->hi + widening};
}

void RankedEvidence::TakeIntervals(double alpha) {
  for (Scale* scale : {&ratio_, &difference_}) {
    const std::optional<OneLook> look = At(*scale, alpha);
    // One that is not there yet must not take an earlier look's away.
    if (look && look->interval) scale->interval = look->interval;
  }
}

bool RankedEvidence::Look(Contrast deciding, double resolution, Level& level) {
  const SequentialBoundary& boundary = level.boundary();
  const std::uint64_t n = raw_.n();
  if (n < boundary.first_look()) return false;
  if (estimator_ == RankedEstimator::kHodgesLehmann) {
    if (n < next_look_) return false;
    const bool due = IsGeometricLook(n, boundary.first_look());
    next_look_ = NextGeometricLook(n, boundary.first_look());
    if (!due) return false;
  }
  const auto clock = static_cast<double>(n);
  TakeIntervals(LevelOfOneLook(boundary, clock));
  const Scale& scale = Of(deciding);
  p_.running().Update(PValueOf(scale, Widening(deciding, resolution)), SignOf(Centre(scale)), clock,
                      boundary);
  return true;
}

bool RankedEvidence::LookOnce(Contrast deciding, double resolution, const Level& level) {
  if (raw_.n() < 2 || !Defined(deciding)) return false;
  ratio_.interval.reset();
  difference_.interval.reset();
  TakeIntervals(level.two_sided());
  const Scale& scale = Of(deciding);
  p_.TakeOnce(PValueOf(scale, Widening(deciding, resolution)), Centre(scale));
  return true;
}

}  // namespace benchd
