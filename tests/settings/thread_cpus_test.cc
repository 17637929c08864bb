#include "daemon/settings/thread_cpus.h"

#include <gtest/gtest.h>

#include <string>

namespace benchd {
namespace {

TEST(ThreadTargetTest, IsANumberAndAStart) {
  const auto thread = ParseThreadTarget("4194304@18446744073709551615");
  ASSERT_TRUE(thread);
  EXPECT_EQ(thread->tid, 4194304);
  EXPECT_EQ(thread->started_ticks, 18446744073709551615U);
  for (const char* text : {"", "@", "1", "1@", "@1", "0@1", "-1@1", "01@1", "1@01", "1@1@1",
                           "4194305@1", "1@18446744073709551616", "self@1", "1/../2@1", " 1@1"}) {
    EXPECT_FALSE(ParseThreadTarget(text)) << text;
  }
}

}  // namespace
}  // namespace benchd
