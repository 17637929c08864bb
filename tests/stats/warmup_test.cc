#include "core/stats/warmup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace benchd {
namespace {

constexpr unsigned kWarmupSeed = 20261122;
using Values = std::vector<double>;
using Make = std::function<double(std::size_t, std::mt19937_64&)>;

double Normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }

Values Series(std::size_t n, std::mt19937_64& random, const Make& make) {
  Values values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(make(i, random));
  return values;
}

double Plain(std::size_t, std::mt19937_64& random) { return 10 + 0.1 * Normal(random); }

TEST(WarmupTest, FindsAStepAndItsLength) {
  for (const std::size_t length : {1U, 2U, 3U, 5U, 8U}) {
    std::mt19937_64 random(kWarmupSeed);
    const auto warmup = FindWarmup(Series(40, random, [length](std::size_t i, std::mt19937_64& r) {
      return Plain(i, r) + (i < length ? 1 : 0);
    }));
    ASSERT_TRUE(warmup) << length;
    EXPECT_EQ(warmup->length, length);
    EXPECT_NEAR(warmup->shift, 1, 0.15);
    EXPECT_NEAR(warmup->rest, 10, 0.1);
  }
}

TEST(WarmupTest, FindsAFasterStartToo) {
  std::mt19937_64 random(kWarmupSeed);
  const auto warmup = FindWarmup(Series(
      30, random, [](std::size_t i, std::mt19937_64& r) { return Plain(i, r) - (i < 4 ? 1 : 0); }));
  ASSERT_TRUE(warmup);
  EXPECT_EQ(warmup->length, 4U);
  EXPECT_LT(warmup->shift, 0);
}

TEST(WarmupTest, FollowsADecayUntilItIsLostInTheNoise) {
  std::mt19937_64 random(kWarmupSeed);
  const auto warmup = FindWarmup(Series(60, random, [](std::size_t i, std::mt19937_64& r) {
    return Plain(i, r) + 3 * std::exp(-static_cast<double>(i) / 3);
  }));
  ASSERT_TRUE(warmup);
  // 3 exp(-i / 3) falls below the noise of 0.1 at i = 10.
  EXPECT_GE(warmup->length, 6U);
  EXPECT_LE(warmup->length, 14U);
}

TEST(WarmupTest, CallsNeitherDriftNorALoadThatComesAndGoesAWarmup) {
  std::mt19937_64 random(kWarmupSeed);
  EXPECT_FALSE(FindWarmup(Series(60, random, [](std::size_t i, std::mt19937_64& r) {
    return Plain(i, r) + 0.02 * static_cast<double>(i);
  })));
  EXPECT_FALSE(FindWarmup(Series(60, random, [](std::size_t i, std::mt19937_64& r) {
    return Plain(i, r) + (i >= 20 && i < 40 ? 1 : 0);
  })));
  EXPECT_FALSE(FindWarmup(Series(60, random, [](std::size_t i, std::mt19937_64& r) {
    return Plain(i, r) + (i / 15 % 2 == 0 ? 1 : 0);
  })));
}

