#include "client/report/pictures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "client/report/plot.h"
#include "tests/client/golden.h"
#include "tests/client/report_samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

std::string FileOf(const Picture& picture) {
  return picture.svg.File(picture.name, picture.description) + picture.note + "\n";
}

std::vector<IntervalRow> SampleRows() {
  return {{"candidate vs base", "+10.2 % (+9.8 … +10.6 %)", "regression", 0.102, 0.098, 0.106,
           MarginLine{0.02, true}, Shape::kTriangle},
          {"rate, candidate vs base", "+0.5 % (-1.0 … +2.0 %)", "pass", 0.005, -0.01, 0.02,
           MarginLine{-0.05, false}, Shape::kTriangle},
          {"no interval yet", "+1.0 %", "", 0.01, {}, {}, {}, Shape::kTriangle}};
}

TEST(PicturesTest, IntervalsStandAgainstTheirMargins) {
  const Picture picture = DrawIntervals("gates", SampleRows(), {true, ""});
  ExpectGolden("picture_intervals.svg", FileOf(picture));
  EXPECT_EQ(picture.table.size(), 4U);
  EXPECT_EQ(picture.table[1],
            (std::vector<std::string>{"candidate vs base", "+10.2 % (+9.8 … +10.6 %)", "+2.0 %",
                                      "regression"}));
}

TEST(PicturesTest, OneWideIntervalDoesNotTakeTheRoomOfTheOthers) {
  std::vector<IntervalRow> rows = SampleRows();
  rows.push_back({"wide", "+50 %", "", 0.5, -200, 300, {}, Shape::kTriangle});
  const std::string text = DrawIntervals("gates", rows, {true, ""}).Inline();
  EXPECT_EQ(text.find("20000"), std::string::npos) << "no tick so far out";
}

TEST(PicturesTest, ChangesThatAreFarApartStandOnAnAxisOfRatios) {
  std::vector<IntervalRow> rows = SampleRows();
  rows.push_back({"faster", "-73 %", "", -0.73, -0.75, -0.71, {}, Shape::kTriangle});
  EXPECT_WORDING(DrawIntervals("gates", rows, {true, ""}).note);
  rows.push_back({"slower", "+3176 %", "", 31.76, 30, 33, {}, Shape::kTriangle});
  const Picture picture = DrawIntervals("gates", rows, {true, ""});
  const std::string text = picture.Inline();
  for (const char* label : {">1×<", ">10×<"})
    EXPECT_NE(text.find(label), std::string::npos) << text;
  EXPECT_WORDING(picture.note);
  EXPECT_EQ(picture.table[1][2], "+2.0 %") << "numbers are told as everywhere";
  // On a linear axis, -73 % next to +3176 % would take a fortieth of the picture.
  const auto x_of = [&text](const std::string& title) {
    const std::size_t row = text.find("<title>" + title);
    const std::size_t at = text.rfind(" d=\"M", row);
    EXPECT_NE(row, std::string::npos) << text;
    return std::stod(text.substr(at + 5));
  };
  EXPECT_GT(x_of("slower") - x_of("faster"), 0.5 * 420);
  EXPECT_GT(x_of("margin") - x_of("faster"), 0.15 * 420);
}

TEST(PicturesTest, AnEndBelowMinusHundredPerCentIsAtTheEdgeOfAnAxisOfRatios) {
  std::vector<IntervalRow> rows = SampleRows();
  rows.push_back({"slower", "+3176 %", "", 31.76, 30, 33, {}, Shape::kTriangle});
  rows.push_back({"wide", "-50 %", "", -0.5, -1.4, 900, {}, Shape::kTriangle});
  const std::string text = DrawIntervals("gates", rows, {true, ""}).Inline();
  EXPECT_NE(text.find(">10×<"), std::string::npos) << text;
  EXPECT_EQ(text.find(">100×<"), std::string::npos) << "the wide interval takes no room";
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  EXPECT_NE(text.find("d=\"M16 216L400 216\"><title>wide"), std::string::npos)
      << "from edge to edge: " << text;
}

TEST(PicturesTest, AWideIntervalAloneMakesNoAxisOfRatios) {
  std::vector<IntervalRow> rows = SampleRows();
  rows.push_back({"wide", "+10 %", "", 0.1, -0.5, 12, {}, Shape::kTriangle});
  const std::string text = DrawIntervals("gates", rows, {true, ""}).Inline();
  EXPECT_EQ(text.find("×<"), std::string::npos) << "the margins would be beside no change";
}

