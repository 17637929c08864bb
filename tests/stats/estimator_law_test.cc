#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "core/stats/descriptive.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/paired.h"
#include "core/stats/resampling.h"
#include "core/stats/tails.h"
#include "tests/support/pairs.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

constexpr unsigned kLawSeed = 20260418;
constexpr double kAlpha = 0.01;

struct LawArms {
  Values base;
  Values candidate;
};

// Positive and skewed, about 2 % apart.
LawArms DrawLaw(unsigned seed, std::size_t n) {
  std::mt19937_64 random(seed);
  std::gamma_distribution<double> noise(1.5, 0.3);
  LawArms arms;
  for (std::size_t i = 0; i < n; ++i) {
    arms.base.push_back(10 + noise(random));
    arms.candidate.push_back(10.2 + noise(random));
  }
  return arms;
}

Values SortedPairs(const LawArms& arms, Contrast contrast = Contrast::kLogRatio) {
  return SortedSample(PairValues(arms.base, arms.candidate, contrast)).value();
}

Moments LogMoments(const Values& values) {
  Moments moments;
  for (double value : values) moments.Add(std::log(value));
  return moments;
}

OneLook HlOf(const LawArms& arms, Contrast contrast = Contrast::kLogRatio) {
  return HodgesLehmann(SortedPairs(arms, contrast), kAlpha).value();
}
OneLook MedianOf(const LawArms& arms) { return MedianInterval(SortedPairs(arms), kAlpha).value(); }
OneLook LognormalOf(const LawArms& arms) {
  return LognormalMeanRatio(LogMoments(arms.base), LogMoments(arms.candidate), kAlpha).value();
}
OneLook ShiftOf(const LawArms& arms) {
  return HodgesLehmannShift(SortedSample(arms.base).value(), SortedSample(arms.candidate).value(),
                            kAlpha)
      .value();
}

void ExpectNear(const OneLook& actual, const OneLook& expected, double tolerance) {
  EXPECT_NEAR(actual.estimate, expected.estimate, tolerance);
  ASSERT_TRUE(actual.interval && expected.interval);
  EXPECT_NEAR(actual.interval->lo, expected.interval->lo, tolerance);
  EXPECT_NEAR(actual.interval->hi, expected.interval->hi, tolerance);
}

OneLook Mirrored(const OneLook& look) { return {-look.estimate, Mirror(*look.interval)}; }

TEST(EstimatorLawTest, HodgesLehmannIsTheOneOfSortingAllAverages) {
  for (unsigned seed = kLawSeed; seed < kLawSeed + 10; ++seed) {
    SCOPED_TRACE(seed);
    const Values x = SortedPairs(DrawLaw(seed, 20 + seed % 11));
    Values averages;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = i; j < x.size(); ++j) averages.push_back(x[i] / 2 + x[j] / 2);
    }
    std::sort(averages.begin(), averages.end());
    const OneLook look = HodgesLehmann(x, kAlpha).value();
    EXPECT_DOUBLE_EQ(look.estimate, QuantileType7(averages, 0.5).value());
    // One above the tabulated critical values of the two-sided test at 1 % (37 for 20 pairs to 109
    // for 30; F. Wilcoxon, R. A. Wilcox, Some Rapid Approximate Statistical Procedures, 1964).
    const std::vector<std::size_t> cuts{38, 43, 49, 55, 62, 69, 76, 84, 92, 101, 110};
    const std::size_t cut = cuts[x.size() - 20];
    EXPECT_EQ(look.interval->lo, averages[cut - 1]);
    EXPECT_EQ(look.interval->hi, averages[averages.size() - cut]);
  }
}

