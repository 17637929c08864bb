#include "core/model/limits.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/wording.h"

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
  const auto no_calls = limits.Set(Limit::kCallsAUser, 0);
  ASSERT_TRUE(no_calls);
  EXPECT_WORDING("0 calls => " + *no_calls);
  const auto many_hours = limits.Set(Limit::kRunningADay, 25);
  ASSERT_TRUE(many_hours);
  EXPECT_WORDING("25 hours => " + *many_hours);
  EXPECT_EQ(limits.At(Limit::kRunningADay), std::uint64_t{1'800'000'000'000}) << "as it was";
}

TEST(LimitsTest, ARefusalNamesLimitUseAndKey) {
  const Error refused = OverLimit(Limit::kCallsAUser, 64, 64, 1000);
  EXPECT_EQ(refused.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(refused);
  EXPECT_WORDING(OverLimit(Limit::kCalls, 1024, 1024, std::nullopt));
  EXPECT_WORDING(OverLimit(Limit::kRunningADay, 5'400'000'000'001, 3'600'000'000'000, 7));
  for (const LimitRow& row : LimitRows()) {
    const Error error = row.scope == LimitScope::kRequest
                            ? TooLarge(row.limit, 2 * row.scale, row.scale)
                            : OverLimit(row.limit, row.scale, row.scale, {});
    EXPECT_NE(error.message.find(row.what), std::string::npos) << row.key;
    EXPECT_NE(error.hint.find("`" + std::string(row.key) + "` in [limits]"), std::string::npos);
  }
}

TEST(LimitsTest, WhatIsOverALimitNeverLooksAsIfItWereNot) {
  const Error refused = TooLarge(Limit::kBundle, 2 * kMib + 1, 2 * kMib);
  EXPECT_EQ(refused.code, ErrorCode::kResourceExhausted);
  EXPECT_NE(refused.message.find("3 MiB"), std::string::npos) << refused.message;
  EXPECT_WORDING(refused);
}

TEST(LimitsTest, SomeRefusalsPassByThemselves) {
  EXPECT_TRUE(PassesSoon(Limit::kCallsASecond));
  EXPECT_TRUE(PassesSoon(Limit::kCallsAUser));
  EXPECT_FALSE(PassesSoon(Limit::kQueuedAUser));
}

}  // namespace
}  // namespace benchd
