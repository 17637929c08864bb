#include "core/stats/similarity/assessment.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/result.h"

namespace benchd {
namespace {

std::size_t DiffersMost(std::span<const RunPair> pairs, std::size_t runs,
                        SimilarityVariant variant) {
  std::vector<double> sums(runs, 0);
  for (const RunPair& pair : pairs) {
    for (const double value : pair.Of(variant)) {
      sums[pair.first] += value;
      sums[pair.second] += value;
    }
  }
  return static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
}

Resemblance OfDissimilar(bool still_without_spikes) {
  return still_without_spikes ? Resemblance::kDissimilar : Resemblance::kSpikes;
}

// What the methods that found the runs dissimilar say of them without their spikes.
class SecondLook {
 public:
  SecondLook(RunComparison clipped, std::size_t runs, double threshold)
      : clipped_(std::move(clipped)), runs_(runs), threshold_(threshold) {}

  bool Dissimilar(SimilarityVariant variant) {
    // M2 is still 0: its vote counts only where the others are one short.
    const MajorityVote without = Vote(clipped_.pairs(), variant, threshold_);
    if (without.above + 1 != kDissimilarVotes) return without.Dissimilar();
    clipped_.AddWords(variant);
    return Vote(clipped_.pairs(), variant, threshold_).Dissimilar();
  }
  bool DissimilarBySame() const { return ClusterRuns(clipped_.pairs(), runs_).Dissimilar(); }

 private:
  RunComparison clipped_;
  std::size_t runs_;
  double threshold_;
};

Result<void> LookAgain(RunSeries runs, const SimilarityOptions& options,
                       SimilarityAssessment& found) {
  Result<RunComparison> clipped = RunComparison::Begin(ClipSpikes(runs));
  if (!clipped) return std::move(clipped).error();
  SecondLook second(std::move(clipped).value(), runs.size(), options.threshold);
  for (const auto variant : {SimilarityVariant::kLiteral, SimilarityVariant::kShape}) {
    const bool literal = variant == SimilarityVariant::kLiteral;
    if (!(literal ? found.literal : found.shape).Dissimilar()) continue;
    (literal ? found.by_literal : found.by_shape) = OfDissimilar(second.Dissimilar(variant));
  }
  if (found.same.Dissimilar()) found.by_same = OfDissimilar(second.DissimilarBySame());
  return {};
}

}  // namespace

Result<SimilarityAssessment> AssessRuns(RunSeries runs, const SimilarityOptions& options) {
  if (!(options.threshold >= 0 && options.threshold <= 1)) {
    return InvalidArgument("threshold", "must lie between 0 and 1");
  }
  const Result<std::vector<RunPair>> pairs = ComparePairs(runs);
  if (!pairs) return pairs.error();
  SimilarityAssessment found;
  found.runs = runs.size();
  found.values = runs.front().size();
  found.differs_most = DiffersMost(*pairs, runs.size(), options.variant);
  found.literal = Vote(*pairs, SimilarityVariant::kLiteral, options.threshold);
  found.shape = Vote(*pairs, SimilarityVariant::kShape, options.threshold);
  found.same = ClusterRuns(*pairs, runs.size());
  if (!found.Assessable()) return found;
  found.by_literal = found.by_shape = found.by_same = Resemblance::kSimilar;
  if (found.literal.Dissimilar() || found.shape.Dissimilar() || found.same.Dissimilar()) {
    if (Result<void> again = LookAgain(runs, options, found); !again) return again.error();
  }
  return found;
}

}  // namespace benchd
