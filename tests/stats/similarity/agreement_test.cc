#include "core/stats/similarity/agreement.h"

#include <gtest/gtest.h>

#include <vector>

namespace benchd {
namespace {

// Ten subjects, 1 = dissimilar. By hand: the rater finds 3 of 4 members and rejects 5 of 6 others.
const Ratings kTruth{1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
const Ratings kRater{1, 1, 1, 0, 0, 0, 0, 0, 0, 1};

TEST(AgreementTest, CountsWhatARaterFindsOfTheTruth) {
  const auto confusion = MakeConfusionMatrix(kTruth, kRater, 2);
  ASSERT_TRUE(confusion) << confusion.error().message;
  EXPECT_EQ(confusion->counts, (std::vector<std::vector<std::uint64_t>>{{5, 1}, {1, 3}}));
  EXPECT_DOUBLE_EQ(confusion->accuracy, 0.8);
  EXPECT_DOUBLE_EQ(*confusion->scores[1].sensitivity, 3.0 / 4);
  EXPECT_DOUBLE_EQ(*confusion->scores[1].specificity, 5.0 / 6);
  // With two categories, the sensitivity of one is the specificity of the other.
  EXPECT_EQ(confusion->scores[0].sensitivity, confusion->scores[1].specificity);
  EXPECT_EQ(confusion->scores[0].specificity, confusion->scores[1].sensitivity);
}

TEST(AgreementTest, HasNoSensitivityForACategoryThatIsNeverTrue) {
  const auto confusion = MakeConfusionMatrix({0, 0}, {0, 1}, 2);
  ASSERT_TRUE(confusion);
  EXPECT_FALSE(confusion->scores[1].sensitivity);
  EXPECT_DOUBLE_EQ(*confusion->scores[1].specificity, 0.5);
  EXPECT_FALSE(confusion->scores[0].specificity);
}

TEST(AgreementTest, ComputesKappaAndTheShareOfSubjectsRatedAlike) {
  const auto agreement = AgreementOf(std::vector<Ratings>{kTruth, kRater}, 2);
  ASSERT_TRUE(agreement);
  EXPECT_DOUBLE_EQ(agreement->share, 0.8);
  // Both assign 4 of 10: chance agreement 0.6^2 + 0.4^2 = 0.52, kappa (0.8 - 0.52) / 0.48.
  EXPECT_NEAR(agreement->kappa, 0.28 / 0.48, 1e-12);
}

TEST(AgreementTest, RefusesRatersOfUnequalLength) {
  EXPECT_FALSE(AgreementOf(std::vector<Ratings>{{0, 1}}, 2));
  EXPECT_FALSE(AgreementOf(std::vector<Ratings>{{0, 1}, {0}}, 2));
  EXPECT_FALSE(AgreementOf(std::vector<Ratings>{{}, {}}, 2));
  EXPECT_FALSE(MakeConfusionMatrix({0, 2}, {0, 1}, 2));
}

}  // namespace
}  // namespace benchd
