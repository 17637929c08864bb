#include "daemon/runner/machine.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

/// A host with CPU 0 for housekeeping and 1 to 3 for benchmarks.
Host FourCpus() {
  Host host;
  host.usable_cpus = {0, 1, 2, 3};
  host.cpus = {.housekeeping = {0}, .benchmark = {1, 2, 3}, .why = ""};
  return host;
}

wire::AcquireMachine Wish(Isolation isolation, std::string cpus = "") {
  return {.request = 1, .profile = "default", .isolation = isolation, .cpus = std::move(cpus)};
}

TEST(MachineTest, BestEffortPinsToTheBenchmarkCpusAndTellsWhatIsMissing) {
  const auto report = DescribeMachine(FourCpus(), Wish(Isolation::kBestEffort));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->benchmark_cpus, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(report->housekeeping_cpus, (std::vector<int>{0}));
  ASSERT_EQ(report->isolation.size(), 1U);
  EXPECT_EQ(report->isolation[0].setting, "cpuset");
  EXPECT_EQ(report->isolation[0].actual, "affinity");
  EXPECT_FALSE(report->isolation[0].held);
  EXPECT_NE(report->isolation[0].why, "");
  ASSERT_FALSE(report->environment.facts.empty());
  EXPECT_EQ(report->environment.facts[0].first, "kernel");
}

TEST(MachineTest, TellsWhenTheDaemonSharesTheBenchmarkCpus) {
  Host host = FourCpus();
  host.cpus = {.housekeeping = {0}, .benchmark = {0}, .why = "there is a single physical core"};
  const auto report = DescribeMachine(host, Wish(Isolation::kBestEffort));
  ASSERT_TRUE(report);
  ASSERT_EQ(report->isolation.size(), 2U);
  EXPECT_EQ(report->isolation[1].setting, "housekeeping_cpus");
  EXPECT_EQ(report->isolation[1].why, "there is a single physical core");
}

TEST(MachineTest, WithoutIsolationNothingIsWantedNorPinned) {
  const auto report = DescribeMachine(FourCpus(), Wish(Isolation::kOff));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->isolation.empty());
  EXPECT_TRUE(report->benchmark_cpus.empty());
  EXPECT_EQ(DescribeMachine(FourCpus(), Wish(Isolation::kOff, "2"))->benchmark_cpus,
            (std::vector<int>{2}));
}

TEST(MachineTest, StrictIsolationNamesTheSettingThatCannotBeHad) {
  const auto refused = DescribeMachine(FourCpus(), Wish(Isolation::kStrict));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(refused.error().message.starts_with("cpuset: ")) << refused.error().message;
}

TEST(MachineTest, TakesCpusAmongTheBenchmarkCpusOnly) {
  EXPECT_EQ(DescribeMachine(FourCpus(), Wish(Isolation::kBestEffort, "2-3"))->benchmark_cpus,
            (std::vector<int>{2, 3}));
  const auto outside = DescribeMachine(FourCpus(), Wish(Isolation::kBestEffort, "0-2,9"));
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(outside.error().message, "cpus: 0,9 is not among the benchmark CPUs");
  EXPECT_EQ(outside.error().hint, "choose among 1-3");
  EXPECT_FALSE(DescribeMachine(FourCpus(), Wish(Isolation::kBestEffort, "x")));
  EXPECT_FALSE(DescribeMachine(FourCpus(), Wish(Isolation::kBestEffort, " ")));
}

TEST(MachineTest, RefusesAnUnknownProfile) {
  wire::AcquireMachine wish = Wish(Isolation::kBestEffort);
  wish.profile = "turbo";
  const auto refused = DescribeMachine(FourCpus(), wish);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace benchd
