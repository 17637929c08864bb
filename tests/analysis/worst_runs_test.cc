#include "core/analysis/worst_runs.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/analysis/session_feed.h"

namespace benchd {
namespace {

using KernelFigures = std::vector<std::pair<std::string, double>>;

/// Two arms, of which arm 0 takes 10 ms and arm 1 takes 20 ms.
class WorstRunsTest : public testing::Test {
 protected:
  WorstRunsTest() : spec_(MakeSpec({MakeBenchmark("main", 1, {"base", "candidate"})})) {
    Comparison gate;
    gate.benchmark = "main";
    gate.metric = "wall_time";
    gate.unit = "s";
    gate.role = ComparisonRole::kGate;
    gate.better = Better::kLower;
    report_.comparisons.push_back(gate);
  }

  void Take(std::uint32_t arm, double value, const KernelFigures& figures = {},
            RunPhase phase = RunPhase::kMeasured) {
    benchd::Run run;
    run.arm = arm;
    run.phase = phase;
    run.samples.push_back({"wall_time", "", 0, value});
    for (const auto& [metric, figure] : figures) run.samples.push_back({metric, "", 0, figure});
    worst().Add({&run, 1});
  }

  /// Twelve quiet runs of each arm.
  void TakeQuiet() {
    for (int i = 0; i < 12; ++i) {
      const double more = i % 3 * 0.0001;
      Take(0, 0.0099 + more, {{"interrupts", 3}, {"stolen_time", 0}});
      Take(1, 0.0199 + more, {{"interrupts", 5}, {"stolen_time", 0}});
    }
  }

  WorstRunsAnalysis& worst() {
    if (!worst_) worst_.emplace(spec_, report_);
    return *worst_;
  }

  SessionSpec spec_;
  Report report_;
  std::optional<WorstRunsAnalysis> worst_;
};

TEST_F(WorstRunsTest, NamesTheirCauseByWhatIsAboveItsMedian) {
  TakeQuiet();
  Take(0, 0.031, {{"interrupts", 212}, {"stolen_time", 0.02}, {"involuntary_switches", 1}});
  Take(1, 0.031, {{"interrupts", 5}, {"stolen_time", 0}});
  const std::vector<WorstRun> found = worst().Conclude();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (WorstRun{25,
                                "main",
                                "base",
                                "wall_time",
                                "s",
                                0.031,
                                0.031 / 0.01,
                                {{"interrupts", 212, 3}, {"stolen_time", 0.02, 0}}}));
  EXPECT_EQ(found[1].number, 26U);
  EXPECT_EQ(found[1].arm, "candidate");
  EXPECT_TRUE(found[1].causes.empty());
}

TEST_F(WorstRunsTest, SaysNothingOfRunsLikeTheOthersNorOfWarmUp) {
  TakeQuiet();
  Take(0, 1, {}, RunPhase::kWarmup);
  EXPECT_TRUE(worst().Conclude().empty());
}

TEST_F(WorstRunsTest, TellsThreeTheWorstFirst) {
  TakeQuiet();
  for (const double value : {0.02, 0.05, 0.03, 0.04}) Take(0, value);
  std::vector<std::uint64_t> numbers;
  for (const WorstRun& run : worst().Conclude()) numbers.push_back(run.number);
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{26, 28, 27}));
}

TEST_F(WorstRunsTest, WhereHigherIsBetterNothingIsTold) {
  report_.comparisons[0].better = Better::kHigher;
  EXPECT_TRUE(worst().empty());
  TakeQuiet();
  Take(0, 5);
  EXPECT_TRUE(worst().Conclude().empty());
}

}  // namespace
}  // namespace benchd
