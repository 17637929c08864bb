#include "core/stats/similarity/assessment.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/try.h"

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

namespace {

// The current clusters, and for each pair of them the sum of the distances between their runs.
class Linkage {
 public:
  Linkage(std::span<const RunPair> pairs, std::size_t runs)
      : sums_(runs, std::vector<double>(runs, 0)) {
    for (std::size_t run = 0; run < runs; ++run) clusters_.push_back({run});
    for (const RunPair& pair : pairs) {
      sums_[pair.first][pair.second] = sums_[pair.second][pair.first] = pair.SameDistance();
    }
  }

  const std::vector<std::vector<std::size_t>>& clusters() const { return clusters_; }

  struct Nearest {
    double height = 0;
    std::size_t first = 0;
    std::size_t second = 0;
  };
  Nearest FindNearest() const {
    Nearest nearest;
    bool found = false;
    for (std::size_t p = 0; p < clusters_.size(); ++p) {
      for (std::size_t q = p + 1; q < clusters_.size(); ++q) {
        const double height =
            sums_[p][q] / static_cast<double>(clusters_[p].size() * clusters_[q].size());
        if (found && height >= nearest.height) continue;
        nearest = {height, p, q};
        found = true;
      }
    }
    return nearest;
  }

  void Merge(std::size_t p, std::size_t q) {
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      sums_[p][k] += sums_[q][k];
      sums_[k][p] = sums_[p][k];
    }
    for (std::vector<double>& row : sums_) row.erase(row.begin() + static_cast<std::int64_t>(q));
    sums_.erase(sums_.begin() + static_cast<std::int64_t>(q));
    clusters_[p].insert(clusters_[p].end(), clusters_[q].begin(), clusters_[q].end());
    clusters_.erase(clusters_.begin() + static_cast<std::int64_t>(q));
  }

 private:
  std::vector<std::vector<double>> sums_;
  std::vector<std::vector<std::size_t>> clusters_;
};

std::vector<std::size_t> LabelsOf(std::vector<std::vector<std::size_t>> clusters,
                                  std::size_t runs) {
  for (std::vector<std::size_t>& cluster : clusters) std::ranges::sort(cluster);
  std::ranges::sort(clusters);
  std::vector<std::size_t> labels(runs);
  for (std::size_t label = 0; label < clusters.size(); ++label) {
    for (const std::size_t run : clusters[label]) labels[run] = label;
  }
  return labels;
}

}  // namespace

RunClusters ClusterRuns(std::span<const RunPair> pairs, std::size_t runs, double threshold) {
  Linkage linkage(pairs, runs);
  RunClusters result;
  while (linkage.clusters().size() > 1) {
    const Linkage::Nearest nearest = linkage.FindNearest();
    if (nearest.height > threshold && result.labels.empty()) {
      result.labels = LabelsOf(linkage.clusters(), runs);
      result.clusters = linkage.clusters().size();
    }
    result.merge_heights.push_back(nearest.height);
    linkage.Merge(nearest.first, nearest.second);
  }
  if (result.labels.empty()) result.labels.assign(runs, 0);
  return result;
}

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

// Repeats the methods that found the runs dissimilar, with the spikes removed.
class SecondLook {
 public:
  SecondLook(RunComparison clipped, std::size_t runs, double threshold)
      : clipped_(std::move(clipped)), runs_(runs), threshold_(threshold) {}

  bool Dissimilar(SimilarityVariant variant) {
    // M2 has not been computed and is 0; it matters only if the others are one vote short.
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
  TRY(RunComparison clipped, RunComparison::Begin(ClipSpikes(runs)));
  SecondLook second(std::move(clipped), runs.size(), options.threshold);
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
  TRY(const std::vector<RunPair> pairs, ComparePairs(runs));
  SimilarityAssessment found;
  found.runs = runs.size();
  found.values = runs.front().size();
  found.differs_most = DiffersMost(pairs, runs.size(), options.variant);
  found.literal = Vote(pairs, SimilarityVariant::kLiteral, options.threshold);
  found.shape = Vote(pairs, SimilarityVariant::kShape, options.threshold);
  found.same = ClusterRuns(pairs, runs.size());
  if (!found.Assessable()) return found;
  found.by_literal = found.by_shape = found.by_same = Resemblance::kSimilar;
  if (found.literal.Dissimilar() || found.shape.Dissimilar() || found.same.Dissimilar()) {
    TRY_VOID(LookAgain(runs, options, found));
  }
  return found;
}

}  // namespace benchd
