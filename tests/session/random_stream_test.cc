#include <gtest/gtest.h>

#include <array>

#include "daemon/session/schedule.h"

namespace benchd {
namespace {

TEST(RandomStreamTest, RepeatsItselfForTheSameSeedAndStream) {
  RandomStream one(42, 7);
  RandomStream two(42, 7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.Next(), two.Next());
}

TEST(RandomStreamTest, DiffersBetweenNeighbouringSeedsAndStreams) {
  EXPECT_NE(RandomStream(42, 7).Next(), RandomStream(43, 7).Next());
  EXPECT_NE(RandomStream(42, 7).Next(), RandomStream(42, 8).Next());
}

TEST(RandomStreamTest, DrawsEachOfSixValuesAboutEquallyOften) {
  // 60,000 draws: each count is 10,000 with sd 91; the band is 5 sd. The seed is fixed.
  RandomStream random(1, 1);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60'000; ++i) ++counts.at(random.Below(6));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 456);
}

TEST(RandomStreamTest, StaysBelowAHugeBound) {
  RandomStream random(3, 3);
  const std::uint64_t bound = (std::uint64_t{1} << 63U) + 1;
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.Below(bound), bound);
}

}  // namespace
}  // namespace benchd
