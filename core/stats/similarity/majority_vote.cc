#include "core/stats/similarity/majority_vote.h"

namespace benchd {

MajorityVote Vote(std::span<const RunPair> pairs, SimilarityVariant variant, double threshold) {
  MajorityVote vote;
  for (std::size_t m = 0; m < vote.measures.size(); ++m) {
    PairMeasure& measure = vote.measures[m];
    double sum = 0;
    for (const RunPair& pair : pairs) {
      const double value = pair.Of(variant)[m];
      sum += value;
      if (&pair == pairs.data() || value > measure.max) {
        measure.max = value;
        measure.first = pair.first;
        measure.second = pair.second;
      }
    }
    measure.mean = sum / static_cast<double>(pairs.size());
    if (measure.mean > threshold) ++vote.above;
  }
  return vote;
}

}  // namespace benchd
