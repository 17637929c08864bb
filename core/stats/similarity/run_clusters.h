#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/stats/similarity/measures.h"

namespace benchd {

/// Clusters are merged up to this mean distance, itself included. Not in the source: calibrated.
inline constexpr double kSameThreshold = 0.20;

/// Runs sorted into clusters by SAME's distances.
struct RunClusters {
  std::vector<std::size_t> labels;    ///< of each run; numbered by each cluster's first run, from 0
  std::vector<double> merge_heights;  ///< in order of merging, one fewer than runs; ascending
  std::size_t clusters = 1;
  bool Dissimilar() const { return clusters > 1; }
  bool operator==(const RunClusters&) const = default;
};

/// Average linkage (UPGMA) over RunPair::SameDistance(); on a tie the clusters of the earliest runs
/// are merged first. Time grows with the cube of the number of runs.
///
/// @param pairs  as ComparePairs() gives them, of `runs` runs.
RunClusters ClusterRuns(std::span<const RunPair> pairs, std::size_t runs,
                        double threshold = kSameThreshold);

}  // namespace benchd
