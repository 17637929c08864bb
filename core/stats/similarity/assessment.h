#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/similarity/measures.h"

namespace benchd {

/// A mean strictly above it speaks for dissimilar runs.
inline constexpr double kSimilarityThreshold = 0.25;

/// So many of the five do.
inline constexpr int kDissimilarVotes = 3;

/// One measure over all pairs.
struct PairMeasure {
  double mean = 0;
  double max = 0;
  std::size_t first = 0;  ///< the pair with `max`, the first one on a tie
  std::size_t second = 0;
  bool operator==(const PairMeasure&) const = default;
};

/// Algorithm 1: each measure's mean over all pairs of runs has one vote.
struct MajorityVote {
  std::array<PairMeasure, 5> measures;  ///< M1 to M5
  int above = 0;                        ///< how many means are strictly above the threshold
  bool Dissimilar() const { return above >= kDissimilarVotes; }
  bool operator==(const MajorityVote&) const = default;
};

/// @param pairs  one at least.
/// Source: A. Bauer et al., ICPE '23 Companion, Algorithm 1.
MajorityVote Vote(std::span<const RunPair> pairs, SimilarityVariant variant,
                  double threshold = kSimilarityThreshold);

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

enum class Resemblance {
  kSimilar,
  kDissimilar,
  kSpikes,         ///< dissimilar, but similar once each run is clipped to its 1 % to 99 %
  kNotAssessable,  ///< fewer than kFewestAssessableValues a run
};

struct SimilarityOptions {
  double threshold = kSimilarityThreshold;                  ///< of Algorithm 1, in [0, 1]
  SimilarityVariant variant = SimilarityVariant::kLiteral;  ///< whose word `differs_most` follows
};

/// Whether the runs of one benchmark resemble each other, by every method. Advice: nothing that
/// decides follows from it (docs/similarity.md says what each method sees, and what it is blind
/// to).
///
/// With fewer values than kFewestAssessableValues the numbers are there, and the answers are all
/// kNotAssessable.
struct SimilarityAssessment {
  std::size_t runs = 0;
  std::size_t values = 0;  ///< of each run
  MajorityVote literal;
  MajorityVote shape;
  RunClusters same;
  Resemblance by_literal = Resemblance::kNotAssessable;
  Resemblance by_shape = Resemblance::kNotAssessable;
  Resemblance by_same = Resemblance::kNotAssessable;
  /// The run whose five measures to the others add up to the most, the first one on a tie.
  std::size_t differs_most = 0;

  bool Assessable() const { return values >= kFewestAssessableValues; }
  Resemblance By(SimilarityVariant variant) const {
    return variant == SimilarityVariant::kLiteral ? by_literal : by_shape;
  }
};

/// Compares all pairs, and once more after clipping where a method finds the runs dissimilar.
///
/// @errors kInvalidArgument: those of CheckRuns(), a threshold outside [0, 1].
Result<SimilarityAssessment> AssessRuns(RunSeries runs, const SimilarityOptions& options = {});

}  // namespace benchd
