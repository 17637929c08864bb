#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stats/descriptive.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

TEST(SummaryTest, MomentsMatchTheReference) {
  for (const auto& one : golden::Cases("summary")) {
    SCOPED_TRACE(one.at("id"));
    Moments moments;
    for (double x : one["input"]["x"].get<Values>()) moments.Add(x);
    const double tol = one["rel_tol"];
    EXPECT_TRUE(golden::Close(moments.mean(), one["expected"]["mean"], tol));
    EXPECT_TRUE(golden::Close(moments.variance(), one["expected"]["var"], tol));
    EXPECT_TRUE(golden::Close(moments.skewness(), one["expected"]["skew_g1"], tol));
  }
}

TEST(SummaryTest, Type7QuantilesMatchTheReference) {
  for (const auto& one : golden::Cases("quantile_type7")) {
    SCOPED_TRACE(one.at("id"));
    Values x = one["input"]["x"];
    std::sort(x.begin(), x.end());
    for (std::size_t i = 0; i < one["input"]["p"].size(); ++i) {
      EXPECT_TRUE(golden::Close(QuantileType7(x, one["input"]["p"][i]).value(),
                                one["expected"]["q"][i], one["rel_tol"]));
    }
  }
}

TEST(SummaryTest, HarmonicMeansMatchTheReference) {
  for (const auto& one : golden::Cases("harmonic_mean")) {
    SCOPED_TRACE(one.at("id"));
    const Values x = one["input"]["x"];
    EXPECT_TRUE(golden::Close(HarmonicMean(x).value(), one["expected"]["h"], one["rel_tol"]));
  }
}

class MmtestsTest : public ::testing::Test {
 protected:
  const nlohmann::json& file_ = golden::ReadFile("mmtests.json");
  const double tol_ = 1e-12;  // meta.rel_tol.mean_sd of the file
};

TEST_F(MmtestsTest, SummariesMatchMmtestsAndScipy) {
  ASSERT_FALSE(file_["summary"].empty());
  for (const auto& one : file_["summary"]) {
    SCOPED_TRACE(one.at("id"));
    const Values values = one["input"];
    const Summary summary = Summarize(values).value();
    const auto& scipy = one["scipy"];
    EXPECT_TRUE(golden::Close(summary.min, one["mmtests"]["min"]["value"], 0));
    EXPECT_TRUE(golden::Close(summary.max, one["mmtests"]["max"]["value"], 0));
    EXPECT_TRUE(golden::Close(summary.mean, scipy["amean"], tol_));
    EXPECT_TRUE(golden::Close(summary.lower_quartile, scipy["quartiles_R7"][0], tol_));
    EXPECT_TRUE(golden::Close(summary.median, scipy["quartiles_R7"][1], tol_));
    EXPECT_TRUE(golden::Close(summary.upper_quartile, scipy["quartiles_R7"][2], tol_));
    EXPECT_EQ(summary.harmonic_mean.has_value(), scipy.contains("hmean"));
    if (summary.harmonic_mean) {
      EXPECT_TRUE(golden::Close(*summary.harmonic_mean, scipy["hmean"], tol_));
      EXPECT_TRUE(golden::Close(GeometricMean(values).value(), scipy["gmean"], tol_));
    } else {
      EXPECT_FALSE(GeometricMean(values));
    }
    if (values.size() >= 2) {
      EXPECT_TRUE(golden::Close(*summary.standard_deviation, scipy["stddev_n1"], tol_));
      EXPECT_TRUE(golden::Close(*summary.variation * 100, scipy["cv_pct"], tol_));
    } else {
      EXPECT_FALSE(summary.standard_deviation);
    }
  }
}

TEST_F(MmtestsTest, BestMeansMatchMmtests) {
  int compared = 0;
  for (const auto& one : file_["summary"]) {
    const bool higher = one["preferred"] == "Higher";
    for (int percent : {25, 50, 75, 90, 95}) {
      const auto& expected = one["mmtests"]["_mean-" + std::to_string(percent)]["value"];
      SCOPED_TRACE(one["id"].get<std::string>() + " " + std::to_string(percent));
      const Values values = one["input"];
      const auto best = BestMean(values, percent, higher ? BestEnd::kHighest : BestEnd::kLowest,
                                 higher ? MeanKind::kHarmonic : MeanKind::kArithmetic);
      EXPECT_EQ(best.has_value(), expected.is_number());
      if (best) {
        EXPECT_TRUE(golden::Close(*best, expected, tol_));
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

// If a value is not > 0, mmtests has no such spread either.
TEST_F(MmtestsTest, HarmonicStandardDeviationsMatchMmtests) {
  int compared = 0;
  for (const auto& one : file_["summary"]) {
    SCOPED_TRACE(one.at("id"));
    const Result<double> deviation = HarmonicStandardDeviation(one["input"].get<Values>());
    EXPECT_EQ(deviation.has_value(), one["hstddev"].is_number());
    if (!deviation) continue;
    EXPECT_TRUE(golden::Close(*deviation, one["hstddev"], tol_));
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(SummaryTest, RefusesWhatHasNoSummary) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Summarize(Values{}));
  EXPECT_FALSE(Summarize(Values{1, nan}));
  EXPECT_FALSE(HarmonicMean(Values{1, 0}));
  EXPECT_FALSE(GeometricMean(Values{1, -1}));
  EXPECT_FALSE(HarmonicStandardDeviation(Values{1}));
  EXPECT_FALSE(BestMean(Values{1, 2}, 0, BestEnd::kLowest, MeanKind::kArithmetic));
  EXPECT_FALSE(BestMean(Values{1, 2}, 101, BestEnd::kLowest, MeanKind::kArithmetic));
  EXPECT_FALSE(QuantileType7(Values{}, 0.5));
  EXPECT_FALSE(QuantileType7(Values{1}, 1.5));
}

TEST(SummaryTest, OneValueHasNoStandardDeviationAndMeanZeroNoVariation) {
  EXPECT_FALSE(Summarize(Values{3})->standard_deviation);
  EXPECT_FALSE(Summarize(Values{-1, 1})->variation);
}

}  // namespace
}  // namespace benchd
