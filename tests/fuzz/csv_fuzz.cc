#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse/csv.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/pieces.h"

namespace benchd::fuzz {
namespace {

struct CsvReading {
  std::vector<std::vector<std::string>> records;
  std::optional<Error> error;
  bool operator==(const CsvReading&) const = default;
};

// Small enough for fuzzers to reach.
constexpr CsvLimits kCsvLimits{.field_bytes = 1000, .columns = 50, .record_bytes = 4000};

void KeepCsv(const CsvRecord& found, CsvReading& reading) {
  FUZZ_CHECK(found.size() > 0 && found.size() <= kCsvLimits.columns);
  auto& record = reading.records.emplace_back();
  for (std::size_t i = 0; i < found.size(); ++i) {
    FUZZ_CHECK(found.text(i).size() <= kCsvLimits.field_bytes);
    FUZZ_CHECK(found.position(i).line > 0 && found.position(i).column > 0);
    record.emplace_back(found.text(i));
  }
}

CsvReading ReadCsv(std::string_view text, std::size_t piece_bytes) {
  CsvReading reading;
  const auto take = [&reading](const CsvRecord& found) -> Result<void> {
    KeepCsv(found, reading);
    return {};
  };
  const auto end = benchd::ReadCsv(test::InPieces(text, piece_bytes), take, kCsvLimits);
  if (end) return reading;
  CheckMessage(end.error().message);
  FUZZ_CHECK(end.error().message.starts_with("line ") && !end.error().hint.empty());
  reading.error = end.error();
  return reading;
}

std::string WriteCsv(const CsvReading& reading) {
  std::string text;
  for (const auto& record : reading.records) {
    for (std::size_t i = 0; i < record.size(); ++i) {
      text.append(i > 0 ? "," : "").append("\"");
      for (const char c : record[i]) text.append(c == '"' ? 2 : 1, c);
      text.append("\"");
    }
    text.append("\n");
  }
  return text;
}

}  // namespace

void FuzzCsv(std::string_view input) {
  const CsvReading whole = ReadCsv(input, std::max<std::size_t>(input.size(), 1));
  FUZZ_CHECK(ReadCsv(input, 1) == whole);
  FUZZ_CHECK(ReadCsv(input, 2 + input.size() % 7) == whole);
  const CsvReading again = ReadCsv(WriteCsv({whole.records, {}}), 4096);
  // Only quoting can make it exceed the limit of a record.
  FUZZ_CHECK(again.records == whole.records ||
             (again.error && again.error->message.find("a record exceeds") != std::string::npos));
}

}  // namespace benchd::fuzz
