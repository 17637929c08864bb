#include "daemon/runner/runner_config.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(UserTest, IsANumberOrANameOfThePasswordFile) {
  EXPECT_EQ(*UidOf("0"), 0U);
  EXPECT_EQ(*UidOf("65534"), 65534U);
  EXPECT_EQ(*UidOf("root"), 0U);
  const auto missing = UidOf("no-such-user-here");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace benchd
