#include "core/analysis/data_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr unsigned kDataSeed = 20261121;
const CheckedNames kNames{"main", "base", "candidate"};
const KnownMetric kMetric{"wall_time", "s", Better::kLower, 1e-9, true};

using MakeValue = std::function<double(int, std::mt19937_64&)>;

double CheckedNormal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }

/// The warnings about n pairs made by the two functions.
std::vector<Warning> Check(int n, const MakeValue& base, const MakeValue& candidate, bool paired,
                           const KnownMetric& metric, const CheckOptions& options = {}) {
  std::mt19937_64 random(kDataSeed);
  CheckedValues values(paired);
  for (int i = 0; i < n; ++i) {
    const ArmValue b{base(i, random), true};
    const ArmValue c{candidate(i, random), true};
    values.Add({&b, 1}, {&c, 1});
  }
  return CheckData(values, metric, MarginKind::kRatio, kNames, options);
}

std::vector<std::string> WarningCodes(int n, const MakeValue& base, const MakeValue& candidate,
                                      bool paired = true, const KnownMetric& metric = kMetric,
                                      const CheckOptions& options = {}) {
  std::vector<std::string> codes;
  for (const Warning& warning : Check(n, base, candidate, paired, metric, options)) {
    codes.push_back(warning.code);
    EXPECT_EQ(warning.benchmark, "main");
    EXPECT_FALSE(warning.message.empty());
  }
  return codes;
}

