#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/parse/measurement_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"

namespace benchd::fuzz {
namespace {

struct TableReading {
  std::vector<MeasurementRow> rows;
  std::optional<Error> error;
  bool operator==(const TableReading&) const = default;
};

void CheckRow(const MeasurementTableReader& reader, const MeasurementRow& row) {
  FUZZ_CHECK(row.line > 1);
  FUZZ_CHECK(row.arm < reader.arms().size());
  FUZZ_CHECK(row.benchmark < reader.benchmarks().size());
  FUZZ_CHECK(row.values.size() == reader.metrics().size());
  for (std::size_t m = 0; m < row.values.size(); ++m) {
    if (!row.values[m]) continue;
    const double resolution = row.values[m]->resolution;
    FUZZ_CHECK(std::isfinite(row.values[m]->value));
    FUZZ_CHECK(std::isfinite(resolution) && resolution >= 0);
    const double finest = reader.metrics()[m].resolution;
    FUZZ_CHECK(resolution == 0 || (finest > 0 && finest <= resolution));
  }
}

void CheckTableNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    FUZZ_CHECK(!name.empty() && !FirstInvalidUtf8(name) && !HasControlCharacter(name));
    FUZZ_CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
}

TableReading ReadTable(std::string_view text, std::size_t piece_bytes) {
  MeasurementTableReader reader;
  TableReading reading;
  reading.error = ReadInPieces(reader, text, piece_bytes, [&](const MeasurementRow& row) {
    CheckRow(reader, row);
    reading.rows.push_back(row);
  });
  if (reading.error) return reading;
  CheckTableNames(reader.arms());
  CheckTableNames(reader.benchmarks());
  FUZZ_CHECK(reader.arms().size() > 1 && !reading.rows.empty() && !reader.metrics().empty());
  return reading;
}

}  // namespace

void FuzzMeasurementTable(std::string_view input) {
  const TableReading whole = ReadTable(input, std::max<std::size_t>(input.size(), 1));
  FUZZ_CHECK(ReadTable(input, 1 + input.size() % 5) == whole);
}

}  // namespace benchd::fuzz
