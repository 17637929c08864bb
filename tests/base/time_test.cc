#include "core/base/time.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(FormatRfc3339Test, PrintsUtcWithNanoseconds) {
  // 1,000,000,000 s after 1970 is 2001-09-09T01:46:40Z.
  const Timestamp time{std::chrono::seconds(1'000'000'000) + Nanoseconds(42)};
  EXPECT_EQ(FormatRfc3339(time), "2001-09-09T01:46:40.000000042Z");
}

TEST(FormatRfc3339Test, PrintsTheFractionOfAMomentBefore1970) {
  EXPECT_EQ(FormatRfc3339(Timestamp{Nanoseconds(-1)}), "1969-12-31T23:59:59.999999999Z");
}

}  // namespace
}  // namespace benchd
