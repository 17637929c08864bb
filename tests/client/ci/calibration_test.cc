#include "client/ci/calibration.h"

#include <gtest/gtest.h>

#include "client/present/text.h"
#include "tests/client/golden.h"

namespace benchd::client {
namespace {

CalibrationOutlook OneBenchmark() {
  return {.measured_seconds = 30,
          .planned_seconds = 300,
          .benchmarks = 1,
          .visible = {{"wall_time", 1, {"main", 0.06}, {"main", 0.06}},
                      {"cpu_time", 1, {"main", 0.018}, {"main", 0.018}}},
          .recommended = RecommendedGate{"cpu_time", 0.025},
          .open = {{"wall_time", 0.01, MarginKind::kRatio, "s", 1, 1, "main"}},
          .needed = Forecast{.remedy = Remedy::kMoreTime, .seconds = 2400}};
}

CalibrationOutlook Suite() {
  CalibrationOutlook outlook = OneBenchmark();
  outlook.benchmarks = 12;
  outlook.visible = {{"wall_time", 12, {"json", 0.008}, {"a <b>\n@parse", 0.06}},
                     {"", 12, {"json", 0.003}, {"parse", 0.04}}};
  outlook.recommended = RecommendedGate{"", 0.05};
  outlook.planned_runs = 40;
  outlook.open = {{"latency", 0.0005, MarginKind::kAbsolute, "s", 12, 3, "parse"}};
  outlook.needed = Forecast{.remedy = Remedy::kMoreRuns, .seconds = 1200, .runs = 180};
  outlook.unknown = 2;
  return outlook;
}

CalibrationOutlook Nothing() {
  return {.measured_seconds = 41,
          .interval_seconds = 75,
          .planned_seconds = 600,
          .benchmarks = 1,
          .unknown = 1};
}

CalibrationOutlook TooShortAComparison() {
  return {.measured_seconds = 30, .planned_seconds = 2, .benchmarks = 1};
}

CalibrationOutlook TwoMargins() {
  CalibrationOutlook outlook = OneBenchmark();
  outlook.benchmarks = 2;
  outlook.visible = {{"cpu_time", 2, {"one", 0.036}, {"two", 0.0361}}};
  outlook.open.push_back({"cpu_time", 0.0005, MarginKind::kRatio, "s", 1, 1, "two"});
  return outlook;
}

CalibrationOutlook WithRemedy(Remedy remedy) {
  CalibrationOutlook outlook = OneBenchmark();
  outlook.recommended.reset();
  outlook.needed = Forecast{.remedy = remedy};
  return outlook;
}

std::vector<CalibrationOutlook> Outlooks() {
  CalibrationOutlook fine = OneBenchmark();
  fine.open.clear();
  fine.needed.reset();
  CalibrationOutlook at_most = OneBenchmark();
  at_most.needed = Forecast{.remedy = Remedy::kMoreMaxRuns, .runs = 220};
  at_most.recommended = RecommendedGate{"t", 0.015};
  return {fine,
          OneBenchmark(),
          Suite(),
          Nothing(),
          TooShortAComparison(),
          TwoMargins(),
          at_most,
          WithRemedy(Remedy::kOtherMargin),
          WithRemedy(Remedy::kHardlyAny)};
}

TEST(CiCalibrationTest, SaysWhatTheRunnerShows) {
  std::string text;
  for (const CalibrationOutlook& outlook : Outlooks()) {
    for (const std::string& sentence : OutlookSentences(outlook)) text += sentence + "\n";
    text += "\n" + OutlookMarkdown(outlook) + "\n";
  }
  ExpectGolden("ci_calibration.txt", text);
}

TEST(CiCalibrationTest, NamesCannotAddMarkup) {
  const std::string text = OutlookMarkdown(Suite());
  EXPECT_EQ(text.find("<b>"), std::string::npos) << text;
  EXPECT_EQ(text.find("@parse"), std::string::npos) << text;
  EXPECT_EQ(OutlookSentences(Suite())[0].find('\n'), std::string::npos);
}

TEST(CiCalibrationTest, TheLineForProgramsHasTheSame) {
  google::protobuf::Timestamp now;
  now.set_seconds(1767323045);
  std::string lines;
  for (const CalibrationOutlook& outlook : Outlooks()) {
    lines += OutlookJson(outlook, "k3x9m2pq", now) + "\n";
  }
  ExpectGolden("ci_calibration.jsonl", lines);
  const Json line = Json::parse(OutlookJson(OneBenchmark(), "k3x9m2pq", now));
  EXPECT_EQ(line["event"], "ci_calibration");
  EXPECT_EQ(line["recommended"]["metric"], "cpu_time");
  EXPECT_EQ(line["too_small"][0]["margin"], 0.01);
  EXPECT_EQ(line["needed"]["seconds"], 2400);
}

v1::SessionSpec SpecOf() {
  v1::SessionSpec spec;
  v1::Benchmark* const benchmark = spec.add_benchmarks();
  for (const char* command : {"./base", "./candidate"}) {
    v1::Arm* const arm = benchmark->add_arms();
    arm->set_command(command);
  }
  return spec;
}

v1::Update ReportOfBase() {
  v1::Update report;
  report.set_elapsed_seconds(20);
  v1::Comparison* const gate = report.add_comparisons();
  gate->set_benchmark("main");
  gate->set_metric("wall_time");
  gate->set_unit("s");
  gate->set_role(v1::COMPARISON_ROLE_GATE);
  gate->set_better(v1::BETTER_LOWER);
  gate->set_margin_ratio(0.02);
  gate->set_confidence(0.99);
  gate->set_n_reference(100);
  gate->set_n_candidate(100);
  gate->set_mean_reference(0.1);
  gate->set_mean_candidate(0.1);
  gate->mutable_change()->set_lo(-0.02);
  gate->mutable_change()->set_hi(0.02);
  return report;
}

TEST(CiCalibrationTest, TheReportOfTheSessionGivesTheOutlook) {
  v1::SessionSpec planned = SpecOf();
  planned.mutable_limits()->set_max_time_seconds(20);
  const auto outlook = OutlookOf(SpecOf(), ReportOfBase(), planned);
  ASSERT_TRUE(outlook) << outlook.error().message;
  EXPECT_EQ(outlook->measured_seconds, 20);
  EXPECT_EQ(outlook->planned_seconds, 20);
  ASSERT_EQ(outlook->visible.size(), 1U);
  EXPECT_GT(outlook->visible[0].most.change, 0.02) << "half the interval, and more for 95 %";
  EXPECT_LT(outlook->visible[0].most.change, 0.035);
}

TEST(CiCalibrationTest, AReportThatCannotBeReadIsAnError) {
  v1::Update report = ReportOfBase();
  report.mutable_comparisons(0)->set_confidence(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(OutlookOf(SpecOf(), report, SpecOf()));
  v1::SessionSpec wrong = SpecOf();
  wrong.mutable_limits()->set_runs(1);
  EXPECT_FALSE(OutlookOf(SpecOf(), ReportOfBase(), wrong));
}

}  // namespace
}  // namespace benchd::client
