#include "core/model/limits.h"

#include <gtest/gtest.h>

#include <set>

namespace benchd {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;

TEST(LimitsTest, ARowIsFoundByItsLimitAndKeysAreUnique) {
  std::set<std::string_view> keys;
  for (const LimitRow& row : LimitRows()) {
    EXPECT_EQ(&RowOf(row.limit), &row);
    EXPECT_TRUE(keys.insert(row.key).second) << row.key;
    EXPECT_FALSE(row.unit.empty() || row.what.empty() || row.advice.empty()) << row.key;
    EXPECT_EQ(row.scope == LimitScope::kRequest, row.used.empty()) << row.key;
    EXPECT_LE(row.standard.value_or(1), row.most) << row.key;
  }
}

TEST(LimitsTest, TheDefaultsAreTheTables) {
  const Budgets limits;
  EXPECT_EQ(limits.Of(Limit::kCallsAUser), 64U);
  EXPECT_EQ(limits.Of(Limit::kBundle), 1024 * kMib);
  EXPECT_EQ(limits.Of(Limit::kRunningADay), std::nullopt);
}

TEST(LimitsTest, AreSetInTheUnitsOfTheConfiguration) {
  Budgets limits;
  EXPECT_EQ(limits.Set(Limit::kKeptAUser, 3), std::nullopt);
  EXPECT_EQ(limits.At(Limit::kKeptAUser), 3 * kMib);
  EXPECT_EQ(limits.Set(Limit::kRunningADay, 0.5), std::nullopt);
  EXPECT_EQ(limits.At(Limit::kRunningADay), std::uint64_t{1'800'000'000'000});
  EXPECT_EQ(limits.Set(Limit::kCallsAUser, 0),
            "should be a whole number of calls from 1 to 100000");
  EXPECT_EQ(limits.Set(Limit::kRunningADay, 25),
            "should be a number of hours above 0 and at most 24");
  EXPECT_EQ(limits.At(Limit::kRunningADay), std::uint64_t{1'800'000'000'000}) << "as it was";
}

TEST(LimitsTest, ARefusalNamesLimitUseAndKey) {
  const Error refused = OverLimit(Limit::kCallsAUser, 64, 64, 1000);
  EXPECT_EQ(refused.code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.message, "calls in flight: 64 of 64 are active for uid 1000");
  EXPECT_EQ(refused.hint,
            "wait until some have ended; `benchctl watch` reports every change without polling; "
            "to allow more, raise `calls_a_user` in [limits] of benchd.toml");
  EXPECT_EQ(OverLimit(Limit::kCalls, 1024, 1024, std::nullopt).message,
            "calls in flight: 1024 of 1024 are active");
  EXPECT_EQ(OverLimit(Limit::kRunningADay, 5'400'000'000'001, 3'600'000'000'000, 7).message,
            "machine time: 1.6 of 1.0 hours were used in the last 24 hours for uid 7");
  for (const LimitRow& row : LimitRows()) {
    const Error error = row.scope == LimitScope::kRequest
                            ? TooLarge(row.limit, 2 * row.scale, row.scale)
                            : OverLimit(row.limit, row.scale, row.scale, {});
    EXPECT_NE(error.message.find(row.what), std::string::npos) << row.key;
    EXPECT_NE(error.hint.find("`" + std::string(row.key) + "` in [limits]"), std::string::npos);
  }
}

TEST(LimitsTest, WhatIsOverALimitNeverLooksAsIfItWereNot) {
  EXPECT_EQ(TooLarge(Limit::kBundle, 2 * kMib + 1, 2 * kMib).message,
            "bundle: 3 MiB exceeds the limit of 2 MiB");
}

TEST(LimitsTest, SomeRefusalsPassByThemselves) {
  EXPECT_TRUE(PassesSoon(Limit::kCallsASecond));
  EXPECT_TRUE(PassesSoon(Limit::kCallsAUser));
  EXPECT_FALSE(PassesSoon(Limit::kQueuedAUser));
}

}  // namespace
}  // namespace benchd
