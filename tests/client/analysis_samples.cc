#include "tests/client/analysis_samples.h"

#include "tests/client/samples.h"

namespace benchd::client {
namespace {

v1::Summary* AddSummary(v1::AnalyzeResponse* response, const std::string& metric,
                        const std::string& unit, const std::string& arm, double scale) {
  v1::Summary* summary = response->add_summaries();
  summary->set_benchmark("main");
  summary->set_metric(metric);
  summary->set_unit(unit);
  summary->set_arm(arm);
  summary->set_better(v1::BETTER_LOWER);
  summary->set_n(12);
  summary->set_min(10.05 * scale);
  summary->set_lower_quartile(10.08 * scale);
  summary->set_median(10.12 * scale);
  summary->set_upper_quartile(10.16 * scale);
  summary->set_max(10.23 * scale);
  summary->set_mean(10.123 * scale);
  summary->set_standard_deviation(0.054 * scale);
  summary->set_variation(0.0053);
  summary->set_best_mean(10.118 * scale);
  return summary;
}

}  // namespace

v1::AnalyzeResponse DecidedAnalysis() {
  v1::AnalyzeResponse response;
  *response.mutable_verdict() = RegressionUpdate();
  response.mutable_verdict()->clear_warnings();
  response.mutable_verdict()->clear_disturbances();
  response.set_decided_at(12);
  return response;
}

v1::AnalyzeResponse SummarizedAnalysis() {
  v1::AnalyzeResponse response = DecidedAnalysis();
  AddSummary(&response, "wall_time", "s", "base", 1e-3);
  AddSummary(&response, "wall_time", "s", "candidate", 1.1e-3)->add_starred("base");
  for (const char* arm : {"base", "candidate"}) {
    v1::Summary* rate = AddSummary(&response, "rate", "MB/s", arm, 100);
    rate->set_better(v1::BETTER_HIGHER);
  }
  v1::Summary* single = response.mutable_summaries(3);
  single->set_n(1);
  single->set_min(1012.3);
  single->set_lower_quartile(1012.3);
  single->set_median(1012.3);
  single->set_upper_quartile(1012.3);
  single->set_max(1012.3);
  single->clear_standard_deviation();
  single->clear_variation();
  single->clear_best_mean();
  return response;
}

v1::AnalyzeResponse DrawnAnalysis(int arms) {
  v1::AnalyzeResponse response = DecidedAnalysis();
  for (int arm = 0; arm < arms; ++arm) {
    v1::Histogram* histogram = response.add_histograms();
    histogram->set_benchmark("main");
    histogram->set_metric("wall_time");
    histogram->set_unit("s");
    histogram->set_arm("arm-" + std::to_string(arm));
    for (int edge = 0; edge <= 6; ++edge) histogram->add_edges(0.0095 + 0.0005 * edge);
    // The second arm has twice as many values: its bars are as long as the first's for the same
    // shape.
    const std::uint64_t values = arm == 1 ? 2 : 1;
    for (const std::uint64_t count : {1, 40, 77, 30, 0, 2}) histogram->add_counts(count * values);
  }
  return response;
}

}  // namespace benchd::client
