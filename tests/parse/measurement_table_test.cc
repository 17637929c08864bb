#include "core/parse/measurement_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/parse/refusal.h"
#include "tests/parse/table_reading.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(MeasurementTableTest, ReadsArmsAndMetrics) {
  const TableReading reading =
      ReadTable("branch,time,ops/s\nbase,1.50,100\nfeature,1.2,\nbase,1.75,3e2\n");
  ASSERT_EQ(reading.error, "");
  EXPECT_EQ(reading.arms, (std::vector<std::string>{"base", "feature"}));
  EXPECT_EQ(reading.benchmarks, (std::vector<std::string>{"main"}));
  EXPECT_EQ(reading.metrics, (std::vector<MetricInfo>{{"time", "", std::nullopt, 0.01},
                                                      {"ops/s", "", std::nullopt, 1}}));
  EXPECT_FALSE(reading.is_export);
  EXPECT_FALSE(reading.has_pairs);
  EXPECT_EQ(reading.rows, (std::vector<TableRow>{{2, 0, 0, {}, {}, {}, {1.5, 100}},
                                                 {3, 1, 0, {}, {}, {}, {1.2, std::nullopt}},
                                                 {4, 0, 0, {}, {}, {}, {1.75, 300}}}));
}

TEST(MeasurementTableTest, AnExportStatesThePhaseOfItsRows) {
  const std::string columns = "arm,role,benchmark,pair,order,started_at,phase,t\n";
  const std::string rows = "a,,,0,1,,measured,1\nb,,,0,2,,,2\na,,,0,3,,confirming,3\n";
  const auto table = ReadMeasurementTable(WholeText(columns + rows));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->confirming, (std::vector<bool>{false, false, true}));
  EXPECT_TRUE(table->HasPhases());
  EXPECT_EQ(table->metrics.size(), 1U);
  const auto unknown = ReadMeasurementTable(WholeText(columns + "a,,,0,1,,third,1\n"));
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("expected a phase, found "), std::string::npos)
      << unknown.error().message;
}

// Earlier releases exported a metric of that name, which comes later.
TEST(MeasurementTableTest, AColumnPhaseInAnotherPlaceIsAMetric) {
  for (const std::string header : {"arm,role,benchmark,pair,order,started_at,t,phase\n",
                                   "arm,role,benchmark,pair,order,t,phase,x\n"}) {
    const auto table = ReadMeasurementTable(WholeText(header + "a,,,0,1,,5,2\nb,,,0,2,,6,3\n"));
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_TRUE(table->confirming.empty()) << header;
  }
}

