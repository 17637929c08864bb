#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/stats/descriptive.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

TEST(TukeyFencesTest, MatchTheReference) {
  for (const auto& one : golden::Cases("diagnostics")) {
    for (const char* arm : {"base", "candidate"}) {
      SCOPED_TRACE(one["id"].get<std::string>() + " " + arm);
      const auto& expected = one["expected"][arm];
      const TukeyFences fences = FindOutliers(one["input"][arm].get<Values>()).value();
      const double tol = one["rel_tol"];
      EXPECT_TRUE(golden::Close(fences.lower_quartile, expected["tukey_q1"], tol));
      EXPECT_TRUE(golden::Close(fences.upper_quartile, expected["tukey_q3"], tol));
      EXPECT_TRUE(golden::Close(fences.low, expected["tukey_fence_low"], tol));
      EXPECT_TRUE(golden::Close(fences.high, expected["tukey_fence_high"], tol));
      EXPECT_EQ(fences.below, expected["tukey_low"]);
      EXPECT_EQ(fences.above, expected["tukey_high"]);
    }
  }
}

// Quartiles 1 and 3, so the fences are at -2 and 6.
TEST(TukeyFencesTest, AFenceItselfIsInside) {
  const TukeyFences at = FindOutliers(Values{1, 1, 2, 3, 6}).value();
  EXPECT_EQ(at.high, 6);
  EXPECT_FALSE(at.AnyOutside());
  EXPECT_EQ(FindOutliers(Values{1, 1, 2, 3, 6.5})->above, 1U);
}

TEST(TukeyFencesTest, RefusesWhatHasNoQuartiles) {
  EXPECT_FALSE(FindOutliers(Values{}));
  EXPECT_FALSE(FindOutliers(Values{1, std::numeric_limits<double>::quiet_NaN()}));
}

}  // namespace
}  // namespace benchd
