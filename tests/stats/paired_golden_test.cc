#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/stats/decision.h"
#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"
#include "tests/golden/golden.h"
#include "tests/stats/replay.h"

namespace benchd {
namespace {

using Json = nlohmann::json;
using Values = std::vector<double>;

std::string Name(LookDecision decision) {
  switch (decision) {
    case LookDecision::kPass:
      return "pass";
    case LookDecision::kRegression:
      return "regression";
    case LookDecision::kContinue:
    case LookDecision::kUndecided:
      return "continue";
  }
  return {};
}

double TwoSidedAlpha(const Json& input) {
  const double alpha = input["alpha"];
  return input.value("sided", "two") == "one" ? 2 * alpha : alpha;
}

// The results of one look, under the names of the reference files.
struct LookResult {
  PairedEstimate estimate;
  CriticalValues critical;
  double t_crit = 0;
  Interval scale;  // of the analysis
  Interval shown;  // as reported
  double p = 1;
  double p_look = 1;
  LookDecision decision = LookDecision::kContinue;
};

void Expect(const Json& row, const char* field, double actual, double tol) {
  if (row.contains(field)) {
    EXPECT_TRUE(golden::Close(actual, row[field], tol)) << field;
  }
}

void ExpectPairedLook(const Json& row, const LookResult& look, double tol) {
  SCOPED_TRACE(::testing::Message() << "n = " << row["n"]);
  Expect(row, "theta", look.estimate.centre, tol);
  Expect(row, "slowdown_theta", look.estimate.centre, tol);
  Expect(row, "difference", look.estimate.centre, tol);
  Expect(row, "se", look.estimate.se, tol);
  Expect(row, "kappa", look.estimate.kappa, tol);
  Expect(row, "widening", look.estimate.allowance, tol);
  Expect(row, "t_crit", look.t_crit, tol);
  Expect(row, "crit_low", look.critical.low, tol);
  Expect(row, "crit_high", look.critical.high, tol);
  Expect(row, "lo", look.shown.lo, tol);
  Expect(row, "hi", look.shown.hi, tol);
  Expect(row, "change", std::expm1(-look.estimate.centre), tol);
  Expect(row, "p", look.p, tol);
  Expect(row, "always_valid_p", look.p, tol);
  Expect(row, "p_look", look.p_look, tol);
  Expect(row, "p_one_sided", look.p / 2, tol);
  for (const char* field : {"verdict_alone", "verdict"}) {
    if (row.contains(field)) {
      EXPECT_EQ(Name(look.decision), row[field].get<std::string>()) << field;
    }
  }
}

// Replays a case look by look and compares every row that the reference gives.
class Replay {
 public:
  Replay(const Json& one, Analysis analysis, SequentialBoundary boundary, double threshold)
      : one_(one),
        input_(one["input"]),
        base_(input_["base"].get<Values>()),
        candidate_(input_["candidate"].get<Values>()),
        resolution_(input_.value("resolution", 0.0)),
        analysis_(analysis),
        boundary_(boundary),
        threshold_(threshold) {}

  void Run(std::size_t last) {
    const Json& rows = one_["expected"]["rows"];
    std::size_t compared = 0;
    for (std::size_t n = boundary_.first_look(); n <= last; ++n) {
      const LookResult look = Look(n);
      if (stop_n_ == 0 && look.decision != LookDecision::kContinue) {
        stop_n_ = n;
        verdict_ = Name(look.decision);
      }
      for (const Json& row : rows) {
        if (row["n"] != n) continue;
        ExpectPairedLook(row, look, one_["rel_tol"]);
        ++compared;
      }
    }
    EXPECT_EQ(compared, rows.size());
    const Json& expected = one_["expected"];
    EXPECT_EQ(verdict_, expected["verdict"].get<std::string>());
    EXPECT_EQ(stop_n_, expected["stop_n"].is_null() ? 0 : expected["stop_n"].get<std::size_t>());
  }

  std::size_t size() const { return base_.size(); }