TEST(EstimatorLawTest, TenThousandPairsAreSelectedFromExactly) {
  const Values x = SortedPairs(DrawLaw(kLawSeed, 10000));
  const OneLook look = HodgesLehmann(x, kAlpha).value();
  const auto count = [&](double bound) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      below += static_cast<std::uint64_t>(
          std::upper_bound(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(), bound,
                           [&](double b, double partner) { return b < x[i] / 2 + partner / 2; }) -
          (x.begin() + static_cast<std::ptrdiff_t>(i)));
    }
    return below;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::uint64_t cut = count(look.interval->lo);
  EXPECT_LT(count(std::nextafter(look.interval->lo, -infinity)), cut);
  EXPECT_EQ(x.size() * (x.size() + 1) / 2 - count(std::nextafter(look.interval->hi, -infinity)),
            cut);
  EXPECT_NEAR(static_cast<double>(count(look.estimate)) / 25002500, 1, 1e-6);
}

// Powers of two are exact; any other factor rounds the two products, by some 1e-16 each.
TEST(EstimatorLawTest, MultiplicativeBlockEffectsLeaveHlAndMedianUnchanged) {
  std::mt19937_64 random(kLawSeed);
  std::uniform_int_distribution<int> power(-20, 20);
  std::lognormal_distribution<double> drift(0, 1);
  for (unsigned seed = kLawSeed; seed < kLawSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const LawArms arms = DrawLaw(seed, 60);
    LawArms exact = arms;
    LawArms rounded = arms;
    for (std::size_t i = 0; i < arms.base.size(); ++i) {
      const double doubled = std::ldexp(1.0, power(random));
      exact.base[i] *= doubled;
      exact.candidate[i] *= doubled;
      const double factor = drift(random);
      rounded.base[i] *= factor;
      rounded.candidate[i] *= factor;
    }
    EXPECT_EQ(SortedPairs(exact), SortedPairs(arms));
    ExpectNear(HlOf(exact), HlOf(arms), 0);
    ExpectNear(HlOf(rounded), HlOf(arms), 1e-15);
    ExpectNear(MedianOf(exact), MedianOf(arms), 0);
    ExpectNear(MedianOf(rounded), MedianOf(arms), 1e-15);
  }
}

TEST(EstimatorLawTest, SwappingTheArmsMirrorsEveryInterval) {
  for (unsigned seed = kLawSeed; seed < kLawSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const LawArms arms = DrawLaw(seed, 61);
    const LawArms swapped{arms.candidate, arms.base};
    ExpectNear(HlOf(swapped), Mirrored(HlOf(arms)), 0);
    ExpectNear(HlOf(swapped, Contrast::kDifference), Mirrored(HlOf(arms, Contrast::kDifference)),
               0);
    ExpectNear(MedianOf(swapped), Mirrored(MedianOf(arms)), 0);
    ExpectNear(ShiftOf(swapped), Mirrored(ShiftOf(arms)), 0);
    ExpectNear(LognormalOf(swapped), Mirrored(LognormalOf(arms)), 1e-14);
  }
}

TEST(EstimatorLawTest, TheUnitOfTheValuesChangesNoRatioAndScalesDifferences) {
  for (double unit : {1e-9, 1e-3, 1e9}) {
    const LawArms arms = DrawLaw(kLawSeed, 61);
    LawArms scaled = arms;
    for (double& x : scaled.base) x *= unit;
    for (double& x : scaled.candidate) x *= unit;
    ExpectNear(HlOf(scaled), HlOf(arms), 1e-15);
    ExpectNear(MedianOf(scaled), MedianOf(arms), 1e-15);
    ExpectNear(LognormalOf(scaled), LognormalOf(arms), 1e-13);
    const OneLook difference = HlOf(scaled, Contrast::kDifference);
    ExpectNear({difference.estimate / unit,
                Interval{difference.interval->lo / unit, difference.interval->hi / unit}},
               HlOf(arms, Contrast::kDifference), 1e-13);
  }
}

// The p-value is the level at which the interval just excludes the hypothesis, so intervals at
// levels on either side of it must disagree.
void ExpectPInvertsTheInterval(const std::function<Interval(double)>& interval_at, double p,
                               double hypothesis) {
  ASSERT_GT(p, 0);
  if (p < 0.5) {
    const Interval outside = interval_at(p * 1.0001);
    EXPECT_TRUE(outside.lo > hypothesis || outside.hi < hypothesis) << p;
  }
  const Interval inside = interval_at(std::min(p * 0.9999, 0.9));
  EXPECT_TRUE(inside.lo <= hypothesis && hypothesis <= inside.hi) << p;
}

