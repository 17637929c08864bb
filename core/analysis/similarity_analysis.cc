#include "core/analysis/similarity_analysis.h"

#include <algorithm>
#include <utility>

#include "core/base/result.h"

namespace benchd {
namespace {

// Where runs are unequal, by the longest: a file is refused before anything is computed.
std::size_t Work(const RunSet& set) {
  std::size_t longest = 0;
  for (const std::vector<double>& run : set.runs) longest = std::max(longest, run.size());
  return set.runs.size() * set.runs.size() / 2 * longest;
}

Result<void> CheckWork(const std::vector<RunSet>& sets) {
  std::size_t work = 0;
  for (const RunSet& set : sets) work += Work(set);
  if (work <= kMostComparedValues) return {};
  return InvalidArgument("runs",
                         "their pairs have " + std::to_string(work) +
                             " values, over the limit of " + std::to_string(kMostComparedValues),
                         "assess fewer runs, or the first values of each");
}

Error Within(const RunSet& set, Error error) {
  return set.name.empty() ? error : std::move(error).Within(set.name);
}

// The statistics count runs; the file may have names for them.
Result<RunSetReport> Assess(RunSet set, const SimilarityRequest& request) {
  RunSetReport report;
  if (request.cut_to_shortest && !set.runs.empty()) {
    std::size_t longest = 0;
    for (const std::vector<double>& run : set.runs) longest = std::max(longest, run.size());
    set.runs = CutToShortest(set.runs);
    report.cut = longest - set.runs.front().size();
  }
  Result<SimilarityAssessment> assessment = AssessRuns(set.runs, request.options);
  if (!assessment) return Within(set, std::move(assessment).error());
  report.assessment = std::move(assessment).value();
  report.name = std::move(set.name);
  report.run_names = std::move(set.run_names);
  return report;
}

}  // namespace

Result<std::vector<RunSetReport>> AssessFile(std::string_view data,
                                             const SimilarityRequest& request) {
  Result<std::vector<RunSet>> sets = ParseRuns(data, request.layout);
  if (!sets) return std::move(sets).error();
  if (Result<void> ok = CheckWork(*sets); !ok) return ok.error();
  std::vector<RunSetReport> reports;
  for (RunSet& set : *sets) {
    Result<RunSetReport> report = Assess(std::move(set), request);
    if (!report) return std::move(report).error();
    reports.push_back(std::move(report).value());
  }
  return reports;
}

}  // namespace benchd
