#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/stats/histogram.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

double Integral(const Density& density) {
  const double width = density.x[1] - density.x[0];
  double sum = 0;
  for (double y : density.y) sum += y * width;
  return sum;
}

// 1..5: s = sqrt 2.5 = 1.581; IQR / 1.34 = 2 / 1.34 = 1.4925 is smaller; 5^-0.2 = 0.72478.
TEST(DensityTest, TheBandwidthIsSilvermansRule) {
  EXPECT_NEAR(SilvermanBandwidth(Values{1, 2, 3, 4, 5}).value(), 0.9 * 2 / 1.34 * 0.7247796637,
              1e-9);
}

// IQR 0, s = 2 / sqrt 5.
TEST(DensityTest, WithoutAQuartileRangeTheStandardDeviationIsTaken) {
  EXPECT_NEAR(SilvermanBandwidth(Values{1, 1, 1, 1, 3}).value(),
              0.9 * 2 / std::sqrt(5.0) * 0.7247796637, 1e-9);
}

TEST(DensityTest, IntegratesToOneWithFineAndWithCoarseCells) {
  std::mt19937 random(2);
  std::lognormal_distribution<double> law(0, 1.5);
  Values values(400);
  for (double& x : values) x = law(random);
  for (std::size_t cells : {3u, 50u, 512u, 5000u}) {
    const Density density = KernelDensity(values, cells).value();
    ASSERT_EQ(density.x.size(), cells);
    EXPECT_NEAR(Integral(density), 1, 4e-5) << cells << " cells, seed 2";
    for (double y : density.y) EXPECT_GE(y, 0);
  }
}

// Two values, one bandwidth: the density is the mean of two normal densities.
TEST(DensityTest, IsTheMeanOfTheKernels) {
  const Density density = KernelDensity(Values{0, 3}, 0.5, -3, 6, 9000).value();
  for (std::size_t i = 0; i < density.x.size(); i += 700) {
    const double x = density.x[i];
    const double expected = (NormalDensity(x / 0.5) + NormalDensity((x - 3) / 0.5)) / (2 * 0.5);
    EXPECT_NEAR(density.y[i], expected, 1e-6) << "at " << x;
  }
}

TEST(DensityTest, WhatLiesOutsideOfTheRangeIsNotShown) {
  EXPECT_NEAR(Integral(KernelDensity(Values{0}, 1, 0, 10, 100).value()), 0.5, 1e-12);
  EXPECT_NEAR(Integral(KernelDensity(Values{50}, 1, 0, 10, 100).value()), 0, 1e-12);
}

TEST(DensityTest, RefusesWhatHasNoDensity) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(KernelDensity(Values{}, 10));
  EXPECT_FALSE(KernelDensity(Values{1}, 10));
  EXPECT_FALSE(KernelDensity(Values{2, 2, 2}, 10));
  EXPECT_FALSE(KernelDensity(Values{1, nan}, 10));
  EXPECT_FALSE(KernelDensity(Values{-1e308, 1e308}, 10));
  EXPECT_FALSE(KernelDensity(Values{1, 2}, 0));
  EXPECT_FALSE(KernelDensity(Values{1, 2}, 0, 0, 1, 10));
  EXPECT_FALSE(KernelDensity(Values{1, 2}, 1, 1, 1, 10));
}

}  // namespace
}  // namespace benchd
