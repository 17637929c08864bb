#include "core/stats/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace benchd {
namespace {

using Values = std::vector<double>;

Result<Histogram> Bins(const std::vector<Values>& arms, double resolution = 0,
                       std::size_t most = kMostBins) {
  const std::vector<std::span<const double>> spans(arms.begin(), arms.end());
  return CountInCommonBins(spans, resolution, most);
}

// 1..8: quartiles 2.75 and 6.25, width 2 * 3.5 / 2 = 3.5, so two bins over a range of 7.
TEST(HistogramTest, TheWidthIsThatOfFreedmanAndDiaconis) {
  const Histogram histogram = Bins({{1, 2, 3, 4, 5, 6, 7, 8}}).value();
  EXPECT_EQ(histogram.edges, (Values{1, 4.5, 8}));
  EXPECT_EQ(histogram.counts, (std::vector<std::vector<std::uint64_t>>{{4, 4}}));
}

TEST(HistogramTest, ALowerEdgeIsInsideAndTheLastBinHasBoth) {
  const Histogram histogram = Bins({{0, 0, 2, 2, 4, 4, 8, 8}}, 0, 2).value();
  EXPECT_EQ(histogram.edges, (Values{0, 4, 8}));
  EXPECT_EQ(histogram.counts[0], (std::vector<std::uint64_t>{4, 4}));
}

TEST(HistogramTest, ArmsShareTheEdgesAndKeepTheirCounts) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  Values narrow(500);
  Values wide(300);
  for (double& x : narrow) x = 5 + 0.1 * normal(random);
  for (double& x : wide) x = 5 + normal(random);
  const Histogram histogram = Bins({narrow, wide, {}}).value();
  ASSERT_EQ(histogram.counts.size(), 3U);
  const auto total = [&histogram](std::size_t arm) {
    const auto& counts = histogram.counts[arm];
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  EXPECT_EQ(total(0), 500U) << "seed 11";
  EXPECT_EQ(total(1), 300U);
  EXPECT_EQ(total(2), 0U);
  EXPECT_LT(histogram.edges[1] - histogram.edges[0], 0.1);  // as the narrow arm requires
}

TEST(HistogramTest, AnOutlierDoesNotMakeAThousandBins) {
  Values values;
  for (int i = 0; i < 100; ++i) values.push_back(1 + 0.01 * i);
  values.push_back(1e6);
  EXPECT_EQ(Bins({values})->edges.size(), kMostBins + 1);
}

TEST(HistogramTest, BinsAreNoNarrowerThanTheResolution) {
  Values ticks;
  for (int i = 0; i < 1000; ++i) ticks.push_back(20 + i % 5);
  EXPECT_GT(Bins({ticks})->edges.size(), 5U);
  EXPECT_EQ(Bins({ticks}, 1)->edges, (Values{20, 21, 22, 23, 24}));
}

TEST(HistogramTest, EqualValuesHaveOneBin) {
  const Histogram histogram = Bins({Values(9, 4.0), Values(3, 4.0)}).value();
  EXPECT_EQ(histogram.edges, (Values{4, 4}));
  EXPECT_EQ(histogram.counts, (std::vector<std::vector<std::uint64_t>>{{9}, {3}}));
}

// Sturges: 1 + log2 16 = 5 bins.
TEST(HistogramTest, WithoutAQuartileRangeTheNumberOfValuesDecides) {
  Values values(15, 1.0);
  values.push_back(2);
  EXPECT_EQ(Bins({values})->edges.size(), 6U);
}

TEST(HistogramTest, EdgesAscendEvenWhereDoublesAreCoarse) {
  Values values;
  for (int i = 0; i < 1000; ++i) values.push_back(1e16 + 2 * (i % 7));
  const Histogram histogram = Bins({values}).value();
  for (std::size_t i = 1; i < histogram.edges.size(); ++i) {
    EXPECT_LT(histogram.edges[i - 1], histogram.edges[i]);
  }
}

TEST(HistogramTest, RefusesWhatHasNoBins) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(Bins({}));
  EXPECT_FALSE(Bins({{}, {}}));
  EXPECT_FALSE(Bins({{1, infinity}}));
  EXPECT_FALSE(Bins({{-1.5e308, 1.5e308}}));
  EXPECT_FALSE(Bins({{1, 2}}, 0, 0));
}

}  // namespace
}  // namespace benchd