// Returns where the lines of that class begin.
std::string PlaceOf(const std::string& style, const std::string& text) {
  const std::string begin = "class=\"" + style + "\" d=\"M";
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(' ', at) - at);
}

TEST(PicturesTest, PicturesOfOneGroupShareTheirAxis) {
  const std::vector<IntervalRow> rows = SampleRows();
  const auto drawn = [&rows](std::size_t row, const std::vector<IntervalRow>& of_axis) {
    return DrawIntervals("gates", {rows[row]}, {true, ""}, of_axis).Inline();
  };
  EXPECT_EQ(PlaceOf("zero", drawn(0, rows)), PlaceOf("zero", drawn(1, rows)));
  EXPECT_NE(PlaceOf("zero", drawn(0, {})), PlaceOf("zero", drawn(1, {})));
}

IntervalHistory SampleHistory() {
  IntervalHistory history;
  for (std::uint64_t runs = 8; runs <= 64; runs += 4) {
    const double half = 0.2 / std::sqrt(static_cast<double>(runs));
    const double estimate = 0.05 + 0.01 * Noise(runs);
    history.points.push_back({runs, estimate, estimate - half, estimate + half});
  }
  history.margin = MarginLine{0.02, true};
  history.decided_at = 48;
  return history;
}

TEST(PicturesTest, HistoryHasAMarkForEachLook) {
  const Picture picture = DrawHistory("history", SampleHistory(), {true, ""});
  ExpectGolden("picture_history.svg", FileOf(picture));
  EXPECT_EQ(CountOf(picture.Inline(), "class=\"candidate look\""), 15U);
  EXPECT_EQ(picture.table.size(), 16U);
}

TEST(PicturesTest, DistributionsShareAnAxis) {
  const MetricRuns runs = SampleSource(60).metrics.front();
  const Picture picture = DrawDistributions("values", runs.arms, runs.unit, runs.resolution);
  ExpectGolden("picture_distributions.svg", FileOf(picture));
  std::size_t counted = 0;
  for (std::size_t row = 1; row < picture.table.size(); ++row) {
    counted += std::stoul(picture.table[row][1]) + std::stoul(picture.table[row][2]);
  }
  EXPECT_EQ(counted, 119U) << "120 runs, one of them beyond the axis";
  EXPECT_WORDING(picture.note);
}

TEST(PicturesTest, RunsHaveAMarkEachAndWarmUpsOutliersAndDisturbancesAreMarked) {
  const MetricRuns runs = SampleSource(20).metrics.front();
  const Picture picture = DrawRuns("runs", runs.arms, runs.runs, runs.unit, 1500);
  ExpectGolden("picture_runs.svg", FileOf(picture));
  const std::string text = picture.Inline();
  EXPECT_EQ(CountOf(text, "class=\"run "), 42U) << "20 pairs and the warm-up";
  EXPECT_EQ(CountOf(text, " open\""), 2U);
  EXPECT_EQ(CountOf(text, "class=\"flagged outlier\""), 1U);
  EXPECT_EQ(CountOf(text, "class=\"flagged disturbed\""), 1U);
  EXPECT_EQ(picture.table.size(), 43U);
}

TEST(PicturesTest, ManyRunsAreThinnedAndThePictureSaysSo) {
  const MetricRuns runs = SampleSource(5000).metrics.front();
  ASSERT_EQ(runs.runs.size(), 10002U);
  const Picture picture = DrawRuns("runs", runs.arms, runs.runs, runs.unit, 1500);
  const std::string text = picture.Inline();
  const std::size_t marks = CountOf(text, "class=\"run ");
  EXPECT_GT(marks, 100U);
  EXPECT_LE(marks, 1500U);
  EXPECT_TRUE(picture.note.starts_with("10002 runs")) << picture.note;
  EXPECT_WORDING(picture.note);
  std::size_t told = 0;  // every run is in a group or is a warm-up run
  for (std::size_t row = 1; row < picture.table.size(); ++row) {
    const std::string& remarks = picture.table[row][3];
    told += remarks.starts_with("warm-up") ? 1 : std::stoul(remarks);
  }
  EXPECT_EQ(told, 10002U);
}