 private:
  LookResult Look(std::size_t n) {
    LookResult look;
    look.estimate = EstimateFirst(base_, candidate_, n, analysis_, resolution_);
    look.t_crit = boundary_.CriticalT(n);
    look.critical = GuardAgainstSkewness(look.estimate.kappa, look.t_crit);
    look.scale = GuardedInterval(look.estimate, look.t_crit);
    look.shown = Shown(look.scale);
    look.decision = DecideAgainst(look.scale, threshold_);
    running_.Watch(FindingAgainst(look.estimate, threshold_), boundary_);
    look.p = running_.value();
    RunningP alone;
    alone.Watch(FindingAgainst(look.estimate, threshold_), boundary_);
    look.p_look = alone.value();
    return look;
  }

  Interval Shown(const Interval& scale) const {
    switch (analysis_) {
      case Analysis::kRatio:
        return ToChange(scale);
      case Analysis::kRate:
        return ToChange(Mirror(scale));
      case Analysis::kAbsolute:
        return scale;
      case Analysis::kAbsoluteRate:
        return Mirror(scale);
    }
    return {};
  }

  const Json& one_;
  const Json& input_;
  Values base_;
  Values candidate_;
  double resolution_;
  Analysis analysis_;
  SequentialBoundary boundary_;
  double threshold_;
  RunningP running_;
  std::size_t stop_n_ = 0;
  std::string verdict_ = "undecided";
};

SequentialBoundary RobbinsOf(const Json& input) {
  return SequentialBoundary::Robbins(TwoSidedAlpha(input), input["n0"].get<std::uint64_t>())
      .value();
}

TEST(PairedGoldenTest, DefaultIntervalMatches) {
  for (const Json& one : golden::Cases("sequential_default_ci")) {
    SCOPED_TRACE(one.at("id"));
    const Json& input = one["input"];
    const Json& expected = one["expected"];
    const std::size_t n = expected["n"];
    const auto estimate = EstimateFirst(input["base"], input["candidate"], n, Analysis::kRatio);
    const SequentialBoundary boundary = RobbinsOf(input);
    LookResult look;
    look.estimate = estimate;
    look.t_crit = boundary.CriticalT(n);
    look.critical = GuardAgainstSkewness(estimate.kappa, look.t_crit);
    look.shown = ToChange(GuardedInterval(estimate, look.t_crit));
    ExpectPairedLook(expected, look, one["rel_tol"]);
    Expect(expected, "z_bound", boundary.ZAt(n), one["rel_tol"]);
    Expect(expected, "rel", std::expm1(estimate.centre), one["rel_tol"]);
  }
}

// statistics.json lists the looks up to the first decisive one; its verdicts are those of the
// session.
TEST(PairedGoldenTest, TrajectoriesMatchLookByLook) {
  for (const char* kind : {"sequential_trajectory", "paired_margin_trajectory"}) {
    for (const Json& one : golden::Cases(kind)) {
      SCOPED_TRACE(one.at("id"));
      Replay replay(one, Analysis::kRatio, RobbinsOf(one["input"]),
                    LowerIsBetterThreshold(one["input"]["margin"]));
      replay.Run(replay.size());
    }
  }
}

TEST(PairedGoldenTest, ResolutionAllowanceMatches) {
  for (const Json& one : golden::Cases("resolution_widening")) {
    SCOPED_TRACE(one.at("id"));
    Replay replay(one, Analysis::kRatio, RobbinsOf(one["input"]),
                  LowerIsBetterThreshold(one["input"]["margin"]));
    replay.Run(replay.size());
  }
}

TEST(PairedGoldenTest, RatesMatch) {
  for (const Json& one : golden::Cases("higher_is_better")) {
    SCOPED_TRACE(one.at("id"));
    const double threshold = RateThreshold(one["input"]["margin"]);
    Expect(one["expected"], "threshold_slowdown", threshold, one["rel_tol"]);
    Replay replay(one, Analysis::kRate, RobbinsOf(one["input"]), threshold);
    replay.Run(replay.size());
  }
}

TEST(PairedGoldenTest, AbsoluteMarginsMatch) {
  for (const Json& one : golden::Cases("absolute_margin")) {
    SCOPED_TRACE(one.at("id"));
    const bool rate = one["input"].value("better", "lower") == "higher";
    Replay replay(one, rate ? Analysis::kAbsoluteRate : Analysis::kAbsolute,
                  RobbinsOf(one["input"]), one["input"]["margin"]);
    replay.Run(replay.size());
    const Values base = one["input"]["base"];
    const Values candidate = one["input"]["candidate"];
    PairedMoments moments;
    for (std::size_t i = 0; i < base.size(); ++i) moments.Add(base[i], candidate[i]);
    EXPECT_EQ(RatioDefined(moments.Centred()), one["expected"]["ratio_defined"].get<bool>());
  }
}

// One unguarded look, as for --runs.
void ExpectFixedLook(const Json& one, const Json& row, std::size_t n) {
  const Json& input = one["input"];
  const PairedEstimate estimate =
      EstimateFirst(input["base"], input["candidate"], n, Analysis::kRatio);
  const double t = FixedCriticalT(TwoSidedAlpha(input), n);
  const Interval scale = PlainInterval(estimate, t);
  const double threshold = LowerIsBetterThreshold(input["margin"]);
  const double tol = one["rel_tol"];
  Expect(row, "theta", estimate.centre, tol);
  Expect(row, "se", estimate.se, tol);
  Expect(row, "kappa", estimate.kappa, tol);
  Expect(row, "t_crit", t, tol);
  Expect(row, "change", std::expm1(estimate.centre), tol);
  Expect(row, "lo", ToChange(scale).lo, tol);
  Expect(row, "hi", ToChange(scale).hi, tol);
  Expect(row, "p", FixedPValue(estimate, threshold), tol);
  Expect(row, "p_look", FixedPValue(estimate, threshold), tol);
  const std::string decision = Name(DecideAgainst(scale, threshold));
  if (row.contains("verdict_alone")) {
    EXPECT_EQ(row["verdict_alone"].get<std::string>(), decision);
  }
  if (row.contains("verdict")) {
    EXPECT_EQ(row["verdict"].get<std::string>(), decision == "continue" ? "undecided" : decision);
  }
}

TEST(PairedGoldenTest, FixedLooksMatch) {
  for (const Json& one : golden::Cases("fixed_paired")) {
    SCOPED_TRACE(one.at("id"));
    ExpectFixedLook(one, one["expected"], one["expected"]["n"]);
  }
}

TEST(PairedGoldenTest, HorizonsMatchAndThoseBeforeTheFirstLookAreFixed) {
  int fixed = 0;
  for (const Json& one : golden::Cases("horizon_interval")) {
    SCOPED_TRACE(one.at("id"));
    const Json& input = one["input"];
    const std::uint64_t n0 = input["n0"];
    const std::uint64_t horizon = input["max_runs"];
    if (horizon <= n0) {
      ExpectFixedLook(one, one["expected"]["rows"][0], horizon);
      ++fixed;
      continue;
    }
    const auto boundary = SequentialBoundary::Horizon(TwoSidedAlpha(input), n0, horizon).value();
    Expect(one["expected"], "c", boundary.root(), one["rel_tol"]);
    Replay replay(one, Analysis::kRatio, boundary, LowerIsBetterThreshold(input["margin"]));
    replay.Run(std::min<std::size_t>(replay.size(), horizon));
  }
  EXPECT_GT(fixed, 0);
}

TEST(PairedGoldenTest, EqualConstantsHaveNoSpreadAndNoNaN) {
  for (const Json& one : golden::Cases("zero_variance")) {
    SCOPED_TRACE(one.at("id"));
    const Values base = one["input"]["base"];
    const auto estimate =
        EstimateFirst(base, one["input"]["candidate"], base.size(), Analysis::kAbsolute);
    EXPECT_EQ(estimate.centre, one["expected"]["diff"].get<double>());
    EXPECT_EQ(estimate.se, one["expected"]["se"].get<double>());
    EXPECT_EQ(estimate.kappa, 0);
    EXPECT_EQ(FixedPValue(estimate, 0), 1);
  }
}

}  // namespace
}  // namespace benchd
