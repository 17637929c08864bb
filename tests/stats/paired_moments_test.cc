#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/stats/paired.h"

namespace benchd {
namespace {

struct XAndY {
  double b;
  double c;
};

PairedMoments Take(const std::vector<XAndY>& pairs) {
  PairedMoments moments;
  for (const XAndY& pair : pairs) moments.Add(pair.b, pair.c);
  return moments;
}

// The definition, in two passes and a wider type, where deviations from `offset` are exact.
CentredMoments TwoPasses(const std::vector<XAndY>& pairs, long double offset) {
  long double sum_b = 0, sum_c = 0;
  for (const XAndY& p : pairs) {
    sum_b += p.b - offset;
    sum_c += p.c - offset;
  }
  const auto n = static_cast<long double>(pairs.size());
  const long double mean_b = sum_b / n, mean_c = sum_c / n;
  long double bb = 0, bc = 0, cc = 0, bbb = 0, bbc = 0, bcc = 0, ccc = 0;
  for (const XAndY& p : pairs) {
    const long double x = (p.b - offset) - mean_b, y = (p.c - offset) - mean_c;
    bb += x * x;
    bc += x * y;
    cc += y * y;
    bbb += x * x * x;
    bbc += x * x * y;
    bcc += x * y * y;
    ccc += y * y * y;
  }
  auto d = [](long double value) { return static_cast<double>(value); };
  return {.n = pairs.size(),
          .mean_b = d(offset + mean_b),
          .mean_c = d(offset + mean_c),
          .mean_difference = d(mean_c - mean_b),
          .s_bb = d(bb),
          .s_bc = d(bc),
          .s_cc = d(cc),
          .s_bbb = d(bbb),
          .s_bbc = d(bbc),
          .s_bcc = d(bcc),
          .s_ccc = d(ccc)};
}

void ExpectSame(const CentredMoments& a, const CentredMoments& b, double tol) {
  EXPECT_EQ(a.n, b.n);
  EXPECT_NEAR(a.mean_b, b.mean_b, tol * std::abs(b.mean_b));
  EXPECT_NEAR(a.mean_c, b.mean_c, tol * std::abs(b.mean_c));
  EXPECT_NEAR(a.mean_difference, b.mean_difference, tol * (std::abs(b.mean_difference) + 1));
  const double second = b.s_bb + b.s_cc;
  EXPECT_NEAR(a.s_bb, b.s_bb, tol * second);
  EXPECT_NEAR(a.s_bc, b.s_bc, tol * second);
  EXPECT_NEAR(a.s_cc, b.s_cc, tol * second);
  const double third = std::pow(second, 1.5);
  EXPECT_NEAR(a.s_bbb, b.s_bbb, tol * third);
  EXPECT_NEAR(a.s_bbc, b.s_bbc, tol * third);
  EXPECT_NEAR(a.s_bcc, b.s_bcc, tol * third);
  EXPECT_NEAR(a.s_ccc, b.s_ccc, tol * third);
}

TEST(PairedMomentsTest, StreamingAgreesWithTheDefinitionAlsoAtLargeOffsets) {
  for (double offset : {0.0, 10.0, 1e6, 1e9}) {
    const unsigned seed = 20260301;
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", offset " << offset);
    std::mt19937_64 random(seed);
    std::gamma_distribution<double> noise(2.0, 1.0);
    std::vector<XAndY> pairs;
    for (int i = 0; i < 500; ++i) {
      const double shared = noise(random);
      pairs.push_back({offset + shared + noise(random), offset + 2 * shared + noise(random)});
    }
    ExpectSame(Take(pairs).Centred(), TwoPasses(pairs, offset), 1e-12);
  }
}

TEST(PairedMomentsTest, ConstantArmsHaveNoSpreadAtAnyLength) {
  PairedMoments moments;
  for (int i = 0; i < 10000; ++i) moments.Add(0.1, 0.3);
  EXPECT_EQ(moments.Centred().s_bb, 0);
  EXPECT_EQ(moments.Centred().s_cc, 0);
  EXPECT_EQ(moments.Centred().mean_b, 0.1);
}

TEST(PairedMomentsTest, NoPairIsAllZero) { EXPECT_EQ(PairedMoments().Centred().mean_b, 0); }

}  // namespace
}  // namespace benchd
