#include "daemon/rpc/analyze_options.h"

#include <gtest/gtest.h>

#include <string>

#include "benchd/v1/analysis.pb.h"

namespace benchd::rpc {
namespace {

TEST(AnalyzeOptionsTest, WhatIsLeftOpenIsLeftToTheTable) {
  const auto options = FromProto(v1::AnalyzeOptions());
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_FALSE(options->method);
  EXPECT_TRUE(options->references.empty());
  EXPECT_TRUE(options->spec.benchmarks.empty());
  EXPECT_EQ(options->spec.alpha, 0.01);
  EXPECT_FALSE(options->classic_interval || options->summaries || options->histograms);
}

TEST(AnalyzeOptionsTest, ReadsEveryField) {
  v1::AnalyzeOptions proto;
  proto.mutable_spec()->set_method(v1::METHOD_PAIRED);
  proto.mutable_spec()->set_alpha(0.05);
  proto.mutable_spec()->add_benchmarks()->add_gates()->set_metric("t");
  proto.add_references("a");
  proto.add_references("b");
  v1::Column* column = proto.add_columns();
  column->set_metric("t");
  column->set_unit("ms");
  column->set_better(v1::BETTER_HIGHER);
  column->set_resolution(0.5);
  proto.add_columns()->set_metric("u");
  proto.set_classic_interval(true);
  proto.set_mmtests_stars(true);
  proto.set_summaries(true);
  proto.set_histograms(true);
  const auto options = FromProto(proto);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->method, Method::kPaired);
  EXPECT_EQ(options->spec.alpha, 0.05);
  EXPECT_EQ(options->spec.benchmarks.at(0).gates.at(0).metric, "t");
  EXPECT_EQ(options->references, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(options->columns.size(), 2U);
  EXPECT_EQ(options->columns[0].unit, "ms");
  EXPECT_EQ(options->columns[0].better, Better::kHigher);
  EXPECT_EQ(options->columns[0].resolution, 0.5);
  EXPECT_FALSE(options->columns[1].better);
  EXPECT_FALSE(options->columns[1].resolution);
  EXPECT_TRUE(options->classic_interval && options->mmtests_stars && options->summaries &&
              options->histograms);
}

TEST(AnalyzeOptionsTest, NamesTheFieldThatIsWrong) {
  v1::AnalyzeOptions proto;
  proto.mutable_spec()->set_method(static_cast<v1::Method>(77));
  EXPECT_EQ(FromProto(proto).error().message,
            "spec.method: this benchd does not know the value 77");
  proto.Clear();
  proto.add_columns();
  proto.add_columns()->set_better(static_cast<v1::Better>(9));
  EXPECT_EQ(FromProto(proto).error().message,
            "columns[1].better: this benchd does not know the value 9");
}

TEST(AnalyzeOptionsTest, AVerdictNeedsAGate) {
  TableReport report;
  report.report.verdict = Verdict::kPass;
  v1::AnalyzeResponse response;
  ToProto(report, &response);
  EXPECT_EQ(response.verdict().state(), v1::SESSION_STATE_DONE);
  EXPECT_EQ(response.verdict().verdict(), v1::VERDICT_UNSPECIFIED);
  EXPECT_EQ(response.verdict().basis(), v1::BASIS_UNSPECIFIED);
  EXPECT_EQ(response.verdict().elapsed_seconds(), 0);
  EXPECT_FALSE(response.has_decided_at());
  report.has_gates = true;
  report.decided_at = 12;
  response.Clear();
  ToProto(report, &response);
  EXPECT_EQ(response.verdict().verdict(), v1::VERDICT_PASS);
  EXPECT_EQ(response.verdict().basis(), v1::BASIS_INTERVAL);
  EXPECT_EQ(response.decided_at(), 12U);
}

TEST(AnalyzeOptionsTest, WritesSummariesAndHistograms) {
  TableReport report;
  report.summaries.push_back({.benchmark = "main",
                              .metric = "t",
                              .unit = "s",
                              .arm = "b",
                              .better = Better::kHigher,
                              .n = 3,
                              .min = 1,
                              .lower_quartile = 2,
                              .median = 3,
                              .upper_quartile = 4,
                              .max = 5,
                              .mean = 6.0,
                              .standard_deviation = 7.0,
                              .variation = 8.0,
                              .best_mean = {},
                              .starred = {"a"}});
  report.histograms.push_back({"main", "t", "s", "b", {0, 1, 2}, {4, 5}});
  v1::AnalyzeResponse response;
  ToProto(report, &response);
  ASSERT_EQ(response.summaries_size(), 1);
  const v1::Summary& summary = response.summaries(0);
  EXPECT_EQ(summary.arm(), "b");
  EXPECT_EQ(summary.better(), v1::BETTER_HIGHER);
  EXPECT_EQ(summary.n(), 3U);
  EXPECT_EQ(summary.lower_quartile(), 2);
  EXPECT_EQ(summary.upper_quartile(), 4);
  EXPECT_EQ(summary.mean(), 6);
  EXPECT_EQ(summary.standard_deviation(), 7);
  EXPECT_EQ(summary.variation(), 8);
  EXPECT_FALSE(summary.has_best_mean()) << "absent, not zero";
  EXPECT_EQ(summary.starred(0), "a");
  ASSERT_EQ(response.histograms_size(), 1);
  EXPECT_EQ(response.histograms(0).metric(), "t");
  EXPECT_EQ(response.histograms(0).edges_size(), 3);
  EXPECT_EQ(response.histograms(0).counts(1), 5U);
}

}  // namespace
}  // namespace benchd::rpc
