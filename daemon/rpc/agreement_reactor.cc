#include "daemon/rpc/agreement_reactor.h"

#include <string>

namespace benchd::rpc {
namespace {

void ConfusionToProto(const RaterConfusion& from, const AgreementReport& report,
                      v1::Confusion* to) {
  to->set_rater(report.raters[from.rater]);
  for (const auto& row : from.confusion.counts) to->mutable_counts()->Add(row.begin(), row.end());
  for (std::size_t c = 0; c < from.confusion.scores.size(); ++c) {
    v1::CategoryScore* score = to->add_scores();
    score->set_category(report.categories[c]);
    const CategoryScore& found = from.confusion.scores[c];
    if (found.sensitivity) score->set_sensitivity(*found.sensitivity);
    if (found.specificity) score->set_specificity(*found.specificity);
  }
  to->set_accuracy(from.confusion.accuracy);
}

}  // namespace

void ToProto(const AgreementReport& report, const AgreementRequest& request,
             v1::AgreementResponse* to) {
  to->set_kappa(report.all.kappa);
  to->set_band(report.band);
  to->set_subjects(report.subjects);
  for (const std::string& rater : report.raters) to->add_raters(rater);
  for (const std::string& category : report.categories) to->add_categories(category);
  for (const RaterPair& pair : report.pairs) {
    v1::RaterPair* added = to->add_pairs();
    added->set_first(report.raters[pair.first]);
    added->set_second(report.raters[pair.second]);
    added->set_agreement(pair.agreement.share);
    added->set_kappa(pair.agreement.kappa);
    added->set_band(pair.band);
  }
  for (const RaterConfusion& confusion : report.confusions) {
    ConfusionToProto(confusion, report, to->add_confusions());
  }
  to->set_truth(request.truth);
}

Result<void> AgreementReactor::Take(const v1::AgreementRequest& request) {
  if (request.has_options()) {
    if (begun_) return InvalidArgument("options", "came late", "send them once, and first");
    options_.raters.assign(request.options().raters().begin(), request.options().raters().end());
    options_.subjects = request.options().subjects();
    options_.truth = request.options().truth();
  }
  begun_ = true;
  return TakeChunk(request.chunk());
}

Result<void> AgreementReactor::Compute(std::string_view data, v1::AgreementResponse* response) {
  const Result<AgreementReport> report = AnalyzeAgreement(data, options_);
  if (!report) return report.error();
  ToProto(*report, options_, response);
  return {};
}

}  // namespace benchd::rpc
