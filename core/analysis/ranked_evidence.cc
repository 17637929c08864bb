#include "core/analysis/ranked_evidence.h"

#include "core/stats/geometric_looks.h"
#include "core/stats/hodges_lehmann.h"
#include "core/stats/median_interval.h"

namespace benchd {
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
