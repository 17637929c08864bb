#include "core/analysis/kept_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr unsigned kKeptSeed = 20261122;

using MakeIteration = std::function<double(int run, int iteration, std::mt19937_64&)>;

double IterationNormal(std::mt19937_64& random) {
  return std::normal_distribution<double>()(random);
}

// Both arms: `runs` runs of `values` iterations of the metric `t`; the candidate's by `make`.
std::vector<Warning> Warnings(int runs, int values, const MakeIteration& make,
                              unsigned seed = kKeptSeed) {
  std::mt19937_64 random(seed);
  SessionSpec spec = Two();
  spec.benchmarks[0].gates = {RatioGate("t", 0.02)};
  spec.benchmarks[0].gates[0].better = Better::kLower;
  SessionAnalysis analysis = Start(spec);
  for (int run = 0; run < runs; ++run) {
    Block block;
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      RunBuilder builder(0, arm, arm);
      for (int i = 0; i < values; ++i) {
        builder.Sample("t", arm == 0 ? 10 + 0.1 * IterationNormal(random) : make(run, i, random));
      }
      block.push_back(builder.Metric("t", Better::kLower));
    }
    Feed(analysis, block);
  }
  std::vector<Warning> found;
  for (const Warning& warning : analysis.Conclude().warnings) {
    const bool ours = warning.code == "dissimilar_runs" || warning.code == "spikes" ||
                      warning.code == "warmup_inside";
    if (ours) found.push_back(warning);
  }
  return found;
}

double PlainIteration(int, int, std::mt19937_64& random) {
  return 10 + 0.1 * IterationNormal(random);
}

TEST(KeptRunsTest, NameTheRunThatIsUnlikeTheOthers) {
  const auto warnings = Warnings(8, 60, [](int run, int i, std::mt19937_64& random) {
    return PlainIteration(run, i, random) * (run == 2 ? 2.5 : 1);
  });
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "dissimilar_runs");
  EXPECT_EQ(warnings[0].arm, "candidate");
  EXPECT_NE(warnings[0].message.find("run 3 "), std::string::npos) << warnings[0].message;
  EXPECT_WORDING(WarningText(warnings[0]));
}

// A coefficient of variation of 1.3: every measure of distance is large, but no run stands apart.
TEST(KeptRunsTest, DoNotTakeNoiseForADifference) {
  EXPECT_TRUE(Warnings(8, 100, [](int, int, std::mt19937_64& random) {
                return 1e-6 * std::floor(1e6 * std::exp(IterationNormal(random)));
              }).empty());
  const auto reversed = Warnings(8, 100, [](int run, int i, std::mt19937_64& random) {
    return (run % 2 == 0 ? 1 + i : 100 - i) + 0.1 * IterationNormal(random);
  });
  ASSERT_FALSE(reversed.empty());
  EXPECT_EQ(reversed[0].code, "dissimilar_runs") << "the same values, in another order";
}

TEST(KeptRunsTest, TellSpikesFromRunsThatDiffer) {
  const auto warnings = Warnings(8, 200, [](int run, int i, std::mt19937_64& random) {
    return PlainIteration(run, i, random) * (i == 11 * run + 3 ? 500 : 1);
  });
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "spikes");
}

TEST(KeptRunsTest, NameAStartThatEveryRunHas) {
  const auto warnings = Warnings(8, 100, [](int run, int i, std::mt19937_64& random) {
    return PlainIteration(run, i, random) * (i < 12 ? 1.2 : 1);
  });
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "warmup_inside");
  EXPECT_NE(warnings[0].message.find(" 12 "), std::string::npos) << warnings[0].message;
  EXPECT_WORDING(WarningText(warnings[0]));
}

TEST(KeptRunsTest, SayNothingBelowFiftyValuesARun) {
  EXPECT_TRUE(Warnings(8, 49, [](int run, int i, std::mt19937_64& random) {
                return PlainIteration(run, i, random) * (run == 2 ? 2.5 : 1);
              }).empty());
}

TEST(KeptRunsTest, SayRarelySomethingOfCleanRuns) {
  constexpr int kSessions = 300;
  int warned = 0;
  for (unsigned repeat = 0; repeat < kSessions; ++repeat) {
    warned += Warnings(8, 60, PlainIteration, kKeptSeed + repeat).empty() ? 0 : 1;
  }
  const double rate = static_cast<double>(warned) / kSessions;
  std::printf("seeds %u...: %.1f %% of %d clean sessions say something of their runs\n", kKeptSeed,
              100 * rate, kSessions);
  // The check for a warm-up uses a level of 0.1 % in each of two arms.
  EXPECT_LE(rate, 0.01);
}

}  // namespace
}  // namespace benchd
