#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/profile_analysis.h"
#include "core/model/profile.h"
#include "daemon/session/run_session.h"
#include "tests/session/mortal_session.h"
#include "tests/support/fakes.h"
#include "tests/support/loop.h"
#include "tests/support/test_store.h"

namespace benchd {
namespace {

/// A session of two programs whose runs are sampled. `f` takes 0.3 s of a run of the candidate, and
/// 0.2 s of one of the reference; everything else is equal.
class SampledSessionTest : public test::MortalSession {
 protected:
  SampledSessionTest() {
    spec_.profile = Profile{.frequency_hz = 500};
    spec_.limits.runs = 12;
    spec_.keep_all = true;
    spec_.benchmarks[0].gates = {
        {.metric = "cpu_time", .margin = 0.02, .better = {}, .margin_implied = true}};
    runner_.program = [](std::uint32_t child, std::uint64_t run) {
      const double jitter = 0.001 * static_cast<double>((run * 7 + child * 3) % 10);
      const double own = child == 0 ? 0.2 : 0.3;
      RunOutcome outcome = fake::Took(0.8 + own + jitter);
      outcome.samples.push_back({.metric = "cpu_time", .value = 0.8 + own + jitter});
      const auto stack = [&outcome](const char* name, double samples) {
        outcome.samples.push_back(
            {.metric = std::string(kStackMetric), .inner_benchmark = name, .value = samples});
      };
      stack("main;f", 500 * own + static_cast<double>((run * 5 + child) % 7));
      stack("main", 400 + 500 * jitter);
      outcome.samples.push_back({.metric = std::string(kLostSamplesMetric), .value = 1});
      return outcome;
    };
  }
};

TEST_F(SampledSessionTest, TheStatisticsDoNotSeeTheStacksButTheStoreDoes) {
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  ASSERT_TRUE(last.report);
  EXPECT_EQ(last.report->verdict, Verdict::kRegression);
  for (const Comparison& comparison : last.report->comparisons) {
    EXPECT_FALSE(IsOfProfile(comparison.metric)) << comparison.metric;
    EXPECT_EQ(comparison.role == ComparisonRole::kGate, comparison.metric == "cpu_time");
  }
  ASSERT_EQ(last.report->explanations.size(), 1U);
  const Explanation& explanation = last.report->explanations[0];
  EXPECT_EQ(explanation.blocks, 12U);
  EXPECT_EQ(explanation.lost, 24U);
  ASSERT_EQ(explanation.functions.size(), 2U);
  EXPECT_EQ(explanation.functions[0].function, "f");
  EXPECT_TRUE(explanation.functions[0].changed);
  EXPECT_NEAR(*explanation.explained, 1, 0.05);
  EXPECT_EQ(last.report->warnings.back().code, "profile_no_callers");
  for (const ChildSpec& child : runner_.ran()) EXPECT_EQ(child.profile, spec_.profile);
  const std::vector<benchd::Run> runs = store_.runs(id_);
  ASSERT_EQ(runs.size(), 26U);
  for (const benchd::Run& run : runs) {
    EXPECT_EQ(std::ranges::count(run.samples, std::string(kStackMetric), &Sample::metric), 2);
  }
}

TEST_F(SampledSessionTest, ASessionThatWasInterruptedEndsAsIfItHadNotBeen) {
  LiveUntilKilledInRun(11);
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.report->verdict, Verdict::kRegression);
  ProfileAnalysis analysis(spec_);
  std::map<std::uint64_t, std::vector<benchd::Run>> blocks;
  for (const benchd::Run& run : store_.runs(id_)) {
    if (run.phase == RunPhase::kMeasured) blocks[run.block].push_back(run);
  }
  for (const auto& [number, block] : blocks) analysis.Add(block);
  EXPECT_EQ(last.report->explanations, analysis.Conclude());
}

}  // namespace
}  // namespace benchd
