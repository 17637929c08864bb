// Warnings about a session's data: the right one for a planted disturbance, none for clean data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr unsigned kWarningSeed = 20261122;
constexpr int kBlocks = 60;
constexpr int kPlantedSessions = 100;

using MakeBlockValue = std::function<double(int block, std::uint32_t arm, std::mt19937_64&)>;

double Normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }

SessionSpec WarnedSpec() {
  SessionSpec spec = Two();
  spec.limits.runs = kBlocks;
  spec.schedule.warmup = 1;
  return spec;
}

Report Conclude(unsigned seed, const MakeBlockValue& make) {
  std::mt19937_64 random(seed);
  SessionAnalysis analysis = Start(WarnedSpec());
  for (int block = 0; block < kBlocks; ++block) {
    const double base = make(block, 0, random);
    const double candidate = make(block, 1, random);
    Feed(analysis, WallBlock(0, {base, candidate}));
  }
  return analysis.Conclude();
}

std::set<std::string> Codes(const Report& report) {
  std::set<std::string> codes;
  for (const Warning& warning : report.warnings) codes.insert(warning.code);
  return codes;
}

/// How many sessions have a warning of each code.
using CodeCounts = std::map<std::string, int>;

CodeCounts CountCodes(unsigned first_seed, int sessions, const MakeBlockValue& make) {
  CodeCounts counts;
  for (int i = 0; i < sessions; ++i) {
    const Report report = Conclude(first_seed + static_cast<unsigned>(i), make);
    for (const std::string& code : Codes(report)) ++counts[code];
  }
  for (const auto& [code, sessions_with] : counts) {
    std::printf("%s: %d of %d\n", code.c_str(), sessions_with, sessions);
  }
  return counts;
}

// Any single session may have a chance finding, so sessions with many seeds are counted. Each of
// `planted` must be found in `least` of them at least; any other warning is by chance. At 0.5 %,
// the highest level of a check (kCorrelationLevel), more than 4 of 100 sessions would have a
// certain warning less often than 1 in 1000 (binomial).
void ExpectPlanted(const MakeBlockValue& make, const std::map<std::string, int>& planted) {
  constexpr int kMostByChance = 4;
  CodeCounts counts = CountCodes(kWarningSeed, kPlantedSessions, make);
  for (const auto& [code, least] : planted) {
    EXPECT_GE(counts[code], least) << code;
    counts.erase(code);
  }
  for (const auto& [code, sessions] : counts) EXPECT_LE(sessions, kMostByChance) << code;
}

double Clean(int, std::uint32_t, std::mt19937_64& random) { return 1 + 0.01 * Normal(random); }

TEST(SessionWarningsTest, NameAWarmupAndHowMuchToDiscard) {
  const MakeBlockValue slow_start = [](int block, std::uint32_t arm, std::mt19937_64& random) {
    return Clean(block, arm, random) * (block < 5 ? 1.2 : 1);
  };
  ExpectPlanted(slow_start, {{"warmup", kPlantedSessions}});
  const std::string text = WarningText(Conclude(kWarningSeed, slow_start).warnings, "warmup");
  EXPECT_NE(text.find("--warmup 6"), std::string::npos) << text;
  EXPECT_WORDING(text);
}

TEST(SessionWarningsTest, NameSeveralModes) {
  const MakeBlockValue modes = [](int block, std::uint32_t arm, std::mt19937_64& random) {
    const bool slow = random() % 2 == 0;
    return Clean(block, arm, random) * (arm == 1 && slow ? 1.1 : 1);
  };
  // Of a check that sees nine in ten, fewer than 80 of 100 would be less often than 1 in 1000.
  ExpectPlanted(modes, {{"several_modes", kPlantedSessions}, {"shapes_differ", 80}});
  const Report report = Conclude(kWarningSeed, modes);
  const auto named = std::ranges::find(report.warnings, "several_modes", &Warning::code);
  ASSERT_NE(named, report.warnings.end());
  EXPECT_EQ(named->arm, "candidate");
  EXPECT_WORDING(WarningText(*named));
}

TEST(SessionWarningsTest, NameADriftThatComesAndGoes) {
  ExpectPlanted(
      [](int block, std::uint32_t arm, std::mt19937_64& random) {
        return Clean(block, arm, random) * (block >= 20 && block < 40 ? 1.1 : 1);
      },
      {{"drift", kPlantedSessions}});
}

// A fixed look at the means of log-normal arms, of which one has slow runs that no such law has.
TEST(SessionWarningsTest, AModelThatTheValuesRejectLeavesItsGateUndecided) {
  for (const bool slow : {false, true}) {
    std::mt19937_64 random(kWarningSeed);
    SessionSpec spec = WarnedSpec();
    spec.estimator.kind = EstimatorKind::kLognormalMean;
    SessionAnalysis analysis = Start(spec);
    for (int block = 0; block < kBlocks; ++block) {
      const double candidate = 2 * Clean(block, 1, random) * (slow && block % 20 == 7 ? 10 : 1);
      Feed(analysis, WallBlock(0, {Clean(block, 0, random), candidate}));
    }
    const Report report = analysis.Conclude();
    EXPECT_EQ(Codes(report).count("not_lognormal"), slow ? 1U : 0U);
    EXPECT_EQ(report.verdict, slow ? Verdict::kUndecided : Verdict::kRegression);
    const Comparison gate = Find(report, "wall_time");
    EXPECT_EQ(gate.reason, slow ? "not_lognormal" : "");
    ASSERT_TRUE(gate.change);
    EXPECT_EQ(gate.change->lo.has_value(), !slow);
    EXPECT_EQ(gate.p_value.has_value(), !slow);
  }
}

TEST(SessionWarningsTest, ChangeNoVerdict) {
  for (const bool shaped : {false, true}) {
    const Report report =
        Conclude(kWarningSeed, [shaped](int block, std::uint32_t arm, std::mt19937_64& random) {
          const double load = shaped && block < 5 ? 1.2 : 1;
          return Clean(block, arm, random) * load * (arm == 1 ? 1.5 : 1);
        });
    EXPECT_EQ(report.verdict, Verdict::kRegression);
    EXPECT_EQ(Codes(report).count("warmup"), shaped ? 1U : 0U);
  }
}

// docs/statistics.md section 8: at most 0.5 % for each warning, and 1 % for `outliers`. More than
// 21 and 35 of 2000 would occur less often than 1 in 1000 (binomial).
TEST(SessionWarningsTest, AreRareInCleanSessions) {
  constexpr int kSessions = 2000;
  constexpr double kMostOfAll = 0.02;
  int warnings = 0;
  for (const auto& [code, sessions] : CountCodes(1000, kSessions, Clean)) {
    EXPECT_LE(sessions, code == "outliers" ? 35 : 21) << code;
    warnings += sessions;
  }
  EXPECT_LE(warnings, kMostOfAll * kSessions);
}

}  // namespace
}  // namespace benchd
