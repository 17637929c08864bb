#include "daemon/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>

namespace benchd {
namespace {

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
  EXPECT_EQ(SystemError("open /x", ENOENT).message, "open /x: No such file or directory");
}

TEST(ErrorCodeNameTest, GivesEveryCodeItsOwnName) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    names.emplace(ErrorCodeName(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::kInternal) + 1);
}

}  // namespace
}  // namespace benchd
