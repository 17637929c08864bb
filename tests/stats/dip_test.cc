#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "core/stats/shape.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

// R diptest 0.76-0, checked by linear programming over all modes; two of the arms have many ties.
TEST(DipTest, MatchesTheReference) {
  for (const auto& one : golden::Cases("diagnostics")) {
    for (const char* arm : {"base", "candidate"}) {
      SCOPED_TRACE(one["id"].get<std::string>() + " " + arm);
      const auto dip = Dip(one["input"][arm].get<Values>());
      ASSERT_TRUE(dip) << dip.error().message;
      EXPECT_TRUE(golden::Close(*dip, one["expected"][arm]["dip"], one["rel_tol"]));
    }
  }
}

TEST(DipTest, EquallySpacedValuesHaveTheLeastDip) {
  for (int n : {1, 2, 5, 40}) {
    Values values;
    for (int i = 0; i < n; ++i) values.push_back(3 + 2 * i);
    EXPECT_NEAR(Dip(values).value(), 1.0 / (2 * n), 1e-15);
  }
}

// The nearest function with a single mode halves the jump that it cannot make (Hartigan and
// Hartigan, section 2: the dip of two point masses).
TEST(DipTest, TwoEqualHeapsHaveTheLargestDip) {
  Values values(30, 1.0);
  values.resize(60, 2.0);
  EXPECT_NEAR(Dip(values).value(), 0.25, 1e-15);
}

// A point mass may be the mode: of masses 1/4 and 3/4, the 1/4 on one side is split in halves.
TEST(DipTest, TheSmallerOfTwoHeapsDecides) {
  Values values(10, 1.0);
  values.resize(40, 2.0);
  EXPECT_NEAR(Dip(values).value(), 0.125, 1e-15);
}

TEST(DipTest, OneHeapIsUnimodal) { EXPECT_EQ(Dip(Values(7, 3.5)).value(), 1.0 / 14); }

TEST(DipTest, ScalePlaceOrderAndDirectionDoNotMatter) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto kinds = 3 + random() % 200;
    Values values;
    Values mirrored;
    Values scaled;
    for (int i = 0; i < 60; ++i) {
      const auto value = static_cast<double>(random() % kinds * (random() % 2 + 1));
      values.push_back(value);
      mirrored.insert(mirrored.begin(), -value);
      scaled.push_back(1e9 + 0.25 * value);
    }
    const double dip = Dip(values).value();
    EXPECT_NEAR(Dip(mirrored).value(), dip, 1e-12);
    EXPECT_NEAR(Dip(scaled).value(), dip, 1e-9);
    EXPECT_GE(dip, 1.0 / 120);
    EXPECT_LE(dip, 0.25 + 1e-12);
  }
}

TEST(DipTest, TwoModesExceedTheThresholdAndOneDoesNot) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise;
  Values one;
  Values two;
  for (int i = 0; i < 200; ++i) {
    one.push_back(noise(random));
    two.push_back(noise(random) + (i % 2 == 0 ? 0 : 6));
  }
  EXPECT_LT(Dip(one).value(), DipThreshold(one.size())) << "seed 5";
  EXPECT_GT(Dip(two).value(), DipThreshold(two.size())) << "seed 5";
}

// docs/statistics.md section 8: (0.635 - 0.41 / 10) / 10.
TEST(DipTest, TheThresholdIsTheFormula) { EXPECT_NEAR(DipThreshold(100), 0.0594, 1e-15); }

TEST(DipTest, ManyValuesTakeNoQuadraticTime) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  Values values(300'000);
  for (double& value : values) value = uniform(random);
  EXPECT_LT(Dip(values).value(), DipThreshold(values.size())) << "seed 1";
}

TEST(DipTest, RefusesWhatHasNoDip) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(Dip(Values{}));
  EXPECT_FALSE(Dip(Values{1, infinity}));
  EXPECT_FALSE(Dip(Values{-1.5e308, 1.5e308}));
}

}  // namespace
}  // namespace benchd
