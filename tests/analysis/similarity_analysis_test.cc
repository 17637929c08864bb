#include "core/analysis/similarity_analysis.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr unsigned kSeed = 20261122;

// Columns of normal values around 10; the named ones around three times that.
std::string RunColumns(std::size_t runs, std::size_t values, std::size_t higher) {
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal(10, 0.1);
  std::string text;
  for (std::size_t r = 0; r < runs; ++r) text += (r > 0 ? ",run" : "run") + std::to_string(r);
  for (std::size_t v = 0; v < values; ++v) {
    text += "\n";
    for (std::size_t r = 0; r < runs; ++r) {
      text += (r > 0 ? "," : "") + std::to_string(normal(random) * (r == higher ? 3 : 1));
    }
  }
  return text + "\n";
}

TEST(AssessFileTest, NamesTheRunThatDiffersMost) {
  const auto reports = AssessFile(RunColumns(4, 80, 2), {});
  ASSERT_TRUE(reports) << reports.error().message;
  ASSERT_EQ(reports->size(), 1U);
  const RunSetReport& report = reports->front();
  EXPECT_EQ(report.run_names[report.assessment.differs_most], "run2");
  EXPECT_EQ(report.assessment.by_same, Resemblance::kDissimilar);
}

TEST(AssessFileTest, CutsUnequalRunsOnlyWhenAskedTo) {
  const auto refused = AssessFile("a,b\n1,2\n2,3\n3,\n", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(refused.error());
  SimilarityRequest request;
  request.cut_to_shortest = true;
  const auto cut = AssessFile("a,b\n1,2\n2,3\n3,\n", request);
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->front().cut, 1U);
  EXPECT_EQ(cut->front().assessment.values, 2U);
  EXPECT_FALSE(cut->front().assessment.Assessable());
}

TEST(AssessFileTest, PutsTheBenchmarksNameBeforeItsError) {
  const auto refused = AssessFile(R"([{"benchmark": "a.B.c", "mode": "avgt",
    "primaryMetric": {"scoreUnit": "s/op", "rawData": [[1, 2]]}, "secondaryMetrics": {}}])",
                                  {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(refused.error().message.starts_with("a.B.c: runs: ")) << refused.error().message;
  EXPECT_WORDING(refused.error());
}

TEST(AssessFileTest, RefusesWhatWouldTakeTooLong) {
  std::string text = "run,value\n";
  for (int r = 0; r < 900; ++r) {
    for (int v = 0; v < 130; ++v) text += std::to_string(r) + ",1\n";
  }
  const auto refused = AssessFile(text, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("50000000"), std::string::npos);
  EXPECT_WORDING(refused.error());
}

TEST(AnalyzeAgreementTest, HoldsEveryRaterAgainstTheTruth) {
  constexpr const char* kTable =
      "file,human,literal,same\n"
      "s1,dissimilar,dissimilar,similar\n"
      "s2,dissimilar,dissimilar,dissimilar\n"
      "s3,similar,dissimilar,similar\n"
      "s4,similar,similar,similar\n";
  const auto report = AnalyzeAgreement(kTable, {.subjects = "file", .truth = "human"});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->subjects, 4U);
  EXPECT_EQ(report->pairs.size(), 3U);
  ASSERT_EQ(report->confusions.size(), 2U);
  EXPECT_EQ(report->raters[report->confusions[0].rater], "literal");
  // By hand: literal finds 2 of 2 dissimilar ones and leaves 1 of 2 others.
  EXPECT_DOUBLE_EQ(*report->confusions[0].confusion.scores[0].sensitivity, 1);
  EXPECT_DOUBLE_EQ(*report->confusions[0].confusion.scores[0].specificity, 0.5);
  EXPECT_DOUBLE_EQ(report->all.share, 0.5);
}

TEST(AnalyzeAgreementTest, RefusesATruthThatDoesNotRate) {
  const auto refused = AnalyzeAgreement("a,b\nx,y\nx,x\n", {.truth = "c"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(refused.error().message.starts_with("truth 'c': ")) << refused.error().message;
  EXPECT_WORDING(refused.error());
}

}  // namespace
}  // namespace benchd