TEST(EstimatorLawTest, EveryPValueIsTheLevelWhoseIntervalJustExcludes) {
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  const auto or_all = [](const OneLook& look) {
    return look.interval.value_or(Interval{-kNoBound, kNoBound});
  };
  for (unsigned seed = kLawSeed; seed < kLawSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const LawArms arms = DrawLaw(seed, 40);
    const Values pairs = SortedPairs(arms);
    const Values base = SortedSample(arms.base).value();
    const Values candidate = SortedSample(arms.candidate).value();
    for (double hypothesis : {0.0, 0.01, 0.02, 0.05}) {
      ExpectPInvertsTheInterval(
          [&](double alpha) { return or_all(HodgesLehmann(pairs, alpha).value()); },
          HodgesLehmannP(pairs, hypothesis).value(), hypothesis);
      ExpectPInvertsTheInterval(
          [&](double alpha) { return or_all(MedianInterval(pairs, alpha).value()); },
          MedianP(pairs, hypothesis).value(), hypothesis);
      ExpectPInvertsTheInterval(
          [&](double alpha) { return or_all(HodgesLehmannShift(base, candidate, alpha).value()); },
          HodgesLehmannShiftP(base, candidate, hypothesis).value(), hypothesis);
      ExpectPInvertsTheInterval(
          [&](double alpha) {
            return *LognormalMeanRatio(LogMoments(arms.base), LogMoments(arms.candidate), alpha)
                        ->interval;
          },
          LognormalMeanP(LogMoments(arms.base), LogMoments(arms.candidate), hypothesis).value(),
          hypothesis);
    }
  }
}

TEST(EstimatorLawTest, AnAllowanceTakesItsPartOfEveryDistance) {
  const LawArms arms = DrawLaw(kLawSeed, 40);
  const Values pairs = SortedPairs(arms);
  const Bootstrap bootstrap = BootstrapMedian(pairs, 1).value();
  EXPECT_DOUBLE_EQ(HodgesLehmannP(pairs, 0, 0.005).value(), HodgesLehmannP(pairs, 0.005).value());
  EXPECT_DOUBLE_EQ(MedianP(pairs, 0, 0.005).value(), MedianP(pairs, 0.005).value());
  EXPECT_DOUBLE_EQ(bootstrap.PValue(0, 0.005), bootstrap.PValue(0.005));
  const Moments base = LogMoments(arms.base);
  const Moments candidate = LogMoments(arms.candidate);
  EXPECT_NEAR(LognormalMeanP(base, candidate, 0, 0.005).value(),
              LognormalMeanP(base, candidate, 0.005).value(), 1e-12);
  EXPECT_EQ(LognormalMeanP(base, candidate, 0, 1).value(), 1);
  EXPECT_EQ(HodgesLehmannP(pairs, 0, 1).value(), 1);
}

TEST(EstimatorLawTest, TheRunningPIsBelowTheLevelExactlyWhenAnIntervalExcluded) {
  const auto boundary = SequentialBoundary::Robbins(kAlpha, 8).value();
  int exclusions = 0;
  for (unsigned seed = kLawSeed; seed < kLawSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const LawArms arms = DrawLaw(seed, 100);
    for (double hypothesis : {0.0, 0.01, 0.02}) {
      Values sorted;
      RunningP p;
      EXPECT_EQ(p.value(), 1);
      bool excluded = false;
      for (std::size_t n = 1; n <= 100; ++n) {
        InsertSorted(
            sorted,
            PairValue(arms.base[n - 1], arms.candidate[n - 1], Contrast::kLogRatio).value());
        if (n < 8) continue;
        const auto information = static_cast<double>(n);
        const OneLook look = HodgesLehmann(sorted, LevelOfOneLook(boundary, information)).value();
        const double before = p.value();
        p.Watch({.p = HodgesLehmannP(sorted, hypothesis).value(),
                 .information = information,
                 .direction = look.estimate > 0 ? 1 : -1},
                boundary);
        EXPECT_LE(p.value(), before);
        excluded = excluded || (look.interval &&
                                (look.interval->lo > hypothesis || look.interval->hi < hypothesis));
        EXPECT_EQ(p.value() <= kAlpha, excluded) << n;
      }
      exclusions += excluded;
    }
  }
  EXPECT_GT(exclusions, 10);
  EXPECT_LT(exclusions, 50);
}

