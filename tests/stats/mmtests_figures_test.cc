#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/stats/mmtests.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Json = nlohmann::json;
using Values = std::vector<double>;

constexpr double kTolerance = 1e-12;     // meta.rel_tol.mean_sd of the file
constexpr double kBandTolerance = 1e-6;  // meta.rel_tol.ci: mmtests reads R's seven digits

const Json& File() {
  static const Json& file = golden::ReadFile("mmtests.json");
  return file;
}

// Values that mmtests prints as it read them are strings.
double Number(const Json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

BestEnd BestOf(const std::string& preferred) {
  return preferred == "Higher" ? BestEnd::kHighest : BestEnd::kLowest;
}

void ExpectFigure(const std::optional<double>& ours, const Json& theirs, double factor = 1) {
  ASSERT_EQ(ours.has_value(), theirs.is_number()) << theirs;
  if (ours) {
    EXPECT_TRUE(golden::Close(factor * *ours, theirs, kTolerance));
  }
}

TEST(MmtestsFiguresTest, FiguresMatchMmtests) {
  for (const auto& one : File()["summary"]) {
    SCOPED_TRACE(one.at("id"));
    const auto& theirs = one["mmtests"];
    const auto figures = FiguresOf(one["input"].get<Values>(), BestOf(one["preferred"]));
    ASSERT_TRUE(figures) << figures.error().message;
    EXPECT_EQ(figures->min, theirs["min"]["value"]);
    EXPECT_EQ(figures->max, theirs["max"]["value"]);
    ExpectFigure(figures->mean, theirs["_mean"]["value"]);
    ExpectFigure(figures->standard_deviation, theirs["stddev-_mean"]["value"]);
    ExpectFigure(figures->best_mean, theirs["_mean-95"]["value"]);
    if (figures->variation) {
      ExpectFigure(figures->variation, theirs["coeffvar-_mean"]["value"], 100);
    } else {
      EXPECT_EQ(theirs["coeffvar-_mean"]["value"], 0);  // absent, where mmtests prints 0
    }
  }
}

// The band is mean -/+ 1.96 standard deviations, so the distance from a constant 0 is the mean over
// half a band.
TEST(MmtestsFiguresTest, BandsMatchMmtests) {
  MmtestsFigures zero;
  zero.mean = 0;
  zero.standard_deviation = 0;
  for (const auto& one : File()["summary"]) {
    SCOPED_TRACE(one.at("id"));
    const auto figures = FiguresOf(one["input"].get<Values>(), BestOf(one["preferred"]));
    const auto& high = one["mmtests"]["meanci_high-_mean"]["value"];
    if (figures->standard_deviation == 0) continue;  // no band
    const auto distance = BandDistance(*figures, zero);
    ASSERT_EQ(distance.has_value(), high.is_number());
    if (!distance) continue;
    const double half = *figures->mean / *distance;
    const double theirs = high.get<double>() - one["mmtests"]["_mean"]["value"].get<double>();
    EXPECT_TRUE(golden::Close(half, theirs, kBandTolerance));
  }
}

TEST(MmtestsFiguresTest, GainsMatchMmtests) {
  // mmtests treats 0 as "no data", and prints 0 %, 100 % or -99 % there.
  const std::map<std::string, int> missing_data{{"diff/0|100", 1}, {"diff/100|0", 1}};
  int compared = 0;
  for (const auto& one : File()["diff"]) {
    SCOPED_TRACE(one.at("id"));
    if (missing_data.contains(one["id"])) continue;
    const double value = one["new"];
    const double base = one["base"];
    EXPECT_TRUE(golden::Close(100 * Gain(value, base, BestEnd::kHighest).value(),
                              one["pdiff_Higher"], kTolerance));
    EXPECT_TRUE(golden::Close(100 * Gain(value, base, BestEnd::kLowest).value(),
                              one["pndiff_Lower"], kTolerance));
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}

// All parts of the file, with the place where each is compared; a new part makes this test fail.
TEST(MmtestsFiguresTest, EveryPartOfTheFileIsComparedOrNotOffered) {
  const std::map<std::string, std::vector<std::string>> known{
      {"",
       {"meta", "summary", "diff", "pairwise", "multi_reference",
        "advanced",  // subselection, in the cases of that kind
        // Not offered: mmtests' summary over all operations of a suite.
        "aggregate"}},
      {"summary",
       {"id", "ref", "input", "preferred", "mmtests", "amean", "hmean", "geomean", "stddev_n1",
        "hstddev", "scipy",
        // Not offered: a median and quartiles that mmtests itself never prints.
        "mmtests_unused_functions", "geomean_ok_vs_scipy"}},
      {"mmtests",
       {"min", "max", "_mean", "_mean-25", "_mean-50", "_mean-75", "_mean-90", "_mean-95",
        "stddev-_mean", "coeffvar-_mean", "meanci_low-_mean", "meanci_high-_mean",
        // Not offered: percentiles by rank, best first; ours are type 7 quantiles.
        "percentile-25", "percentile-50", "percentile-75", "percentile-90", "percentile-95",
        "percentile-99"}},
      {"scipy",
       {"amean", "hmean", "gmean", "stddev_n1", "cv_pct", "median", "quartiles_R7",
        // Not offered: trimmed means and the MAD are not in section 7.
        "trim_mean_5pct_each", "trim_mean_25pct_each", "mad_raw"}},
      {"pairwise",
       {"id", "reference", "sut", "welch", "mmtests_current_Lower", "mmtests_current_Higher",
        "note", "do_not_reproduce",
        // Not offered: the star that mmtests gave from 2018 to 2024.
        "legacy_2018_2024_star"}}};
  const auto check = [&known](const Json& object, const std::string& name) {
    const std::vector<std::string>& keys = known.at(name);
    for (const auto& [key, value] : object.items()) {
      EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << name << ": " << key;
    }
  };
  check(File(), "");
  for (const auto& one : File()["summary"]) {
    check(one, "summary");
    check(one["mmtests"], "mmtests");
    check(one["scipy"], "scipy");
  }
  for (const auto& one : File()["pairwise"]) check(one, "pairwise");
}

// A deliberate difference: a measured 0 is a value, and a reference of 0 gives no ratio.
TEST(MmtestsFiguresTest, ZeroIsAValueAndNoReference) {
  EXPECT_EQ(Gain(0, 100, BestEnd::kHighest), -1);
  EXPECT_EQ(Gain(0, 100, BestEnd::kLowest), 1);
  EXPECT_EQ(Gain(100, 0, BestEnd::kHighest), std::nullopt);
  EXPECT_EQ(Gain(100, 0, BestEnd::kLowest), std::nullopt);
  EXPECT_EQ(Gain(0, 0, BestEnd::kLowest), 0);
}

struct Pair {
  MmtestsFigures reference;
  MmtestsFigures sut;
};

void ExpectRow(const Json& row, const std::optional<double>& reference,
               const std::optional<double>& sut, BestEnd best) {
  ASSERT_TRUE(reference && sut);
  EXPECT_TRUE(golden::Close(*reference, Number(row["ref"]), kTolerance));
  EXPECT_TRUE(golden::Close(*sut, Number(row["sut"]), kTolerance));
  // Rounding leaves mmtests a spread of 1e-15 if the values are equal.
  const bool constant = std::abs(*reference) < 1e-14;
  if (constant) {
    EXPECT_EQ(Gain(*sut, 0, best), *sut == 0 ? std::optional<double>(0) : std::nullopt);
    return;
  }
  const auto gain = Gain(*sut, *reference, best);
  ASSERT_TRUE(gain);
  EXPECT_NEAR(100 * *gain, Number(row["gain_pct"]), 1e-9);
}

void ExpectTable(const Json& table, const Pair& pair, BestEnd best) {
  const auto& [reference, sut] = pair;
  ExpectRow(table["Min"], reference.min, sut.min, best);
  ExpectRow(table["Max"], reference.max, sut.max, best);
  ExpectRow(table[table.contains("Amean") ? "Amean" : "Hmean"], reference.mean, sut.mean, best);
  ExpectRow(table["BestMean.95"], reference.best_mean, sut.best_mean, best);
  ExpectRow(table["Stddev"], reference.standard_deviation, sut.standard_deviation,
            BestEnd::kLowest);
  // The file has percentages.
  const auto percent = [](std::optional<double> x) { return x ? std::optional(100 * *x) : x; };
  ExpectRow(table["CoeffVar"], percent(reference.variation), percent(sut.variation),
            BestEnd::kLowest);
}

void ExpectPair(const Json& one, const std::string& preferred) {
  const BestEnd best = BestOf(preferred);
  const Values reference = one["reference"];
  const Values sut = one["sut"];
  const Pair pair{FiguresOf(reference, best).value(), FiguresOf(sut, best).value()};
  const auto& theirs = one["mmtests_current_" + preferred];
  ExpectTable(theirs["table"], pair, best);
  const double ratio = *pair.sut.mean / *pair.reference.mean;
  EXPECT_TRUE(golden::Close(ratio, theirs["ratio"], kTolerance));
  EXPECT_NEAR(100 * *Gain(ratio, 1, best), theirs["ratio_gain_pct"], 1e-9);
  const std::optional<double> distance = BandDistance(pair.sut, pair.reference);
  const bool star = HasStar(sut, reference, best, StarRule::kMmtests).value();
  // Two constants: the file itself says not to reproduce a raw difference and a spread of 1e-15.
  if (one.contains("do_not_reproduce")) {
    EXPECT_FALSE(distance);
    EXPECT_TRUE(star);
    return;
  }
  ASSERT_TRUE(distance);
  EXPECT_TRUE(golden::Close(*distance, theirs["normalised"], kBandTolerance));
  EXPECT_TRUE(golden::Close(-*distance, theirs["cidiff"], kBandTolerance));
  EXPECT_EQ(star, theirs["star"]);
}

TEST(MmtestsFiguresTest, PairsMatchMmtestsTableAndRatiosAndStars) {
  ASSERT_FALSE(File()["pairwise"].empty());
  for (const auto& one : File()["pairwise"]) {
    for (const char* preferred : {"Lower", "Higher"}) {
      SCOPED_TRACE(one["id"].get<std::string>() + " " + preferred);
      ExpectPair(one, preferred);
    }
  }
}

TEST(MmtestsFiguresTest, WhatIsMissingIsMissingAndNotZero) {
  const MmtestsFigures one = FiguresOf(Values{3}, BestEnd::kLowest).value();
  EXPECT_FALSE(one.standard_deviation || one.variation);
  EXPECT_FALSE(BandDistance(one, one));
  const MmtestsFigures rate = FiguresOf(Values{0, 4, 2}, BestEnd::kHighest).value();
  EXPECT_FALSE(rate.mean || rate.standard_deviation || rate.variation);
  EXPECT_FALSE(BandDistance(rate, rate));
  EXPECT_FALSE(FiguresOf(Values{}, BestEnd::kLowest));
}

// A deliberate difference: mmtests prints inf.
TEST(MmtestsFiguresTest, WhatExceedsADoubleIsAbsent) {
  const Values values = {1.1, 1.12, 1.141e308};
  const MmtestsFigures figures = FiguresOf(values, BestEnd::kLowest).value();
  EXPECT_TRUE(figures.mean);
  EXPECT_FALSE(figures.standard_deviation);
  EXPECT_FALSE(figures.variation);
  EXPECT_FALSE(Summarize(values)->standard_deviation);
  EXPECT_FALSE(Summarize(values)->variation);
  EXPECT_FALSE(Gain(1.141e308, 0.01, BestEnd::kLowest));
}

}  // namespace
}  // namespace benchd
