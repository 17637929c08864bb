#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/similarity/measures.h"

namespace benchd {

/// A measure whose mean is strictly above this votes for dissimilar runs.
inline constexpr double kSimilarityThreshold = 0.25;

/// The number of votes, out of five, that make runs dissimilar.
inline constexpr int kDissimilarVotes = 3;

/// The summary of one measure over all pairs.
struct PairMeasure {
  double mean = 0;
  double max = 0;
  std::size_t first = 0;  ///< with `second`: the pair that has `max`; the earliest on a tie
  std::size_t second = 0;
  bool operator==(const PairMeasure&) const = default;
};

/// The result of Algorithm 1, in which the mean of each measure over all pairs of runs has one
/// vote.
struct MajorityVote {
  std::array<PairMeasure, 5> measures;  ///< M1 to M5
  int above = 0;                        ///< number of means strictly above the threshold
  bool Dissimilar() const { return above >= kDissimilarVotes; }
  bool operator==(const MajorityVote&) const = default;
};

/// Applies Algorithm 1 to the pairs.
///
/// @param pairs  at least one.
/// Source: A. Bauer et al., ICPE '23 Companion, Algorithm 1.
MajorityVote Vote(std::span<const RunPair> pairs, SimilarityVariant variant,
                  double threshold = kSimilarityThreshold);

/// The largest mean distance at which clusters merge. It was calibrated, because the source states
/// no value.
inline constexpr double kSameThreshold = 0.20;

/// The runs clustered by SAME's distances.
struct RunClusters {
  std::vector<std::size_t> labels;    ///< cluster of each run; numbered from 0 by their first runs
  std::vector<double> merge_heights;  ///< in order of merging, one fewer than runs; ascending
  std::size_t clusters = 1;
  bool Dissimilar() const { return clusters > 1; }
  bool operator==(const RunClusters&) const = default;
};

/// Clusters the runs by average linkage (UPGMA) over RunPair::SameDistance(). On a tie, the
/// clusters of the earliest runs merge first. Time grows with the cube of the number of runs.
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

/// The results of all methods that assess whether the runs of one benchmark resemble each other.
/// They are only advice: no decision depends on them. docs/similarity.md describes what each method
/// detects and misses.
///
/// With fewer than kFewestAssessableValues values per run, the numbers are computed, but all
/// answers are kNotAssessable.
struct SimilarityAssessment {
  std::size_t runs = 0;
  std::size_t values = 0;  ///< of each run
  MajorityVote literal;
  MajorityVote shape;
  RunClusters same;
  Resemblance by_literal = Resemblance::kNotAssessable;
  Resemblance by_shape = Resemblance::kNotAssessable;
  Resemblance by_same = Resemblance::kNotAssessable;
  /// The run with the largest sum of its five measures over all pairs with other runs; the first
  /// such run on a tie.
  std::size_t differs_most = 0;

  bool Assessable() const { return values >= kFewestAssessableValues; }
  Resemblance By(SimilarityVariant variant) const {
    return variant == SimilarityVariant::kLiteral ? by_literal : by_shape;
  }
};

/// Compares all pairs of runs. If a method finds the runs dissimilar, repeats the comparison after
/// clipping.
///
/// @errors kInvalidArgument: as for CheckRuns(), or a threshold outside [0, 1].
Result<SimilarityAssessment> AssessRuns(RunSeries runs, const SimilarityOptions& options = {});

}  // namespace benchd
