#include <gtest/gtest.h>

#include <cmath>

#include "core/stats/decision.h"
#include "core/stats/paired.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

const SequentialBoundary& ForecastBoundary() {
  static const SequentialBoundary boundary = SequentialBoundary::Robbins(0.01, 8).value();
  return boundary;
}

// The first n at which the interval with exactly this spread clears the threshold, by brute force.
std::uint64_t FirstClearing(const PairedEstimate& now, double threshold) {
  for (std::uint64_t n = std::max<std::uint64_t>(now.n, 8);; ++n) {
    const double shrink = std::sqrt(static_cast<double>(now.n) / static_cast<double>(n));
    PairedEstimate then = now;
    then.n = n;
    then.se = now.se * shrink;
    then.kappa = now.kappa * shrink;
    const Interval interval = GuardedInterval(then, ForecastBoundary().CriticalT(n));
    if (interval.lo > threshold || interval.hi < threshold) return n;
  }
}

TEST(ForecastTest, FindsTheLookAtWhichTheIntervalClearsTheThreshold) {
  for (double centre : {-0.01, 0.0, 0.015, 0.03, 0.1}) {
    for (double kappa : {-0.2, 0.0, 0.2}) {
      const PairedEstimate now{.n = 10, .centre = centre, .se = 0.02, .kappa = kappa};
      const auto expected = static_cast<double>(FirstClearing(now, 0.02));
      const auto forecast = ForecastPairs(now, 0.02, ForecastBoundary());
      ASSERT_TRUE(forecast);
      EXPECT_NEAR(*forecast, expected, 1 + 0.03 * expected) << centre << " " << kappa;
    }
  }
}

TEST(ForecastTest, NeverFallsBelowTheFirstLook) {
  const PairedEstimate now{.n = 4, .centre = 0.5, .se = 1e-6};
  EXPECT_EQ(ForecastPairs(now, 0.02, ForecastBoundary()), 8);
}

TEST(ForecastTest, IsSilentOnTheThresholdAndWithinTheResolution) {
  EXPECT_FALSE(ForecastPairs({.n = 10, .centre = 0.02, .se = 0.01}, 0.02, ForecastBoundary()));
  EXPECT_FALSE(ForecastPairs({.n = 10, .centre = 0.03, .se = 0.01, .allowance = 0.02}, 0.02,
                             ForecastBoundary()));
  EXPECT_FALSE(ForecastPairs({.n = 2, .centre = 0.5, .se = 0.01}, 0.02, ForecastBoundary()));
}

// From tables: t(.995, 2n - 2) is 2.6045 at n = 86 and 2.6057 at n = 85 (close to the normal's
// 2.5758), so n = 85 and 86 give half widths of 0.99926 % and 0.99298 % for 2.5 %.
TEST(ForecastTest, CountsTheUnitsThatAWidthNeeds) {
  const std::uint64_t units = UnitsPerArm(0.025, 0.01, 0.01);
  EXPECT_EQ(units, 85U);
  for (const double half : {0.05, 0.01, 0.002}) {
    const auto n = static_cast<double>(UnitsPerArm(0.025, half, 0.01));
    const auto width = [](double k) {
      return StudentTUpperQuantile(0.005, 2 * k - 2) * 0.025 * std::sqrt(2 / k);
    };
    EXPECT_LE(width(n), half);
    if (n > 2) {
      EXPECT_GT(width(n - 1), half);
    }
  }
  EXPECT_EQ(UnitsPerArm(0, 0.01, 0.01), 2U);
  EXPECT_EQ(UnitsPerArm(1, 0, 0.01), 1'000'000U);
}

}  // namespace
}  // namespace benchd
