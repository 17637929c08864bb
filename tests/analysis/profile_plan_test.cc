#include "core/analysis/profile_plan.h"

#include <gtest/gtest.h>

#include "tests/golden/golden.h"

namespace benchd {
namespace {

// Computed by tests/golden/profile.py.
TEST(ProfilePlanTest, TakesAsManyBlocksAsTheFormulaSays) {
  const nlohmann::json& file = golden::ReadFile("profile.json");
  for (const nlohmann::json& one : file.at("plans")) {
    const ProfileQuestion question{.seconds = one.at("seconds"),
                                   .frequency_hz = one.at("frequency_hz"),
                                   .change = one.at("change"),
                                   .share = one.at("share"),
                                   .alpha = one.at("alpha"),
                                   .functions = one.at("functions"),
                                   .relative_sd = one.at("relative_sd")};
    const ProfilePlan plan = PlanProfile(question, one.at("most_blocks"));
    EXPECT_EQ(plan.blocks, one.at("blocks")) << one;
    EXPECT_TRUE(golden::Close(plan.shown, one.at("shown"), file.at("rel_tol")));
    EXPECT_EQ(plan.enough, plan.shown <= question.change);
  }
}

// 1,000 samples in 1 s: sqrt(0.01 * 0.99 / 1000) = 0.3 percentage points, times sqrt(2).
TEST(ProfilePlanTest, AFunctionOfOnePerCentIsKnownToAboutAThirdOfAPoint) {
  const ProfileQuestion question{.seconds = 1, .change = 0.01, .share = 0.01};
  EXPECT_NEAR(SdOfFunction(question), 0.00445, 0.00001);
}

TEST(ProfilePlanTest, AtLeastTwoBlocksAreRun) {
  const ProfileQuestion question{.seconds = 1, .change = 10};
  EXPECT_EQ(PlanProfile(question, 0).blocks, 2U);
  EXPECT_EQ(PlanProfile(question).blocks, kFewestPlannedBlocks);
}

}  // namespace
}  // namespace benchd
