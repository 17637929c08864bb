#include "core/analysis/agreement_analysis.h"

#include <algorithm>
#include <utility>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/parse/ratings.h"
#include "core/stats/similarity/agreement.h"

namespace benchd {
namespace {

Result<void> AddConfusions(const RatingTable& table, std::size_t truth, AgreementReport& report) {
  for (std::size_t r = 0; r < table.raters.size(); ++r) {
    if (r == truth) continue;
    Result<Confusion> confusion =
        Confront(table.ratings[truth], table.ratings[r], table.categories.size());
    if (!confusion) return std::move(confusion).error();
    report.confusions.push_back({r, std::move(confusion).value()});
  }
  return {};
}

Result<void> AddPairs(const RatingTable& table, AgreementReport& report) {
  for (std::size_t i = 0; i < table.raters.size(); ++i) {
    for (std::size_t j = i + 1; j < table.raters.size(); ++j) {
      const std::vector<Ratings> both{table.ratings[i], table.ratings[j]};
      const Result<Agreement> agreement = AgreementOf(both, table.categories.size());
      if (!agreement) return agreement.error();
      report.pairs.push_back({i, j, *agreement, std::string(KappaBand(agreement->kappa))});
    }
  }
  return {};
}

}  // namespace

Result<AgreementReport> AnalyzeAgreement(std::string_view csv, const AgreementRequest& request) {
  Result<RatingTable> table = ParseRatings(csv, request.raters, request.subjects);
  if (!table) return std::move(table).error();
  if (table->raters.size() > kMaxRaters) {
    return InvalidArgument("ratings", "more than " + std::to_string(kMaxRaters) + " raters",
                           "name those that matter");
  }
  AgreementReport report;
  const Result<Agreement> all = AgreementOf(table->ratings, table->categories.size());
  if (!all) return all.error();
  report.all = *all;
  report.band = KappaBand(all->kappa);
  report.subjects = table->ratings.front().size();
  if (Result<void> added = AddPairs(*table, report); !added) return added.error();
  if (!request.truth.empty()) {
    const auto found = std::ranges::find(table->raters, request.truth);
    if (found == table->raters.end()) {
      return InvalidArgument("truth " + Quoted(request.truth), "no such column among the raters",
                             "the first line of the table names them");
    }
    const auto truth = static_cast<std::size_t>(found - table->raters.begin());
    if (Result<void> added = AddConfusions(*table, truth, report); !added) return added.error();
  }
  report.raters = std::move(table->raters);
  report.categories = std::move(table->categories);
  return report;
}

}  // namespace benchd
