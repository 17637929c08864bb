#include "core/base/cpu_list.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/seed.h"

namespace benchd {
namespace {

using Cpus = std::vector<int>;

TEST(CpuListTest, ReadsSingleCpusAndRanges) {
  EXPECT_EQ(*ParseCpuList("0-3,7"), (Cpus{0, 1, 2, 3, 7}));
  EXPECT_EQ(*ParseCpuList("5"), (Cpus{5}));
  EXPECT_EQ(*ParseCpuList(" 1,0\n"), (Cpus{0, 1}));
  EXPECT_EQ(*ParseCpuList("2-4,3-5"), (Cpus{2, 3, 4, 5}));
  EXPECT_EQ(*ParseCpuList(""), Cpus{});
  EXPECT_EQ(*ParseCpuList("\n"), Cpus{});
}

TEST(CpuListTest, RefusesWhatTheKernelDoesNotWrite) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,,2", "1,", ",1", "1 2", "1024", "0-1024",
                           "1--2", "+1", "99999999999", "1-2-3"}) {
    const auto cpus = ParseCpuList(text);
    ASSERT_FALSE(cpus) << text;
    EXPECT_EQ(cpus.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(CpuListTest, WritesRangesShort) {
  EXPECT_EQ(FormatCpuList({0, 1, 2, 3, 7}), "0-3,7");
  EXPECT_EQ(FormatCpuList({0, 1}), "0-1");
  EXPECT_EQ(FormatCpuList({1, 3, 5}), "1,3,5");
  EXPECT_EQ(FormatCpuList({}), "");
}

TEST(CpuListTest, ReadingWhatWasWrittenGivesTheSame) {
  const auto seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    Cpus cpus;
    for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
      if (random() % 3 == 0) cpus.push_back(cpu);
    }
    EXPECT_EQ(*ParseCpuList(FormatCpuList(cpus)), cpus);
  }
}

TEST(CpuListTest, TakesListsApart) {
  EXPECT_EQ(CpusWithout({0, 1, 2, 3}, {1, 3, 9}), (Cpus{0, 2}));
  EXPECT_EQ(CpusInBoth({0, 1, 2}, {2, 3}), (Cpus{2}));
}

}  // namespace
}  // namespace benchd
