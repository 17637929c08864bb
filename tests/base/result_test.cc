#include "core/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <set>
#include <string>

#include "tests/support/wording.h"

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

TEST(InvalidArgumentTest, NamesTheFieldFirst) {
  const Error error = InvalidArgument("margin", "'abc' is no percentage", "write 2%");
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message, "margin: 'abc' is no percentage");
  EXPECT_EQ(error.hint, "write 2%");
}

TEST(SystemErrorTest, ChoosesTheCodeFromErrno) {
  EXPECT_EQ(SystemError("open /x", ENOENT).code, ErrorCode::kNotFound);
  EXPECT_EQ(SystemError("open /x", EACCES).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(SystemError("write", ENOSPC).code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(SystemError("connect", ECONNREFUSED).code, ErrorCode::kUnavailable);
  EXPECT_EQ(SystemError("ioctl", EIO).code, ErrorCode::kInternal);
  EXPECT_WORDING(SystemError("open /x", ENOENT));
}

TEST(ErrorCodeNameTest, GivesEveryCodeItsOwnName) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    names.emplace(NameOf(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::kInternal) + 1);
}

}  // namespace
}  // namespace benchd
