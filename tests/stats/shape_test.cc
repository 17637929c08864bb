#include "core/stats/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/stats/descriptive.h"
#include "core/stats/nonparametric.h"
#include "core/stats/paired.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;
using Warnings = std::vector<DataWarning>;

Diagnosis OfCase(const nlohmann::json& input) {
  return Diagnose(input["base"].get<Values>(), input["candidate"].get<Values>(), {}).value();
}

/// The distance of the arms after scaling by their means, and its classic p, which is not used,
/// because it is wrong for scaled values.
KolmogorovSmirnov ScaledDistance(Values base, Values candidate) {
  for (Values* arm : {&base, &candidate}) {
    const double mean = MomentsOf(*arm).mean();
    for (double& value : *arm) value /= mean;
  }
  return CompareDistributions(base, candidate).value();
}

TEST(ShapeTest, PairsMatchTheReference) {
  for (const auto& one : golden::Cases("diagnostics")) {
    SCOPED_TRACE(one.at("id"));
    const auto& expected = one["expected"];
    const double tol = one["rel_tol"];
    const Diagnosis diagnosis = OfCase(one["input"]);
    EXPECT_TRUE(golden::Close(diagnosis.pair_trend->z, expected["u"]["bartels_z"], tol));
    EXPECT_TRUE(golden::Close(diagnosis.pair_level_change->statistic, expected["u"]["cusum"], tol));
    const KolmogorovSmirnov scaled =
        ScaledDistance(one["input"]["base"], one["input"]["candidate"]);
    EXPECT_TRUE(golden::Close(scaled.statistic, expected["ks_scaled"]["D"], tol));
    EXPECT_TRUE(golden::Close(scaled.p, expected["ks_scaled"]["p_exact"], tol));
    EXPECT_TRUE(golden::Close(*diagnosis.pairing_gain, expected["se_paired_over_se_welch"], tol));
  }
}

// Warnings expected from the files' flags, counts and p-values by the thresholds of section 8.
TEST(ShapeTest, WarningsFollowTheReferencesFlags) {
  for (const auto& one : golden::Cases("diagnostics")) {
    SCOPED_TRACE(one.at("id"));
    const auto& expected = one["expected"];
    const auto drifts = [&expected](const char* series) {
      return expected[series]["cusum_flag"] || expected[series]["bartels_flag_two_sided"];
    };
    Warnings wanted;
    const std::vector<std::pair<const char*, WhichArm>> arms{{"base", WhichArm::kBase},
                                                             {"candidate", WhichArm::kCandidate}};
    for (const auto& [arm, which] : arms) {
      if (drifts(arm)) wanted.push_back({DataFinding::kArmDrifts, which});
    }
    if (drifts("u")) wanted.push_back({DataFinding::kPairsDrift, WhichArm::kBoth});
    if (expected["u"]["bartels_z"] > 2.576) {
      wanted.push_back({DataFinding::kPairsCorrelated, WhichArm::kBoth});
    }
    // shape_permutation_test.cc compares this p with a reference.
    if (*OfCase(one["input"]).same_shape_p <= 0.01) {
      wanted.push_back({DataFinding::kShapesDiffer, WhichArm::kBoth});
    }
    for (const auto& [arm, which] : arms) {
      const auto& found = expected[arm];
      if (found["tukey_low"] != 0 || found["tukey_high"] != 0) {
        wanted.push_back({DataFinding::kOutliers, which});
      }
    }
    for (const auto& [arm, which] : arms) {
      const double root = std::sqrt(static_cast<double>(one["input"][arm].size()));
      if (expected[arm]["dip"] > (0.635 - 0.41 / root) / root) {
        wanted.push_back({DataFinding::kSeveralModes, which});
      }
    }
    EXPECT_EQ(WarningsOf(OfCase(one["input"])), wanted);
  }
}

