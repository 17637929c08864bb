#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/stats/sequential_boundary.h"
#include "core/stats/tails.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

TEST(SequentialBoundaryTest, RobbinsRootsMatchTheReference) {
  for (const auto& one : golden::Cases("robbins_a")) {
    SCOPED_TRACE(one.at("id"));
    for (std::size_t i = 0; i < one["input"]["alpha"].size(); ++i) {
      EXPECT_TRUE(golden::Close(RobbinsRoot(one["input"]["alpha"][i]).value(),
                                one["expected"]["a"][i], one["rel_tol"]));
    }
  }
}

TEST(SequentialBoundaryTest, RobbinsBoundaryMatchesTheReferenceAtEveryLook) {
  for (const auto& one : golden::Cases("robbins_boundary")) {
    SCOPED_TRACE(one.at("id"));
    const auto& input = one["input"];
    const auto boundary =
        SequentialBoundary::Robbins(input["alpha"], input["n0"].get<std::uint64_t>()).value();
    for (std::size_t i = 0; i < input["n"].size(); ++i) {
      const std::uint64_t n = input["n"][i];
      const double tol = one["rel_tol"];
      EXPECT_TRUE(golden::Close(boundary.ZAt(n), one["expected"]["z"][i], tol)) << n;
      EXPECT_TRUE(golden::Close(boundary.CriticalT(n), one["expected"]["t_paired"][i], tol)) << n;
      EXPECT_TRUE(
          golden::Close(2 * NormalUpperTail(boundary.ZAt(n)), one["expected"]["alpha_n"][i], tol))
          << n;
    }
  }
}

TEST(SequentialBoundaryTest, AlwaysValidPMatchesTheReference) {
  for (const auto& one : golden::Cases("always_valid_p")) {
    SCOPED_TRACE(one.at("id"));
    const auto& input = one["input"];
    const auto boundary =
        SequentialBoundary::Robbins(0.05, input["n0"].get<std::uint64_t>()).value();
    for (std::size_t i = 0; i < input["n"].size(); ++i) {
      const double crossing = boundary.CrossingAt(input["z"][i], input["n"][i]);
      EXPECT_TRUE(
          golden::Close(boundary.PValue(crossing), one["expected"]["p"][i], one["rel_tol"]));
    }
  }
}

TEST(SequentialBoundaryTest, HorizonConstantsMatchTheReference) {
  for (const auto& one : golden::Cases("horizon_constant")) {
    SCOPED_TRACE(one.at("id"));
    EXPECT_TRUE(golden::Close(HorizonRoot(one["input"]["alpha"], one["input"]["R"]).value(),
                              one["expected"]["c"], one["rel_tol"]));
  }
}

TEST(SequentialBoundaryTest, RootsReachLevelsOf1e300) {
  for (double alpha : {0.999, 0.5, 1e-10, 1e-100, 1e-300}) {
    EXPECT_NEAR(RobbinsLevel(RobbinsRoot(alpha).value()) / alpha, 1, 1e-10) << alpha;
  }
  for (double alpha : {0.34, 0.01, 1e-100, 1e-300}) {
    for (double ratio : {1.0, 1.125, 1000.0, 1e12}) {
      const double root = HorizonRoot(alpha, ratio).value();
      EXPECT_NEAR(HorizonLevel(root, std::log(ratio)) / alpha, 1, 1e-10) << alpha << " " << ratio;
    }
  }
}

TEST(SequentialBoundaryTest, RefusesLevelsThatHaveNoRoot) {
  EXPECT_FALSE(RobbinsRoot(0));
  EXPECT_FALSE(RobbinsRoot(1));
  EXPECT_FALSE(RobbinsRoot(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(HorizonRoot(0.35, 1));
  EXPECT_FALSE(HorizonRoot(0.05, 0.9));
  EXPECT_FALSE(SequentialBoundary::Robbins(0.05, 1));
  EXPECT_FALSE(SequentialBoundary::Horizon(0.05, 8, 7));
}

TEST(SequentialBoundaryTest, AnInfiniteCrossingHasPZero) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(SequentialBoundary::Robbins(0.05, 8)->PValue(infinity), 0);
  EXPECT_EQ(SequentialBoundary::Horizon(0.05, 8, 100)->PValue(infinity), 0);
}

TEST(SequentialBoundaryTest, CrossingAndZAreInversesAndRootIsTheCrossingOfTheBoundary) {
  const auto robbins = SequentialBoundary::Robbins(0.01, 8).value();
  const auto horizon = SequentialBoundary::Horizon(0.01, 8, 1000).value();
  for (std::uint64_t n : {8u, 9u, 100u, 1000u}) {
    const auto information = static_cast<double>(n);
    EXPECT_NEAR(robbins.CrossingAt(robbins.ZAt(n), information), robbins.root(), 1e-12);
    EXPECT_NEAR(horizon.CrossingAt(horizon.ZAt(n), information), horizon.root(), 1e-12);
    EXPECT_NEAR(robbins.PValue(robbins.CrossingAt(robbins.ZAt(n), information)), 0.01, 1e-12);
    EXPECT_NEAR(horizon.PValue(horizon.CrossingAt(horizon.ZAt(n), information)), 0.01, 1e-12);
  }
}

TEST(SequentialBoundaryTest, HorizonIsTighterThanRobbinsAtItsEnd) {
  const auto robbins = SequentialBoundary::Robbins(0.01, 8).value();
  const auto horizon = SequentialBoundary::Horizon(0.01, 8, 1000).value();
  EXPECT_LT(horizon.ZAt(1000), robbins.ZAt(1000));
}

}  // namespace
}  // namespace benchd
