#include "core/base/try.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace benchd {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Error{ErrorCode::kInvalidArgument, "odd", {}};
  return number / 2;
}

Result<void> CheckEven(int number) {
  TRY_VOID(Half(number));
  return {};
}

Result<std::string> Quarter(int number) {
  TRY(const int half, Half(number));
  TRY(const int quarter, Half(half));
  return std::to_string(quarter);
}

Result<std::pair<int, int>> PairOf(int first, int second) { return std::pair(first, second); }

TEST(Try, YieldsTheValue) { EXPECT_EQ(Quarter(12).value(), "3"); }

TEST(Try, ReturnsTheErrorOfTheStepThatFailed) {
  EXPECT_EQ(Quarter(6).error().message, "odd");
  EXPECT_EQ(CheckEven(3).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(CheckEven(4));
}

TEST(Try, TakesAnExpressionWithCommas) {
  const auto sum = []() -> Result<int> {
    TRY(auto pair, PairOf(1, 2));
    return pair.first + pair.second;
  };
  EXPECT_EQ(sum().value(), 3);
}

TEST(Try, MovesTheValue) {
  const auto take = []() -> Result<int> {
    TRY(const std::unique_ptr<int> owned, Result(std::make_unique<int>(7)));
    return *owned;
  };
  EXPECT_EQ(take().value(), 7);
}

TEST(Try, VoidIsOneStatement) {
  const auto check = [](bool wanted) -> Result<void> {
    if (wanted)
      TRY_VOID(Half(1));
    else
      return Error{ErrorCode::kInternal, "the other branch", {}};
    return {};
  };
  EXPECT_EQ(check(true).error().message, "odd");
}

}  // namespace
}  // namespace benchd
