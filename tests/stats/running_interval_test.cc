#include "core/stats/running_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace benchd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RunningIntervalTest, HasNoneBeforeTheFirstLook) {
  const RunningInterval none;
  EXPECT_FALSE(none.value());
  EXPECT_FALSE(none.empty());
  EXPECT_FALSE(none.looked());
}

TEST(RunningIntervalTest, IsWhatAllLooksHaveInCommonAndNeverWidens) {
  RunningInterval running;
  running.Take({-1, 3}, 0);
  running.Take({-2, 2}, 0);
  EXPECT_EQ(running.value(), (Interval{-1, 2}));
  running.Take({-10, 10}, 0);
  EXPECT_EQ(running.value(), (Interval{-1, 2}));
  running.Take({0.5, 10}, 0);
  EXPECT_EQ(running.value(), (Interval{0.5, 2}));
}

TEST(RunningIntervalTest, LooksThatExcludeEachOtherLeaveNothingForGood) {
  RunningInterval running;
  running.Take({0, 1}, 0);
  running.Take({2, 3}, 0);
  EXPECT_TRUE(running.empty());
  EXPECT_FALSE(running.value());
  running.Take({-10, 10}, 100);
  EXPECT_TRUE(running.empty());
}

TEST(RunningIntervalTest, ThoseThatTouchHaveAPointInCommon) {
  RunningInterval running;
  running.Take({0, 1}, 0);
  running.Take({1, 2}, 0);
  EXPECT_EQ(running.value(), (Interval{1, 1}));
}

TEST(RunningIntervalTest, OnePointComputedTwiceIsNoContradiction) {
  RunningInterval running;
  running.Take({0.1, 0.1}, 1e-15);
  const double next = std::nextafter(0.1, 1);
  running.Take({next, next}, 1e-15);
  EXPECT_EQ(running.value(), (Interval{0.1, 0.1}));
}

TEST(RunningIntervalTest, AnEndWithoutABoundSaysNothing) {
  RunningInterval running;
  running.Take({-kInfinity, kInfinity}, 0);
  EXPECT_EQ(running.value(), (Interval{-kInfinity, kInfinity}));
  running.Take({-kInfinity, 4}, 0);
  running.Take({1, kInfinity}, 0);
  running.Take({std::nan(""), std::nan("")}, 0);
  EXPECT_EQ(running.value(), (Interval{1, 4}));
}

}  // namespace
}  // namespace benchd
