#include "tests/client/analysis_samples.h"

#include <string>

#include "tests/client/samples.h"

namespace benchd::client {
namespace {

ArmSummary Summarized(const std::string& metric, const std::string& unit, const std::string& arm,
                      double scale) {
  return {.benchmark = "main",
          .metric = metric,
          .unit = unit,
          .arm = arm,
          .better = Better::kLower,
          .n = 12,
          .min = 10.05 * scale,
          .lower_quartile = 10.08 * scale,
          .median = 10.12 * scale,
          .upper_quartile = 10.16 * scale,
          .max = 10.23 * scale,
          .mean = 10.123 * scale,
          .standard_deviation = 0.054 * scale,
          .variation = 0.0053,
          .best_mean = 10.118 * scale,
          .starred = {}};
}

}  // namespace

Analysis DecidedAnalysis() {
  Analysis analysis;
  analysis.verdict = RegressionUpdate();
  analysis.verdict.clear_warnings();
  analysis.verdict.clear_disturbances();
  analysis.decided_at = 12;
  return analysis;
}

Analysis SummarizedAnalysis() {
  Analysis analysis = DecidedAnalysis();
  analysis.summaries = {
      Summarized("wall_time", "s", "base", 1e-3), Summarized("wall_time", "s", "candidate", 1.1e-3),
      Summarized("rate", "MB/s", "base", 100), Summarized("rate", "MB/s", "candidate", 100)};
  analysis.summaries[1].starred = {"base"};
  analysis.summaries[2].better = Better::kHigher;
  ArmSummary& single = analysis.summaries[3];
  single.better = Better::kHigher;
  single.n = 1;
  for (double* figure :
       {&single.min, &single.lower_quartile, &single.median, &single.upper_quartile, &single.max}) {
    *figure = 1012.3;
  }
  single.standard_deviation.reset();
  single.variation.reset();
  single.best_mean.reset();
  return analysis;
}

Analysis DrawnAnalysis(int arms) {
  Analysis analysis = DecidedAnalysis();
  for (int arm = 0; arm < arms; ++arm) {
    ArmHistogram& histogram = analysis.histograms.emplace_back();
    histogram.benchmark = "main";
    histogram.metric = "wall_time";
    histogram.unit = "s";
    histogram.arm = "arm-" + std::to_string(arm);
    for (int edge = 0; edge <= 6; ++edge) histogram.edges.push_back(0.0095 + 0.0005 * edge);
    // The second arm has twice as many values. For the same shape, its bars are as long as those of
    // the first arm.
    const std::uint64_t values = arm == 1 ? 2 : 1;
    for (const std::uint64_t count : {1U, 40U, 77U, 30U, 0U, 2U}) {
      histogram.counts.push_back(count * values);
    }
  }
  return analysis;
}

}  // namespace benchd::client
