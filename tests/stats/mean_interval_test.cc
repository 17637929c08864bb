#include "core/stats/mean_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

constexpr double kGoldenTolerance = 1e-11;

Moments Of(const std::vector<double>& values, bool inverse = false) {
  Moments moments;
  for (const double value : values) moments.Add(inverse ? 1 / value : value);
  return moments;
}

TEST(MeanIntervalTest, AgreesWithMpmath) {
  for (const nlohmann::json& one : golden::ReadFile("measure.json").at("means")) {
    const auto values = one.at("values").get<std::vector<double>>();
    const std::string scale = one.at("scale");
    const Moments moments = Of(values, scale == "harmonic");
    const PairedEstimate estimate =
        scale == "linear" ? EstimateMean(moments) : EstimateLogMean(moments);
    const double t =
        SequentialBoundary::Robbins(one.at("alpha"), 8).value().CriticalT(values.size());
    Interval interval = SkewedInterval(estimate, t);
    if (scale == "harmonic") interval = Mirror(interval);
    if (scale != "linear") interval = {std::exp(interval.lo), std::exp(interval.hi)};
    SCOPED_TRACE(one.at("id").get<std::string>());
    EXPECT_TRUE(golden::Close(t, one.at("t"), kGoldenTolerance));
    EXPECT_TRUE(golden::Close(estimate.se, one.at("se"), kGoldenTolerance));
    EXPECT_TRUE(golden::Close(estimate.kappa, one.at("kappa"), kGoldenTolerance));
    EXPECT_TRUE(golden::Close(interval.lo, one.at("lo"), kGoldenTolerance));
    EXPECT_TRUE(golden::Close(interval.hi, one.at("hi"), kGoldenTolerance));
  }
}

// A single arm is a pair whose reference is constantly 1.
TEST(MeanIntervalTest, IsThatOfARatioToAConstant) {
  const std::vector<double> values = {9.1, 10.4, 9.9, 12.5, 9.7, 10.1, 10.2, 9.3, 9.8};
  PairedMoments pairs;
  for (const double value : values) pairs.Add(1, value);
  const PairedEstimate ratio = EstimateRatio(pairs.Centred());
  const PairedEstimate mean = EstimateLogMean(Of(values));
  EXPECT_EQ(mean.n, ratio.n);
  EXPECT_NEAR(mean.centre, ratio.centre, 1e-14);
  EXPECT_NEAR(mean.se, ratio.se, 1e-14);
  EXPECT_NEAR(mean.kappa, ratio.kappa, 1e-12);
}

TEST(MeanIntervalTest, AllowsForSlowRunsThatHaveNotOccurred) {
  const PairedEstimate symmetric{.n = 100, .centre = 1, .se = 0.01};
  const Interval plain = GuardedInterval(symmetric, 3);
  const Interval skewed = SkewedInterval(symmetric, 3);
  EXPECT_EQ(skewed.lo, plain.lo);
  EXPECT_GT(skewed.hi, plain.hi);
  // A sample that is more skewed than that has its own guard.
  const PairedEstimate long_tail{.n = 100, .centre = 1, .se = 0.01, .kappa = 0.5};
  EXPECT_EQ(SkewedInterval(long_tail, 3).hi, GuardedInterval(long_tail, 3).hi);
  const PairedEstimate left{.n = 100, .centre = 1, .se = 0.01, .kappa = -0.5};
  EXPECT_EQ(SkewedInterval(left, 3).lo, GuardedInterval(left, 3).lo);
  PairedEstimate many = symmetric;
  many.n = 1'000'000;
  EXPECT_NEAR(SkewedInterval(many, 3).hi, GuardedInterval(many, 3).hi, 1e-4);
}

TEST(MeanIntervalTest, ConstantsHaveNoSpread) {
  const Moments constant = Of(std::vector<double>(9, 0.1));
  EXPECT_EQ(EstimateLogMean(constant).se, 0);
  EXPECT_EQ(EstimateLogMean(constant).kappa, 0);
  EXPECT_EQ(EstimateMean(constant).centre, 0.1);
  EXPECT_TRUE(NeedsAllowance(constant, 1e-9));
  EXPECT_FALSE(NeedsAllowance(constant, 0));
}

TEST(MeanIntervalTest, ALogarithmNeedsAMeanAboveZeroThatKeepsItsDigits) {
  EXPECT_TRUE(LogMeanDefined(Of({0, 1, 2})));
  EXPECT_FALSE(LogMeanDefined(Of({0, 0, 0})));
  EXPECT_FALSE(LogMeanDefined(Of({-1, -2})));
  EXPECT_FALSE(LogMeanDefined(Of({1e-95, 1e-95})));
  EXPECT_FALSE(LogMeanDefined(Moments()));
  EXPECT_FALSE(MeanDefined(Moments()));
  EXPECT_TRUE(MeanDefined(Of({-1, -2})));
  EXPECT_FALSE(MeanDefined(Of({-1e200, 1e200, 3e200})));
}

TEST(MeanIntervalTest, TheSpreadDecidesWhetherStepsCount) {
  EXPECT_TRUE(NeedsAllowance(Of({1, 1, 2, 1}), 1));      // sd 0.5
  EXPECT_FALSE(NeedsAllowance(Of({1, 2, 1, 2, 3}), 1));  // sd 0.84
}

}  // namespace
}  // namespace benchd