TEST(EstimatorLawTest, TheLevelOfALookIsTheNormalTailOfTheBoundary) {
  const auto boundary = SequentialBoundary::Robbins(0.05, 8).value();
  // 2 Q(2.7954834829), from docs/statistics.md section 3 and the normal law.
  EXPECT_NEAR(LevelOfOneLook(boundary, 8), 0.005182214978731318, 1e-13);
  EXPECT_LT(LevelOfOneLook(boundary, 100), LevelOfOneLook(boundary, 99));
}

TEST(EstimatorLawTest, ConstantPairsHaveAPointForAnInterval) {
  const LawArms arms{Values(20, 10), Values(20, 11)};
  const double expected = std::log(1.1);
  for (const OneLook& look : {HlOf(arms), MedianOf(arms), LognormalOf(arms)}) {
    ExpectNear(look, {expected, Interval{expected, expected}}, 1e-15);
  }
  EXPECT_EQ(LognormalMeanP(LogMoments(arms.base), LogMoments(arms.candidate), 0).value(), 0);
  const Bootstrap bootstrap = BootstrapMedian(SortedPairs(arms), 1).value();
  EXPECT_NEAR(bootstrap.At(0.01)->hi, expected, 1e-15);
}

TEST(EstimatorLawTest, PairsBeyondTheRangeOfAQuotientKeepTheirRatio) {
  EXPECT_NEAR(PairValue(1e-200, 1e200, Contrast::kLogRatio).value(), 400 * std::log(10), 1e-12);
  EXPECT_EQ(PairValue(1e200, 1e-200, Contrast::kLogRatio).value(),
            -PairValue(1e-200, 1e200, Contrast::kLogRatio).value());
}

TEST(EstimatorLawTest, RefusesWhatHasNoEstimate) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(PairValue(0, 1, Contrast::kLogRatio));
  EXPECT_FALSE(PairValue(1, -1, Contrast::kLogRatio));
  EXPECT_TRUE(PairValue(0, -1, Contrast::kDifference));
  EXPECT_FALSE(PairValue(nan, 1, Contrast::kDifference));
  EXPECT_FALSE(HodgesLehmann(Values{}, 0.05));
  EXPECT_FALSE(HodgesLehmann(Values{nan}, 0.05));
  EXPECT_FALSE(HodgesLehmann(Values{1}, 0));
  EXPECT_FALSE(HodgesLehmannShift(Values{1}, Values{}, 0.05));
  EXPECT_FALSE(HodgesLehmannShift(Values{1}, Values{2}, 1));
  EXPECT_FALSE(MedianInterval(Values{}, 0.05));
  EXPECT_FALSE(MedianInterval(Values{1, 2}, 1));
  EXPECT_FALSE(BootstrapMedian(Values{1}, 1));
  EXPECT_FALSE(BootstrapMedian(Values{1, 2}, 1)->At(1e-4));
  EXPECT_FALSE(LognormalMeanRatio(LogMoments({1}), LogMoments({1, 2}), 0.05));
  EXPECT_FALSE(LognormalMeanRatio(LogMoments({0, 1}), LogMoments({1, 2}), 0.05));
  EXPECT_FALSE(LognormalMeanRatio(LogMoments({1, 2}), LogMoments({1, 2}), 0));
}

