// Looks at three to seven pairs (core/stats/early_look.h).

#include "core/stats/early_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/stats/tails.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

CentredMoments MomentsOfPairs(const std::vector<double>& base, const std::vector<double>& candidate,
                              bool inverse = false) {
  PairedMoments moments;
  for (std::size_t i = 0; i < base.size(); ++i) {
    moments.Add(inverse ? 1 / base[i] : base[i], inverse ? 1 / candidate[i] : candidate[i]);
  }
  return moments.Centred();
}

MultipleTest TestOf(const std::vector<double>& base, const std::vector<double>& candidate,
                    double step, bool rate = false) {
  return TestMultiples(MomentsOfPairs(base, candidate), MomentsOfPairs(base, candidate, rate),
                       step);
}

TEST(EarlyLookTest, PValuesAgreeWithAnIndependentProgram) {
  const nlohmann::json& file = golden::ReadFile("early_looks.json");
  const double rel_tol = file.at("rel_tol");
  ASSERT_GE(file.at("looks").size(), 160u);
  for (const nlohmann::json& one : file.at("looks")) {
    const MultipleTest test =
        TestOf(one.at("base"), one.at("candidate"), one.at("step"), one.at("rate"));
    EXPECT_NEAR(test.slower / one.at("slower").get<double>(), 1, rel_tol) << one;
    EXPECT_NEAR(test.faster / one.at("faster").get<double>(), 1, rel_tol) << one;
  }
}

TEST(EarlyLookTest, TheSharesOfAllLooksAddUpToOne) {
  for (std::uint64_t first = kFirstEarlyLook; first <= kLastEarlyLook; ++first) {
    double sum = 0;
    for (std::uint64_t n = first; n <= kLastEarlyLook; ++n) sum += ShareOfEarlyLook(n, first);
    EXPECT_NEAR(sum, 1, 1e-15) << first;
  }
  EXPECT_EQ(ShareOfEarlyLook(4, 3), 0.4);
  EXPECT_EQ(ShareOfEarlyLook(7, 7), 1);
  EXPECT_EQ(kLogMultiple, std::log(kMultiple));
}

TEST(EarlyLookTest, SwappingTheArmsSwapsTheTests) {
  const std::vector<double> b = {1.0, 1.1, 0.9, 1.05};
  const std::vector<double> c = {9.1, 9.0, 8.8, 9.3};
  const MultipleTest one = TestOf(b, c, 0);
  const MultipleTest other = TestOf(c, b, 0);
  EXPECT_LT(one.slower, 1e-4);
  EXPECT_EQ(one.faster, 1);
  EXPECT_NEAR(one.slower / other.faster, 1, 1e-12);
  EXPECT_EQ(other.slower, 1);
}

// The value of a rate is the inverse of a time: a third of it is three times the time.
TEST(EarlyLookTest, RatesAreTestedAsTimes) {
  const std::vector<double> times_b = {1.0, 1.25, 1.0};
  const std::vector<double> times_c = {5.0, 5.0, 4.0};
  std::vector<double> b;
  std::vector<double> c;
  for (const double time : times_b) b.push_back(1 / time);
  for (const double time : times_c) c.push_back(1 / time);
  EXPECT_NEAR(TestOf(b, c, 0, true).slower / TestOf(times_b, times_c, 0).slower, 1, 1e-12);
}

TEST(EarlyLookTest, EqualValuesShowNoMoreThanTheirStep) {
  const std::vector<double> b(3, 1000);
  const std::vector<double> c(3, 1700);
  // 1700 - 1 - 1.5 (1000 + 1) over 0.6 sqrt(1 + 1.5^2) / sqrt(3), with two degrees of freedom.
  const double t = (1699 - 1501.5) / (0.6 * std::sqrt(1 + 2.25) / std::sqrt(3));
  EXPECT_NEAR(TestOf(b, c, 1).slower / StudentTUpperTail(t, 2), 1, 1e-12);
  EXPECT_EQ(TestOf(b, c, 0).slower, 1) << "without a step, nothing is known about their spread";
  EXPECT_EQ(TestOf({1, 1, 1}, {2, 2, 2}, 1).slower, 1) << "clock ticks";
}

// The interval is the set of ratios that are not rejected, so its ends lie beyond the multiple
// exactly if the test finds it.
TEST(EarlyLookTest, TheIntervalAgreesWithTheTest) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  constexpr std::uint64_t kPairs = 5;
  constexpr double kLevel = 0.01;
  const double t = EarlyCriticalT(kLevel, kPairs, kFirstEarlyLook);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> b;
    std::vector<double> c;
    for (std::uint64_t n = 0; n < kPairs; ++n) {
      b.push_back(1 + 0.04 * normal(random));
      c.push_back(1.7 * (1 + 0.04 * normal(random)));
    }
    const double step = i % 2 == 0 ? 0 : 0.02;
    const CentredMoments moments = MomentsOfPairs(b, c);
    const auto interval = EarlyInterval(moments, moments, step, {t, t});
    ASSERT_TRUE(interval);
    const double p = TestMultiples(moments, moments, step).slower;
    const bool is_multiple = p <= kLevel * ShareOfEarlyLook(kPairs, kFirstEarlyLook);
    EXPECT_EQ(interval->lo > kLogMultiple, is_multiple);
    found += is_multiple;
    const CentredMoments swapped = MomentsOfPairs(c, b);
    const auto mirrored = EarlyInterval(swapped, swapped, step, {t, t});
    EXPECT_NEAR(mirrored->lo, -interval->hi, 1e-12);
  }
  EXPECT_GT(found, 200);
  EXPECT_LT(found, 1800);
}

TEST(EarlyLookTest, TheLevelIsExactForNormalPairs) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  constexpr int kSessions = 40'000;
  constexpr double kLevel = 0.02;
  int found = 0;
  for (int i = 0; i < kSessions; ++i) {
    PairedMoments moments;
    double p = 1;
    for (std::uint64_t n = 1; n <= kLastEarlyLook; ++n) {
      moments.Add(1 + 0.05 * normal(random), 1.5 * (1 + 0.05 * normal(random)));
      if (n < kFirstEarlyLook) continue;
      const CentredMoments centred = moments.Centred();
      p = std::min(
          p, TestMultiples(centred, centred, 0).slower / ShareOfEarlyLook(n, kFirstEarlyLook));
    }
    found += p <= kLevel;
  }
  const double share = static_cast<double>(found) / kSessions;
  EXPECT_LE(share, kLevel) << "Bonferroni over five looks";
  EXPECT_GE(share, kLevel / 2);
}

TEST(EarlyLookTest, BothPartsOfALevelGiveOnePValue) {
  EXPECT_EQ(WithEarlyLooks(1, 1), 1);
  EXPECT_EQ(WithEarlyLooks(0.0095, 1), 0.0095 / 0.95);
  EXPECT_NEAR(WithEarlyLooks(0.5, 0.01 / 2 / 20), 0.01, 1e-15);
}

}  // namespace
}  // namespace benchd
