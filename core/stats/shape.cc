#include "core/stats/shape.h"

#include <algorithm>
#include <cmath>

#include "core/base/try.h"
#include "core/stats/shape_permutation.h"

namespace benchd {
namespace {

constexpr double kShapeLevel = 0.01;
constexpr double kStepsPerDeviation = 2;
constexpr std::size_t kFewestForDip = 4;

bool IsBeyond(const std::optional<RankTrend>& trend, const std::optional<LevelChange>& change) {
  return (trend && IsTrend(*trend)) || (change && IsLevelChange(*change));
}

void DiagnosePairs(std::span<const double> b, std::span<const double> c, Contrast contrast,
                   Diagnosis& diagnosis) {
  PairedMoments moments;
  for (std::size_t i = 0; i < b.size(); ++i) moments.Add(b[i], c[i]);
  const CentredMoments centred = moments.Centred();
  const bool ratio = contrast == Contrast::kLogRatio;
  if (ratio ? !RatioDefined(centred) : !DifferenceDefined(centred)) return;
  std::vector<double> residuals;
  for (std::size_t i = 0; i < b.size(); ++i) {
    residuals.push_back(ratio ? c[i] / centred.mean_c - b[i] / centred.mean_b : c[i] - b[i]);
  }
  diagnosis.pair_trend = TestRankTrend(residuals);
  diagnosis.pair_level_change = TestLevelChange(residuals);
  diagnosis.pairing_gain = ratio ? RatioPairingGain(centred) : DifferencePairingGain(centred);
}

}  // namespace

ArmShape ShapeOf(std::span<const double> values, bool judge_shape) {
  ArmShape shape;
  shape.n = values.size();
  shape.trend = TestRankTrend(values);
  shape.level_change = TestLevelChange(values);
  if (!judge_shape) return shape;
  shape.fences = FindOutliers(values).value();
  if (values.size() < kFewestForDip) return shape;
  if (const Result<double> dip = Dip(values)) shape.dip = *dip;
  return shape;
}

bool ArmShape::Drifts() const { return IsBeyond(trend, level_change); }
bool ArmShape::SeveralModes() const { return dip && *dip > DipThreshold(n); }
bool Diagnosis::PairsDrift() const { return IsBeyond(pair_trend, pair_level_change); }
bool Diagnosis::PairsCorrelated() const {
  return pair_trend && pair_trend->z > kCorrelatedCritical;
}
bool Diagnosis::ShapesDiffer() const { return same_shape_p && *same_shape_p <= kShapeLevel; }

bool ShapeIsVisible(const Moments& raw_b, const Moments& raw_c, double resolution) {
  return std::min(raw_b.standard_deviation(), raw_c.standard_deviation()) >=
         kStepsPerDeviation * resolution;
}

Result<Diagnosis> Diagnose(std::span<const double> base, std::span<const double> candidate,
                           const DiagnosisOptions& options) {
  TRY_VOID(CheckFinite(base));
  TRY_VOID(CheckFinite(candidate));
  if (options.paired && base.size() != candidate.size()) {
    return InvalidArgument("values", "paired arms must have equal numbers of values");
  }
  const Moments b = MomentsOf(base);
  const Moments c = MomentsOf(candidate);
  Diagnosis diagnosis;
  diagnosis.base = ShapeOf(base, options.judge_shape);
  diagnosis.candidate = ShapeOf(candidate, options.judge_shape);
  const bool scalable = options.contrast == Contrast::kDifference || (b.mean() > 0 && c.mean() > 0);
  if (options.judge_shape && scalable) {
    const Result<double> p = SameShapeP(base, candidate, options.contrast,
                                        options.paired ? Pairing::kPaired : Pairing::kIndependent);
    if (p) diagnosis.same_shape_p = *p;
  }
  if (options.paired) DiagnosePairs(base, candidate, options.contrast, diagnosis);
  return diagnosis;
}

std::vector<DataWarning> WarningsOf(const Diagnosis& diagnosis) {
  const ArmShape& base = diagnosis.base;
  const ArmShape& candidate = diagnosis.candidate;
  std::vector<DataWarning> warnings;
  const auto add = [&warnings](bool applies, DataFinding finding, WhichArm arm) {
    if (applies) warnings.push_back({finding, arm});
  };
  add(base.Drifts(), DataFinding::kArmDrifts, WhichArm::kBase);
  add(candidate.Drifts(), DataFinding::kArmDrifts, WhichArm::kCandidate);
  add(diagnosis.PairsDrift(), DataFinding::kPairsDrift, WhichArm::kBoth);
  add(diagnosis.PairsCorrelated(), DataFinding::kPairsCorrelated, WhichArm::kBoth);
  add(diagnosis.ShapesDiffer(), DataFinding::kShapesDiffer, WhichArm::kBoth);
  add(base.fences && base.fences->AnyOutside(), DataFinding::kOutliers, WhichArm::kBase);
  add(candidate.fences && candidate.fences->AnyOutside(), DataFinding::kOutliers,
      WhichArm::kCandidate);
  add(base.SeveralModes(), DataFinding::kSeveralModes, WhichArm::kBase);
  add(candidate.SeveralModes(), DataFinding::kSeveralModes, WhichArm::kCandidate);
  return warnings;
}

namespace {

// A jump of the empirical distribution function, in counts of values.
struct Jump {
  double x = 0;      // 0 at the smallest value, 1 at the largest
  double below = 0;  // values < x
  double upto = 0;   // values <= x
};

std::vector<Jump> JumpsOf(const std::vector<double>& sorted) {
  const double origin = sorted.front();
  const double range = sorted.back() - origin;
  std::vector<Jump> jumps;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) {
      const double x = range > 0 ? (sorted[i] - origin) / range : 0;
      jumps.push_back({x, static_cast<double>(i), 0});
    }
    jumps.back().upto = static_cast<double>(i + 1);
  }
  return jumps;
}

