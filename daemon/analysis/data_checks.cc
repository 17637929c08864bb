#include "daemon/analysis/data_checks.h"

#include <algorithm>
#include <utility>

#include "daemon/stats/samples.h"
#include "daemon/stats/shape.h"

namespace benchd {
namespace {

constexpr std::size_t kFewestChecked = 8;
/// A normal sample has 0.7 % outside of Tukey's fences; more than that is a tail.
constexpr std::size_t kOutlierShare = 50;

void Keep(Evidence::Values values, std::vector<double>& kept) {
  for (const ArmValue& value : values) {
    if (kept.size() < kMostCheckedValues) kept.push_back(value.value);
  }
}

struct Sentence {
  const char* code;
  std::string text;
};

std::string Of(const KnownMetric& metric, const std::string& arm) {
  return metric.key + " of " + arm;
}

std::string Outliers(const ArmShape& shape) {
  const std::size_t outside = shape.fences->below + shape.fences->above;
  return std::to_string(outside) + " of " + std::to_string(shape.n) +
         " values lie outside of Tukey's fences; the mean hears each of them, --estimator hl does "
         "not";
}

bool IsWorthAWord(const DataWarning& warning, const ArmShape& shape) {
  if (warning.finding != DataFinding::kOutliers) return true;
  return (shape.fences->below + shape.fences->above) * kOutlierShare > shape.n;
}

Sentence Say(const DataWarning& warning, const ArmShape& shape, bool paired,
             const KnownMetric& metric, const CheckedNames& names) {
  const std::string& arm = warning.arm == WhichArm::kCandidate ? names.candidate : names.reference;
  switch (warning.finding) {
    case DataFinding::kArmDrifts:
      return {"drift", Of(metric, arm) + " drifts over time: " +
                           (paired ? "the machine does; pairs absorb it"
                                   : "arms that are not paired do not absorb it")};
    case DataFinding::kPairsDrift:
      return {"pairs_drift", metric.key + ": the differences between " + names.reference + " and " +
                                 names.candidate +
                                 " drift over time, which weakens the stated confidence"};
    case DataFinding::kShapesDiffer:
      return {"shapes_differ", metric.key + " of " + names.reference + " and " + names.candidate +
                                   " differ in shape, not only in place: the stated confidence may "
                                   "be exceeded, most by rare slow runs in one of them "
                                   "(--min-runs 300 helps)"};
    case DataFinding::kOutliers:
      return {"outliers", Of(metric, arm) + ": " + Outliers(shape)};
    case DataFinding::kSeveralModes:
      return {"several_modes",
              Of(metric, arm) + " has several modes: a mean between them is no typical run"};
  }
  return {"", ""};
}

}  // namespace

void CheckedValues::Add(Evidence::Values reference, Evidence::Values candidate) {
  Keep(reference, reference_);
  Keep(candidate, candidate_);
  const auto is_positive = [](const ArmValue& value) { return value.positive; };
  positive_ = positive_ && std::all_of(reference.begin(), reference.end(), is_positive) &&
              std::all_of(candidate.begin(), candidate.end(), is_positive);
}

std::vector<Warning> CheckData(const CheckedValues& values, const KnownMetric& metric,
                               MarginKind margin, const CheckedNames& names) {
  if (std::min(values.reference().size(), values.candidate().size()) < kFewestChecked) return {};
  const bool inverse =
      metric.better == Better::kHigher && margin == MarginKind::kRatio && values.positive();
  DiagnosisOptions options;
  options.contrast = margin == MarginKind::kRatio ? Contrast::kLogRatio : Contrast::kDifference;
  options.paired = values.paired();
  options.judge_shape = ShapeIsVisible(MomentsOf(values.reference()), MomentsOf(values.candidate()),
                                       metric.resolution);
  const auto diagnosis =
      inverse ? Diagnose(Inverted(values.reference()), Inverted(values.candidate()), options)
              : Diagnose(values.reference(), values.candidate(), options);
  if (!diagnosis) return {};

  std::vector<Warning> warnings;
  for (const DataWarning& finding : WarningsOf(*diagnosis)) {
    const bool of_candidate = finding.arm == WhichArm::kCandidate;
    const ArmShape& shape = of_candidate ? diagnosis->candidate : diagnosis->base;
    if (!IsWorthAWord(finding, shape)) continue;
    Sentence sentence = Say(finding, shape, values.paired(), metric, names);
    std::string arm = of_candidate ? names.candidate : names.reference;
    if (finding.arm == WhichArm::kBoth) arm = names.candidate;
    warnings.push_back({.code = sentence.code,
                        .message = std::move(sentence.text),
                        .benchmark = names.benchmark,
                        .arm = std::move(arm)});
  }
  return warnings;
}

}  // namespace benchd
