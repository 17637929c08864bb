#include <gtest/gtest.h>

#include <random>

#include "core/base/cpu_list.h"
#include "daemon/settings/setting.h"
#include "tests/support/seed.h"

namespace benchd {
namespace {

using Cpus = std::vector<int>;

TEST(CpuMaskTest, ReadsGroupsOfThirtyTwoCpus) {
  EXPECT_EQ(*ParseCpuMask("f"), (Cpus{0, 1, 2, 3}));
  EXPECT_EQ(*ParseCpuMask("00000005"), (Cpus{0, 2}));
  EXPECT_EQ(*ParseCpuMask("1,80000000"), (Cpus{31, 32}));
  EXPECT_EQ(*ParseCpuMask("0"), Cpus{});
  // A kernel built for more CPUs than are supported here, none of which is set.
  std::string wide = "3";
  for (int group = 0; group < 100; ++group) wide.insert(0, "00000000,");
  EXPECT_EQ(*ParseCpuMask(wide), (Cpus{0, 1}));
}

TEST(CpuMaskTest, RefusesWhatTheKernelDoesNotWrite) {
  std::string too_high = "1";
  for (int group = 0; group < kMaxCpus / 32; ++group) too_high += ",00000000";
  for (const std::string& text :
       {std::string(), std::string("0x3"), std::string("g"), std::string("1,"), std::string(",1"),
        std::string("-1"), std::string("1 2"), std::string("100000000"), too_high}) {
    EXPECT_FALSE(ParseCpuMask(text)) << text;
  }
}

TEST(CpuMaskTest, WritesWithoutLeadingZeros) {
  EXPECT_EQ(FormatCpuMask({0, 1}), "3");
  EXPECT_EQ(FormatCpuMask({32}), "1,00000000");
  EXPECT_EQ(FormatCpuMask({4, 35, 64}), "1,00000008,00000010");
  EXPECT_EQ(FormatCpuMask({}), "0");
}

TEST(CpuMaskTest, ReadingWhatWasWrittenGivesTheSame) {
  const auto seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    Cpus cpus;
    const auto end = random() % kMaxCpus;
    for (unsigned cpu = 0; cpu < end; ++cpu) {
      if (random() % 3 == 0) cpus.push_back(static_cast<int>(cpu));
    }
    EXPECT_EQ(*ParseCpuMask(FormatCpuMask(cpus)), cpus);
  }
}

}  // namespace
}  // namespace benchd
