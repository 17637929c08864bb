#include "core/stats/shape.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/stats/dip.h"
#include "core/stats/moments.h"
#include "core/stats/paired_estimate.h"
#include "core/stats/paired_moments.h"
#include "core/stats/pairing_gain.h"
#include "core/stats/samples.h"

namespace benchd {
namespace {

constexpr double kShapeLevel = 0.01;
constexpr double kStepsPerDeviation = 2;
constexpr std::size_t kFewestForDip = 4;

bool IsBeyond(const std::optional<RankTrend>& trend, const std::optional<LevelChange>& change) {
  return (trend && IsTrend(*trend)) || (change && IsLevelChange(*change));
}

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

std::vector<double> Scaled(std::span<const double> values, double mean, Contrast contrast) {
  std::vector<double> scaled(values.begin(), values.end());
  for (double& value : scaled)
    value = contrast == Contrast::kLogRatio ? value / mean : value - mean;
  return scaled;
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

bool ArmShape::Drifts() const { return IsBeyond(trend, level_change); }
bool ArmShape::SeveralModes() const { return dip && *dip > DipThreshold(n); }
bool Diagnosis::PairsDrift() const { return IsBeyond(pair_trend, pair_level_change); }
bool Diagnosis::ShapesDiffer() const { return shapes && shapes->p < kShapeLevel; }

bool ShapeIsVisible(const Moments& raw_b, const Moments& raw_c, double resolution) {
  return std::min(raw_b.standard_deviation(), raw_c.standard_deviation()) >=
         kStepsPerDeviation * resolution;
}

Result<Diagnosis> Diagnose(std::span<const double> base, std::span<const double> candidate,
                           const DiagnosisOptions& options) {
  if (Result<void> finite = CheckFinite(base); !finite) return finite.error();
  if (Result<void> finite = CheckFinite(candidate); !finite) return finite.error();
  if (options.paired && base.size() != candidate.size()) {
    return InvalidArgument("values", "two arms of pairs must have as many values");
  }
  const Moments b = MomentsOf(base);
  const Moments c = MomentsOf(candidate);
  Diagnosis diagnosis;
  diagnosis.base = ShapeOf(base, options.judge_shape);
  diagnosis.candidate = ShapeOf(candidate, options.judge_shape);
  const bool scalable = options.contrast == Contrast::kDifference || (b.mean() > 0 && c.mean() > 0);
  if (options.judge_shape && scalable) {
    const Result<KolmogorovSmirnov> shapes = CompareDistributions(
        Scaled(base, b.mean(), options.contrast), Scaled(candidate, c.mean(), options.contrast));
    if (shapes) diagnosis.shapes = *shapes;
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
  add(diagnosis.ShapesDiffer(), DataFinding::kShapesDiffer, WhichArm::kBoth);
  add(base.fences && base.fences->AnyOutside(), DataFinding::kOutliers, WhichArm::kBase);
  add(candidate.fences && candidate.fences->AnyOutside(), DataFinding::kOutliers,
      WhichArm::kCandidate);
  add(base.SeveralModes(), DataFinding::kSeveralModes, WhichArm::kBase);
  add(candidate.SeveralModes(), DataFinding::kSeveralModes, WhichArm::kCandidate);
  return warnings;
}

}  // namespace benchd
