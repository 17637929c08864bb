#include "core/analysis/setting_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace benchd {
namespace {

StretchFigures Figures(double log_spread, double log_tail = 0) {
  return {.runs = 90,
          .median = 1,
          .p95 = 1,
          .spread = std::exp(log_spread),
          .log_spread = log_spread,
          .log_tail = log_tail};
}

TEST(SummarizeStretchTest, DiscardsTheFirstTenth) {
  std::vector<double> values(20, 1.0);
  values[0] = values[1] = 1000;
  for (std::size_t i = 2; i < 20; i += 2) values[i] = 3;
  const auto figures = SummarizeStretch(values, 1e-9);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->runs, 18U);
  EXPECT_DOUBLE_EQ(figures->median, 2);  // nine times 1 and nine times 3
  EXPECT_DOUBLE_EQ(figures->p95, 3);
  EXPECT_DOUBLE_EQ(figures->spread, 0.5);  // each is 1 away from 2
  EXPECT_DOUBLE_EQ(figures->log_tail, std::log(1.5));
}

TEST(SummarizeStretchTest, NoSpreadIsOneStepOfTheMetric) {
  const auto figures = SummarizeStretch(std::vector<double>(10, 0.5), 1e-9);
  ASSERT_TRUE(figures);
  EXPECT_DOUBLE_EQ(figures->spread, 2e-9);
  EXPECT_EQ(figures->log_tail, 0);
}

TEST(SummarizeStretchTest, RefusesTooFewAndWhatIsNoTime) {
  EXPECT_FALSE(SummarizeStretch(std::vector<double>(9, 1.0), 1e-9));
  EXPECT_FALSE(SummarizeStretch(std::vector<double>(10, 0.0), 1e-9));
  EXPECT_FALSE(SummarizeStretch(std::vector<double>(10, std::nan("")), 1e-9));
}

// The differences: mean -0.8, sd 0.2236068; the t of 4 degrees of freedom at 97.5 % is 2.7764451
// (Student's table), so that the ends are exp(-0.8 -+ 2.7764451 * 0.2236068 / sqrt(5)).
TEST(CompareSettingsTest, IsStudentsTOnTheLogSpreadsOfRounds) {
  std::vector<TrialRound> rounds;
  for (const double d : {-0.9, -0.7, -1.1, -0.8, -0.5}) {
    const double drift = 10 * static_cast<double>(rounds.size());
    rounds.push_back({Figures(drift), Figures(drift + d)});
  }
  const SettingTrial trial = CompareSettings(rounds, 0.05);
  ASSERT_EQ(trial.settings.size(), 2U);
  const SettingComparison& second = trial.settings[1];
  ASSERT_TRUE(second.spread);
  EXPECT_EQ(second.rounds, 5U);
  EXPECT_NEAR(second.spread->estimate, 0.4493290, 1e-6);
  EXPECT_NEAR(second.spread->lo, 0.3403964, 1e-6);
  EXPECT_NEAR(second.spread->hi, 0.5931218, 1e-6);
  EXPECT_EQ(second.effect, SettingEffect::kQuieter);
  EXPECT_EQ(trial.best, 1U);
  EXPECT_EQ(trial.settings[0], SettingComparison{});
}

TEST(CompareSettingsTest, LeavesOutRoundsThatLackAStretch) {
  std::vector<TrialRound> rounds(3, TrialRound{Figures(0), Figures(-1)});
  rounds[1][1].reset();
  rounds.push_back({std::nullopt, Figures(5)});
  EXPECT_EQ(CompareSettings(rounds, 0.05).settings[1].rounds, 2U);
  rounds[0][1].reset();
  const SettingTrial trial = CompareSettings(rounds, 0.05);
  EXPECT_FALSE(trial.settings[1].spread);
  EXPECT_EQ(trial.settings[1].effect, SettingEffect::kUnclear);
  EXPECT_EQ(trial.best, 0U);
  EXPECT_TRUE(CompareSettings({}, 0.05).settings.empty());
}

// If two are quieter, the first one wins unless the other is quieter still.
TEST(CompareSettingsTest, PrefersTheFirstNamedOfThoseThatCannotBeToldApart) {
  std::vector<TrialRound> rounds;
  for (int i = 0; i < 12; ++i) {
    const double a = i % 2 == 0 ? 0.1 : -0.1;
    const double b = i % 3 == 0 ? 0.2 : -0.1;
    rounds.push_back({Figures(a), Figures(b - 1), Figures(a - 1.03), Figures(b + 1)});
  }
  SettingTrial trial = CompareSettings(rounds, 0.05);
  EXPECT_EQ(trial.settings[3].effect, SettingEffect::kNoisier);
  EXPECT_EQ(trial.best, 1U);
  for (TrialRound& round : rounds) round[2] = Figures(round[2]->log_spread - 1);
  trial = CompareSettings(rounds, 0.05);
  EXPECT_EQ(trial.best, 2U);
}

/// Run times on a machine with intermittent noise: most runs vary by 1 %, and other programs
/// disturb some. The share changes from round to round for all settings alike, and a little from
/// segment to segment.
class FakeMachine {
 public:
  explicit FakeMachine(std::uint32_t seed) : random_(seed) {}

  void NextRound() { hits_ = 0.05 * std::exp(0.5 * normal_(random_)); }

  /// @param quiet  the share of the noise that remains with the setting
  StretchFigures Stretch(double quiet) {
    const double hits = std::min(0.5, hits_ * std::exp(0.3 * normal_(random_)));
    std::vector<double> values;
    for (int run = 0; run < 100; ++run) {
      double value = 0.010 * std::exp(0.01 * quiet * normal_(random_));
      if (uniform_(random_) < hits) value += 0.001 * quiet * exponential_(random_);
      values.push_back(value);
    }
    return *SummarizeStretch(values, 1e-9);
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::exponential_distribution<double> exponential_;
  double hits_ = 0;
};

// Planted noise, one setting that matters and one that does not. The right one must be named in at
// least 95 of 100 trials, and the other one not more often than alpha permits: not more often than
// the binomial distribution exceeds with a probability of 1 %.
TEST(CompareSettingsTest, OnPlantedNoiseNamesTheSettingThatMatters) {
  constexpr int kTrials = 100;
  constexpr double kAlpha = 0.05;
  FakeMachine machine(test::Seed());
  int right = 0;
  int wrong = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<TrialRound> rounds;
    for (int round = 0; round < 10; ++round) {
      machine.NextRound();
      rounds.push_back({machine.Stretch(1), machine.Stretch(1), machine.Stretch(0.4)});
    }
    const SettingTrial found = CompareSettings(rounds, kAlpha);
    right += found.settings[2].effect == SettingEffect::kQuieter && found.best == 2 ? 1 : 0;
    wrong += found.settings[1].effect != SettingEffect::kUnclear ? 1 : 0;
  }
  std::printf("named the right one in %d of %d trials, the wrong one in %d\n", right, kTrials,
              wrong);
  const double most = boost::math::quantile(
      boost::math::complement(boost::math::binomial_distribution<>(kTrials, kAlpha / 2), 0.01));
  EXPECT_GE(right, 95);
  EXPECT_LE(wrong, most);
}

}  // namespace
}  // namespace benchd
