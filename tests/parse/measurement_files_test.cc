#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parse/measurement_table.h"
#include "tests/golden/golden.h"
#include "tests/parse/table_reading.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

// Tables as other programs write them: cbdr's, the client's exports, and arbitrary exports.

namespace benchd {
namespace {

std::string ReadFile(const std::string& name) {
  std::ifstream file(test::TestFile("golden/" + name));
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The values of one metric, arm by arm, in row order.
std::map<std::string, std::vector<double>> ValuesByArm(const TableReading& reading,
                                                       std::size_t metric) {
  std::map<std::string, std::vector<double>> values;
  for (const TableRow& row : reading.rows) {
    if (row.values[metric]) values[reading.arms[row.arm]].push_back(*row.values[metric]);
  }
  return values;
}

std::string ShortestText(double value) {
  std::array<char, 40> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// tests/golden/client/ has the output of `benchctl export`, which a test of the client compares.
TEST(MeasurementFilesTest, ReadsWhatTheClientExports) {
  const TableReading reading = ReadTable(ReadFile("client/runs.csv"));
  ASSERT_EQ(reading.error, "");
  EXPECT_TRUE(reading.is_export);
  EXPECT_EQ(reading.arms, (std::vector<std::string>{"candidate", "base"}));
  ASSERT_EQ(reading.metrics.size(), 3U);
  EXPECT_EQ(reading.metrics[1].name, "BM_X/threads:2/latency, \"p99\"");
  ASSERT_EQ(reading.rows.size(), 4U);
  const TableRow& third = reading.rows[2];
  EXPECT_EQ(third.pair, 1U);
  EXPECT_EQ(third.order, 3U);
  // 2026-01-02T03:04:09Z is 1767323049 s after 1970 (date -d ... +%s).
  EXPECT_EQ(third.started_at, Timestamp{std::chrono::seconds(1'767'323'049)});
  EXPECT_EQ(third.values[0], 0.12000000000000001);
  EXPECT_FALSE(third.values[1]);
  EXPECT_EQ(third.values[2], 8.0 / 3);
}

TEST(MeasurementFilesTest, LeavesThePairOfWarmUpsEmpty) {
  const TableReading reading = ReadTable(ReadFile("client/runs_with_warmup.csv"));
  ASSERT_EQ(reading.error, "");
  ASSERT_EQ(reading.rows.size(), 6U);
  EXPECT_FALSE(reading.rows[0].pair);
  EXPECT_FALSE(reading.rows[1].pair);
  EXPECT_EQ(reading.rows[2].pair, 0U);
}

nlohmann::json CbdrCases() {
  nlohmann::json file = golden::ReadFile("cbdr.json");
  return std::move(file.at("cases"));
}

/// Compares counts and means of a golden case with those of its table.
void ExpectLikeCbdr(const nlohmann::json& one) {
  const TableReading reading = ReadTable(one.at("csv").get<std::string>());
  ASSERT_EQ(reading.error, "");
  EXPECT_FALSE(reading.is_export);
  EXPECT_FALSE(reading.has_pairs);
  for (const nlohmann::json& exact : one.at("exact")) {
    const auto metric = std::find_if(reading.metrics.begin(), reading.metrics.end(),
                                     [&exact](const MetricInfo& info) {
                                       return info.name == exact.at("metric").get<std::string>();
                                     });
    ASSERT_NE(metric, reading.metrics.end());
    auto values = ValuesByArm(reading, static_cast<std::size_t>(metric - reading.metrics.begin()));
    for (const std::string side : {"from", "to"}) {
      const std::vector<double>& arm = values[exact.at(side == "from" ? "frm" : "to")];
      EXPECT_EQ(arm.size(), exact.at("n_" + side).get<std::size_t>());
      double sum = 0;
      for (const double value : arm) sum += value;
      EXPECT_TRUE(
          golden::Close(sum / static_cast<double>(arm.size()), exact.at("mean_" + side), 1e-12));
    }
  }
}

// tests/golden/cbdr.json: 13 tables with cbdr's results.
TEST(MeasurementFilesTest, ReadsEveryTableThatCbdrReads) {
  std::size_t read = 0;
  for (const nlohmann::json& one : CbdrCases()) {
    const std::string id = one.at("id");
    if (id == "method_md_verbatim_spaces" || id == "ragged_row") continue;
    SCOPED_TRACE(id);
    // cbdr's exit code 1 here reports a finding (--deny-positive), not an unreadable table.
    EXPECT_TRUE(one.at("rc") == 0 || id == "deny_positive_regression");
    ExpectLikeCbdr(one);
    ++read;
  }
  EXPECT_EQ(read, 11U);
}

nlohmann::json CbdrCase(const std::string& id) {
  for (const nlohmann::json& one : CbdrCases()) {
    if (one.at("id") == id) return one;
  }
  ADD_FAILURE() << id;
  return {};
}

// cbdr panics on the table of its own METHOD.md, because it does not strip blanks from numbers.
TEST(MeasurementFilesTest, ReadsPaddedColumnsOnWhichCbdrPanics) {
  const nlohmann::json padded = CbdrCase("method_md_verbatim_spaces");
  EXPECT_EQ(padded.at("rc"), 101);
  const TableReading reading = ReadTable(padded.at("csv").get<std::string>());
  ASSERT_EQ(reading.error, "");
  EXPECT_EQ(reading, ReadTable(CbdrCase("method_md_clean").at("csv").get<std::string>()));
  EXPECT_EQ(reading.arms, (std::vector<std::string>{"base", "feature"}));
  EXPECT_EQ(reading.rows.size(), 7U);
  EXPECT_EQ(reading.metrics, (std::vector<MetricInfo>{{"wall_time", "s", Better::kLower, 1e-9}}));
}

TEST(MeasurementFilesTest, RefusesTheRaggedRowThatCbdrRefuses) {
  const nlohmann::json ragged = CbdrCase("ragged_row");
  EXPECT_EQ(ragged.at("rc"), 1);
  EXPECT_WORDING(TableError(ReadTable(ragged.at("csv").get<std::string>())));
}

TEST(MeasurementFilesTest, ReadsTheSameInChunksOfAnySize) {
  const std::string table =
      "\xEF\xBB\xBF"
      "arm, role, benchmark ,pair,order,started_at,wall_time,\"p \"\"99\"\"\r\n\"\r\n";
  const std::string sound =
      "arm, role, benchmark ,pair,order,started_at,wall_time,\"p \"\"99\"\"\"\r\n"
      "bäse,reference,main,0,1,2026-01-02T03:04:10.5Z,0.1234,\r\n\r\n"
      "\"c,1\" ,, main,0,2,,1e-3, 12.50\r\n";
  for (const std::string& text :
       {table, sound, sound + "a,,main,x,,,,\n", ReadFile("client/runs.csv")}) {
    const TableReading whole = ReadTable(text);
    for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
      EXPECT_EQ(ReadTable(text, chunk), whole) << "chunks of " << chunk;
    }
  }
  EXPECT_EQ(ReadTable(sound).error, "");
}

const std::map<std::optional<ArmRole>, std::string_view> kRoles{{{}, ""},
                                                                {ArmRole::kReference, "reference"},
                                                                {ArmRole::kCandidate, "candidate"},
                                                                {ArmRole::kPlacebo, "placebo"}};

/// Rows that a session might have measured: doubles of any magnitude, gaps, unusual names.
struct Session {
  std::vector<std::string> arms{"base", "a,b", "say \"hi\"", "größe"};
  std::vector<std::string> benchmarks{"main", "parse, slow"};
  std::vector<std::string> metrics{"wall_time", "max_rss", "BM_X/threads:2/p\"99\"", "order", "4"};
  std::vector<TableRow> rows;
  std::vector<std::optional<ArmRole>> roles;  // by arm
};

Session RandomSession(std::mt19937_64& random) {
  Session session;
  for (std::size_t arm = 0; arm < session.arms.size(); ++arm) {
    session.roles.push_back(
        std::next(kRoles.begin(), static_cast<std::ptrdiff_t>(random() % 4))->first);
  }
  const std::size_t count = 2 + random() % 30;
  for (std::size_t i = 0; i < count; ++i) {
    TableRow row;
    row.arm = i < 2 ? i : random() % session.arms.size();
    row.benchmark = random() % session.benchmarks.size();
    if (random() % 8 > 0) row.pair = random() % 1000;
    row.order = i + 1;
    row.started_at = Timestamp{Nanoseconds(static_cast<std::int64_t>(random() >> 2))};
    for (std::size_t m = 0; m < session.metrics.size(); ++m) {
      const std::uint64_t bits = random();
      auto value = std::bit_cast<double>(bits);
      if (random() % 2 == 0) value = static_cast<double>(bits % 3'000'000) / 1e3;
      const bool missing = !std::isfinite(value) || random() % 8 == 0;
      row.values.push_back(missing ? std::nullopt : std::optional(value));
    }
    session.rows.push_back(std::move(row));
  }
  return session;
}

std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

/// The documented export: RFC 4180, values in shortest round-trip form.
std::string Export(const Session& session) {
  std::string csv = "arm,role,benchmark,pair,order,started_at";
  const auto add = [&csv](std::string_view text) { csv.append(",").append(text); };
  for (const std::string& metric : session.metrics) {
    const bool marked = metric == "order" || metric == "4";
    add(Field(marked ? std::string(kMetricPrefix) + metric : metric));
  }
  for (const TableRow& row : session.rows) {
    csv.append("\n").append(Field(session.arms[row.arm]));
    add(kRoles.at(session.roles[row.arm]));
    add(Field(session.benchmarks[row.benchmark]));
    add(row.pair ? std::to_string(*row.pair) : "");
    add(std::to_string(*row.order));
    add(FormatRfc3339(*row.started_at));
    for (const auto& value : row.values) add(value ? ShortestText(*value) : "");
  }
  return csv.append("\n");
}

TEST(MeasurementFilesTest, ReadsBackAnExportBitForBit) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 500; ++round) {
    const Session session = RandomSession(random);
    const std::string csv = Export(session);
    const TableReading reading = ReadTable(csv, 1 + random() % 200);
    ASSERT_EQ(reading.error, "") << csv;
    EXPECT_TRUE(reading.is_export);
    for (std::size_t m = 0; m < session.metrics.size(); ++m) {
      EXPECT_EQ(reading.metrics[m].name, session.metrics[m]);
    }
    ASSERT_EQ(reading.rows.size(), session.rows.size());
    for (std::size_t r = 0; r < session.rows.size(); ++r) {
      const TableRow& written = session.rows[r];
      const TableRow& read = reading.rows[r];
      EXPECT_EQ(reading.arms[read.arm], session.arms[written.arm]);
      EXPECT_EQ(reading.benchmarks[read.benchmark], session.benchmarks[written.benchmark]);
      if (const auto role = session.roles[written.arm]; read.pair && role) {
        EXPECT_EQ(reading.roles[read.benchmark][read.arm], role);
      }
      EXPECT_EQ(read.pair, written.pair);
      EXPECT_EQ(read.order, written.order);
      EXPECT_EQ(read.started_at, written.started_at);
      EXPECT_EQ(read.line, r + 2);
      for (std::size_t m = 0; m < session.metrics.size(); ++m) {
        ASSERT_EQ(read.values[m].has_value(), written.values[m].has_value());
        if (!written.values[m]) continue;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(*read.values[m]),
                  std::bit_cast<std::uint64_t>(*written.values[m]));
      }
    }
  }
}

}  // namespace
}  // namespace benchd
