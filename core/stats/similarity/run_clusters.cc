#include "core/stats/similarity/run_clusters.h"

#include <algorithm>
#include <cstdint>

namespace benchd {
namespace {

// Clusters in a row, and for each two of them the sum of the distances between their runs.
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

}  // namespace benchd
