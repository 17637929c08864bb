#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/stats/descriptive.h"
#include "core/stats/resampling.h"
#include "core/stats/welch.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using nlohmann::json;
using Values = std::vector<double>;

constexpr std::uint64_t kFirstSeed = 20260418;
constexpr std::uint64_t kSeeds = 50;

// Each value violates the bounds with a probability of 1e-9, so 50 seeds fail less than once in a
// million.
void ExpectInBounds(const Values& run, const json& expected) {
  EXPECT_EQ(SubselectionSize(run.size()), expected["k"].get<std::size_t>());
  const double slack = 1e-9 * std::abs(expected["mean"].get<double>());
  double sum = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
    const double value = SubselectedMean(run, MeanKind::kArithmetic, seed, 0).value();
    EXPECT_GE(value, expected["lo_1e9"].get<double>() - slack) << "seed " << seed;
    EXPECT_LE(value, expected["hi_1e9"].get<double>() + slack) << "seed " << seed;
    sum += value;
  }
  // A median of 100 varies by about 1.25 / 10 of a single mean; five standard errors of 50.
  const double one = expected["sd_one_subselection_mean"];
  EXPECT_NEAR(sum / kSeeds, expected["expectation"].get<double>(),
              5 * 0.125 * one / std::sqrt(double{kSeeds}) + slack);
}

TEST(SubselectionTest, StaysWithinTheExactBoundsOfEveryRun) {
  for (const json& one : golden::Cases("subselection")) {
    SCOPED_TRACE(one.at("id"));
    for (const char* arm : {"base", "candidate"}) {
      const json& runs = one["input"][std::string(arm) + "_runs"];
      for (std::size_t run = 0; run < runs.size(); ++run) {
        SCOPED_TRACE(run);
        ExpectInBounds(runs[run], one["expected"][arm][run]);
      }
    }
  }
}

void ExpectInterval(const WelchEstimate& estimate, double alpha, const json& expected,
                    const std::string& name, double tol, bool ratio) {
  Interval interval = PlainInterval(estimate, FixedCriticalT(alpha, estimate));
  if (ratio) interval = ToChange(interval);
  EXPECT_TRUE(golden::Close(interval.lo, expected[name + "_lo"], tol));
  EXPECT_TRUE(golden::Close(interval.hi, expected[name + "_hi"], tol));
  EXPECT_TRUE(golden::Close(estimate.dof, expected[name + "_dof"], tol));
}