TEST(WarmupTest, TakesShortOrSteadyOrBrokenSeriesForNone) {
  EXPECT_FALSE(FindWarmup({}));
  EXPECT_FALSE(FindWarmup(Values{9, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(FindWarmup(Values(50, 3)));
  Values broken(20, 1);
  broken[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(FindWarmup(broken));
  EXPECT_TRUE(FindWarmup(Values{9, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

// How often, out of 4000, a series without a distinct start is found to have one. Prints the rate,
// which must stay below the bound: 1 % plus three standard errors, or the rate that so heavy a tail
// gives with so few values.
void ExpectRarelyFalse(const char* what, std::size_t n, double most, const Make& make) {
  constexpr int kSeries = 4000;
  std::mt19937_64 random(kWarmupSeed);
  int found = 0;
  for (int i = 0; i < kSeries; ++i) found += FindWarmup(Series(n, random, make)) ? 1 : 0;
  const double rate = static_cast<double>(found) / kSeries;
  std::printf("seed %u: %.2f %% of %s series of %zu have a warm-up\n", kWarmupSeed, 100 * rate,
              what, n);
  EXPECT_LE(rate, most + 3 * std::sqrt(most * (1 - most) / kSeries)) << what << " " << n;
}

TEST(WarmupTest, IsRarelyFoundInNoise) {
  for (const std::size_t n : {8U, 20U, 60U, 200U}) {
    const double tail = n < 20 ? 0.03 : 0.02;
    ExpectRarelyFalse("normal", n, 0.01, Plain);
    ExpectRarelyFalse("log-normal", n, tail,
                      [](std::size_t, std::mt19937_64& r) { return std::exp(Normal(r)); });
    ExpectRarelyFalse("two-mode", n, n < 20 ? tail : 0.01, [](std::size_t i, std::mt19937_64& r) {
      return Plain(i, r) + (r() % 2 == 0 ? 1 : 0);
    });
    ExpectRarelyFalse("rarely slow", n, tail, [](std::size_t i, std::mt19937_64& r) {
      return Plain(i, r) + (r() % 50 == 0 ? 20 : 0);
    });
    ExpectRarelyFalse("t3", n, tail, [](std::size_t, std::mt19937_64& r) {
      return 10 + std::student_t_distribution<double>(3)(r);
    });
  }
}

std::vector<Values> Inside(std::size_t runs, std::size_t n, std::mt19937_64& random,
                           const Make& make) {
  std::vector<Values> made;
  for (std::size_t r = 0; r < runs; ++r) {
    const double level = 0.3 * Normal(random);
    Values run = Series(n, random, make);
    for (double& value : run) value += level;
    made.push_back(std::move(run));
  }
  return made;
}

TEST(WarmupInsideTest, FindsAStartThatAllRunsHave) {
  std::mt19937_64 random(kWarmupSeed);
  const auto warmup =
      FindWarmupInside(Inside(8, 200, random, [](std::size_t i, std::mt19937_64& r) {
        return Plain(i, r) + (i < 30 ? 0.5 : 0);
      }));
  ASSERT_TRUE(warmup);
  EXPECT_NEAR(static_cast<double>(warmup->length), 30, 8);
  EXPECT_NEAR(warmup->shift, 0.5, 0.1);
}

TEST(WarmupInsideTest, WantsFiveRunsOfTenValues) {
  std::mt19937_64 random(kWarmupSeed);
  const Make slow = [](std::size_t i, std::mt19937_64& r) { return Plain(i, r) + (i < 3 ? 5 : 0); };
  EXPECT_FALSE(FindWarmupInside(Inside(4, 100, random, slow)));
  EXPECT_FALSE(FindWarmupInside(Inside(6, 9, random, slow)));
  EXPECT_TRUE(FindWarmupInside(Inside(6, 12, random, slow)));
}

// Values within a run may be correlated as strongly as they like, because runs are what counts.
TEST(WarmupInsideTest, IsRarelyFoundInNoiseAlsoWhenNeighboursAreAlike) {
  constexpr int kSets = 1500;
  for (const double memory : {0.0, 0.9}) {
    std::mt19937_64 random(kWarmupSeed);
    int found = 0;
    for (int i = 0; i < kSets; ++i) {
      double before = 0;
      const auto runs = Inside(8, 60, random, [&](std::size_t at, std::mt19937_64& r) {
        if (at == 0) before = Normal(r) / std::sqrt(1 - memory * memory);
        before = memory * before + Normal(r);
        return 10 + before;
      });
      found += FindWarmupInside(runs) ? 1 : 0;
    }
    const double rate = static_cast<double>(found) / kSets;
    std::printf("seed %u: %.2f %% of sets of 8 runs, lag-1 %.1f, have a warm-up inside\n",
                kWarmupSeed, 100 * rate, memory);
    EXPECT_LE(rate, 0.01 + 3 * std::sqrt(0.01 * 0.99 / kSets));
  }
}

}  // namespace
}  // namespace benchd
