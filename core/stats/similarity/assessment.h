#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/similarity/measures.h"

namespace benchd {

/// A mean strictly above this is a vote for dissimilar runs.
inline constexpr double kSimilarityThreshold = 0.25;

/// Votes, out of five, that make runs dissimilar.
inline constexpr int kDissimilarVotes = 3;

/// One measure summarised over all pairs.
struct PairMeasure {
  double mean = 0;
  double max = 0;
  std::size_t first = 0;  ///< the pair with `max`, the first one on a tie
  std::size_t second = 0;
  bool operator==(const PairMeasure&) const = default;
};

/// Algorithm 1: the mean of each measure over all pairs of runs has one vote.
struct MajorityVote {
  std::array<PairMeasure, 5> measures;  ///< M1 to M5
  int above = 0;                        ///< number of means strictly above the threshold
  bool Dissimilar() const { return above >= kDissimilarVotes; }
  bool operator==(const MajorityVote&) const = default;
};

/// @param pairs  at least one.
/// Source: A. Bauer et al., ICPE '23 Companion, Algorithm 1.
MajorityVote Vote(std::span<const RunPair> pairs, SimilarityVariant variant,
                  double threshold = kSimilarityThreshold);

/// Clusters merge up to and including this mean distance. Calibrated; the source has no value.
inline constexpr double kSameThreshold = 0.20;

/// The runs clustered by SAME's distances.
struct RunClusters {
  std::vector<std::size_t> labels;    ///< of each run; clusters are numbered by first run, from 0
  std::vector<double> merge_heights;  ///< in order of merging, one fewer than runs; ascending
  std::size_t clusters = 1;
  bool Dissimilar() const { return clusters > 1; }
  bool operator==(const RunClusters&) const = default;
};

/// Average linkage (UPGMA) over RunPair::SameDistance(). On a tie, the clusters of the earliest
/// runs merge first. Time grows with the cube of the number of runs.
///
/// @param pairs  all pairs of `runs` runs, as returned by ComparePairs().
RunClusters ClusterRuns(std::span<const RunPair> pairs, std::size_t runs,
                        double threshold = kSameThreshold);

enum class Resemblance {
  kSimilar,
  kDissimilar,
  kSpikes,         ///< dissimilar, but similar after clipping each run to its 1 % to 99 %
  kNotAssessable,  ///< fewer than kFewestAssessableValues per run
};

struct SimilarityOptions {
  double threshold = kSimilarityThreshold;                  ///< of Algorithm 1, in [0, 1]
  SimilarityVariant variant = SimilarityVariant::kLiteral;  ///< decides `differs_most`
};

/// Whether the runs of one benchmark resemble each other, by every method. Advice only: no decision
/// depends on it (docs/similarity.md describes what each method detects and misses).
///
/// With fewer than kFewestAssessableValues values, the numbers are computed, but all answers are
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
  /// The run with the largest sum of its five measures to the other runs; the first one on a tie.
  std::size_t differs_most = 0;

  bool Assessable() const { return values >= kFewestAssessableValues; }
  Resemblance By(SimilarityVariant variant) const {
    return variant == SimilarityVariant::kLiteral ? by_literal : by_shape;
  }
};

/// Compares all pairs, and repeats the comparison after clipping if a method finds them dissimilar.
///
/// @errors kInvalidArgument: as for CheckRuns(), or a threshold outside [0, 1].
Result<SimilarityAssessment> AssessRuns(RunSeries runs, const SimilarityOptions& options = {});

}  // namespace benchd
