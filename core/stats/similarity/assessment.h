#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/stats/similarity/majority_vote.h"
#include "core/stats/similarity/measures.h"
#include "core/stats/similarity/run_clusters.h"
#include "core/stats/similarity/runs.h"

namespace benchd {

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
