#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/stats/similarity/agreement.h"
#include "tests/golden/golden.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Table = std::vector<std::vector<std::uint32_t>>;

// A plain table, or [count, row] pairs.
Table TableOf(const nlohmann::json& one) {
  if (one.contains("table")) return one["table"].get<Table>();
  Table table;
  for (const auto& repeated : one["table_rle"]) {
    table.insert(table.end(), repeated[0].get<std::size_t>(),
                 repeated[1].get<std::vector<std::uint32_t>>());
  }
  return table;
}

// tests/golden/similarity.json, including Fleiss' own example of 1971 (kappa 0.430).
TEST(FleissKappaTest, MatchesTheReference) {
  const nlohmann::json& file = golden::ReadFile("similarity.json");
  ASSERT_EQ(file.at("fleiss").size(), 6U);
  for (const auto& one : file["fleiss"]) {
    SCOPED_TRACE(one.at("name"));
    const auto kappa = FleissKappa(TableOf(one));
    ASSERT_TRUE(kappa) << kappa.error().message;
    EXPECT_NEAR(*kappa, one["kappa"].get<double>(), 1e-9);
    EXPECT_EQ(KappaBand(*kappa), one["band"].get<std::string>());
  }
}

TEST(FleissKappaTest, MatchesEveryBand) {
  const nlohmann::json& file = golden::ReadFile("similarity.json");
  ASSERT_EQ(file.at("bands").size(), 14U);
  for (const auto& one : file["bands"]) {
    EXPECT_EQ(KappaBand(one["kappa"].get<double>()), one["band"].get<std::string>()) << one;
  }
}

TEST(FleissKappaTest, RefusesWhatIsNoTable) {
  EXPECT_FALSE(FleissKappa({}));
  EXPECT_FALSE(FleissKappa(Table{{1, 0}, {0, 1}}));
  const auto uneven = FleissKappa(Table{{2, 0}, {2, 0}, {2, 1}});
  ASSERT_FALSE(uneven);
  EXPECT_EQ(uneven.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(uneven.error().message.starts_with("subject 3: ")) << uneven.error().message;
  EXPECT_WORDING(uneven.error());
  EXPECT_FALSE(FleissKappa(Table{{2, 0}, {2}}));
}

}  // namespace
}  // namespace benchd
