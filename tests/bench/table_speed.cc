// The cost of an offline analysis: rows per second for a table of a million rows, two arms, with
// one and three metrics, and the share of reading. Prints a table and judges nothing, because the
// numbers depend on the load of the machine.
//
//     table_speed [ROWS]

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/table_analysis.h"
#include "daemon/session/schedule.h"

namespace benchd {
namespace {

constexpr std::uint64_t kSeed = 20260302;
constexpr std::size_t kPiece = std::size_t{64} * 1024;

ReadPiece InPieces(std::string_view text) {
  return [text]() mutable -> Result<std::string_view> {
    const std::string_view piece = text.substr(0, kPiece);
    text.remove_prefix(piece.size());
    return piece;
  };
}

void AppendNumber(double value, std::string& text) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

// Two arms in turn; values within 5 % of 1 with all digits, like those of an export.
std::string MakeTable(std::uint64_t rows, int metrics, bool pairs) {
  RandomStream random(kSeed, 0);
  std::string text = pairs ? "arm,pair" : "arm";
  for (int m = 0; m < metrics; ++m) text += ",metric" + std::to_string(m);
  text += '\n';
  for (std::uint64_t row = 0; row < rows; ++row) {
    text += row % 2 == 0 ? "base" : "candidate";
    if (pairs) {
      text += ',';
      text += std::to_string(row / 2);
    }
    for (int m = 0; m < metrics; ++m) {
      text += ',';
      AppendNumber(0.95 + 0.1 * static_cast<double>(random.Next() >> 11U) * 0x1p-53, text);
    }
    text += '\n';
  }
  return text;
}

// Rows per second of `work`, which must succeed.
double Measure(std::uint64_t rows, const std::function<bool()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  if (!work()) {
    std::fprintf(stderr, "the analysis failed\n");
    std::exit(1);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(rows) / spent.count();
}

struct Case {
  const char* name;
  bool pairs;
  std::optional<Method> method;
  bool summaries = false;
};

void Time(const Case& one, std::uint64_t rows, int metrics) {
  const std::string text = MakeTable(rows, metrics, one.pairs);
  const double reading =
      Measure(rows, [&] { return ReadMeasurementTable(InPieces(text)).has_value(); });
  TableOptions options;
  options.method = one.method;
  options.summaries = one.summaries;
  for (int m = 0; m < metrics; ++m) {
    options.columns.push_back({"metric" + std::to_string(m), "s", Better::kLower, std::nullopt});
  }
  const double all = Measure(rows, [&] {
    const Result<TableReport> report = AnalyzeTable(InPieces(text), options);
    if (!report) std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return report.has_value();
  });
  std::printf("%-32s %7d %12.0f %16.0f\n", one.name, metrics, all, reading);
}

}  // namespace
}  // namespace benchd

int main(int argc, char** argv) {
  const std::uint64_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  if (rows < 2) {
    std::fprintf(stderr, "usage: table_speed [ROWS]\n");
    return 2;
  }
  std::printf("%-32s %7s %12s %16s\n", "", "metrics", "rows/s", "reading, rows/s");
  using benchd::Method;
  for (const int metrics : {1, 3}) {
    benchd::Time({"one look, independent arms", false, Method::kFixed}, rows, metrics);
    benchd::Time({"one look, pairs", true, Method::kFixed}, rows, metrics);
    benchd::Time({"paired, pair column", true, Method::kPaired}, rows, metrics);
    benchd::Time({"paired, k-th rows", false, Method::kPaired}, rows, metrics);
    benchd::Time({"welch", false, Method::kWelch}, rows, metrics);
    benchd::Time({"one look, with summaries", false, Method::kFixed, true}, rows, metrics);
  }
  return 0;
}
