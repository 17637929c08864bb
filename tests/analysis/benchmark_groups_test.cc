#include "core/analysis/benchmark_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/wording.h"

namespace benchd {
namespace {

using std::chrono::milliseconds;
using Numbers = std::vector<std::vector<std::uint32_t>>;

std::vector<LoneRun> Took(const std::vector<double>& seconds) {
  std::vector<LoneRun> runs;
  for (const double one : seconds) runs.push_back({static_cast<std::uint32_t>(runs.size()), one});
  return runs;
}

std::vector<std::size_t> SizesOf(const Numbers& groups) {
  std::vector<std::size_t> sizes;
  for (const std::vector<std::uint32_t>& group : groups) sizes.push_back(group.size());
  return sizes;
}

TEST(ChooseGroupsTest, FillsGroupsUntilTheStartIsAQuarterOfTheirTime) {
  // 4 ms of start, and 2 ms of its own each.
  const Numbers groups = ChooseGroups(Took(std::vector<double>(15, 0.006)), 0.004);
  EXPECT_EQ(SizesOf(groups), (std::vector<std::size_t>{6, 6, 3}));
  EXPECT_EQ(groups[1].front(), 6U);
}

TEST(ChooseGroupsTest, FillsGroupsUntilAProcessTakesLongUnlessMostOfThatIsTheStart) {
  // 0.4 s of start, and 0.15 s of its own each: four take a second.
  EXPECT_EQ(SizesOf(ChooseGroups(Took(std::vector<double>(11, 0.55)), 0.4)),
            (std::vector<std::size_t>{4, 4, 3}));
  EXPECT_EQ(SizesOf(ChooseGroups(Took(std::vector<double>(11, 3.45)), 3)),
            (std::vector<std::size_t>{7, 4}))
      << "until the start is half of it";
}

TEST(ChooseGroupsTest, LeavesOutWhatIsNotMostlyStart) {
  EXPECT_EQ(ChooseGroups(Took({0.31, 0.6, 0.32, 5, 0.33}), 0.3), (Numbers{{0, 2, 4}}));
  EXPECT_EQ(ChooseGroups(Took({0.6, 0.7}), 0.3), Numbers{}) << "a half is not more than a half";
  EXPECT_EQ(ChooseGroups(Took({0.31, 0.9}), 0.3), Numbers{}) << "nobody to share with";
  EXPECT_EQ(ChooseGroups(Took({0.31, 0.31}), 0), Numbers{}) << "a start that takes no time";
  EXPECT_EQ(ChooseGroups({}, 0.3), Numbers{});
}

TEST(ChooseGroupsTest, BoundsAGroupHoweverShortItsBenchmarksAre) {
  const Numbers groups = ChooseGroups(Took(std::vector<double>(2 * kMostInGroup + 5, 0.3)), 0.3);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].size(), kMostInGroup);
  EXPECT_EQ(groups[1].front(), kMostInGroup);
  EXPECT_EQ(groups[2].size(), 5U);
}

TEST(BenchmarkGroupsTest, KnowWhoRunsInWhoseBlocks) {
  const BenchmarkGroups groups({{1, 3}, {4, 5, 6}});
  EXPECT_FALSE(groups.empty());
  EXPECT_EQ(groups.LeaderOf(0), 0U);
  EXPECT_EQ(groups.LeaderOf(3), 1U);
  EXPECT_EQ(groups.LeaderOf(4), 4U);
  EXPECT_EQ(groups.MembersOf(4), (std::vector<std::uint32_t>{4, 5, 6}));
  EXPECT_EQ(groups.MembersOf(2), (std::vector<std::uint32_t>{2}));
  EXPECT_TRUE(groups.Leads(1));
  EXPECT_FALSE(groups.Leads(3));
  EXPECT_FALSE(groups.Leads(0)) << "it runs alone";
  EXPECT_TRUE(BenchmarkGroups().empty());
  EXPECT_EQ(BenchmarkGroups().MembersOf(7), (std::vector<std::uint32_t>{7}));
}

