#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/analysis/table_figures.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

std::optional<ValueEnds> RangeOfBoth(const Values& a, const Values& b = {}) {
  const std::vector<std::span<const double>> arms = {a, b};
  return UsualRange(arms);
}

// Quartiles 11.75 and 15.25 (type 7): four times 3.5 beyond them gives -2.25 and 29.25.
TEST(DistributionsTest, OneRunFarOutDoesNotTakeTheRoomOfTheOthers) {
  const Values values = {10, 11, 12, 13, 14, 15, 16, 1000};
  EXPECT_EQ(RangeOfBoth(values), (ValueEnds{10, 29.25}));
  EXPECT_EQ(RangeOfBoth(values, {40}), (ValueEnds{10, 40})) << "each arm has a range of its own";
  EXPECT_EQ(RangeOfBoth({5, 5, 5, 5, 5, 7}), (ValueEnds{5, 7})) << "equal quartiles exclude none";
  EXPECT_FALSE(RangeOfBoth({}));
}

TEST(DistributionsTest, EveryValueIsInABinOrCountedBeyond) {
  Values far;
  for (int i = 0; i < 200; ++i) far.push_back(10 + 0.01 * (i * 37 % 101));
  far.push_back(500);
  const Values near(far.begin(), far.begin() + 50);
  const std::vector<std::span<const double>> arms = {far, near};
  const auto all = DistributeValues(arms, 0);
  ASSERT_TRUE(all) << all.error().message;
  const auto counted = [&all](std::size_t arm) {
    const auto& counts = all->arms[arm].counts;
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  EXPECT_EQ(all->arms[0].above, 1U);
  EXPECT_EQ(counted(0), 200U);
  EXPECT_EQ(counted(1), 50U);
  EXPECT_EQ(all->arms[1].n, 50U);
  // Bars and curve have the same area: that of the displayed values.
  double bars = 0;
  for (std::size_t bin = 0; bin + 1 < all->edges.size(); ++bin) {
    bars += all->Height(1, bin) * (all->edges[bin + 1] - all->edges[bin]);
  }
  EXPECT_NEAR(bars, 1, 1e-12);
  const ArmDistribution& curve = all->arms[1];
  double area = 0;
  for (const double density : curve.density) area += density * (curve.x[1] - curve.x[0]);
  // Minus the part of kernels at the ends that lies beyond the bins: for evenly spread values 0.4
  // bandwidths on either side, each 0.12 of the range here.
  EXPECT_NEAR(area, 1 - 2 * 0.4 * 0.12, 0.03);
}

TEST(DistributionsTest, StepsHaveNoCurve) {
  const Values steps = {1, 2, 1, 2, 1, 1, 2, 2};
  const std::vector<std::span<const double>> arms = {steps};
  EXPECT_TRUE(DistributeValues(arms, 1)->arms[0].density.empty());
  EXPECT_FALSE(DistributeValues(arms, 0)->arms[0].density.empty());
}

}  // namespace
}  // namespace benchd
