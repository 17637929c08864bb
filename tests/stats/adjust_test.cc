#include <gtest/gtest.h>

#include "core/stats/decision.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

TEST(HolmAdjustTest, MatchesTheReference) {
  for (const auto& one : golden::Cases("p_adjust")) {
    SCOPED_TRACE(one.at("id"));
    const auto p = one["input"]["p"].get<std::vector<double>>();
    const std::vector<double> adjusted = HolmAdjust(p);
    ASSERT_EQ(adjusted.size(), p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_TRUE(golden::Close(adjusted[i], one["expected"]["holm"][i], one["rel_tol"]));
    }
  }
}

TEST(HolmAdjustTest, NothingStaysNothing) { EXPECT_TRUE(HolmAdjust({}).empty()); }

}  // namespace
}  // namespace benchd
