#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/parse/run_sets.h"
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

}  // namespace benchd