Values NormalValues(unsigned seed, std::size_t n, double mean, double deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(mean, deviation);
  Values values(n);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(ShapeTest, ACommonDriftIsInformationAboutTheArmsAndNotAboutThePairs) {
  const Values noise_b = NormalValues(3, 60, 0, 0.1);
  const Values noise_c = NormalValues(4, 60, 0, 0.1);
  Values base;
  Values candidate;
  for (std::size_t i = 0; i < 60; ++i) {
    const double common = 10 + 0.05 * static_cast<double>(i);
    base.push_back(common + noise_b[i]);
    candidate.push_back(common + noise_c[i]);
  }
  const Diagnosis diagnosis = Diagnose(base, candidate, {}).value();
  EXPECT_TRUE(diagnosis.base.Drifts());
  EXPECT_TRUE(diagnosis.candidate.Drifts());
  EXPECT_FALSE(diagnosis.PairsDrift());
  EXPECT_LT(*diagnosis.pairing_gain, 0.3);
}

TEST(ShapeTest, ADifferenceThatGrowsIsAboutThePairs) {
  const Values base = NormalValues(5, 60, 10, 0.1);
  Values candidate = NormalValues(6, 60, 10, 0.1);
  for (std::size_t i = 0; i < 60; ++i) candidate[i] += 0.02 * static_cast<double>(i);
  EXPECT_TRUE(Diagnose(base, candidate, {})->PairsDrift());
}

TEST(ShapeTest, ScalingRemovesTheDifferenceOfTheMeans) {
  const Values base = NormalValues(7, 80, 10, 0.5);
  Values doubled;
  Values shifted;
  for (double x : base) {
    doubled.push_back(2 * x);
    shifted.push_back(x + 8);
  }
  EXPECT_NEAR(*Diagnose(base, doubled, {})->same_shape_p, 1, 1e-9);
  DiagnosisOptions differences;
  differences.contrast = Contrast::kDifference;
  EXPECT_FALSE(Diagnose(base, shifted, differences)->ShapesDiffer());
  EXPECT_LT(*Diagnose(base, doubled, differences)->same_shape_p, 0.05);
}

TEST(ShapeTest, UnpairedArmsMayDifferInLengthAndHaveNoPairs) {
  DiagnosisOptions options;
  options.paired = false;
  const auto diagnosis = Diagnose(NormalValues(8, 20, 10, 1), NormalValues(9, 30, 10, 1), options);
  ASSERT_TRUE(diagnosis) << diagnosis.error().message;
  EXPECT_FALSE(diagnosis->pair_trend || diagnosis->pair_level_change || diagnosis->pairing_gain);
  EXPECT_TRUE(diagnosis->same_shape_p);
  EXPECT_FALSE(Diagnose(NormalValues(8, 20, 10, 1), NormalValues(9, 30, 10, 1), {}));
}

// Ticks of 1 in values near 20: after scaling by slightly different means, the combs do not match.
// The classic p takes that for a difference, which p from permutations does not.
TEST(ShapeTest, CombsAreNotJudged) {
  Values base;
  Values candidate;
  for (int i = 0; i < 60; ++i) {
    base.push_back(20 + (i * 7 % 3 == 0));
    candidate.push_back(20 + (i * 5 % 3 == 0) + (i == 30));
  }
  EXPECT_FALSE(ShapeIsVisible(MomentsOf(base), MomentsOf(candidate), 1));
  EXPECT_TRUE(ShapeIsVisible(MomentsOf(base), MomentsOf(candidate), 0.1));
  EXPECT_TRUE(ShapeIsVisible(MomentsOf(base), MomentsOf(candidate), 0));
  EXPECT_LT(ScaledDistance(base, candidate).p, 0.01);
  EXPECT_FALSE(Diagnose(base, candidate, {})->ShapesDiffer());
  DiagnosisOptions options;
  options.judge_shape = false;
  const Diagnosis diagnosis = Diagnose(base, candidate, options).value();
  EXPECT_FALSE(diagnosis.same_shape_p || diagnosis.base.fences || diagnosis.base.dip);
  EXPECT_TRUE(diagnosis.base.trend);
}

TEST(ShapeTest, ConstantArmsHaveNoWarnings) {
  const Values constant(20, 1000.0);
  const Diagnosis diagnosis = Diagnose(constant, constant, {}).value();
  EXPECT_EQ(WarningsOf(diagnosis), Warnings{});
  EXPECT_FALSE(diagnosis.pairing_gain);
}

TEST(ShapeTest, WithoutARatioThereIsNoScaling) {
  const Values base{-1, 2, 0, 1, -3};
  const Values candidate{1, 2, 3, 4, 5};
  const Diagnosis diagnosis = Diagnose(base, candidate, {}).value();
  EXPECT_FALSE(diagnosis.same_shape_p || diagnosis.pair_trend || diagnosis.pairing_gain);
  DiagnosisOptions differences;
  differences.contrast = Contrast::kDifference;
  EXPECT_TRUE(Diagnose(base, candidate, differences)->pairing_gain);
}

TEST(ShapeTest, RefusesWhatCannotBeCompared) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Diagnose(Values{}, Values{}, {}));
  EXPECT_FALSE(Diagnose(Values{1, 2}, Values{1, nan}, {}));
}

// c = b + 1: the pairs do not vary at all, and Welch's error combines those of both arms.
TEST(PairingGainTest, PerfectPairsNeedNoMoreRuns) {
  PairedMoments moments;
  for (double b : {3.0, 5.0, 9.0}) moments.Add(b, b + 1);
  EXPECT_EQ(DifferencePairingGain(moments.Centred()), 0);
}

// b = 1, 3 and c = 3, 1: d = 2, -2, so se(paired) = 2, compared with sqrt(2/2 + 2/2) = sqrt 2.
TEST(PairingGainTest, OpposedPairsCost) {
  PairedMoments moments;
  moments.Add(1, 3);
  EXPECT_FALSE(RatioPairingGain(moments.Centred()));
  moments.Add(3, 1);
  EXPECT_DOUBLE_EQ(*DifferencePairingGain(moments.Centred()), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(*RatioPairingGain(moments.Centred()), std::sqrt(2.0));
}

}  // namespace
}  // namespace benchd
