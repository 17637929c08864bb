#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/paired.h"
#include "core/stats/rank_tests.h"
#include "tests/golden/golden.h"
#include "tests/support/pairs.h"

namespace benchd {
namespace {

using nlohmann::json;
using Values = std::vector<double>;

Values Sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}

Values Logs(Values values) {
  for (double& value : values) value = std::log(value);
  return values;
}

TEST(EstimatorGoldenTest, UnpairedShiftsMatchR) {
  for (const json& one : golden::Cases("hodges_lehmann_shift")) {
    SCOPED_TRACE(one.at("id"));
    const json& expected = one["expected"];
    const double tol = one["rel_tol"];
    const Values base = Sorted(one["input"]["base"]);
    const Values candidate = Sorted(one["input"]["candidate"]);
    const auto look = HodgesLehmannShift(base, candidate, one["input"]["alpha"]);
    ASSERT_TRUE(look) << look.error().message;
    ASSERT_TRUE(look->interval);
    EXPECT_TRUE(golden::Close(look->estimate, expected["estimate"], tol));
    EXPECT_TRUE(golden::Close(look->interval->lo, expected["lo"], tol));
    EXPECT_TRUE(golden::Close(look->interval->hi, expected["hi"], tol));
    if (expected.contains("p_two_sided")) {
      EXPECT_TRUE(golden::Close(HodgesLehmannShiftP(base, candidate, 0).value(),
                                expected["p_two_sided"], tol));
    }
  }
}

TEST(EstimatorGoldenTest, UnpairedRatiosMatchR) {
  for (const json& one : golden::Cases("hodges_lehmann_ratio")) {
    SCOPED_TRACE(one.at("id"));
    const auto look =
        HodgesLehmannShift(Sorted(Logs(one["input"]["base"])),
                           Sorted(Logs(one["input"]["candidate"])), one["input"]["alpha"]);
    ASSERT_TRUE(look) << look.error().message;
    EXPECT_TRUE(
        golden::Close(std::expm1(look->estimate), one["expected"]["estimate"], one["rel_tol"]));
  }
}

// R's p-value of the same call, 2 psignrank(78 - 55, 12), where V counts the averages above 0.
TEST(EstimatorGoldenTest, SignedRankEstimatesMatchR) {
  for (const json& one : golden::Cases("signed_rank_hl")) {
    SCOPED_TRACE(one.at("id"));
    const Values x = Sorted(one["input"]["x"]);
    const auto look = HodgesLehmann(x, one["input"]["alpha"]);
    ASSERT_TRUE(look) << look.error().message;
    EXPECT_TRUE(golden::Close(look->estimate, one["expected"]["estimate"], one["rel_tol"]));
    const auto largest = static_cast<double>(x.size() * (x.size() + 1) / 2);
    const double above = one["expected"]["V"];
    const double tail =
        2 * SignedRankLowerTail(x.size(), static_cast<std::uint64_t>(largest - above));
    EXPECT_DOUBLE_EQ(HodgesLehmannP(x, 0).value(), tail);
  }
}

// The pairs and the boundary of a sequential case.
struct Sequence {
  explicit Sequence(const json& one)
      : input(one["input"]),
        expected(one["expected"]),
        tol(one["rel_tol"]),
        first_look(input["n0"]),
        alpha(input["alpha"].get<double>() * (input["sided"] == "one" ? 2 : 1)),
        boundary(SequentialBoundary::Robbins(alpha, first_look).value()),
        pairs(PairValues(input["base"].get<Values>(), input["candidate"].get<Values>(),
                         Contrast::kLogRatio)) {}

  Values First(std::size_t n) const {
    return Sorted(Values(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(n)));
  }
  double LevelAt(std::size_t n) const { return LevelOfOneLook(boundary, static_cast<double>(n)); }

