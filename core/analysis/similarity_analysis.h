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

/// What somebody wants to know of a file of runs.
struct SimilarityRequest {
  RunsLayout layout;
  SimilarityOptions options;
  bool cut_to_shortest = false;  ///< else runs of unequal length are an error
};

/// The runs of one benchmark of the file.
struct RunSetReport {
  std::string name;  ///< empty where the file names none
  std::vector<std::string> run_names;
  SimilarityAssessment assessment;
  std::size_t cut = 0;  ///< values of the longest run that were left out
};

/// Most pairs of runs times values of each that are compared: some seconds.
inline constexpr std::size_t kMostComparedValues = 50'000'000;

/// Reads a file of runs and assesses each of its sets.
///
/// @errors kInvalidArgument: those of ParseRuns() and AssessRuns(), with the set's name in front
///         where there is one; too much to compare.
Result<std::vector<RunSetReport>> AssessFile(std::string_view data,
                                             const SimilarityRequest& request);

/// What somebody wants to know of a table of ratings.
struct AgreementRequest {
  std::vector<std::string> raters;  ///< columns; empty: all that rate, see ParseRatings()
  std::string subjects;             ///< the column that names them; may be empty
  std::string truth;                ///< the one that the others are held against; may be empty
};

/// Two raters of a report, by their numbers.
struct RaterPair {
  std::size_t first = 0;
  std::size_t second = 0;
  Agreement agreement;
  std::string band;  ///< the word for its kappa
};

/// A rater held against the truth, by its number.
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

/// Most raters of a table: all pairs of them are compared.
inline constexpr std::size_t kMaxRaters = 100;

/// Who agrees with whom in a CSV of ratings, and how well each finds the truth.
///
/// @errors kInvalidArgument: those of ParseRatings(); a truth that is no rater; too many raters.
Result<AgreementReport> AnalyzeAgreement(std::string_view csv, const AgreementRequest& request);

}  // namespace benchd
