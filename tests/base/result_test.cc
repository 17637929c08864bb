#include "daemon/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace benchd {
namespace {

TEST(ResultTest, HoldsAValue) {
  const Result<int> result = 7;
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(*result, 7);
  EXPECT_EQ(result.value_or(1), 7);
}

TEST(ResultTest, HoldsAnErrorInTheValuesPlace) {
  const Result<int> result = Error{ErrorCode::kNotFound, "session: no such id", ""};
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(result.value_or(1), 1);
}

TEST(ResultTest, MovesAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> moved = std::move(result).value();
  EXPECT_EQ(*moved, 3);
}

TEST(ResultTest, SucceedsWithoutAValue) {
  const Result<void> success = {};
  EXPECT_TRUE(success);
  const Result<void> failure = Error{ErrorCode::kInternal, "x", ""};
  EXPECT_FALSE(failure);
}

TEST(ErrorTest, ChainsTheStepThatFailed) {
  const Error error =
      Error{ErrorCode::kInternal, "disk is full", "free some space"}.Within("storing");
  EXPECT_EQ(error.message, "storing: disk is full");
  EXPECT_EQ(error.hint, "free some space");
}

}  // namespace
}  // namespace benchd