  const json& input;
  const json& expected;
  double tol;
  std::uint64_t first_look;
  double alpha;
  SequentialBoundary boundary;
  Values pairs;
};

void ExpectLook(const json& row, const OneLook& look, std::optional<std::uint64_t> cut,
                double margin, double tol) {
  EXPECT_TRUE(golden::Close(std::expm1(look.estimate), row["estimate"], tol));
  EXPECT_EQ(cut.has_value(), row["cut"].is_number());
  EXPECT_EQ(look.interval.has_value(), row["lo"].is_number());
  if (!cut || !look.interval) {
    EXPECT_EQ(row["verdict_alone"], "no interval");
    return;
  }
  EXPECT_EQ(*cut, row["cut"].get<std::uint64_t>());
  EXPECT_TRUE(golden::Close(std::expm1(look.interval->lo), row["lo"], tol));
  EXPECT_TRUE(golden::Close(std::expm1(look.interval->hi), row["hi"], tol));
  const LookDecision decision = DecideAgainst(*look.interval, LowerIsBetterThreshold(margin));
  const char* name = decision == LookDecision::kPass         ? "pass"
                     : decision == LookDecision::kRegression ? "regression"
                                                             : "continue";
  EXPECT_EQ(row["verdict_alone"], name);
}

TEST(EstimatorGoldenTest, HodgesLehmannUnderWatchingMatchesTheReference) {
  for (const json& one : golden::Cases("hl_sequential")) {
    SCOPED_TRACE(one.at("id"));
    const Sequence sequence(one);
    std::vector<std::uint64_t> looks;
    for (std::uint64_t n = NextGeometricLook(0, sequence.first_look); n <= sequence.pairs.size();
         n = NextGeometricLook(n, sequence.first_look)) {
      looks.push_back(n);
    }
    EXPECT_EQ(looks, sequence.expected["looks"].get<std::vector<std::uint64_t>>());
    for (const json& row : sequence.expected["rows"]) {
      const std::size_t n = row["n"];
      SCOPED_TRACE(n);
      const double level = sequence.LevelAt(n);
      EXPECT_TRUE(golden::Close(level, row["alpha_n"], sequence.tol));
      const std::optional<std::uint64_t> cut = SignedRankCut(n, level);
      ExpectLook(row, HodgesLehmann(sequence.First(n), level).value(), cut,
                 sequence.input["margin"], sequence.tol);
      if (cut && row["achieved_level"].is_number()) {
        EXPECT_TRUE(golden::Close(2 * SignedRankLowerTail(n, *cut - 1), row["achieved_level"],
                                  sequence.tol));
      }
    }
    std::uint64_t first = sequence.first_look;
    while (!SignedRankCut(first, sequence.LevelAt(first))) ++first;
    EXPECT_EQ(first, sequence.expected["first_n_with_interval"].get<std::uint64_t>());
  }
}

TEST(EstimatorGoldenTest, MediansUnderWatchingMatchTheReference) {
  for (const json& one : golden::Cases("median_order_statistic")) {
    SCOPED_TRACE(one.at("id"));
    const Sequence sequence(one);
    for (const json& row : sequence.expected["rows"]) {
      const std::size_t n = row["n"];
      SCOPED_TRACE(n);
      const double level = sequence.LevelAt(n);
      EXPECT_TRUE(golden::Close(level, row["alpha_n"], sequence.tol));
      ExpectLook(row, MedianInterval(sequence.First(n), level).value(), MedianCut(n, level),
                 sequence.input["margin"], sequence.tol);
    }
    std::uint64_t first = sequence.first_look;
    while (!MedianCut(first, sequence.LevelAt(first))) ++first;
    EXPECT_EQ(first, sequence.expected["first_n_with_interval"].get<std::uint64_t>());
  }
}

// The reference also gives the published interval with z, and Cox's; benchd offers neither.
TEST(EstimatorGoldenTest, LognormalMeansMatchScipy) {
  for (const json& one : golden::Cases("lognormal_mean_ratio")) {
    SCOPED_TRACE(one.at("id"));
    const Moments base = MomentsOf(Logs(one["input"]["base"]));
    const Moments candidate = MomentsOf(Logs(one["input"]["candidate"]));
    const double alpha = one["input"]["alpha"];
    const double tol = one["rel_tol"];
    const auto look = LognormalMeanRatio(base, candidate, alpha);
    ASSERT_TRUE(look) << look.error().message;
    EXPECT_TRUE(golden::Close(std::expm1(look->estimate), one["expected"]["estimate"], tol));
    EXPECT_TRUE(golden::Close(std::expm1(look->interval->lo), one["expected"]["mover_w_lo"], tol));
    EXPECT_TRUE(golden::Close(std::expm1(look->interval->hi), one["expected"]["mover_w_hi"], tol));
    // The test at that level just rejects the ends of the interval.
    EXPECT_NEAR(LognormalMeanP(base, candidate, look->interval->lo).value(), alpha, 1e-9);
    EXPECT_NEAR(LognormalMeanP(base, candidate, look->interval->hi).value(), alpha, 1e-9);
  }
}

}  // namespace
}  // namespace benchd