TEST(GroupedOutlooksTest, TheLeaderStandsForTheLastOfItsGroup) {
  const BenchmarkOutlook one{
      .open = true, .blocks = 9, .minimum = 8, .seconds = 2, .expected_blocks = 4};
  std::vector<BenchmarkOutlook> outlooks(4, one);
  outlooks[1].seconds = 3;
  outlooks[2].expected_blocks = 11;
  outlooks[3] = {.open = false, .blocks = 9, .minimum = 8, .seconds = 0, .expected_blocks = {}};
  const BenchmarkGroups groups({{1, 2, 3}});
  const auto grouped = GroupedOutlooks(outlooks, groups);
  ASSERT_EQ(grouped.size(), 4U);
  EXPECT_EQ(grouped[0], one);
  EXPECT_EQ(grouped[1],
            (BenchmarkOutlook{
                .open = true, .blocks = 9, .minimum = 8, .seconds = 5, .expected_blocks = 11}));
  EXPECT_EQ(grouped[2], BenchmarkOutlook{.open = false}) << "no turn of its own";
  outlooks[2].expected_blocks.reset();
  EXPECT_EQ(GroupedOutlooks(outlooks, groups)[1].expected_blocks, std::nullopt);
  for (BenchmarkOutlook& outlook : outlooks) outlook.open = false;
  EXPECT_FALSE(GroupedOutlooks(outlooks, groups)[1].open);
}

TEST(WithoutDecidedTest, LeavesAGroupUntilAQuarterOfItIsDecided) {
  std::vector<BenchmarkOutlook> outlooks(9);
  const BenchmarkGroups groups({{0, 1, 2, 3, 4}, {5, 6, 7}});
  EXPECT_FALSE(WithoutDecided(groups, outlooks));
  outlooks[0].open = false;
  EXPECT_FALSE(WithoutDecided(groups, outlooks));
  outlooks[4].open = false;
  EXPECT_EQ(WithoutDecided(groups, outlooks)->all(), (Numbers{{1, 2, 3}, {5, 6, 7}}));
  outlooks[7].open = false;
  EXPECT_EQ(WithoutDecided(groups, outlooks)->all(), (Numbers{{1, 2, 3}, {5, 6}}))
      << "all leave together";
  outlooks[5].open = outlooks[1].open = outlooks[2].open = outlooks[3].open = false;
  EXPECT_EQ(WithoutDecided(groups, outlooks)->all(), (Numbers{{6}})) << "one remains";
  EXPECT_FALSE(WithoutDecided(BenchmarkGroups(Numbers{{6}}), outlooks));
  EXPECT_FALSE(WithoutDecided(BenchmarkGroups(), outlooks));
}

/// A session of four benchmarks of one program, each of which takes 310 ms, 300 of them the start.
class GroupPlannerTest : public testing::Test {
 protected:
  GroupPlannerTest() {
    found_ = {{.benchmark = 0,
               .names = {"BM_a", "BM_b", "BM_c", "BM_d"},
               .unmatched = {},
               .commands = {{"base"}, {"candidate"}},
               .start = milliseconds(300)}};
    for (const std::string& name : found_[0].names) {
      Benchmark one;
      one.harness = one.parse = "google-benchmark";
      one.name = one.inner = name;
      one.arms.resize(2);
      one.arms[0].role = ArmRole::kReference;
      spec_.benchmarks.push_back(one);
    }
  }

  GroupPlan Plan() const {
    GroupPlanner planner;
    for (std::uint32_t benchmark = 0; benchmark < spec_.benchmarks.size(); ++benchmark) {
      std::vector<benchd::Run> block(2);
      for (std::uint32_t arm = 0; arm < 2; ++arm) {
        block[arm].benchmark = benchmark;
        block[arm].arm = arm;
        block[arm].samples = samples_;
        block[arm].samples.push_back({"wall_time", "", 0, seconds_});
      }
      planner.Learn(block);
    }
    return planner.Choose(spec_, found_);
  }

  void ExpectAlone(const std::string& why) {
    const GroupPlan plan = Plan();
    EXPECT_TRUE(plan.groups.empty()) << why;
    EXPECT_TRUE(plan.notes.empty()) << why;
  }

  SessionSpec spec_;
  std::vector<FoundBenchmarks> found_;
  std::vector<Sample> samples_{{"real_time", "", 0, 1}, {"cpu_time", "google-benchmark", 0, 1}};
  double seconds_ = 0.31;
};

