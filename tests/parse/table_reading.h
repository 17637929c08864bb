#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parse/measurement_table.h"

namespace benchd {

/// Everything a reader said about a table.
struct TableReading {
  std::vector<MeasurementRow> rows;
  std::vector<MetricInfo> metrics;
  std::vector<std::string> arms;
  std::vector<std::string> benchmarks;
  bool has_pairs = false;
  bool is_export = false;
  std::string error;
  bool operator==(const TableReading&) const = default;
};

/// Takes the rows that are there; false after an error.
inline bool Drain(MeasurementTableReader& reader, TableReading& reading) {
  while (true) {
    const auto row = reader.Next();
    if (!row) {
      EXPECT_EQ(row.error().code, ErrorCode::kInvalidArgument);
      EXPECT_FALSE(row.error().hint.empty()) << row.error().message;
      const auto again = reader.Next();
      EXPECT_TRUE(!again && again.error() == row.error()) << "the first error does not stay";
      reading.error = row.error().message;
      return false;
    }
    if (*row == nullptr) return true;
    reading.rows.push_back(**row);
  }
}

/// Reads `text` in pieces, each in memory of its own.
inline TableReading ReadTable(std::string_view text, std::size_t chunk_bytes = 64 * 1024,
                              std::vector<std::string> references = {}) {
  MeasurementTableReader reader(std::move(references));
  TableReading reading;
  bool sound = true;
  for (std::size_t at = 0; sound && at < text.size(); at += chunk_bytes) {
    const std::string chunk(text.substr(at, chunk_bytes));
    reader.Feed(chunk);
    sound = Drain(reader, reading);
  }
  reader.Finish();
  if (sound) Drain(reader, reading);
  reading.metrics = reader.metrics();
  reading.arms = reader.arms();
  reading.benchmarks = reader.benchmarks();
  reading.has_pairs = reader.has_pairs();
  reading.is_export = reader.is_export();
  return reading;
}

}  // namespace benchd