// Units with names and values.
std::vector<UnitOfPicture> SampleUnits(std::size_t count, double mean) {
  std::vector<UnitOfPicture> units;
  for (std::size_t i = 1; i <= count; ++i) {
    units.push_back(
        {{"unit/" + std::to_string(i), "10 ms", "", "8 runs"}, mean + 0.03 * Noise(7 * i), {}, {}});
  }
  return units;
}

UnitsOfPicture SampleBuilds() {
  UnitGroup base{"base", "10.1 ms", true, SampleUnits(8, 0), {{"base, mean"}, 0, {}, {}}, {}, {}};
  UnitGroup candidate{"candidate",
                      "+10.2 % (+6.0 … +14.0 %)",
                      false,
                      SampleUnits(8, 0.1),
                      {{"candidate, mean", "11.1 ms"}, 0.102, 0.06, 0.14},
                      {},
                      MarginLine{0.02, true}};
  return {"Builds",
          "Each mark is a build.",
          {"build", "mean", "beside", "runs"},
          {true, ""},
          {base, candidate}};
}

TEST(PicturesTest, BuildsHaveAMarkEachBesideTheirMeanItsIntervalAndTheMargin) {
  const Picture picture = DrawUnits("builds", SampleBuilds());
  ExpectGolden("picture_builds.svg", FileOf(picture));
  const std::string text = picture.Inline();
  EXPECT_EQ(CountOf(text, "class=\"unit reference\""), 8U);
  EXPECT_EQ(CountOf(text, "class=\"unit candidate\""), 8U);
  EXPECT_EQ(CountOf(text, "<title>unit/3: 10 ms, 8 runs</title>"), 2U);
  EXPECT_EQ(CountOf(text, "class=\"margin\""), 1U) << "where the interval is";
  EXPECT_EQ(picture.table.size(), 1U + 2 * (8 + 1));
}

TEST(PicturesTest, OneWideIntervalLeavesTheUnitsHalfOfThePicture) {
  UnitsOfPicture units = SampleBuilds();
  units.groups[1].mean.lo = -0.9;
  units.groups[1].mean.hi = 40;
  EXPECT_EQ(DrawUnits("builds", units).Inline().find("1000"), std::string::npos);
}

TEST(PicturesTest, UnitsThatAreAllTheSameOrNoNumbersMakeNoBrokenPicture) {
  for (const double value : {0.0, 1.0, -1e300, std::numeric_limits<double>::infinity()}) {
    const UnitOfPicture unit{{"one"}, value, value, value};
    const std::string text =
        DrawUnits("u", {"",
                        "",
                        {"unit"},
                        {false, "s"},
                        {{"all", "", true, {unit, unit}, unit, std::pair(value, value), {}}}})
            .Inline();
    EXPECT_EQ(text.find("=\"nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("=\"inf"), std::string::npos) << text;
  }
}

TEST(PicturesTest, ValuesThatCannotBeDrawnMakeNoBrokenPicture) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  for (const auto& values : std::vector<std::vector<double>>{
           {0}, {1, 1, 1}, {-kLargest, kLargest}, {5e-324, 1e-323}, {1e300, 1e300, 1}}) {
    const std::vector<ArmOfPicture> arms = {{"a", true, 0, values}, {"b", false, 0, values}};
    std::vector<RunOfPicture> runs;
    for (const double value : values) runs.push_back({0, runs.size() + 1, value, false, 0});
    for (const std::string& text : {DrawDistributions("v", arms, "s", 0).Inline(),
                                    DrawRuns("r", arms, runs, "s", 1500).Inline(),
                                    DrawRuns("r", arms, runs, "s", 1).Inline()}) {
      EXPECT_EQ(text.find("=\"nan"), std::string::npos) << text;
      EXPECT_EQ(text.find("=\"inf"), std::string::npos) << text;
    }
  }
}

TEST(PicturesTest, AnAxisWithoutRoomBetweenItsTicksHasNoMoreLabelsThanTicks) {
  const double step = std::nextafter(1.0, 2.0) - 1;
  Svg svg("a", kPictureWidth, 100);
  const AxisScale x(1, 1 + step, 0, kPictureWidth);
  DrawHorizontalAxis(&svg, x, 50, {});
  EXPECT_LE(CountOf(svg.File("a", "b"), "<text"), x.Ticks(10).size());
}

}  // namespace
}  // namespace benchd::client