TEST(MeasurementTableTest, ReadsTheReservedColumnsInAnyPlace) {
  const TableReading reading = ReadTable(
      "host,t,order,benchmark,started_at,role,pair\nx,1,7,parse,2001-09-09T01:46:40Z,candidate,"
      "18446744073709551615\n"
      "y,2,,,,,\n");
  ASSERT_EQ(reading.error, "");
  EXPECT_EQ(reading.benchmarks, (std::vector<std::string>{"parse", "main"}));
  EXPECT_TRUE(reading.has_pairs);
  EXPECT_FALSE(reading.is_export);
  ASSERT_EQ(reading.rows.size(), 2U);
  EXPECT_EQ(reading.roles,
            (std::vector<std::vector<std::optional<ArmRole>>>{{ArmRole::kCandidate}, {}}));
  const TableRow& row = reading.rows[0];
  EXPECT_EQ(row.pair, 18446744073709551615U);
  EXPECT_EQ(row.order, 7U);
  EXPECT_EQ(row.started_at, Timestamp{std::chrono::seconds(1'000'000'000)});
  EXPECT_EQ(reading.rows[1], (TableRow{3, 1, 1, {}, {}, {}, {2}}));
}

TEST(MeasurementTableTest, GivesBuiltInNamesTheirUnitAndDirection) {
  const TableReading reading = ReadTable("arm,wall_time,wall_times\na,1.5,1\nb,1.25,1\n");
  ASSERT_EQ(reading.error, "");
  // Measured by an unknown clock: the resolution is that of the printed numbers.
  EXPECT_EQ(reading.metrics, (std::vector<MetricInfo>{{"wall_time", "s", Better::kLower, 0.01},
                                                      {"wall_times", "", std::nullopt, 1}}));
}

// Shortest round-trip digits say nothing about the clock: resolutions are those of model/metric.h.
TEST(MeasurementTableTest, GivesBuiltInMetricsOfAnExportTheirOwnResolution) {
  const TableReading reading = ReadTable(
      "arm,role,benchmark,pair,order,started_at,wall_time,max_rss,parsed\n"
      "a,reference,main,0,1,,0.5,4096,1e+06\nb,candidate,main,0,2,,0.25,1e+06,1.5\n");
  ASSERT_EQ(reading.error, "");
  EXPECT_TRUE(reading.is_export);
  EXPECT_EQ(reading.metrics, (std::vector<MetricInfo>{{"wall_time", "s", Better::kLower, 1e-9},
                                                      {"max_rss", "B", Better::kLower, 4096},
                                                      {"parsed", "", std::nullopt, 0.1}}));
}

TEST(MeasurementTableTest, APrefixMakesAnyNameAMetrics) {
  const TableReading reading = ReadTable(
      "arm,pair,metric:pair,metric:arm,metric:role,metric:4,metric:metric:x,metric:wall_time\n"
      "a,0,1,2,3,4,5,6\nb,0,1,2,3,4,5,6\n");
  ASSERT_EQ(reading.error, "");
  std::vector<std::string> names;
  for (const MetricInfo& metric : reading.metrics) names.push_back(metric.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pair", "arm", "role", "4", "metric:x", "wall_time"}));
  EXPECT_EQ(reading.metrics.back().unit, "s");
  EXPECT_EQ(reading.rows[0].pair, 0U);
  EXPECT_EQ(reading.rows[0].values[0], 1);
}

TEST(MeasurementTableTest, ANameBehindAnApostropheIsNoFormula) {
  for (const std::string start : {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
    for (const std::string guards : {"", "'", "''"}) {
      const std::string name = guards + start + "x";
      EXPECT_EQ(GuardedName(name), "'" + name);
      EXPECT_EQ(UnguardedName(GuardedName(name)), name);
      const TableReading reading =
          ReadTable("arm,benchmark," + GuardedName(name) + "\n" + GuardedName(name) + "," +
                    GuardedName(name) + ",1\nb," + GuardedName(name) + ",2\n");
      ASSERT_EQ(reading.error, "");
      EXPECT_EQ(reading.metrics.front().name, name);
      EXPECT_EQ(reading.arms.front(), name);
      EXPECT_EQ(reading.benchmarks.front(), name);
    }
  }
  for (const std::string name : {"", "'", "'x'", "a=1", "x", "1+1"}) {
    EXPECT_EQ(GuardedName(name), name);
    EXPECT_EQ(UnguardedName(name), name);
  }
}

TEST(MeasurementTableTest, NamesTheFirstMistakeWithItsPlace) {
  const std::vector<std::string> cases{
      // Errors of the table as a whole.
      "",
      "\xEF\xBB\xBF\n \r\n",
      "arm,t\n",
      "arm,t",
      "arm,t\na,1\na,2\n",
      // Errors of its header.
      "arm\na\nb\n",
      "arm;t\na;1\nb;2\n",
      "arm,benchmark,pair,order,started_at\n",
      "arm,role,t\na,reference,1\nb,base,1\n",
      "arm,t,t\n",
      "arm, t,\"t\"\n",
      "benchmark,t,benchmark\n",
      "arm,pair,t,pair\n",
      "arm,t,\n",
      "arm,t,metric:t\n",
      "arm,t,metric:\n",
      "branch,t,arm\n",
      "pair,arm,t\n",
      "base,15.72\n",
      "arm,t\xFF\n",
      "arm,\"t\nu\"\n",
      // Errors of its rows.
      "arm,t\na,1\n\nb\n",
      "arm,t,u\na,1\n",
      "arm,t\na,1,\n",
      "arm,t\na,1,5\n",
      "arm,t\na,1\n,2\n",
      "arm,t\na\xFF,1\n",
      "arm,t\n\"a\tb\",1\n",
      "arm,t\nä, fast\n",
      "arm,t\na,1s\n",
      "arm,t\na,0x1\n",
      "arm,t\na,\"1,5\"\n",
      "arm,t\na,NaN\n",
      "arm,t\na,-inf\n",
      "arm,t\na,1e999\n",
      "arm,t\na," + std::string(61, 'x') + "\n",
      "arm,pair,t\na,1.0,1\n",
      "arm,order,t\na,-1,1\n",
      "arm,pair,t\na,18446744073709551616,1\n",
      "arm,started_at,t\na,today,1\n",
      "arm,exit_code,t\na,0,1\na,,1\n",
      // Errors of the CSV itself; only the first of several is reported.
      "arm,t\na,1\"\nb,x\n",
      "arm,t\na,x\nb,\"\n",
      "arm,t,t\na\n",
  };
  for (const std::string& text : cases) {
    const TableReading reading = ReadTable(text);
    EXPECT_WORDING(RefusalOf(text, TableError(reading)));
    EXPECT_EQ(ReadTable(text, 1), reading) << text;
  }
}

TEST(MeasurementTableTest, KnowsOnlyAtTheEndThatABaseIsMissing) {
  const std::string table = "arm,t\na,1\nb,2\n";
  EXPECT_EQ(ReadTable(table, 3, {"b", "a"}).error, "");
  const Error missing = TableError(ReadTable(table, 3, {"b", "main"}));
  EXPECT_NE(missing.message.find("'main'"), std::string::npos) << missing.message;
  EXPECT_NE(missing.hint.find("'a', 'b'"), std::string::npos) << missing.hint;
  EXPECT_WORDING(missing);
  EXPECT_WORDING(TableError(ReadTable(table, 3, {"c"})));
  EXPECT_WORDING(TableError(ReadTable(table + "b,x\n", 3, {"c"})));
}

TEST(MeasurementTableTest, AnArmHasOneRoleInABenchmark) {
  EXPECT_WORDING(TableError(
      ReadTable("arm,role,benchmark,t\na,reference,x,1\na,candidate,y,1\na,candidate,x,1\n")));
}

Result<MeasurementTable> Labelled(std::string_view text, const RowLabels& labels) {
  return ReadMeasurementTable(WholeText(text), {}, labels);
}

TEST(MeasurementTableTest, TakesTheRowsThatHaveALabel) {
  constexpr std::string_view kText = "arm,host,t\na,one,1\nb,two,x\nb,one,2\n\"\",two,3\na,two,\n";
  const auto table = Labelled(kText, {{"host", "one"}});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows(), 2U) << "of the others nothing is read";
  ASSERT_EQ(table->metrics.size(), 1U) << "a label is no metric";
  EXPECT_EQ(table->values[0], (std::vector<double>{1, 2}));
  EXPECT_WORDING(Labelled("arm,t\na,1\nb,2\na,3\n", {{"t", "1"}}).error());
  const auto none = Labelled(kText, {{"host", "three"}});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("--label"), std::string::npos) << none.error().message;
  EXPECT_WORDING(none.error());
  const auto unknown = Labelled(kText, {{"cpu", "x"}});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("'cpu'"), std::string::npos) << unknown.error().message;
  EXPECT_WORDING(unknown.error());
}

TEST(MeasurementTableTest, ALabelMayBeAColumnThatMeansSomethingElse) {
  const auto table =
      Labelled("arm,benchmark,t\na,x,1\nb,x,2\na,y,3\nb,y,4\n", {{"benchmark", "y"}});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->benchmarks, std::vector<std::string>{"y"});
}

TEST(MeasurementTableTest, GivesTheErrorOfWhatIsRead) {
  bool begun = false;
  const auto table = ReadMeasurementTable([&begun]() -> Result<std::string_view> {
    if (std::exchange(begun, true)) return Error{ErrorCode::kUnavailable, "gone", {}};
    return std::string_view("arm,t\na,1\n");
  });
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error(), (Error{ErrorCode::kUnavailable, "gone", {}}));
}

