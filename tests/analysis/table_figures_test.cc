#include "core/analysis/table_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "tests/analysis/session_builder.h"
#include "tests/analysis/table_text.h"
#include "tests/analysis/warning_text.h"
#include "tests/golden/golden.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Json = nlohmann::json;

Json CbdrCase(const std::string& id) {
  const Json& file = golden::ReadFile("cbdr.json");
  for (const Json& one : file.at("cases")) {
    if (one.at("id") == id) return one;
  }
  ADD_FAILURE() << id;
  return {};
}

TableOptions Classic(double alpha, const std::string& base) {
  TableOptions options;
  options.references = {base};
  options.classic_interval = true;
  options.spec.alpha = alpha;
  return options;
}

// METHOD.md prints -5.8 % .. +14.6 % for its seven rows at 99.9 %.
TEST(TableFiguresTest, TheSevenRowsGiveThePrintedInterval) {
  for (const char* id : {"method_md_clean", "method_md_verbatim_spaces"}) {
    const auto result = Analyze(CbdrCase(id).at("csv").get<std::string>(), Classic(0.001, "base"));
    ASSERT_TRUE(result) << result.error().message;
    const Comparison& one = Find(result->report, "wall_time", "feature");
    EXPECT_EQ(one.method, Method::kFixed);
    EXPECT_EQ(one.reference, "base");
    EXPECT_EQ(one.confidence, 0.999);
    ASSERT_TRUE(one.change && one.change->lo && one.change->hi);
    EXPECT_EQ(std::round(1000 * *one.change->lo), -58);
    EXPECT_EQ(std::round(1000 * *one.change->hi), 146);
    EXPECT_FALSE(result->decided_at);
  }
}

void ExpectLikeCbdr(const Json& expected, const Report& report) {
  SCOPED_TRACE(expected.dump());
  const auto found =
      std::find_if(report.comparisons.begin(), report.comparisons.end(), [&](const Comparison& c) {
        return c.metric == expected["metric"].get<std::string>() &&
               c.reference == expected["frm"].get<std::string>() &&
               c.candidate == expected["to"].get<std::string>();
      });
  // cbdr also compares adjacent arms of a list; benchd compares with references.
  if (found == report.comparisons.end()) return;
  if (expected["status"] == "NotEnoughData") {
    EXPECT_FALSE(found->change);
    return;
  }
  ASSERT_TRUE(found->change && found->change->lo && found->difference);
  if (expected["status"] != "ok") return;
  const double lo = expected["lo_pct"];
  const double hi = expected["hi_pct"];
  EXPECT_TRUE(golden::Close(100 * *found->change->lo, std::min(lo, hi), 1e-7));
  EXPECT_TRUE(golden::Close(100 * *found->change->hi, std::max(lo, hi), 1e-7));
  EXPECT_TRUE(golden::Close(found->difference->estimate, expected["center"], 1e-9));
}

TEST(TableFiguresTest, TheClassicIntervalIsCbdrs) {
  int compared = 0;
  const Json& file = golden::ReadFile("cbdr.json");
  for (const Json& one : file["cases"]) {
    if (!one.contains("exact")) continue;
    SCOPED_TRACE(one.at("id"));
    const TableOptions options = Classic(1 - one["options"].value("significance", 99.9) / 100,
                                         one["exact"][0]["frm"].get<std::string>());
    const auto result = Analyze(one["csv"].get<std::string>(), options);
    ASSERT_TRUE(result) << result.error().message;
    for (const Json& expected : one["exact"]) {
      ExpectLikeCbdr(expected, result->report);
      ++compared;
    }
  }
  EXPECT_GT(compared, 10);
}

