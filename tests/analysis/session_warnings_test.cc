// Warnings about a session's data: the right one for a planted disturbance, none for clean data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
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

constexpr unsigned kWarningSeed = 20261123;
constexpr int kBlocks = 60;

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

double Clean(int, std::uint32_t, std::mt19937_64& random) { return 1 + 0.01 * Normal(random); }

TEST(SessionWarningsTest, NameAWarmupAndHowMuchToDiscard) {
  const Report report =
      Conclude(kWarningSeed, [](int block, std::uint32_t arm, std::mt19937_64& random) {
        return Clean(block, arm, random) * (block < 5 ? 1.2 : 1);
      });
  EXPECT_EQ(Codes(report), (std::set<std::string>{"warmup"}));
  const std::string text = WarningText(report.warnings, "warmup");
  EXPECT_NE(text.find("--warmup 6"), std::string::npos) << text;
  EXPECT_WORDING(text);
}

TEST(SessionWarningsTest, NameSeveralModes) {
  const Report report =
      Conclude(kWarningSeed, [](int block, std::uint32_t arm, std::mt19937_64& random) {
        const bool slow = random() % 2 == 0;
        return Clean(block, arm, random) * (arm == 1 && slow ? 1.1 : 1);
      });
  EXPECT_EQ(Codes(report), (std::set<std::string>{"several_modes", "shapes_differ"}));
  const auto modes = std::ranges::find(report.warnings, "several_modes", &Warning::code);
  ASSERT_NE(modes, report.warnings.end());
  EXPECT_EQ(modes->arm, "candidate");
  EXPECT_WORDING(WarningText(*modes));
}

TEST(SessionWarningsTest, NameADriftThatComesAndGoes) {
  const Report report =
      Conclude(kWarningSeed, [](int block, std::uint32_t arm, std::mt19937_64& random) {
        return Clean(block, arm, random) * (block >= 20 && block < 40 ? 1.1 : 1);
      });
  EXPECT_EQ(Codes(report), (std::set<std::string>{"drift"}));
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

// Over 20 sessions, and over 1000 others, for which the stated rates (kCheckLevel of all checks but
// one, which has kCorrelationLevel) are a bound.
TEST(SessionWarningsTest, AreNoneForACleanSession) {
  int warned = 0;
  for (unsigned repeat = 0; repeat < 20; ++repeat) {
    const Report report = Conclude(kWarningSeed + repeat, Clean);
    warned += report.warnings.empty() ? 0 : 1;
  }
  std::printf("seeds %u...: %d of 20 clean sessions have a warning\n", kWarningSeed, warned);
  EXPECT_EQ(warned, 0);
}

TEST(SessionWarningsTest, AreRareInManyCleanSessions) {
  constexpr int kSessions = 1000;
  std::multiset<std::string> codes;
  int warned = 0;
  for (unsigned repeat = 0; repeat < kSessions; ++repeat) {
    const Report report = Conclude(1000 + repeat, Clean);
    warned += report.warnings.empty() ? 0 : 1;
    for (const Warning& warning : report.warnings) codes.insert(warning.code);
  }
  const double rate = static_cast<double>(warned) / kSessions;
  std::printf("%.1f %% of %d clean sessions have a warning\n", 100 * rate, kSessions);
  for (auto it = codes.begin(); it != codes.end(); it = codes.upper_bound(*it)) {
    std::printf("  %s: %zu\n", it->c_str(), codes.count(*it));
  }
  EXPECT_LE(rate, 0.02);
}

}  // namespace
}  // namespace benchd
