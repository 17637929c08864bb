#include "core/analysis/make_evidence.h"

#include "core/analysis/mean_evidence.h"
#include "core/analysis/value_evidence.h"

namespace benchd {
namespace {

std::unique_ptr<Evidence> OfMeans(const LookPlan& plan, const Subject& subject) {
  if (!plan.paired) return std::make_unique<WelchEvidence>(subject);
  if (plan.method == Method::kExactT) return std::make_unique<ExactTEvidence>(subject);
  return std::make_unique<PairedEvidence>(subject);
}

}  // namespace

std::unique_ptr<Evidence> MakeEvidence(const LookPlan& plan, const Subject& subject) {
  switch (plan.estimator.kind) {
    case EstimatorKind::kMean:
      return OfMeans(plan, subject);
    case EstimatorKind::kHodgesLehmann:
      if (!plan.paired) return std::make_unique<ShiftEvidence>(subject);
      return std::make_unique<RankedEvidence>(subject, RankedEstimator::kHodgesLehmann);
    case EstimatorKind::kMedian:
      return std::make_unique<RankedEvidence>(subject, RankedEstimator::kMedian);
    case EstimatorKind::kQuantile:
      return std::make_unique<QuantileEvidence>(
          subject, plan.estimator.quantile, plan.paired ? Pairing::kPaired : Pairing::kIndependent,
          plan.seed);
    case EstimatorKind::kLognormalMean:
      return std::make_unique<LognormalEvidence>(subject);
    case EstimatorKind::kSubselection:
      return std::make_unique<WelchEvidence>(subject);
  }
  return OfMeans(plan, subject);
}

}  // namespace benchd
