#include "daemon/kernel/meminfo.h"

#include <gtest/gtest.h>

#include "tests/kernel/kernel_tree.h"

namespace benchd {
namespace {

class MemoryInfoTest : public testing::Test {
 protected:
  MemoryInfo Read() const { return ReadMemoryInfo(KernelFiles(tree_.root())); }

  KernelTree tree_;
};

TEST_F(MemoryInfoTest, ReadsTheSizes) {
  tree_.Put("proc/meminfo",
            "MemTotal:       16318564 kB\nMemFree:         1000 kB\n"
            "SwapTotal:       2097148 kB\nSwapFree:        2097000 kB");
  const MemoryInfo memory = Read();
  EXPECT_EQ(memory.total_kib, 16'318'564U);
  EXPECT_EQ(memory.swap_total_kib, 2'097'148U);
  EXPECT_EQ(memory.swap_free_kib, 2'097'000U);
}

TEST_F(MemoryInfoTest, SizesThatAreMissingOrMalformedAreEmpty) {
  EXPECT_FALSE(Read().total_kib);
  tree_.Put("proc/meminfo", "MemTotal: much\nSwapTotal: 0 kB");
  EXPECT_FALSE(Read().total_kib);
  EXPECT_EQ(Read().swap_total_kib, 0U);
  EXPECT_FALSE(Read().swap_free_kib);
}

}  // namespace
}  // namespace benchd
