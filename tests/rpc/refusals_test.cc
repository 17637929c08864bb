#include "daemon/rpc/refusals.h"

#include <gtest/gtest.h>

#include <vector>

namespace benchd::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RefusalsTest : public ::testing::Test {
 protected:
  /// The next suspension of a user who is refused `a_second` times per second for `time` at most.
  std::optional<Nanoseconds> Flood(int a_second, Nanoseconds time, std::uint32_t uid = 1000) {
    const SteadyTime end = now_ + time;
    while (now_ < end) {
      now_ += Nanoseconds(seconds(1)) / a_second;
      if (const auto suspended = refusals_.Count(uid, now_)) return suspended;
    }
    return std::nullopt;
  }

  SteadyTime now_{seconds(1000)};
  Refusals refusals_;
};

TEST_F(RefusalsTest, ToleratesAUserWhoAsksAgainNowAndThen) {
  EXPECT_EQ(Flood(static_cast<int>(Refusals::kForgivenASecond), seconds(100)), std::nullopt);
}

TEST_F(RefusalsTest, ToleratesABurst) {
  for (int i = 1; i < Refusals::kTolerated; ++i) EXPECT_FALSE(refusals_.Count(1000, now_));
  now_ += seconds(10);
  for (int i = 1; i < Refusals::kTolerated; ++i) EXPECT_FALSE(refusals_.Count(1000, now_));
}

TEST_F(RefusalsTest, SuspendsAUserWhoKeepsFloodingAgainAtOnce) {
  // The rate that an emulated machine reaches with all of its time.
  constexpr int kSlow = 300;
  ASSERT_TRUE(Flood(kSlow, seconds(6)));
  for (int i = 0; i < 5; ++i) {
    const Nanoseconds duration(seconds(1 << i));
    now_ += duration;
    // What leaked meanwhile is full again after half of the time.
    EXPECT_TRUE(Flood(kSlow, duration / 2 + milliseconds(100))) << i;
  }
}

TEST_F(RefusalsTest, SuspendsEachTimeTwiceAsLong) {
  std::vector<Nanoseconds> durations;
  for (int i = 0; i < 8; ++i) {
    const auto suspended = Flood(5000, seconds(1));
    ASSERT_TRUE(suspended);
    durations.push_back(*suspended);
    now_ += *suspended;
  }
  const std::vector<Nanoseconds> expected{seconds(1),  seconds(2),  seconds(4),  seconds(8),
                                          seconds(16), seconds(32), seconds(32), seconds(32)};
  EXPECT_EQ(durations, expected);
}

TEST_F(RefusalsTest, DoesNotCountDuringASuspension) {
  ASSERT_EQ(Flood(5000, seconds(1)), Nanoseconds(seconds(1)));
  EXPECT_EQ(Flood(100'000, milliseconds(990)), std::nullopt);
}

TEST_F(RefusalsTest, ForgetsAfterAMinute) {
  ASSERT_TRUE(Flood(5000, seconds(1)));
  now_ += seconds(1);
  ASSERT_EQ(Flood(5000, seconds(1)), Nanoseconds(seconds(2)));
  now_ += seconds(2) + Refusals::kForgotten;
  EXPECT_EQ(Flood(5000, seconds(1)), Nanoseconds(seconds(1)));
}

TEST_F(RefusalsTest, SuspendsNobodyElse) {
  ASSERT_TRUE(Flood(5000, seconds(1)));
  EXPECT_FALSE(refusals_.Count(1001, now_));
}

}  // namespace
}  // namespace benchd::rpc
