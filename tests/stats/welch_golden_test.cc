#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/welch.h"
#include "tests/golden/golden.h"
#include "tests/stats/two_arms.h"

namespace benchd {
namespace {

using Json = nlohmann::json;
using Values = std::vector<double>;

struct GoldenArms {
  Moments base;
  Moments candidate;
};

GoldenArms ArmsOf(const Json& input) {
  return {MomentsOf(input["base"].get<Values>()), MomentsOf(input["candidate"].get<Values>())};
}

TEST(WelchGoldenTest, DifferencesMatch) {
  for (const Json& one : golden::Cases("welch_difference")) {
    SCOPED_TRACE(one.at("id"));
    const Json& expected = one["expected"];
    const double tol = one["rel_tol"];
    const double alpha = one["input"]["alpha"];
    const GoldenArms arms = ArmsOf(one["input"]);
    const WelchEstimate estimate = EstimateWelchDifference(arms.base, arms.candidate);
    EXPECT_TRUE(golden::Close(estimate.centre, expected["diff"], tol));
    EXPECT_TRUE(golden::Close(estimate.se, expected["se"], tol));
    EXPECT_TRUE(golden::Close(estimate.dof, expected["dof"], tol));
    EXPECT_TRUE(golden::Close(FindingAgainst(estimate, 0).distance,
                              std::abs(expected["t"].get<double>()), tol));
    EXPECT_TRUE(golden::Close(FixedPValue(estimate, 0), expected["p_two_sided"], tol));
    const Interval interval = PlainInterval(estimate, FixedCriticalT(alpha, estimate));
    EXPECT_TRUE(golden::Close(interval.lo, expected["lo"], tol));
    EXPECT_TRUE(golden::Close(interval.hi, expected["hi"], tol));
    // Each one-sided bound at alpha is an end of the two-sided interval at twice that.
    const Interval bounds = PlainInterval(estimate, FixedCriticalT(2 * alpha, estimate));
    EXPECT_TRUE(golden::Close(bounds.lo, expected["lower_one_sided"], tol));
    EXPECT_TRUE(golden::Close(bounds.hi, expected["upper_one_sided"], tol));
  }
}

TEST(WelchGoldenTest, RatiosMatch) {
  for (const Json& one : golden::Cases("ratio_log_delta_welch")) {
    SCOPED_TRACE(one.at("id"));
    const Json& expected = one["expected"];
    const double tol = one["rel_tol"];
    const GoldenArms arms = ArmsOf(one["input"]);
    const WelchEstimate estimate = EstimateWelchRatio(arms.base, arms.candidate);
    EXPECT_TRUE(golden::Close(estimate.centre, expected["theta"], tol));
    EXPECT_TRUE(golden::Close(estimate.se, expected["se"], tol));
    EXPECT_TRUE(golden::Close(estimate.dof, expected["dof"], tol));
    EXPECT_TRUE(golden::Close(std::expm1(estimate.centre), expected["rel"], tol));
    const Interval change =
        ToChange(PlainInterval(estimate, FixedCriticalT(one["input"]["alpha"], estimate)));
    EXPECT_TRUE(golden::Close(change.lo, expected["lo"], tol));
    EXPECT_TRUE(golden::Close(change.hi, expected["hi"], tol));
  }
}

TEST(WelchGoldenTest, MeansAndVariancesAloneAreEnough) {
  for (const Json& one : golden::Cases("welch_summary")) {
    SCOPED_TRACE(one.at("id"));
    const Json& base = one["input"]["base"];
    const Json& candidate = one["input"]["candidate"];
    const WelchEstimate estimate =
        EstimateWelchDifference(MomentsWith(base["n"], base["mean"], base["var"]),
                                MomentsWith(candidate["n"], candidate["mean"], candidate["var"]));
    const double tol = one["rel_tol"];
    EXPECT_TRUE(golden::Close(estimate.centre, one["expected"]["center"], tol));
    EXPECT_TRUE(golden::Close(estimate.dof, one["expected"]["dof"], tol));
    EXPECT_TRUE(golden::Close(FixedCriticalT(one["input"]["alpha"], estimate) * estimate.se,
                              one["expected"]["radius"], tol));
  }
}

// The reference has no dof here (0/0); ours is some finite one, and no derived value is NaN.
TEST(WelchGoldenTest, EqualConstantsGiveAPointAndPOne) {
  for (const Json& one : golden::Cases("zero_variance")) {
    SCOPED_TRACE(one.at("id"));
    const GoldenArms arms = ArmsOf(one["input"]);
    const double alpha = one["input"]["alpha"];
    const WelchEstimate estimate = EstimateWelchDifference(arms.base, arms.candidate);
    EXPECT_EQ(estimate.centre, one["expected"]["diff"].get<double>());
    EXPECT_EQ(estimate.se, one["expected"]["se"].get<double>());
    EXPECT_TRUE(std::isfinite(estimate.dof));
    EXPECT_EQ(PlainInterval(estimate, FixedCriticalT(alpha, estimate)), (Interval{0, 0}));
    EXPECT_EQ(FixedPValue(estimate, 0), 1);
  }
}

std::string NameOfWelch(LookDecision decision) {
  return decision == LookDecision::kPass         ? "pass"
         : decision == LookDecision::kRegression ? "regression"
                                                 : "continue";
}

// Replays a case run by run and compares every row of the reference.
class SequentialReplay {
 public:
  explicit SequentialReplay(const Json& one)
      : one_(one),
        input_(one["input"]),
        boundary_(SequentialBoundary::Robbins(
                      input_["alpha"].get<double>() * (input_["sided"] == "one" ? 2 : 1),
                      input_["n0"].get<std::uint64_t>())
                      .value()),
        threshold_(LowerIsBetterThreshold(input_["margin"])) {}

