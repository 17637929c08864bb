#include "core/model/log_warnings.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(LogWarningsTest, ReadsBackWhatWasWrittenAmongOtherLines) {
  const Warning pointers = MakeWarning("lfs_pointers", "1 file of abc is an LFS pointer: big.bin");
  const Warning empty = MakeWarning("empty_submodules", "1 submodule of abc is empty, lib");
  const std::string log = "== build\nwarning: unused variable\n" + LogWarningLine(pointers) +
                          "cc: benchd-warning lfs_pointers: not at the beginning\n" +
                          LogWarningLine(empty) + LogWarningLine(pointers) +
                          "benchd-warning placebo: not for a build to say\n"
                          "benchd-warning lfs_pointers\nend";
  EXPECT_EQ(WarningsInLog(log), (std::vector<Warning>{pointers, empty}));
  EXPECT_EQ(pointers.severity, Severity::kCaution);
  EXPECT_TRUE(WarningsInLog("").empty());
}

TEST(LogWarningsTest, StaysALineAndSmallWhateverIsInIt) {
  EXPECT_EQ(LogWarningLine(MakeWarning("lfs_pointers", "a\nb\x1b[c")),
            "benchd-warning lfs_pointers: a b [c\n");
  std::string log;
  for (int i = 0; i < 1000; ++i) {
    log += LogWarningLine(
        MakeWarning("lfs_pointers", std::to_string(i) + std::string(10'000, 'x') + "\xff"));
  }
  const auto found = WarningsInLog(log);
  ASSERT_EQ(found.size(), 20U);
  EXPECT_EQ(found.back().message.size(), 500U);
}

}  // namespace
}  // namespace benchd
