#include "core/analysis/arm_measurement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace benchd {
namespace {

SequentialDesign Design(std::uint64_t first_look = 8) {
  SequentialDesign design;
  design.alpha = 0.01;
  design.first_look = first_look;
  return design;
}

ArmMeasurement Mean(std::optional<double> precision = 0.01, bool rate = false) {
  return ArmMeasurement({.rate = rate, .estimator = {}, .asked = true, .precision = precision});
}

ArmMeasurement OfQuantile(EstimatorKind kind, double quantile, bool rate = false) {
  return ArmMeasurement(
      {.rate = rate, .estimator = {kind, quantile}, .asked = true, .precision = 0.5});
}

// Adds the values and looks after each.
void WatchValues(ArmMeasurement& arm, const std::vector<double>& values, double resolution = 0) {
  const SignificanceLevel level(Design(), 0.01);
  for (const double value : values) {
    arm.Add({value, value > 0});
    arm.Watch(level, resolution, true);
  }
}

Estimate Described(const ArmMeasurement& arm) {
  Estimate estimate;
  arm.Describe(estimate);
  return estimate;
}

std::vector<double> Normal(std::size_t count, double mean, double sd, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(mean, sd);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(ArmMeasurementTest, HasNoIntervalBeforeTheFirstLook) {
  ArmMeasurement arm = Mean();
  WatchValues(arm, {1, 1.1, 0.9, 1, 1, 1.1, 0.9});
  const Estimate seven = Described(arm);
  EXPECT_EQ(seven.n, 7U);
  EXPECT_NEAR(seven.value->estimate, 1, 1e-12);
  EXPECT_FALSE(seven.value->lo);
  EXPECT_FALSE(arm.settled());
  WatchValues(arm, {1});
  EXPECT_TRUE(Described(arm).value->lo);
}

TEST(ArmMeasurementTest, IsPreciseOnceTheWholeWidthIsReached) {
  ArmMeasurement arm = Mean(0.02);
  const std::vector<double> values = Normal(400, 2, 0.02);
  for (const double value : values) {
    WatchValues(arm, {value});
    const Estimate now = Described(arm);
    if (!now.value->lo) continue;
    const double width = (*now.value->hi - *now.value->lo) / now.value->estimate;
    if (arm.precise()) {
      EXPECT_LE(width, 0.02);
      EXPECT_GT(arm.n(), 8U);
      return;
    }
    EXPECT_GT(width, 0.02);
  }
  FAIL() << "never precise";
}

TEST(ArmMeasurementTest, TheIntervalNeverWidens) {
  ArmMeasurement arm = Mean(1e-9);
  std::optional<Effect> before;
  for (const double value : Normal(200, 10, 1)) {
    WatchValues(arm, {value});
    const std::optional<Effect> now = Described(arm).value;
    if (before && before->lo) {
      EXPECT_GE(*now->lo, *before->lo);
      EXPECT_LE(*now->hi, *before->hi);
    }
    before = now;
  }
}

TEST(ArmMeasurementTest, ScalesWithTheUnit) {
  const std::vector<double> values = Normal(50, 3, 0.3);
  std::vector<double> milli;
  for (const double value : values) milli.push_back(1000 * value);
  ArmMeasurement a = Mean(1e-9);
  ArmMeasurement b = Mean(1e-9);
  WatchValues(a, values);
  WatchValues(b, milli);
  EXPECT_NEAR(*Described(b).value->lo, 1000 * *Described(a).value->lo, 1e-6);
  EXPECT_NEAR(*Described(b).value->hi, 1000 * *Described(a).value->hi, 1e-6);
}

// The rate of a value is the reciprocal of its time, and so are the ends.
TEST(ArmMeasurementTest, ARateHasAHarmonicMean) {
  const std::vector<double> times = Normal(40, 0.01, 0.001);
  std::vector<double> rates;
  for (const double time : times) rates.push_back(1 / time);
  ArmMeasurement of_time = Mean(1e-9);
  ArmMeasurement of_rate = Mean(1e-9, true);
  WatchValues(of_time, times);
  WatchValues(of_rate, rates);
  const Effect time = *Described(of_time).value;
  const Effect rate = *Described(of_rate).value;
  EXPECT_NEAR(rate.estimate, 1 / time.estimate, 1e-9);
  EXPECT_NEAR(*rate.lo, 1 / *time.hi, 1e-9);
  EXPECT_NEAR(*rate.hi, 1 / *time.lo, 1e-9);
}

TEST(ArmMeasurementTest, ValuesOfZeroAreEstimatedWithoutALogarithm) {
  ArmMeasurement arm = Mean();
  WatchValues(arm, {0, 3, 1, 0, 5, 2, 0, 1, 4, 2});
  const Effect value = *Described(arm).value;
  EXPECT_NEAR(value.estimate, 1.8, 1e-12);
  EXPECT_LT(*value.lo, 0);
  EXPECT_GT(*value.hi, 3.6) << "symmetric, or wider above";
  EXPECT_EQ(Described(arm).min, 0);
  EXPECT_EQ(Described(arm).max, 5);
}

TEST(ArmMeasurementTest, ConstantCountsArePreciseAtTheFirstLook) {
  ArmMeasurement arm = Mean();
  WatchValues(arm, std::vector<double>(8, 5));
  EXPECT_TRUE(arm.precise());
  EXPECT_EQ(Described(arm).value, (Effect{5, 5, 5}));
}

TEST(ArmMeasurementTest, AStepThatIsTooCoarseEndsIt) {
  ArmMeasurement coarse = Mean(0.01);
  WatchValues(coarse, std::vector<double>(8, 5), 1);
  EXPECT_FALSE(coarse.precise());
  EXPECT_EQ(coarse.reason(), "resolution");
  EXPECT_TRUE(coarse.settled());
  ArmMeasurement fine = Mean(0.01);
  WatchValues(fine, std::vector<double>(8, 5000), 1);
  EXPECT_TRUE(fine.precise());
  EXPECT_NEAR(*Described(fine).value->lo, 4999, 0.01);
  EXPECT_NEAR(*Described(fine).value->hi, 5001, 0.01);
}

TEST(ArmMeasurementTest, NothingIsRelativeToZero) {
  ArmMeasurement arm = Mean();
  WatchValues(arm, std::vector<double>(8, 0), 1e-9);
  EXPECT_EQ(arm.reason(), "always_zero");
}

TEST(ArmMeasurementTest, AValueThatMovesAwayHasNoInterval) {
  ArmMeasurement arm = Mean(1e-9);
  WatchValues(arm, Normal(100, 1, 0.001));
  EXPECT_FALSE(arm.settled());
  WatchValues(arm, Normal(400, 2, 0.001, 2));
  EXPECT_EQ(arm.reason(), "intervals_disjoint");
  EXPECT_FALSE(Described(arm).value->lo);
  EXPECT_TRUE(Described(arm).last->lo) << "the last look has one";
}

TEST(ArmMeasurementTest, TheMedianIsThatOfTheOrderStatistics) {
  ArmMeasurement arm = OfQuantile(EstimatorKind::kMedian, 0);
  std::vector<double> values;
  for (int i = 1; i <= 101; ++i) values.push_back(i);
  WatchValues(arm, values);
  const Estimate median = Described(arm);
  EXPECT_EQ(median.value->estimate, 51);
  EXPECT_EQ(*median.last->lo + *median.last->hi, 102) << "the ranks are symmetric";
  EXPECT_GT(*median.last->lo, 20);
}

TEST(ArmMeasurementTest, AnExtremeQuantileHasOneEndUntilThereAreEnoughRuns) {
  ArmMeasurement arm = OfQuantile(EstimatorKind::kQuantile, 0.99);
  WatchValues(arm, Normal(100, 10, 1));
  EXPECT_TRUE(Described(arm).value->lo);
  EXPECT_FALSE(Described(arm).value->hi);
  EXPECT_FALSE(arm.precise());
  WatchValues(arm, Normal(2000, 10, 1, 2));
  EXPECT_TRUE(Described(arm).value->hi);
}

// P counts from the fast end: the slow end of a rate is its low one.
TEST(ArmMeasurementTest, AQuantileOfARateCountsFromTheFastEnd) {
  ArmMeasurement arm = OfQuantile(EstimatorKind::kQuantile, 0.9, true);
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(i + 1);
  WatchValues(arm, values);
  EXPECT_NEAR(Described(arm).value->estimate, 11, 1e-9);
}

TEST(ArmMeasurementTest, OneLookHasStudentsInterval) {
  ArmMeasurement arm = Mean(std::nullopt);
  for (const double value : {9.0, 10.0, 11.0}) arm.Add({value, true});
  arm.LookOnce(SignificanceLevel(Design(), 0.05), 0);
  EXPECT_TRUE(arm.precise());
  // log(10) -+ 4.302652729911275 * 0.1 / sqrt(3): the t of two degrees of freedom, a table's value.
  const double half = 4.302652729911275 * 0.1 / std::sqrt(3.0);
  EXPECT_NEAR(*Described(arm).value->lo, 10 * std::exp(-half), 1e-9);
  EXPECT_NEAR(*Described(arm).value->hi, 10 * std::exp(half), 1e-9);
  EXPECT_FALSE(Described(arm).last);
  EXPECT_FALSE(Described(arm).precision);
}

TEST(ArmMeasurementTest, ForecastsBySquareRootOfTheRuns) {
  ArmMeasurement arm = Mean(0.001);
  WatchValues(arm, Normal(50, 10, 0.5));
  const Effect last = *Described(arm).last;
  const double shrink = (*last.hi - *last.lo) / (0.001 * last.estimate);
  EXPECT_NEAR(*arm.ForecastFurther(), 50 * (shrink * shrink - 1), 1e-6);
  ArmMeasurement info({.rate = false, .estimator = {}, .asked = false, .precision = {}});
  WatchValues(info, Normal(50, 10, 0.5));
  EXPECT_FALSE(info.ForecastFurther());
  EXPECT_FALSE(Described(info).precise);
}

}  // namespace
}  // namespace benchd
