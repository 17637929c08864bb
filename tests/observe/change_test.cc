#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/observe/sample.h"
#include "tests/observe/sample_pair.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Ten seconds on CPUs 2 and 3, on which our own children ran for nine seconds each.
class CompareSamplesTest : public testing::Test {
 protected:
  CompareSamplesTest() {
    for (const int cpu : {2, 3}) pair_.Busy(cpu, 9);
    pair_.Own(18);
  }

  std::vector<Warning> Compare() const { return CompareSamples(pair_.before, pair_.after, {2, 3}); }
  std::string Codes() const {
    std::string codes;
    for (const Warning& warning : Compare()) codes += (codes.empty() ? "" : " ") + warning.code;
    return codes;
  }
  std::string Message() const {
    const auto warnings = Compare();
    return warnings.size() == 1 ? warnings.front().message : "not one warning: " + Codes();
  }

  SamplePair pair_{{2, 3}};
};

TEST_F(CompareSamplesTest, NothingIsSaidOfAQuietMachine) {
  pair_.Frequency(2, 3600000, 3590000);
  pair_.Throttled(2, 12, 12);
  pair_.Waited(2, 0.1);
  pair_.Process(9, "elsewhere", 0, 9.5);
  EXPECT_EQ(Codes(), "");
}

TEST_F(CompareSamplesTest, NothingIsSaidOfWhatWasNotRead) {
  EXPECT_TRUE(CompareSamples({}, pair_.after, {2, 3}).empty());
  EXPECT_TRUE(CompareSamples(pair_.before, {}, {2, 3}).empty());
  EXPECT_TRUE(CompareSamples(pair_.before, pair_.after, {}).empty());
  EXPECT_TRUE(CompareSamples(pair_.before, pair_.after, {7}).empty());
  pair_.after.cpus[2].frequency_khz = 1;
  pair_.after.cpus[2].throttled = 5;
  pair_.after.cpus[2].waited_ns = 1'000'000'000'000;
  EXPECT_EQ(Codes(), "");
}

TEST_F(CompareSamplesTest, AFrequencyThatChangedByMoreThanAStepIsTold) {
  pair_.Frequency(2, 4000000, 3800000);  // exactly 5 %
  EXPECT_EQ(Codes(), "");
  pair_.Frequency(3, 3600000, 2900000);
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, ThrottlingIsToldOfTheWorstCpu) {
  pair_.Throttled(2, 4, 5);
  pair_.Throttled(3, 4, 7);
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, StealIsToldFromOnePercentOn) {
  pair_.Stolen(2, 0.2);  // 1 % of 20 s
  EXPECT_EQ(Codes(), "");
  pair_.Stolen(3, 0.3);
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, TheBusiestOtherProcessIsNamed) {
  pair_.Busy(3, 1);
  pair_.Process(9, "elsewhere", 0, 9.5);
  pair_.Process(41, "cron", 3, 0.1);
  pair_.Process(42, "stress", 3, 0.8);
  EXPECT_EQ(Codes(), "other_process");
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, KernelThreadsAreNamedApart) {
  pair_.Busy(3, 1);
  pair_.Process(30, "kswapd0", 3, 0.7, true);
  pair_.Process(31, "kworker/3:1", 2, 0.2, true);
  EXPECT_WORDING(Message());
  pair_.Process(42, "stress", 3, 0.1);
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, AProcessThatHasEndedIsNotInvented) {
  pair_.Busy(3, 1);
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, APidThatWasUsedAgainCountsWithAllItsTime) {
  pair_.Busy(3, 2);
  pair_.Process(42, "stress", 3, 1.5);
  pair_.before.processes[42].started_ticks = 1;
  pair_.before.processes[42].busy_ticks = 1'000'000;
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, InterruptsAreMentionedWhereTheyArePartOfIt) {
  pair_.Interrupted(3, 1);
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, WhatTheCountingByTicksMayBeOffByIsNoOtherProcess) {
  // Two CPUs were each busy for 9 of 10 s. With 100 ticks per second, each has an error of
  // sqrt(1000 * 0.9 * 0.1) = 9.5 ticks. Both together have 134 ms; three times that is 402 ms.
  if (sysconf(_SC_CLK_TCK) != 100) GTEST_SKIP() << "figured out for 100 ticks a second";
  pair_.Own(-0.36);
  EXPECT_EQ(Codes(), "");
  pair_.Own(-0.09);
  EXPECT_EQ(Codes(), "other_process");
}

TEST(CompareShortSamplesTest, ATenthOfASecondIsNoOtherProcess) {
  SamplePair pair({1}, 1);
  pair.Busy(1, 1);
  pair.Own(0.91);
  EXPECT_TRUE(CompareSamples(pair.before, pair.after, {1}).empty());
  pair.Own(-0.03);
  ASSERT_EQ(CompareSamples(pair.before, pair.after, {1}).size(), 1U);
}

TEST_F(CompareSamplesTest, MoreRunnableThreadsThanCpusAreTold) {
  pair_.Waited(2, 0.4);
  pair_.Waited(3, 0.5);  // 0.9 of 20 s is 4.5 %
  EXPECT_EQ(Codes(), "");
  pair_.Waited(3, 2.8);  // 3.2 of 20 s is 16 %
  EXPECT_EQ(Codes(), "contention");
  EXPECT_WORDING(Message());
}

TEST_F(CompareSamplesTest, CountersThatFellSayNothing) {
  pair_.Busy(3, 5);
  pair_.Stolen(3, 5);
  pair_.Waited(3, 5);
  pair_.Throttled(3, 1, 3);
  std::swap(pair_.before.cpus[3], pair_.after.cpus[3]);
  EXPECT_EQ(Codes(), "");
}

TEST_F(CompareSamplesTest, EachWarningIsOfTheWholeSession) {
  pair_.Stolen(3, 3);
  EXPECT_EQ(Compare().front().benchmark, "");
  EXPECT_EQ(Compare().front().arm, "");
  EXPECT_THAT(Message(), Not(HasSubstr("  ")));
}

}  // namespace
}  // namespace benchd
