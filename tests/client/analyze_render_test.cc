#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "client/render/analysis_json.h"
#include "client/render/analysis_report.h"
#include "client/render/histogram_text.h"
#include "client/render/summary_table.h"
#include "client/render/text.h"
#include "tests/client/analysis_samples.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"

namespace benchd::client {
namespace {

constexpr Style kAnalyzePlain{false, true, 0};
constexpr Style kAnalyzeAscii{false, false, 0};
constexpr Style kTerminal{true, true, 80};

constexpr bool kWelch = false;
constexpr bool kMmtests = true;

int WidestLine(const std::string& text) {
  std::istringstream lines(text);
  int widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, Width(line));
  return widest;
}

bool IsAscii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

TEST(AnalysisReportTest, EndsAsCompareDoesAndSaysWhenItWasDecided) {
  ExpectGolden("analyze.txt", RenderAnalysis(DecidedAnalysis(), kWelch, kAnalyzePlain));
}

TEST(AnalysisReportTest, WithoutAGateThereIsATableAndNoVerdict) {
  v1::AnalyzeResponse response = DecidedAnalysis();
  response.clear_decided_at();
  response.mutable_verdict()->clear_verdict();
  response.mutable_verdict()->mutable_comparisons()->DeleteSubrange(0, 1);
  const std::string text = RenderAnalysis(response, kWelch, kAnalyzePlain);
  EXPECT_NE(text.find("cpu_time"), std::string::npos) << text;
  EXPECT_EQ(text.find("decide"), std::string::npos) << text;
}

TEST(AnalysisReportTest, ArmsOfDifferentSizesAreNoBlocks) {
  v1::AnalyzeResponse response = DecidedAnalysis();
  v1::Comparison* gate = response.mutable_verdict()->mutable_comparisons(0);
  gate->set_n_reference(3);
  gate->set_n_candidate(4);
  gate->clear_decided();
  EXPECT_NE(
      RenderAnalysis(response, kWelch, kAnalyzePlain).find("99 % confidence, 3 and 4 values)"),
      std::string::npos);
}

TEST(SummaryTableTest, IsMmtests) {
  const v1::AnalyzeResponse response = SummarizedAnalysis();
  ExpectGolden("summaries.txt", RenderSummaries(response, kWelch, kAnalyzePlain));
  ExpectGolden("summaries_color.txt", RenderSummaries(response, kMmtests, kTerminal));
  const std::string ascii = RenderSummaries(response, kMmtests, kAnalyzeAscii);
  EXPECT_TRUE(IsAscii(ascii)) << ascii;
}

TEST(SummaryTableTest, SeveralReferencesAreNamedAtTheStar) {
  v1::AnalyzeResponse response = SummarizedAnalysis();
  *response.mutable_verdict()->add_comparisons() = response.verdict().comparisons(0);
  response.mutable_verdict()->mutable_comparisons(3)->set_reference("old");
  response.mutable_summaries(1)->add_starred("old");
  EXPECT_NE(RenderSummaries(response, kWelch, kAnalyzePlain).find(" *base,old\n"),
            std::string::npos);
}

TEST(SummaryTableTest, ArmsThatDoNotFitFollowBelow) {
  v1::AnalyzeResponse response = SummarizedAnalysis();
  response.mutable_summaries()->DeleteSubrange(2, 2);
  for (int i = 0; i < 4; ++i) {
    *response.add_summaries() = response.summaries(1);
    response.mutable_summaries(i + 2)->set_arm("candidate-" + std::to_string(i + 2));
  }
  const std::string text = RenderSummaries(response, kWelch, {false, true, 80});
  ExpectGolden("summaries_80.txt", text);
  EXPECT_LE(WidestLine(text), 80);
}

TEST(SummaryTableTest, WithoutSummariesThereIsNothing) {
  EXPECT_EQ(RenderSummaries(DecidedAnalysis(), kWelch, kAnalyzePlain), "");
}

TEST(HistogramTextTest, ShowsTheArmsSideBySide) {
  ExpectGolden("histogram.txt", RenderHistograms(DrawnAnalysis(2), {false, true, 80}));
  const std::string ascii = RenderHistograms(DrawnAnalysis(2), {false, false, 80});
  ExpectGolden("histogram_ascii.txt", ascii);
  EXPECT_TRUE(IsAscii(ascii)) << ascii;
}

TEST(HistogramTextTest, KeepsToTheWidth) {
  for (const int arms : {1, 2, 3, 7}) {
    for (const int width : {60, 80, 120}) {
      EXPECT_LE(WidestLine(RenderHistograms(DrawnAnalysis(arms), {false, true, width})), width)
          << arms << " arms";
    }
  }
  ExpectGolden("histogram_many.txt", RenderHistograms(DrawnAnalysis(5), {false, true, 80}));
}

TEST(HistogramTextTest, EqualValuesAreOneBin) {
  v1::AnalyzeResponse response = DrawnAnalysis(1);
  v1::Histogram* one = response.mutable_histograms(0);
  one->clear_edges();
  one->clear_counts();
  one->add_edges(0.01);
  one->add_edges(0.01);
  one->add_counts(12);
  const std::string text = RenderHistograms(response, {false, false, 80});
  EXPECT_NE(text.find("\n10              ####"), std::string::npos) << text;
  EXPECT_EQ(text.find(".."), std::string::npos) << text;
}

TEST(HistogramTextTest, EmptyBinsAndRareValuesCanBeToldApart) {
  v1::AnalyzeResponse response = DrawnAnalysis(1);
  response.mutable_histograms(0)->set_counts(2, 100000);
  const std::string text = RenderHistograms(response, {false, false, 80});
  EXPECT_NE(text.find(" .  "), std::string::npos) << text;
}

TEST(AnalysisJsonTest, IsOneVerdictWithoutASession) {
  const auto now = Event([](auto&) {}).time();
  ExpectGolden("analyze.jsonl", AnalysisJson(DecidedAnalysis(), now) + "\n" +
                                    AnalysisJson(SummarizedAnalysis(), now) + "\n" +
                                    AnalysisJson(DrawnAnalysis(1), now) + "\n");
  const auto json = nlohmann::json::parse(AnalysisJson(DecidedAnalysis(), now));
  EXPECT_EQ(json["event"], "verdict");
  EXPECT_EQ(json["decided_at"], 12);
  for (const char* absent : {"session", "elapsed_s", "disturbances", "summaries", "histograms"}) {
    EXPECT_FALSE(json.contains(absent)) << absent;
  }
  EXPECT_FALSE(
      nlohmann::json::parse(AnalysisJson(v1::AnalyzeResponse(), now)).contains("decided_at"));
}

}  // namespace
}  // namespace benchd::client
