#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/parse/similarity_input.h"
#include "core/stats/similarity/agreement.h"
#include "core/stats/similarity/assessment.h"

namespace benchd {

/// The options for the analysis of a file of runs.
struct SimilarityRequest {
  RunsLayout layout;
  SimilarityOptions options;
  bool cut_to_shortest = false;  ///< if false, runs of unequal length are an error
};

/// The assessment of the runs of one benchmark in the file.
struct RunSetReport {
  std::string name;  ///< empty if the file has no names
  std::vector<std::string> run_names;
  SimilarityAssessment assessment;
  std::size_t cut = 0;  ///< number of values omitted from the longest run
};

/// The maximum number of compared values (pairs of runs times their values), which takes a few
/// seconds.
inline constexpr std::size_t kMostComparedValues = 50'000'000;

/// Reads a file of runs and assesses the runs of each benchmark.
///
/// @errors those of ParseRuns() and AssessRuns(), prefixed with the name of the benchmark if it has
///         one; kInvalidArgument for more than kMostComparedValues
Result<std::vector<RunSetReport>> AssessFile(std::string_view data,
                                             const SimilarityRequest& request);

/// The options for the analysis of a table of ratings.
struct AgreementRequest {
  /// Columns of the raters; empty: all raters, see ParseRatings().
  std::vector<std::string> raters;
  std::string subjects;  ///< the column that names the subjects; may be empty
  std::string truth;     ///< the rater that the others are compared with; may be empty
};

/// The agreement of two raters, who are given by index.
struct RaterPair {
  std::size_t first = 0;
  std::size_t second = 0;
  Agreement agreement;
  std::string band;  ///< verbal rating of kappa
};

/// The accuracy of a rater, who is given by index, against the truth.
struct RaterConfusion {
  std::size_t rater = 0;
  ConfusionMatrix confusion;
};

struct AgreementReport {
  std::vector<std::string> raters;
  std::vector<std::string> categories;
  std::size_t subjects = 0;
  Agreement all;     ///< agreement of all raters, including the truth
  std::string band;  ///< verbal rating of kappa
  std::vector<RaterPair> pairs;
  std::vector<RaterConfusion> confusions;  ///< for all raters but the truth; empty without a truth
};

/// The maximum number of raters of a table. It is limited because all pairs are compared.
inline constexpr std::size_t kMaxRaters = 100;

/// Computes the agreement of the raters in a CSV of ratings, and the accuracy of each rater against
/// the truth.
///
/// @errors those of ParseRatings(); kInvalidArgument for a truth that is not a rater, and for too
/// many raters
Result<AgreementReport> AnalyzeAgreement(std::string_view csv, const AgreementRequest& request);

}  // namespace benchd
