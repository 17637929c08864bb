#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parse/measurement_table.h"
#include "tests/support/pieces.h"

namespace benchd {

/// One row, for tests that check a table row by row.
struct TableRow {
  std::size_t line = 0;
  std::size_t arm = 0;
  std::size_t benchmark = 0;
  std::optional<std::uint64_t> pair;
  std::optional<std::uint64_t> order;
  std::optional<Timestamp> started_at;
  std::vector<std::optional<double>> values;  // by metric
  bool operator==(const TableRow&) const = default;
};

/// All results of reading a table.
struct TableReading {
  std::vector<TableRow> rows;
  std::vector<MetricInfo> metrics;
  std::vector<std::string> arms;
  std::vector<std::string> benchmarks;
  std::vector<std::vector<std::optional<ArmRole>>> roles;
  bool has_pairs = false;
  bool is_export = false;
  std::string error;
  std::string hint;
  bool operator==(const TableReading&) const = default;
};

inline TableRow RowOf(const MeasurementTable& table, std::size_t row) {
  TableRow one{table.line[row],
               table.arm[row],
               table.benchmark[row],
               table.pair[row],
               table.order[row],
               table.started_at[row],
               {}};
  for (const std::vector<double>& column : table.values) {
    one.values.push_back(std::isnan(column[row]) ? std::nullopt : std::optional(column[row]));
  }
  return one;
}

/// Reads `text` in pieces, each in separate memory.
inline TableReading ReadTable(std::string_view text, std::size_t piece_bytes = 64 * 1024,
                              const std::vector<std::string>& references = {}) {
  TableReading reading;
  const auto table = ReadMeasurementTable(test::InPieces(text, piece_bytes), references);
  if (!table) {
    EXPECT_EQ(table.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(table.error().hint.empty()) << table.error().message;
    reading.error = table.error().message;
    reading.hint = table.error().hint;
    return reading;
  }
  for (std::size_t row = 0; row < table->rows(); ++row) reading.rows.push_back(RowOf(*table, row));
  reading.metrics = table->metrics;
  reading.arms = table->arms;
  reading.benchmarks = table->benchmarks;
  reading.roles = table->roles;
  reading.has_pairs = table->has_pairs;
  reading.is_export = table->is_export;
  return reading;
}

/// The error of a table that must have been refused.
inline Error TableError(const TableReading& reading) {
  EXPECT_NE(reading.error, "");
  return {ErrorCode::kInvalidArgument, reading.error, reading.hint};
}

}  // namespace benchd