TEST(TableFiguresTest, SaysWhereThereIsNoClassicInterval) {
  const auto result =
      Analyze(CbdrCase("single_sample").at("csv").get<std::string>(), Classic(0.01, "a"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_WORDING(WarningText(result->report.warnings, "no_classic_interval"));
}

TEST(TableFiguresTest, AOneSidedClassicIntervalHasItsLevelOnEachSide) {
  const std::string text = CbdrCase("welch_textbook_95").at("csv");
  TableOptions one_sided = Classic(0.025, "x");
  one_sided.spec.sided = Sided::kOne;
  const auto one = Analyze(text, one_sided);
  const auto two = Analyze(text, Classic(0.05, "x"));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->report.comparisons[0].change, two->report.comparisons[0].change);
  EXPECT_EQ(one->report.comparisons[0].confidence, 0.975);
}

const ArmSummary& SummaryOf(const TableReport& report, std::string_view metric,
                            std::string_view arm) {
  static const ArmSummary none;
  for (const ArmSummary& one : report.summaries) {
    if (one.metric == metric && one.arm == arm) return one;
  }
  ADD_FAILURE() << metric << " of " << arm;
  return none;
}

TableOptions Summarized() {
  TableOptions options = AgainstA();
  options.summaries = true;
  options.columns = {{"ops", "1/s", Better::kHigher, std::nullopt}};
  return options;
}

// By hand: 1 2 3 4 has quartiles (type 7) 1.75, 2.5, 3.25 and variance 5/3; of 1 2 4 the harmonic
// mean is 3/(1 + 1/2 + 1/4) = 12/7.
TEST(TableFiguresTest, SummarisesEachArmInEachMetric) {
  const auto result = Analyze(
      "arm,t,ops\na,1,1\nb,10,1\na,2,2\nb,11,1\na,3,4\nb,12,1\na,4,\nb,10,2\n", Summarized());
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->summaries.size(), 4U);
  const ArmSummary& time = SummaryOf(*result, "t", "a");
  EXPECT_EQ(time.benchmark, "main");
  EXPECT_EQ(time.n, 4U);
  EXPECT_EQ(time.min, 1);
  EXPECT_EQ(time.max, 4);
  EXPECT_EQ(time.lower_quartile, 1.75);
  EXPECT_EQ(time.median, 2.5);
  EXPECT_EQ(time.upper_quartile, 3.25);
  EXPECT_EQ(time.mean, 2.5);
  EXPECT_NEAR(time.standard_deviation.value(), std::sqrt(5.0 / 3), 1e-15);
  EXPECT_NEAR(time.variation.value(), std::sqrt(5.0 / 3) / 2.5, 1e-15);
  EXPECT_EQ(time.best_mean, 2) << "of the best 3: 95 % of 4, rounded down";
  EXPECT_FALSE(time.better);
  const ArmSummary& rate = SummaryOf(*result, "ops", "a");
  EXPECT_EQ(rate.n, 3U);
  EXPECT_EQ(rate.unit, "1/s");
  EXPECT_EQ(rate.better, Better::kHigher);
  EXPECT_NEAR(rate.mean.value(), 12.0 / 7, 1e-15);
}

TEST(TableFiguresTest, StarsCandidatesAgainstEachReference) {
  std::string text = "arm,t\n";
  for (int i = 0; i < 10; ++i) {
    const std::string wobble = std::to_string(i % 3) + "\n";
    text += "a,10." + wobble + "b,10." + wobble + "c,20." + wobble + "d,10." + wobble;
  }
  TableOptions options = Summarized();
  options.columns.clear();
  options.references = {"a", "b"};
  for (const bool mmtests : {false, true}) {
    options.mmtests_stars = mmtests;
    const auto result = Analyze(text, options);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(SummaryOf(*result, "t", "c").starred, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(SummaryOf(*result, "t", "d").starred.empty());
    EXPECT_TRUE(SummaryOf(*result, "t", "b").starred.empty()) << "a reference";
  }
}

TEST(TableFiguresTest, TheRulesOfTheStarsDiffer) {
  // Means 10.1 and 10.3, sd 0.09 each: 40 values differ by Welch's test (t = 10), but the bands of
  // 1.96 sd overlap by half.
  std::string text = "arm,t\n";
  for (int i = 0; i < 40; ++i) {
    text += "a,10." + std::to_string(i % 3) + "\nb,10." + std::to_string(2 + i % 3) + "\n";
  }
  TableOptions options = AgainstA();
  options.summaries = true;
  EXPECT_EQ(SummaryOf(*Analyze(text, options), "t", "b").starred.size(), 1U);
  options.mmtests_stars = true;
  EXPECT_TRUE(SummaryOf(*Analyze(text, options), "t", "b").starred.empty());
}

TEST(TableFiguresTest, CountsTheArmsInCommonBins) {
  std::string text = "arm,pair,t\n";
  for (int i = 0; i < 1000; ++i) {
    const std::string pair = std::to_string(i);
    text += "a," + pair + "," + std::to_string(i % 100) + "\nb," + pair + "," +
            std::to_string(50 + i % 100) + "\n";
  }
  TableOptions options = AgainstA();
  options.histograms = true;
  const auto result = Analyze(text, options);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->histograms.size(), 2U);
  const ArmHistogram& a = result->histograms[0];
  EXPECT_EQ(a.arm, "a");
  EXPECT_EQ(a.benchmark, "main");
  EXPECT_EQ(a.metric, "t");
  EXPECT_EQ(a.edges, result->histograms[1].edges);
  EXPECT_EQ(a.edges.size(), a.counts.size() + 1);
  EXPECT_LE(a.counts.size(), kMostTableBins);
  EXPECT_EQ(a.edges.front(), 0);
  EXPECT_EQ(a.edges.back(), 149);
  EXPECT_EQ(a.counts.back(), 0U) << "a ends at 99";
  std::uint64_t sum = 0;
  for (const std::uint64_t count : a.counts) sum += count;
  EXPECT_EQ(sum, 1000U);
}

}  // namespace
}  // namespace benchd
