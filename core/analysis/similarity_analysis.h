#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/parse/run_sets.h"
#include "core/stats/similarity/agreement.h"
#include "core/stats/similarity/assessment.h"

namespace benchd {

/// The options for a file of runs.
struct SimilarityRequest {
  RunsLayout layout;
  SimilarityOptions options;
  bool cut_to_shortest = false;  ///< else runs of unequal length are an error
};

/// The runs of one benchmark of the file.
struct RunSetReport {
  std::string name;  ///< empty if the file has no names
  std::vector<std::string> run_names;
  SimilarityAssessment assessment;
  std::size_t cut = 0;  ///< number of values of the longest run that were left out
};

/// Most values that are compared (pairs of runs times their values): takes a few seconds.
inline constexpr std::size_t kMostComparedValues = 50'000'000;

/// Reads a file of runs and assesses each of its sets.
///
/// @errors kInvalidArgument: those of ParseRuns() and AssessRuns(), prefixed with the
///         set's name if it has one; too much to compare.
Result<std::vector<RunSetReport>> AssessFile(std::string_view data,
                                             const SimilarityRequest& request);

/// The options for a table of ratings.
struct AgreementRequest {
  std::vector<std::string> raters;  ///< columns; empty: all raters, see ParseRatings()
  std::string subjects;             ///< the column that names them; may be empty
  std::string truth;                ///< the rater that the others are compared with; may be empty
};

/// Two raters of a report, by index.
struct RaterPair {
  std::size_t first = 0;
  std::size_t second = 0;
  Agreement agreement;
  std::string band;  ///< the word for its kappa
};

/// A rater compared with the truth, by index.
struct RaterConfusion {
  std::size_t rater = 0;
  ConfusionMatrix confusion;
};

struct AgreementReport {
  std::vector<std::string> raters;
  std::vector<std::string> categories;
  std::size_t subjects = 0;
  Agreement all;     ///< the truth included
  std::string band;  ///< the word for its kappa
  std::vector<RaterPair> pairs;
  std::vector<RaterConfusion> confusions;  ///< of all but the truth; empty without one
};

/// Most raters of a table, because all pairs are compared.
inline constexpr std::size_t kMaxRaters = 100;

/// The agreement of the raters in a CSV of ratings, and the accuracy of each against the truth.
///
/// @errors kInvalidArgument: those of ParseRatings(); a truth that is not a rater; too many raters.
Result<AgreementReport> AnalyzeAgreement(std::string_view csv, const AgreementRequest& request);

}  // namespace benchd
