#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/parse/csv.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"

namespace benchd::fuzz {
namespace {

struct Reading {
  std::vector<std::vector<std::string>> records;
  std::optional<Error> error;
  bool operator==(const Reading&) const = default;
};

// Small enough to be met by what a fuzzer writes.
constexpr CsvLimits kLimits{.field_bytes = 1000, .columns = 50, .record_bytes = 4000};

void Keep(const CsvRecord& found, Reading& reading) {
  FUZZ_CHECK(found.size() > 0 && found.size() <= kLimits.columns);
  auto& record = reading.records.emplace_back();
  for (std::size_t i = 0; i < found.size(); ++i) {
    FUZZ_CHECK(found.text(i).size() <= kLimits.field_bytes);
    FUZZ_CHECK(found.position(i).line > 0 && found.position(i).column > 0);
    record.emplace_back(found.text(i));
  }
}

Reading Read(std::string_view text, std::size_t piece_bytes) {
  CsvParser parser(kLimits);
  Reading reading;
  reading.error = ReadInPieces(parser, text, piece_bytes,
                               [&reading](const CsvRecord& found) { Keep(found, reading); });
  return reading;
}

std::string Write(const Reading& reading) {
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
}  // namespace benchd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchd::fuzz;
  const std::string_view text = AsText(data, size);
  const Reading whole = Read(text, std::max<std::size_t>(size, 1));
  FUZZ_CHECK(Read(text, 1) == whole);
  FUZZ_CHECK(Read(text, 2 + size % 7) == whole);
  const Reading again = Read(Write({whole.records, {}}), 4096);
  // Only quoting can take it over the limit of a record.
  FUZZ_CHECK(again.records == whole.records ||
             (again.error && again.error->message.find("a record of over") != std::string::npos));
  return 0;
}
