#include "daemon/queue/expected_times.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Timestamp kStart{std::chrono::hours(24)};

SessionRecord Began() {
  SessionRecord record;
  record.snapshot.started_at = kStart;
  record.spec.limits.max_time = minutes(10);
  return record;
}

TEST(ExpectedTimesTest, KnowsNothingBeforeASessionHasEnded) {
  EXPECT_EQ(TypicalDuration().Mean(), std::nullopt);
}

TEST(ExpectedTimesTest, IsTheMeanOfTheLastTwenty) {
  TypicalDuration typical;
  typical.Add(minutes(100));
  for (int i = 0; i < 10; ++i) typical.Add(seconds(10));
  for (int i = 0; i < 10; ++i) typical.Add(seconds(30));
  EXPECT_EQ(typical.Mean(), seconds(20));
}

TEST(ExpectedTimesTest, ASessionTookFromItsStartToItsEndAndItsMaxTimeAtMost) {
  SessionRecord record = Began();
  EXPECT_EQ(DurationOf(record), std::nullopt);
  record.snapshot.ended_at = kStart + minutes(3);
  EXPECT_EQ(DurationOf(record), minutes(3));
  record.snapshot.ended_at = kStart + minutes(300);
  EXPECT_EQ(DurationOf(record), minutes(10));
  record.snapshot.started_at.reset();
  EXPECT_EQ(DurationOf(record), std::nullopt) << "cancelled before its turn";
}

TEST(ExpectedTimesTest, ASessionThatRunsTakesWhatItsReportExpectsElseTheRestOfItsTime) {
  SessionRecord record = Began();
  EXPECT_EQ(TimeLeft(record, kStart + minutes(1)), minutes(9));
  EXPECT_EQ(TimeLeft(record, kStart + minutes(20)), minutes(0));
  record.snapshot.report.emplace().elapsed = minutes(4);
  EXPECT_EQ(TimeLeft(record, kStart + minutes(20)), minutes(6));
  record.snapshot.report->eta = seconds(7);
  EXPECT_EQ(TimeLeft(record, kStart), seconds(7));
}

}  // namespace
}  // namespace benchd