TEST(QuantileContrastTest, RefusesTooFewOrImpossibleValues) {
  const Values many(100, 1);
  const auto refused = [](const Values& b, const Values& c, double p, Contrast contrast,
                          Pairing pairing) {
    return !QuantileContrast(b, c, p, contrast, pairing, 1);
  };
  EXPECT_TRUE(refused(Values(99, 1), Values(99, 1), 0.5, Contrast::kLogRatio, Pairing::kPaired));
  EXPECT_TRUE(refused(many, Values(101, 1), 0.5, Contrast::kLogRatio, Pairing::kPaired));
  EXPECT_FALSE(refused(many, Values(101, 1), 0.5, Contrast::kLogRatio, Pairing::kIndependent));
  EXPECT_TRUE(refused(many, many, 0, Contrast::kLogRatio, Pairing::kPaired));
  EXPECT_TRUE(refused(many, many, 1, Contrast::kLogRatio, Pairing::kPaired));
  EXPECT_TRUE(refused(many, Values(100, 0), 0.5, Contrast::kLogRatio, Pairing::kPaired));
  EXPECT_FALSE(refused(many, Values(100, 0), 0.5, Contrast::kDifference, Pairing::kPaired));
}

TEST(QuantileContrastTest, IsTheContrastOfTheType7Quantiles) {
  const LawArms arms = DrawLaw(kLawSeed, 150);
  const double b = QuantileType7(SortedSample(arms.base).value(), 0.9).value();
  const double c = QuantileType7(SortedSample(arms.candidate).value(), 0.9).value();
  const auto of = [&](Contrast contrast, std::uint64_t seed) {
    return QuantileContrast(arms.base, arms.candidate, 0.9, contrast, Pairing::kPaired, seed)
        .value();
  };
  const Bootstrap ratio = of(Contrast::kLogRatio, 7);
  EXPECT_DOUBLE_EQ(ratio.estimate(), std::log(c / b));
  EXPECT_DOUBLE_EQ(of(Contrast::kDifference, 7).estimate(), c - b);
  const Interval interval = ratio.At(0.01).value();
  EXPECT_LT(interval.lo, ratio.estimate());
  EXPECT_GT(interval.hi, ratio.estimate());
  EXPECT_EQ(of(Contrast::kLogRatio, 7).At(0.01).value(), interval);
  EXPECT_NE(of(Contrast::kLogRatio, 8).At(0.01).value(), interval);
}

// Blocks that slow both arms alike widen the interval of independent resamples, but not of paired
// ones.
TEST(QuantileContrastTest, DrawingWholeBlocksCancelsWhatTheyShare) {
  std::mt19937_64 random(kLawSeed);
  std::lognormal_distribution<double> drift(0, 0.5);
  LawArms arms;
  for (int i = 0; i < 200; ++i) {
    const double shared = drift(random);
    arms.base.push_back(shared);
    arms.candidate.push_back(1.1 * shared);
  }
  const auto width = [&](Pairing pairing) {
    const Interval interval =
        QuantileContrast(arms.base, arms.candidate, 0.5, Contrast::kLogRatio, pairing, 1)
            ->At(0.05)
            .value();
    return interval.hi - interval.lo;
  };
  EXPECT_LT(width(Pairing::kPaired), 1e-12) << "seed " << kLawSeed;
  EXPECT_GT(width(Pairing::kIndependent), 0.1) << "seed " << kLawSeed;
}

// ln(0.005) / ln(0.99) = 527.2; 2^-8 = 0.0039.
TEST(QuantileContrastTest, AnIntervalNeedsValuesBeyondTheQuantile) {
  EXPECT_FALSE(QuantileIntervalPossible(527, 0.99, 0.01));
  EXPECT_TRUE(QuantileIntervalPossible(528, 0.99, 0.01));
  EXPECT_FALSE(QuantileIntervalPossible(527, 0.01, 0.01));
  EXPECT_TRUE(QuantileIntervalPossible(8, 0.5, 0.01));
}

}  // namespace
}  // namespace benchd