// A piecewise linear function whose knots are some of the jumps of an interval, including its ends.
struct Hull {
  std::vector<std::size_t> knots;  // ascending
  double Jump::*height = nullptr;

  double At(const std::vector<Jump>& jumps, std::size_t i) const {
    const auto right = std::lower_bound(knots.begin(), knots.end(), i);
    if (*right == i) return jumps[i].*height;
    const Jump& a = jumps[*(right - 1)];
    const Jump& b = jumps[*right];
    return a.*height + (b.*height - a.*height) * ((jumps[i].x - a.x) / (b.x - a.x));
  }
};

// Returns the hull of the heights over [low, high]. With sign 1, it is the greatest convex function
// below them; with sign -1, the least concave function above them.
Hull HullOf(const std::vector<Jump>& jumps, std::size_t low, std::size_t high, double Jump::*height,
            double sign) {
  Hull hull{{}, height};
  for (std::size_t i = low; i <= high; ++i) {
    while (hull.knots.size() >= 2) {
      const Jump& a = jumps[hull.knots[hull.knots.size() - 2]];
      const Jump& b = jumps[hull.knots.back()];
      const Jump& c = jumps[i];
      const double rise = (b.*height - a.*height) * (c.x - b.x);
      if (sign * rise < sign * (c.*height - b.*height) * (b.x - a.x)) break;
      hull.knots.pop_back();
    }
    hull.knots.push_back(i);
  }
  return hull;
}

// Narrows the interval that contains the mode. Within it, the distribution function is compared
// with its convex minorant (of the counts before each jump) and its concave majorant (of the counts
// after it). The next interval is where the two are furthest apart. The function must be convex to
// the left of that interval and concave to the right; its deviation from that is a lower bound of
// the dip.
class DipSearch {
 public:
  explicit DipSearch(std::vector<Jump> jumps) : jumps_(std::move(jumps)) {}

  // Returns twice the dip, in counts.
  double Run() {
    std::size_t low = 0;
    std::size_t high = jumps_.size() - 1;
    while (low < high) {
      const Hull convex = HullOf(jumps_, low, high, &Jump::below, 1);
      const Hull concave = HullOf(jumps_, low, high, &Jump::upto, -1);
      const Widest widest = FindWidest(convex, concave);
      if (widest.gap <= dip_) break;
      for (std::size_t i = low; i < widest.low; ++i) {
        dip_ = std::max(dip_, jumps_[i].upto - convex.At(jumps_, i));
      }
      for (std::size_t i = widest.high + 1; i <= high; ++i) {
        dip_ = std::max(dip_, concave.At(jumps_, i) - jumps_[i].below);
      }
      if (widest.low == low && widest.high == high) break;
      low = widest.low;
      high = widest.high;
    }
    return dip_;
  }

 private:
  struct Widest {
    double gap = 0;
    std::size_t low = 0;   // a knot of the convex hull
    std::size_t high = 0;  // a knot of the concave hull
  };

  // Both hulls are linear between knots, so the gap is widest at a knot.
  Widest FindWidest(const Hull& convex, const Hull& concave) const {
    Widest widest;
    for (std::size_t low : convex.knots) {
      const double gap = concave.At(jumps_, low) - jumps_[low].below;
      if (gap <= widest.gap) continue;
      widest = {gap, low, *std::lower_bound(concave.knots.begin(), concave.knots.end(), low)};
    }
    for (std::size_t high : concave.knots) {
      const double gap = jumps_[high].upto - convex.At(jumps_, high);
      if (gap <= widest.gap) continue;
      const auto after = std::upper_bound(convex.knots.begin(), convex.knots.end(), high);
      widest = {gap, *(after - 1), high};
    }
    return widest;
  }

  std::vector<Jump> jumps_;
  double dip_ = 1;
};

}  // namespace

Result<double> Dip(std::span<const double> values) {
  TRY(const std::vector<double> sorted, SortedSample(values));
  if (!std::isfinite(sorted.back() - sorted.front())) {
    return InvalidArgument("values", "the range of the values exceeds that of a double");
  }
  return DipSearch(JumpsOf(sorted)).Run() / (2 * static_cast<double>(values.size()));
}

double DipThreshold(std::size_t n) {
  const double root = std::sqrt(static_cast<double>(n));
  return (0.635 - 0.41 / root) / root;
}

}  // namespace benchd