TEST(MeasurementTableTest, RefusesMoreCombinationsThanItCanRemember) {
  std::string text = "arm,benchmark";
  for (int m = 0; m < 200; ++m) text += ",m" + std::to_string(m);
  text += "\n";
  const std::string values(200, ',');
  for (int b = 0; b < 5000; ++b) text += "a," + std::to_string(b) + values + "\n";
  // 200 metrics and one arm: 1,000,000 / 201 = 4975.1 benchmarks, the 4976th in line 4977.
  const Error error = TableError(ReadTable(text));
  EXPECT_TRUE(error.message.starts_with("line 4977: ")) << error.message;
  EXPECT_WORDING(error);
}

TEST(MeasurementTableTest, TakesAsManyNamesAsATableCanSensiblyHave) {
  std::string table = "time,arm name\n";  // the columns in the wrong order
  for (int i = 0; i < 1000; ++i) table += std::to_string(i) + ".5,1\n";
  EXPECT_EQ(ReadTable(table).error, "");
  EXPECT_EQ(ReadTable(table + "0.5,1\n").error, "");
  EXPECT_WORDING(TableError(ReadTable(table + "1000.5,1\n")));
  table = "arm,benchmark,t\n";
  for (int i = 0; i < 10'000; ++i) table += "a," + std::to_string(i) + ",1\n";
  EXPECT_EQ(ReadTable(table + "b,5,1\n").error, "");
  EXPECT_WORDING(TableError(ReadTable(table + "b,,1\n")));
}

TEST(MeasurementTableTest, TakesAFirstColumnWithoutAName) {
  const TableReading reading = ReadTable(",t\na,1\nb,2\n");
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.arms, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace benchd