  void Run() {
    const std::string arms = input_["arms"];
    std::size_t first_look = 0;
    std::size_t stop = 0;
    std::string verdict = "undecided";
    for (std::size_t run = 1; run <= arms.size(); ++run) {
      (arms[run - 1] == 'b' ? base_ : candidate_).Add(input_["values"][run - 1]);
      if (!RatioDefined(base_, candidate_)) continue;
      const WelchEstimate estimate = EstimateWelchRatio(base_, candidate_);
      if (!MayLook(estimate, boundary_)) continue;
      if (first_look == 0) first_look = run;
      const std::string word = Look(run, estimate);
      if (stop != 0 || word == "continue") continue;
      stop = run;
      verdict = word;
    }
    const Json& expected = one_["expected"];
    EXPECT_EQ(compared_, expected["rows"].size());
    EXPECT_EQ(first_look, expected["first_look_run"].get<std::size_t>());
    EXPECT_EQ(verdict, expected["verdict"].get<std::string>());
    EXPECT_EQ(stop, expected["stop_run"].is_null() ? 0 : expected["stop_run"].get<std::size_t>());
  }

 private:
  // Returns the decision of that look.
  std::string Look(std::size_t run, const WelchEstimate& estimate) {
    const double t = CriticalT(estimate, boundary_);
    const Interval interval = PlainInterval(estimate, t);
    const std::string word = NameOfWelch(DecideAgainst(interval, threshold_));
    running_.Watch(FindingAgainst(estimate, threshold_), boundary_);
    for (const Json& row : one_["expected"]["rows"]) {
      if (row["run"] != run) continue;
      SCOPED_TRACE(run);
      ++compared_;
      RunningP alone;
      alone.Watch(FindingAgainst(estimate, threshold_), boundary_);
      EXPECT_EQ(estimate.n_b, row["n_b"].get<std::uint64_t>());
      EXPECT_EQ(estimate.n_c, row["n_c"].get<std::uint64_t>());
      Expect(row, "theta", estimate.centre);
      Expect(row, "se", estimate.se);
      Expect(row, "h", estimate.information);
      Expect(row, "z", boundary_.ZAtInformation(estimate.information));
      Expect(row, "dof", estimate.dof);
      Expect(row, "t_crit", t);
      Expect(row, "lo", ToChange(interval).lo);
      Expect(row, "hi", ToChange(interval).hi);
      Expect(row, "p_look", alone.value());
      Expect(row, "p", running_.value());
      EXPECT_EQ(word, row["verdict_alone"].get<std::string>());
    }
    return word;
  }

  void Expect(const Json& row, const char* field, double actual) const {
    EXPECT_TRUE(golden::Close(actual, row.at(field), one_["rel_tol"])) << field;
  }

  const Json& one_;
  const Json& input_;
  SequentialBoundary boundary_;
  double threshold_;
  Moments base_;
  Moments candidate_;
  RunningP running_;
  std::size_t compared_ = 0;
};

TEST(WelchGoldenTest, WatchedCoinSchedulesMatchRunByRun) {
  for (const Json& one : golden::Cases("welch_sequential")) {
    SCOPED_TRACE(one.at("id"));
    SequentialReplay(one).Run();
  }
}

}  // namespace
}  // namespace benchd
