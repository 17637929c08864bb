#include "core/parse/ratings.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Names = std::vector<std::string>;

void ExpectRefused(std::string_view text, const Names& wanted = {},
                   const std::string& subjects = {}) {
  const auto table = ParseRatings(text, wanted, subjects);
  ASSERT_FALSE(table) << text;
  EXPECT_EQ(table.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(RefusalOf(text, table.error()));
}

constexpr std::string_view kNamed =
    "file,anna,ben\ns1,similar,similar\ns2,similar,dissimilar\ns3,dissimilar,dissimilar\n";

TEST(RatingsTest, LeavesOutTheColumnThatNamesTheSubjects) {
  const auto table = ParseRatings(kNamed, {}, "file");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->raters, (Names{"anna", "ben"}));
  EXPECT_EQ(table->categories, (Names{"similar", "dissimilar"}));
  EXPECT_EQ(table->ratings, (std::vector<std::vector<std::uint32_t>>{{0, 0, 1}, {0, 1, 1}}));
}

TEST(RatingsTest, TakesEveryColumnWhereTheFirstOneRates) {
  const auto table = ParseRatings("a,b,c\nyes,yes,no\nno,no,no\nyes,no,yes\n", {});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->raters, (Names{"a", "b", "c"}));
}

// Three subjects in three categories: a first column of ratings that used to be dropped silently.
TEST(RatingsTest, AsksAboutAFirstColumnThatMayNameTheSubjectsOrRate) {
  constexpr std::string_view kVaried = "anna,ben,carl\nlow,low,low\nmid,mid,low\nhigh,mid,mid\n";
  ExpectRefused(kVaried);
  const auto all = ParseRatings(kVaried, {"anna", "ben", "carl"});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->raters, (Names{"anna", "ben", "carl"}));
  const auto last = ParseRatings(kVaried, {}, "carl");
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(last->raters, (Names{"anna", "ben"}));
}

TEST(RatingsTest, TakesTheColumnsThatAreWantedInTheirOrder) {
  const auto table = ParseRatings(kNamed, {"ben", "anna"});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->raters, (Names{"ben", "anna"}));
}

TEST(RatingsTest, RefusesWhatCannotBeComparedByItsPlace) {
  ExpectRefused("a,b\nx,x\nx,\n");
  ExpectRefused("a,b\nx\n");
  ExpectRefused("a,a\nx,y\n");
  ExpectRefused("a,\nx,y\n");
  ExpectRefused("a,b\n");
  ExpectRefused("file,a\ns1,x\ns2,x\n", {}, "file");
  ExpectRefused(kNamed, {}, "carl");
  ExpectRefused(kNamed, {"anna", "ben"}, "anna");
  ExpectRefused(kNamed, {"anna", "carl"});
  ExpectRefused(kNamed, {"anna", "anna"});
}

TEST(RatingsTest, RefusesAColumnOfNumbers) {
  std::string text = "a,b\n";
  for (int i = 0; i < 150; ++i) {
    text += std::to_string(i / 2) + "," + std::to_string(i + 1000) + "\n";
  }
  const auto table = ParseRatings(text, {});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(table.error());
}

}  // namespace
}  // namespace benchd
