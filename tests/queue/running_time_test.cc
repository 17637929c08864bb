#include "daemon/queue/running_time.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Timestamp At(Nanoseconds since_start) { return Timestamp(hours(24 * 100)) + since_start; }

TEST(RunningTimeTest, AddsWhatRanWithinTheDay) {
  RunningTime time;
  time.Add(1000, At(hours(0)), At(hours(1)));
  time.Add(1001, At(hours(1)), At(hours(5)));
  time.Add(1000, At(hours(5)), At(hours(7)));
  EXPECT_EQ(time.Within(1000, At(hours(7))), hours(3));
  EXPECT_EQ(time.Within(1001, At(hours(7))), hours(4));
  EXPECT_EQ(time.Within(1002, At(hours(7))), hours(0));
  EXPECT_EQ(time.Within(1000, At(hours(24) + minutes(20))), hours(3) - minutes(20));
  EXPECT_EQ(time.Within(1000, At(hours(30))), hours(1));
  EXPECT_EQ(time.Within(1000, At(hours(31))), hours(0));
}

TEST(RunningTimeTest, TellsTheFirstMomentBelowALimit) {
  RunningTime time;
  time.Add(1000, At(hours(0)), At(hours(1)));
  time.Add(1000, At(hours(2)), At(hours(4)));
  const Timestamp now = At(hours(4));
  EXPECT_EQ(time.BelowFrom(1000, now, hours(4)), now) << "it is";
  // One hour of the second interval has to leave the day, after the whole first one.
  const Timestamp when = time.BelowFrom(1000, now, hours(1));
  EXPECT_EQ(when, At(hours(27)) + Nanoseconds(1));
  EXPECT_LT(time.Within(1000, when), hours(1));
  EXPECT_EQ(time.Within(1000, when - Nanoseconds(1)), hours(1)) << "as much as is allowed";
  // Exactly as much as the limit: a moment of the first interval has to leave.
  EXPECT_EQ(time.BelowFrom(1000, now, hours(3)), At(hours(24)) + Nanoseconds(1));
}

TEST(RunningTimeTest, ForgetsWhatNoLongerCounts) {
  RunningTime time;
  time.Add(1000, At(hours(0)), At(hours(1)));
  time.Forget(At(hours(24)));
  EXPECT_EQ(time.Users(), std::vector<std::uint32_t>{1000});
  time.Forget(At(hours(25)));
  EXPECT_TRUE(time.Users().empty());
}

TEST(RunningTimeTest, AClockThatWasSetBackTakesNothingAway) {
  RunningTime time;
  time.Add(1000, At(hours(2)), At(hours(1)));
  EXPECT_EQ(time.Within(1000, At(hours(2))), hours(0));
}

}  // namespace
}  // namespace benchd
