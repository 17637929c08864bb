#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "client/present/analysis.h"
#include "client/present/text.h"
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
  ExpectGolden("analyze.txt",
               RenderAnalysis(DecidedAnalysis(), kWelch, Detail::kUsual, kAnalyzePlain));
}

TEST(AnalysisReportTest, WithoutAGateThereIsATableAndNoVerdict) {
  Analysis analysis = DecidedAnalysis();
  analysis.decided_at.reset();
  analysis.verdict.clear_verdict();
  analysis.verdict.mutable_comparisons()->DeleteSubrange(0, 1);
  const std::string text = RenderAnalysis(analysis, kWelch, Detail::kUsual, kAnalyzePlain);
  EXPECT_NE(text.find("cpu_time"), std::string::npos) << text;
  EXPECT_EQ(text.find("decide"), std::string::npos) << text;
}

TEST(AnalysisReportTest, AVerdictNeedsAGate) {
  TableReport report;
  report.report.verdict = Verdict::kPass;
  report.decided_at = 12;
  Analysis analysis = AnalysisOf(report);
  EXPECT_EQ(analysis.verdict.state(), v1::SESSION_STATE_DONE);
  EXPECT_EQ(analysis.verdict.verdict(), v1::VERDICT_UNSPECIFIED);
  EXPECT_EQ(analysis.verdict.basis(), v1::BASIS_UNSPECIFIED);
  report.has_gates = true;
  analysis = AnalysisOf(report);
  EXPECT_EQ(analysis.verdict.verdict(), v1::VERDICT_PASS);
  EXPECT_EQ(analysis.verdict.basis(), v1::BASIS_INTERVAL);
  EXPECT_EQ(analysis.decided_at, 12U);
}

TEST(AnalysisReportTest, ArmsOfDifferentSizesAreNoBlocks) {
  Analysis analysis = DecidedAnalysis();
  v1::Comparison* gate = analysis.verdict.mutable_comparisons(0);
  gate->set_n_reference(3);
  gate->set_n_candidate(4);
  gate->clear_decided();
  analysis.verdict.mutable_runs(0)->set_runs(3);
  analysis.verdict.mutable_runs(1)->set_runs(4);
  EXPECT_NE(RenderAnalysis(analysis, kWelch, Detail::kUsual, kAnalyzePlain)
                .find("\n3 and 4 runs, 99 % confidence"),
            std::string::npos);
}

TEST(SummaryTableTest, IsMmtests) {
  const Analysis analysis = SummarizedAnalysis();
  ExpectGolden("summaries.txt",
               RenderSummaries(analysis.summaries, analysis.verdict, kWelch, kAnalyzePlain));
  ExpectGolden("summaries_color.txt",
               RenderSummaries(analysis.summaries, analysis.verdict, kMmtests, kTerminal));
  const std::string ascii =
      RenderSummaries(analysis.summaries, analysis.verdict, kMmtests, kAnalyzeAscii);
  EXPECT_TRUE(IsAscii(ascii)) << ascii;
}

TEST(SummaryTableTest, SeveralReferencesAreNamedAtTheStar) {
  Analysis analysis = SummarizedAnalysis();
  *analysis.verdict.add_comparisons() = analysis.verdict.comparisons(0);
  analysis.verdict.mutable_comparisons(3)->set_reference("old");
  analysis.summaries[1].starred.emplace_back("old");
  EXPECT_NE(RenderSummaries(analysis.summaries, analysis.verdict, kWelch, kAnalyzePlain)
                .find(" *base,old\n"),
            std::string::npos);
}

TEST(SummaryTableTest, ArmsThatDoNotFitFollowBelow) {
  Analysis analysis = SummarizedAnalysis();
  analysis.summaries.resize(2);
  for (int i = 0; i < 4; ++i) {
    ArmSummary more = analysis.summaries[1];
    more.arm = "candidate-" + std::to_string(i + 2);
    analysis.summaries.push_back(std::move(more));
  }
  const std::string text =
      RenderSummaries(analysis.summaries, analysis.verdict, kWelch, {false, true, 80});
  ExpectGolden("summaries_80.txt", text);
  EXPECT_LE(WidestLine(text), 80);
}

TEST(SummaryTableTest, WithoutSummariesThereIsNothing) {
  EXPECT_EQ(RenderSummaries({}, DecidedAnalysis().verdict, kWelch, kAnalyzePlain), "");
}

TEST(HistogramTextTest, ShowsTheArmsSideBySide) {
  ExpectGolden("histogram.txt", RenderHistograms(DrawnAnalysis(2).histograms, {false, true, 80}));
  const std::string ascii = RenderHistograms(DrawnAnalysis(2).histograms, {false, false, 80});
  ExpectGolden("histogram_ascii.txt", ascii);
  EXPECT_TRUE(IsAscii(ascii)) << ascii;
}

TEST(HistogramTextTest, KeepsToTheWidth) {
  for (const int arms : {1, 2, 3, 7}) {
    for (const int width : {60, 80, 120}) {
      EXPECT_LE(WidestLine(RenderHistograms(DrawnAnalysis(arms).histograms, {false, true, width})),
                width)
          << arms << " arms";
    }
  }
  ExpectGolden("histogram_many.txt",
               RenderHistograms(DrawnAnalysis(5).histograms, {false, true, 80}));
}

TEST(HistogramTextTest, EqualValuesAreOneBin) {
  Analysis analysis = DrawnAnalysis(1);
  analysis.histograms[0].edges = {0.01, 0.01};
  analysis.histograms[0].counts = {12};
  const std::string text = RenderHistograms(analysis.histograms, {false, false, 80});
  EXPECT_NE(text.find("\n10              ####"), std::string::npos) << text;
  EXPECT_EQ(text.find(".."), std::string::npos) << text;
}

TEST(HistogramTextTest, EmptyBinsAndRareValuesCanBeToldApart) {
  Analysis analysis = DrawnAnalysis(1);
  analysis.histograms[0].counts[2] = 100000;
  const std::string text = RenderHistograms(analysis.histograms, {false, false, 80});
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
  EXPECT_FALSE(nlohmann::json::parse(AnalysisJson(Analysis(), now)).contains("decided_at"));
}

}  // namespace
}  // namespace benchd::client
