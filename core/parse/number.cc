#include "core/parse/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <system_error>

#include "core/base/text.h"

namespace benchd {
namespace {

// Larger exponents make no difference, because all doubles other than 0 are between 1e-324 and
// 1e309.
constexpr long kExponentLimit = 100'000;

struct Spelling {
  bool valid = false;
  std::size_t fraction_digits = 0;
  std::string_view exponent;  // with its sign; empty if there is none
};

std::size_t SkipDigits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

Spelling Spell(std::string_view text) {
  Spelling spelling;
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::size_t whole = at;
  at = SkipDigits(text, at);
  std::size_t digits = at - whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = ++at;
    at = SkipDigits(text, at);
    spelling.fraction_digits = at - fraction;
    digits += spelling.fraction_digits;
  }
  if (digits == 0) return spelling;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t exponent = ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t first = at;
    at = SkipDigits(text, at);
    if (at == first) return spelling;
    spelling.exponent = text.substr(exponent);
  }
  spelling.valid = at == text.size();
  return spelling;
}

long ExponentOf(std::string_view text) {
  if (text.empty()) return 0;
  const bool negative = text[0] == '-';
  if (text[0] == '+' || text[0] == '-') text.remove_prefix(1);
  long value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || value > kExponentLimit) value = kExponentLimit;
  return negative ? -value : value;
}

// Parses the power as decimal, so that 1e-9 is the double nearest to 1e-9. pow() does not guarantee
// that.
double PowerOfTen(long exponent) {
  std::array<char, 32> text{'1', 'e'};
  const auto end = std::to_chars(text.data() + 2, text.data() + text.size(), exponent).ptr;
  double value = 0;
  const auto [rest, failed] = std::from_chars(text.data(), end, value);
  return failed == std::errc() && std::isfinite(value) ? value : 0;
}

bool NamesNoFiniteNumber(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  std::string lower(text.substr(0, 9));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower == "nan" || lower == "inf" || lower == "infinity" || lower.starts_with("nan(");
}

Error RefuseNumber(std::string_view text, const char* why) {
  return Error{ErrorCode::kInvalidArgument, Quoted(text) + " " + why, {}};
}

}  // namespace

bool LooksLikeNumber(std::string_view text) { return Spell(text).valid; }

bool IsWholeNumber(std::string_view text) {
  return !text.empty() && SkipDigits(text, 0) == text.size();
}

Result<PrintedNumber> ParseNumber(std::string_view text) {
  const Spelling spelling = Spell(text);
  if (!spelling.valid) {
    return RefuseNumber(text,
                        NamesNoFiniteNumber(text) ? "is not a finite number" : "is not a number");
  }
  const std::string_view plain = text[0] == '+' ? text.substr(1) : text;
  PrintedNumber number;
  const auto [end, failed] =
      std::from_chars(plain.data(), plain.data() + plain.size(), number.value);
  if (failed != std::errc() || end != plain.data() + plain.size() || !std::isfinite(number.value)) {
    return RefuseNumber(text, "does not fit a double");
  }
  number.resolution =
      PowerOfTen(ExponentOf(spelling.exponent) - static_cast<long>(spelling.fraction_digits));
  return number;
}

}  // namespace benchd
