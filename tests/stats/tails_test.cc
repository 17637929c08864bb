#include "core/stats/tails.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/golden/golden.h"

namespace benchd {
namespace {

TEST(TailsTest, QuantilesOfStudentsLawMatchTheReference) {
  for (const auto& one : golden::Cases("t_quantile")) {
    SCOPED_TRACE(one.at("id"));
    const auto& input = one.at("input");
    for (std::size_t i = 0; i < input.at("p_upper").size(); ++i) {
      EXPECT_TRUE(golden::Close(StudentTUpperQuantile(input["p_upper"][i], input["dof"][i]),
                                one["expected"]["t"][i], one["rel_tol"]));
    }
  }
}

// Closed forms: dof 1 is the Cauchy law, t = 1 / tan(pi p); dof 2: t = (1 - 2p) / sqrt(2p(1 - p)).
TEST(TailsTest, QuantilesOfOneAndTwoDegreesOfFreedomFollowTheirClosedForms) {
  for (double p : {0.3, 0.1, 1e-3, 1e-9, 1e-50, 1e-150, 1e-199, 1e-201, 1e-290}) {
    EXPECT_TRUE(
        golden::Close(StudentTUpperQuantile(p, 1), 1 / std::tan(std::numbers::pi * p), 1e-12))
        << p;
    EXPECT_TRUE(
        golden::Close(StudentTUpperQuantile(p, 2), (1 - 2 * p) / std::sqrt(2 * p * (1 - p)), 1e-12))
        << p;
  }
}

TEST(TailsTest, TailOfTheQuantileIsTheTailAskedForDownTo1e300) {
  for (double dof : {1.0, 2.5, 7.0, 8.0, 30.0, 999.0, 1e6}) {
    for (double p : {0.4, 0.05, 1e-5, 1e-20, 1e-100, 1e-199, 1e-201, 1e-299, 1e-300}) {
      const double t = StudentTUpperQuantile(p, dof);
      ASSERT_TRUE(std::isfinite(t)) << dof << " " << p;
      EXPECT_NEAR(StudentTUpperTail(t, dof) / p, 1, 1e-11) << dof << " " << p;
    }
  }
}

TEST(TailsTest, NormalQuantileUndoesTheNormalTailDownTo1e300) {
  for (double p : {0.5, 0.1, 1e-3, 1e-10, 1e-100, 1e-300}) {
    EXPECT_NEAR(NormalUpperTail(NormalUpperQuantile(p)) / p, 1, 1e-11) << p;
  }
  // Published five-figure value of the 97.5 % point.
  EXPECT_NEAR(NormalUpperQuantile(0.025), 1.959963985, 1e-9);
}

TEST(TailsTest, LimitsAreInfinitiesAndZerosAndNeverNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(NormalUpperQuantile(0), infinity);
  EXPECT_EQ(NormalUpperTail(infinity), 0);
  EXPECT_EQ(StudentTUpperTail(infinity, 7), 0);
  EXPECT_EQ(StudentTUpperTail(1e200, 7), 0);
  EXPECT_DOUBLE_EQ(StudentTUpperTail(0, 7), 0.5);
}

}  // namespace
}  // namespace benchd