bool Has(const std::vector<std::string>& codes, const std::string& code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

double PlainValue(int, std::mt19937_64& random) { return 10 + 0.1 * CheckedNormal(random); }

TEST(DataChecksTest, NormalArmsGiveNoWarning) {
  EXPECT_TRUE(WarningCodes(200, PlainValue, PlainValue).empty());
}

TEST(DataChecksTest, AMachineThatDriftsIsInformationAndItsPairsAreFine) {
  // Both arms of a block share the machine's speed.
  double machine = 0;
  const auto base = [&machine](int i, std::mt19937_64& random) {
    machine = 0.02 * i;
    return 10 + machine + 0.1 * CheckedNormal(random);
  };
  const auto candidate = [&machine](int, std::mt19937_64& random) {
    return 10 + machine + 0.1 * CheckedNormal(random);
  };
  const auto codes = WarningCodes(200, base, candidate);
  EXPECT_TRUE(Has(codes, "drift"));
  EXPECT_FALSE(Has(codes, "pairs_drift"));
}

TEST(DataChecksTest, DifferencesThatDriftWeakenTheGuarantee) {
  const auto drifting = [](int i, std::mt19937_64& random) {
    return 10 + 0.005 * i + 0.1 * CheckedNormal(random);
  };
  EXPECT_TRUE(Has(WarningCodes(200, PlainValue, drifting), "pairs_drift"));
}

/// The values of an arm that is AR(1) by itself.
MakeValue Autocorrelated(double persistence) {
  return [persistence, state = 0.0](int, std::mt19937_64& random) mutable {
    state = persistence * state + std::sqrt(1 - persistence * persistence) * CheckedNormal(random);
    return 10 + 0.1 * state;
  };
}

/// The warnings about the pairs of 100 runs of two arms that are AR(1) each by itself.
std::vector<Warning> CheckAutocorrelated(double persistence, std::mt19937_64& random) {
  const MakeValue base = Autocorrelated(persistence);
  const MakeValue candidate = Autocorrelated(persistence);
  CheckedValues values(true);
  for (int i = 0; i < 100; ++i) {
    const ArmValue b{base(i, random), true};
    const ArmValue c{candidate(i, random), true};
    values.Add({&b, 1}, {&c, 1});
  }
  std::vector<Warning> warnings = CheckData(values, kMetric, MarginKind::kRatio, kNames);
  std::erase_if(warnings,
                [](const Warning& warning) { return !warning.code.starts_with("pairs_"); });
  return warnings;
}

// docs/statistics.md section 8: 61 % of sessions of 100 pairs of arms that are AR(0.3) each by
// itself. Many of them have `pairs_drift`, which has a lower level and applies first.
TEST(DataChecksTest, ArmsThatAreAutocorrelatedEachByItselfWeakenTheGuarantee) {
  std::mt19937_64 random(kDataSeed);
  int seen = 0;
  std::optional<Warning> correlated;
  for (int session = 0; session < 200; ++session) {
    for (const Warning& warning : CheckAutocorrelated(0.3, random)) {
      ++seen;
      if (warning.code == "pairs_correlated" && !correlated) correlated = warning;
    }
  }
  EXPECT_GT(seen, 100);
  ASSERT_TRUE(correlated);
  EXPECT_EQ(correlated->severity, Severity::kCaution);
  EXPECT_WORDING(WarningText(*correlated));
}

// Two warnings, at 0.5 % and at most 0.2 %. At 0.7 %, more than 16 of 1000 sessions would have one
// less often than 1 in 1000 (binomial).
TEST(DataChecksTest, ArmsWithoutAutocorrelationAreRarelyCalledCorrelated) {
  std::mt19937_64 random(kDataSeed);
  std::size_t false_alarms = 0;
  for (int session = 0; session < 1000; ++session) {
    false_alarms += CheckAutocorrelated(0, random).size();
  }
  std::printf("%zu of 1000 clean sessions have a warning about their pairs\n", false_alarms);
  EXPECT_LE(false_alarms, 16);
}

TEST(DataChecksTest, PairsThatDriftAreNotAlsoCalledCorrelated) {
  const auto drifting = [](int i, std::mt19937_64& random) {
    return 10 + 0.005 * i + 0.1 * CheckedNormal(random);
  };
  EXPECT_FALSE(Has(WarningCodes(200, PlainValue, drifting), "pairs_correlated"));
}

// Both arms have the same rare slow runs, whose number moves the means.
TEST(DataChecksTest, LikeArmsWithRareSlowRunsHaveTheSameShape) {
  const auto slow = [](int, std::mt19937_64& random) {
    return (10 + 0.1 * CheckedNormal(random)) * (random() % 50 == 0 ? 2 : 1);
  };
  EXPECT_FALSE(Has(WarningCodes(60, slow, slow), "shapes_differ"));
  EXPECT_FALSE(Has(WarningCodes(300, slow, slow), "shapes_differ"));
  EXPECT_FALSE(Has(WarningCodes(300, slow, slow, false), "shapes_differ"));
}

double LogNormalValue(int, std::mt19937_64& random) {
  return 10 * std::exp(0.5 * CheckedNormal(random));
}

TEST(DataChecksTest, AGateByLognormalMeanIsInvalidIfAnArmIsNotLogNormal) {
  CheckOptions by_lognormal;
  by_lognormal.by_lognormal = true;
  const auto slow = [](int i, std::mt19937_64& random) {
    return LogNormalValue(i, random) * (random() % 100 == 0 ? 1000 : 1);
  };
  const auto check = [&](const MakeValue& base, const MakeValue& candidate) {
    return Check(200, base, candidate, true, kMetric, by_lognormal);
  };
  for (const bool of_candidate : {false, true}) {
    const auto warnings = of_candidate ? check(LogNormalValue, slow) : check(slow, LogNormalValue);
    const auto found = std::ranges::find(warnings, "not_lognormal", &Warning::code);
    ASSERT_NE(found, warnings.end());
    EXPECT_EQ(found->severity, Severity::kInvalidates);
    EXPECT_EQ(found->metric, "wall_time");
    EXPECT_EQ(found->reference, "base");
    EXPECT_EQ(found->arm, "candidate") << "a gate is named by its candidate";
    EXPECT_WORDING(WarningText(*found));
  }
  const auto fits = check(LogNormalValue, LogNormalValue);
  EXPECT_EQ(std::ranges::find(fits, "not_lognormal", &Warning::code), fits.end());
  // Other estimators do not rely on it.
  EXPECT_FALSE(Has(WarningCodes(200, slow, slow), "not_lognormal"));
}

// Also of a run beyond those that are kept.
TEST(DataChecksTest, AGateByAQuantileStatesTheBestRuns) {
  CheckOptions by_quantile;
  by_quantile.by_quantile = true;
  const auto best_last = [](int i, std::mt19937_64& random) {
    return i == static_cast<int>(kMostCheckedValues) ? 2 : PlainValue(i, random);
  };
  KnownMetric rate{"ops", "1/s", Better::kHigher, 1e-9, true};
  for (const KnownMetric& metric : {kMetric, rate}) {
    const auto warnings = Check(static_cast<int>(kMostCheckedValues) + 1, best_last, PlainValue,
                                true, metric, by_quantile);
    ASSERT_FALSE(warnings.empty());
    EXPECT_EQ(warnings[0].code, "best_run");
    EXPECT_EQ(warnings[0].severity, Severity::kNote);
    EXPECT_WORDING(WarningText(warnings[0]));
  }
  EXPECT_TRUE(Has(WarningCodes(3, PlainValue, PlainValue, true, kMetric, by_quantile), "best_run"));
  EXPECT_FALSE(Has(WarningCodes(20, PlainValue, PlainValue), "best_run"));
}

TEST(DataChecksTest, ArmsOfDifferentShapeAreNamed) {
  const auto two_modes = [](int, std::mt19937_64& random) {
    return (random() % 2 == 0 ? 9 : 11) + 0.1 * CheckedNormal(random);
  };
  const auto codes = WarningCodes(200, PlainValue, two_modes);
  EXPECT_TRUE(Has(codes, "shapes_differ"));
  EXPECT_TRUE(Has(codes, "several_modes"));
}

TEST(DataChecksTest, ATailBeyondANormalOneIsNamedWithItsSize) {
  const auto tailed = [](int i, std::mt19937_64& random) {
    return 10 + 0.1 * CheckedNormal(random) + (i % 20 == 0 ? 5 : 0);
  };
  EXPECT_TRUE(Has(WarningCodes(200, PlainValue, tailed), "outliers"));
}

// Advice against the mean is only for sessions that use it.
TEST(DataChecksTest, WithoutAMeanOutliersAreValuesLikeOthers) {
  const auto tailed = [](int i, std::mt19937_64& random) {
    return 10 + 0.1 * CheckedNormal(random) + (i % 20 == 0 ? 5 : 0);
  };
  const auto two_modes = [](int, std::mt19937_64& random) {
    return (random() % 2 == 0 ? 9 : 11) + 0.1 * CheckedNormal(random);
  };
  CheckOptions ranks;
  ranks.by_mean = false;
  EXPECT_FALSE(Has(WarningCodes(200, PlainValue, tailed, true, kMetric, ranks), "outliers"));
  for (const Warning& warning : Check(200, PlainValue, two_modes, true, kMetric, ranks)) {
    EXPECT_EQ(warning.message.find("mean"), std::string::npos) << warning.message;
  }
}

// First values of 5 among 10: for a time these are better, for a rate worse.
TEST(DataChecksTest, WhatStartsWellIsNotSaidToWarmUp) {
  const auto low_first = [](int i, std::mt19937_64& random) {
    return (i < 5 ? 5 : 10) + 0.1 * CheckedNormal(random);
  };
  KnownMetric rate = kMetric;
  rate.better = Better::kHigher;
  KnownMetric unknown = kMetric;
  unknown.better.reset();
  for (const KnownMetric& metric : {kMetric, rate, unknown}) {
    const auto warnings = Check(60, low_first, PlainValue, true, metric);
    ASSERT_FALSE(warnings.empty());
    EXPECT_EQ(warnings[0].code, "warmup");
    const std::string better(metric.better ? NameOf(*metric.better) : "unknown");
    EXPECT_WORDING("better: " + better + " => " + WarningText(warnings[0]));
  }
}

// With a spread below two steps, every arm looks like a comb, whatever its shape.
TEST(DataChecksTest, TheShapeOfAMetricOfFewStepsIsNotJudged) {
  KnownMetric coarse = kMetric;
  coarse.resolution = 1;
  const auto codes = WarningCodes(
      200, [](int, std::mt19937_64& random) { return static_cast<double>(10 + random() % 2); },
      [](int, std::mt19937_64& random) { return static_cast<double>(10 + random() % 3); }, true,
      coarse);
  EXPECT_FALSE(Has(codes, "shapes_differ"));
  EXPECT_FALSE(Has(codes, "several_modes"));
}

TEST(DataChecksTest, FewValuesAreNotJudged) {
  const auto wild = [](int i, std::mt19937_64&) { return i * i + 1.0; };
  EXPECT_TRUE(WarningCodes(7, wild, wild).empty());
}

}  // namespace
}  // namespace benchd
