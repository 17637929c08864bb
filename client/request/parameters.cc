#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "client/request/spec_input.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr char kListHint[] = "write --parameter-list NAME A,B,C";
constexpr std::string_view kNoText = "\"\"";
constexpr char kScanHint[] = "write --parameter-scan NAME MIN MAX STEP, such as size 0 64 8";

std::string TooMany() { return fmt::format("more than {} values", kMostBenchmarks); }

// Removes the name and the blank after it from the front of `text`, and returns the name.
Result<std::string> TakeName(std::string_view* text, const char* hint) {
  const std::size_t end = std::min(text->find(' '), text->size());
  const std::string name(text->substr(0, end));
  text->remove_prefix(std::min(end + 1, text->size()));
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  if (name.empty() || !plain) {
    return UsageError("a parameter name has only letters, digits, _ and -", hint);
  }
  if (name == "name" || name == "dir") {
    return UsageError("{" + name + "} is reserved", "choose another name");
  }
  return name;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> values(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',';
    if (escaped) {
      values.back() += text[++i];
    } else if (text[i] == ',') {
      values.emplace_back();
    } else {
      values.back() += text[i];
    }
  }
  return values;
}

constexpr int kMostDigits = 18;  // largest number that always fits into 64 bits

// The number units * 10^-decimals.
struct Decimal {
  std::int64_t units = 0;
  int decimals = 0;
};

std::optional<Decimal> ParseDecimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Decimal decimal;
  int digits = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || ++digits > kMostDigits) return std::nullopt;
    decimal.units = decimal.units * 10 + (c - '0');
    if (point) ++decimal.decimals;
  }
  if (digits == 0) return std::nullopt;
  if (negative) decimal.units = -decimal.units;
  return decimal;
}

// Returns the units of the number when it is written with `decimals` decimals, which must not be
// fewer than its own.
std::optional<std::int64_t> UnitsAt(Decimal decimal, int decimals) {
  for (; decimal.decimals < decimals; ++decimal.decimals) {
    if (__builtin_mul_overflow(decimal.units, 10, &decimal.units)) return std::nullopt;
  }
  return decimal.units;
}

std::string Written(std::int64_t units, int decimals) {
  std::string digits = std::to_string(units);
  const bool negative = digits.front() == '-';
  if (negative) digits.erase(0, 1);
  if (decimals > 0) {
    const auto behind = static_cast<std::size_t>(decimals);
    if (digits.size() <= behind) digits.insert(0, behind + 1 - digits.size(), '0');
    digits.insert(digits.size() - behind, ".");
  }
  return (negative ? "-" : "") + digits;
}

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

struct Scan {
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t step = 0;
  int decimals = 0;          // decimals of the three numbers above
  int written_decimals = 0;  // decimals of the values as text
};

Result<Scan> ParseScan(std::string_view text) {
  const std::vector<std::string_view> words = SplitWords(text);
  if (words.size() != 3) return UsageError("expected MIN, MAX and STEP", kScanHint);
  Decimal numbers[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = ParseDecimal(words[i]);
    if (!number) return UsageError(std::string(words[i]) + " is not a decimal number", kScanHint);
    numbers[i] = *number;
  }
  Scan scan;
  scan.written_decimals = std::max(numbers[0].decimals, numbers[2].decimals);
  scan.decimals = std::max(scan.written_decimals, numbers[1].decimals);
  const auto min = UnitsAt(numbers[0], scan.decimals);
  const auto max = UnitsAt(numbers[1], scan.decimals);
  const auto step = UnitsAt(numbers[2], scan.decimals);
  if (!min || !max || !step) {
    return UsageError("these numbers need more than 18 digits",
                      "use a coarser STEP or a larger unit");
  }
  scan.min = *min;
  scan.max = *max;
  scan.step = *step;
  if (scan.step <= 0) return UsageError("STEP must be above zero", kScanHint);
  if (scan.max < scan.min) return UsageError("MAX is below MIN", "write the smaller number first");
  return scan;
}

}  // namespace

Result<Parameter> ParseParameterList(std::string_view text) {
  TRY(auto name, TakeName(&text, kListHint));
  if (text.empty()) return UsageError("missing values", kListHint);
  Parameter parameter{std::move(name), SplitAtCommas(text)};
  for (std::string& value : parameter.values) {
    if (value.empty()) {
      return UsageError("empty value", "remove the comma, or write \"\" for an empty value");
    }
    if (value == kNoText) value.clear();
  }
  if (parameter.values.size() > kMostBenchmarks) return UsageError(TooMany(), "use fewer values");
  std::vector<std::string> sorted = parameter.values;
  std::ranges::sort(sorted);
  const auto twin = std::ranges::adjacent_find(sorted);
  if (twin != sorted.end()) {
    return UsageError("duplicate value " + Quoted(*twin), "leave one of them out");
  }
  return parameter;
}

Result<Parameter> ParseParameterScan(std::string_view text) {
  TRY(auto name, TakeName(&text, kScanHint));
  TRY(const auto scan, ParseScan(text));
  std::int64_t range = 0;
  const bool huge = __builtin_sub_overflow(scan.max, scan.min, &range);
  const auto most = static_cast<std::int64_t>(kMostBenchmarks);
  if (huge || range / scan.step >= most) return UsageError(TooMany(), "use a larger STEP");
  // MAX may have more decimals than the values.
  std::int64_t finer = 1;
  for (int i = scan.written_decimals; i < scan.decimals; ++i) finer *= 10;
  Parameter parameter{std::move(name), {}};
  for (std::int64_t i = 0; i <= range / scan.step; ++i) {
    parameter.values.push_back(Written((scan.min + i * scan.step) / finer, scan.written_decimals));
  }
  return parameter;
}

}  // namespace benchd::client
