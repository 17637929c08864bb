#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/parse/measurement_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/pieces.h"

namespace benchd::fuzz {
namespace {

void CheckTableNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    FUZZ_CHECK(!name.empty() && !FirstInvalidUtf8(name) && !HasControlCharacter(name));
    FUZZ_CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
}

void CheckTable(const MeasurementTable& table) {
  CheckTableNames(table.arms);
  CheckTableNames(table.benchmarks);
  FUZZ_CHECK(table.arms.size() > 1 && table.rows() > 0 && !table.metrics.empty());
  FUZZ_CHECK(table.values.size() == table.metrics.size());
  FUZZ_CHECK(table.roles.size() == table.benchmarks.size());
  FUZZ_CHECK(table.line.size() == table.rows() && table.benchmark.size() == table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    FUZZ_CHECK(table.line[row] > 1 && (row == 0 || table.line[row] > table.line[row - 1]));
    FUZZ_CHECK(table.arm[row] < table.arms.size());
    FUZZ_CHECK(table.benchmark[row] < table.benchmarks.size());
    FUZZ_CHECK(table.has_pairs || !table.pair[row]);
  }
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    FUZZ_CHECK(table.values[m].size() == table.rows());
    FUZZ_CHECK(std::isfinite(table.metrics[m].resolution) && table.metrics[m].resolution >= 0);
    for (const double value : table.values[m]) FUZZ_CHECK(!std::isinf(value));
  }
}

bool Same(const MeasurementTable& a, const MeasurementTable& b) {
  if (a.line != b.line || a.arm != b.arm || a.benchmark != b.benchmark || a.roles != b.roles ||
      a.metrics != b.metrics || a.arms != b.arms || a.benchmarks != b.benchmarks) {
    return false;
  }
  for (std::size_t row = 0; row < a.rows(); ++row) {
    if (a.pair[row] != b.pair[row] || a.order[row] != b.order[row] ||
        a.started_at[row] != b.started_at[row]) {
      return false;
    }
    for (std::size_t m = 0; m < a.metrics.size(); ++m) {
      const double value = a.values[m][row];
      if (std::isnan(value) ? !std::isnan(b.values[m][row]) : value != b.values[m][row]) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

void FuzzMeasurementTable(std::string_view input) {
  const auto whole = ReadMeasurementTable(WholeText(input));
  // The result must not depend on how the text is cut into pieces.
  const auto again = ReadMeasurementTable(test::InPieces(input, 1 + input.size() % 5));
  FUZZ_CHECK(whole.has_value() == again.has_value());
  if (!whole) {
    CheckMessage(whole.error().message);
    FUZZ_CHECK(whole.error().message.starts_with("line ") && !whole.error().hint.empty());
    FUZZ_CHECK(whole.error() == again.error());
    return;
  }
  CheckTable(*whole);
  FUZZ_CHECK(Same(*whole, *again));
}

}  // namespace benchd::fuzz
