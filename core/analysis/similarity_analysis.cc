#include "core/analysis/similarity_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/ratings.h"

namespace benchd {
namespace {

// Returns an upper bound on the number of compared values, from the longest run, so that a file can
// be rejected before any computation.
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
                         fmt::format("the pairs to compare have {} values, over the limit of {}",
                                     work, kMostComparedValues),
                         "assess fewer runs, or only the first values of each");
}

Error Within(const RunSet& set, Error error) {
  return set.name.empty() ? error : std::move(error).Within(set.name);
}

// Assesses the runs of one benchmark. The statistics identify runs by number, for which the file
// may have names.
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
  TRY(std::vector<RunSet> sets, ParseRuns(data, request.layout));
  TRY_VOID(CheckWork(sets));
  std::vector<RunSetReport> reports;
  for (RunSet& set : sets) {
    TRY(RunSetReport report, Assess(std::move(set), request));
    reports.push_back(std::move(report));
  }
  return reports;
}

namespace {

Result<void> AddConfusions(const RatingTable& table, std::size_t truth, AgreementReport& report) {
  for (std::size_t r = 0; r < table.raters.size(); ++r) {
    if (r == truth) continue;
    TRY(ConfusionMatrix confusion,
        MakeConfusionMatrix(table.ratings[truth], table.ratings[r], table.categories.size()));
    report.confusions.push_back({r, std::move(confusion)});
  }
  return {};
}

Result<void> AddPairs(const RatingTable& table, AgreementReport& report) {
  for (std::size_t i = 0; i < table.raters.size(); ++i) {
    for (std::size_t j = i + 1; j < table.raters.size(); ++j) {
      const std::vector<Ratings> both{table.ratings[i], table.ratings[j]};
      TRY(const Agreement agreement, AgreementOf(both, table.categories.size()));
      report.pairs.push_back({i, j, agreement, std::string(KappaBand(agreement.kappa))});
    }
  }
  return {};
}

}  // namespace

Result<AgreementReport> AnalyzeAgreement(std::string_view csv, const AgreementRequest& request) {
  TRY(RatingTable table, ParseRatings(csv, request.raters, request.subjects));
  if (table.raters.size() > kMaxRaters) {
    return InvalidArgument("ratings", fmt::format("more than {} raters", kMaxRaters),
                           "name the raters to compare");
  }
  AgreementReport report;
  TRY(const Agreement all, AgreementOf(table.ratings, table.categories.size()));
  report.all = all;
  report.band = KappaBand(all.kappa);
  report.subjects = table.ratings.front().size();
  TRY_VOID(AddPairs(table, report));
  if (!request.truth.empty()) {
    const auto found = std::ranges::find(table.raters, request.truth);
    if (found == table.raters.end()) {
      return InvalidArgument("truth " + Quoted(request.truth), "is not the column of a rater",
                             "use a name from the first line of the table");
    }
    const auto truth = static_cast<std::size_t>(found - table.raters.begin());
    TRY_VOID(AddConfusions(table, truth, report));
  }
  report.raters = std::move(table.raters);
  report.categories = std::move(table.categories);
  return report;
}

}  // namespace benchd