TEST_F(GroupPlannerTest, GroupsWhatIsMostlyStartAndSaysSo) {
  const GroupPlan plan = Plan();
  EXPECT_EQ(plan.groups.all(), (Numbers{{0, 1, 2, 3}}));
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes[0].code, "grouped");
  EXPECT_EQ(plan.notes[0].severity, Severity::kNote);
  EXPECT_WORDING(plan.notes[0].message);
}

TEST_F(GroupPlannerTest, TheStartIsNoLongerThanTheShortestRun) {
  // As after a first list that had to read the program from the disk.
  found_[0].start = milliseconds(5000);
  EXPECT_EQ(Plan().groups.all(), (Numbers{{0, 1, 2, 3}}));
  found_[0].start.reset();
  ExpectAlone("a list of an older benchd, whose time is unknown");
}

TEST_F(GroupPlannerTest, LeavesBenchmarksAloneWhoseRunsAreMostlyTheirOwn) {
  seconds_ = 1;
  ExpectAlone("seven tenths of a run");
}

TEST_F(GroupPlannerTest, LeavesABenchmarkAloneForWhichAProcessOfItsOwnMatters) {
  Benchmark& second = spec_.benchmarks[1];
  const Benchmark before = second;
  const auto expect_alone = [&](const char* why) {
    EXPECT_EQ(Plan().groups.all(), (Numbers{{0, 2, 3}})) << why;
    second = before;
  };
  second.no_groups = true;
  expect_alone("--no-groups");
  second.gates = {{.metric = "wall_time"}};
  expect_alone("a gate on the process");
  second.gates = {{.metric = "instructions"}};
  expect_alone("a gate on the process that the warm-up does not have");
  second.gates = {{.metric = "max_*"}};
  expect_alone("a pattern for metrics of the process");
  second.ignore_failure = true;
  expect_alone("failed runs count");
  second.check_output = true;
  expect_alone("outputs are compared");
  second.hooks.prepare = {"sync", {"sync"}};
  expect_alone("--prepare");
  second.arms[1].conclude = {"sync", {"sync"}};
  expect_alone("--conclude of an arm");
}

TEST_F(GroupPlannerTest, AGateOnAMetricOfTheHarnessIsNoReason) {
  for (const char* metric : {"real_time", "cpu_time", "google-benchmark/cpu_time", "*", "*_time"}) {
    for (Benchmark& one : spec_.benchmarks) one.gates = {{.metric = metric}};
    EXPECT_FALSE(Plan().groups.empty()) << metric;
  }
}

TEST_F(GroupPlannerTest, LeavesBenchmarksAloneWhoseValuesDoNotNameThem) {
  for (Benchmark& one : spec_.benchmarks) one.parse = "lines";
  ExpectAlone("a format without the names of the list");
  for (Benchmark& one : spec_.benchmarks) one.parse = "google-benchmark";
  samples_.push_back({"real_time", "BM_elsewhere", 0, 1});
  ExpectAlone("a name that is not in the list");
}

TEST_F(GroupPlannerTest, AOneLookSessionHasNoGroups) {
  spec_.limits.runs = 20;
  ExpectAlone("--runs");
}

TEST_F(GroupPlannerTest, EachProgramHasGroupsOfItsOwn) {
  spec_.benchmarks.push_back(spec_.benchmarks[0]);
  spec_.benchmarks.push_back(spec_.benchmarks[0]);
  for (std::size_t i = 0; i < 6; ++i) {
    spec_.benchmarks[i].name = (i < 4 ? "micro/" : "macro/") + spec_.benchmarks[i].inner;
  }
  found_.push_back(found_[0]);
  found_[1].benchmark = 1;
  found_[1].names = {"BM_a", "BM_a"};
  const GroupPlan plan = Plan();
  EXPECT_EQ(plan.groups.all(), (Numbers{{0, 1, 2, 3}, {4, 5}}));
  ASSERT_EQ(plan.notes.size(), 2U);
  EXPECT_WORDING(plan.notes[1].message);
}

}  // namespace
}  // namespace benchd
