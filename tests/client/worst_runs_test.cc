#include "client/present/worst_runs.h"

#include <gtest/gtest.h>

#include "tests/client/samples.h"

namespace benchd::client {
namespace {

constexpr Style kWorstPlain{false, true, 0};

using Figures = std::vector<std::pair<std::string, double>>;

v1::Run RunOf(const std::string& arm, double wall_time, const Figures& figures = {}) {
  v1::Run run;
  run.set_benchmark("main");
  run.set_arm(arm);
  run.set_phase(v1::RUN_PHASE_MEASURED);
  v1::Sample* sample = run.add_samples();
  sample->set_metric("wall_time");
  sample->set_value(wall_time);
  for (const auto& [metric, value] : figures) {
    sample = run.add_samples();
    sample->set_metric(metric);
    sample->set_value(value);
  }
  return run;
}

v1::Update Gated(v1::Better better = v1::BETTER_LOWER) {
  v1::Update report;
  v1::Comparison* gate = report.add_comparisons();
  gate->set_benchmark("main");
  gate->set_metric("wall_time");
  gate->set_unit("s");
  gate->set_role(v1::COMPARISON_ROLE_GATE);
  gate->set_better(better);
  return report;
}

/// Twelve undisturbed runs of each arm, with medians of 10 and 20 ms.
void TakeQuiet(WorstRuns& worst) {
  for (int i = 0; i < 12; ++i) {
    const double more = i % 3 * 0.0001;
    worst.Take(RunOf("base", 0.0099 + more, {{"interrupts", 3}, {"stolen_time", 0}}));
    worst.Take(RunOf("candidate", 0.0199 + more, {{"interrupts", 5}, {"stolen_time", 0}}));
  }
}

TEST(WorstRunsTest, NamesTheirCauseByWhatIsAboveItsMedian) {
  WorstRuns worst(Gated());
  TakeQuiet(worst);
  worst.Take(RunOf("base", 0.031,
                   {{"interrupts", 212}, {"stolen_time", 0.02}, {"involuntary_switches", 1}}));
  worst.Take(RunOf("candidate", 0.031, {{"interrupts", 5}, {"stolen_time", 0}}));
  EXPECT_EQ(worst.Render(kWorstPlain),
            "run 25 (base): 31 ms, 3.1 times the median; 212 interrupts, 20 ms stolen\n"
            "run 26 (candidate): 31 ms, 1.6 times the median; no cause that the kernel counts\n");
}

TEST(WorstRunsTest, SaysNothingOfRunsLikeTheOthers) {
  WorstRuns worst(Gated());
  TakeQuiet(worst);
  EXPECT_EQ(worst.Render(kWorstPlain), "");
  WorstRuns warmup(Gated());
  TakeQuiet(warmup);
  v1::Run late = RunOf("base", 1);
  late.set_phase(v1::RUN_PHASE_WARMUP);
  warmup.Take(late);
  EXPECT_EQ(warmup.Render(kWorstPlain), "");
}

TEST(WorstRunsTest, TellsThreeTheWorstFirst) {
  WorstRuns worst(Gated());
  TakeQuiet(worst);
  for (const double value : {0.02, 0.05, 0.03, 0.04}) worst.Take(RunOf("base", value));
  const std::string text = worst.Render(kWorstPlain);
  EXPECT_EQ(text.find("run 26 (base): 50 ms"), 0U) << text;
  EXPECT_NE(text.find("run 28 (base)"), std::string::npos);
  EXPECT_NE(text.find("run 27 (base)"), std::string::npos);
  EXPECT_EQ(text.find("run 25 (base)"), std::string::npos) << text;
}

TEST(WorstRunsTest, WhereHigherIsBetterNothingIsTold) {
  WorstRuns worst(Gated(v1::BETTER_HIGHER));
  TakeQuiet(worst);
  worst.Take(RunOf("base", 5));
  EXPECT_EQ(worst.Render(kWorstPlain), "");
}

}  // namespace
}  // namespace benchd::client