TEST(SubselectionTest, TheIntervalIsWelchsOverTheRuns) {
  int compared = 0;
  for (const json& one : golden::Cases("subselection")) {
    if (!one["expected"].contains("from_given_medians")) continue;
    SCOPED_TRACE(one.at("id"));
    const json& expected = one["expected"]["from_given_medians"];
    const double tol = one["rel_tol"];
    const double alpha = one["input"]["alpha"];
    const Moments base = MomentsOf(one["input"]["given_medians_base"].get<Values>());
    const Moments candidate = MomentsOf(one["input"]["given_medians_candidate"].get<Values>());
    EXPECT_TRUE(golden::Close(base.mean(), expected["estimate_base"], tol));
    EXPECT_TRUE(golden::Close(candidate.mean(), expected["estimate_candidate"], tol));
    const WelchEstimate ratio = EstimateWelchRatio(base, candidate);
    EXPECT_TRUE(golden::Close(std::expm1(ratio.centre), expected["ratio_change"], tol));
    ExpectInterval(ratio, alpha, expected, "ratio", tol, true);
    const WelchEstimate difference = EstimateWelchDifference(base, candidate);
    EXPECT_TRUE(golden::Close(difference.centre, expected["difference"], tol));
    ExpectInterval(difference, alpha, expected, "difference", tol, false);
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

// The file's bounds are for mmtests' size floor(0.8 n), whereas ours is rounded. A larger size lets
// the means vary less, so the bounds hold as well. The simulation drew 400 seeds of 100
// subselections without replacement.
TEST(SubselectionTest, AgreesWithTheDocumentedMethodOfMmtests) {
  const json& file = golden::ReadFile("mmtests.json");
  ASSERT_FALSE(file["advanced"].empty());
  for (const json& one : file["advanced"]) {
    SCOPED_TRACE(one.at("id"));
    const auto runs = one["input"]["iterations"].get<std::vector<Values>>();
    const MeanKind kind =
        one["input"]["mean"] == "hmean" ? MeanKind::kHarmonic : MeanKind::kArithmetic;
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
      SCOPED_TRACE(seed);
      Moments moments;
      for (std::size_t run = 0; run < runs.size(); ++run) {
        moments.Add(SubselectedMean(runs[run], kind, seed, run).value());
      }
      if (!one.contains("without_replacement_seedtext")) {
        // One sample per run: mmtests prints NaN; only the plain average remains.
        EXPECT_EQ(moments.mean(), one["deterministic"]["mean_of_averages"].get<double>());
        continue;
      }
      const json& exact = one["without_replacement_seedtext"];
      const double rounding = 1e-12 * moments.mean();
      for (std::size_t run = 0; run < runs.size(); ++run) {
        const double value = SubselectedMean(runs[run], kind, seed, run).value();
        EXPECT_GE(value, exact["hard_bounds_per_iteration"][run][0].get<double>() - rounding);
        EXPECT_LE(value, exact["hard_bounds_per_iteration"][run][1].get<double>() + rounding);
      }
      EXPECT_NEAR(moments.mean(), exact["exact_mean_of_medians"].get<double>(),
                  one["sim_S100_without"]["tolerance_estimate"].get<double>() + rounding);
    }
  }
}

// The ceilings and floors of 0.8 n near every half: docs/statistics.md section 5, k = floor(0.8 n +
// 1/2).
TEST(SubselectionTest, TakesFourFifthsRoundedHalfUp) {
  const std::vector<std::size_t> sizes{1, 2, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 10, 11, 12, 13};
  for (std::size_t n = 1; n <= sizes.size(); ++n) EXPECT_EQ(SubselectionSize(n), sizes[n - 1]);
}

// docs/statistics.md section 5: not robust to one gross outlier.
TEST(SubselectionTest, OneGrossOutlierAmongTenDoublesTheValue) {
  const Values samples{9.98, 10.02, 10.01, 9.97, 10.03, 9.99, 10, 10.04, 9.96, 100};
  EXPECT_NEAR(SubselectedMean(samples, MeanKind::kArithmetic, 1, 0).value(), 21.2, 0.06);
}

TEST(SubselectionTest, TheSameSeedGivesTheSameValueAndRunsHaveTheirOwnStreams) {
  Values samples;
  for (int i = 0; i < 40; ++i) samples.push_back(1 + i * i);
  const auto value = [&](std::uint64_t seed, std::uint64_t run) {
    return SubselectedMean(samples, MeanKind::kArithmetic, seed, run).value();
  };
  EXPECT_EQ(value(1, 0), value(1, 0));
  EXPECT_NE(value(1, 0), value(2, 0));
  EXPECT_NE(value(1, 0), value(1, 1));
}

TEST(SubselectionTest, EqualSamplesKeepTheirValueExactly) {
  EXPECT_EQ(SubselectedMean(Values(10, 0.1), MeanKind::kArithmetic, 1, 0).value(), 0.1);
}

TEST(SubselectionTest, RefusesWhatHasNoMean) {
  EXPECT_FALSE(SubselectedMean(Values{}, MeanKind::kArithmetic, 1, 0));
  EXPECT_FALSE(SubselectedMean(Values{1, 0}, MeanKind::kHarmonic, 1, 0));
  EXPECT_TRUE(SubselectedMean(Values{1, 0}, MeanKind::kArithmetic, 1, 0));
  EXPECT_FALSE(SubselectedMean(Values{1, INFINITY}, MeanKind::kArithmetic, 1, 0));
}

}  // namespace
}  // namespace benchd
